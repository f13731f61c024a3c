"""Columns added to one sheet of a workbook; every other byte of its parts stays as it is.

A workbook is a ZIP archive of XML parts. Libraries that load and save it drop what they do not
know: charts, pictures, pivot tables, macros, sparklines. So the sheet's part is copied instead,
and cells are inserted at the end of its rows; all other parts are copied unchanged. Texts are
stored in the cells themselves, so the table of shared texts need not change either.
"""

import html
import posixpath
import re
import shutil
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO
from xml.etree import ElementTree
from xml.parsers import expat

from addhash.cli.errors import CommandError
from addhash.cli.output.workbooks import cell_value, escape
from addhash.tables import require

CHUNK_BYTES = 1 << 18
SIGNATURES = "_xmlsignatures/"
KINDS = "[Content_Types].xml"
MACROS = ".xlsm"
# Excel offers to repair an archive whose parts have sizes of 64 bits and need none.
LARGE_BYTES = 1 << 30

_SPANS = re.compile(rb"\sspans\s*=\s*(\"[^\"]*\"|'[^']*')")
_EXTENT = re.compile(rb"(\sref\s*=\s*[\"'])([A-Z]+\d+)(?::([A-Z]+)(\d+))?([\"'])")
_ADDRESS = re.compile(r"([A-Z]+)(\d+)")


@dataclass(frozen=True)
class SheetColumns:
    """A copy of a workbook with more columns in one sheet.

    Parameters
    ----------
    data : binary file
        The workbook to copy; it can be read anywhere.
    sheet : str
        The name of the sheet.
    width : int
        How many columns it has.
    name : str
        The workbook, for messages.
    target : str
        The name of the copy.
    """

    data: BinaryIO
    sheet: str
    width: int
    name: str
    target: str

    def check(self) -> None:
        """Refuse a workbook that would lose something."""
        with zipfile.ZipFile(self.data) as archive:
            if any(entry.startswith(SIGNATURES) for entry in archive.namelist()):
                raise CommandError(
                    f"{self.name} is signed, and new columns would break the signature. Write the"
                    " results to a .csv file with --output."
                )
            has_macros = b"macroEnabled" in archive.read(KINDS)
            if has_macros != self.target.lower().endswith(MACROS):
                raise CommandError(
                    f"{self.name} has {'' if has_macros else 'no '}macros, so that spreadsheets"
                    f" would not open it as {self.target}. Name a file that ends with"
                    f" {MACROS if has_macros else '.xlsx'}."
                )
            self._part(archive)

    def write(self, file: BinaryIO, rows: Mapping[int, Sequence[Any]], header: int | None) -> None:
        """Write the copy.

        Parameters
        ----------
        file : binary file
            Where to.
        rows : mapping of int to sequence
            The values of the new cells by the number of the row.
        header : int or None
            The row of the names of columns, whose new cells look like the others in it.
        """
        with zipfile.ZipFile(self.data) as old, zipfile.ZipFile(file, "w") as new:
            part = self._part(old)
            for entry in old.infolist():
                same = zipfile.ZipInfo(entry.filename, entry.date_time)
                same.compress_type = zipfile.ZIP_DEFLATED if entry.compress_type else 0
                same.external_attr = entry.external_attr
                is_large = entry.file_size > LARGE_BYTES
                with old.open(entry) as source, new.open(same, "w", force_zip64=is_large) as target:
                    if entry.filename == part:
                        _Splice(target.write, rows, header, self.width).copy(source, self.name)
                    else:
                        shutil.copyfileobj(source, target, CHUNK_BYTES)

    def _part(self, archive: zipfile.ZipFile) -> str:
        """Return where the archive has the sheet."""
        book = next(
            target for kind, _, target in _related(archive, "") if kind.endswith("/officeDocument")
        )
        places = {number: target for _, number, target in _related(archive, book)}
        for element in ElementTree.fromstring(archive.read(book)).iter():
            if _local(element.tag) == "sheet" and element.get("name") == self.sheet:
                number = next(v for k, v in element.attrib.items() if k.endswith("}id"))
                return places[number]
        raise AssertionError("the sheet has been read")


