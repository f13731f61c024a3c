"""Rows of results as a workbook of spreadsheets: .xlsx, written row by row."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, BinaryIO

from addhash.cli.errors import CommandError
from addhash.cli.output.lines import values_of
from addhash.cli.output.terminal import plain
from addhash.tables import require

MOST_ROWS = 1 << 20
LONGEST_CELL = 32_767
MOST_DIGITS = 15
MOST_WHOLE = 10**MOST_DIGITS

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
# What XML cannot contain, and what would be mistaken for an escape.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def escape(text: str) -> str:
    r"""Return a text as a cell stores it.

    >>> escape("bell\x07 _x0007_")
    'bell_x0007_ _x005F_x0007_'
    """
    return _UNSAFE.sub(lambda match: f"_x{ord(match[0]):04X}_", text)


def as_number(text: Any) -> int | float | None:
    """Return the number that a text is, if a cell shows it the same way.

    >>> as_number("12"), as_number("-0.50"), as_number("007"), as_number("1e5"), as_number("")
    (12, -0.5, None, None, None)
    """
    if not isinstance(text, str) or _NUMBER.fullmatch(text) is None:
        return None
    if sum(map(str.isdigit, text)) > MOST_DIGITS:
        return None
    return float(text) if "." in text else int(text)


def cell_value(value: Any, place: str) -> bool | int | float | str | None:
    """Return a value as a cell can hold it: a number of up to 15 digits, or a text.

    Parameters
    ----------
    value : object
    place : str
        Where it is, for messages.

    Examples
    --------
    >>> cell_value(12, "Row 2"), cell_value(10**15, "Row 2"), cell_value(["a"], "Row 2")
    (12, '1000000000000000', '["a"]')
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float) and math.isfinite(value) and abs(value) < MOST_WHOLE:
        return value
    text = value if isinstance(value, str) else plain(value)
    if len(text) > LONGEST_CELL:
        raise CommandError(
            f"{place} has a text of {len(text):,} characters, and a cell of an .xlsx file holds at"
            f" most {LONGEST_CELL:,}. Write a .csv file instead, or leave the column out with"
            " --keep-columns."
        )
    return text


class WorkbookOutput:
    """One sheet, with the names of the columns in the first row; texts are never formulas."""

    def __init__(self, file: BinaryIO, numeric: Collection[str] = ()) -> None:
        library = require("openpyxl", "Writing an .xlsx file")
        self._cell_type = require("openpyxl.cell", "").WriteOnlyCell
        self._file = file
        self._book = library.Workbook(write_only=True)
        self._sheet = self._book.create_sheet("addhash")
        self._sheet.freeze_panes = "A2"
        self._numeric = numeric
        self._names: list[str] | None = None
        self._count = 0

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add these rows."""
        for row in rows:
            if self._names is None:
                self._names = list(row)
                self._append([self._cell(name) for name in self._names])
            values = values_of(row, self._names)
            self._append(
                [
                    self._number(value) if name in self._numeric else self._cell(value)
                    for name, value in zip(self._names, values, strict=True)
                ]
            )

    def _append(self, cells: Sequence[Any]) -> None:
        self._count += 1
        if self._count > MOST_ROWS:
            raise CommandError(
                f"An .xlsx file can have at most {MOST_ROWS:,} rows. Write a .csv file instead."
            )
        self._sheet.append(cells)

    def _number(self, value: Any) -> Any:
        """Return a cell for a text that may be a number."""
        number = as_number(value)
        if number is None:
            return self._cell(value)
        cell = self._cell_type(self._sheet, number)
        decimals = len(value.partition(".")[2])
        if decimals and value.endswith("0"):
            cell.number_format = f"0.{'0' * decimals}"
        return cell

    def _cell(self, value: Any) -> Any:
        if hasattr(value, "isoformat") and getattr(value, "tzinfo", None) is None:
            return value
        value = cell_value(value, f"Row {self._count}")
        if not isinstance(value, str):
            return value
        cell = self._cell_type(self._sheet, escape(value))
        # What begins with "=" would become a formula.
        cell.data_type = "s"
        return cell

    def abandon(self) -> None:
        """Release resources, because the rest will not come."""
        self._sheet.close()

    def finish(self) -> None:
        """Write what is still missing."""
        self._book.save(self._file)
