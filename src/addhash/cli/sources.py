"""Where input comes from: files and standard input, decompressed and cut into lines."""

import codecs
import gzip
import os
import sys
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from addhash.cli.errors import CommandError, UsageError, describe_os_error, require

__all__ = ["STANDARD_INPUT", "Kind", "Lines", "Opened", "Source", "open_source"]

Kind = Literal["txt", "csv", "tsv", "jsonl", "parquet"]

STANDARD_INPUT = "-"
CHUNK_BYTES = 1 << 18

_KINDS: dict[str, Kind] = {
    ".txt": "txt",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}


@dataclass(frozen=True)
class Source:
    """A file or standard input, and what is in it."""

    path: str
    kind: Kind
    compression: str | None

    @classmethod
    def named(cls, path: str, kind: Kind | None = None) -> "Source":
        """Tell from its name what a file is; `kind` overrules the name.

        >>> Source.named("news.csv.gz")
        Source(path='news.csv.gz', kind='csv', compression='gzip')
        """
        if path == STANDARD_INPUT:
            return cls(path, kind or "txt", None)
        suffixes = [suffix.lower() for suffix in Path(path).suffixes]
        compression = _COMPRESSIONS.get(suffixes[-1]) if suffixes else None
        if compression:
            suffixes.pop()
        found = kind or (_KINDS.get(suffixes[-1]) if suffixes else None)
        if found is None:
            if os.path.isdir(path):
                raise CommandError(f"Cannot read {path}: it is a directory. Name a file.")
            what = f"the extension {suffixes[-1]} is unknown" if suffixes else "it has no extension"
            raise UsageError(
                f"Cannot tell what {path} holds: {what}. Expected {', '.join(_KINDS)}, or one of"
                " them followed by .gz or .zst. Say what it is with --input-format."
            )
        return cls(path, found, compression)

    def __str__(self) -> str:
        return "standard input" if self.path == STANDARD_INPUT else self.path


class Opened:
    """An open source: its bytes, decompressed, and how far they have been read."""

    def __init__(self, source: Source, raw: BinaryIO, data: BinaryIO) -> None:
        self.source = source
        self._raw = raw
        self._data = data
        self._copies: list[BinaryIO] = []
        # A pipe has no size.
        status = os.fstat(raw.fileno())
        self.size = status.st_size if raw.seekable() else None

    def position(self) -> int:
        """Return how many bytes of the file have been read, before decompression."""
        return self._raw.tell() if self._raw.seekable() else 0

    def read_available(self, most: int = CHUNK_BYTES) -> bytes:
        """Return what has come, up to `most` bytes; wait only if there is nothing."""
        try:
            return cast(Any, self._data).read1(most)  # type: ignore[no-any-return]
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise CommandError(
                f"Cannot decompress {self.source}: {_sentence(error)} It is damaged or no gzip"
                " file. Make it again, or rename it if it is not compressed."
            ) from error
        except OSError as error:
            raise describe_os_error(error, str(self.source), "read") from error

    def seekable(self) -> BinaryIO:
        """Return the bytes as something that can be read at any place."""
        if self._data is self._raw and self._raw.seekable():
            return self._raw
        copy = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - closed by close
        self._copies.append(copy)
        while chunk := self.read_available():
            copy.write(chunk)
        copy.seek(0)
        return copy

    def close(self) -> None:
        """Close the file; standard input stays open."""
        for copy in self._copies:
            copy.close()
        if self.source.path != STANDARD_INPUT:
            self._data.close()
            self._raw.close()


def _sentence(error: BaseException) -> str:
    return str(error).strip().rstrip(".") + "."


def open_source(source: Source) -> Opened:
    """Open a file or standard input for reading."""
    zstandard = None
    if source.compression == "zstd":
        zstandard = require("zstandard", "files", f"Reading {source}")
    if source.path == STANDARD_INPUT:
        if sys.stdin is None:
            raise CommandError("Cannot read standard input: it is closed. Name a file.")
        raw: BinaryIO = sys.stdin.buffer
    else:
        try:
            raw = open(source.path, "rb")  # noqa: SIM115 - closed by Opened
        except OSError as error:
            raise describe_os_error(error, source.path, "read") from error
    if source.compression == "gzip":
        return Opened(source, raw, cast(BinaryIO, gzip.GzipFile(fileobj=raw)))
    if zstandard is not None:
        return Opened(source, raw, cast(BinaryIO, _ZstdReader(zstandard, raw, source)))
    return Opened(source, raw, raw)


