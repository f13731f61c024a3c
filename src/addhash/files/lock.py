"""One process at a time: a lock beside a file that is about to be changed."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from addhash.files.whole import name_beside

PAUSE = 0.05
SUFFIX = ".lock"


@contextmanager
def locked(
    path: Any, timeout: float = 60.0, waiting: Callable[[], None] | None = None
) -> Iterator[None]:
    """Hold the lock of a file, so that no other process changes it between reading and writing.

    The lock is a file beside it, `.NAME.lock`, which exists only while it is held. The system
    releases the lock of a process that ends, however it ends.

    Parameters
    ----------
    path : str or path-like
        It need not exist. Links are followed.
    timeout : float, default=60.0
        Seconds to wait for another process before a TimeoutError.
    waiting : callable, optional
        Called once, without arguments, if another process holds the lock.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from addhash.files import locked
    >>> counter = pathlib.Path(tempfile.mkdtemp(), "counter")
    >>> with locked(counter):
    ...     _ = counter.write_text("1")
    """
    folder, name = os.path.split(os.path.realpath(path))
    lock = os.path.join(folder, name_beside(name, SUFFIX) + SUFFIX)
    handle = _acquire(lock, path, timeout, waiting)
    try:
        yield
    finally:
        # Removed while it is held: anyone who opened it meanwhile notices and starts again.
        os.unlink(lock)
        os.close(handle)


def _acquire(lock: str, path: Any, timeout: float, waiting: Callable[[], None] | None) -> int:
    deadline = time.monotonic() + timeout
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_same(handle, lock):
                return handle
        except BlockingIOError:
            if time.monotonic() > deadline:
                os.close(handle)
                raise TimeoutError(
                    f"Another process has been changing {os.fspath(path)!r} for {timeout:g}"
                    " seconds; nothing was changed. Try again when it is done."
                ) from None
            if waiting is not None:
                waiting()
                waiting = None
            time.sleep(PAUSE)
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _is_same(handle: int, lock: str) -> bool:
    """Return whether the lock that is held is still the one that others would open."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(lock))
    except FileNotFoundError:
        return False
