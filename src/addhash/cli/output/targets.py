"""The files that commands write: completely or not at all, and never over their own input."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from addhash.cli.errors import CommandError, UsageError, describe_os_error
from addhash.tables import packed

# What a file of text may be compressed as; other formats are compressed already.
PACKINGS = (".gz", ".zst")
PACKED = (".csv", ".tsv", ".jsonl", ".txt")


def extension_of(path: str, allowed: tuple[str, ...]) -> str:
    """Return the extension of an output file in lower case; it must be an allowed one.

    >>> extension_of("vectors.NPY", (".npy", ".npz")), extension_of("news.csv.gz", (".csv",))
    ('.npy', '.csv')
    """
    stem, extension = os.path.splitext(path.lower())
    inner = os.path.splitext(stem)[1]
    if extension in PACKINGS and inner in allowed:
        if inner not in PACKED:
            raise UsageError(
                f"{path} would be compressed twice: {inner} files are compressed already. Name it"
                f" {path[: -len(extension)]}."
            )
        extension = inner
    if extension not in allowed:
        what = f"the extension {extension} is unknown" if extension else "it has no extension"
        raise UsageError(
            f"Cannot tell how to write {path}: {what}. Name a file that ends with"
            f" {', '.join(allowed[:-1])} or {allowed[-1]}."
        )
    return extension


def check_target(path: str, inputs: Iterable[str | None] = (), hint: str = "") -> None:
    """Before anything is read, refuse a file that cannot be written or is also an input.

    Parameters
    ----------
    path : str
    inputs : iterable of str or None
        The files that the command reads.
    hint : str
        What to do instead, for the message if the file is one of them.
    """
    if os.path.isdir(path):
        raise CommandError(f"Cannot write {path}: it is a directory. Name a file.")
    for other in inputs:
        if other is not None and _is_same(path, other):
            raise UsageError(
                f"{path} is also an input ({other}), which would be lost."
                f" {hint or 'Name another file.'}"
            )
    folder = os.path.dirname(os.path.realpath(path))
    if not is_replaced(path):
        folder = path
    elif not os.path.isdir(folder):
        raise CommandError(f"Cannot write {path}: its folder does not exist. Create it first.")
    # Renaming would silently replace a read-only file, and root may write anything.
    elif os.path.exists(path) and not os.stat(path).st_mode & 0o222:
        raise CommandError(
            f"Cannot write {path}: it is read-only. Change that with chmod, or name another file."
        )
    if not os.access(folder, os.W_OK):
        raise CommandError(
            f"Cannot write {path}: its folder is read-only. Name a file in another one."
        )


def _is_same(path: str, other: str) -> bool:
    """Return whether two names refer to the same regular file, even through links."""
    try:
        return os.path.samefile(path, other) and is_replaced(path)
    except OSError:  # one of them does not exist
        return os.path.realpath(path) == os.path.realpath(other)


def is_replaced(path: str) -> bool:
    """Return whether writing creates a new file; devices and pipes are written to instead."""
    return not os.path.exists(path) or stat.S_ISREG(os.stat(path).st_mode)


def refuse_existing(path: str, force: bool) -> None:
    """Refuse to replace a file unless the user insists."""
    if os.path.exists(path) and is_replaced(path) and not force:
        raise UsageError(f"{path} exists already. Name another file, or replace it with --force.")


@contextmanager
def open_target(path: str) -> Iterator[BinaryIO]:
    """Open a file for writing that gets its name only once it is complete and on disk.

    If anything goes wrong before that, an existing file of that name stays as it was. A device or a
    pipe is written to directly.
    """
    from addhash.files import whole_file

    check_target(path)
    try:
        if is_replaced(path):
            with whole_file(path) as file, packed(file, path) as target:
                yield target
        else:
            with open(path, "wb") as device:
                yield device
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise describe_os_error(error, path, "write") from error
