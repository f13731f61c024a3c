"""The types that columns of labels have in each engine."""

from typing import Any, NamedTuple


class LabelType(NamedTuple):
    """The name of one type in Arrow, Polars, DuckDB and Spark."""

    arrow: str
    polars: str
    duckdb: str
    spark: str


TEXT = LabelType("string", "String", "VARCHAR", "string")
# By the kind of the labels' NumPy type.
LABEL_TYPES = {
    "U": TEXT,
    "O": TEXT,
    "i": LabelType("int64", "Int64", "BIGINT", "bigint"),
    "f": LabelType("float64", "Float64", "DOUBLE", "double"),
    "b": LabelType("bool", "Boolean", "BOOLEAN", "boolean"),
}


def label_type(model: Any) -> LabelType:
    """Return the type of the labels of a fitted classifier.

    Examples
    --------
    >>> from addhash import TextClassifier
    >>> from addhash.engines.label_types import label_type
    >>> label_type(TextClassifier().fit(["good morning", "bonjour"], [0, 1])).duckdb
    'BIGINT'
    """
    return LABEL_TYPES[model.classes_.dtype.kind]
