"""Records of a source, whatever its format: named columns, and rows of values."""

import csv
import json
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Protocol

from addhash.cli.errors import CommandError, UsageError, require
from addhash.cli.sources import Lines, Opened

__all__ = ["Records", "open_records"]

# No field of a CSV file is longer, or its quotes are broken.
LONGEST_FIELD = 1 << 27
PARQUET_ROWS = 1024

Row = tuple[int, Sequence[Any]]


class Records(Protocol):
    """What every format gives: the names of the columns, and the rows of some of them."""

    names: list[str]
    noun: str

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        """Yield the number of each record, from 1, and its values of these columns."""

    def is_drained(self) -> bool:
        """Tell whether the next record may have to be waited for."""

    def progress(self) -> tuple[int, int | None]:
        """Return how much has been read, and how much there is if that is known."""


class _LineRecords:
    noun = "line"
    names: list[str]

    def __init__(self, opened: Opened, lines: Lines) -> None:
        self._opened = opened
        self._lines = lines

    def is_drained(self) -> bool:
        return self._lines.is_drained

    def progress(self) -> tuple[int, int | None]:
        return self._opened.position(), self._opened.size

    def _fail(self, number: int, what: str) -> CommandError:
        return CommandError(f"{self._opened.source}, line {number}: {what}")


class TextRecords(_LineRecords):
    """A document a line."""

    names: list[str] = ["text"]  # noqa: RUF012 - never changed

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        lines = self._lines
        for line in lines:
            yield lines.number, (line.removesuffix("\r"),)


class TableRecords(_LineRecords):
    """CSV, or TSV: fields between tabs, a record a line, quotes without a meaning."""

    def __init__(self, opened: Opened, lines: Lines, has_header: bool) -> None:
        super().__init__(opened, lines)
        self._start = 1
        self._rows = self._read_csv() if opened.source.kind == "csv" else self._read_tsv()
        first = next(self._rows, None)
        if first is None:
            self.names = []
        elif has_header:
            self.names = [name.strip() for name in first[1]]
        else:
            self.names = [str(i) for i in range(1, len(first[1]) + 1)]
            self._rows = chain([first], self._rows)

    def _read_tsv(self) -> Iterator[Row]:
        for line in self._lines:
            yield self._lines.number, line.removesuffix("\r").split("\t")

    def _read_csv(self) -> Iterator[Row]:
        csv.field_size_limit(LONGEST_FIELD)
        start = 1
        try:
            for row in csv.reader((line + "\n" for line in self._lines), strict=True):
                if row:
                    yield start, row
                start = self._lines.number + 1
        except csv.Error as error:
            raise self._fail(
                start,
                f"this record is no valid CSV ({error}). A quote may be missing.",
            ) from error

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        places = [self.names.index(column) for column in columns]
        width = len(self.names)
        for number, row in self._rows:
            if len(row) != width:
                raise self._fail(
                    number,
                    f"expected {width} columns, got {len(row)}. All records need them.",
                )
            yield number, [row[place] for place in places]


class JsonRecords(_LineRecords):
    """A JSON object a line, or a JSON string a line."""

    def __init__(self, opened: Opened, lines: Lines) -> None:
        super().__init__(opened, lines)
        self._values = self._read()
        first = next(self._values, None)
        if first is None:
            self.names = []
            return
        self.names = list(first[1]) if isinstance(first[1], dict) else ["text"]
        self._values = chain([first], self._values)

    def _read(self) -> Iterator[tuple[int, dict[str, Any] | str]]:
        for line in self._lines:
            number = self._lines.number
            if not line or line.isspace():
                continue
            try:
                value = json.loads(line)
            except (json.JSONDecodeError, RecursionError) as error:
                message = getattr(error, "msg", "nested too deep")
                column = getattr(error, "colno", 1)
                raise self._fail(
                    number,
                    f"this is no valid JSON ({message} at column {column})."
                    " Expected an object a line.",
                ) from error
            if not isinstance(value, dict | str):
                raise self._fail(
                    number,
                    f'expected a JSON object, got {line.strip()[:40]!r}. Write {{"text": "..."}}.',
                )
            yield number, value

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        for number, value in self._values:
            record = {"text": value} if isinstance(value, str) else value
            for column in columns:
                if column not in record:
                    raise self._fail(
                        number,
                        f"the object has no {column!r}, only"
                        f" {', '.join(map(repr, record)) or 'nothing'}.",
                    )
            yield number, [record[column] for column in columns]


class ParquetRecords:
    """A Parquet file, read a few rows at a time."""

    noun = "row"

    def __init__(self, opened: Opened) -> None:
        pyarrow = require("pyarrow", "files", f"Reading {opened.source}")
        parquet = require("pyarrow.parquet", "files", f"Reading {opened.source}")
        try:
            self._file = parquet.ParquetFile(opened.seekable())
        except (pyarrow.ArrowException, OSError) as error:
            raise CommandError(
                f"Cannot read {opened.source}: it is no Parquet file, or it is damaged"
                f" ({str(error).splitlines()[0].rstrip('.')}). Name another --input-format if it is"
                " something else."
            ) from error
        self._error = pyarrow.ArrowException
        self._opened = opened
        self._done = 0
        self._left = 0
        self.names: list[str] = list(self._file.schema_arrow.names)

    def is_drained(self) -> bool:
        return self._left == 0

    def progress(self) -> tuple[int, int | None]:
        return self._done, self._file.metadata.num_rows

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        try:
            for batch in self._file.iter_batches(PARQUET_ROWS, columns=list(columns)):
                values = [batch.column(column).to_pylist() for column in columns]
                self._left = batch.num_rows
                for row in zip(*values, strict=True):
                    self._done += 1
                    self._left -= 1
                    yield self._done, row
        except (self._error, OSError) as error:
            raise CommandError(
                f"{self._opened.source}, after row {self._done}: the file is damaged ({error})."
                " Make it again."
            ) from error


def open_records(opened: Opened, encoding: str, errors: str, has_header: bool) -> Records:
    """Read an open source in the format that its kind says."""
    kind = opened.source.kind
    if kind == "parquet":
        return ParquetRecords(opened)
    if not has_header and kind not in ("csv", "tsv"):
        raise UsageError(
            f"--no-header is for .csv and .tsv, but {opened.source} is read as {kind}."
            " Leave it out."
        )
    lines = Lines(opened, encoding, errors)
    if kind == "txt":
        return TextRecords(opened, lines)
    if kind == "jsonl":
        return JsonRecords(opened, lines)
    return TableRecords(opened, lines, has_header)
