"""Which threshold tells those that are the same from others."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.arrays import Floats
from addhash.errors import ParameterError
from addhash.frames import Rows

Truths = npt.NDArray[np.bool_]

STEP = 0.01
# How far the counts of pairs are smoothed, and how far a gap must be lowest to count as one.
SMOOTHING, REACH = 0.02, 0.1
# More pairs for each text than this are not all the same.
MANY_PAIRS = 3


class ThresholdRow(NamedTuple):
    """What a threshold gives; precision, recall and f1 are None without known pairs."""

    threshold: float
    pairs: int
    precision: float | None
    recall: float | None
    f1: float | None


class ThresholdRows(Rows[ThresholdRow]):
    """What each threshold gives."""

    columns = ThresholdRow._fields


@dataclass(frozen=True, eq=False)
class Tuning:
    """A proposed threshold, and what others would give.

    Attributes
    ----------
    threshold : float
        The one with the best F1 on known pairs; without them, in the gap between the many pairs
        that are different and those that are the same.
    confidence : float
        From 0 to 1. With known pairs, the best F1; without, how deep the gap is: 1 if no pair is
        in it, 0 if there is none.
    rows : ThresholdRows
        For each threshold the number of pairs and, with known pairs, precision, recall and F1.
    fields : dict of str to Field
        Of records, the fields with the proposed weights: `rows` are about these. They are those of
        the search if none are known to be better.
    """

    threshold: float
    confidence: float
    rows: ThresholdRows
    fields: Mapping[str, Any] = field(default_factory=dict)


def known_among(
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    known: Iterable[tuple[int, int]],
    limits: tuple[int, int],
    is_within: bool,
) -> tuple[Truths, int]:
    """Return which pairs are known to be the same, and how many are known in all."""
    pairs = {(int(a), int(b)) for a, b in known}
    if not pairs:
        raise ParameterError.of(
            "tune", "known", "must have at least one pair. Leave it out if none is known."
        )
    for pair in pairs:
        if not all(0 <= number < limit for number, limit in zip(pair, limits, strict=True)):
            raise ParameterError.of(
                "tune",
                "known",
                f"must name texts by numbers below {limits[0]:,} and {limits[1]:,}. Got {pair}"
                " instead.",
            )
    if is_within:
        pairs = {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}
    truths = (pair in pairs for pair in zip(left.tolist(), right.tolist(), strict=True))
    return np.fromiter(truths, bool, len(left)), len(pairs)


def tuned(
    lowest: float, values: Floats, n_texts: int, known: tuple[Truths, int] | None = None
) -> Tuning:
    """Propose a threshold for pairs of these similarities, from what `known_among` returned."""
    levels = np.round(np.append(np.arange(lowest, 1 - STEP / 2, STEP), 1.0), 6)
    counts = len(values) - np.searchsorted(np.sort(values), levels - 1e-9)
    rows: list[ThresholdRow] = []
    if known is None:
        threshold, confidence = _gap(levels, values, n_texts)
        for level, count in zip(levels.tolist(), counts.tolist(), strict=True):
            rows.append(ThresholdRow(level, count, None, None, None))
        return Tuning(threshold, confidence, ThresholdRows(rows))
    truths, n_known = known
    right = np.sort(values[truths])
    hits = len(right) - np.searchsorted(right, levels - 1e-9)
    for level, count, hit in zip(levels.tolist(), counts.tolist(), hits.tolist(), strict=True):
        precision = hit / count if count else 1.0
        f1 = 2 * hit / (count + n_known)
        rows.append(ThresholdRow(level, count, precision, hit / n_known, f1))
    best = max(row.f1 or 0.0 for row in rows)
    equal = [row.threshold for row in rows if row.f1 == best]
    return Tuning(equal[len(equal) // 2], best, ThresholdRows(rows))


def _gap(levels: Floats, values: Floats, n_texts: int) -> tuple[float, float]:
    """Return the first gap in the similarities, from below, and how deep it is."""
    if len(values) == 0:
        return float(levels[len(levels) // 2]), 0.0
    counts, _ = np.histogram(values, np.append(levels, levels[-1] + STEP))
    width = round(SMOOTHING / STEP)
    kernel = np.ones(2 * width + 1) / (2 * width + 1)
    smooth = np.convolve(np.pad(counts.astype(float), width, "edge"), kernel, "valid")
    reach = round(REACH / STEP)
    ahead = [smooth[i + 1 : i + 1 + reach].min(initial=np.inf) for i in range(len(smooth))]
    # With that many pairs most are different ones: the gap is above where they are.
    start = int(smooth.argmax()) if len(values) > MANY_PAIRS * n_texts else 0
    places = np.flatnonzero(smooth <= np.array(ahead))
    first = int(places[places >= start][0])
    last = first  # a gap may be flat: take its middle
    while last + 1 < len(smooth) and smooth[last + 1] <= smooth[first]:
        last += 1
    middle = (first + last) // 2
    above, below = smooth[middle:].max(), smooth[: middle + 1].max()
    side = min(above, below) if first else above
    depth = 1 - smooth[middle] / side if side > 0 else 0.0
    return float(levels[middle]), float(max(0.0, depth))
