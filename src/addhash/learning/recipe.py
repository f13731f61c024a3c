"""What a text classifier is made with: its parameters, what goes together, and its vectorizer."""

from typing import Any

import numpy as np

from addhash.errors import ParameterError
from addhash.hashing.dense import is_bits
from addhash.hashing.vectorizer import TextVectorizer
from addhash.parameters import TEXT_CLASSIFIER, Analyzer, Method, check_parameters

# What `predict_scores` and `explain` take is not a parameter of the classifier.
RULES = {name: rule for name, rule in TEXT_CLASSIFIER.items() if name not in ("n_nearest", "parts")}


def default_vectorizer(method: Method) -> TextVectorizer:
    """Return the vectorizer of a classifier that was given none."""
    is_counted = method in ("bayes", "mixture")
    analyzers: dict[Method, Analyzer] = {"bayes": "text", "mixture": "char_wb"}
    return TextVectorizer(
        analyzer=analyzers.get(method, "char"),
        ngram_range=(1, 5) if is_counted else (3, 3),
        lowercase=is_counted,
        norm=None,
        dtype=np.int32,
    )


def check_recipe(classifier: Any) -> None:
    """Check all parameters of a classifier."""
    check_parameters(classifier, RULES)
    vectorizer = classifier.vectorizer
    if vectorizer is not None and (
        not isinstance(vectorizer, TextVectorizer) or is_bits(vectorizer.dtype)
    ):
        what = (
            "must be an AdditiveHashingVectorizer (with a dtype of numbers, not of bits), or"
            f" None. Got {vectorizer!r:.200} instead."
        )
        if hasattr(vectorizer, "transform") and not isinstance(vectorizer, TextVectorizer):
            what += (
                " It tokenizes as other vectorizers do: pass it their analyzer, ngram_range,"
                " lowercase, stop_words or token_pattern. To classify vectors of another"
                " kind, put BayesClassifier behind the vectorizer in a Pipeline."
            )
        raise ParameterError.of("TextClassifier", "vectorizer", what)
    if classifier.method != "nearest" and (classifier.keep_texts or classifier.n_neighbors != 1):
        name, usual = ("keep_texts", False) if classifier.keep_texts else ("n_neighbors", 1)
        raise ParameterError.of(
            "TextClassifier",
            name,
            f"must be {usual} with the method"
            f" {classifier.method!r}, which keeps no examples; use method='nearest'."
            f" Got {getattr(classifier, name)!r} instead.",
        )
    if classifier.method == "bayes" and vectorizer is not None and vectorizer.key is not None:
        raise ParameterError(
            "The method 'bayes' of TextClassifier counts tokens in buckets, which a key does"
            " not hide; use a vectorizer without a key, or another method."
        )
