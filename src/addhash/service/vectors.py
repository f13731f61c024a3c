"""Texts as vectors of length 1: the paper's, of character 3-grams."""

from functools import lru_cache
from typing import Any

import numpy as np

from addhash import TextClassifier

__all__ = ["vectorizer_of"]


@lru_cache(maxsize=16)
def vectorizer_of(dimensions: int) -> Any:
    """Return a vectorizer with this many components.

    Examples
    --------
    >>> from addhash.service.vectors import vectorizer_of
    >>> vectorizer_of(64).transform(["a text"]).shape
    (1, 64)
    """
    # A classifier's own vectorizer: the public one would load scikit-learn.
    vectorizer = TextClassifier("nearest").partial_fit([], []).vectorizer_
    vectorizer.n_features, vectorizer.norm, vectorizer.dtype = dimensions, "l2", np.float32
    return vectorizer
