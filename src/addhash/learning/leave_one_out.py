"""How accurate a model is on its own examples, each classified as if it had never been learnt."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["ClassReport", "LeaveOneOut", "RejectionPoint"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

BINS = 15  # of confidence, for the calibration


class ClassReport(NamedTuple):
    """How well one class is recognised."""

    label: Any
    precision: float  # how many of the texts labelled so are right; nan if there are none
    recall: float
    support: int


class RejectionPoint(NamedTuple):
    """What rejecting all answers with a lower score would leave."""

    threshold: float
    coverage: float  # the share of texts that get an answer
    accuracy: float  # of those


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """How each example is labelled by the model that never saw it.

    Attributes
    ----------
    labels : ndarray
        The examples' own labels.
    predicted : ndarray
        The predicted labels; an object array, with None if no other class has an example.
    scores : ndarray
        The scores of the answers, as in `predict_scores`.
    classes : ndarray
    """

    labels: Array
    predicted: Array
    scores: Floats
    classes: Array

    @property
    def _is_right(self) -> npt.NDArray[np.bool_]:
        right: npt.NDArray[np.bool_] = self.predicted.astype(object) == self.labels.astype(object)
        return right

    @property
    def accuracy(self) -> float:
        """The share of examples that get their own label."""
        return float(np.mean(self._is_right))

    @property
    def balanced_accuracy(self) -> float:
        """The mean of the classes' recalls."""
        return float(np.mean([report.recall for report in self.per_class()]))

    def per_class(self) -> list[ClassReport]:
        """Return how well each class with examples is recognised."""
        confusion = self.confusion()
        called, support = confusion.sum(axis=0), confusion.sum(axis=1)
        right = np.diag(confusion)
        unanswered = self._counts_of_unanswered()
        return [
            ClassReport(
                label,
                right[i] / called[i] if called[i] else float("nan"),
                right[i] / (support[i] + unanswered[i]),
                int(support[i] + unanswered[i]),
            )
            for i, label in enumerate(self.classes.tolist())
            if support[i] + unanswered[i]
        ]

    def _counts_of_unanswered(self) -> Integers:
        none = np.array([label is None for label in self.predicted.tolist()], bool)
        return np.array([int((self.labels[none] == c).sum()) for c in self.classes], np.int64)

    def confusion(self) -> Integers:
        """Return how often each class (row) gets each label (column)."""
        numbers = {label: i for i, label in enumerate(self.classes.tolist())}
        matrix = np.zeros((len(numbers), len(numbers)), np.int64)
        for own, found in zip(self.labels.tolist(), self.predicted.tolist(), strict=True):
            if found is not None:
                matrix[numbers[own], numbers[found]] += 1
        return matrix

    def calibration_error(self) -> float:
        """Return the expected difference between scores, as probabilities, and accuracy."""
        right = self._is_right
        bins = np.minimum((np.clip(self.scores, 0, 1) * BINS).astype(int), BINS - 1)
        error = 0.0
        for i in range(BINS):
            inside = bins == i
            if inside.any():
                gap = abs(right[inside].mean() - self.scores[inside].mean())
                error += float(gap) * float(inside.mean())
        return error

    def rejection(self) -> list[RejectionPoint]:
        """Return the trade-off of `reject_below`: one point per distinct score, highest first."""
        order = np.argsort(-self.scores, kind="stable")
        scores, right = self.scores[order], self._is_right[order]
        ends = np.flatnonzero(np.append(np.diff(scores) != 0, True))
        shares = np.cumsum(right)[ends] / (ends + 1)
        return [
            RejectionPoint(float(scores[end]), (end + 1) / len(scores), float(share))
            for end, share in zip(ends.tolist(), shares.tolist(), strict=True)
        ]
