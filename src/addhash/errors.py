"""The exceptions that addhash raises for bad input. All are ``AddhashError``s."""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

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
    "MissingPackageError",
    "ModelFileError",
    "NestedChangeError",
    "NotFittedError",
    "Parameter",
    "ParameterError",
    "ResultsFileError",
    "SumOverflowError",
    "TableChoiceError",
    "TableError",
    "VectorError",
    "WeightError",
]


class AddhashError(Exception):
    """The base class of all errors that addhash raises on purpose."""


class ParameterError(AddhashError, ValueError, TypeError):
    """A parameter has an invalid value.

    Attributes
    ----------
    parameter : str or None
        The name of the parameter; None if the error is not about one parameter.
    owner : str or None
        The class or function that has it.
    reason : str
        What is wrong with the value, without the names: "must be ... Got ... instead.".

    Examples
    --------
    >>> from addhash import AdditiveHashingVectorizer
    >>> AdditiveHashingVectorizer(n_features=1001).transform(["a text"])
    Traceback (most recent call last):
    ...
    addhash.errors.ParameterError: The 'n_features' parameter of AdditiveHashingVectorizer must be
    a multiple of 8 from 8 to 1048576. Got 1001 instead.
    """

    parameter: str | None = None
    owner: str | None = None

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.reason = message

    @classmethod
    def of(cls, owner: str, parameter: str, reason: str) -> Self:
        """Return the error of one parameter.

        Examples
        --------
        >>> from addhash.errors import ParameterError
        >>> error = ParameterError.of("Index", "k", "must be at least 1. Got 0 instead.")
        >>> str(error)
        "The 'k' parameter of Index must be at least 1. Got 0 instead."
        >>> error.parameter
        'k'
        """
        error = cls(f"The {parameter!r} parameter of {owner} {reason}")
        error.owner, error.parameter, error.reason = owner, parameter, reason
        return error


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

    Attributes
    ----------
    record : int or None
        The number of the record in question, if it is one of `find_duplicates`.
    """

    def __init__(self, message: str, record: int | None = None) -> None:
        super().__init__(message)
        self.record = record


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
    """A token to remove is not in the document, or its count is negative.

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


class MissingPackageError(AddhashError, ImportError):
    """Something needs a package that is not installed.

    Attributes
    ----------
    name : str
        The package.
    extra : str
        The extra of addhash that installs it.

    Examples
    --------
    >>> from addhash.errors import MissingPackageError
    >>> raise MissingPackageError.of("pyarrow", "files", "Reading news.parquet")
    Traceback (most recent call last):
    ...
    addhash.errors.MissingPackageError: Reading news.parquet needs the package pyarrow, which is
    not installed. Install it with: pip install 'addhash[files]'
    """

    extra: str | None = None

    @classmethod
    def of(cls, package: str, extra: str, purpose: str) -> Self:
        """Return the error that says how to install a package."""
        error = cls(
            f"{purpose} needs the package {package}, which is not installed."
            f" Install it with: pip install 'addhash[{extra}]'",
            name=package,
        )
        error.extra = extra
        return error


class ModelFileError(AddhashError, ValueError):
    """A file is not a model that can be loaded, or a model cannot be saved.

    Attributes
    ----------
    path : str or None
        The file that cannot be loaded.
    reason : str
        Why, without the name of the file.

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

    path: str | None = None

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.reason = message

    @classmethod
    def of(cls, path: Any, reason: str) -> Self:
        """Return the error of a file that cannot be loaded.

        Examples
        --------
        >>> from addhash.errors import ModelFileError
        >>> error = ModelFileError.of("some.model", "it was truncated.")
        >>> str(error)
        "Cannot load 'some.model': it was truncated."
        >>> error.reason
        'it was truncated.'
        """
        error = cls(f"Cannot load {str(path)!r}: {reason}")
        error.path, error.reason = str(path), reason
        return error


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


class Parameter(NamedTuple):
    """A parameter that a message speaks of, and a value to try.

    Attributes
    ----------
    name : str
        What the parameter is called in Python.
    value : str or None
        A value that may help; None if the message only speaks of the parameter.

    Examples
    --------
    >>> print(Parameter("encoding", "cp1252"), Parameter("sheet"))
    encoding='cp1252' sheet
    """

    name: str
    value: str | bool | None = None

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value!r}"


class TableError(AddhashError, ValueError):
    r"""A table cannot be read, or one of its rows.

    Parameters
    ----------
    *parts : str or Parameter
        The message. An interface that calls the parameters something else, as the command line
        does, words them with `worded`.
    line : int or None
        The line or row in question.

    Attributes
    ----------
    parts : tuple of str or Parameter
        The message.
    line : int or None
        The line or row in question, from 1.

    Examples
    --------
    >>> import io
    >>> from addhash.tables import Documents
    >>> documents = Documents("names.csv", file=io.BytesIO(b"text,name\na,b\nc\n"))
    >>> list(documents)
    Traceback (most recent call last):
    ...
    addhash.errors.TableError: names.csv, line 3: expected 2 columns, got 1. Every record needs the
    same. To leave such rows out, pass on_bad_rows='skip'.
    """

    def __init__(self, *parts: str | Parameter, line: int | None = None) -> None:
        super().__init__("".join(map(str, parts)))
        self.parts = parts
        self.line = line

    def worded(self, word: Callable[[Parameter], str]) -> str:
        """Return the message with the parameters in other words.

        Examples
        --------
        >>> from addhash.errors import Parameter, TableError
        >>> error = TableError("Name another ", Parameter("encoding"), ".")
        >>> error.worded(lambda parameter: f"--{parameter.name}")
        'Name another --encoding.'
        """
        return "".join(word(part) if isinstance(part, Parameter) else part for part in self.parts)


class TableChoiceError(TableError, ParameterError):
    """What was asked of a table does not fit it, such as a column that it does not have."""


class NestedChangeError(AddhashError, RuntimeError):
    """A model is changed by code that it calls while it is being changed."""
