"""Compressed bytes, unpacked a little at a time: memory does not grow with the file."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Protocol, cast

from addhash.errors import TableError
from addhash.tables.packages import require

ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
# Refuse frames that need more memory than 128 MB.
ZSTD_WINDOW_LOG = 27


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
        return _Unpacked(gzip.GzipFile(fileobj=raw), name, "gzip", gzip.BadGzipFile, zlib.error)
    zstd = require(ZSTD, f"Reading {name}")
    options = {zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG}
    return _Unpacked(zstd.ZstdFile(raw, options=options), name, "zstd", zstd.ZstdError)


@contextmanager
def packed(file: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """Compress what is written to a file if its name says so: .gz or .zst.

    The same bytes make the same file.

    Parameters
    ----------
    file : binary file
    name : str
    """
    if name.lower().endswith(".gz"):
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as target:
            yield cast(BinaryIO, target)
    elif name.lower().endswith(".zst"):
        with require(ZSTD, f"Writing {name}").ZstdFile(file, "w") as target:
            yield target
    else:
        yield file


class _Unpacked:
    def __init__(self, data: Any, name: str, compression: str, *errors: type[Exception]) -> None:
        self._data = data
        self._name = name
        self._compression = compression
        self._errors: tuple[type[Exception], ...] = (*errors, EOFError)

    def read1(self, most: int) -> bytes:
        try:
            return cast(bytes, self._data.read1(most))
        except self._errors as error:
            what = str(error).strip().rstrip(".")
            raise TableError(
                f"Cannot decompress {self._name}: {what}. It is damaged or not a"
                f" {self._compression} file. Create it again, or rename it if it is not compressed."
            ) from error

    def close(self) -> None:
        self._data.close()
