"""Naive Bayes on sparse matrices of counts, which learns, forgets and merges exactly."""

from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from addhash.errors import ExampleError, ParameterError
from addhash.estimators.vector_classifier import VectorClassifier
from addhash.files.parts import Parts
from addhash.learning.labels import as_labels
from addhash.learning.memory import Keeping, Question
from addhash.learning.sample_weight import repetitions
from addhash.learning.token_counts import TokenCounts
from addhash.parameters import CLASSIFIER, TEXT_CLASSIFIER, check_parameters
from addhash.runtime import native

__all__ = ["BayesClassifier"]

Array = npt.NDArray[Any]


class BayesClassifier(VectorClassifier[TokenCounts]):
    """Classify rows of counts by naive Bayes, on exact integer counts.

    A column is evidence for a class by how much more often the class has it than was to be
    expected. `TextClassifier` does the same on texts, but weighs n-grams by their lengths; that is
    more accurate, and cannot be seen from a matrix.

    Parameters
    ----------
    smoothing : float or "auto", default="auto"
        How much it takes to trust the counts of a class; "auto" is 0.5 until `fit` chooses it.
    fit_prior : bool, default=True
        Whether classes with more examples are likelier.
    reject_below : float or None, default=None
        `predict` returns None, in an object array, if the probability is lower.
    n_jobs : int or None, default=None
        Threads to use; None means every core available to the process.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    n_features_in_ : int
        The number of columns.

    Examples
    --------
    >>> from addhash import BayesClassifier
    >>> classifier = BayesClassifier().fit([[9, 1, 0], [7, 2, 0], [1, 8, 3]], ["x", "x", "y"])
    >>> classifier.predict([[5, 1, 0], [0, 1, 2]]).tolist()
    ['x', 'y']
    """

    _kind = "BayesClassifier"
    _rules: ClassVar = {
        "smoothing": TEXT_CLASSIFIER["smoothing"],
        "fit_prior": TEXT_CLASSIFIER["fit_prior"],
        "reject_below": CLASSIFIER["reject_below"],
        "n_jobs": CLASSIFIER["n_jobs"],
    }

    def __init__(
        self,
        *,
        smoothing: float | Literal["auto"] = "auto",
        fit_prior: bool = True,
        reject_below: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.smoothing = smoothing
        self.fit_prior = fit_prior
        self.reject_below = reject_below
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def _empty(self, n_features: int) -> TokenCounts:
        smoothing = None if isinstance(self.smoothing, str) else float(self.smoothing)
        return TokenCounts.empty(n_features, Keeping(smoothing=smoothing))

    def _restored(self, parts: Parts, n_features: int) -> TokenCounts:
        return TokenCounts.from_parts(parts, n_features, Keeping())

    def _question(self) -> Question:
        return Question(threads=self._threads, with_priors=bool(self.fit_prior))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn examples, forgetting what was learnt before.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts: whole numbers of at least 0.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of int, optional
            How often each example is learnt; a weight of 2 is exactly the example twice.

        Returns
        -------
        self
        """
        is_auto = isinstance(self.smoothing, str)

        def learn(memory: TokenCounts, rows: Any, labels: Array) -> TokenCounts:
            learnt = memory.learn(rows, labels, None, self._threads)
            return learnt.tuned(rows, labels, self._question(), is_auto)

        return self._change(X, y, True, learn, sample_weight)

    def predict(self, X: Any) -> Array:
        """Return the class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray
            If `reject_below` is set, an object array with None for rejected answers.
        """
        memory, rows = self._queries(X)
        shares = memory.probabilities(rows, self._question())
        return self._labels(memory.classes.labels, shares, shares.max(axis=1))

    def _examples(
        self, scratch: Self, X: Any, y: Any, reset: bool, sample_weight: Any
    ) -> tuple[Any, Array]:
        check_parameters(self, self._rules)
        X, y = validate_data(scratch, X, y, reset=reset, dtype="numeric", accept_sparse="csr")
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        if sample_weight is not None:
            chosen = repetitions(sample_weight, len(labels))
            X, labels = X[chosen], labels[chosen]
        return _rows(X), as_labels(labels)

    def _queries(self, X: Any) -> tuple[TokenCounts, Any]:
        check_is_fitted(self)
        check_parameters(self, self._rules)
        memory = self.memory_
        X = validate_data(self, X, reset=False, dtype="numeric", accept_sparse="csr")
        if not memory.classes.counts.any():
            raise ExampleError(
                "This BayesClassifier has no examples left: all were forgotten."
                " Call partial_fit first."
            )
        return memory, _rows(X)


def _rows(X: Any) -> native.TokenRows:
    """Return the rows of a matrix of counts."""
    matrix = csr_array(X)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # its arrays may be the caller's
        matrix.sum_duplicates()
    counts = matrix.data.astype(np.int64)
    wrong = (counts != matrix.data) | (counts < 0)
    if wrong.any():
        value = matrix.data[wrong][0].item()
        what = "Negative values in data" if value < 0 else "Expected whole numbers"
        raise ParameterError(f"{what} passed to BayesClassifier, which takes counts: got {value}.")
    try:
        return native.token_rows_of_csr(
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int64),
            counts,
            matrix.shape[1],
        )
    except ValueError as error:
        raise ParameterError(f"Wrong counts passed to BayesClassifier: {error}.") from error
