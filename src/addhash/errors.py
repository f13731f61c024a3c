"""What addhash raises for bad input. Every class is an ``AddhashError``."""

__all__ = [
    "AbsentTokenError",
    "AddhashError",
    "BlobError",
    "ConfigurationMismatchError",
    "DocumentError",
    "ParameterError",
    "SumOverflowError",
    "WeightError",
]


class AddhashError(Exception):
    """Any error that addhash raises on purpose."""


class ParameterError(AddhashError, ValueError, TypeError):
    """A parameter has a value that is not allowed.

    >>> from addhash import AdditiveHashingVectorizer
    >>> AdditiveHashingVectorizer(n_features=1001).transform(["a text"])
    Traceback (most recent call last):
    ...
    addhash.errors.ParameterError: The 'n_features' parameter of AdditiveHashingVectorizer must be
    a multiple of 8 from 8 to 1048576. Got 1001 instead.
    """


class DocumentError(AddhashError, ValueError, TypeError):
    """A document is not what the vectorizer takes.

    >>> from addhash import AdditiveHashingVectorizer
    >>> AdditiveHashingVectorizer().transform(["a text", None])
    Traceback (most recent call last):
    ...
    addhash.errors.DocumentError: Document 1 is None; expected a str or bytes. Drop it, or
    replace it by an empty text.
    """


class SumOverflowError(AddhashError, OverflowError, ValueError):
    """A component of a vector does not fit the integer type that was asked for."""


class WeightError(AddhashError, ValueError):
    """A record has a weight that cannot be added."""


class ConfigurationMismatchError(AddhashError, ValueError):
    """Two documents were hashed differently, so that their sums cannot be mixed.

    >>> from addhash import DocumentHash
    >>> DocumentHash(1024) + DocumentHash(2048)
    Traceback (most recent call last):
    ...
    addhash.errors.ConfigurationMismatchError: The documents differ in n_features (1024 and 2048);
    only documents hashed alike can be mixed.
    """


class AbsentTokenError(AddhashError, ValueError):
    """A document lacks tokens: one to be removed is not there, or fewer than none are left.

    >>> from addhash import DocumentHash
    >>> DocumentHash(strict=True).remove("nowhere")
    Traceback (most recent call last):
    ...
    addhash.errors.AbsentTokenError: Cannot remove b'nowhere' 1 time from a strict document that
    holds it 0 times.
    """


class BlobError(AddhashError, ValueError):
    """Bytes are no whole, unaltered document of a known version.

    >>> from addhash import DocumentHash
    >>> DocumentHash.from_bytes(b"something else")
    Traceback (most recent call last):
    ...
    addhash.errors.BlobError: Expected the bytes of DocumentHash.to_bytes, got 14 bytes: too few
    for a document.
    """
