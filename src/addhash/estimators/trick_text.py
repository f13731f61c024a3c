"""The hashing trick for text: scikit-learn's HashingVectorizer, many times faster."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer as SklearnHashingVectorizer

from addhash.conventions import kept_for
from addhash.estimators.hooks import analysis_of, extended
from addhash.estimators.sparse import (
    SparseMatrix,
    SparseRows,
    finish_foreign,
    is_common_dtype,
    is_native_dtype,
    mark_canonical,
)
from addhash.hashing.trick import BucketHashing
from addhash.parameters import TEXT, TRICK, NormName, check_parameters
from addhash.runtime import resolve_threads
from addhash.text.analysis import Analysis
from addhash.text.reading import check_iterable


class HashingVectorizer(SklearnHashingVectorizer):
    """Count the tokens of texts in hashed buckets: the paper's Algorithms 1 and 2.

    A drop-in replacement for scikit-learn's class of the same name: every parameter has the
    same meaning and the matrices are identical. ``alternate_sign=False`` is the plain hashing
    trick (Algorithm 1), ``True`` the signed one (Algorithm 2).

    All parameters but `n_jobs` are those of ``sklearn.feature_extraction.text.HashingVectorizer``.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Threads to use; None means every core available to the process. The result does not depend
        on it.

    Examples
    --------
    >>> from addhash import HashingVectorizer
    >>> X = HashingVectorizer(n_features=32).transform(
    ...     ["John likes to watch movies", "Mary also likes to watch movies"]
    ... )
    >>> X.shape
    (2, 32)
    >>> print(f"{(X[[0]] @ X[[1]].T).toarray().item():.4f}")
    0.7303
    """

    def __init__(self, *, n_jobs: int | None = None, **parameters: Any) -> None:
        super().__init__(**parameters)
        self.n_jobs = n_jobs

    # scikit-learn's own, whatever its version has, for get_params, clone and help().
    setattr(__init__, "__signature__", extended(SklearnHashingVectorizer.__init__, n_jobs=None))  # noqa: B010

    def _check(self) -> None:
        if _is_reversed(self.ngram_range):
            self._validate_ngram_range()  # raises, in scikit-learn's words
        check_parameters(self, TEXT | TRICK)

    def _prepared(self) -> tuple[tuple[Analysis, BucketHashing], bool]:
        """Return how texts are tokenized and hashed, and whether only parameters matter."""
        self._check()
        is_native = is_native_dtype(self.dtype)
        norm: NormName | None = self.norm if is_native else None
        hashing = BucketHashing(
            int(self.n_features),
            bool(self.alternate_sign),
            bool(self.binary) and is_native,
            norm,
            single=is_native and np.dtype(self.dtype).itemsize == 4,
        )
        analysis = analysis_of(self)
        return (analysis, hashing), analysis.is_native and self.stop_words is None

    def transform(self, X: Iterable[Any]) -> SparseMatrix:
        """Turn texts into a sparse matrix of bucket counts.

        Parameters
        ----------
        X : iterable of str or bytes
            The texts, or files or file names if `input` says so.

        Returns
        -------
        X : sparse matrix of shape (n_samples, n_features)
        """
        check_iterable(X)
        if not is_common_dtype(self.dtype):
            self._check()
            return super().transform(X)
        analysis, hashing = kept_for(self, self._prepared)
        is_native = is_native_dtype(self.dtype)
        rows = SparseRows(self.dtype)
        for part in hashing.of_texts(analysis, X, resolve_threads(self.n_jobs)):
            rows.append(part)
        rows.check_any()
        result = mark_canonical(rows.to_csr(self.n_features))
        if not is_native:
            result = finish_foreign(result, self.binary, self.norm)
        return result


def _is_reversed(ngram_range: Any) -> bool:
    try:
        min_n, max_n = ngram_range
        return bool(min_n > max_n)
    except (TypeError, ValueError):
        return False
