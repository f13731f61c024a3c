"""Naive Bayes on sparse matrices of counts, which learns, forgets and merges exactly."""

from typing import Any, ClassVar, Literal

import numpy as np
from scipy.sparse import csr_array

from addhash.arrays import Array, Floats
from addhash.errors import ParameterError
from addhash.estimators.vector_classifier import VectorClassifier
from addhash.learning.calibration import softmax
from addhash.learning.memory import Keeping, Question
from addhash.learning.token_counts import TokenCounts
from addhash.parameters import CLASSIFIER, TEXT_CLASSIFIER
from addhash.runtime import native


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
    _memory = TokenCounts
    _accept_sparse = "csr"
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

    def _keeping(self) -> Keeping:
        return Keeping(smoothing=None if self._is_auto else float(self.smoothing))

    def _question(self) -> Question:
        return Question(threads=self._threads, with_priors=bool(self.fit_prior))

    @property
    def _is_auto(self) -> bool:
        return isinstance(self.smoothing, str)

    def _learnt(self, memory: TokenCounts, X: Any, labels: Array) -> TokenCounts:
        learnt = super()._learnt(memory, X, labels)
        return learnt.tuned(X, labels, self._question(), self._is_auto)

    def _best(self, memory: TokenCounts, X: Any, decisions: Floats) -> Floats:
        best: Floats = softmax(decisions).max(axis=1)
        return best

    def _rows(self, X: Any) -> native.TokenRows:
        matrix = csr_array(X)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()  # its arrays may be the caller's
            matrix.sum_duplicates()
        counts = matrix.data.astype(np.int64)
        wrong = (counts != matrix.data) | (counts < 0)
        if wrong.any():
            value = matrix.data[wrong][0].item()
            what = "Negative values in data" if value < 0 else "Expected whole numbers"
            raise ParameterError(
                f"{what} passed to BayesClassifier, which takes counts: got {value}."
            )
        starts, columns = (part.astype(np.int64) for part in (matrix.indptr, matrix.indices))
        try:
            return native.token_rows_of_csr(starts, columns, counts, matrix.shape[1])
        except ValueError as error:
            raise ParameterError(f"Wrong counts passed to BayesClassifier: {error}.") from error
