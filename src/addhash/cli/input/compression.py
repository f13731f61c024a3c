"""Compressed bytes, unpacked a little at a time: memory does not grow with the file."""

import gzip
import zlib
from typing import Any, BinaryIO, Protocol, cast

from addhash.cli.errors import CommandError, require

__all__ = ["Unpacker", "unpack"]

CHUNK_BYTES = 1 << 16
# A zstd block of 4 bytes can stand for 128 KB, so this many bytes unpack to 8 MB at most.
ZSTD_PIECE = 256
ZSTD_WINDOW = 1 << 27


class Unpacker(Protocol):
    """Hands out unpacked bytes."""

    def read1(self, most: int) -> bytes:
        """Return up to `most` bytes, or none at the end."""

    def close(self) -> None:
        """Release resources, but leave the file open."""


def unpack(raw: BinaryIO, compression: str, name: str) -> Unpacker:
    """Unpack a file.

    Parameters
    ----------
    raw : binary file
    compression : {"gzip", "zstd"}
    name : str
        The file, for messages.
    """
    if compression == "gzip":
        return _Gzip(raw, name)
    return _Zstd(raw, name)


def _damaged(name: str, compression: str, what: str) -> CommandError:
    what = what.strip().rstrip(".")
    return CommandError(
        f"Cannot decompress {name}: {what}. It is damaged or not a {compression} file. Create it"
        " again, or rename it if it is not compressed."
    )


class _Gzip:
    def __init__(self, raw: BinaryIO, name: str) -> None:
        self._data = gzip.GzipFile(fileobj=raw)
        self._name = name

    def read1(self, most: int) -> bytes:
        try:
            return self._data.read1(most)
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise _damaged(self._name, "gzip", str(error)) from error

    def close(self) -> None:
        self._data.close()


class _Zstd:
    """Unlike the library's own stream reader, notices a truncated file."""

    def __init__(self, raw: BinaryIO, name: str) -> None:
        self._library = require("zstandard", "files", f"Reading {name}")
        self._raw = raw
        self._name = name
        self._frame: Any = None
        self._packed = memoryview(b"")
        self._ready = memoryview(b"")

    def read1(self, most: int) -> bytes:
        while not self._ready:
            if not self._packed:
                self._packed = memoryview(self._raw.read(CHUNK_BYTES))
            if not self._packed:
                if self._frame is not None:
                    raise _damaged(self._name, "zstd", "it ends in the middle of a frame")
                return b""
            self._ready = memoryview(self._unpack(most))
        result = bytes(self._ready[:most])
        self._ready = self._ready[most:]
        return result

    def _unpack(self, enough: int) -> bytes:
        parts: list[bytes] = []
        size = 0
        try:
            while self._packed and size < enough:
                if self._frame is None:
                    decompressor = self._library.ZstdDecompressor(max_window_size=ZSTD_WINDOW)
                    self._frame = decompressor.decompressobj()
                piece = bytes(self._packed[:ZSTD_PIECE])
                parts.append(cast(bytes, self._frame.decompress(piece)))
                size += len(parts[-1])
                # What a frame does not use belongs to the next one.
                used = len(piece) - len(self._frame.unused_data)
                self._packed = self._packed[used:]
                if self._frame.eof:
                    self._frame = None
        except self._library.ZstdError as error:
            raise _damaged(self._name, "zstd", str(error)) from error
        return b"".join(parts)

    def close(self) -> None:
        pass
