"""Bytes split into lines of text."""

import codecs
import re
from collections import deque
from collections.abc import Iterator
from typing import NoReturn

from addhash.errors import Parameter, TableChoiceError, TableError
from addhash.tables.reading import Decoding
from addhash.tables.sources import Opened

MARKS_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
LOOK_BYTES = 4096
# What files begin with that are no text.
FORMATS = {b"PK\x03\x04": "xlsx", b"PAR1\x15": "parquet"}
PACKINGS = {b"\x1f\x8b\x08": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
_LINE_END = re.compile("\r\n|\r|\n")
# Codecs that Python lists among the encodings, but that no text file uses.
NOT_ENCODINGS = {"idna", "mbcs", "oem", "punycode", "raw_unicode_escape", "undefined", "utf_7"}


class Lines:
    r"""The lines of an open source, decoded.

    A line ends with LF and nothing else, unless the source begins with lines that end with CR, as
    on old Macs; then CR and LF both end lines.

    Parameters
    ----------
    opened : Opened
    decoding : Decoding

    Attributes
    ----------
    number : int
        The number of the last line yielded, from 1.
    is_drained : bool
        Everything that has arrived has been yielded, and the next line may have to be waited for;
        never true of a file.
    has_mark : bool
        The source begins with a byte order mark.
    line_end : {"\n", "\r\n", "\r"}
        What ends the first line.
    """

    def __init__(self, opened: Opened, decoding: Decoding) -> None:
        self.number = 0
        self.is_drained = True
        self.has_mark = False
        self.line_end = "\n"
        self._opened = opened
        self._encoding = decoding.encoding
        self._decoder = _decoder(decoding)
        self._ready: deque[str] = deque()
        self._unfinished: list[str] = []
        self._unfinished_size = 0
        self._is_first = True
        self._is_over = False
        self._waits = opened.size is None

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if not self._ready:
            self._fill()
        if not self._ready:
            raise StopIteration
        line = self._ready.popleft()
        self.number += 1
        self.is_drained = self._waits and not self._ready
        return line

    def waiting(self) -> list[str]:
        """Return the lines that have arrived but were not yielded; wait only for the first."""
        if not self._ready:
            self._fill()
        return list(self._ready)

    def too_long(self, line: int, hint: str = "") -> TableError:
        """Return what to raise for a record that is longer than the limit."""
        size = (self._opened.limit or 0) >> 10
        shown = f"{size >> 10:,} MB" if size >= 1024 else f"{size:,} KB"
        return TableError(
            f"{self._opened.source}, line {line}: this record is longer than the limit of {shown}."
            f"{hint} If it is right, raise the limit, such as with ",
            Parameter("max_size", "1G"),
            ".",
            line=line,
        )

    def _fill(self) -> None:
        """Read until there is a line."""
        while not self._ready and not self._is_over:
            chunk = self._opened.read_available()
            if self._is_first:
                self._look_at_bytes(chunk)
            self._is_over = not chunk
            text = self._decode(chunk, final=self._is_over)
            if self._is_first and text:
                # UTF-16 of a named byte order leaves its mark in the text.
                text = text.removeprefix("\ufeff")
                self._look_at_text(text)
                self._is_first = False
            if self.line_end == "\r":
                text = text.replace("\r", "\n")
            lines = text.split("\n")
            lines[0] = "".join([*self._unfinished, lines[0]]) if len(lines) > 1 else lines[0]
            if len(lines) > 1:
                self._unfinished, self._unfinished_size = [], 0
            last = lines.pop()
            self._unfinished.append(last)
            self._unfinished_size += len(last)
            self._ready.extend(lines)
            self._check_sizes()
            if self._is_over and (rest := "".join(self._unfinished)):
                self._ready.append(rest)

    def _look_at_bytes(self, chunk: bytes) -> None:
        """Learn from the first bytes whether there is a mark; refuse another encoding."""
        self.has_mark = self.has_mark or chunk.startswith((codecs.BOM_UTF8, *MARKS_UTF_16))
        self._refuse_foreign(chunk)
        name = _unmarked_utf_16(chunk)
        if name is not None and codecs.lookup(self._encoding).name == "utf-8":
            source = str(self._opened.source)
            raise TableError(
                f"{source}, line 1: every other byte is zero, so this is hardly {self._encoding}."
                " Name the file's encoding, such as ",
                Parameter("encoding", name),
                ".",
                line=1,
            )

    def _refuse_foreign(self, chunk: bytes) -> None:
        """Refuse what is no text by its first bytes, which a wrong name or a pipe hides."""
        source = str(self._opened.source)
        for start, kind in FORMATS.items():
            if chunk.startswith(start):
                raise TableError(
                    f"{source} is no text: it begins as .{kind} files do. Name its format with ",
                    Parameter("kind", kind),
                    ".",
                )
        for start, extension in PACKINGS.items():
            if chunk.startswith(start):
                raise TableError(
                    f"{source} is compressed. Give it a name that ends with {extension}, or unpack"
                    " it.",
                )

    def _look_at_text(self, text: str) -> None:
        """Learn from the first text how lines end."""
        first = _LINE_END.search(text)
        if first is None:
            return
        self.line_end = first[0]
        # One text may have a CR in it; lines that end with CR have more of them than of LF.
        if first[0] == "\r":
            pairs = text.count("\r\n")
            is_usual = text.count("\r") - pairs > text.count("\n") - pairs
            # At the very end it may be half of CRLF.
            is_half = first.end() == len(text)
            self.line_end = "\r" if is_usual and not is_half else "\n"

    def _check_sizes(self) -> None:
        limit = self._opened.limit
        if not limit:
            return
        sizes = [*map(len, self._ready), self._unfinished_size]
        if max(sizes) > limit:
            at = next(i for i, size in enumerate(sizes) if size > limit)
            raise self.too_long(self.number + at + 1)

    def _decode(self, chunk: bytes, final: bool) -> str:
        try:
            return self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            self._fail(error)
        except UnicodeError as error:
            raise TableError(
                f"{self._opened.source} is not valid {self._encoding} ({error}). Name another ",
                Parameter("encoding"),
                ".",
            ) from error

    def _fail(self, error: UnicodeDecodeError) -> NoReturn:
        before = error.object[: error.start]
        line = self.number + len(self._ready) + before.count(b"\n") + 1
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        where = f"byte {column} of the line" if b"\n" in before else "a byte"
        shown = " ".join(f"0x{byte:02x}" for byte in error.object[error.start : error.end][:4])
        is_utf_16 = line == 1 and error.object[:2] in MARKS_UTF_16
        name = "utf-16" if is_utf_16 else "cp1252"
        raise TableError(
            f"{self._opened.source}, line {line}: {where} ({shown}) is not valid"
            f" {self._encoding}. Name the file's encoding, such as ",
            Parameter("encoding", name),
            ", or pass ",
            Parameter("errors", "replace"),
            ".",
            line=line,
        ) from error


def _unmarked_utf_16(chunk: bytes) -> str | None:
    r"""Return the kind of UTF-16 that bytes without a mark look like, if they do.

    >>> _unmarked_utf_16("text,label\n".encode("utf-16-le")), _unmarked_utf_16(b"text\0")
    ('utf-16-le', None)
    """
    sample = chunk[:LOOK_BYTES]
    zeros = [sample[i::2].count(0) for i in (0, 1)]
    half = len(sample) // 2
    if half >= 4 and not sample.startswith(MARKS_UTF_16):
        for at, name in ((1, "utf-16-le"), (0, "utf-16-be")):
            if zeros[at] > 0.7 * half and zeros[1 - at] < 0.1 * half:
                return name
    return None


def _decoder(decoding: Decoding) -> codecs.IncrementalDecoder:
    try:
        name = codecs.lookup(decoding.encoding).name
        b"\0\0\0\0".decode(name)  # refuses codecs that do not make text
        if name.replace("-", "_") in NOT_ENCODINGS:
            raise LookupError
        # A byte order mark is not text.
        plain = "utf-8-sig" if name == "utf-8" else name
        return codecs.getincrementaldecoder(plain)(decoding.errors)
    except (LookupError, UnicodeError, TypeError, ValueError) as error:
        raise TableChoiceError(
            f"The encoding {decoding.encoding!r} is unknown. Try utf-8, cp1252, latin-1 or utf-16."
        ) from error
