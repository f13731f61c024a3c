"""Vectorizers with a vocabulary in files of our own: settings, terms and weights, no pickle."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.exceptions import NotFittedError

from addhash.estimators.terms import HasTerms
from addhash.files.parts import Parts, member, require, texts_parts
from addhash.files.saved_model import Arrays, SavedModel
from addhash.hashing.vectorizer import CUT, TextVectorizer
from addhash.text.analysis import check_functions

PLAIN = ("input", "encoding", "decode_error", "max_df", "min_df", "max_features", "binary")
WEIGHTS = ("norm", "use_idf", "smooth_idf", "sublinear_tf")


class SavedTerms(HasTerms, SavedModel):
    """Adds `save` and `load` to a vectorizer of scikit-learn's kind.

    Examples
    --------
    >>> import tempfile
    >>> from addhash import TfidfVectorizer
    >>> vectorizer = TfidfVectorizer().fit(["to be or not to be", "to do"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     vectorizer.save(f"{folder}/terms.model")
    ...     loaded = TfidfVectorizer.load(f"{folder}/terms.model")
    >>> (loaded.transform(["to be"]) != vectorizer.transform(["to be"])).nnz
    0
    """

    # scikit-learn's, and the weights of a TF-IDF vectorizer.
    _check_vocabulary: Any
    _validate_params: Any
    _tfidf: Any
    _new_weights: Any

    def _content(self) -> tuple[dict[str, Any], Arrays]:
        own: Any = self
        own._check_vocabulary()
        columns = np.array(list(self.vocabulary_.values()), "<i4")
        terms = np.array(list(self.vocabulary_), object)[np.argsort(columns)]
        settings = {
            "plain": {name: _json_value(getattr(own, name)) for name in PLAIN},
            "dtype": np.dtype(own.dtype).str,
            "cut": TextVectorizer(**{name: getattr(own, name) for name in CUT}).cut_settings(),
            "terms": len(terms),
            "is_fixed": bool(own.fixed_vocabulary_),
        }
        parts = texts_parts(terms.tolist()) | {"columns": columns}
        if not hasattr(own, "norm"):
            return settings, parts
        if not hasattr(own, "_tfidf"):
            raise NotFittedError("The TF-IDF vectorizer is not fitted")
        weights = own._tfidf
        settings["weights"] = {name: _json_value(getattr(weights, name)) for name in WEIGHTS}
        if hasattr(weights, "idf_"):
            parts["idf"] = weights.idf_.astype(weights.idf_.dtype.newbyteorder("<"))
        return settings, parts

    @classmethod
    def _of_content(cls, settings: Mapping[str, Any], parts: Parts, **options: Any) -> Self:
        has_weights = "norm" in cls._get_param_names()  # type: ignore[attr-defined]
        names = ["plain", "dtype", "cut", "terms", "is_fixed", "weights"]
        require(settings.keys() == set(names if has_weights else names[:-1]), "settings")
        plain = member(settings, "plain", dict)
        require(plain.keys() == set(PLAIN), "settings")
        cut = TextVectorizer.from_cut_settings(settings["cut"], options["functions"])
        dtype = np.dtype(member(settings, "dtype", str))
        require(dtype.kind in "iuf", "dtype")
        weights = member(settings, "weights", dict) if has_weights else {}
        require(not has_weights or weights.keys() == set(WEIGHTS), "weights")
        tokenizing = {name: getattr(cut, name) for name in CUT}
        create: Any = cls
        made = create(**plain, **tokenizing, **weights, dtype=dtype.type)
        vocabulary = _vocabulary(member(settings, "terms", int), parts)
        made.fixed_vocabulary_ = member(settings, "is_fixed", bool)
        if made.fixed_vocabulary_:
            made.vocabulary = dict(vocabulary)
        made._validate_params()
        made.vocabulary_ = vocabulary
        if has_weights:
            made._tfidf = made._new_weights()
            if weights["use_idf"]:
                made._tfidf.idf_ = _idf(len(vocabulary), parts)
            made._tfidf.n_features_in_ = len(vocabulary)
        return made  # type: ignore[no-any-return]

    @classmethod
    def load(cls, path: Any, **functions: Any) -> Self:
        """Load a vectorizer that `save` wrote.

        Parameters
        ----------
        path : str or path-like
            Anything but a file of this class raises ModelFileError.
        **functions : callables
            The vectorizer's `analyzer`, `preprocessor`, `strip_accents` or `tokenizer`, if it was a
            function.

        Returns
        -------
        vectorizer
        """
        check_functions(f"{cls.__name__}.load", functions)
        return cls._load(path, functions=functions)


def _json_value(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _vocabulary(count: int, parts: Parts) -> dict[str, int]:
    require(0 < count < 2**31, "number of terms")
    columns = parts.take("columns", "<i4", count)
    require(bool(np.array_equal(np.sort(columns), np.arange(count))), "columns of terms")
    terms = parts.texts(count)
    vocabulary = {terms[column]: column for column in columns.tolist()}
    require(len(vocabulary) == count, "terms: one is there twice")
    return vocabulary


def _idf(count: int, parts: Parts) -> Any:
    idf = parts.take("idf", "<f4" if parts.has_dtype("idf", "<f4") else "<f8", count)
    require(bool(np.isfinite(idf).all()), "idf")
    return idf.copy()
