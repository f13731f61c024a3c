"""Tables in text files: CSV, with any delimiter, and TSV."""

import csv
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice

from addhash.errors import Parameter, TableChoiceError, TableError
from addhash.tables.lines import Lines
from addhash.tables.records import Kept, LineRecords, Row, column_names
from addhash.tables.sources import Opened

DELIMITERS = ",;\t|"
SAMPLE_RECORDS = 100
SAMPLE_CHARACTERS = 1 << 16
# The longest field that Python's reader takes.
LONGEST_FIELD = (1 << 31) - 1
# Stands for a CR within a line; half of a character is in no decoded text.
RETURN = "\udc0d"

Fields = tuple[int, list[str]]


class _TableRecords(LineRecords):
    """Rows of fields, the first of them names."""

    def __init__(self, opened: Opened, lines: Lines, has_header: bool) -> None:
        super().__init__(opened, lines)
        self._rows = self._read()
        first = next(self._rows, None)
        if isinstance(first, TableError):
            raise first
        self.header = None if first is None or not has_header else first[1]
        self.names = [] if first is None else column_names(first[1], has_header)
        if first is not None and not has_header:
            self._rows = chain([first], self._rows)

    def _read(self) -> Iterator[Fields | TableError]:
        raise AssertionError("every table reads its fields")

    def rows(self, columns: Sequence[str], kept: Kept) -> Iterator[Row | TableError]:
        """Yield the rows, which must all have the same number of fields."""
        places = [self.names.index(column) for column in columns]
        names = self.names if kept == "all" else list(kept)
        kept_places = [(name, self.names.index(name)) for name in names]
        width = len(self.names)
        for record, fields in enumerate(self._rows, 1):
            if isinstance(fields, TableError):
                yield fields
                continue
            line, row = fields
            if len(row) != width:
                what = f"expected {width} columns, got {len(row)}. Every record needs the same."
                yield self._fail(line, what)
                continue
            values = {name: row[place] for name, place in kept_places}
            yield Row(record, line, [row[place] for place in places], values)


class TsvRecords(_TableRecords):
    """Fields between tabs, one record per line; quotes have no special meaning."""

    def _read(self) -> Iterator[Fields | TableError]:
        for line in self._lines:
            yield self._lines.number, line.removesuffix("\r").split("\t")


class CsvRecords(_TableRecords):
    """Fields that may be quoted, and then contain delimiters, quotes and line breaks."""

    places = ("record", "line")

    def __init__(
        self, opened: Opened, lines: Lines, has_header: bool, delimiter: str | None
    ) -> None:
        self._number = 0  # of the last line that was read
        self._record: list[str] = []  # the lines of the record that is being read
        self._again: deque[str] = deque()  # lines to read once more
        self._size = 0
        self._has_returns = False
        waiting = lines.waiting()
        # Excel reads such a first line, and some programs write it.
        if waiting and len(said := waiting[0].rstrip("\r")) == 5 and said.startswith("sep="):
            delimiter = delimiter or said[4]
            next(lines)
            waiting = waiting[1:]
        self.delimiter = _given(delimiter) or detect_delimiter(waiting)
        self._is_spaced = _is_spaced(waiting, self.delimiter)
        super().__init__(opened, lines, has_header)

    def _read(self) -> Iterator[Fields | TableError]:
        csv.field_size_limit(LONGEST_FIELD)
        self._number = self._lines.number
        while True:
            reader = csv.reader(
                self._feed(),
                strict=True,
                delimiter=self.delimiter or ",",
                skipinitialspace=self._is_spaced,
            )
            try:
                for row in reader:
                    if row:
                        yield self._start, row if not self._has_returns else _returned(row)
                    self._begin()
                return
            except csv.Error as error:
                yield self._fail(
                    self._start,
                    f"this record is not valid CSV ({error}). A quote may be missing, or one"
                    " within a quoted field is not doubled.",
                )
                # A quote that is never closed takes in the lines below, which may be right.
                self._number = self._start
                self._again.extendleft(reversed(self._record[1:]))
                self._begin()

    @property
    def _start(self) -> int:
        """The first line of the record that is being read."""
        return self._number - len(self._record) + 1

    def _begin(self) -> None:
        self._record.clear()
        self._size = 0
        self._has_returns = False

    def _feed(self) -> Iterator[str]:
        limit = self._opened.limit
        while True:
            line = self._again.popleft() if self._again else next(self._lines, None)
            if line is None:
                return
            self._number += 1
            self._record.append(line)
            self._size += len(line) + 1
            if limit and self._size > limit:
                raise self._lines.too_long(self._start, " A quote may be missing.")
            # Python's reader takes a lone CR for the end of a line, and fails there.
            if line.find("\r", 0, -1) >= 0:
                self._has_returns = True
                line = line[:-1].replace("\r", RETURN) + line[-1]
            yield line + "\n"


