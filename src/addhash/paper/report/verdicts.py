"""A claim of the paper with its verdict, and the rules that several verdicts share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from addhash.paper.report.numbers import in_words, with_error

Results = dict[str, Any]
Verdict = Literal["agrees", "differs", "undecided", "on other data", "not run"]

# Two means of equally many values differ by more than this many standard errors of either in 1 of
# 20 cases.
SPREAD = 2 * 2**0.5
# Accuracies this close, in percentage points, count as the same.
SAME_ACCURACY = 0.5


@dataclass(frozen=True)
class Claim:
    """A statement of the paper beside our result; all texts are plain.

    `where` is the place in the paper, `experiment` the one that tests it, `statement` the claim in
    brief, `paper` the paper's figure, `ours` our figure with its standard error, `data` what our
    figure was measured on, and `why` the rule or the reason behind the verdict, with the range that
    it was judged on.
    """

    experiment: str
    where: str
    statement: str
    paper: str
    ours: str
    data: str
    verdict: Verdict
    why: str


def verdict_of(is_so: bool) -> Verdict:
    """Return the verdict on a claim that can be decided."""
    return "agrees" if is_so else "differs"


def judged_alike(
    differences: Mapping[str, tuple[float, float | None]], named: Sequence[str]
) -> tuple[str, Verdict, str]:
    """Judge whether AH and HT are equally accurate at every L.

    Parameters
    ----------
    differences : mapping of str to (float, float or None)
        For each L, the accuracy of AH minus that of HT in percentage points, and its error.
    named : sequence of str
        The L that the paper names, whose differences are always shown.

    Returns
    -------
    ours, verdict, why
        As in a `Claim`.

    Examples
    --------
    >>> ours, verdict, why = judged_alike({"16": (-3.0, 0.5), "32": (0.1, None)}, ["32"])
    >>> print(ours)
    AH minus HT: −3.00 ± 0.50 at L = 16 (the largest), +0.10 at L = 32
    >>> print(verdict, why, sep=": ")
    differs: Judged at every L from 16 to 32: agrees if the accuracies are within 0.5 points at each
    L. They are not at L = 16.
    """
    sizes = sorted(differences, key=int)
    apart = [size for size in sizes if abs(differences[size][0]) > SAME_ACCURACY]
    largest = max(sizes, key=lambda size: abs(differences[size][0]))
    shown = [
        f"{with_error(*differences[size], sign='+')} at L = {size}"
        + (" (the largest)" if size == largest else "")
        for size in dict.fromkeys([largest, *named])
    ]
    return (
        f"AH minus HT: {', '.join(shown)}",
        verdict_of(not apart),
        f"Judged at every L from {sizes[0]} to {sizes[-1]}: agrees if the accuracies are within"
        f" {SAME_ACCURACY} points at each L. They are"
        f" {f'not at L = {in_words(apart)}' if apart else 'at all of them'}.",
    )
