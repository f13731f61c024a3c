"""The paper's classifier: the label of the nearest example by cosine."""

from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from addhash.arrays import Floats
from addhash.estimators.vector_classifier import VectorClassifier
from addhash.learning.examples import Examples
from addhash.learning.memory import Keeping, Question
from addhash.parameters import CLASSIFIER, Weights, check_values


class NearestNeighborClassifier(VectorClassifier[Examples]):
    """Classify vectors by the examples with the highest cosine; there is no training.

    The search is exact, like that of `Index`. Of equally near examples, the one learnt first comes
    first. Examples can be learnt and forgotten at any time, one by one or many at once.

    Parameters
    ----------
    n_neighbors : int, default=1
        How many examples vote; all if there are fewer.
    weights : {"uniform", "similarity"}, default="uniform"
        What a neighbour's vote counts: 1, or (1 + cosine) / 2. Ties go to the class with the
        nearest neighbour.
    reject_below : float or None, default=None
        `predict` returns None, in an object array, if the highest cosine is lower.
    n_jobs : int or None, default=None
        Threads to use; None means every core available to the process.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    n_samples_fit_ : int
        The number of examples.
    n_features_in_ : int
        The width of the vectors.

    Examples
    --------
    >>> from addhash import NearestNeighborClassifier
    >>> classifier = NearestNeighborClassifier().fit([[9, 1], [7, 2], [1, 8]], ["x", "x", "y"])
    >>> classifier.predict([[5, 1], [0, 1]]).tolist()
    ['x', 'y']
    >>> classifier.forget([[1, 8]], ["y"]).predict([[0, 1]]).tolist()
    ['x']
    """

    _kind = "NearestNeighborClassifier"
    _memory = Examples
    _rules = CLASSIFIER

    def __init__(
        self,
        n_neighbors: int = 1,
        *,
        weights: Weights = "uniform",
        reject_below: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.reject_below = reject_below
        self.n_jobs = n_jobs

    def _keeping(self) -> Keeping:
        return Keeping(order=True)

    def _question(self) -> Question:
        return Question(self._threads, int(self.n_neighbors), self.weights)

    @property
    def n_samples_fit_(self) -> int:
        """The number of examples."""
        return len(self.memory_.codes)

    @overload
    def kneighbors(
        self, X: Any, n_neighbors: int | None = None, return_distance: Literal[True] = True
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]: ...
    @overload
    def kneighbors(
        self, X: Any, n_neighbors: int | None = None, *, return_distance: Literal[False]
    ) -> npt.NDArray[np.int64]: ...
    @overload
    def kneighbors(
        self, X: Any, n_neighbors: int | None, return_distance: Literal[False]
    ) -> npt.NDArray[np.int64]: ...
    def kneighbors(
        self, X: Any, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Return the nearest examples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        n_neighbors : int, optional
            How many; by default the parameter of the same name.
        return_distance : bool, default=True
            Whether to return distances too.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            1 - cosine; left out if `return_distance` is False.
        indices : ndarray of shape (n_samples, n_neighbors)
            Positions in the order of learning.
        """
        memory, X = self._queries(X)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        check_values(f"{type(self).__name__}.kneighbors", CLASSIFIER, {"n_neighbors": k})
        positions, scores = memory.neighbors(X, int(k), self._threads)
        return (1 - scores, positions) if return_distance else positions

    def _best(self, memory: Examples, X: Any, decisions: Floats) -> Floats:
        return memory.neighbors(X, 1, self._threads)[1][:, 0]
