"""Vectors as the user gives them: checked, and in a type that the native core reads."""

from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from addhash.errors import VectorError

__all__ = ["as_vectors", "raise_vector_failure"]

LARGEST_INTEGER = 2**53

# Each numeric type, and the one of the native core that holds all its values.
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


def as_vectors(vectors: Any, n_features: int, what: str = "vectors") -> npt.NDArray[Any]:
    """Return vectors as a contiguous matrix of a type that the native core reads.

    Parameters
    ----------
    vectors : array-like of shape (n, n_features)
        Integers or floats; integers may go up to 2**53 in magnitude.
    n_features : int
        The width to expect.
    what : str
        How errors call them.

    Examples
    --------
    >>> from addhash.vectors import as_vectors
    >>> as_vectors([[1, 2, 3]], 3).dtype.name
    'int64'
    """
    if issparse(vectors):
        raise VectorError(
            f"Expected dense {what}, got a sparse {type(vectors).__name__}; use its toarray()."
        )
    try:
        matrix = np.asarray(vectors)
    except ValueError as error:
        raise VectorError(
            f"Expected a matrix of {what}; rows of different lengths came."
        ) from error
    if matrix.size == 0 and matrix.ndim < 2:
        matrix = np.empty((0, n_features), np.int16)
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
            raise_vector_failure(("too_large", row), what)
    return np.ascontiguousarray(matrix, read_as)


def raise_vector_failure(failure: tuple[str, int], what: str) -> NoReturn:
    """Raise what the native core found wrong with a row."""
    kind, row = failure
    where = f"Row {row} of the {what}"
    if kind == "nan":
        raise VectorError(
            f"{where} holds NaN; expected finite numbers."
            " Drop the row, or replace the missing values."
        )
    if kind == "infinite":
        raise VectorError(
            f"{where} holds inf; expected finite numbers. Drop the row, or clip its values."
        )
    if kind == "too_large":
        raise VectorError(
            f"{where} holds an integer beyond 2**53, the largest that is kept exactly;"
            " give floats instead."
        )
    raise VectorError(
        f"{where} has its largest magnitude outside 1e-120 to 1e120; scale it:"
        " the cosine does not change."
    )
