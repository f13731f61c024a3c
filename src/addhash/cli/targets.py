"""The files that commands write, and why one could not be written."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from addhash.cli.errors import CommandError, UsageError, describe_os_error
from addhash.files.whole_file import whole_file

__all__ = ["atomic_file", "check_target", "extension_of"]


def extension_of(path: str, allowed: tuple[str, ...]) -> str:
    """Return the extension of an output file, in lower case; it has to be an allowed one.

    >>> extension_of("vectors.NPY", (".npy", ".npz"))
    '.npy'
    """
    extension = os.path.splitext(path)[1].lower()
    if extension not in allowed:
        what = f"the extension {extension} is unknown" if extension else "it has no extension"
        raise UsageError(
            f"Cannot tell how to write {path}: {what}. Name a file that ends with"
            f" {', '.join(allowed[:-1])} or {allowed[-1]}."
        )
    return extension


def check_target(path: str) -> None:
    """Refuse, before any work is done, a file that could not be written."""
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path):
        raise CommandError(f"Cannot write {path}: it is a directory. Name a file.")
    if not os.path.isdir(folder):
        raise CommandError(f"Cannot write {path}: its folder does not exist. Make it first.")
    is_file = os.path.exists(path)
    # Renaming would replace a read-only file without a word, and root may write anything.
    if is_file and not os.stat(path).st_mode & 0o222:
        raise CommandError(
            f"Cannot write {path}: it is read-only. Change that with chmod, or name another file."
        )
    if not os.access(path if is_file and not _is_regular(path) else folder, os.W_OK):
        raise CommandError(
            f"Cannot write {path}: its folder is read-only. Name a file in another one."
        )


def _is_regular(path: str) -> bool:
    return stat.S_ISREG(os.stat(path).st_mode)


@contextmanager
def atomic_file(path: str) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its name only once it is complete and on the disk.

    Whatever goes wrong before, a file of that name stays as it was. A device or a pipe is
    written to directly.
    """
    check_target(path)
    try:
        if os.path.exists(path) and not _is_regular(path):
            with open(path, "wb") as device:
                yield device
        else:
            with whole_file(path) as file:
                yield file
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise describe_os_error(error, path, "write") from error
