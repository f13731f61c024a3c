"""scikit-learn's CountVectorizer and TF-IDF, many times faster: tokens are counted in the core."""

from collections.abc import Iterable
from copy import copy
from dataclasses import fields
from operator import attrgetter
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import _fit_context
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer
from sklearn.feature_extraction.text import TfidfTransformer as SklearnTfidfTransformer
from sklearn.feature_extraction.text import TfidfVectorizer as SklearnTfidfVectorizer
from sklearn.utils.validation import check_is_fitted, validate_data

from addhash.conventions import kept_for
from addhash.estimators.hooks import analysis_of
from addhash.estimators.saved_terms import SavedTerms
from addhash.estimators.sparse import (
    SparseMatrix,
    SparseRows,
    as_configured,
    is_common_dtype,
    mark_canonical,
)
from addhash.estimators.terms import Terms
from addhash.hashing.trick import Csr
from addhash.hashing.vocabulary import UnreadableTextError, Vocabulary
from addhash.runtime import native, resolve_threads
from addhash.text.analysis import Analysis
from addhash.text.reading import check_iterable

_analysis_parameters = attrgetter(*(f.name for f in fields(Analysis) if f.name != "whole"))


class NativeCounting(SavedTerms):
    """Overrides what is slow in scikit-learn: counting, and all that is done to the vocabulary.

    The vocabulary is sorted as soon as it is counted, so that nothing is left of sorting it.
    """

    dtype: Any
    ngram_range: Any
    stop_words: Any

    def _analysis(self) -> tuple[Analysis, bool]:
        """Return how texts are tokenized, and whether only parameters matter."""
        analysis = analysis_of(self)
        is_plain = self.stop_words is None and isinstance(self.ngram_range, tuple)
        return analysis, analysis.is_native and is_plain

    def _count_vocab(self, raw_documents: Iterable[Any], fixed_vocab: bool) -> Any:
        check_iterable(raw_documents)
        analysis = kept_for(self, self._analysis, _analysis_parameters(self))
        terms = self._terms() if fixed_vocab else None
        is_native = analysis.is_native and is_common_dtype(self.dtype)
        if not is_native or (fixed_vocab and terms is None):
            vocabulary, X = super()._count_vocab(raw_documents, fixed_vocab)  # type: ignore[misc]
            if not fixed_vocab:
                X = super()._sort_features(X, vocabulary)  # type: ignore[misc]
            return vocabulary, X
        threads = resolve_threads(None)
        vocabulary = Vocabulary() if terms is None else terms.vocabulary
        rows = SparseRows(self.dtype)
        unreadable: dict[str, int] | None = None
        try:
            count = vocabulary.learn if terms is None else vocabulary.count
            as_integers = np.dtype(self.dtype).kind == "i"
            for part in count(analysis, raw_documents, threads, as_integers=as_integers):
                rows.append(part)
        except UnreadableTextError as error:
            unreadable = vocabulary.to_dict(np.arange(len(vocabulary), dtype=np.int32))
            rows.append(self._counted_in_python(error.rest, unreadable, fixed_vocab))
        if fixed_vocab:
            return None, mark_canonical(rows.to_csr(len(vocabulary)))
        if not unreadable and not len(vocabulary):
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        if unreadable is not None:
            X = rows.to_csr(len(unreadable))
            return unreadable, super()._sort_features(X, unreadable)  # type: ignore[misc]
        learnt = Terms.sorted(vocabulary)
        rows.renumber(learnt.columns, threads)
        return learnt, rows.to_csr(len(vocabulary))

    def _counted_in_python(
        self, texts: Iterable[str], numbers: dict[str, int], is_fixed: bool
    ) -> Csr:
        """Count texts, some of which the core cannot read, and number their new tokens."""
        reading: Any = copy(self)
        reading.input = "content"  # they have been read
        analyze = reading.build_analyzer()
        row_starts, columns, counts = [0], [], []
        for text in texts:
            row: dict[int, int] = {}
            for token in analyze(text):
                if is_fixed and token not in numbers:
                    continue
                number = numbers.setdefault(token, len(numbers))
                row[number] = row.get(number, 0) + 1
            for number in sorted(row):
                columns.append(number)
                counts.append(row[number])
            row_starts.append(len(columns))
        return (
            np.array(row_starts, np.int64),
            np.array(columns, np.int32),
            np.array(counts, np.int64 if np.dtype(self.dtype).kind == "i" else np.float64),
        )

    def _check_vocabulary(self) -> None:
        if not self._is_learnt():
            super()._check_vocabulary()

    def _sort_features(self, X: Any, vocabulary: dict[Any, Any]) -> Any:
        return X

    def _limit_features(self, X: Any, vocabulary: Any, high: Any, low: Any, limit: Any) -> Any:
        if not isinstance(vocabulary, Terms):
            X = super()._limit_features(X, vocabulary, high, low, limit)  # type: ignore[misc]
            if limit is None:  # scikit-learn would sort once more, and leave whole numbers
                vocabulary.update(zip(vocabulary, map(int, vocabulary.values()), strict=True))
            return X
        if limit is None and low <= 1 and high >= X.shape[0]:
            return X
        # As scikit-learn does it, but for the dict.
        frequencies = np.bincount(X.indices, minlength=X.shape[1])
        mask = (frequencies >= low) & (frequencies <= high)
        if limit is not None and mask.sum() > limit:
            totals = np.asarray(X.sum(axis=0)).ravel()
            commonest = (-totals[mask]).argsort()[:limit]
            columns = np.flatnonzero(mask)[commonest]
            mask = np.zeros(len(mask), dtype=bool)
            mask[columns] = True
        if not mask.any():  # raises
            super()._limit_features(X, vocabulary.to_dict(), high, low, limit)  # type: ignore[misc]
        vocabulary.keep(mask, has_numpy_numbers=limit is not None)
        return X[:, np.flatnonzero(mask)]


