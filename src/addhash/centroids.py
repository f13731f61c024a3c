"""A classifier that keeps one vector for each class: the exact sum of its examples."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from addhash.encoded_rows import EncodedRows
from addhash.errors import ExampleError
from addhash.exact_sums import ExactSums
from addhash.labels import as_labels, joined_classes, numbered
from addhash.model_arrays import Parts, classes_to_array, sums_to_arrays
from addhash.vector_classifier import VectorClassifier

__all__ = ["CentroidClassifier"]

Array = npt.NDArray[Any]
Integers = npt.NDArray[np.int64]


class CentroidClassifier(VectorClassifier):
    """Classify vectors by the cosine with the sum of each class's examples.

    Sums are kept without rounding. So the order of the examples makes no difference, forgetting
    an example leaves the very model that never learnt it, and merged models are the very model
    that learnt everything.

    Parameters
    ----------
    reject_below : float or None, default=None
        `predict` gives None, in an array of objects, where the highest cosine is lower.
    n_jobs : int or None, default=None
        Threads to use; None means all cores that the process may use.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    class_counts_ : ndarray
        The number of examples of each class.
    centroids_ : ndarray of shape (n_classes, n_features_in_)
        The sums in float64.
    n_features_in_ : int
        The width of the vectors.

    Examples
    --------
    >>> from addhash import CentroidClassifier
    >>> classifier = CentroidClassifier().fit([[9, 1], [7, 2], [1, 8]], ["x", "x", "y"])
    >>> classifier.predict([[5, 1], [0, 1]]).tolist()
    ['x', 'y']
    >>> classifier.partial_fit([[-5, -5]], ["z"]).predict([[-1, -2]]).tolist()
    ['z']
    """

    class_counts_: Integers
    _sums: ExactSums
    _declared: Array | None

    def __init__(self, *, reject_below: float | None = None, n_jobs: int | None = None) -> None:
        self.reject_below = reject_below
        self.n_jobs = n_jobs

    def _learn(self, X: Any, y: Any, classes: Any, reset: bool) -> Self:
        X, y = self._examples(X, y, reset)
        EncodedRows.encode(X, X.shape[1], self._threads)  # refuses what cannot be compared
        declared = None if reset else self._declared
        if classes is not None:
            declared = joined_classes(declared, as_labels(classes))
        known = joined_classes(None if reset else self.classes_, y)
        known = known if declared is None else joined_classes(known, declared)
        if reset:
            sums, counts = ExactSums(X.shape[1], len(known)), np.zeros(len(known), np.int64)
        else:
            sums, counts = self._arranged(known)
        groups = numbered(y, known)
        sums.add(X, groups)
        counts += np.bincount(groups, minlength=len(known))
        self._set(known, counts, sums, declared)
        return self

    def _arranged(self, classes: Array) -> tuple[ExactSums, Integers]:
        """Return sums and counts for other classes."""
        positions = numbered(classes, self.classes_)
        counts = np.zeros(len(classes), np.int64)
        counts[positions >= 0] = self.class_counts_[positions[positions >= 0]]
        return self._sums.arranged(positions), counts

    def _set(self, classes: Array, counts: Integers, sums: ExactSums, declared: Any) -> None:
        # Encoding comes first: it refuses what cannot be compared, and nothing is changed.
        self._centroids = EncodedRows.encode(sums.to_float(), sums.n_features, 1, "centroids")
        self.classes_, self.class_counts_, self._sums = classes, counts, sums
        self._declared = declared

    @property
    def centroids_(self) -> npt.NDArray[np.float64]:
        """The sums of the classes' examples in float64."""
        return self._sums.to_float()

    def _forget(self, X: Any, y: Any) -> None:
        self._subtract(CentroidClassifier(n_jobs=self.n_jobs).fit(X, y))

    def _subtract(self, other: "CentroidClassifier") -> None:
        """Forget what another model has learnt."""
        groups = numbered(other.classes_, self.classes_)
        left = self.class_counts_.copy()
        for i, group in enumerate(groups.tolist()):
            wanted, known = int(other.class_counts_[i]), int(left[group]) if group >= 0 else 0
            if wanted > known:
                raise ExampleError(
                    f"There are {known} examples of the label {other.classes_.tolist()[i]!r},"
                    f" of which {wanted} cannot be forgotten; nothing was forgotten."
                )
            left[group] -= wanted
        sums = self._sums.copy()
        sums.take_away(other._arranged(self.classes_)[0])
        emptied = np.flatnonzero((left == 0) & (self.class_counts_ > 0))
        for group in emptied.tolist():
            if any(limb[group].any() for limb in sums.limbs.values()):
                raise ExampleError(
                    f"The examples to forget of the label {self.classes_.tolist()[group]!r} are"
                    " not those that were learnt; nothing was forgotten."
                )
        kept = np.flatnonzero((left > 0) | (numbered(self.classes_, self._known_declared()) >= 0))
        self._set(self.classes_[kept], left[kept], sums.arranged(kept), self._declared)

    def _known_declared(self) -> Array:
        return self.classes_[:0] if self._declared is None else self._declared

    def _merge(self, other: Self) -> None:
        classes = joined_classes(self.classes_, other.classes_)
        sums, counts = self._arranged(classes)
        more, more_counts = other._arranged(classes)
        sums.merge(more)
        declared = self._declared
        if other._declared is not None:
            declared = joined_classes(declared, other._declared)
        self._set(classes, counts + more_counts, sums, declared)

    def _arrays(self) -> dict[str, Array]:
        return sums_to_arrays(self._sums) | {
            "counts": self.class_counts_,
            "classes": classes_to_array(self.classes_),
            "declared": classes_to_array(self._declared),
        }

    def _restore(self, parts: Parts, n_features: int) -> None:
        classes, declared = parts.classes(), parts.classes("declared")
        classes = np.empty(0, np.int64) if classes is None else classes
        counts = parts.take("counts", "<i8", len(classes))
        if (counts < 0).any():
            raise ValueError("it has a class with a negative number of examples")
        self._set(classes, counts, parts.sums(n_features, len(classes)), declared)

    def _is_empty(self) -> bool:
        return not self.class_counts_.any()

    def _scores(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the cosines with all classes; a class without examples has -1."""
        return self._scores_of(self._queries(X))

    def _scores_of(self, queries: EncodedRows) -> npt.NDArray[np.float64]:
        count = len(self.classes_)
        positions, found = self._centroids.nearest(queries, count, self._threads)
        scores = np.empty((len(queries), count))
        np.put_along_axis(scores, positions, found, axis=1)
        scores[:, self.class_counts_ == 0] = -1
        return scores

    def predict(self, X: Any) -> Array:
        """Return the class of the highest cosine.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        scores = self._scores(X)
        return self._labels(scores, scores.max(axis=1, initial=-1))

    def decision_function(self, X: Any) -> Array:
        """Return the cosine with each class; of two classes, the second's minus the first's.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        return self._as_decision_function(self._scores(X))

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return shares of the classes that add up to 1, not calibrated.

        They are the softmax of the cosines times the square root of the width: cosines of
        unrelated vectors have a standard deviation of 1 in that unit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes)
        """
        scores = self._scores(X) * np.sqrt(self.n_features_in_)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
        shares[:, self.class_counts_ == 0] = 0
        result: npt.NDArray[np.float64] = shares / shares.sum(axis=1, keepdims=True)
        return result