def _related(archive: zipfile.ZipFile, part: str) -> list[tuple[str, str, str]]:
    """Return what a part refers to: kinds, numbers and the names of the other parts."""
    folder, name = posixpath.split(part)
    listed = ElementTree.fromstring(archive.read(posixpath.join(folder, "_rels", f"{name}.rels")))
    return [
        (
            element.get("Type", ""),
            element.get("Id", ""),
            posixpath.normpath(posixpath.join("/", folder, element.get("Target", "")))[1:],
        )
        for element in listed
    ]


def _local(name: str) -> str:
    """Return a name without its namespace.

    >>> _local("x:row"), _local("{urn:main}sheet")
    ('row', 'sheet')
    """
    return name.rpartition("}")[2].rpartition(":")[2]


class _Splice:
    """Copies the XML of a sheet, and inserts cells where its parser finds the ends of rows."""

    def __init__(
        self,
        write: Callable[[bytes], Any],
        rows: Mapping[int, Sequence[Any]],
        header: int | None,
        width: int,
    ) -> None:
        utilities = require("openpyxl.utils", "Writing an .xlsx file")
        self._letters: Callable[[int], str] = utilities.get_column_letter
        self._number: Callable[[str], int] = utilities.column_index_from_string
        self._write = write
        self._rows = rows
        self._header = header
        self._first = width + 1
        self._last = width + max(map(len, rows.values()), default=0)
        self._name = ""
        self._parser = expat.ParserCreate()
        self._parser.XmlDeclHandler = self._refuse_encoding
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse_entities
        # What was read but not written, and where that is in the part.
        self._held = bytearray()
        self._at = 0
        self._is_skipping = False
        self._is_in_data = False
        self._row = 0
        self._column = 0
        self._style: str | None = None
        self._styles: dict[int, str] = {}
        self._is_pending = False

    def copy(self, source: Any, name: str) -> None:
        """Copy the part."""
        self._name = name
        try:
            while chunk := source.read(CHUNK_BYTES):
                self._held += chunk
                self._parser.Parse(chunk)
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise CommandError(
                f"Cannot add columns to {name}: the sheet is damaged ({error}). Save it again, or"
                " write the results to a .csv file with --output."
            ) from error
        self._write(bytes(self._held))

    def _refuse_entities(self, *_: object) -> None:
        raise expat.ExpatError("it declares a document type")

    def _refuse_encoding(self, version: str, encoding: str | None, *_: object) -> None:
        if encoding is not None and encoding.lower() not in ("utf-8", "utf8", "us-ascii"):
            raise expat.ExpatError(f"it is {encoding}, not UTF-8")

    def _pass(self, end: int) -> None:
        """Write everything before this byte, or drop it if it is part of a cell to replace."""
        count = end - self._at
        if not self._is_skipping:
            self._write(bytes(self._held[:count]))
        del self._held[:count]
        self._at = end

    def _tag(self, edit: Callable[[bytes], bytes]) -> None:
        """Write the tag that begins here with a change."""
        self._pass(self._parser.CurrentByteIndex)
        end = self._held.index(b">") + 1
        self._write(edit(bytes(self._held[:end])))
        del self._held[:end]
        self._at += end

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        kind = _local(name)
        if kind == "dimension" and not self._is_in_data:
            self._tag(self._extended)
        elif kind == "sheetData":
            self._is_in_data = True
        elif kind == "mergeCell" and not self._is_in_data:
            self._refuse_merged(attributes.get("ref", ""))
        elif kind == "f" and self._is_skipping:
            # A formula that was never calculated is read as an empty cell.
            cell = f"{self._letters(self._column)}{self._row}"
            raise CommandError(
                f"Cannot add columns to {self._name}: cell {cell}, where they go, has a formula"
                " without a value. Open and save the workbook where it is calculated, or write"
                " the results to a .csv file with --output."
            )
        elif not self._is_in_data or kind not in ("row", "c"):
            return
        elif kind == "row":
            self._row = int(attributes.get("r", self._row + 1))
            self._column, self._style, self._styles = 0, None, {}
            self._is_pending = self._row in self._rows
            self._tag(lambda tag: _SPANS.sub(b"", tag) if self._is_pending else tag)
        elif self._is_pending:
            self._start_cell(name, attributes)

    def _refuse_merged(self, area: str) -> None:
        """Refuse cells that are merged with others and would not be seen."""
        corners = [_ADDRESS.fullmatch(corner) for corner in area.split(":")]
        if None in corners:
            return
        columns = [self._number(corner[1]) for corner in corners if corner]
        rows = range(int(corners[0][2]), int(corners[-1][2]) + 1)  # type: ignore[index]
        if columns[0] <= self._last and self._first <= columns[-1]:
            number = next((row for row in rows if row in self._rows), None)
            if number is not None:
                raise CommandError(
                    f"Cannot add columns to {self._name}: the cells {area}, where some of them go,"
                    " are merged. Take them apart, or write the results to a .csv file with"
                    " --output."
                )

    def _start_cell(self, name: str, attributes: dict[str, str]) -> None:
        address = _ADDRESS.fullmatch(attributes.get("r", ""))
        self._column = self._number(address[1]) if address else self._column + 1
        self._pass(self._parser.CurrentByteIndex)
        self._is_skipping = False
        if self._column > self._last:
            self._insert(name)
        elif self._column >= self._first:
            # An empty cell that has a format, which the new one takes over.
            self._styles[self._column] = attributes.get("s", "0")
            self._is_skipping = True
        else:
            self._style = attributes.get("s")

    def _end(self, name: str) -> None:
        kind = _local(name)
        if kind == "sheetData":
            self._is_in_data = False
        elif kind == "row" and self._is_pending and self._is_in_data:
            self._pass(self._parser.CurrentByteIndex)
            self._is_skipping = False
            self._insert(name)

    def _insert(self, name: str) -> None:
        """Write the new cells of this row here."""
        self._is_pending = False
        prefix = name.removesuffix("row").removesuffix("c")
        usual = self._style if self._row == self._header else None
        cells = []
        for column, value in enumerate(self._rows[self._row], self._first):
            style = self._styles.get(column, usual)
            cells.append(_cell(prefix, f"{self._letters(column)}{self._row}", style, value))
        self._write("".join(cells).encode())

    def _extended(self, tag: bytes) -> bytes:
        """Return the extent of the sheet with the new columns."""

        def extend(match: re.Match[bytes]) -> bytes:
            start, column, row = match[2].decode(), match[3], match[4]
            place = _ADDRESS.fullmatch(start)
            assert place is not None
            right = max(self._number((column or place[1].encode()).decode()), self._last)
            bottom = row.decode() if row else place[2]
            return match[1] + f"{start}:{self._letters(right)}{bottom}".encode() + match[5]

        return _EXTENT.sub(extend, tag)


def _cell(prefix: str, address: str, style: str | None, value: Any) -> str:
    """Return a cell as XML.

    >>> _cell("", "B2", None, "a < b")
    '<c r="B2" t="inlineStr"><is><t xml:space="preserve">a &lt; b</t></is></c>'
    >>> _cell("x:", "B2", "3", 0.5)
    '<x:c r="B2" s="3"><x:v>0.5</x:v></x:c>'
    """
    value = cell_value(value, f"Cell {address}")
    tag = f'{prefix}c r="{address}"' + (f' s="{style}"' if style is not None else "")
    if value is None:
        return f"<{tag}/>" if style is not None else ""
    if isinstance(value, str):
        text = html.escape(escape(value), quote=False)
        words = f'<{prefix}is><{prefix}t xml:space="preserve">{text}</{prefix}t></{prefix}is>'
        return f'<{tag} t="inlineStr">{words}</{prefix}c>'
    if isinstance(value, bool):
        return f'<{tag} t="b"><{prefix}v>{value:d}</{prefix}v></{prefix}c>'
    number = float(value) if isinstance(value, float) else int(value)
    return f"<{tag}><{prefix}v>{number!r}</{prefix}v></{prefix}c>"