class CountVectorizer(NativeCounting, SklearnCountVectorizer):
    """Count the tokens of texts: a drop-in replacement for scikit-learn's class of the same name.

    The parameters, attributes and methods are those of
    ``sklearn.feature_extraction.text.CountVectorizer``, and the results are the same. Texts are
    tokenized and counted in the native core, on every core available to the process
    (OMP_NUM_THREADS limits them); `analyzer`, `tokenizer` and `preprocessor` functions and unusual
    token patterns run in Python, as in scikit-learn.

    `vocabulary_` is made when it is first looked at. It must be replaced as a whole, not changed in
    place. `save` writes a file without pickle.

    Examples
    --------
    >>> from addhash import CountVectorizer
    >>> vectorizer = CountVectorizer()
    >>> X = vectorizer.fit_transform(["to be or not to be", "to do is to be"])
    >>> vectorizer.get_feature_names_out().tolist()
    ['be', 'do', 'is', 'not', 'or', 'to']
    >>> X.toarray()
    array([[2, 0, 0, 1, 1, 2],
           [1, 1, 1, 0, 0, 2]])
    """

    _kind = "CountVectorizer"


class TfidfVectorizer(NativeCounting, SklearnTfidfVectorizer):
    """Turn texts into TF-IDF features: a drop-in replacement for scikit-learn's class.

    The parameters, attributes and methods are those of
    ``sklearn.feature_extraction.text.TfidfVectorizer``. Tokens are counted as in
    `CountVectorizer`; the weights are scikit-learn's own.

    Examples
    --------
    >>> from addhash import TfidfVectorizer
    >>> X = TfidfVectorizer().fit_transform(["to be or not to be", "to do is to be"])
    >>> X.toarray().round(2)
    array([[0.58, 0.  , 0.  , 0.41, 0.41, 0.58],
           [0.33, 0.47, 0.47, 0.  , 0.  , 0.67]])
    """

    _kind = "TfidfVectorizer"

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, raw_documents: Iterable[Any], y: Any = None) -> Self:
        """Learn the vocabulary and the idf of its terms.

        Parameters
        ----------
        raw_documents : iterable of str, bytes or files
        y : None
            Ignored.

        Returns
        -------
        self
        """
        self._check_params()
        self._warn_for_unused_params()
        self._learn(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[Any], y: Any = None) -> SparseMatrix:
        """Learn the vocabulary and the idf of its terms, and return the rows of the documents.

        Parameters
        ----------
        raw_documents : iterable of str, bytes or files
        y : None
            Ignored.

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_terms)
        """
        self._check_params()
        return self._weighed(self._learn(raw_documents))

    def transform(self, raw_documents: Iterable[Any]) -> SparseMatrix:
        """Return the rows of documents.

        Parameters
        ----------
        raw_documents : iterable of str, bytes or files

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_terms)
        """
        check_is_fitted(self, msg="The TF-IDF vectorizer is not fitted")
        return self._weighed(SklearnCountVectorizer.transform(self, raw_documents))

    def _weighed(self, X: Any) -> SparseMatrix:
        """Weigh counts, which need no check unless something was replaced."""
        weights = self._tfidf
        if (
            isinstance(weights, TfidfTransformer)
            and X.dtype in (np.float64, np.float32)
            and X.shape[1] == weights.n_features_in_
            and weights._can_scale(X)
        ):
            return weights._scale(X)
        return weights.transform(X, copy=False)

    def _learn(self, raw_documents: Iterable[Any]) -> Any:
        """As scikit-learn does it, with the transformer below."""
        self._tfidf = self._new_weights()
        X = SklearnCountVectorizer.fit_transform(self, raw_documents)
        self._tfidf.fit(X)
        return X

    def _new_weights(self) -> Any:
        return TfidfTransformer(
            norm=self.norm,
            use_idf=self.use_idf,
            smooth_idf=self.smooth_idf,
            sublinear_tf=self.sublinear_tf,
        )


