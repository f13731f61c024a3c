"""The paper's classifier: the label of the nearest example by cosine."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from addhash.encoded_rows import EncodedRows, GrowingRows
from addhash.errors import ExampleError
from addhash.labels import as_labels, joined_classes, numbered
from addhash.model_arrays import Parts, classes_to_array, rows_to_arrays
from addhash.parameters import CLASSIFIER, check_values
from addhash.vector_classifier import VectorClassifier

__all__ = ["NearestNeighborClassifier"]

Array = npt.NDArray[Any]
Integers = npt.NDArray[np.int64]

# What the nearest neighbour of a class adds to its votes, at most.
TIE_BREAK = 1e-6


class NearestNeighborClassifier(VectorClassifier):
    """Classify vectors by the examples with the highest cosine; nothing is trained.

    The search is exact, as that of `Index`. Of equally near examples the one learnt first comes
    first. Examples are learnt and forgotten at any time, one by one or many at once.

    Parameters
    ----------
    n_neighbors : int, default=1
        How many examples vote; all, if there are fewer.
    weights : {"uniform", "similarity"}, default="uniform"
        What a neighbour's vote counts: 1, or (1 + cosine) / 2. Of classes with the same votes
        the one with the nearest neighbour wins.
    reject_below : float or None, default=None
        `predict` gives None, in an array of objects, where the highest cosine is lower.
    n_jobs : int or None, default=None
        Threads to use; None means all cores that the process may use.

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

    _growing: GrowingRows
    _codes: Integers
    _declared: Array | None

    def __init__(
        self,
        n_neighbors: int = 1,
        *,
        weights: str = "uniform",
        reject_below: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.reject_below = reject_below
        self.n_jobs = n_jobs

    @property
    def n_samples_fit_(self) -> int:
        """The number of examples."""
        return len(self._codes)

    def _learn(self, X: Any, y: Any, classes: Any, reset: bool) -> Self:
        X, y = self._examples(X, y, reset)
        rows = EncodedRows.encode(X, X.shape[1], self._threads)
        declared = None if reset else self._declared
        if classes is not None:
            declared = joined_classes(declared, as_labels(classes))
        known = joined_classes(None if reset else self.classes_, y)
        known = known if declared is None else joined_classes(known, declared)
        if reset:
            self._growing = GrowingRows(rows)
            self._codes = numbered(y, known)
            self._digests: list[bytes] | None = None
        else:
            self._append(rows, numbered(y, known), known)
        self.classes_, self._declared = known, declared
        return self

    def _append(self, rows: EncodedRows, codes: Integers, classes: Array) -> None:
        """Add examples whose codes mean other classes than the present ones."""
        moved = numbered(self.classes_, classes)
        if self._digests is not None:
            self._digests += rows.digests()
        self._growing.append(rows)
        self._codes = np.concatenate([moved[self._codes], codes])

    def _known_digests(self) -> list[bytes]:
        """Return a digest of every example's vector, made on first use."""
        if self._digests is None:
            self._digests = self._growing.rows.digests()
        return self._digests

    def _forget(self, X: Any, y: Any) -> None:
        rows = EncodedRows.encode(X, self.n_features_in_, self._threads)
        self._keep(self._without(rows, y))

    def _without(
        self,
        rows: EncodedRows,
        labels: Array,
        texts: tuple[Sequence[str], Sequence[str]] | None = None,
    ) -> Integers:
        """Return the positions left without these examples; texts are those known and these."""
        known: list[Sequence[Any]] = [self._known_digests(), self._codes.tolist()]
        unwanted: list[Sequence[Any]] = [rows.digests(), numbered(labels, self.classes_).tolist()]
        if texts is not None:
            known.append(list(texts[0]))
            unwanted.append(list(texts[1]))
        places: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        for i, key in enumerate(zip(*known, strict=True)):
            places[key].append(i)
        kept = np.ones(len(self._codes), bool)
        for i, key in enumerate(zip(*unwanted, strict=True)):
            if not places.get(key):
                raise ExampleError(
                    f"Example {i} was not learnt with the label {labels.tolist()[i]!r}, or is"
                    " forgotten already; nothing was forgotten."
                )
            kept[places[key].pop()] = False
        return np.flatnonzero(kept)

    def _keep(self, positions: Integers) -> None:
        """Keep the examples at these positions only, and the classes that they have."""
        digests = self._known_digests()
        self._digests = [digests[i] for i in positions.tolist()]
        self._growing = GrowingRows(self._growing.rows.take(positions))
        classes = self.classes_[np.unique(self._codes[positions])]
        if self._declared is not None:
            classes = joined_classes(classes, self._declared)
        self._codes = numbered(self.classes_, classes)[self._codes[positions]]
        self.classes_ = classes

    def _merge(self, other: Self) -> None:
        classes = joined_classes(self.classes_, other.classes_)
        codes = numbered(other.classes_, classes)[other._codes]
        self._append(other._growing.rows, codes, classes)
        self.classes_ = classes
        if other._declared is not None:
            self._declared = joined_classes(self._declared, other._declared)

    def _arrays(self) -> dict[str, Array]:
        return rows_to_arrays(self._growing.rows.canonical()) | {
            "labels": self._codes,
            "classes": classes_to_array(self.classes_),
            "declared": classes_to_array(self._declared),
        }

    def _restore(self, parts: Parts, n_features: int) -> None:
        rows = parts.rows(n_features)
        classes, declared = parts.classes(), parts.classes("declared")
        self.classes_ = np.empty(0, np.int64) if classes is None else classes
        self._declared = declared
        self._growing = GrowingRows(rows)
        self._codes = parts.codes(len(rows), len(self.classes_))
        self._digests = None

    def _is_empty(self) -> bool:
        return len(self._codes) == 0

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
            Whether distances are wanted too.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            1 - cosine; not if `return_distance` is False.
        indices : ndarray of shape (n_samples, n_neighbors)
            Positions in the order of learning.
        """
        queries = self._queries(X)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        check_values(f"{type(self).__name__}.kneighbors", CLASSIFIER, {"n_neighbors": k})
        positions, scores = self._growing.rows.nearest(queries, int(k), self._threads)
        return (1 - scores, positions) if return_distance else positions

    def _shares(self, X: Any) -> tuple[npt.NDArray[np.float64], Array]:
        """Return the shares of the classes in the votes, and the highest cosines."""
        queries = self._queries(X)
        positions, scores = self._growing.rows.nearest(
            queries, int(self.n_neighbors), self._threads
        )
        similarities = (1 + np.clip(scores, -1, 1)) / 2
        counts = np.ones_like(scores) if self.weights == "uniform" else similarities
        votes = np.zeros((len(queries), len(self.classes_)))
        nearest = np.zeros_like(votes)
        samples = np.arange(len(queries))
        codes = self._codes[positions]
        for i in range(codes.shape[1]):
            votes[samples, codes[:, i]] += counts[:, i]
            known = nearest[samples, codes[:, i]]
            nearest[samples, codes[:, i]] = np.maximum(known, similarities[:, i])
        votes += TIE_BREAK * nearest
        # All votes are 0 only where every neighbour is exactly opposite.
        opposite = votes.sum(axis=1) == 0
        votes[opposite, codes[opposite, 0]] = 1
        return votes / votes.sum(axis=1, keepdims=True), scores[:, 0]

    def predict(self, X: Any) -> Array:
        """Return the class with the most votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self._labels(*self._shares(X))

    def decision_function(self, X: Any) -> Array:
        """Return each class's share of the votes; of two classes, the second's minus the first's.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        return self._as_decision_function(self._shares(X)[0])

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return each class's share of the votes.

        A class has a millionth of a vote more or less by its nearest neighbour, which decides
        between equal votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes)
        """
        return self._shares(X)[0]
