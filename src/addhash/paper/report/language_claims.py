"""The claims of Section 4.2: language recognition."""

from collections.abc import Iterator
from math import hypot

from addhash.paper.experiments.languages import CURVE, OFFICIAL
from addhash.paper.experiments.ngrams import MAIN_N, by_n
from addhash.paper.report.numbers import in_words, number, with_error
from addhash.paper.report.stated import LANGUAGES_ACCURACY, LARGE_SIZES, NETWORK_ACCURACY
from addhash.paper.report.verdicts import (
    SAME_ACCURACY,
    SPREAD,
    Claim,
    Results,
    Verdict,
    judged_alike,
    verdict_of,
)

DATA = {
    "full": "WiLI-2018 in full, official split",
    "subset-21": "subset-21: 21 languages, official split, 500 + 500 paragraphs each",
    "head-235": "head-235: 235 languages, 50 paragraphs each on average, random fifths tested",
}
FIGURE = "Section 4.2, Figure 2"


def language_claims(found: Results) -> Iterator[Claim]:
    """Compare the results of language recognition with the paper."""
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
    statement = "The accuracy of language recognition, n = 3, L ≥ 2048."
    paper = f"{LANGUAGES_ACCURACY} %"
    if "ah" in found.get("full", {}):
        part = found["full"]["ah"]["2048"]
        off = abs(part["accuracy"] - LANGUAGES_ACCURACY)
        yield Claim(
            "languages", FIGURE, statement, paper,
            f"{with_error(part['accuracy'], part['se'])} % (AH, L = 2048)",
            DATA["full"], verdict_of(off <= SPREAD * part["se"]),
            "Judged for AH at L = 2048: agrees if within the spread of two test sets of this size.",
        )  # fmt: skip
    else:
        yield Claim(
            "languages", FIGURE, statement, paper, "not run", DATA["full"], "not run",
            _why_not(found),
        )  # fmt: skip
    head, subset = (found.get(name, {}).get("curve", {}) for name in ("head-235", "subset-21"))
    if head and subset:
        end, check = head["ah"]["at_500"], subset["ah"]
        yield Claim(
            "languages", FIGURE, statement, paper,
            f"{with_error(end['accuracy'], end['se'])} % (AH, L = 2048, extrapolated)",
            f"head-235: the learning curve from {CURVE[0]} to {CURVE[-1]} paragraphs per language,"
            f" extrapolated to the {OFFICIAL} of the full set by a power law",
            "on other data",
            f"Where it can be checked, on subset-21, the same extrapolation predicts"
            f" {with_error(check['at_500']['accuracy'], check['at_500']['se'])} %, and"
            f" {check['measured']:.2f} % is measured.",
        )  # fmt: skip
    for name in ("subset-21", "head-235"):
        if "ah" in found.get(name, {}):
            shown = ", ".join(
                f"{with_error(part['2048']['accuracy'], part['2048']['se'])} % ({label})"
                for label, part in (("AH", found[name]["ah"]), ("HT", found[name]["ht"]))
            )
            yield Claim(
                "languages", FIGURE, statement, paper, f"{shown}, L = 2048", DATA[name],
                "on other data",
                "A different number of languages or paragraphs: not directly comparable.",
            )  # fmt: skip


def _why_not(found: Results) -> str:
    """Return why the full data set was not run."""
    why = found.get("not_run") or "Quick runs leave the full data set out."
    return str(found.get("full", {}).get("not_run", why))


def _indistinguishable(name: str, part: Results) -> Claim:
    ours, verdict, why = judged_alike(
        {size: (one["accuracy"], one["se"]) for size, one in part["difference"].items()},
        LARGE_SIZES,
    )
    return Claim(
        "languages", FIGURE, "AH and HT are almost indistinguishable, at every L.",
        "no visible difference", ours, DATA[name], verdict, why,
    )  # fmt: skip


def _best_n(name: str, part: Results) -> Claim:
    found = {n: one["ah"] for n, one in by_n(part).items()}
    best = {
        size: max(found, key=lambda n: float(found[n][size]["accuracy"])) for size in LARGE_SIZES
    }
    shown = "; ".join(
        f"L = {size}: " + ", ".join(f"{found[n][size]['accuracy']:.2f} (n = {n})" for n in found)
        for size in LARGE_SIZES
    )
    return Claim(
        "languages", "Section 4.2", "n = 3 gives the best results, at L = 2048 and 4096.",
        "n = 3", shown, DATA[name], verdict_of(set(best.values()) == {MAIN_N}),
        "Judged for AH: the best n is "
        + in_words([f"{n} at L = {size}" for size, n in best.items()])
        + ".",
    )  # fmt: skip


def _plateau(name: str, part: Results) -> Claim:
    low, high = (part["ah"][size]["accuracy"] for size in LARGE_SIZES)
    return Claim(
        "languages", "Section 4.2", "L = 4096 is no better than L = 2048.",
        f"{LANGUAGES_ACCURACY} % for both", f"{number(high - low, sign='+')} points (AH)",
        DATA[name], verdict_of(high - low <= SAME_ACCURACY),
        f"Judged for AH: agrees if the gain is at most {SAME_ACCURACY} points.",
    )  # fmt: skip


def _against_network(name: str, part: Results) -> Claim:
    network = part["network"]
    ours = {
        f"{method.upper()}, L = {size}": part[method][size]
        for method in ("ah", "ht")
        for size in LARGE_SIZES
    }
    behind = {
        place: (network["accuracy"] - one["accuracy"], hypot(one["se"] or 0, network["se"] or 0))
        for place, one in ours.items()
        if one["accuracy"] <= network["accuracy"]
    }
    verdict: Verdict = "agrees"
    why = "Judged for AH and HT at L = 2048 and 4096"
    if behind:
        is_noise = all(by <= 2 * error for by, error in behind.values())
        verdict = "undecided" if is_noise else "differs"
        listed = "; ".join(f"{place}, by {number(by)} points" for place, (by, _) in behind.items())
        why += f": the network is ahead of {listed}"
        why += ", within 2 standard errors." if is_noise else "."
    else:
        why += ": all are ahead of the network."
    lowest = min(ours, key=lambda place: float(ours[place]["accuracy"]))
    return Claim(
        "languages", "Section 4.2",
        "AH and HT are better than the neural network of reference [11], at L ≥ 2048.",
        f"{LANGUAGES_ACCURACY} % against {NETWORK_ACCURACY:.2f} %",
        f"{with_error(ours[lowest]['accuracy'], ours[lowest]['se'])} % ({lowest}, the lowest)"
        f" against {with_error(network['accuracy'], network['se'])} %",
        DATA[name], verdict,
        f"{why} The network was trained here on the same paragraphs: {network['features']:,} tf-idf"
        f" features, {network['epochs']} epochs, Adam with learning rate {network['rate']:g}.",
    )  # fmt: skip
