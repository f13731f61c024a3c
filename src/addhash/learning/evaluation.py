"""How good answers are: the truth, what was answered, and how sure the answers were."""

from functools import cached_property
from html import escape
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.arrays import Array, Floats, Integers
from addhash.errors import ParameterError
from addhash.frames import data_frame, html_table
from addhash.learning.labels import as_labels

Booleans = npt.NDArray[np.bool_]

BINS = 15  # of confidence, for the calibration
SHOWN = 20  # classes in the text form
LEAST_LIKELY = 1e-15  # a probability of 0 would cost infinitely much
# The shares of answers for which a short table of thresholds is made.
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)


class ClassReport(NamedTuple):
    """How well one class is recognised."""

    label: Any
    precision: float  # how many of the answers with this label are right; nan if there are none
    recall: float  # how many texts of the class get its label; nan if there are none
    f1: float
    support: int  # texts of the class


class Confused(NamedTuple):
    """How often texts of one class got the label of another; None means no label."""

    truth: Any
    answer: Any
    texts: int


class ReliabilityBin(NamedTuple):
    """Answers that are about equally sure, and how many of them are right."""

    low: float
    high: float
    texts: int
    confidence: float  # the mean score
    accuracy: float


class RejectionPoint(NamedTuple):
    """What rejecting all answers below a threshold would leave."""

    threshold: float
    coverage: float  # the share of texts that get an answer
    accuracy: float  # of those


class Suspect(NamedTuple):
    """A text whose label the answer contradicts, and how sure the answer is."""

    position: int
    truth: Any
    answer: Any
    score: float
    margin: float | None
    text: str | None = None  # if the classifier was given texts


