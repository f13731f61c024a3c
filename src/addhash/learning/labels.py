"""Class labels, checked and numbered in sorted order."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.errors import ModelFileError, ParameterError
from addhash.files.parts import Parts, json_part, require
from addhash.runtime import native
from addhash.text.columns import arrow_column, is_arrow_column, is_table

__all__ = [
    "as_labels",
    "classes_from_parts",
    "classes_part",
    "joined_classes",
    "numbered",
    "restricted_classes",
]

Array = npt.NDArray[Any]
Integers = npt.NDArray[np.int64]

# Text arrays reserve room for the longest one; beyond this length they hold references instead.
MOST_BYTES = 1 << 26
KINDS = {"O": "texts", "i": "whole numbers", "f": "floats", "b": "True or False"}


def as_labels(y: Any) -> Array:
    """Return labels as a one-dimensional array of texts, whole numbers, floats or booleans.

    Examples
    --------
    >>> from addhash.learning.labels import as_labels
    >>> as_labels(["ham", "spam"]).tolist()
    ['ham', 'spam']
    """
    if isinstance(y, str | bytes):
        raise ParameterError(f"Expected a label for each example, got the single label {y!r:.80}.")
    if isinstance(y, list):
        y = tuple(y)  # labels are read more than once, and another thread may change the list
    if isinstance(y, tuple) and any(isinstance(label, str) for label in y):
        return _texts(y)
    if is_arrow_column(y) and not is_table(y) and (column := arrow_column(y)) is not None:
        return _of_column(column)
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ParameterError(
            f"Expected labels in one dimension, got an array of shape {labels.shape}."
        )
    if len(labels) == 0:
        return labels
    _check_present(labels)
    if labels.dtype.kind in "OTS":
        return _texts(labels.tolist()) if isinstance(labels[0], str) else _plain(labels)
    return _plain(labels)


def _of_column(column: native.ArrowTable) -> Array:
    """Return an Arrow column as labels; only distinct ones become str."""
    try:
        if column.kind(0) != "text":
            return _plain(column.numbers(0))
        distinct, codes = column.texts(0, False).numbered()
    except native.ArrowError as error:
        raise ParameterError(f"Cannot read labels from the Arrow data: {error}.") from None
    except native.Failure as failure:
        raise ParameterError(
            f"Label {failure.position} is null; expected a text or a number."
            " Drop the example, or give it a label."
        ) from None
    if not distinct:
        return np.empty(0)
    classes = _texts(distinct)
    is_large = classes.itemsize * len(codes) > MOST_BYTES
    labels: Array = classes.astype(object)[codes] if is_large else classes[codes]
    return labels


def _texts(labels: Sequence[Any]) -> Array:
    for i, label in enumerate(labels):
        if not isinstance(label, str):
            raise ParameterError(
                f"Labels must be all texts or all numbers. Got {_shown(label)} as label {i},"
                f" but label {0 if i else 1} is a text."
                if isinstance(label, int | float) and label == label
                else f"Label {i} is {_shown(label)}; expected a text or a number."
                " Drop the example, or give it a label."
            )
        if label.endswith("\0"):
            raise ParameterError(f"Label {i}, {label!r:.80}, ends with a NUL character.")
    is_large = max(map(len, labels)) * len(labels) * 4 > MOST_BYTES
    return np.array(labels, object if is_large else None)


def _check_present(labels: Array) -> None:
    if labels.dtype.kind == "f":
        missing = np.isnan(labels)
    elif labels.dtype.kind == "O":
        missing = np.array([x is None or (isinstance(x, float) and x != x) for x in labels])
    else:
        return
    if missing.any():
        i = int(missing.argmax())
        raise ParameterError(
            f"Label {i} is {_shown(labels[i])}; expected a text or a number."
            " Drop the example, or give it a label."
        )


def _plain(labels: Array) -> Array:
    """Return numbers in one type per kind."""
    if labels.dtype.kind == "O":
        if any(isinstance(label, str) for label in labels.tolist()):
            return _texts(labels.tolist())
        labels = np.array(labels.tolist())
    if labels.dtype.kind == "u":
        if labels.max(initial=0) > np.iinfo(np.int64).max:
            raise ParameterError(f"Labels must be below 2**63. Got {labels.max()}.")
        return labels.astype(np.int64)
    if labels.dtype.kind == "U":
        return labels
    if labels.dtype.kind not in "ifb":
        raise ParameterError(f"Labels must be texts or numbers. Got an array of {labels.dtype}.")
    if labels.dtype.kind == "f" and not np.array_equal(labels, np.rint(labels)):
        raise ParameterError(
            "Unknown label type: continuous. Labels must be texts or whole numbers; got"
            f" {_shown(labels[labels != np.rint(labels)][0])}."
        )
    return labels.astype({"i": np.int64, "f": np.float64, "b": np.bool_}[labels.dtype.kind])


def _shown(label: Any) -> str:
    return f"{label.item() if isinstance(label, np.generic) else label!r:.80}"


def _kind(labels: Array) -> str:
    return "O" if labels.dtype.kind == "U" else labels.dtype.kind


def joined_classes(known: Array | None, more: Array) -> Array:
    """Return the sorted classes of both, refusing labels of different kinds."""
    if known is None or len(known) == 0:
        return np.unique(more)
    if len(more) == 0:
        return known
    if _kind(known) != _kind(more):
        raise ParameterError(
            f"Got the label {_shown(more[0])}, but the classes so far are {KINDS[_kind(known)]}"
            f" such as {_shown(known[0])}."
        )
    if (numbered(more, known) >= 0).all():
        return known
    if known.dtype.kind == "U" and (known.itemsize + more.itemsize) * len(known) > MOST_BYTES:
        known = known.astype(object)
    return np.union1d(known, more)


def restricted_classes(known: Array | None, classes: Array) -> Array | None:
    """Return those of the known classes that are among some."""
    return None if known is None else known[numbered(known, classes) >= 0]


def numbered(labels: Array, classes: Array) -> Integers:
    """Return the position of each label in the sorted classes, -1 if absent."""
    if len(classes) == 0 or len(labels) == 0 or _kind(labels) != _kind(classes):
        return np.full(len(labels), -1, np.int64)
    if "O" in (labels.dtype.kind, classes.dtype.kind):
        labels, classes = labels.astype(object), classes.astype(object)
    positions = np.searchsorted(classes, labels)
    positions[positions == len(classes)] = 0
    return np.where(classes[positions] == labels, positions, -1).astype(np.int64)


def classes_part(classes: Array | None) -> Array:
    """Return classes for a file; None means no classes at all."""
    labels = None if classes is None else classes.tolist()
    for label in labels or []:
        if not isinstance(label, str | int | float):
            raise ModelFileError(
                f"Cannot save the label {label!r:.80} of type {type(label).__name__};"
                " labels must be texts or numbers."
            )
    return json_part(labels)


def classes_from_parts(parts: Parts, name: str) -> Array | None:
    """Return classes from a file, sorted and each once."""
    labels = parts.json(name)
    if labels is None:
        return None
    require(isinstance(labels, list), name)
    kinds = {type(label) for label in labels}
    require(len(kinds) <= 1 and kinds <= {str, int, float, bool}, name)
    require(all(a < b for a, b in pairwise(labels)), f"order of {name}")
    return as_labels(labels) if labels else np.empty(0, np.int64)
