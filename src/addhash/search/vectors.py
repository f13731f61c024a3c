"""Vectors from the user: checked and converted to a type that the native core reads."""

from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.errors import AddhashError, VectorError
from addhash.runtime import native, refusal

LARGEST_INTEGER = 2**53
MAGNITUDES = (1e-120, 1e120)

# Each numeric type, and the native core's type that can represent all its values.
_READ_AS = {
    "bool": np.int16,
    "int8": np.int16,
    "uint8": np.int16,
    "int16": np.int16,
    "uint16": np.int32,
    "int32": np.int32,
    "uint32": np.int64,
    "int64": np.int64,
    "uint64": np.int64,
    "float16": np.float32,
    "float32": np.float32,
    "float64": np.float64,
}

_AS_THEY_ARE = {np.dtype(kind) for kind in (np.int16, np.int32, np.int64, np.float32, np.float64)}


def as_vectors(vectors: Any, n_features: int, what: str = "vectors") -> npt.NDArray[Any]:
    """Return vectors as a contiguous matrix of a type that the native core supports.

    Parameters
    ----------
    vectors : array-like of shape (n, n_features)
        Integers or floats; integers may go up to 2**53 in magnitude.
    n_features : int
        The width to expect.
    what : str
        What errors call them.

    Examples
    --------
    >>> from addhash.search.vectors import as_vectors
    >>> as_vectors([[1, 2, 3]], 3).dtype.name
    'int64'
    """
    if (
        type(vectors) is np.ndarray
        and vectors.dtype in _AS_THEY_ARE
        and vectors.shape[1:] == (n_features,)
        and vectors.flags.c_contiguous
        and vectors.flags.aligned
    ):
        return vectors
    if hasattr(vectors, "toarray") and not isinstance(vectors, np.ndarray):
        raise VectorError(
            f"Expected dense {what}, got a sparse {type(vectors).__name__}; use its toarray()."
        )
    try:
        matrix = np.asarray(vectors)
    except ValueError as error:
        raise VectorError(f"Expected a matrix of {what}; got rows of different lengths.") from error
    if matrix.size == 0 and matrix.ndim < 2:
        matrix = np.empty((0, n_features), np.int16)
    if isinstance(vectors, np.ma.MaskedArray):
        _check_unmasked(vectors, what)
    read_as = _READ_AS.get(matrix.dtype.name)
    if read_as is None:
        raise VectorError(
            f"Expected {what} of integers or floats, got dtype {matrix.dtype};"
            " convert them to float64 or an integer type."
        )
    if matrix.ndim != 2:
        hint = "; for a single vector use vector.reshape(1, -1)" if matrix.ndim == 1 else ""
        raise VectorError(
            f"Expected a matrix of {what} with {n_features} columns, got an array of shape"
            f" {matrix.shape}{hint}."
        )
    if matrix.shape[1] != n_features:
        raise VectorError(
            f"Expected {what} of {n_features} components, got {matrix.shape[1]};"
            " all vectors must come from the same vectorizer."
        )
    if matrix.dtype.name == "uint64" and len(matrix):
        row = int(matrix.max(axis=1).argmax())
        if matrix[row].max() > LARGEST_INTEGER:
            raise vector_refusal(native.Status.too_large, row, what)
    return np.require(matrix, read_as, ["C_CONTIGUOUS", "ALIGNED"])


def check_comparable(vectors: Any, n_features: int, what: str = "vectors") -> npt.NDArray[Any]:
    """Return vectors like `as_vectors`, but refuse those without an exact cosine."""
    matrix = as_vectors(vectors, n_features, what)
    if len(matrix) == 0 or (matrix.dtype.itemsize <= 4 and matrix.dtype.kind == "i"):
        return matrix
    if matrix.dtype.kind == "i":
        low, high = matrix.min(axis=1), matrix.max(axis=1)
        _refuse_rows(
            (low < -LARGEST_INTEGER) | (high > LARGEST_INTEGER), native.Status.too_large, what
        )
        return matrix
    largest = np.maximum(matrix.max(axis=1), -matrix.min(axis=1)).astype(np.float64)
    _refuse_rows(np.isnan(largest), native.Status.nan, what)
    _refuse_rows(np.isinf(largest), native.Status.infinite, what)
    is_odd = (largest != 0) & ((largest < MAGNITUDES[0]) | (largest > MAGNITUDES[1]))
    _refuse_rows(is_odd, native.Status.out_of_range, what)
    return matrix


def _refuse_rows(are_wrong: npt.NDArray[np.bool_], status: native.Status, what: str) -> None:
    if are_wrong.any():
        raise vector_refusal(status, int(are_wrong.argmax()), what)


def _check_unmasked(vectors: Any, what: str) -> None:
    masked = np.ma.getmaskarray(vectors)
    if masked.any():
        row = int(np.argwhere(masked)[0][0])
        raise VectorError(
            f"Row {row} of the {what} has masked components; expected numbers. Fill them first."
        )


def vector_refusal(status: native.Status, row: int, what: str) -> AddhashError:
    """Return the exception for a row that cannot be compared exactly."""
    return refusal(status, f"Row {row} of the {what}")
