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
from glob import escape
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, cast

SUFFIX = ".part"
MAX_NAME = 255  # bytes, in every file system of today
TOKEN_BYTES = 8


@contextmanager
def whole_file(path: Any) -> Iterator[BinaryIO]:
    """Open a file for writing that gets its name only once it is complete and on disk.

    If anything goes wrong before that, an existing file of that name stays as it was. A replaced
    file keeps its permissions and, if root replaces it, its owner; links are followed. Only regular
    files are replaced: output for a device or a pipe is written to it once it is complete.

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
    prefix = name_beside(name, f".{'0' * 2 * TOKEN_BYTES}{SUFFIX}")
    _remove_leftovers(folder, prefix)
    file = _part_of(folder, prefix)
    try:
        with file:
            before = os.stat(real if os.path.exists(real) else file.name)
            yield file
            file.flush()
            if os.geteuid() == 0:  # nobody else may give files away
                os.chown(file.name, before.st_uid, before.st_gid)
            os.chmod(file.name, stat.S_IMODE(before.st_mode))
            # By name: a library that was given the name may have put another file there.
            sync(file.name)
            os.replace(file.name, real)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(file.name)
        raise
    with suppress(OSError):  # not every system can sync folders
        sync(folder)


def _through_copy(device: str) -> Iterator[BinaryIO]:
    with tempfile.NamedTemporaryFile("w+b", suffix=SUFFIX) as file:
        yield cast(BinaryIO, file)
        file.flush()
        with open(file.name, "rb") as complete, open(device, "wb") as target:
            shutil.copyfileobj(complete, target)


def name_beside(name: str, suffix: str) -> str:
    """Return the hidden name of a file beside another one, without its suffix.

    A name that would become too long is replaced by its digest.
    """
    if len(os.fsencode(name)) + len(suffix) + 1 <= MAX_NAME:
        return f".{name}"
    return f".{blake2b(os.fsencode(name), digest_size=16).hexdigest()}"


def _part_of(folder: str, prefix: str) -> BinaryIO:
    """Create the file to write to, locked for as long as it is open."""
    while True:
        path = os.path.join(folder, f"{prefix}.{secrets.token_hex(TOKEN_BYTES)}{SUFFIX}")
        # The permissions of any new file: the system applies the umask.
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        fcntl.flock(handle, fcntl.LOCK_EX)
        # Before it was locked, another process may have mistaken it for a leftover.
        if os.fstat(handle).st_nlink:
            return open(path, "w+b", opener=_opener(handle))
        os.close(handle)


def _opener(handle: int) -> Callable[[str, int], int]:
    return lambda _path, _flags: handle


def _remove_leftovers(folder: str, prefix: str) -> None:
    """Remove leftovers of killed runs, whose locks no one holds any more."""
    token = "[0-9a-f]" * 2 * TOKEN_BYTES
    with suppress(OSError):
        for part in Path(folder).glob(f"{escape(prefix)}.{token}{SUFFIX}"):
            with suppress(OSError), part.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                part.unlink()


def sync(path: Any) -> None:
    """Wait until a file or a folder is on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