class _ZstdReader:
    """Decompresses zstd and, unlike a plain stream reader, notices when the end is cut off."""

    def __init__(self, zstandard: Any, raw: BinaryIO, source: Source) -> None:
        self._zstandard = zstandard
        self._raw = raw
        self._source = source
        self._frame: Any = None
        self._ready = b""

    def read1(self, most: int) -> bytes:
        while not self._ready:
            chunk = self._raw.read(CHUNK_BYTES // 4)
            if not chunk:
                if self._frame is not None:
                    raise self._damaged("it ends in the middle of a frame.")
                return b""
            self._ready = self._decompress(chunk)
        result, self._ready = self._ready[:most], self._ready[most:]
        return result

    def _decompress(self, chunk: bytes) -> bytes:
        parts = []
        try:
            while chunk:
                if self._frame is None:
                    self._frame = self._zstandard.ZstdDecompressor().decompressobj()
                parts.append(self._frame.decompress(chunk))
                chunk = self._frame.unused_data
                if self._frame.eof:
                    self._frame = None
        except self._zstandard.ZstdError as error:
            raise self._damaged(_sentence(error)) from error
        return b"".join(parts)

    def _damaged(self, what: str) -> CommandError:
        return CommandError(
            f"Cannot decompress {self._source}: {what} It is damaged or no zstd file. Make it"
            " again, or rename it if it is not compressed."
        )

    def close(self) -> None:
        pass


class Lines:
    """The lines of an open source, decoded; a line ends with LF and nothing else.

    Parameters
    ----------
    opened : Opened
    encoding, errors : str
        As for `bytes.decode`.

    Attributes
    ----------
    number : int
        The number of the line that came last, from 1.
    is_drained : bool
        All that has come so far is handed out, and the next line may have to be waited for; a
        file never has to be.
    """

    def __init__(self, opened: Opened, encoding: str, errors: str) -> None:
        self.number = 0
        self.is_drained = True
        self._opened = opened
        self._encoding = encoding
        try:
            name = codecs.lookup(encoding).name
        except LookupError as error:
            raise UsageError(
                f"The encoding {encoding!r} is unknown. Try utf-8, latin-1, cp1252 or utf-16."
            ) from error
        # A byte order mark is no text.
        plain = "utf-8-sig" if name == "utf-8" else name
        self._decoder = codecs.getincrementaldecoder(plain)(errors)
        self._lines = self._split()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        return line

    def _split(self) -> Iterator[str]:
        unfinished: list[str] = []
        waits = self._opened.size is None
        while chunk := self._opened.read_available():
            text = self._decode(chunk)
            if "\n" not in text:
                unfinished.append(text)
                continue
            lines = "".join([*unfinished, text]).split("\n")
            unfinished = [lines.pop()]
            for left in range(len(lines) - 1, -1, -1):
                self.is_drained = left == 0 and waits
                yield lines[-1 - left]
        unfinished.append(self._decode(b"", final=True))
        last = "".join(unfinished)
        if last:
            self.is_drained = True
            yield last

    def _decode(self, chunk: bytes, final: bool = False) -> str:
        try:
            return self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            before = error.object[: error.start]
            line = self.number + before.count(b"\n") + 1
            column = len(before) - (before.rfind(b"\n") + 1) + 1
            where = f"byte {column} of the line" if b"\n" in before else "a byte"
            shown = " ".join(f"0x{byte:02x}" for byte in error.object[error.start : error.end][:4])
            raise CommandError(
                f"{self._opened.source}, line {line}: {where} ({shown}) is not valid"
                f" {self._encoding}. Name the file's encoding, such as --encoding latin-1, or pass"
                " --errors replace."
            ) from error
