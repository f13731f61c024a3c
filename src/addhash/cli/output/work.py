"""The folder beside the output with what a stopped run leaves to the next one."""

import os

from addhash.cli.errors import UsageError

__all__ = ["drop_work", "work_beside"]


def work_beside(target: str | None, command: str) -> str:
    """Return the folder of a command that writes this output."""
    if target is None:
        raise UsageError("--memory keeps its files next to the output. Name an --output.")
    folder, name = os.path.split(os.path.realpath(target))
    return os.path.join(folder, f".{name}.{command}")


def drop_work(folder: str | None, *, unless_resumable: bool = False) -> None:
    """Remove the files of a run; if that got somewhere, only on request."""
    if folder is not None:
        from addhash.files import remove_work_folder

        remove_work_folder(folder, unless_resumable=unless_resumable)
