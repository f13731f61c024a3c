"""What is in a table: its columns, their types and its first rows, whatever can be guessed."""

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

from addhash.errors import TableChoiceError, TableError
from addhash.tables.column_choice import Columns
from addhash.tables.formats import open_records
from addhash.tables.reading import Reading
from addhash.tables.records import Layout
from addhash.tables.sources import Source, open_source

SAMPLE_ROWS = 1000

_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][-+]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}([T ][0-9:.]+(Z|[-+][0-9:]+)?)?")


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
        Its name.
    type : str
        What its first values are: "text", "whole number", "number", "date", "yes or no", "list",
        "object", "mixed" or "empty".
    example : object
        Its first value that is not empty; None if there is none.
    """

    name: str
    type: str
    example: Any


@dataclass(frozen=True)
class Preview:
    """The beginning of a table.

    Attributes
    ----------
    source : Source
        What was read.
    layout : Layout
        How it is laid out.
    columns : tuple of Column
        Its columns; none if it is empty.
    rows : tuple of dict
        Its first rows.
    text_columns : tuple of str
        The columns that `Documents` would take texts from; none if it cannot tell.
    label_column : str or None
        The column that it would take labels from, if any.
    """

    source: Source
    layout: Layout
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Any], ...]
    text_columns: tuple[str, ...]
    label_column: str | None


def preview(
    source: str | Source,
    reading: Reading | None = None,
    *,
    rows: int = 5,
    file: BinaryIO | None = None,
) -> Preview:
    r"""Look at the beginning of a table.

    Parameters
    ----------
    source : str or Source
        A path; or, with `file`, any name, whose extension says what is in it.
    reading : Reading
        How it is read. Rows that cannot be read are left out.
    rows : int
        How many rows to return.
    file : binary file, optional
        The bytes to read; it stays open.

    Examples
    --------
    >>> import io
    >>> from addhash.tables import preview
    >>> found = preview("t.csv", file=io.BytesIO(b"id;tweet;when\n1;Hello;2024-05-17\n"))
    >>> [(column.name, column.type) for column in found.columns]
    [('id', 'whole number'), ('tweet', 'text'), ('when', 'date')]
    >>> found.text_columns
    ()
    """
    reading = reading or Reading()
    source = Source.named(source, reading.kind) if isinstance(source, str) else source
    opened = open_source(source, reading.limit, file)
    try:
        records = open_records(opened, reading)
        names = records.names
        sample: list[Mapping[str, Any]] = []
        # What was read before a file breaks off is worth seeing.
        with suppress(TableError):
            read = islice(records.rows([], "all") if names else (), SAMPLE_ROWS)
            sample.extend(row.kept for row in read if not isinstance(row, TableError))
    finally:
        opened.close()
    texts, label = _guess(Columns(str(source), names, records.layout.header), reading)
    columns = tuple(_column(name, [row.get(name) for row in sample]) for name in names)
    return Preview(source, records.layout, columns, tuple(sample[:rows]), texts, label)


def _guess(columns: Columns, reading: Reading) -> tuple[tuple[str, ...], str | None]:
    try:
        choice = columns.choose(reading.text_columns, usual=reading.usual_text_columns)
    except TableChoiceError:
        if reading.text_columns:
            raise
        return (), None
    return choice.texts, choice.label


def _column(name: str, values: Sequence[Any]) -> Column:
    filled = [value for value in values if value is not None and value != ""]
    return Column(name, _type_of(filled), filled[0] if filled else None)


def _type_of(values: Iterable[Any]) -> str:
    """Return what values are.

    >>> _type_of(["1", "-2"]), _type_of(["1", "2.5"]), _type_of(["1", "x"]), _type_of([True])
    ('whole number', 'number', 'text', 'yes or no')
    """
    found = {_kind_of(value) for value in values}
    if not found:
        return "empty"
    if found <= {"whole number", "number"}:
        return "number" if "number" in found else "whole number"
    if "text" in found and found <= {"text", "whole number", "number", "date"}:
        return "text"
    return found.pop() if len(found) == 1 else "mixed"


def _kind_of(value: Any) -> str:
    if isinstance(value, str):
        if _WHOLE.fullmatch(value):
            return "whole number"
        if _NUMBER.fullmatch(value):
            return "number"
        return "date" if _DATE.fullmatch(value) else "text"
    kinds: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (bool, "yes or no"),
        (int, "whole number"),
        (float, "number"),
        ((datetime.date, datetime.time), "date"),
        (list, "list"),
        (dict, "object"),
    )
    return next((name for kind, name in kinds if isinstance(value, kind)), type(value).__name__)
