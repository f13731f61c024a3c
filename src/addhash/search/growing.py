"""Arrays that grow at their end without being copied each time."""

from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

Arrays = tuple[npt.NDArray[Any], ...]


class Room:
    """Buffers with spare room after their rows.

    Rows in use are never overwritten: of all sequences that end at the same row, one may continue
    in the buffers; the others are copied to buffers of their own.
    """

    def __init__(self, held: Arrays, added: Arrays) -> None:
        self._lock = Lock()
        self._buffers = []
        for old, new in zip(held, added, strict=True):
            length = len(old) + len(new)
            buffer = np.empty((length + length // 2 + 1, *old.shape[1:]), np.result_type(old, new))
            buffer[: len(old)] = old
            self._buffers.append(buffer)
        self._used = _lengths(held, added)

    def take(self, held: Arrays, added: Arrays) -> bool:
        """Claim the room after the rows, if it is free and large enough."""
        after = _lengths(held, added)
        with self._lock:
            is_free = self._used == _lengths(held)
            fits = all(
                len(buffer) >= length and buffer.dtype == np.result_type(old, new)
                for buffer, length, old, new in zip(self._buffers, after, held, added, strict=True)
            )
            if is_free and fits:
                self._used = after
            return is_free and fits

    def filled(self, held: Arrays, added: Arrays) -> list[npt.NDArray[Any]]:
        """Write rows into the claimed room, and return all rows."""
        views = []
        for buffer, old, new in zip(self._buffers, held, added, strict=True):
            length = len(old) + len(new)
            buffer[len(old) : length] = new
            views.append(buffer[:length])
        return views


def grown(held: Arrays, added: Arrays, room: Room | None) -> tuple[list[npt.NDArray[Any]], Room]:
    """Return rows followed by others, and the room that they are in.

    Growing row by row takes time in proportion to the rows added, if the room that one call returns
    is passed to the next.
    """
    if room is None or not room.take(held, added):
        room = Room(held, added)
    return room.filled(held, added), room


def _lengths(*arrays: Arrays) -> tuple[int, ...]:
    return tuple(sum(map(len, same)) for same in zip(*arrays, strict=True))
