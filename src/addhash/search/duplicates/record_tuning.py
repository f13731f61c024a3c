"""Which threshold tells similar records from others."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.errors import ParameterError
from addhash.frames import Rows
from addhash.search.duplicates.finding import find_duplicates
from addhash.search.duplicates.records import RecordDuplicates

__all__ = ["RecordTuning", "ThresholdRow", "ThresholdRows", "tune_records"]

STEP = 0.01
# How far the counts of pairs are smoothed, and how far a gap must be lowest to count as one.
SMOOTHING, REACH = 0.02, 0.1


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
class RecordTuning:
    """A proposed threshold, and what others would give.

    Attributes
    ----------
    threshold : float
        The one with the best F1 on known pairs; without them, in the gap between the many pairs
        of records that are different and those of records that are the same.
    confidence : float
        From 0 to 1. With known pairs, the best F1; without, how deep the gap is: 1 if no pair is
        in it, 0 if there is none.
    rows : ThresholdRows
        For each threshold the number of pairs and, with known pairs, precision, recall and F1.
    found : RecordDuplicates
        All pairs, at the lowest threshold; `found.at(threshold)` gives those at another.
    """

    threshold: float
    confidence: float
    rows: ThresholdRows
    found: RecordDuplicates


def tune_records(
    records: Any,
    *,
    fields: Any,
    known: Iterable[tuple[int, int]] | None = None,
    against: Any = None,
    lowest: float = 0.4,
    least_weight: float = 0.5,
    n_jobs: int | None = None,
) -> RecordTuning:
    """Propose a threshold for `find_duplicates` of records.

    Parameters
    ----------
    records : table or dicts
        As in `find_duplicates`.
    fields : dict or list of str
        As in `find_duplicates`.
    known : iterable of (int, int), optional
        Pairs of records that are the same, by their numbers; all others are taken to be different.
        With `against`, the second is one there.
    against : table or dicts, optional
        As in `find_duplicates`.
    lowest : float, default=0.4
        The lowest threshold to try.
    least_weight : float, default=0.5
        As in `find_duplicates`.
    n_jobs : int or None, default=None

    Returns
    -------
    tuning : RecordTuning

    Examples
    --------
    >>> from addhash import tune_records
    >>> people = [{"name": "Ann Lee"}, {"name": "Anne Lee"}, {"name": "Bo Ek"}, {"name": "Bo Elm"}]
    >>> tuning = tune_records(people, fields=["name"], known=[(0, 1)], lowest=0.3)
    >>> tuning.threshold, tuning.confidence
    (0.61, 1.0)
    """
    found = find_duplicates(
        records,
        fields=fields,
        threshold=lowest,
        against=against,
        least_weight=least_weight,
        n_jobs=n_jobs,
    )
    assert isinstance(found, RecordDuplicates)
    levels = np.round(np.arange(lowest, 1 + STEP / 2, STEP), 6)
    left, right, values = found.pairs
    counts = len(values) - np.searchsorted(np.sort(values), levels - 1e-9)
    if known is None:
        threshold, confidence = _gap(levels, values)
        rows = [
            ThresholdRow(level, count, None, None, None)
            for level, count in zip(levels.tolist(), counts.tolist(), strict=True)
        ]
        return RecordTuning(threshold, confidence, ThresholdRows(rows), found)
    truth = _known_pairs(known, against is None)
    is_true = np.fromiter(
        (pair in truth for pair in zip(left.tolist(), right.tolist(), strict=True)),
        bool,
        len(values),
    )
    right_values = np.sort(values[is_true])
    hits = len(right_values) - np.searchsorted(right_values, levels - 1e-9)
    rows = []
    for level, count, hit in zip(levels.tolist(), counts.tolist(), hits.tolist(), strict=True):
        precision = hit / count if count else 1.0
        recall = hit / len(truth)
        f1 = 2 * hit / (count + len(truth))
        rows.append(ThresholdRow(level, count, precision, recall, f1))
    best = max(row.f1 or 0.0 for row in rows)
    equal = [row.threshold for row in rows if row.f1 == best]
    return RecordTuning(equal[len(equal) // 2], best, ThresholdRows(rows), found)


def _known_pairs(known: Iterable[tuple[int, int]], is_within: bool) -> set[tuple[int, int]]:
    pairs = {(int(a), int(b)) for a, b in known}
    if is_within:
        pairs = {(min(pair), max(pair)) for pair in pairs}
    if not pairs:
        raise ParameterError.of(
            "tune_records", "known", "must have at least one pair. Leave it out if none is known."
        )
    return pairs


def _gap(levels: npt.NDArray[np.float64], values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return the first gap in the similarities, from below, and how deep it is."""
    if len(values) == 0:
        return float(levels[len(levels) // 2]), 0.0
    counts, _ = np.histogram(values, np.append(levels, levels[-1] + STEP))
    width = round(SMOOTHING / STEP)
    kernel = np.ones(2 * width + 1) / (2 * width + 1)
    smooth = np.convolve(np.pad(counts.astype(float), width, "edge"), kernel, "valid")
    reach = round(REACH / STEP)
    ahead = [smooth[i + 1 : i + 1 + reach].min(initial=np.inf) for i in range(len(smooth))]
    places = np.flatnonzero(smooth <= np.array(ahead))
    first = int(places[0])
    last = first  # a gap may be flat: take its middle
    while last + 1 < len(smooth) and smooth[last + 1] <= smooth[first]:
        last += 1
    middle = (first + last) // 2
    above, below = smooth[middle:].max(), smooth[: middle + 1].max()
    side = min(above, below) if first else above
    depth = 1 - smooth[middle] / side if side > 0 else 0.0
    return float(levels[middle]), float(max(0.0, depth))
