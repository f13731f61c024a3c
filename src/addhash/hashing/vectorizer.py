"""The parameters of additive hashing for text, as a user sets them."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from addhash.conventions import Parametrized, kept_for
from addhash.errors import ParameterError
from addhash.files.parts import Parts, require
from addhash.hashing.additive import AdditiveHashing
from addhash.hashing.configuration import configure
from addhash.hashing.dense import check_norm
from addhash.hashing.key import KeyParameter
from addhash.hashing.weights import TokenWeights, WeightsParameter
from addhash.parameters import (
    ADDITIVE,
    DEFAULT_TOKEN_PATTERN,
    TEXT,
    WEIGHTING,
    Analyzer,
    DecodeError,
    Input,
    NormName,
    RandomizerName,
    check_parameters,
)
from addhash.runtime import resolve_threads
from addhash.text.analysis import FUNCTIONS, Analysis
from addhash.text.reading import check_iterable

# The parameters that say how texts are tokenized.
CUT = (
    "strip_accents",
    "lowercase",
    "preprocessor",
    "tokenizer",
    "stop_words",
    "token_pattern",
    "ngram_range",
    "analyzer",
)


class TextVectorizer(Parametrized):
    """Turn texts into dense vectors by adding the hashes of their tokens.

    `AdditiveHashingVectorizer` without scikit-learn, which it does not need: the same parameters
    and the same vectors. `TextClassifier`, `TextIndex` and `DocumentFrequencies` take either, and
    one that was loaded from a file has this one.

    The parameters are those of `AdditiveHashingVectorizer`, where they are explained.

    Examples
    --------
    >>> from addhash import TextVectorizer
    >>> TextVectorizer(analyzer="char", ngram_range=(3, 3)).transform(["a text"]).shape
    (1, 2048)
    """

    key = KeyParameter()
    weights = WeightsParameter()

    def __init__(
        self,
        *,
        input: Input = "content",
        encoding: str = "utf-8",
        decode_error: DecodeError = "strict",
        strip_accents: Any = None,
        lowercase: bool = True,
        preprocessor: Any = None,
        tokenizer: Any = None,
        stop_words: Any = None,
        token_pattern: str | None = DEFAULT_TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Analyzer | Callable[[Any], Iterable[Any]] = "word",
        n_features: int = 2048,
        binary: bool = False,
        norm: NormName | None = "l2",
        alternate_sign: bool = True,
        dtype: Any = np.float32,
        randomizer: RandomizerName = "shake256",
        key: bytes | None = None,
        weights: Any = None,
        sublinear_tf: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.n_features = n_features
        self.binary = binary
        self.norm = norm
        self.alternate_sign = alternate_sign
        self.dtype = dtype
        self.randomizer = randomizer
        self.key = key
        self.weights = weights
        self.sublinear_tf = sublinear_tf
        self.n_jobs = n_jobs

    def check(self) -> None:
        """Raise a ParameterError for the first parameter with an invalid value."""
        check_parameters(self, TEXT | ADDITIVE | WEIGHTING)
        check_norm(type(self).__name__, self.norm, self.dtype)
        if self.weights is not None:
            self.weights.check_cut(type(self).__name__, self.cut_settings())

    def analysis(self) -> Analysis:
        """Return how texts are tokenized."""
        return Analysis.of(self)

    def hashing(self) -> AdditiveHashing:
        """Return how tokens are hashed, after checking all parameters."""
        self.check()
        return AdditiveHashing(
            configure(type(self).__name__, self.n_features, self.randomizer, self.key),
            bool(self.binary),
            bool(self.alternate_sign),
            self.norm,
            self.dtype if isinstance(self.dtype, str) else np.dtype(self.dtype),
            self.weights,
            bool(self.sublinear_tf),
        )

    def transform(self, X: Iterable[Any], *, out: Any = None) -> npt.NDArray[Any]:
        """Turn texts into vectors.

        Parameters
        ----------
        X : iterable of str or bytes
            The texts, or files or file names if `input` says so. A generator is read in batches.
        out : ndarray or None, default=None
            An array of the right shape and dtype to write the vectors to, so that a loop over
            batches allocates nothing. If the call fails, its contents are undefined.

        Returns
        -------
        vectors : ndarray of shape (n_samples, n_features), or (n_samples, n_features // 8) bytes
        """
        if type(X) is not list:
            check_iterable(X)
        analysis, hashing = kept_for(self, self._prepared)
        return hashing.of_texts(analysis, X, resolve_threads(self.n_jobs), out)

    def _prepared(self) -> tuple[tuple[Analysis, AdditiveHashing], bool]:
        """Return how texts are tokenized and hashed, and whether only parameters matter."""
        hashing, analysis = self.hashing(), self.analysis()
        return (analysis, hashing), analysis.is_native and self.stop_words is None

    def cut_settings(self) -> dict[str, Any]:
        """Return how texts are tokenized, as JSON: functions by name."""
        found = {name: getattr(self, name) for name in CUT}
        found["ngram_range"] = [int(n) for n in found["ngram_range"]]
        found["lowercase"] = bool(found["lowercase"])
        words = found["stop_words"]
        if words is not None and not isinstance(words, str):
            found["stop_words"] = sorted(map(str, words))
        for name in FUNCTIONS:
            if callable(found[name]):
                found[name] = {"callable": _name(found[name])}
        return found

    def settings(self) -> dict[str, Any]:
        """Return the parameters as JSON: functions by name, a key as its fingerprint.

        They are all that vectors depend on, in canonical form: equal settings give equal vectors.
        Token weights are given by their digest, and left out if all are equal.
        """
        self.check()
        found = self.get_params(deep=False) | self.cut_settings()
        del found["n_jobs"]
        key = found.pop("key")
        found["key_fingerprint"] = None if key is None else key.fingerprint().hex()
        found["dtype"] = "bits" if found["dtype"] == "bits" else np.dtype(found["dtype"]).name
        found["n_features"] = int(found["n_features"])
        for name in ("binary", "alternate_sign"):
            found[name] = bool(found[name])
        weights = found.pop("weights")
        if weights is not None:
            found["weights"] = weights.settings()
        if not found["sublinear_tf"]:
            del found["sublinear_tf"]
        return found

    def parts(self) -> dict[str, npt.NDArray[Any]]:
        """Return what settings do not contain, as arrays: the token weights."""
        return {} if self.weights is None else {"token_weights": self.weights.table}

    @classmethod
    def from_settings(
        cls,
        settings: Mapping[str, Any],
        key: Any,
        functions: Mapping[str, Any],
        parts: Parts | None = None,
    ) -> Self:
        """Restore a vectorizer, with the functions and the key, which files do not contain."""
        parameters = dict(settings)
        weights = parameters.pop("weights", None)
        fixed = set(cls.parameter_names()) - {"n_jobs", "key", "weights", "sublinear_tf"}
        if parameters.keys() - {"sublinear_tf"} != fixed | {"key_fingerprint"}:
            raise ValueError("it does not describe a vectorizer of this version")
        parameters["ngram_range"] = tuple(parameters["ngram_range"])
        fingerprint = parameters.pop("key_fingerprint")
        for name in FUNCTIONS:
            parameters[name] = _checked_function(name, parameters[name], functions.get(name))
        vectorizer = cls(**parameters)
        try:
            vectorizer.check()
        except ParameterError as error:
            raise ValueError(str(error)) from error
        vectorizer.analysis().prepare()
        if weights is not None:
            require(parts is not None, "weights")
            assert parts is not None
            vectorizer.weights = _stored_weights(weights, vectorizer.cut_settings(), parts)
        _give_key(vectorizer, fingerprint, key)
        return vectorizer

    @classmethod
    def from_cut_settings(cls, cut: Any, functions: Mapping[str, Any]) -> Self:
        """Make a vectorizer that tokenizes as `cut_settings` says."""
        require(isinstance(cut, dict) and cut.keys() == set(CUT), "way of cutting texts")
        return cls.from_settings(cls().settings() | cut, None, functions)


def _stored_weights(settings: Any, cut: Mapping[str, Any], parts: Parts) -> TokenWeights:
    table = parts.take("token_weights", "|u1", None)
    require(0 < len(table) < 2**31 and int(table.max()) <= 127, "weights of tokens")
    weights = TokenWeights(table, cut)
    require(settings == weights.settings(), "weights of tokens: they are not those of the model")
    return weights


def _name(function: Any) -> str:
    return f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', '?')}"


def _give_key(vectorizer: TextVectorizer, fingerprint: Any, key: Any) -> None:
    if fingerprint is None:
        if key is not None:
            raise ParameterError("A key was given, but the model was made without one.")
        return
    if key is None:
        raise ParameterError(
            "The model was made with a key, which files do not contain: pass key=."
        )
    vectorizer.key = key
    held = vectorizer.key
    if not held.is_valid or held.fingerprint().hex() != fingerprint:
        raise ParameterError("The key is not the one that the model was made with.")


def _checked_function(name: str, stored: Any, function: Any) -> Any:
    if not isinstance(stored, dict):
        if function is not None:
            raise ParameterError(
                f"A function was given as {name}, but the model was made without one."
            )
        return stored
    wanted = stored.get("callable")
    if function is None:
        raise ParameterError(
            f"The model was made with the function {wanted!r:.80} as its {name}, which files do"
            f" not contain: pass {name}=."
        )
    if not callable(function) or _name(function) != wanted:
        raise ParameterError(
            f"The model was made with the function {wanted!r:.80} as its {name}."
            f" Got {_name(function)!r} instead."
        )
    return function
