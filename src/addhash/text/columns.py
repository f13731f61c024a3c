"""Table columns, read in place through the Arrow PyCapsule interface, without pyarrow."""

from typing import Any, Literal

import numpy as np

from addhash.errors import AddhashError, DocumentError, ParameterError
from addhash.runtime import native

__all__ = [
    "TextColumn",
    "arrow_column",
    "is_arrow_column",
    "is_table",
    "names_of",
    "record_table",
    "text_column",
]

TextColumn = native.TextColumn
Null = Literal["error", "empty"]


def text_column(source: Any, text: str | None = None, *, null: Null = "error") -> TextColumn:
    """Return an Arrow column as texts, for anything that takes texts.

    Columns can be passed to vectorizers, classifiers and indexes as they are. Use this to select a
    column of a table, or for a column with nulls.

    Parameters
    ----------
    source : object with the Arrow PyCapsule interface
        A column or a table from pyarrow, Polars, pandas, DuckDB or others, of texts or bytes,
        possibly dictionary-encoded. The texts are not copied, and their owner is kept alive.
    text : str, optional
        The name of the column, if `source` is a table.
    null : {"error", "empty"}, default="error"
        Whether a null raises DocumentError or counts as an empty text.

    Returns
    -------
    texts : TextColumn
        A sequence of str, created only on access.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from addhash import HashingVectorizer, text_column
    >>> table = pa.table({"id": [1, 2], "body": ["a text", None]})
    >>> HashingVectorizer().transform(text_column(table, text="body", null="empty")).shape
    (2, 1048576)
    """
    if null not in ("error", "empty"):
        raise ParameterError(
            "The 'null' parameter of text_column must be 'error' or 'empty'."
            f" Got {null!r:.80} instead."
        )
    table = _read(source)
    if table is None:
        raise DocumentError(
            "Expected a column or a table with the Arrow PyCapsule interface, got"
            f" {source!r:.80} of type {type(source).__name__}."
        )
    number = _number(table.names, text)
    try:
        if table.kind(number) not in ("text", "binary", "null"):
            raise DocumentError(f"Expected a column of texts, got one of {table.kind(number)}s.")
        return table.texts(number, null == "empty")
    except native.ArrowError as error:
        raise _invalid(error) from None
    except native.Failure as failure:
        raise DocumentError(
            f"Document {failure.position} is null; expected a text. Drop it, or treat nulls as"
            " empty texts: addhash.text_column(column, null='empty')."
        ) from None


def arrow_column(source: Any) -> native.ArrowTable | None:
    """Return a single column of anything, or None if it has no Arrow form."""
    try:
        table = _read(source)
    except ImportError:  # pandas exports by pyarrow, which may not be there
        return None
    if table is not None:
        _number(table.names, None)
    return table


def record_table(source: Any) -> native.ArrowRecords | None:
    """Return an Arrow table as records, or None for anything else."""
    is_arrow = hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")
    if not is_arrow:
        return None
    if hasattr(source, "reset_index"):
        # pandas exports an index as if it were a column.
        source = source.reset_index(drop=True)
    table = _read(source)
    if table is None or table.names is None:
        raise DocumentError("Expected records, got a single column; pass a table.")
    try:
        return table.records()
    except native.ArrowError as error:
        raise _invalid(error) from None


def is_table(source: Any) -> bool:
    """Return whether something is a pandas, Polars, pyarrow or DuckDB table."""
    return hasattr(source, "columns") and hasattr(source, "shape")


def names_of(table: Any) -> list[str]:
    """Return the names of a table's columns; pyarrow's `columns` are the columns themselves."""
    return list(map(str, getattr(table, "column_names", table.columns)))


def is_arrow_column(source: Any) -> bool:
    """Return whether something should be read as Arrow data; NumPy arrays should not."""
    is_arrow = hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")
    return is_arrow and not isinstance(getattr(source, "dtype", None), np.dtype)


def _read(source: Any) -> native.ArrowTable | None:
    try:
        if hasattr(source, "__arrow_c_stream__"):
            return native.ArrowTable.of_stream(source.__arrow_c_stream__())
        if hasattr(source, "__arrow_c_array__"):
            return native.ArrowTable.of_array(*source.__arrow_c_array__())
    except native.ArrowError as error:
        raise _invalid(error) from None
    return None


def _number(names: list[str] | None, wanted: str | None) -> int:
    """Return the number of a table's column, or 0 for a column."""
    if names is None:
        if wanted is not None:
            raise ParameterError(
                "The 'text' parameter of text_column names a column of a table. Got"
                f" {wanted!r:.80} for a single column."
            )
        return 0
    shown = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
    if wanted is None:
        raise DocumentError(
            f"Expected a column, got a table with the columns {shown}. Pass one of them, such as"
            f" addhash.text_column(table, text={(names or ['text'])[0]!r})."
        )
    if names.count(wanted) != 1:
        how = "more than one" if wanted in names else "no"
        raise ParameterError(f"The table has {how} column {wanted!r:.80}; it has {shown}.")
    return names.index(wanted)


def _invalid(error: native.ArrowError) -> AddhashError:
    return DocumentError(f"Cannot read the Arrow data: {error}.")
