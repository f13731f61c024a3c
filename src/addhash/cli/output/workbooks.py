"""Rows of results as a workbook of spreadsheets: .xlsx, written row by row."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from addhash.cli.errors import CommandError, require
from addhash.cli.output.lines import values_of
from addhash.cli.output.terminal import plain

__all__ = ["WorkbookOutput", "escape"]

MOST_ROWS = 1 << 20
LONGEST_CELL = 32_767
MOST_WHOLE = 10**15

# What XML cannot contain, and what would be mistaken for an escape.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def escape(text: str) -> str:
    r"""Return a text as a cell stores it.

    >>> escape("bell\x07 _x0007_")
    'bell_x0007_ _x005F_x0007_'
    """
    return _UNSAFE.sub(lambda match: f"_x{ord(match[0]):04X}_", text)


class WorkbookOutput:
    """One sheet, with the names of the columns in the first row; texts are never formulas."""

    def __init__(self, file: BinaryIO) -> None:
        library = require("openpyxl", "files", "Writing an .xlsx file")
        self._cell_type = require("openpyxl.cell", "files", "").WriteOnlyCell
        self._file = file
        self._book = library.Workbook(write_only=True)
        self._sheet = self._book.create_sheet("addhash")
        self._sheet.freeze_panes = "A2"
        self._names: list[str] | None = None
        self._count = 0

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add these rows."""
        for row in rows:
            if self._names is None:
                self._names = list(row)
                self._append(self._names)
            self._append(values_of(row, self._names))

    def _append(self, values: Sequence[Any]) -> None:
        self._count += 1
        if self._count > MOST_ROWS:
            raise CommandError(
                f"An .xlsx file can have at most {MOST_ROWS:,} rows. Write a .csv file instead."
            )
        self._sheet.append([self._cell(value) for value in values])

    def _cell(self, value: Any) -> Any:
        if value is None or isinstance(value, bool):
            return value
        # A numeric cell has 15 digits; anything longer is kept as text.
        if isinstance(value, int | float) and math.isfinite(value) and abs(value) < MOST_WHOLE:
            return value
        text = value if isinstance(value, str) else None
        if text is None:
            if hasattr(value, "isoformat") and getattr(value, "tzinfo", None) is None:
                return value
            text = plain(value)
        if len(text) > LONGEST_CELL:
            raise CommandError(
                f"Row {self._count} has a text of {len(text):,} characters, and a cell of an .xlsx"
                f" file holds at most {LONGEST_CELL:,}. Write a .csv file instead, or leave the"
                " column out with --keep-columns."
            )
        cell = self._cell_type(self._sheet, escape(text))
        # What begins with "=" would become a formula.
        cell.data_type = "s"
        return cell

    def abandon(self) -> None:
        """Release resources, because the rest will not come."""
        self._sheet.close()

    def finish(self) -> None:
        """Write what is still missing."""
        self._book.save(self._file)
