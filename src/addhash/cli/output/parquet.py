"""Rows of results as a Parquet file."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, BinaryIO

from addhash.cli.errors import CommandError
from addhash.cli.output.lines import values_of
from addhash.tables import require


class ParquetOutput:
    """A Parquet file; its columns have the types of the input, or those of the first rows."""

    def __init__(self, file: BinaryIO, like: Any = None, numbers: Collection[str] = ()) -> None:
        self._arrow = require("pyarrow", "Writing a .parquet file")
        self._parquet = require("pyarrow.parquet", "Writing a .parquet file")
        self._file = file
        self._like = like
        self._numbers = numbers
        self._schema: Any = None
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
            names = [name for name in rows[0] if self._like is None or name not in self._like.names]
            inferred = arrow.Table.from_pylist([{n: row.get(n) for n in names} for row in rows])
        except (arrow.ArrowException, TypeError, OverflowError) as error:
            raise CommandError(
                f"The values of a column have different types ({error}). Write .jsonl instead."
            ) from error
        # A column about which nothing is known yet is more often text than anything else.
        known = {} if self._like is None else {field.name: field for field in self._like}
        fields = []
        for name in rows[0]:
            if name in known:
                fields.append(known[name])
            elif name in self._numbers:
                fields.append(arrow.field(name, arrow.float64()))
            elif arrow.types.is_null(inferred.schema.field(name).type):
                fields.append(arrow.field(name, arrow.string()))
            else:
                fields.append(inferred.schema.field(name))
        return arrow.schema(fields, None if self._like is None else self._like.metadata)

    def finish(self) -> None:
        """Write what is still missing."""
        if self._writer is None:
            schema = self._schema or self._like or self._arrow.schema([])
            self._writer = self._parquet.ParquetWriter(self._file, schema)
        self._writer.close()
