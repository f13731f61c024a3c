"""The folder beside the output with what a stopped run leaves to the next one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from addhash.cli.errors import UsageError


@contextmanager
def work_beside(target: str | None, command: str, memory: str | None) -> Iterator[str | None]:
    """Keep a folder for a run with limited memory; a stopped run that got somewhere leaves it."""
    if memory is None:
        yield None
        return
    if target is None:
        raise UsageError("--memory keeps its files next to the output. Name an --output.")
    from addhash.files import remove_work_folder

    folder, name = os.path.split(os.path.realpath(target))
    work = os.path.join(folder, f".{name}.{command}")
    try:
        yield work
    except BaseException:
        remove_work_folder(work, unless_resumable=True)
        raise
    remove_work_folder(work)