def _returned(row: list[str]) -> list[str]:
    return [field.replace(RETURN, "\r") for field in row]


def _given(delimiter: str | None) -> str | None:
    named = {"tab": "\t", r"\t": "\t"}
    delimiter = named.get(delimiter or "", delimiter)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise TableChoiceError(
            Parameter("delimiter"),
            f" must be one character, such as ';', or the word tab. Got {delimiter!r} instead.",
        )
    return delimiter


def detect_delimiter(lines: Sequence[str]) -> str:
    r"""Return what separates the fields of a table that begins with these lines.

    It is the delimiter that splits all of them into the same number of fields, the more the better;
    a comma if there is no telling.

    >>> detect_delimiter(["name;text", "Ann;Well, well, well", 'Bob;"No; never"'])
    ';'
    >>> detect_delimiter(["text", "Hello, world"])
    ','
    """
    found = {delimiter: _widths(lines, delimiter) for delimiter in DELIMITERS}
    even = {d: w[0] for d, w in found.items() if len(set(w)) == 1 and w[0] > 1}
    if even:
        return max(even, key=lambda delimiter: even[delimiter])
    # If rows are uneven, an error will say so; the header has the fewest surprises.
    return max(DELIMITERS, key=lambda delimiter: (found[delimiter] or [0])[0])


def _widths(lines: Sequence[str], delimiter: str) -> list[int]:
    """Return the number of fields of the first records."""
    return [len(row) for row in _sample(lines, delimiter, is_spaced=False)]


def _sample(lines: Sequence[str], delimiter: str, is_spaced: bool) -> list[list[str]]:
    """Return the first records, except one that is cut off."""
    size = 0
    sample: list[str] = []
    for line in lines:
        size += len(line)
        if size > SAMPLE_CHARACTERS and sample:
            break
        sample.append(line.removesuffix("\r").replace("\r", RETURN) + "\n")
    reader = csv.reader(sample, delimiter=delimiter, strict=True, skipinitialspace=is_spaced)
    rows: list[list[str]] = []
    # A quote may be open at the end of the sample, or the lines may not be a table.
    with suppress(csv.Error):
        rows.extend(row for row in islice(reader, SAMPLE_RECORDS) if row)
    return rows


def _is_spaced(lines: Sequence[str], delimiter: str) -> bool:
    """Return whether there are spaces before quotes, which then quote all the same.

    >>> _is_spaced(['name, city', 'Ann, "Los Angeles, CA"'], ",")
    True
    >>> _is_spaced(["name, city", "Ann, the 2nd"], ",")
    False
    """
    fields = chain.from_iterable(_sample(lines, delimiter, is_spaced=False))
    if not any(field.startswith(" ") and field.lstrip(" ").startswith('"') for field in fields):
        return False
    widths = [len(row) for row in _sample(lines, delimiter, is_spaced=True)]
    return bool(widths) and widths.count(widths[0]) > len(widths) / 2
