"""Sparse output: CSR matrices assembled as scikit-learn does."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn import get_config
from sklearn.preprocessing import normalize

from addhash.arrays import Array
from addhash.hashing.trick import Csr
from addhash.runtime import native

# What a vectorizer returns; which of both is scikit-learn's setting.
SparseMatrix: TypeAlias = "sp.csr_matrix | sp.csr_array"


def is_common_dtype(dtype: Any) -> bool:
    """Return whether counts of this dtype equal scikit-learn's; others are left to it."""
    dtype = np.dtype(dtype)
    return dtype.isnative and (dtype.kind == "i" or dtype in (np.float64, np.float32))


def is_native_dtype(dtype: Any) -> bool:
    """Return whether the native core writes, and normalises, values of this dtype."""
    return np.dtype(dtype) in (np.dtype(np.float64), np.dtype(np.float32))


class SparseRows:
    """CSR rows that come in batches, and become one matrix of a dtype."""

    def __init__(self, dtype: Any) -> None:
        self._dtype = np.dtype(dtype)
        self._row_starts = [np.zeros(1, np.int64)]
        self._buckets = np.empty(0, np.int32)
        self._values = np.empty(0, self._dtype)

    def append(self, part: Csr) -> None:
        """Add the rows of one batch."""
        row_starts, buckets, values = part
        self._row_starts.append(row_starts[1:] + self._row_starts[-1][-1])
        self._buckets = _extended(self._buckets, buckets)
        self._values = _extended(self._values, values.astype(self._dtype, copy=False))

    def renumber(self, numbers: npt.NDArray[np.int32], threads: int) -> None:
        """Replace each bucket by its number."""
        native.renumber(self._buckets, numbers, threads)

    def check_any(self) -> None:
        """Raise scikit-learn's error if there is no row."""
        if sum(map(len, self._row_starts)) == 1:
            raise ValueError("Cannot vectorize empty sequence.")

    def to_csr(self, n_features: int) -> Any:
        """Return the rows as one matrix, of the kind that scikit-learn is configured for."""
        indptr, indices = np.concatenate(self._row_starts), self._buckets
        # Both index arrays have one dtype, as in scikit-learn: int32 while the entries allow it.
        if indptr[-1] > np.iinfo(np.int32).max:
            indices = indices.astype(np.int64)
        else:
            indptr = indptr.astype(np.int32)
        X = _container()((len(indptr) - 1, int(n_features)), dtype=self._dtype)
        # The constructor would look through all indices, which takes time.
        X.data, X.indices, X.indptr = self._values, indices, indptr
        return X


def _extended(array: Array, more: Array) -> Array:
    """Return an array with more elements, in its own memory if it can grow."""
    if not len(array):
        return more
    if array.base is not None:
        array = array.copy()
    length = len(array)
    # The memory of a large array is mapped anew, not copied.
    array.resize(length + len(more), refcheck=False)
    array[length:] = more
    return array


def mark_canonical(X: Any) -> Any:
    """Mark a matrix's rows as sorted and free of duplicates."""
    X.has_sorted_indices = True
    X.has_canonical_format = True
    return X


def _container() -> Any:
    is_array = get_config().get("sparse_interface", "spmatrix") == "sparray"
    return sp.csr_array if is_array else sp.csr_matrix


def as_configured(X: Any) -> Any:
    """Return a matrix as the kind that scikit-learn is configured for, if that can be chosen."""
    if "sparse_interface" not in get_config() or isinstance(X, _container()):
        return X
    return _container()(X)


def finish_foreign(X: Any, binary: bool, norm: str | None) -> Any:
    """Do in Python what the native core does for float64 and float32."""
    if binary:
        X.data.fill(1)
    return X if norm is None else normalize(X, norm=norm, copy=False)