class TfidfTransformer(  # type: ignore[call-arg]  # scikit-learn is not typed
    SklearnTfidfTransformer, auto_wrap_output_keys=None
):
    """Weigh a matrix of counts by TF-IDF: a drop-in replacement for scikit-learn's class.

    Rows are weighed and normalised in the native core, with the roundings of scikit-learn.

    Parameters
    ----------
    norm : {"l1", "l2"} or None, default="l2"
    use_idf : bool, default=True
    smooth_idf : bool, default=True
    sublinear_tf : bool, default=False

    Examples
    --------
    >>> from addhash import CountVectorizer, TfidfTransformer
    >>> counts = CountVectorizer().fit_transform(["to be or not to be", "to do is to be"])
    >>> TfidfTransformer().fit_transform(counts).shape
    (2, 6)
    """

    def transform(self, X: Any, copy: bool = True) -> SparseMatrix:
        """Return counts weighed by idf and normalised.

        Parameters
        ----------
        X : sparse matrix of shape (n_samples, n_features)
        copy : bool, default=True
            Whether to leave X as it is.

        Returns
        -------
        vectors : sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = validate_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], copy=copy, reset=False
        )
        if sp.issparse(X) and self._can_scale(X) and self._is_bounded(X):
            return self._scale(X)
        return super().transform(X, copy=False)

    def _can_scale(self, X: Any) -> bool:
        """Return whether the core takes this matrix, with these weights."""
        if self.norm not in ("l1", "l2", None) or X.indptr.dtype != X.indices.dtype or not X.nnz:
            return False
        arrays = [X.indptr, X.indices, X.data]
        idf = getattr(self, "idf_", None)
        if idf is not None:
            if not isinstance(idf, np.ndarray) or idf.dtype != X.dtype or idf.shape != X.shape[1:]:
                return False
            arrays.append(idf)
            if not -_MOST <= idf.min() <= idf.max() <= _MOST:
                return False
        is_plain = all(array.flags.c_contiguous and array.dtype.isnative for array in arrays)
        return is_plain and bool(X.data.flags.writeable)

    def _is_bounded(self, X: Any) -> bool:
        """Return whether columns exist and weights are finite; errors are scikit-learn's."""
        least, greatest = X.data.min(), X.data.max()
        return bool(
            (least > 0 if self.sublinear_tf else least >= -_MOST)
            and greatest <= _MOST
            and X.indices.min() >= 0
            and X.indices.max() < X.shape[1]
        )

    def _scale(self, X: Any) -> SparseMatrix:
        """Weigh a matrix in place."""
        if self.sublinear_tf:
            np.log(X.data, X.data)
            X.data += 1.0
        idf = getattr(self, "idf_", None)
        threads = resolve_threads(None)
        native.scale_rows(X.indptr, X.indices, X.data, idf, self.norm or "none", threads)
        return as_configured(X)


# The product of two such numbers is finite, also in float32.
_MOST = 1e15
