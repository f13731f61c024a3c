"""Vectorizers in files: what they were made with, but no code and no secret."""

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from addhash.additive_text import AdditiveHashingVectorizer
from addhash.errors import ModelFileError, ParameterError

__all__ = ["CALLABLES", "describe_vectorizer", "restore_vectorizer"]

CALLABLES = ("analyzer", "preprocessor", "strip_accents", "tokenizer")
FINGERPRINT_ROUNDS = 50_000


def fingerprint(key: bytes) -> str:
    """Return what tells whether a key is the right one, but not what it is.

    Computing it is slow on purpose. Still, a key that can be guessed can be found from it.
    """
    return hashlib.pbkdf2_hmac(
        "sha256", key, b"addhash/key-fingerprint", FINGERPRINT_ROUNDS, 16
    ).hex()


def _name(function: Any) -> str:
    return f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', '?')}"


def describe_vectorizer(vectorizer: AdditiveHashingVectorizer) -> dict[str, Any]:
    """Return the parameters as JSON: functions by name, a key as its fingerprint."""
    if type(vectorizer) is not AdditiveHashingVectorizer:
        raise ModelFileError(
            f"Cannot save a vectorizer of the class {type(vectorizer).__name__}; use an"
            " AdditiveHashingVectorizer, with an analyzer of your own if need be."
        )
    parameters: dict[str, Any] = vectorizer.get_params(deep=False)
    del parameters["n_jobs"]
    key = parameters.pop("key")
    parameters["key_fingerprint"] = None if key is None else fingerprint(key)
    parameters["dtype"] = np.dtype(parameters["dtype"]).name
    parameters["ngram_range"] = [int(n) for n in parameters["ngram_range"]]
    parameters["n_features"] = int(parameters["n_features"])
    for name in ("binary", "lowercase", "alternate_sign"):
        parameters[name] = bool(parameters[name])
    words = parameters["stop_words"]
    if words is not None and not isinstance(words, str):
        parameters["stop_words"] = sorted(map(str, words))
    for name in CALLABLES:
        if callable(parameters[name]):
            parameters[name] = {"callable": _name(parameters[name])}
    return parameters


def restore_vectorizer(
    description: Mapping[str, Any], key: bytes | None, functions: Mapping[str, Any]
) -> AdditiveHashingVectorizer:
    """Make a vectorizer again, with the functions and the key that files do not hold."""
    parameters = dict(description)
    expected = set(AdditiveHashingVectorizer().get_params(deep=False)) - {"n_jobs", "key"}
    if parameters.keys() != expected | {"key_fingerprint"}:
        raise ValueError("it describes no vectorizer of this version")
    parameters["ngram_range"] = tuple(parameters["ngram_range"])
    parameters["key"] = _checked_key(parameters.pop("key_fingerprint"), key)
    for name in CALLABLES:
        parameters[name] = _checked_function(name, parameters[name], functions.get(name))
    vectorizer = AdditiveHashingVectorizer(**parameters)
    try:
        vectorizer._check()
    except ParameterError as error:
        raise ValueError(str(error)) from error
    return vectorizer


def _checked_key(stored: Any, key: bytes | None) -> bytes | None:
    if stored is None:
        if key is not None:
            raise ParameterError("A key was given, but the model was made without one.")
        return None
    if key is None:
        raise ParameterError("The model was made with a key, which files do not hold: pass key=.")
    if not isinstance(key, bytes) or fingerprint(key) != stored:
        raise ParameterError("The key is not the one that the model was made with.")
    return key


def _checked_function(name: str, stored: Any, function: Any) -> Any:
    if not isinstance(stored, dict):
        if function is not None:
            raise ParameterError(f"A function was given as {name}, but the model was made without.")
        return stored
    wanted = stored.get("callable")
    if function is None:
        raise ParameterError(
            f"The model was made with the function {wanted!r:.80} as its {name}, which files do"
            f" not hold: pass {name}=."
        )
    if not callable(function) or _name(function) != wanted:
        raise ParameterError(
            f"The model was made with the function {wanted!r:.80} as its {name}."
            f" Got {_name(function)!r} instead."
        )
    return function
