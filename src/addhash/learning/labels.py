"""Class labels, checked and numbered in sorted order."""

from collections.abc import Sequence, Sized
from typing import Any

import numpy as np

from addhash.arrays import Array, Integers
from addhash.arrow.records import is_table
from addhash.arrow.texts import arrow_column, is_arrow_column
from addhash.errors import ParameterError
from addhash.runtime import native

# Text arrays reserve room for the longest one; beyond this length they hold references instead.
MOST_BYTES = 1 << 26
SEVERAL = (
    "For several labels per example, use one classifier per label: scikit-learn's"
    " OneVsRestClassifier."
)
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
    if isinstance(y, tuple):
        _check_one_kind(y)
    try:
        labels = np.asarray(y)
    except ValueError as error:  # lists of different lengths
        at, label = next(pair for pair in enumerate(y) if isinstance(pair[1], Sized))
        raise ParameterError(
            f"Label {at} is {label!r:.60}; expected one label for each example. {SEVERAL}"
        ) from error
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ParameterError(
            f"Expected labels in one dimension, got an array of shape {labels.shape}. {SEVERAL}"
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
    # A member of an enumeration is its value, not its name.
    texts = [label if type(label) is str else str.__str__(label) for label in labels]
    return np.array(texts, object if is_large else None)


def _check_one_kind(labels: Sequence[Any]) -> None:
    """Refuse numbers of several kinds, which NumPy would turn into one: True, 1 and 1.0."""
    each = [*map(_kind_of, labels)]
    kinds = {kind: i for i, kind in reversed([*enumerate(each)]) if kind}
    if len(kinds) > 1:
        (one, first), (other, second) = sorted(kinds.items(), key=lambda found: found[1])[:2]
        raise ParameterError(
            f"Labels must be all of one kind. Got {_shown(labels[second])} as label {second}"
            f" ({KINDS[other]}), but label {first} is {_shown(labels[first])} ({KINDS[one]})."
        )
    # What is no number at all, such as None, is told later.
    whole = [label for label, kind in zip(labels, each, strict=True) if kind == "i"]
    if whole and not -(2**63) <= min(whole) <= max(whole) < 2**63:
        wrong = next(label for label in whole if not -(2**63) <= label < 2**63)
        raise ParameterError(f"Labels must be from -2**63 to 2**63 - 1. Got {_shown(wrong)}.")


def _kind_of(label: Any) -> str | None:
    if isinstance(label, bool | np.bool_):
        return "b"
    if isinstance(label, int | np.integer):
        return "i"
    is_number = isinstance(label, float | np.floating) and label == label
    return "f" if is_number else None


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
        _check_one_kind(labels.tolist())
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
    if labels.dtype.kind == "f":
        if np.isinf(labels).any():
            raise ParameterError(
                f"Label {int(np.isinf(labels).argmax())} is infinite; expected a text or a number."
            )
        return labels.astype(np.float64) + 0.0  # -0.0 is 0.0
    return labels.astype({"i": np.int64, "b": np.bool_}[labels.dtype.kind])


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
    is_new = numbered(more, known) < 0
    if not is_new.any():
        return known
    if known.dtype.kind == "U" and (known.itemsize + more.itemsize) * len(known) > MOST_BYTES:
        known = known.astype(object)
    new = np.unique(more[is_new])
    both = np.promote_types(known.dtype, new.dtype)
    known, new = known.astype(both, copy=False), new.astype(both, copy=False)
    return np.insert(known, np.searchsorted(known, new), new)


def numbered(labels: Array, classes: Array) -> Integers:
    """Return the position of each label in the sorted classes, -1 if absent."""
    if len(classes) == 0 or len(labels) == 0 or _kind(labels) != _kind(classes):
        return np.full(len(labels), -1, np.int64)
    if "O" in (labels.dtype.kind, classes.dtype.kind):
        labels, classes = labels.astype(object), classes.astype(object)
    positions = np.searchsorted(classes, labels)
    positions[positions == len(classes)] = 0
    return np.where(classes[positions] == labels, positions, -1).astype(np.int64)
