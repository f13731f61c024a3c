"""What a text classifier answers: a label, how sure it is, and what it is like."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.encoded_rows import EncodedRows

__all__ = ["Neighbor", "Prediction", "rivals"]

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FIRST_LOOK = 16


class Neighbor(NamedTuple):
    """A training example near to a text; its own text if texts are kept."""

    label: Any
    score: float
    text: str | None


class Prediction(NamedTuple):
    """The answer for one text.

    `label` is None if the score is below the threshold; `margin` is the score's lead over the
    best of another class, `runner_up`, and both are None if there is no other class.
    """

    label: Any
    score: float
    margin: float | None
    runner_up: Any
    nearest: tuple[Neighbor, ...]


def rivals(
    rows: EncodedRows,
    codes: Integers,
    queries: EncodedRows,
    winners: Integers,
    threads: int,
    ranks: Integers,
) -> tuple[Integers, Floats]:
    """Return the nearest row of another class than the winner's, and its score.

    The position is -1 where all rows are of one class. More and more neighbours are looked at,
    until one of another class is among them.
    """
    positions = np.full(len(queries), -1, np.int64)
    scores = np.full(len(queries), np.nan)
    left = np.arange(len(queries))
    k = FIRST_LOOK
    while len(left):
        k = min(k, len(rows))
        found, cosines = rows.nearest(queries.take(left), k, threads, ranks)
        other = codes[found] != winners[left, None]
        first = other.argmax(axis=1)
        has = other[np.arange(len(left)), first]
        positions[left[has]] = found[has, first[has]]
        scores[left[has]] = cosines[has, first[has]]
        left = left[~has]
        if k == len(rows):
            break
        k *= 8
    return positions, scores
