"""Columns of texts, read in place."""

from typing import Any, Literal

import numpy as np

from addhash.errors import AddhashError, DocumentError, ParameterError
from addhash.runtime import native

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
        raise ParameterError.of(
            "text_column", "null", f"must be 'error' or 'empty'. Got {null!r:.80} instead."
        )
    table = arrow_table(source)
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
        raise unreadable(error) from None
    except native.Failure as failure:
        raise DocumentError(
            f"Document {failure.position} is null; expected a text. Drop it, or treat nulls as"
            " empty texts: addhash.text_column(column, null='empty')."
        ) from None


def arrow_column(source: Any) -> native.ArrowTable | None:
    """Return a single column of anything, or None if it has no Arrow form."""
    try:
        table = arrow_table(source)
    except ImportError:  # pandas exports by pyarrow, which may not be there
        return None
    if table is not None:
        _number(table.names, None)
    return table


def is_arrow_column(source: Any) -> bool:
    """Return whether something should be read as Arrow data; NumPy arrays should not."""
    is_arrow = hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")
    return is_arrow and not isinstance(getattr(source, "dtype", None), np.dtype)


def arrow_table(source: Any) -> native.ArrowTable | None:
    """Return anything that has an Arrow form as a table, or None if it has none."""
    try:
        if hasattr(source, "__arrow_c_stream__"):
            return native.ArrowTable.of_stream(source.__arrow_c_stream__())
        if hasattr(source, "__arrow_c_array__"):
            return native.ArrowTable.of_array(*source.__arrow_c_array__())
    except native.ArrowError as error:
        raise unreadable(error) from None
    return None


def unreadable(error: native.ArrowError) -> AddhashError:
    """Return what to raise for Arrow data that the core refuses."""
    return DocumentError(f"Cannot read the Arrow data: {error}.")


def _number(names: list[str] | None, wanted: str | None) -> int:
    """Return the number of a table's column, or 0 for a column."""
    if names is None:
        if wanted is not None:
            raise ParameterError.of(
                "text_column",
                "text",
                f"names a column of a table. Got {wanted!r:.80} for a single column.",
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
