"""Sparse output: CSR matrices assembled as scikit-learn does."""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn import get_config
from sklearn.preprocessing import normalize

from addhash.hashing.trick import Csr

__all__ = [
    "SparseRows",
    "finish_foreign",
    "is_common_dtype",
    "is_native_dtype",
    "mark_canonical",
]

Array = npt.NDArray[Any]


def is_common_dtype(dtype: Any) -> bool:
    """Return whether counts of this dtype equal scikit-learn's; others are left to it."""
    dtype = np.dtype(dtype)
    return dtype.isnative and (dtype.kind == "i" or dtype in (np.float64, np.float32))


def is_native_dtype(dtype: Any) -> bool:
    """Return whether the native core writes, and normalises, values of this dtype."""
    return np.dtype(dtype) in (np.dtype(np.float64), np.dtype(np.float32))


class SparseRows:
    """CSR rows that come in batches."""

    def __init__(self) -> None:
        self._row_starts = [np.zeros(1, np.int64)]
        self._buckets: list[Array] = []
        self._values: list[Array] = []

    def append(self, part: Csr) -> None:
        """Add the rows of one batch."""
        row_starts, buckets, values = part
        self._row_starts.append(row_starts[1:] + self._row_starts[-1][-1])
        self._buckets.append(buckets)
        self._values.append(values)

    def to_csr(self, n_features: int, dtype: Any) -> Any:
        """Return the rows as one matrix; raise scikit-learn's error if there are none.

        The matrix is of the kind that scikit-learn is configured for.
        """
        indptr = np.concatenate(self._row_starts)
        if len(indptr) == 1:
            raise ValueError("Cannot vectorize empty sequence.")
        values, indices = _join(self._values), _join(self._buckets)
        # Both index arrays have one dtype, as in scikit-learn: int32 while the entries allow it.
        if indptr[-1] > np.iinfo(np.int32).max:
            indices = indices.astype(np.int64)
        else:
            indptr = indptr.astype(np.int32)
        X = _container()((len(indptr) - 1, int(n_features)), dtype=dtype)
        # The constructor would look through all indices, which takes time.
        X.data, X.indices, X.indptr = values.astype(dtype, copy=False), indices, indptr
        return X


def _join(arrays: list[Array]) -> Array:
    """Concatenate arrays, dropping each once it is copied."""
    if len(arrays) == 1:
        return arrays[0]
    joined = np.empty(sum(map(len, arrays)), arrays[0].dtype)
    filled = 0
    while arrays:
        array = arrays.pop(0)
        joined[filled : filled + len(array)] = array
        filled += len(array)
    return joined


def mark_canonical(X: Any) -> Any:
    """Mark a matrix's rows as sorted and free of duplicates."""
    X.has_sorted_indices = True
    X.has_canonical_format = True
    return X


def _container() -> Any:
    is_array = get_config().get("sparse_interface", "spmatrix") == "sparray"
    return sp.csr_array if is_array else sp.csr_matrix


def finish_foreign(X: Any, binary: bool, norm: str | None) -> Any:
    """Do in Python what the native core does for float64 and float32."""
    if binary:
        X.data.fill(1)
    return X if norm is None else normalize(X, norm=norm, copy=False)
