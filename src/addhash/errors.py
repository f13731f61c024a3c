"""The exceptions that addhash raises for bad input. All are ``AddhashError``s."""

__all__ = [
    "AbsentTokenError",
    "AddhashError",
    "BlobError",
    "ConfigurationMismatchError",
    "DataFileError",
    "DocumentError",
    "ExampleError",
    "IdError",
    "MergeError",
    "ModelFileError",
    "NotFittedError",
    "ParameterError",
    "ResultsFileError",
    "SumOverflowError",
    "VectorError",
    "WeightError",
]


class AddhashError(Exception):
    """The base class of all errors that addhash raises on purpose."""


class ParameterError(AddhashError, ValueError, TypeError):
    """A parameter has an invalid value.

    Examples
    --------
    >>> from addhash import AdditiveHashingVectorizer
    >>> AdditiveHashingVectorizer(n_features=1001).transform(["a text"])
    Traceback (most recent call last):
    ...
    addhash.errors.ParameterError: The 'n_features' parameter of AdditiveHashingVectorizer must be
    a multiple of 8 from 8 to 1048576. Got 1001 instead.
    """


class DocumentError(AddhashError, ValueError, TypeError):
    """A document is not something that the vectorizer accepts.

    Examples
    --------
    >>> from addhash import AdditiveHashingVectorizer
    >>> AdditiveHashingVectorizer().transform(["a text", None])
    Traceback (most recent call last):
    ...
    addhash.errors.DocumentError: Document 1 is None; expected a str or bytes. Drop it, or
    replace it with an empty text.
    """


class SumOverflowError(AddhashError, OverflowError, ValueError):
    """A component of a vector does not fit the requested integer type."""


class WeightError(AddhashError, ValueError):
    """A record has a weight that cannot be added."""


class ConfigurationMismatchError(AddhashError, ValueError):
    """Two documents were hashed differently, so their sums cannot be mixed.

    Examples
    --------
    >>> from addhash import DocumentHash
    >>> DocumentHash(1024) + DocumentHash(2048)
    Traceback (most recent call last):
    ...
    addhash.errors.ConfigurationMismatchError: The documents differ in n_features (1024 and 2048);
    only documents hashed the same way can be mixed.
    """


class AbsentTokenError(AddhashError, ValueError):
    """A document lacks tokens: one to remove is not present, or a negative number is left.

    Examples
    --------
    >>> from addhash import DocumentHash
    >>> DocumentHash(strict=True).remove("nowhere")
    Traceback (most recent call last):
    ...
    addhash.errors.AbsentTokenError: Cannot remove b'nowhere' 1 time from a strict document that
    holds it 0 times.
    """


class BlobError(AddhashError, ValueError):
    """Bytes are not a complete, unaltered document of a known version.

    Examples
    --------
    >>> from addhash import DocumentHash
    >>> DocumentHash.from_bytes(b"something else")
    Traceback (most recent call last):
    ...
    addhash.errors.BlobError: Expected the bytes of DocumentHash.to_bytes, got 14 bytes: too few
    for a document.
    """


class VectorError(AddhashError, ValueError, TypeError):
    """A vector is not something that an index or a classifier accepts.

    Examples
    --------
    >>> from addhash import Index
    >>> Index(n_features=4).add([[1.0, float("nan"), 0.0, 2.0]])
    Traceback (most recent call last):
    ...
    addhash.errors.VectorError: Row 0 of the vectors holds NaN; expected finite numbers. Drop the
    row, or replace the missing values.
    """


class IdError(AddhashError, ValueError):
    """An id of an index is unknown, taken, or not an integer.

    Examples
    --------
    >>> from addhash import Index
    >>> Index(n_features=4).remove([7])
    Traceback (most recent call last):
    ...
    addhash.errors.IdError: The index has no id 7; nothing was removed.
    """


class ExampleError(AddhashError, ValueError):
    """An example to forget was never learnt, or no examples are left to predict from.

    Examples
    --------
    >>> from addhash import CentroidClassifier
    >>> CentroidClassifier().fit([[1, 2], [3, 1]], ["a", "b"]).forget([[1, 2]], ["c"])
    Traceback (most recent call last):
    ...
    addhash.errors.ExampleError: Cannot forget 1 example of 'c': the model has 0; nothing was
    forgotten.
    """


class NotFittedError(AddhashError, ValueError, AttributeError):
    """A model was asked before it had learnt anything.

    Examples
    --------
    >>> from addhash import TextClassifier
    >>> TextClassifier().predict(["a text"])
    Traceback (most recent call last):
    ...
    addhash.errors.NotFittedError: This TextClassifier is not fitted yet: call fit or learn first.
    """


class MergeError(AddhashError, ValueError):
    """Two models cannot be merged because they differ in more than their examples.

    Examples
    --------
    >>> from addhash import CentroidClassifier
    >>> one = CentroidClassifier().fit([[1, 2], [3, 1]], [0, 1])
    >>> one.merge(CentroidClassifier().fit([[1, 2, 3], [3, 1, 2]], [0, 1]))
    Traceback (most recent call last):
    ...
    addhash.errors.MergeError: The models differ in n_features_in_: 2 here, 3 there; nothing was
    merged.
    """


class ModelFileError(AddhashError, ValueError):
    """A file is not a model that can be loaded, or a model cannot be saved.

    Examples
    --------
    >>> import tempfile
    >>> from addhash import Index
    >>> with tempfile.NamedTemporaryFile(suffix=".model") as file:
    ...     _ = file.write(b"not a model")
    ...     file.flush()
    ...     Index.load(file.name)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    addhash.errors.ModelFileError: Cannot load ...: it is not an addhash model file.
    """


class DataFileError(AddhashError, ValueError):
    """A data file is missing, truncated or altered, or could not be downloaded.

    Examples
    --------
    >>> import tempfile
    >>> from addhash import paper
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paper.reproduce("sms", out="results", data=folder)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    addhash.errors.DataFileError: The data file '.../sms-spam/SMSSpamCollection' was not found, and
    neither was sms+spam+collection.zip. Expected 477,907 bytes with SHA-256
    7d039a24a6083ed9ef0f806ebad56bbb976e3aeb8de05669173bfdc4996c239d. Download
    sms+spam+collection.zip from the UCI Machine Learning Repository, data set 228: ...
    """


class ResultsFileError(AddhashError, ValueError):
    """A results file cannot be resumed: it is damaged, or from another kind of run."""
