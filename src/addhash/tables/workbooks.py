"""Workbooks of spreadsheets: .xlsx, row by row."""

import datetime
import re
import zipfile
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from addhash.errors import Parameter, TableChoiceError, TableError
from addhash.tables.packages import require
from addhash.tables.records import Kept, Layout, Row, column_names
from addhash.tables.sources import Opened

# The texts of all cells, which are kept in memory while the rows are read.
TEXTS = "xl/sharedStrings.xml"

# What workbooks begin with that are protected by a password or older than .xlsx.
COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def unescape(text: str) -> str:
    r"""Return a cell's text with the characters that XML cannot contain.

    >>> unescape("bell_x0007_")
    'bell\x07'
    """
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


class WorkbookRecords:
    """The rows of one sheet; numbers, dates and formulas' results are texts where one is needed.

    Attributes
    ----------
    data : binary file
        The workbook.
    sheet : str
        The name of the sheet.
    header_row : int or None
        The row with the names of the columns.
    """

    has_columns = True
    places = ("row",)

    def __init__(self, opened: Opened, has_header: bool, sheet: str | None) -> None:
        self._opened = opened
        openpyxl = require("openpyxl", f"Reading {opened.source}")
        self.data = data = opened.seekable()
        self._check_sizes(data)
        try:
            self._book = openpyxl.load_workbook(data, read_only=True, data_only=True)
        except Exception as error:  # whatever XML can go wrong with
            raise self._damaged(error) from error
        # A sheet that is a chart has no rows; one that is hidden has to be asked for.
        tables = self._book.worksheets
        names = [table.title for table in tables]
        seen = [table.title for table in tables if table.sheet_state == "visible"] or names
        if not names or (sheet is not None and sheet not in names):
            listed = ", ".join(map(repr, names)) or "none with rows"
            wanted = "sheet with rows" if sheet is None else f"sheet {sheet!r}"
            raise TableChoiceError(f"{opened.source} has no {wanted}; it has {listed}.")
        self.sheet: str = seen[0] if sheet is None else sheet
        self._sheet = self._book[self.sheet]
        self._rows = self._read()
        self._done = 0
        first = next(self._rows, None)
        self.header_row = first[0] if first is not None and has_header else None
        named = [] if first is None else _trimmed(first[1]) if has_header else first[1]
        self.names = column_names(named, has_header)
        self.layout = Layout(
            ["" if n is None else str(n) for n in named] if has_header else None,
            sheets=[self.sheet, *(name for name in names if name != self.sheet)],
        )
        if first is not None and not has_header:
            self._rows = chain([first], self._rows)

    def _check_sizes(self, data: Any) -> None:
        try:
            with zipfile.ZipFile(data) as archive:
                entries = archive.infolist()
        except zipfile.BadZipFile as error:
            raise self._damaged(error) from error
        for entry in entries:
            self._opened.check_ratio(entry.file_size, entry.compress_size or 1)
            limit = self._opened.limit
            if entry.filename == TEXTS and limit and entry.file_size > limit:
                raise TableError(
                    f"The texts of {self._opened.source} take {entry.file_size >> 20:,} MB, and"
                    f" the limit is {limit >> 20:,}. They are kept in memory: save it as .csv, or"
                    " raise the limit, such as with ",
                    Parameter("max_size", "1G"),
                    ".",
                )
        data.seek(0)

    def _damaged(self, error: BaseException) -> TableError:
        self.data.seek(0)
        if self.data.read(len(COMPOUND)) == COMPOUND:
            return TableError(
                f"Cannot read {self._opened.source}: it is protected by a password, or of the kind"
                " before .xlsx. Save it as .xlsx without a password, or as .csv."
            )
        what = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        return TableError(
            f"Cannot read {self._opened.source}: it is not an .xlsx workbook, or it is damaged"
            f" ({what}). Save it again, or as .csv."
        )

    def _read(self) -> Iterator[tuple[int, list[Any]]]:
        rows = self._sheet.iter_rows(values_only=True)
        number = 0
        while True:
            try:
                row = next(rows, None)
            except Exception as error:  # whatever XML can go wrong with
                raise self._damaged(error) from error
            if row is None:
                return
            number += 1
            values = [unescape(value) if isinstance(value, str) else value for value in row]
            if any(value is not None for value in values):
                yield number, values

    def is_drained(self) -> bool:
        """Return whether the next record may have to be waited for."""
        return False

    def progress(self) -> tuple[int, int | None]:
        """Return how many rows have been read, and how many the sheet says it has."""
        return self._done, self._sheet.max_row

    def rows(self, columns: Sequence[str], kept: Kept) -> Iterator[Row | TableError]:
        """Yield the rows; cells that are missing at the end of a row are empty."""
        places = [self.names.index(column) for column in columns]
        names = self.names if kept == "all" else list(kept)
        kept_places = [(name, self.names.index(name)) for name in names]
        width = len(self.names)
        for record, (number, cells) in enumerate(self._rows, 1):
            self._done = number
            extra = cells[width:]
            if any(value is not None for value in extra):
                yield TableError(
                    f"{self._opened.source}, row {number}: expected {width} columns, got"
                    f" {len(_trimmed(cells))}. Name them all in the first row.",
                    line=number,
                )
                continue
            cells += [None] * (width - len(cells))
            values = [_as_text(cells[place]) for place in places]
            yield Row(record, number, values, {name: cells[at] for name, at in kept_places})


def _trimmed(row: list[Any]) -> list[Any]:
    """Return a row without empty cells at its end, which a sheet has where it has formats."""
    while row and row[-1] is None:
        row = row[:-1]
    return row


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    return str(value)
