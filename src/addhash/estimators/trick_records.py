"""The hashing trick for records: scikit-learn's FeatureHasher, faster."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction import FeatureHasher as SklearnFeatureHasher

from addhash.estimators.sparse import (
    SparseMatrix,
    SparseRows,
    is_native_dtype,
    mark_canonical,
)
from addhash.hashing.trick import BucketHashing
from addhash.parameters import HASHER, TRICK, check_parameters
from addhash.runtime import resolve_threads


class FeatureHasher(SklearnFeatureHasher):
    """Put the features of records into hashed buckets.

    A drop-in replacement for scikit-learn's class of the same name: every parameter has the
    same meaning and the matrices are identical.

    The parameters are those of ``sklearn.feature_extraction.FeatureHasher``.

    Parameters
    ----------
    n_features : int, default=2**20
    input_type : {"dict", "pair", "string"}, default="dict"
    dtype : dtype, default=float64
    alternate_sign : bool, default=True

    Examples
    --------
    >>> from addhash import FeatureHasher
    >>> FeatureHasher(n_features=8).transform([{"dog": 1, "cat": 2}]).toarray()
    array([[ 0.,  0.,  0.,  0.,  0., -1.,  0.,  2.]])
    """

    def transform(self, raw_X: Iterable[Any]) -> SparseMatrix:
        """Turn records into a sparse matrix.

        Parameters
        ----------
        raw_X : iterable of records
            Dicts, iterables of (name, value) pairs, or iterables of strings, by `input_type`. For
            dicts, also a pandas, Polars or pyarrow table, or anything else with the Arrow PyCapsule
            interface: its columns are the names, and a null is a missing feature.

        Returns
        -------
        X : sparse matrix of shape (n_samples, n_features)
        """
        check_parameters(self, TRICK | HASHER)
        records = _checked(raw_X) if self.input_type == "string" else raw_X
        hashing = BucketHashing(
            int(self.n_features),
            bool(self.alternate_sign),
            single=np.dtype(self.dtype) == np.float32,
        )
        rows = SparseRows(self.dtype)
        if is_native_dtype(self.dtype):
            rows.append(hashing.of_records(self.input_type, records, resolve_threads(None)))
            rows.check_any()
            result = mark_canonical(rows.to_csr(self.n_features))
        else:
            for row_starts, buckets, values in hashing.entries_of_records(self.input_type, records):
                rows.append((row_starts, buckets, _converted(values, self.dtype)))
            rows.check_any()
            result = rows.to_csr(self.n_features)
            result.sum_duplicates()
        return result


def _converted(values: npt.NDArray[np.float64], dtype: Any) -> npt.NDArray[Any]:
    if np.dtype(dtype).kind == "f":
        return values.astype(dtype, copy=False)
    # One by one, so that a bad value raises what it raises in scikit-learn.
    return np.fromiter(values.tolist(), dtype=dtype, count=len(values))


def _checked(records: Iterable[Any]) -> Iterable[Any]:
    """Refuse the usual mistake, texts instead of lists of strings, if it comes first."""
    rest = iter(records)
    for first in rest:
        if isinstance(first, str):
            raise ValueError(
                "Samples can not be a single string. The input must be an iterable over iterables"
                f" of strings. Got {first!r:.80} as the first sample."
            )
        return records if isinstance(records, list | tuple) else chain([first], rest)
    return ()
