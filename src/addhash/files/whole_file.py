"""Files that appear completely or not at all, whatever happens while they are written."""

import errno
import fcntl
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

__all__ = ["whole_file"]

SUFFIX = ".part"


@contextmanager
def whole_file(path: Any) -> Iterator[BinaryIO]:
    """Open a file for writing that gets its name only once it is complete and on disk.

    If anything goes wrong before that, an existing file of that name stays as it was. A replaced
    file keeps its permissions; links are followed. Only regular files are replaced: output for a
    device or a pipe is written to it once it is complete.

    Parameters
    ----------
    path : str or path-like

    Yields
    ------
    file : binary file
        Open for reading and writing under another name, `file.name`; a library that wants a path
        may write the file there.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from addhash.files import whole_file
    >>> target = pathlib.Path(tempfile.mkdtemp(), "greeting")
    >>> with whole_file(target) as file:
    ...     _ = file.write(b"hello")
    >>> target.read_bytes()
    b'hello'
    """
    real = os.path.realpath(path)
    if os.path.isdir(real):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    # By its own name: the target of /dev/stdout may have none in the file system.
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
        yield from _through_copy(os.fspath(path))
        return
    folder, name = os.path.split(real)
    _remove_leftovers(folder, name)
    file = _part_of(folder, name)
    try:
        with file:
            permissions = stat.S_IMODE(os.stat(real if os.path.exists(real) else file.name).st_mode)
            yield file
            file.flush()
            os.chmod(file.name, permissions)
            # By name: a library that was given the name may have put another file there.
            _sync(file.name)
            os.replace(file.name, real)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(file.name)
        raise
    with suppress(OSError):  # not every system can sync folders
        _sync(folder)


def _through_copy(device: str) -> Iterator[BinaryIO]:
    with tempfile.NamedTemporaryFile("w+b", suffix=SUFFIX) as file:
        yield cast(BinaryIO, file)
        file.flush()
        with open(file.name, "rb") as complete, open(device, "wb") as target:
            shutil.copyfileobj(complete, target)


def _part_of(folder: str, name: str) -> BinaryIO:
    """Create the file to write to, locked for as long as it is open."""
    while True:
        path = os.path.join(folder, f".{name}.{secrets.token_hex(8)}{SUFFIX}")
        # The permissions of any new file: the system applies the umask.
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        fcntl.flock(handle, fcntl.LOCK_EX)
        # Before it was locked, another process may have mistaken it for a leftover.
        if os.fstat(handle).st_nlink:
            return open(path, "w+b", opener=_opener(handle))
        os.close(handle)


def _opener(handle: int) -> Callable[[str, int], int]:
    return lambda _path, _flags: handle


def _remove_leftovers(folder: str, name: str) -> None:
    """Remove leftovers of killed runs, whose locks no one holds any more."""
    with suppress(OSError):
        for part in Path(folder).glob(f".{_escaped(name)}.*{SUFFIX}"):
            with suppress(OSError), part.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                part.unlink()


def _escaped(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def _sync(path: str) -> None:
    """Wait until a file or a folder is on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
