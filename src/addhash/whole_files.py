"""Files that appear whole or not at all, whatever happens while they are written."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, cast

__all__ = ["whole_file"]


@contextmanager
def whole_file(path: Any) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its name only once it is complete and on the disk.

    Whatever goes wrong before, a file of that name stays as it was. A file that is replaced keeps
    its rights; a link is followed.

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
    >>> target = pathlib.Path(tempfile.mkdtemp(), "greeting")
    >>> with whole_file(target) as file:
    ...     _ = file.write(b"hello")
    >>> target.read_bytes()
    b'hello'
    """
    real = os.path.realpath(path)
    folder, name = os.path.split(real)
    file = tempfile.NamedTemporaryFile(  # noqa: SIM115 - closed below, before it is renamed
        "w+b", dir=folder, prefix=f".{name}.", suffix=".part", delete=False
    )
    try:
        with file:
            yield cast(BinaryIO, file)
        # By name: a library that was given the name may have put another file there.
        os.chmod(file.name, _rights_for(real))
        _sync(file.name)
        os.replace(file.name, real)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(file.name)
        raise
    with suppress(OSError):  # not every system lets folders be synced
        _sync(folder)


def _rights_for(path: str) -> int:
    """Return the rights of a file that is there, or else those that a new file gets."""
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def _sync(path: str) -> None:
    """Wait until a file or a folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
