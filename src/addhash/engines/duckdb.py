"""addhash in DuckDB: models as SQL functions.

Examples
--------
>>> import duckdb
>>> from addhash import TextClassifier
>>> from addhash.engines.duckdb import register
>>> model = TextClassifier().fit(["good morning", "bonjour"], ["en", "fr"])
>>> connection = register(duckdb.connect(), model, name="language")
>>> connection.sql("SELECT language(text) FROM (VALUES ('good'), (NULL)) t(text)").fetchall()
[('en',), (None,)]
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import addhash.languages
from addhash import vector_column
from addhash.engines.label_types import label_type
from addhash.errors import MissingPackageError, ParameterError

try:
    import duckdb
    import pyarrow as pa
except ModuleNotFoundError as error:
    raise MissingPackageError.of(str(error.name), "duckdb", "addhash.engines.duckdb") from error

from addhash.engines.nulls import around_nulls

__all__ = ["register", "register_detect"]

Answer = Callable[[Any], Any]

NUMBERS = {
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "uint8": "UTINYINT",
}


def register(connection: Any, model: Any, *, name: str) -> Any:
    """Register a model as SQL functions of a text; NULL gives NULL.

    A classifier becomes three functions: ``name(text)`` returns the label, ``name_score(text)`` its
    probability, and ``name_probabilities(text)`` those of all classes, in the order of
    ``model.classes_``. A vectorizer becomes a function that returns vectors as arrays.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    model : TextClassifier or AdditiveHashingVectorizer
        A fitted one.
    name : str
        The name of the function. Existing ones are replaced.

    Returns
    -------
    connection : duckdb.DuckDBPyConnection
        The same one.
    """
    if not hasattr(model, "predict"):
        return _create(connection, name, *_vectors(model))
    labels = label_type(model)
    count = len(model.classes_)
    _create(
        connection,
        name,
        labels.duckdb,
        labels.arrow,
        lambda texts: pa.array(model.predict(texts).tolist(), labels.arrow),
    )
    _create(
        connection,
        f"{name}_score",
        "DOUBLE",
        pa.float64(),
        lambda texts: pa.array(model.predict_proba(texts).max(axis=1)),
    )
    return _create(
        connection,
        f"{name}_probabilities",
        f"DOUBLE[{count}]",
        pa.list_(pa.float64(), count),
        lambda texts: pa.array(vector_column(model.predict_proba(texts))),
    )


def register_detect(
    connection: Any, *, name: str = "detect_language", languages: Sequence[str] | None = None
) -> Any:
    """Register the language detector as an SQL function from a text to an ISO 639-3 code.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    name : str, default="detect_language"
        The name of the function. An existing one is replaced.
    languages : sequence of str, optional
        Codes or names of the languages to choose from; all by default.

    Returns
    -------
    connection : duckdb.DuckDBPyConnection
        The same one.

    Examples
    --------
    >>> import duckdb
    >>> from addhash.engines.duckdb import register_detect
    >>> connection = register_detect(duckdb.connect())
    >>> connection.sql("SELECT detect_language('Tous les hommes naissent libres.')").fetchall()
    [('fra',)]
    """

    def codes_of(texts: Any) -> Any:
        found = addhash.languages.detect(texts.to_pylist(), languages=languages)
        return pa.array([each and each.code for each in found], pa.string())

    return _create(connection, name, "VARCHAR", pa.string(), codes_of)


def _vectors(vectorizer: Any) -> tuple[str, pa.DataType, Answer]:
    example = vectorizer.transform(["a text"])
    if not hasattr(example, "__array_interface__") or example.dtype.name not in NUMBERS:
        raise ParameterError(
            "The model must be a TextClassifier, or an AdditiveHashingVectorizer with a"
            f" dtype of {', '.join(NUMBERS)}. Got {vectorizer!r:.80} instead."
        )
    returned = f"{NUMBERS[example.dtype.name]}[{example.shape[1]}]"
    kind = pa.array(vector_column(example)).type
    return returned, kind, lambda texts: pa.array(vector_column(vectorizer.transform(texts)))


def _create(connection: Any, name: str, returned: str, kind: Any, answer: Answer) -> Any:
    def answers(texts: Any) -> Any:
        return around_nulls(texts.combine_chunks(), answer, kind)

    with suppress(duckdb.InvalidInputException):  # there is none of that name
        connection.remove_function(name)
    # An answer may be NULL for a text, too: one that is rejected, or a text without letters.
    connection.create_function(
        name, answers, ["VARCHAR"], returned, type="arrow", null_handling="special"
    )
    return connection
