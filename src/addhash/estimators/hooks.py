"""What is read from scikit-learn's classes: how one tokenizes, and its signature."""

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from operator import attrgetter
from typing import Any

from sklearn.feature_extraction.text import HashingVectorizer

from addhash.text.analysis import Analysis

# A subclass that overrides one of these wants its own analysis.
_hooks = attrgetter(
    "build_analyzer",
    "build_preprocessor",
    "build_tokenizer",
    "decode",
    "get_stop_words",
    "_char_ngrams",
    "_char_wb_ngrams",
    "_word_ngrams",
)


def analysis_of(vectorizer: Any) -> Analysis:
    """Return how a vectorizer tokenizes, and warn where scikit-learn warns."""
    if _hooks(type(vectorizer)) != _hooks(HashingVectorizer):
        return Analysis.of(vectorizer, whole=vectorizer.build_analyzer())
    if vectorizer.stop_words is not None:
        vectorizer.build_analyzer()  # warns about stop words that no text can contain
    return Analysis.of(vectorizer)


def extended(function: Callable[..., Any], **defaults: Any) -> Signature:
    """Return the signature of a function with more keyword parameters.

    >>> from addhash.estimators.hooks import extended
    >>> extended(lambda *, b=1: b, c=2)
    <Signature (*, b=1, c=2)>
    """
    own = signature(function)
    more = [Parameter(name, Parameter.KEYWORD_ONLY, default=d) for name, d in defaults.items()]
    return own.replace(parameters=[*own.parameters.values(), *more])
