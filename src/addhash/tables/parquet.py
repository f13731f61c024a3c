"""Parquet files, read a few rows at a time."""

from collections.abc import Iterator, Sequence
from typing import Any

from addhash.errors import Parameter, TableError
from addhash.tables.column_choice import check_unique
from addhash.tables.packages import require
from addhash.tables.records import Kept, Layout, Row
from addhash.tables.sources import Opened

BATCH_ROWS = 1024
# For columns whose texts are too large to be read individually.
FEW_ROWS = 64


class ParquetRecords:
    """The rows of a Parquet file."""

    has_columns = True
    places = ("row",)
    layout = Layout()

    def __init__(self, opened: Opened) -> None:
        pyarrow = require("pyarrow", f"Reading {opened.source}")
        self._parquet = require("pyarrow.parquet", f"Reading {opened.source}")
        self._types = pyarrow.types
        self._data = opened.seekable()
        try:
            self._file = self._parquet.ParquetFile(self._data)
        except (pyarrow.ArrowException, OSError) as error:
            raise TableError(
                f"Cannot read {opened.source}: it is not a Parquet file, or it is damaged"
                f" ({str(error).splitlines()[0].rstrip('.')}). Name another ",
                Parameter("kind"),
                " if it is something else.",
            ) from error
        self._errors = (pyarrow.ArrowException, OSError, UnicodeDecodeError)
        self._opened = opened
        self._done = 0
        self._left = 0
        self.schema = self._file.schema_arrow
        self.names: list[str] = list(self.schema.names)
        check_unique(str(opened.source), self.names)

    def is_drained(self) -> bool:
        """Return whether the next record may have to be waited for."""
        return self._left == 0

    def progress(self) -> tuple[int, int | None]:
        """Return how many rows have been read, and how many there are."""
        return self._done, self._file.metadata.num_rows

    def _largest(self, columns: list[str]) -> int:
        """Return the size of the largest chunk of these columns; refuse a decompression bomb."""
        largest = 0
        for group in range(self._file.metadata.num_row_groups):
            for place in range(self._file.metadata.num_columns):
                column = self._file.metadata.row_group(group).column(place)
                if column.path_in_schema.partition(".")[0] in columns:
                    unpacked = column.total_uncompressed_size
                    self._opened.check_ratio(unpacked, column.total_compressed_size)
                    largest = max(largest, unpacked)
        return largest

    def _batches(self, columns: list[str]) -> Iterator[Any]:
        """Read a few rows at a time, in a way that repeated values take no memory.

        A file stores a text that occurs in many rows only once, and so can memory.
        """
        if self._largest(columns) > (self._opened.limit or 1 << 62):
            yield from self._file.iter_batches(FEW_ROWS, columns=columns)
            return
        texts = [
            field.name
            for field in self._file.schema_arrow
            if self._types.is_string(field.type) or self._types.is_large_string(field.type)
        ]
        file = self._parquet.ParquetFile(self._data, read_dictionary=texts)
        yield from file.iter_batches(BATCH_ROWS, columns=columns)

    def _values(self, column: Any) -> list[Any]:
        if not self._types.is_dictionary(column.type):
            return list(column.to_pylist())
        used = column.indices.unique().drop_null()
        texts = dict(zip(used.to_pylist(), column.dictionary.take(used).to_pylist(), strict=True))
        return [texts.get(at) for at in column.indices.to_pylist()]

    def rows(self, columns: Sequence[str], kept: Kept) -> Iterator[Row | TableError]:
        """Yield the rows."""
        names = self.names if kept == "all" else list(kept)
        wanted = list(dict.fromkeys([*columns, *names]))
        try:
            for batch in self._batches(wanted):
                values = {name: self._values(batch.column(name)) for name in wanted}
                self._left = batch.num_rows
                for at in range(batch.num_rows):
                    self._done += 1
                    self._left -= 1
                    row = {name: values[name][at] for name in names}
                    yield Row(self._done, self._done, [values[c][at] for c in columns], row)
        except self._errors as error:
            raise TableError(
                f"{self._opened.source}, after row {self._done}: the file is damaged ({error})."
                " Create it again."
            ) from error
