"""Texts as vectors of length 1: the paper's, of character 3-grams."""

from functools import lru_cache

from addhash import TextVectorizer


@lru_cache(maxsize=16)
def vectorizer_of(dimensions: int) -> TextVectorizer:
    """Return a vectorizer with this many components.

    Examples
    --------
    >>> from addhash.service.vectors import vectorizer_of
    >>> vectorizer_of(64).transform(["a text"]).shape
    (1, 64)
    """
    return TextVectorizer(
        analyzer="char", ngram_range=(3, 3), lowercase=False, n_features=dimensions
    )
