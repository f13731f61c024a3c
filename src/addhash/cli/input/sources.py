"""Where input comes from: files and standard input, named and opened."""

import os
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from addhash.cli.errors import CommandError, UsageError, describe_os_error
from addhash.cli.input.compression import Unpacker, unpack
from addhash.cli.input.reading import Kind

__all__ = ["STANDARD_INPUT", "Opened", "Source", "open_source"]

STANDARD_INPUT = "-"
CHUNK_BYTES = 1 << 18
# Text is hardly ever compressed better than this; a decompression bomb always is.
BOMB_RATIO = 250

_KINDS: dict[str, Kind] = {
    ".txt": "txt",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "xlsx",
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
            if not os.path.exists(path):
                raise CommandError(f"Cannot read {path}: there is no such file. Check the name.")
            what = f"the extension {suffixes[-1]} is unknown" if suffixes else "it has no extension"
            raise UsageError(
                f"Cannot tell what {path} holds: {what}. Expected {', '.join(_KINDS)}, or one of"
                " them followed by .gz or .zst. Name its format with --input-format."
            )
        return cls(path, found, compression)

    def __str__(self) -> str:
        return "standard input" if self.path == STANDARD_INPUT else self.path


class Opened:
    """An open source: its bytes, unpacked, and how far they have been read."""

    def __init__(self, source: Source, raw: BinaryIO, limit: int | None) -> None:
        self.source = source
        self.limit = limit
        self._raw = raw
        self._unpacker: Unpacker | None = None
        if source.compression:
            self._unpacker = unpack(raw, source.compression, str(source))
        self._unpacked = 0
        self._copies: list[BinaryIO] = []
        # A pipe or a terminal has no size.
        is_file = stat.S_ISREG(os.fstat(raw.fileno()).st_mode)
        self.size = os.fstat(raw.fileno()).st_size if is_file else None

    def position(self) -> int:
        """Return how many bytes of the file have been read, before unpacking."""
        return self._raw.tell() if self.size is not None else 0

    def read_available(self, most: int = CHUNK_BYTES) -> bytes:
        """Return what has arrived, up to `most` bytes; wait only if there is nothing."""
        try:
            if self._unpacker is None:
                return cast(Any, self._raw).read1(most)  # type: ignore[no-any-return]
            chunk = self._unpacker.read1(most)
            self._unpacked += len(chunk)
            self.check_ratio(self._unpacked, max(self._raw.tell(), 1))
        except OSError as error:
            raise describe_os_error(error, str(self.source), "read") from error
        return chunk

    def check_ratio(self, unpacked: int, packed: int) -> None:
        """Refuse a decompression bomb."""
        if self.limit and unpacked > self.limit and unpacked > BOMB_RATIO * packed:
            raise CommandError(
                f"{self.source} unpacks to more than {BOMB_RATIO} times its size: over"
                f" {unpacked >> 20:,} MB from {packed >> 10:,} KB. If that is right, lift the limit"
                " with --max-size 0."
            )

    def seekable(self) -> BinaryIO:
        """Return the bytes as a seekable file."""
        if self._unpacker is None and self.size is not None:
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
        if self._unpacker is not None:
            self._unpacker.close()
        if self.source.path != STANDARD_INPUT:
            self._raw.close()


def open_source(source: Source, limit: int | None) -> Opened:
    """Open a file or standard input; `limit` is the size limit of a record, in bytes."""
    if source.path == STANDARD_INPUT:
        if sys.stdin is None or sys.stdin.closed:
            raise CommandError("Cannot read standard input: it is closed. Name a file.")
        return Opened(source, sys.stdin.buffer, limit)
    try:
        raw = open(source.path, "rb")  # noqa: SIM115 - closed by Opened
    except OSError as error:
        raise describe_os_error(error, source.path, "read") from error
    try:
        return Opened(source, raw, limit)
    except BaseException:
        raw.close()
        raise