class Evaluation:
    """Compare answers with the truth.

    `TextClassifier.leave_one_out` returns one, `addhash evaluate` and the server show one, and one
    can be made of the answers of any classifier. Texts without an answer count as wrong in the
    accuracy and in the recall of their class; calibration and rejection are about answers given.

    Parameters
    ----------
    truths : array-like
        The true labels: all texts, or all numbers.
    answers : array-like
        The labels that were given; None for a text without an answer.
    scores : array-like of float, optional
        How sure each answer is; what depends on it is nan or empty without.
    margins : array-like of float, optional
        The lead of each answer over the runner-up; nan or None where there is none.
    true_probabilities : array-like of float, optional
        The probability that was given to each true label, for `log_loss`.
    classes : array-like, optional
        The classes, sorted; by default those of truths and answers.

    Attributes
    ----------
    truths : ndarray
        The true labels.
    answers : ndarray of object
        The labels that were given; None for a text without an answer.
    scores : ndarray of float or None
        How sure each answer is.
    margins : ndarray of float or None
        The lead of each answer over the runner-up.
    true_probabilities : ndarray of float or None
        The probability that was given to each true label.
    classes : ndarray
        The classes, sorted.

    Examples
    --------
    >>> from addhash import Evaluation
    >>> truths = ["ham", "ham", "spam", "spam"]
    >>> evaluation = Evaluation(truths, ["ham", "spam", "spam", None], [0.9, 0.6, 0.8, 0.5])
    >>> evaluation.accuracy
    0.5
    >>> evaluation.per_class()[0]
    ClassReport(label='ham', precision=1.0, recall=0.5, f1=0.6666666666666666, support=2)
    >>> evaluation.suspects()[0].position  # the label of the second text may be wrong
    1
    >>> evaluation.rejection()[0]
    RejectionPoint(threshold=0.9, coverage=0.25, accuracy=1.0)
    >>> evaluation
    Accuracy 50.00 %: 2 of 4 right, 1 without an answer
    class                   texts  precision     recall         F1
    ham                         2   100.00 %    50.00 %    66.67 %
    spam                        2    50.00 %    50.00 %    50.00 %
    Calibration error 0.3000
    """

    def __init__(
        self,
        truths: Any,
        answers: Any,
        scores: Any = None,
        *,
        margins: Any = None,
        true_probabilities: Any = None,
        classes: Any = None,
    ) -> None:
        self.truths = as_labels(truths)
        self.answers = _answers(answers)
        self.scores = _numbers("scores", scores)
        self.margins = _numbers("margins", margins)
        self.true_probabilities = _numbers("true_probabilities", true_probabilities)
        for name in ("answers", "scores", "margins", "true_probabilities"):
            values = getattr(self, name)
            if values is not None and len(values) != len(self.truths):
                raise ParameterError(
                    f"Expected one of the {name} for each of {len(self.truths)} truths, got"
                    f" {len(values)}."
                )
        if classes is None:
            given = [label for label in self.answers.tolist() if label is not None]
            classes = _sorted({*self.truths.tolist(), *given})
        self.classes = as_labels(classes)

    # Counts.

    @cached_property
    def _is_answered(self) -> Booleans:
        return np.array([label is not None for label in self.answers.tolist()], bool)

    @cached_property
    def _is_right(self) -> Booleans:
        right: Booleans = self.answers == self.truths.astype(object)
        return right

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.truths)

    @property
    def right(self) -> int:
        """The number of right answers."""
        return int(self._is_right.sum())

    @property
    def unanswered(self) -> int:
        """The number of texts without an answer."""
        return int((~self._is_answered).sum())

    @property
    def accuracy(self) -> float:
        """The share of texts that get their own label; nan without texts."""
        return self.right / len(self) if len(self) else float("nan")

    @property
    def balanced_accuracy(self) -> float:
        """The mean of the recalls of the classes that have texts."""
        recalls = [report.recall for report in self.per_class() if report.support]
        return float(np.mean(recalls)) if recalls else float("nan")

    @cached_property
    def _pairs(self) -> dict[tuple[Any, Any], int]:
        counts: dict[tuple[Any, Any], int] = {}
        for pair in zip(self.truths.tolist(), self.answers.tolist(), strict=True):
            counts[pair] = counts.get(pair, 0) + 1
        return counts

    def per_class(self) -> list[ClassReport]:
        """Return how well each class that occurs is recognised.

        Returns
        -------
        reports : list of ClassReport
        """
        support: dict[Any, int] = {}
        given: dict[Any, int] = {}
        for (truth, answer), count in self._pairs.items():
            support[truth] = support.get(truth, 0) + count
            given[answer] = given.get(answer, 0) + count
        reports = []
        for label in self.classes.tolist():
            texts, answers = support.get(label, 0), given.get(label, 0)
            right = self._pairs.get((label, label), 0)
            if texts + answers:
                reports.append(
                    ClassReport(
                        label,
                        right / answers if answers else float("nan"),
                        right / texts if texts else float("nan"),
                        2 * right / (texts + answers),
                        texts,
                    )
                )
        return reports

    def confusion(self) -> Integers:
        """Return how often each class (row) gets each label (column).

        Returns
        -------
        matrix : ndarray of shape (n_classes, n_classes)
            Texts without an answer, and labels that are not among the classes, are left out.
        """
        numbers = {label: i for i, label in enumerate(self.classes.tolist())}
        matrix = np.zeros((len(numbers), len(numbers)), np.int64)
        for (truth, answer), count in self._pairs.items():
            if truth in numbers and answer in numbers:
                matrix[numbers[truth], numbers[answer]] = count
        return matrix

    def confused(self, most: int = 10) -> list[Confused]:
        """Return the pairs of classes that are confused most.

        Parameters
        ----------
        most : int, default=10
            How many.

        Returns
        -------
        pairs : list of Confused
        """
        wrong = [Confused(*pair, n) for pair, n in self._pairs.items() if pair[0] != pair[1]]
        # No label at all comes before the others.
        return sorted(wrong, key=lambda c: (-c.texts, c.truth, (c.answer is not None, c.answer)))[
            :most
        ]

    # Calibration.

    def reliability(self) -> list[ReliabilityBin]:
        """Return how many answers are right among those that are about equally sure.

        Returns
        -------
        bins : list of ReliabilityBin
            15 bins of equal width; those without answers are left out.
        """
        if self.scores is None:
            return []
        scores, right = self.scores[self._is_answered], self._is_right[self._is_answered]
        bins = np.minimum((np.clip(scores, 0, 1) * BINS).astype(int), BINS - 1)
        found = []
        for i in np.unique(bins).tolist():
            inside = bins == i
            confidence, accuracy = float(scores[inside].mean()), float(right[inside].mean())
            found.append(
                ReliabilityBin(i / BINS, (i + 1) / BINS, int(inside.sum()), confidence, accuracy)
            )
        return found

    def calibration_error(self) -> float:
        """Return the expected difference between scores, as probabilities, and accuracy.

        Returns
        -------
        error : float
            0 at best; nan without scores or answers.
        """
        bins = self.reliability()
        total = sum(one.texts for one in bins)
        if not total:
            return float("nan")
        return sum(abs(one.accuracy - one.confidence) * one.texts for one in bins) / total

    def log_loss(self) -> float:
        """Return the mean cost of the probabilities that were given to the true labels.

        Returns
        -------
        loss : float
            In nats, 0 at best; nan without `true_probabilities`.
        """
        if self.true_probabilities is None or not len(self):
            return float("nan")
        return float(-np.log(np.clip(self.true_probabilities, LEAST_LIKELY, 1)).mean())

    # Rejection.

    def rejection(self, by: str = "scores") -> list[RejectionPoint]:
        """Return the trade-off of a threshold: one point per distinct score, highest first.

        Parameters
        ----------
        by : {"scores", "margins"}, default="scores"
            What `reject_below` is compared with, or `reject_margin`.

        Returns
        -------
        points : list of RejectionPoint
        """
        values = {"scores": self.scores, "margins": self.margins}.get(by)
        if by not in ("scores", "margins"):
            raise ParameterError(f"Expected by='scores' or by='margins', got {by!r}.")
        if values is None or not self._is_answered.any():
            return []
        values = np.nan_to_num(values[self._is_answered], nan=0.0)
        order = np.argsort(-values, kind="stable")
        values, right = values[order], self._is_right[self._is_answered][order]
        ends = np.flatnonzero(np.append(np.diff(values) != 0, True))
        shares = np.cumsum(right)[ends] / (ends + 1)
        return [
            RejectionPoint(float(values[end]), (end + 1) / len(self), float(share))
            for end, share in zip(ends.tolist(), shares.tolist(), strict=True)
        ]

    def thresholds(self, by: str = "scores") -> list[RejectionPoint]:
        """Return the points of `rejection` that reject about 1, 2, 5, 10, 20, 30 and 50 percent.

        Parameters
        ----------
        by : {"scores", "margins"}, default="scores"
            What `reject_below` is compared with, or `reject_margin`.

        Returns
        -------
        points : list of RejectionPoint
            The lowest threshold first.
        """
        points = self.rejection(by)[::-1]
        if not points:
            return []
        everything = points[0].coverage
        chosen = []
        for share in SHARES:
            reached = [p for p in points if p.coverage <= everything * (1 - share)]
            if reached and reached[0] not in chosen:
                chosen.append(reached[0])
        return chosen

    def threshold_for(self, error: float) -> RejectionPoint | None:
        """Return the lowest threshold that leaves at most this share of wrong answers.

        Parameters
        ----------
        error : float
            The share of wrong answers that is wished for, of all that are given.

        Returns
        -------
        point : RejectionPoint or None
            None if no threshold reaches it.
        """
        reached = [p for p in self.rejection() if 1 - p.accuracy <= error]
        return reached[-1] if reached else None

    # Label errors.

    def suspects(self) -> list[Suspect]:
        """Return the texts whose label the answer contradicts, the surest answer first.

        Returns
        -------
        suspects : list of Suspect
        """
        wrong = np.flatnonzero(self._is_answered & ~self._is_right)
        by = self._doubts()[wrong]
        truths, answers = self.truths.tolist(), self.answers.tolist()
        return [
            Suspect(
                i,
                truths[i],
                answers[i],
                float("nan") if self.scores is None else float(self.scores[i]),
                None if self.margins is None or np.isnan(self.margins[i]) else self.margins[i],
            )
            for i in wrong[np.argsort(-by, kind="stable")].tolist()
        ]

    def _doubts(self) -> Floats:
        """Return for each text how sure it is that its label is wrong."""
        for values in (self.margins, self.scores):
            if values is not None and not np.isnan(values).all():
                return np.nan_to_num(values, nan=0.0)
        return np.zeros(len(self))

    # Forms.

    def to_dict(self) -> dict[str, Any]:
        """Return all figures, as JSON would have them.

        Returns
        -------
        figures : dict
            With accuracy, balanced_accuracy, texts, unanswered, calibration_error, log_loss,
            classes (one dict each), confusion and rejection.
        """
        return {
            "accuracy": _plain(self.accuracy),
            "balanced_accuracy": _plain(self.balanced_accuracy),
            "texts": len(self),
            "unanswered": self.unanswered,
            "calibration_error": _plain(self.calibration_error()),
            "log_loss": _plain(self.log_loss()),
            "classes": [
                {name: _plain(value) for name, value in report._asdict().items()}
                for report in self.per_class()
            ],
            "confusion": self.confusion().tolist(),
            "rejection": [point._asdict() for point in self.thresholds()],
        }

    def to_frame(self) -> Any:
        """Return the figures of each class as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            With the columns label, precision, recall, f1 and support.
        """
        reports = self.per_class()
        return data_frame({name: [getattr(r, name) for r in reports] for name in REPORTED})

    def __repr__(self) -> str:
        unanswered = f", {self.unanswered:,} without an answer" if self.unanswered else ""
        lines = [
            f"Accuracy {100 * self.accuracy:.2f} %: {self.right:,} of {len(self):,} right"
            + unanswered
        ]
        lines.append(f"{'class':<20}" + "".join(f"{name:>11}" for name in HEADINGS)[2:])
        reports = self.per_class()
        lines += [
            f"{str(report.label)[:20]:<20}{report.support:>9,}"
            + "".join(f"{100 * value:>9.2f} %" for value in report[1:4])
            for report in reports[:SHOWN]
        ]
        if len(reports) > SHOWN:
            lines.append(f"... and {len(reports) - SHOWN:,} more classes; per_class() has all")
        error = self.calibration_error()
        if not np.isnan(error):
            lines.append(f"Calibration error {error:.4f}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = (
            (r.label, f"{r.support:,}", *(f"{value:.2%}" for value in r[1:4]))
            for r in self.per_class()[:SHOWN]
        )
        title = escape(repr(self).split("\n", 1)[0])
        return f"<div><p><b>{title}</b></p>{html_table(('class', *HEADINGS), rows)}</div>"


HEADINGS = ("texts", "precision", "recall", "F1")
REPORTED = ("label", "precision", "recall", "f1", "support")


def _answers(answers: Any) -> Array:
    values = answers.tolist() if isinstance(answers, np.ndarray) else list(answers)
    found = np.empty(len(values), object)
    found[:] = [v.item() if isinstance(v, np.generic) else v for v in values]
    return found


def _numbers(name: str, values: Any) -> Floats | None:
    if values is None:
        return None
    try:
        found = np.array(values, np.float64)  # None becomes nan
    except (TypeError, ValueError) as error:
        raise ParameterError(f"Expected numbers as the {name}: {error}.") from error
    if found.ndim != 1:
        raise ParameterError(
            f"Expected the {name} in one dimension, got an array of shape {found.shape}."
        )
    return found


def _sorted(labels: set[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError as error:
        raise ParameterError(
            f"Expected truths and answers of one kind, all texts or all numbers: {error}."
        ) from error


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and value != value else value
