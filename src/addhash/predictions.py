"""What a text classifier answers: a label, how sure it is, and what it is like."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.centroids import CentroidClassifier
from addhash.encoded_rows import EncodedRows
from addhash.neighbors import NearestNeighborClassifier

__all__ = [
    "Neighbor",
    "Prediction",
    "compared_vector",
    "compared_with_examples",
    "compared_with_sums",
]

# The rows of the winner and of the runner-up: positions of examples, or numbers of classes. It is
# -1 where there is no runner-up.
Pair = tuple[int, int]


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


def compared_with_examples(
    model: NearestNeighborClassifier,
    queries: EncodedRows,
    n_nearest: int,
    ranks: npt.NDArray[np.int64],
    texts: list[str] | None,
) -> list[tuple[Prediction, Pair]]:
    """Predict by the nearest example, and find the nearest one of another class."""
    rows, codes, threads = model._growing.rows, model._codes, model._threads
    found, scores = rows.nearest(queries, n_nearest, threads, ranks)
    winners = codes[found[:, 0]]
    others, seconds = rows.nearest(queries, 1, threads, ranks, codes, winners)
    labels = model.classes_.tolist()
    result = []
    for i, near in enumerate(found.tolist()):
        nearest = tuple(
            Neighbor(labels[codes[at]], score, None if texts is None else texts[at])
            for at, score in zip(near, scores[i].tolist(), strict=True)
        )
        best, other = nearest[0].score, int(others[i, 0])
        rival = None if other < 0 else labels[codes[other]]
        margin = None if other < 0 else best - float(seconds[i, 0])
        prediction = Prediction(nearest[0].label, best, margin, rival, nearest)
        result.append((prediction, (near[0], other)))
    return result


def compared_with_sums(
    model: CentroidClassifier, queries: EncodedRows
) -> list[tuple[Prediction, Pair]]:
    """Predict by the sum of each class."""
    labels = model.classes_.tolist()
    result = []
    for scores in model._scores_of(queries):
        first, *others = np.argsort(-scores, kind="stable")[:2].tolist()
        best = float(scores[first])
        if others:
            margin = best - float(scores[others[0]])
            prediction = Prediction(labels[first], best, margin, labels[others[0]], ())
        else:
            prediction = Prediction(labels[first], best, None, None, ())
        result.append((prediction, (first, others[0] if others else -1)))
    return result


def compared_vector(
    model: NearestNeighborClassifier | CentroidClassifier, row: int
) -> npt.NDArray[np.float64]:
    """Return what a text was compared with: an example, or the sum of a class."""
    rows = model._centroids if isinstance(model, CentroidClassifier) else model._growing.rows
    vector: npt.NDArray[np.float64] = rows.take(np.array([row])).decode()[0].astype(np.float64)
    return vector
