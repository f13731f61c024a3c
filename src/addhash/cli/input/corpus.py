"""The documents of several files, as one."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

from addhash.cli.errors import CommandError, worded
from addhash.cli.input.documents import Document, Documents
from addhash.cli.options.reading import ReadOptions
from addhash.cli.output.progress import Update
from addhash.tables import Kept


class Corpus:
    """The documents of several files, which can be read more than once.

    Parameters
    ----------
    files : sequence of str
    reading : ReadOptions
    named : str
        The option that names the columns to read, for messages.
    """

    def __init__(
        self, files: Sequence[str], reading: ReadOptions, named: str = "--text-column"
    ) -> None:
        self._files = files
        self._reading = reading
        self._named = named

    def batches(
        self, keep: Kept = (), reports: bool = False, option: str = "--keep-columns"
    ) -> Iterator[tuple[Documents, list[Document]]]:
        """Yield documents in batches, with the file they come from."""
        names: list[str] | None = None
        for path in self._files:
            with worded({"text_column": self._named, "keep": option}):
                source = Documents(path, self._reading, keep=keep, reports=reports)
            names = source.columns if names is None else names
            if set(names) != set(source.columns):
                source.close()
                raise CommandError(
                    f"{path} has the columns {', '.join(source.columns)}, but {self._files[0]} has"
                    f" {', '.join(names)}. Give files with the same columns."
                )
            for batch in source:
                yield source, batch

    def texts(self, update: Update, doing: str) -> Iterator[str]:
        """Yield the texts."""
        count, start = 0, time.monotonic()
        for source, batch in self.batches(reports=True):
            yield from (document.text for document in batch)
            count += len(batch)
            rate = count / max(time.monotonic() - start, 1e-3)
            done, total = source.progress()
            words = f"{count:,} documents, {rate:,.0f} per second"
            update(doing, done / total if total else None, words)

    def records(self, columns: Sequence[str], update: Update, doing: str) -> dict[str, list[Any]]:
        """Return some columns of all rows."""
        values: dict[str, list[Any]] = {name: [] for name in columns}
        for source, batch in self.batches(list(columns), reports=True, option="--field"):
            for name, column in zip(source.kept_columns, values.values(), strict=True):
                column += [document.kept[name] for document in batch]
            done, total = source.progress()
            update(doing, done / total if total else None, f"{len(column):,} records")
        return values

    def ids(self, column: str) -> list[Any]:
        """Return a column that names each document, and no two alike."""
        seen: dict[Any, int] = {}
        for number, value in enumerate(self.column(column, "--id"), 1):
            if value in (None, ""):
                raise CommandError(f"--id: document {number:,} has no value in {column!r}.")
            if value in seen:
                raise CommandError(
                    f"--id: {value!r:.60} names both document {seen[value]:,} and document"
                    f" {number:,}. Choose a column whose values differ."
                )
            seen[value] = number
        return list(seen)

    def column(self, name: str, option: str) -> Iterator[Any]:
        """Yield the values of a column that an option names."""
        for source, batch in self.batches([name], option=option):
            (column,) = source.kept_columns
            yield from (document.kept[column] for document in batch)

    def numbers(self, column: str) -> list[float]:
        """Return the numbers of a column."""
        return [
            _number(document.kept[source.kept_columns[0]], source, document)
            for source, batch in self.batches([column], option="--keep max:")
            for document in batch
        ]


def _number(value: Any, source: Documents, document: Document) -> float:
    try:
        number = float("-inf") if value in (None, "") else float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if number != number:
        place = ", ".join(f"{name} {at}" for name, at in source.place(document).items())
        raise CommandError(
            f"{source.source}, {place}: --keep max: needs a number, got {value!r:.60}. An empty"
            " field counts as the lowest."
        )
    return number
