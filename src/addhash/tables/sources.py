"""Where input comes from: files and standard input, named and opened."""

import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from addhash.errors import Parameter, TableChoiceError, TableError
from addhash.tables.compression import Unpacker, unpack
from addhash.tables.reading import Kind

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
    ".xlsm": "xlsx",
    ".parquet": "parquet",
}
_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}


@dataclass(frozen=True)
class Source:
    """A file, and what is in it.

    Attributes
    ----------
    path : str
        Its path, or just a name.
    kind : str
        Its format.
    compression : {"gzip", "zstd"} or None
        How it is compressed.
    """

    path: str
    kind: Kind
    compression: str | None = None

    @classmethod
    def named(cls, path: str, kind: Kind | None = None) -> "Source":
        """Tell from its name what a file is; `kind` overrules the name.

        Examples
        --------
        >>> Source.named("news.csv.gz")
        Source(path='news.csv.gz', kind='csv', compression='gzip')
        """
        suffixes = [suffix.lower() for suffix in Path(path).suffixes]
        compression = _COMPRESSIONS.get(suffixes[-1]) if suffixes else None
        if compression:
            suffixes.pop()
        found = kind or (_KINDS.get(suffixes[-1]) if suffixes else None)
        if found is None:
            what = f"the extension {suffixes[-1]} is unknown" if suffixes else "it has no extension"
            raise TableChoiceError(
                f"Cannot tell what {path} holds: {what}. Expected {', '.join(_KINDS)}, or one of"
                " them followed by .gz or .zst. Name its format with ",
                Parameter("kind"),
                ".",
            )
        return cls(path, found, compression)

    def __str__(self) -> str:
        return self.path


class Opened:
    """An open source: its bytes, unpacked, and how far they have been read."""

    def __init__(self, source: Source, raw: BinaryIO, limit: int | None, is_own: bool) -> None:
        self.source = source
        self.limit = limit
        self._raw = raw
        self._is_own = is_own
        self._unpacker: Unpacker | None = None
        if source.compression:
            self._unpacker = unpack(raw, source.compression, str(source))
        self._unpacked = 0
        self._copies: list[BinaryIO] = []
        self.size = _size(raw)

    def position(self) -> int:
        """Return how many bytes of the file have been read, before unpacking."""
        return self._raw.tell() if self.size is not None else 0

    def read_available(self, most: int = CHUNK_BYTES) -> bytes:
        """Return what has arrived, up to `most` bytes; wait only if there is nothing."""
        if self._unpacker is None:
            return cast(Any, self._raw).read1(most)  # type: ignore[no-any-return]
        chunk = self._unpacker.read1(most)
        self._unpacked += len(chunk)
        self.check_ratio(self._unpacked, max(self._raw.tell(), 1))
        return chunk

    def check_ratio(self, unpacked: int, packed: int) -> None:
        """Refuse a decompression bomb."""
        if self.limit and unpacked > self.limit and unpacked > BOMB_RATIO * packed:
            raise TableError(
                f"{self.source} unpacks to more than {BOMB_RATIO} times its size: over"
                f" {unpacked >> 20:,} MB from {packed >> 10:,} KB. If that is right, lift the limit"
                " with ",
                Parameter("max_size", "0"),
                ".",
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
        """Close the file if it was opened here."""
        for copy in self._copies:
            copy.close()
        if self._unpacker is not None:
            self._unpacker.close()
        if self._is_own:
            self._raw.close()


def _size(raw: BinaryIO) -> int | None:
    """Return the size of a file; a pipe or a terminal has none."""
    try:
        status = os.fstat(raw.fileno())
    except OSError:  # it is in memory
        at = raw.tell()
        size = raw.seek(0, os.SEEK_END)
        raw.seek(at)
        return size
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def open_source(source: Source, limit: int | None, file: BinaryIO | None = None) -> Opened:
    """Open a source.

    Parameters
    ----------
    source : Source
    limit : int or None
        The size limit of a record, in bytes.
    file : binary file, optional
        The bytes, if they are open already; otherwise the source's path is opened.
    """
    if file is not None:
        return Opened(source, file, limit, is_own=False)
    raw = open(source.path, "rb")  # noqa: SIM115 - closed by Opened
    try:
        return Opened(source, raw, limit, is_own=True)
    except BaseException:
        raw.close()
        raise
