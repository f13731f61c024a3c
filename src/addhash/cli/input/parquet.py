"""Parquet files, read a few rows at a time."""

from collections.abc import Iterator, Sequence

from addhash.cli.errors import CommandError, require
from addhash.cli.input.records import Kept, Row
from addhash.cli.input.sources import Opened

__all__ = ["ParquetRecords"]

BATCH_ROWS = 1024


class ParquetRecords:
    """The rows of a Parquet file."""

    has_columns = True
    places = ("row",)
    delimiter = None
    has_mark = False

    def __init__(self, opened: Opened) -> None:
        pyarrow = require("pyarrow", "files", f"Reading {opened.source}")
        parquet = require("pyarrow.parquet", "files", f"Reading {opened.source}")
        try:
            self._file = parquet.ParquetFile(opened.seekable())
        except (pyarrow.ArrowException, OSError) as error:
            raise CommandError(
                f"Cannot read {opened.source}: it is not a Parquet file, or it is damaged"
                f" ({str(error).splitlines()[0].rstrip('.')}). Name another --input-format if it is"
                " something else."
            ) from error
        self._errors = (pyarrow.ArrowException, OSError, UnicodeDecodeError)
        self._opened = opened
        self._done = 0
        self._left = 0
        self.names: list[str] = list(self._file.schema_arrow.names)

    def is_drained(self) -> bool:
        """Tell whether the next record may have to be waited for."""
        return self._left == 0

    def progress(self) -> tuple[int, int | None]:
        """Return how many rows have been read, and how many there are."""
        return self._done, self._file.metadata.num_rows

    def _check_sizes(self, columns: list[str]) -> None:
        for group in range(self._file.metadata.num_row_groups):
            for place in range(self._file.metadata.num_columns):
                column = self._file.metadata.row_group(group).column(place)
                if column.path_in_schema.partition(".")[0] in columns:
                    self._opened.check_ratio(
                        column.total_uncompressed_size, column.total_compressed_size
                    )

    def rows(self, columns: Sequence[str], kept: Kept) -> Iterator[Row]:
        """Yield the rows."""
        names = self.names if kept == "all" else list(kept)
        wanted = list(dict.fromkeys([*columns, *names]))
        self._check_sizes(wanted)
        try:
            for batch in self._file.iter_batches(BATCH_ROWS, columns=wanted):
                values = {name: batch.column(name).to_pylist() for name in wanted}
                self._left = batch.num_rows
                for at in range(batch.num_rows):
                    self._done += 1
                    self._left -= 1
                    row = {name: values[name][at] for name in names}
                    yield Row(self._done, self._done, [values[c][at] for c in columns], row)
        except self._errors as error:
            raise CommandError(
                f"{self._opened.source}, after row {self._done}: the file is damaged ({error})."
                " Make it again."
            ) from error
