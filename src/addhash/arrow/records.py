"""Tables of records, read in place."""

from typing import Any

from addhash.arrow.texts import arrow_table, unreadable
from addhash.errors import DocumentError
from addhash.runtime import native


def record_table(source: Any) -> native.ArrowRecords | None:
    """Return an Arrow table as records, or None for anything else."""
    is_arrow = hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")
    if not is_arrow:
        return None
    if hasattr(source, "reset_index"):
        # pandas exports an index as if it were a column.
        source = source.reset_index(drop=True)
    table = arrow_table(source)
    if table is None or table.names is None:
        raise DocumentError("Expected records, got a single column; pass a table.")
    try:
        return table.records()
    except native.ArrowError as error:
        raise unreadable(error) from None


def is_table(source: Any) -> bool:
    """Return whether something is a pandas, Polars, pyarrow, DuckDB, Dask or Hugging Face table."""
    has_names = hasattr(source, "columns") or hasattr(source, "column_names")
    # One column of Dask has the names of columns, too.
    return has_names and hasattr(source, "shape") and getattr(source, "ndim", 2) == 2


def names_of(table: Any) -> list[str]:
    """Return the names of a table's columns; pyarrow's `columns` are the columns themselves."""
    names = table.column_names if hasattr(table, "column_names") else table.columns
    return list(map(str, names))
