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

from contextlib import suppress
from typing import Any

import duckdb
import pyarrow as pa

from addhash import vector_column
from addhash.errors import ParameterError

__all__ = ["register"]

# By the kind of the labels' NumPy type: DuckDB's type and Arrow's.
LABELS = {
    "U": ("VARCHAR", pa.string()),
    "O": ("VARCHAR", pa.string()),
    "i": ("BIGINT", pa.int64()),
    "f": ("DOUBLE", pa.float64()),
    "b": ("BOOLEAN", pa.bool_()),
}
NUMBERS = {
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "uint8": "UTINYINT",
}


def register(connection: Any, model: Any, *, name: str) -> Any:
    """Register a model as an SQL function from a text to a label or a vector; NULL gives NULL.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    model : TextClassifier or AdditiveHashingVectorizer
        A fitted classifier, for a function that returns labels, or a vectorizer, for one that
        returns vectors as arrays.
    name : str
        The name of the function. An existing one is replaced.

    Returns
    -------
    connection : duckdb.DuckDBPyConnection
        The same one.
    """
    if hasattr(model, "predict"):
        returned, arrow = LABELS[model.classes_.dtype.kind]

        def answer(texts: Any) -> Any:
            return pa.array(model.predict(texts).tolist(), arrow)
    else:
        example = model.transform(["a text"])
        if not hasattr(example, "__array_interface__") or example.dtype.name not in NUMBERS:
            raise ParameterError(
                "The model must be a TextClassifier, or an AdditiveHashingVectorizer with a"
                f" dtype of {', '.join(NUMBERS)}. Got {model!r:.80} instead."
            )
        returned = f"{NUMBERS[example.dtype.name]}[{example.shape[1]}]"

        def answer(texts: Any) -> Any:
            return pa.array(vector_column(model.transform(texts)))

    with suppress(duckdb.InvalidInputException):  # there is none of that name
        connection.remove_function(name)
    # DuckDB leaves out NULL rows.
    connection.create_function(name, answer, ["VARCHAR"], returned, type="arrow")
    return connection
