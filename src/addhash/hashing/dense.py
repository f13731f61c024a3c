"""Dense output: rows of the right type, and what to do when they do not fit."""

from collections import deque
from typing import Any

import numpy as np

from addhash.arrays import Array
from addhash.errors import ParameterError
from addhash.runtime import native

# Above glibc's largest mmap threshold: a chunk is returned to the system when dropped.
CHUNK_BYTES = 40 << 20
BATCH_ROWS = 16384


def is_bits(dtype: Any) -> bool:
    """Return whether packed signs are wanted instead of numbers."""
    return isinstance(dtype, str) and dtype == "bits"


def row_width(n_features: int, dtype: Any) -> int:
    """Return the number of columns for vectors of n_features components."""
    return int(n_features) // 8 if is_bits(dtype) else int(n_features)


def check_norm(owner: str, norm: str | None, dtype: Any) -> None:
    """Refuse a norm with an integer dtype: unit vectors do not have integer components."""
    if norm is not None and not is_bits(dtype) and np.dtype(dtype).kind == "i":
        raise ParameterError.of(
            owner,
            "norm",
            "must be None with the integer"
            f" dtype {np.dtype(dtype).name}. Got {norm!r} instead; for unit vectors use a float"
            " dtype.",
        )


def empty_rows(count: int, width: int, dtype: np.dtype[Any]) -> Array:
    """Return rows to write, in memory that the core keeps for results."""
    data = native.empty_bytes(count * width * dtype.itemsize)
    return data.view(dtype).reshape(count, width)


class DenseRows:
    """The rows of a result whose number may not be known beforehand.

    Rows of unknown number are kept in chunks and concatenated at the end, each chunk dropped once
    it is copied: memory use never exceeds the size of the result by much.
    """

    def __init__(self, n_features: int, dtype: Any, expected: int | None) -> None:
        self._width = row_width(n_features, dtype)
        self._dtype = np.dtype(np.uint8 if is_bits(dtype) else dtype)
        self._chunks: deque[Array] = deque()
        self._used = 0  # rows of the last chunk
        self._row_bytes = self._width * self._dtype.itemsize
        if expected is not None:
            self._chunks.append(empty_rows(expected, self._width, self._dtype))

    @property
    def batch_rows(self) -> int:
        """The most rows to request at a time."""
        is_bounded = not self._chunks or self._dtype == np.float16
        fitting = CHUNK_BYTES // (self._row_bytes + 4 * self._width) if is_bounded else BATCH_ROWS
        return max(1, min(BATCH_ROWS, fitting))

    def place(self, count: int) -> Array:
        """Return the next `count` rows to write."""
        if not self._chunks or self._used + count > len(self._chunks[-1]):
            if self._chunks:
                self._chunks[-1] = self._chunks[-1][: self._used]
            rows = max(count, CHUNK_BYTES // self._row_bytes)
            # Not from the core, which would cache it: a chunk is dropped before the call ends.
            self._chunks.append(np.empty((rows, self._width), self._dtype))
            self._used = 0
        start = self._used
        self._used += count
        return self._chunks[-1][start : self._used]

    def finish(self) -> Array:
        """Return all rows as one array."""
        if not self._chunks:
            return empty_rows(0, self._width, self._dtype)
        if len(self._chunks) == 1 and self._used == len(self._chunks[0]):
            return self._chunks[0]
        self._chunks[-1] = self._chunks[-1][: self._used]
        result = empty_rows(sum(map(len, self._chunks)), self._width, self._dtype)
        filled = 0
        while self._chunks:
            chunk = self._chunks.popleft()
            result[filled : filled + len(chunk)] = chunk
            filled += len(chunk)
            del chunk
        return result


class GivenRows:
    """Rows of the caller's array, one per document."""

    batch_rows = BATCH_ROWS

    def __init__(self, out: Any, n_features: int, dtype: Any) -> None:
        wanted = np.dtype(np.uint8 if is_bits(dtype) else dtype)
        width = row_width(n_features, dtype)
        if (
            not isinstance(out, np.ndarray)
            or out.dtype != wanted
            or out.ndim != 2
            or out.shape[1] != width
            or not (out.flags.carray and out.dtype.isnative)
        ):
            got = (
                f"an array of dtype {out.dtype} and shape {out.shape}"
                if isinstance(out, np.ndarray)
                else f"{out!r:.80}"
            )
            raise ParameterError(
                f"The 'out' parameter must be a writable, C-contiguous array of dtype {wanted}"
                f" and {width} columns, with one row per document. Got {got} instead."
            )
        self._out = out
        self._used = 0

    def place(self, count: int) -> Array:
        """Return the next `count` rows to write."""
        if self._used + count > len(self._out):
            raise self._mismatch(f"more than {len(self._out)}")
        self._used += count
        return self._out[self._used - count : self._used]

    def finish(self) -> Array:
        """Return the array."""
        if self._used != len(self._out):
            raise self._mismatch(str(self._used))
        return self._out

    def _mismatch(self, documents: str) -> ParameterError:
        return ParameterError(
            f"The 'out' parameter has {len(self._out)} rows for {documents} documents; give it"
            " one row per document."
        )


class NativeRows:
    """A view for the native core to write to: float16 is rounded from float32 afterwards."""

    def __init__(self, rows: Array) -> None:
        self._rows = rows
        self.out = rows if rows.dtype != np.float16 else np.empty(rows.shape, np.float32)

    def finish(self) -> None:
        """Copy the rows to where they belong."""
        if self.out is not self._rows:
            self._rows[...] = self.out
