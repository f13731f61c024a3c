"""The claims of Section 4.1: random strings and altered copies of them."""

from collections.abc import Iterator

from addhash.paper.experiments.ngrams import MAIN_N, by_n
from addhash.paper.report.numbers import number, with_error
from addhash.paper.report.verdicts import Claim, Results, Verdict, verdict_of

METHODS = ("ah", "ht")
SAME_NUMBER = 1e-12


def synthetic_claims(found: Results) -> Iterator[Claim]:
    """Compare the results on random strings with the paper."""
    if "ah" not in found:
        return
    data = f"{found['repeats']} random strings of {found['length']} letters for each p"
    yield _falling(found, data)
    yield _equivalent("Figure 1", "AH and HT are equivalent for n = 3.", {MAIN_N: found}, data)
    if "ngrams" in found:
        yield _equivalent("Section 4.1", "AH and HT are equivalent for all n.", by_n(found), data)


def _falling(found: Results, data: str) -> Claim:
    sizes = sorted(found["ah"], key=int)
    curves = {(method, size): found[method][size] for method in METHODS for size in sizes}
    errors = {key: curve[-1][2] / found["repeats"] ** 0.5 for key, curve in curves.items()}
    worst = max(curves, key=lambda key: float(abs(curves[key][-1][1]) / (errors[key] or 1)))
    (_, start, _), (_, end, _) = curves[worst][0], curves[worst][-1]
    return Claim(
        "synthetic", "Section 4.1",
        "The similarity falls from 1 at p = 0 to 0 at p = 1 (n = 3).",
        "1 and 0",
        f"{number(start, 3)} and {with_error(end, errors[worst], 3)} ({worst[0].upper()}, L ="
        f" {worst[1]}, the farthest from 0)",
        data,
        verdict_of(
            all(
                abs(curve[0][1] - 1) < SAME_NUMBER and abs(curve[-1][1]) <= 3 * errors[key]
                for key, curve in curves.items()
            )
        ),
        f"Judged for AH and HT at every L from {sizes[0]} to {sizes[-1]}: agrees if exactly 1, and"
        " 0 within 3 standard errors.",
    )  # fmt: skip


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
    sizes = sorted(map(int, next(iter(parts.values()))["difference"]))
    why = (
        f"Judged for every p at every L from {sizes[0]} to {sizes[-1]}"
        f"{f' and every n from {min(parts)} to {max(parts)}' if len(parts) > 1 else ''}: agrees if"
        " the intervals, which hold jointly with 95 % confidence for each n, stay within ±1/√L, the"
        " noise of a single similarity."
    )
    why += f" They do not at {'; '.join(outside)}." if outside else " They do everywhere."
    if any(place.startswith("n = 1,") for place in outside):
        why += (
            " With n = 1 all strings share the same few tokens, so hashing errors are correlated"
            " across strings and do not average out."
        )
    verdict: Verdict = "agrees"
    if outside:
        verdict = "undecided" if low < 0 < high else "differs"
    return Claim(
        "synthetic", where, statement, "no visible difference",
        f"largest difference of means {number(difference['largest'], 3, '+')}"
        f" ({number(low, 3, '+')} to {number(high, 3, '+')}) at {at}, p = {difference['p']:g}",
        data, verdict, why,
    )  # fmt: skip
