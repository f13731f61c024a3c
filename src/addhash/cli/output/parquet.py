"""Rows of results as a Parquet file."""

from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from addhash.cli.errors import CommandError, require
from addhash.cli.output.lines import values_of

__all__ = ["ParquetOutput"]


class ParquetOutput:
    """A Parquet file; its columns have the types of the input, or those of the first rows."""

    def __init__(self, file: BinaryIO, schema: Any = None) -> None:
        self._arrow = require("pyarrow", "files", "Writing a .parquet file")
        self._parquet = require("pyarrow.parquet", "files", "Writing a .parquet file")
        self._file = file
        self._schema = schema
        self._writer: Any = None

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add these rows."""
        if not rows:
            return
        if self._schema is None:
            self._schema = self._schema_of(rows)
        names = self._schema.names
        listed = [dict(zip(names, values_of(row, names), strict=True)) for row in rows]
        try:
            table = self._arrow.Table.from_pylist(listed, schema=self._schema)
        except (self._arrow.ArrowException, TypeError, OverflowError) as error:
            raise CommandError(
                f"A row does not fit the columns of the first rows ({error}). Write .jsonl instead."
            ) from error
        if self._writer is None:
            self._writer = self._parquet.ParquetWriter(self._file, self._schema)
        self._writer.write_table(table)

    def _schema_of(self, rows: Sequence[Mapping[str, Any]]) -> Any:
        arrow = self._arrow
        try:
            schema = arrow.Table.from_pylist([dict(row) for row in rows]).schema
        except (arrow.ArrowException, TypeError, OverflowError) as error:
            raise CommandError(
                f"The values of a column have different types ({error}). Write .jsonl instead."
            ) from error
        # A column about which nothing is known yet is more often text than anything else.
        fields = [
            arrow.field(field.name, arrow.string()) if arrow.types.is_null(field.type) else field
            for field in schema
        ]
        return arrow.schema(fields)

    def finish(self) -> None:
        """Write what is still missing."""
        if self._writer is None:
            schema = self._schema if self._schema is not None else self._arrow.schema([])
            self._writer = self._parquet.ParquetWriter(self._file, schema)
        self._writer.close()
