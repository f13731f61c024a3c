"""Class labels: checked, and numbered in their sorted order."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from addhash.errors import ParameterError

__all__ = ["as_labels", "joined_classes", "numbered"]

Array = npt.NDArray[Any]
Integers = npt.NDArray[np.int64]


def as_labels(y: Any) -> Array:
    """Return labels as an array of one dimension.

    Examples
    --------
    >>> from addhash.labels import as_labels
    >>> as_labels(["ham", "spam"]).tolist()
    ['ham', 'spam']
    """
    labels: Array = column_or_1d(y, warn=True)
    if len(labels):
        check_classification_targets(labels)
    return labels


def joined_classes(known: Array | None, more: Array) -> Array:
    """Return the sorted classes of both, refusing texts and numbers together."""
    if known is None or len(known) == 0:
        return np.unique(more)
    if len(more) == 0:
        return known
    if _is_text(known) != _is_text(more):
        raise ParameterError(
            f"Labels must be all texts or all numbers. Got {more[0]!r} where the classes so far"
            f" are like {known[0]!r}."
        )
    return np.union1d(known, more)


def _is_text(labels: Array) -> bool:
    return labels.dtype.kind in "US" or isinstance(labels[0], str)


def numbered(labels: Array, classes: Array) -> Integers:
    """Return the position of each label in the sorted classes, -1 for one that is not there."""
    if len(classes) == 0 or len(labels) == 0 or _is_text(labels) != _is_text(classes):
        return np.full(len(labels), -1, np.int64)
    positions = np.searchsorted(classes, labels)
    positions[positions == len(classes)] = 0
    return np.where(classes[positions] == labels, positions, -1).astype(np.int64)
