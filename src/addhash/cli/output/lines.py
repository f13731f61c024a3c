"""Rows of results as lines of TSV, CSV or JSON."""

import codecs
import csv
import io
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Literal

from addhash.cli.errors import CommandError
from addhash.cli.output.terminal import plain

_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
# Codecs that write a byte order mark themselves.
OWN_MARKS = ("utf-16", "utf-32", "utf-8-sig")
# What makes a spreadsheet treat a cell as a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class LineStyle:
    """The details of a file of lines.

    Attributes
    ----------
    kind : {"tsv", "csv", "jsonl"}
    has_names : bool
        The first line has the names of the columns.
    has_mark : bool
        The first bytes are a byte order mark.
    delimiter : str
        Between the fields of CSV.
    encoding : str
    decimal_mark : str
        Of numbers that are not the input's.
    marks_formulas : bool
        Texts that a spreadsheet would run get an apostrophe in front.
    is_escaped : bool
        Tabs, line breaks and backslashes in TSV are escaped.
    is_clean : bool
        Characters that could disturb a terminal are replaced.
    line_end : str
        What ends a line.
    header : mapping of str to str
        What to write in the first line instead of these names.
    rounded : collection of str, or None
        The numeric columns written with six digits, None for all; those of the input are written in
        full.
    """

    kind: Literal["tsv", "csv", "jsonl"]
    has_names: bool = False
    has_mark: bool = False
    delimiter: str = ","
    encoding: str = "utf-8"
    decimal_mark: str = "."
    marks_formulas: bool = False
    is_escaped: bool = True
    is_clean: bool = False
    line_end: str = "\n"
    header: Mapping[str, str] = field(default_factory=dict)
    rounded: Collection[str] | None = None


def values_of(row: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
    """Return the values of a row in the order of the names; it must have no others."""
    for name in row:
        if name not in names:
            raise CommandError(
                f"A row has the column {name!r}, which the first row does not have. Write .jsonl,"
                " or name the columns to write with --keep-columns."
            )
    return [row.get(name) for name in names]


class LineOutput:
    """Rows as lines, written as soon as they come."""

    def __init__(self, file: BinaryIO, style: LineStyle) -> None:
        self._file = file
        self._style = style
        self._names: list[str] | None = None
        codec = codecs.lookup(style.encoding)
        # A lone surrogate has no UTF-8 form.
        errors = "backslashreplace" if codec.name == "utf-8" else "strict"
        self._encoder = codecs.getincrementalencoder(codec.name)(errors)
        self._has_mark = style.has_mark and codec.name not in OWN_MARKS

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write these rows now."""
        if not rows:
            return
        text = io.StringIO()
        style = self._style
        put = (_CommaWriter if style.kind == "csv" else _TabWriter)(text, style).writerow
        if self._names is None:
            self._names = list(rows[0])
            text.write("\ufeff" if self._has_mark else "")
            if style.has_names and style.kind != "jsonl":
                put([style.header.get(name, name) for name in self._names])
        for row in rows:
            if style.kind == "jsonl":
                text.write(json.dumps(row, ensure_ascii=False, default=str) + style.line_end)
            else:
                values = values_of(row, self._names)
                put([self._field(n, v) for n, v in zip(self._names, values, strict=True)])
        self._file.write(self._encode(text.getvalue()))
        self._file.flush()

    def _field(self, name: str, value: Any) -> str:
        rounded = self._style.rounded
        is_exact = isinstance(value, float) and rounded is not None and name not in rounded
        words = repr(value) if is_exact else plain(value)
        if isinstance(value, float) and not is_exact:
            words = words.replace(".", self._style.decimal_mark)
        if self._style.marks_formulas and isinstance(value, str) and words.startswith(FORMULA):
            return words if _is_number(words) else "'" + words
        return words

    def _encode(self, text: str) -> bytes:
        if self._style.is_clean:
            text = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
        try:
            return self._encoder.encode(text)
        except UnicodeEncodeError as error:
            raise CommandError(
                f"The results contain {error.object[error.start]!r}, which {self._style.encoding}"
                " cannot encode. Write them to another file, which will be UTF-8."
            ) from error


class _CommaWriter:
    """CSV; Python's writer quotes line breaks of every kind only if its lines end with both."""

    def __init__(self, text: io.StringIO, style: LineStyle) -> None:
        self._text = text
        self._end = style.line_end
        self._line = io.StringIO()
        self._writer = csv.writer(self._line, lineterminator="\r\n", delimiter=style.delimiter)

    def writerow(self, fields: Sequence[str]) -> None:
        self._writer.writerow(fields)
        self._text.write(self._line.getvalue()[:-2] + self._end)
        self._line.seek(0)
        self._line.truncate()


class _TabWriter:
    def __init__(self, text: io.StringIO, style: LineStyle) -> None:
        self._text = text
        self._is_escaped = style.is_escaped
        self._end = style.line_end

    def writerow(self, fields: Sequence[str]) -> None:
        if self._is_escaped:
            fields = [field.translate(_ESCAPES) for field in fields]
        self._text.write("\t".join(fields) + self._end)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
