"""Records of a source, whatever its format: named columns and rows of values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from addhash.errors import Parameter, TableError
from addhash.tables.lines import Lines
from addhash.tables.sources import Opened

All = Literal["all"]
# The columns that go with a row to the output.
Kept = Sequence[str] | All


class Row(NamedTuple):
    """A record: its number from 1, its first line, the values asked for, and those to keep."""

    record: int
    line: int
    values: Sequence[Any]
    kept: Mapping[str, Any]


@dataclass(frozen=True)
class Layout:
    """How a source is laid out, so that another can be written like it.

    Attributes
    ----------
    header : list of str or None
        The names of the columns as they are written; None if they are not.
    delimiter : str or None
        What separates the fields, in .csv.
    line_end : str
        What ends a line.
    has_mark : bool
        The source begins with a byte order mark.
    sheets : sequence of str
        The sheets of a workbook, first the one that is read.
    """

    header: Sequence[str] | None = None
    delimiter: str | None = None
    line_end: str = "\n"
    has_mark: bool = False
    sheets: Sequence[str] = ()


class Records(Protocol):
    """What every format provides.

    Attributes
    ----------
    names : list of str
        The columns, each with a name of its own; none if the source is empty.
    has_columns : bool
        The source itself names or numbers its columns.
    places : tuple of str
        What identifies a record: "line", "row", or "record" and "line" if they can differ.
    layout : Layout
        How the source is laid out.
    """

    @property
    def names(self) -> list[str]: ...  # noqa: D102 - said above

    @property
    def has_columns(self) -> bool: ...  # noqa: D102

    @property
    def places(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def layout(self) -> Layout: ...  # noqa: D102

    def rows(self, columns: Sequence[str], kept: Kept) -> Iterator[Row | TableError]:
        """Yield the records, each with its values of these columns, or what is wrong with it."""

    def is_drained(self) -> bool:
        """Return whether the next record may have to be waited for."""

    def progress(self) -> tuple[int, int | None]:
        """Return how much has been read, and how much there is if that is known."""


class LineRecords:
    """Records made of lines."""

    names: list[str]
    has_columns = True
    places: tuple[str, ...] = ("line",)
    header: list[str] | None = None
    delimiter: str | None = None

    def __init__(self, opened: Opened, lines: Lines) -> None:
        self._opened = opened
        self._lines = lines

    @property
    def layout(self) -> Layout:
        """How the source is laid out."""
        lines = self._lines
        return Layout(self.header, self.delimiter, lines.line_end, lines.has_mark)

    def is_drained(self) -> bool:
        """Return whether the next record may have to be waited for."""
        return self._lines.is_drained

    def progress(self) -> tuple[int, int | None]:
        """Return how many bytes have been read, and how many there are."""
        return self._opened.position(), self._opened.size

    def _fail(self, line: int, *what: str | Parameter) -> TableError:
        source = str(self._opened.source)
        return TableError(f"{source}, line {line}: ", *what, line=line)


class TextRecords(LineRecords):
    """One document per line."""

    names: list[str] = ["text"]  # noqa: RUF012 - never changed
    has_columns = False

    def rows(self, columns: Sequence[str], kept: Kept) -> Iterator[Row | TableError]:
        """Yield the lines."""
        lines = self._lines
        for line in lines:
            text = line.removesuffix("\r")
            values = {"text": text} if kept else {}
            yield Row(lines.number, lines.number, [text] * len(columns), values)


def column_names(first: Sequence[Any], has_header: bool) -> list[str]:
    """Return the names of the columns, none of them empty and none twice.

    Parameters
    ----------
    first : sequence
        The first row.
    has_header : bool
        Whether it has the names; otherwise columns are numbered from 1.

    Examples
    --------
    >>> column_names(["text", "", "text"], True)
    ['text', 'column 2', 'text_2']
    >>> column_names(["some text", "x"], False)
    ['1', '2']
    """
    if not has_header:
        return [str(i) for i in range(1, len(first) + 1)]
    result: list[str] = []
    for i, name in enumerate(first, 1):
        base = str(name if name is not None else "").strip() or f"column {i}"
        name, count = base, 1
        while name in result:
            count += 1
            name = f"{base}_{count}"
        result.append(name)
    return result
