"""A classifier that keeps one vector per class: the exact sum of its examples."""

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from addhash.estimators.vector_classifier import VectorClassifier
from addhash.learning.class_sums import ClassSums
from addhash.parameters import CLASSIFIER


class CentroidClassifier(VectorClassifier[ClassSums]):
    """Classify vectors by the cosine with the sum of each class's examples.

    Sums are never rounded. So the order of the examples makes no difference, forgetting an example
    leaves exactly the model that never learnt it, and merging gives exactly the model that learnt
    everything.

    Parameters
    ----------
    reject_below : float or None, default=None
        `predict` returns None, in an object array, if the highest cosine is lower.
    n_jobs : int or None, default=None
        Threads to use; None means every core available to the process.

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

    _kind = "CentroidClassifier"
    _memory = ClassSums
    _rules: ClassVar = {name: CLASSIFIER[name] for name in ("reject_below", "n_jobs")}

    def __init__(self, *, reject_below: float | None = None, n_jobs: int | None = None) -> None:
        self.reject_below = reject_below
        self.n_jobs = n_jobs

    @property
    def class_counts_(self) -> npt.NDArray[np.int64]:
        """The number of examples of each class."""
        return self.memory_.classes.counts

    @property
    def centroids_(self) -> npt.NDArray[np.float64]:
        """The sums of the classes' examples in float64."""
        return self.memory_.sums.to_float()
