"""A progress bar with rate and time left, for work that takes a while and someone who watches."""

import sys
from collections.abc import Iterator

from addhash.cli.reading import Document, Documents

__all__ = ["watched"]


def watched(
    documents: Documents, doing: str, *, is_quiet: bool = False
) -> Iterator[list[Document]]:
    """Yield the batches of documents, with a bar on standard error if that is a terminal.

    Parameters
    ----------
    documents : Documents
    doing : str
        What the bar says, such as "Learning".
    is_quiet : bool
        Show nothing, because results appear on the same terminal.
    """
    if is_quiet or not sys.stderr.isatty():
        return iter(documents)
    return _with_bar(documents, doing)


def _with_bar(documents: Documents, doing: str) -> Iterator[list[Document]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]:,} documents"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        total = documents.progress()[1]
        task = progress.add_task(doing, total=total, count=0, rate="")
        for batch in documents:
            yield batch
            elapsed = progress.tasks[0].elapsed or 0
            rate = f"{documents.count / elapsed:,.0f}/s" if elapsed > 0 else ""
            done = documents.progress()[0]
            progress.update(task, completed=done, count=documents.count, rate=rate)
