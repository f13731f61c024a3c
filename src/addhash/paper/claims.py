"""What the paper claims, what came out here, and whether the two agree."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from addhash.paper.languages import OFFICIAL
from addhash.paper.steps import MAIN_N, by_n
from addhash.paper.synthetic import SIZES as SYNTHETIC_SIZES

__all__ = ["Claim", "Verdict", "claims_of"]

Results = dict[str, Any]
Verdict = Literal["agrees", "differs", "undecided", "on other data", "not run"]

# Figures of the paper.
MATRIX = [
    [1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
    [0, 1, 1, 1, 1, 1, 1, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 0, 1, 1, 1],
]
TRICK_SIMILARITIES = [0.7302967433402215, 0.0, 0.0]
ADDITIVE_SIMILARITIES = [0.7778061881946695, -0.1737020834449128, -0.25833561143518957]
LANGUAGES_ACCURACY = 92.16
NETWORK_ACCURACY = 88.30
SMS = {"acc": 97.41, "sc": 87.5, "bh": 1.05}
SMS_ROUNDING = {"acc": 0.005, "sc": 0.05, "bh": 0.005}
SVM = {"acc": 97.64, "sc": 83.1, "bh": 0.18}

SAME_NUMBER = 1e-12
# Two means of as many halves each differ by this many standard errors of one in 1 of 20 cases.
ERRORS = 2 * 2**0.5
FULL_COMMAND = "addhash reproduce languages --out DIR"


@dataclass(frozen=True)
class Claim:
    """A statement of the paper beside our figures; all texts are plain.

    `where` is the place in the paper, `experiment` the one that tests it, `statement` the claim in
    short, `paper` the paper's figure, `ours` our figure with its spread, `data` what our figure
    stands for, and `why` the rule or the reason behind the verdict.
    """

    experiment: str
    where: str
    statement: str
    paper: str
    ours: str
    data: str
    verdict: Verdict
    why: str


def claims_of(results: Results) -> list[Claim]:
    """Return the claims that some results speak to, in the order of the paper.

    Parameters
    ----------
    results : dict
        What `reproduce` returns, of whichever experiments.
    """
    parts: dict[str, Callable[[Results], Iterator[Claim]]] = {
        "example": _example,
        "synthetic": _synthetic,
        "languages": _languages,
        "sms": _sms,
    }
    return [
        claim for name, part in parts.items() if name in results for claim in part(results[name])
    ]


def _verdict(is_so: bool) -> Verdict:
    return "agrees" if is_so else "differs"


def _shown(mean: float, error: float | None, digits: int = 2) -> str:
    return f"{mean:.{digits}f}" + ("" if error is None else f" ± {error:.{digits}f}")


def _are_equal(found: list[float], expected: list[float]) -> bool:
    return all(abs(a - b) <= SAME_NUMBER for a, b in zip(found, expected, strict=True))


def _listed(numbers: list[float]) -> str:
    return ", ".join(f"{number:.4f}" for number in numbers)


def _example(found: Results) -> Iterator[Claim]:
    data = "the paper's three documents"
    yield Claim(
        "example", "Section 2, equation (1)",
        "Ten words make the vocabulary, and the documents make the matrix.",
        "a matrix of 3 by 10",
        "the same" if found["matrix"] == MATRIX else "another", data,
        _verdict(found["matrix"] == MATRIX), "Compared number by number.",
    )  # fmt: skip
    for name, title, where, expected in (
        ("ht", "the hashing trick", "Section 2", TRICK_SIMILARITIES),
        ("ah", "additive hashing", "Section 3", ADDITIVE_SIMILARITIES),
    ):
        yield Claim(
            "example", where,
            f"Similarities of the three documents by {title}, L = 32.",
            _listed(expected), _listed(found[name]), data,
            _verdict(_are_equal(found[name], expected)),
            "Agrees if equal within 1e-12.",
        )  # fmt: skip
    equal = {name: part["is_equal"] for name, part in found["algorithms"].items()}
    yield Claim(
        "example", "Algorithms 1 and 2, program of Section 3",
        "The algorithms, followed word by word, give the library's vectors.",
        "pseudo-code and a program",
        "the same vectors" if all(equal.values()) else "other vectors", data,
        _verdict(all(equal.values())), "Compared number by number, before scaling.",
    )  # fmt: skip
    yield Claim(
        "example", "Section 3, equation (6)",
        "A changed word changes the hash by the difference of two hashes.",
        "the same hash as from scratch",
        "the same" if found["incremental"]["is_equal"] else "another", data,
        _verdict(found["incremental"]["is_equal"]), "Compared bit by bit.",
    )  # fmt: skip
    yield _orthogonal(found["orthogonality"])


def _orthogonal(found: Results) -> Claim:
    def holds(part: Results) -> bool:
        noise = part["expected_std"] / part["pairs"] ** 0.5
        is_centred = abs(part["mean"]) < 4 * noise
        return bool(is_centred and abs(part["std"] / part["expected_std"] - 1) < 0.02)

    largest = max(found, key=int)
    part = found[largest]
    return Claim(
        "example", "Section 3, equation (14)",
        "Vectors of different tokens are almost orthogonal: mean 0, deviation 1/√L.",
        f"0 and {part['expected_std']:.5f} for L = {largest}",
        f"{part['mean']:.5f} and {part['std']:.5f}",
        f"{part['pairs']:,} pairs of tokens for each L of {', '.join(found)}",
        _verdict(all(holds(part) for part in found.values())),
        "Agrees if the mean is within 4 standard errors and the deviation within 2 %, at every L.",
    )  # fmt: skip


def _synthetic(found: Results) -> Iterator[Claim]:
    if "ah" in found:
        data = f"{found['repeats']} random strings of {found['length']} letters for each p"
        size = str(max(SYNTHETIC_SIZES))
        (_, start, _), (_, end, spread) = found["ah"][size][0], found["ah"][size][-1]
        error = spread / found["repeats"] ** 0.5
        yield Claim(
            "synthetic", "Section 4.1",
            "The similarity falls from 1 at p = 0 to 0 at p = 1 (n = 3).",
            "1 and 0", f"{start:.3f} and {_shown(end, error, 3)} (AH, L = {size})", data,
            _verdict(abs(start - 1) < SAME_NUMBER and abs(end) <= 3 * error),
            "Agrees if 1 exactly, and 0 within 3 standard errors.",
        )  # fmt: skip
        yield _equivalent("Figure 1", "AH and HT are equivalent for n = 3.", {MAIN_N: found}, data)
        if "ngrams" in found:
            statement = "AH and HT are equivalent for all n."
            yield _equivalent("Section 4.1", statement, by_n(found), data)


def _equivalent(where: str, statement: str, parts: dict[int, Results], data: str) -> Claim:
    """Test whether the means of AH and HT differ by less than the noise of one similarity."""
    places = {
        f"n = {n}, L = {size}": (difference["farthest"] * int(size) ** 0.5, difference)
        for n, part in parts.items()
        for size, difference in part["difference"].items()
    }
    outside = [place for place, (share, _) in places.items() if share > 1]
    at, (_, difference) = max(places.items(), key=lambda item: float(item[1][0]))
    low, high = difference["interval"]
    why = (
        "Equivalent if the interval, which holds for all p and L of one n at once with 95 %, stays"
        " within ±1/√L, the noise of one similarity. "
    )
    why += f"It does not for {'; '.join(outside)}." if outside else "It does everywhere."
    if any(place.startswith("n = 1,") for place in outside):
        why += (
            " With n = 1 all strings share the same few tokens, so that the error of a hash is the"
            " same in all of them and does not average out."
        )
    verdict: Verdict = "agrees"
    if outside:
        verdict = "undecided" if low < 0 < high else "differs"
    return Claim(
        "synthetic", where, statement, "no difference to be seen",
        f"largest difference of the means {difference['largest']:+.3f} ({low:+.3f} to {high:+.3f})"
        f" at {at}, p = {difference['p']:g}", data, verdict, why,
    )  # fmt: skip


DATA = {
    "full": "WiLI-2018 in full, official split",
    "subset-21": "subset-21: 21 languages, official split, 500 + 500 paragraphs each",
    "head-235": "head-235: 235 languages, 50 paragraphs each on average, random fifths asked",
}


def _languages(found: Results) -> Iterator[Claim]:
    sets = {name: found[name] for name in DATA if "ah" in found.get(name, {})}
    yield from _accuracy(found)
    for name, part in sets.items():
        yield _indistinguishable(name, part)
    for name, part in sets.items():
        if "ngrams" in part:
            yield _best_n(name, part)
    for name, part in sets.items():
        yield _plateau(name, part)
    for name, part in sets.items():
        if "network" in part:
            yield _against_network(name, part)


def _accuracy(found: Results) -> Iterator[Claim]:
    where = "Section 4.2, Figure 2"
    statement = "The accuracy of language recognition, n = 3, L ≥ 2048."
    paper = f"{LANGUAGES_ACCURACY} %"
    if "ah" in found.get("full", {}):
        part = found["full"]["ah"]["2048"]
        off = abs(part["accuracy"] - LANGUAGES_ACCURACY)
        yield Claim(
            "languages", where, statement, paper, f"{_shown(part['accuracy'], part['se'])} %",
            DATA["full"], _verdict(off <= ERRORS * part["se"]),
            "Agrees if within the spread of two test sets of this size.",
        )  # fmt: skip
    else:
        yield Claim(
            "languages", where, statement, paper, "not run", DATA["full"], "not run",
            f"{found.get('full', {}).get('not_run', 'Left out of a quick run.')} This runs it:"
            f" {FULL_COMMAND}",
        )  # fmt: skip
    head, subset = (found.get(name, {}).get("curve", {}) for name in ("head-235", "subset-21"))
    if head and subset:
        end, check = head["ah"]["at_500"], subset["ah"]
        yield Claim(
            "languages", where, statement, paper,
            f"{_shown(end['accuracy'], end['se'])} % (AH, extrapolated to {OFFICIAL})",
            f"head-235: the learning curve over 5 to 40 paragraphs a language, extrapolated to the"
            f" {OFFICIAL} of the full set by a power law",
            "on other data",
            f"Where it can be checked, on subset-21, the same extrapolation says"
            f" {_shown(check['at_500']['accuracy'], check['at_500']['se'])} % and"
            f" {check['measured']:.2f} % is measured.",
        )  # fmt: skip
    for name in ("subset-21", "head-235"):
        if "ah" in found.get(name, {}):
            shown = ", ".join(
                f"{_shown(part['2048']['accuracy'], part['2048']['se'])} % ({label})"
                for label, part in (("AH", found[name]["ah"]), ("HT", found[name]["ht"]))
            )
            yield Claim(
                "languages", where, statement, paper, shown, DATA[name], "on other data",
                "Another number of languages or of paragraphs: not to be compared directly.",
            )  # fmt: skip


def _indistinguishable(name: str, part: Results) -> Claim:
    differences = [part["difference"][size] for size in ("2048", "4096")]
    shown = ", ".join(
        f"{one['accuracy']:+.2f} ± {one['se']:.2f} (L = {size})"
        for one, size in zip(differences, (2048, 4096), strict=True)
    )
    return Claim(
        "languages", "Section 4.2, Figure 2", "AH and HT are almost indistinguishable.",
        "no difference to be seen", f"AH minus HT: {shown}", DATA[name],
        _verdict(all(abs(one["accuracy"]) <= 0.5 for one in differences)),
        "Agrees if within half a percentage point.",
    )  # fmt: skip


def _best_n(name: str, part: Results) -> Claim:
    found = {n: one["ah"] for n, one in by_n(part).items()}

    def best(size: str) -> int:
        return max(found, key=lambda n: float(found[n][size]["accuracy"]))

    shown = "; ".join(
        f"L = {size}: " + ", ".join(f"n = {n}: {found[n][size]['accuracy']:.2f}" for n in found)
        for size in ("2048", "4096")
    )
    return Claim(
        "languages", "Section 4.2", "The best results are those of n = 3, at L = 2048 and 4096.",
        "n = 3", shown, DATA[name], _verdict(best("2048") == best("4096") == MAIN_N),
        f"The best n is {best('2048')} at L = 2048 and {best('4096')} at L = 4096 (AH).",
    )  # fmt: skip


def _plateau(name: str, part: Results) -> Claim:
    low, high = part["ah"]["2048"], part["ah"]["4096"]
    gain = high["accuracy"] - low["accuracy"]
    return Claim(
        "languages", "Section 4.2", "L = 4096 is no better than L = 2048.",
        f"{LANGUAGES_ACCURACY} % for both", f"{gain:+.2f} points (AH)", DATA[name],
        _verdict(gain <= 0.5), "Agrees if within half a percentage point.",
    )  # fmt: skip


def _against_network(name: str, part: Results) -> Claim:
    network, ours = part["network"], part["ah"]["4096"]
    return Claim(
        "languages", "Section 4.2", "Better than the neural network of reference [11].",
        f"{LANGUAGES_ACCURACY} against {NETWORK_ACCURACY:.2f} %",
        f"{_shown(ours['accuracy'], ours['se'])} % (AH, L = 4096) against"
        f" {_shown(network['accuracy'], network['se'])} %", DATA[name],
        _verdict(ours["accuracy"] > network["accuracy"]),
        f"The network trained here on the same paragraphs: {network['features']:,} tf-idf weights,"
        f" {network['epochs']} epochs, Adam's rate {network['rate']:g}.",
    )  # fmt: skip


def _sms(found: Results) -> Iterator[Claim]:
    if "ah" in found:
        data = f"all {found['messages']:,} messages, {found['repeats']} random halves"
        for method in ("ah", "ht"):
            for size in ("4096", "8192"):
                yield _spam(method, size, found, data)
        difference = found["difference"]["4096"]
        yield Claim(
            "sms", "Figure 3", "AH and HT achieve the same (L = 4096).", "no difference",
            f"AH minus HT: {_measures(difference, '+')}", data,
            _verdict(abs(difference["acc"]) <= 0.5),
            "Agrees if the accuracy is within half a percentage point.",
        )  # fmt: skip
    if "reference" in found:
        yield from _spam_reference(found["reference"])


def _measures(part: Results, sign: str = "") -> str:
    errors = part.get("se", {})
    return ", ".join(
        f"{name.upper()} {part[name]:{sign}.2f}"
        + (f" ± {errors[name]:.2f}" if name in errors else "")
        for name in ("acc", "sc", "bh")
    )


def _spam(method: str, size: str, found: Results, data: str) -> Claim:
    part = found[method][size]
    far = [
        name
        for name, expected in SMS.items()
        if abs(part[name] - expected) > SMS_ROUNDING[name] + ERRORS * part["se"][name]
    ]
    why = "Within the paper's rounding and the spread of two such means."
    if far:
        why = " ".join(
            f"{name.upper()} is off by {part[name] - SMS[name]:+.2f}, more than rounding and the"
            " spread of two such means."
            for name in far
        )
    unique = found.get("unique", {}).get(method, {}).get(size)
    if unique:
        why += f" Without duplicate messages: {_measures(unique)}."
    return Claim(
        "sms", "Section 4.3, Figure 3",
        f"Spam by {method.upper()} with L = {size}, nearest neighbour.",
        _measures(SMS), _measures(part), data, _verdict(not far), why,
    )  # fmt: skip


def _spam_reference(found: Results) -> Iterator[Claim]:
    svm, ours = found["svm"], found["ah"]
    yield Claim(
        "sms", "Section 4.3", "The support vector machine of reference [12].", _measures(SVM),
        _measures(svm["first"]), "the first 30 % of the messages known, 70 % asked",
        _verdict(abs(svm["first"]["acc"] - SVM["acc"]) <= 0.5),
        "A linear machine on tokens, rebuilt; agrees if the accuracy is within half a point.",
    )  # fmt: skip
    behind = svm["random"]["acc"] - ours["random"]["acc"]
    yield Claim(
        "sms", "Section 4.3", "Without learning, very close to the best trained classifier.",
        f"{_measures(SMS)} against {_measures(SVM)}",
        f"{_measures(ours['random'])} against {_measures(svm['random'])}",
        "random 30 % of the messages known to both, 70 % asked", _verdict(behind <= 1),
        f"{behind:.2f} points of accuracy behind; agrees if at most one. The paper lets the nearest"
        " neighbour know half of the messages and the machine 30 %; here both know the same.",
    )  # fmt: skip
