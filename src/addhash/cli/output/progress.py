"""The progress bar, for work that takes a while with someone watching."""

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from addhash.cli.input.documents import Document, Documents

# What is being done, how much of it is done if known, and a note.
Update = Callable[[str, float | None, str], None]


@contextmanager
def progress_bar(*, is_quiet: bool = False) -> Iterator[Update]:
    """Show a bar on standard error if that is a terminal; it is gone when the work is done.

    Parameters
    ----------
    is_quiet : bool
        Show nothing.

    Yields
    ------
    update : callable
        Takes what is being done, the fraction done or None, and a note.
    """
    if is_quiet or not sys.stderr.isatty():
        yield lambda doing, fraction, note: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None, note="")

        def update(doing: str, fraction: float | None, note: str) -> None:
            total = None if fraction is None else 1.0
            progress.update(task, description=doing, completed=fraction, total=total, note=note)

        yield update


def watched(
    documents: Documents, doing: str, *, is_streaming: bool = False
) -> Iterator[list[Document]]:
    """Yield the batches of documents, with a bar on standard error if that is a terminal.

    Parameters
    ----------
    documents : Documents
    doing : str
        What the bar says, such as "Learning".
    is_streaming : bool
        Results go to standard output meanwhile. A bar is then shown only if they go to a file: the
        reader of a pipe may write to the same terminal.
    """
    with progress_bar(is_quiet=is_streaming and not _is_file(sys.stdout)) as update:
        update(doing, 0.0 if documents.progress()[1] else None, "")
        for batch in documents:
            yield batch
            done, total = documents.progress()
            update(doing, done / total if total else None, f"{documents.count:,} documents")


def _is_file(stream: object) -> bool:
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):  # not a real file
        return False
