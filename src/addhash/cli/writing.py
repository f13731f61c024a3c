"""Rows of results: a table for people, lines of TSV, CSV or JSON for programs."""

import csv
import io
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, Literal, Protocol, cast

from addhash.cli.errors import ReaderGoneError
from addhash.cli.targets import atomic_file, extension_of

__all__ = ["Format", "Output", "open_output", "open_terminal", "say", "shown"]

Format = Literal["table", "tsv", "jsonl", "csv"]

# The most that any column but the last takes of a terminal.
WIDEST = 40


class Output(Protocol):
    """Takes rows of results, batch by batch."""

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Show these rows now."""


def _plain(value: Any) -> str:
    """Show a value in a table, a TSV or a CSV file."""
    if value is None:
        return ""
    return f"{value:.6f}" if isinstance(value, float) else str(value)


_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})


class LineOutput:
    """Rows as lines, written as soon as they come."""

    def __init__(self, file: BinaryIO, kind: Format) -> None:
        self._file = file
        self._kind = kind
        self._is_first = True

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        text = io.StringIO()
        if self._kind == "jsonl":
            for row in rows:
                text.write(json.dumps(row, ensure_ascii=False) + "\n")
        elif self._kind == "csv":
            table = csv.writer(text, lineterminator="\n")
            if self._is_first and rows:
                table.writerow(rows[0])
            table.writerows([_plain(value) for value in row.values()] for row in rows)
        else:
            for row in rows:
                fields = (_plain(value).translate(_ESCAPES) for value in row.values())
                text.write("\t".join(fields) + "\n")
        self._is_first = False
        # A lone surrogate, which JSON input can hold, has no UTF-8 form.
        self._file.write(text.getvalue().encode("utf-8", "backslashreplace"))
        self._file.flush()


class TableOutput:
    """Rows for a terminal: columns of fixed width, a line each, as they come."""

    def __init__(self) -> None:
        self._console = open_terminal()
        self._widths: dict[str, int] = {}

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        from rich.text import Text

        if not rows:
            return
        is_first = not self._widths
        self._measure(rows)
        if is_first:
            self._console.print(self._line({n: n for n in rows[0]}, rows[0], style="bold"))
        lines = [self._line(row, row) for row in rows]
        self._console.print(Text("\n").join(lines), soft_wrap=True)

    def _measure(self, rows: Sequence[Mapping[str, Any]]) -> None:
        from rich.cells import cell_len

        *others, last = rows[0]
        for name in rows[0]:
            widest = max(cell_len(shown(row[name])) for row in rows)
            known = self._widths.get(name, cell_len(name))
            self._widths[name] = max(known, min(widest, WIDEST))
        if isinstance(rows[0][last], str):
            used = sum(self._widths[name] + 2 for name in others)
            self._widths[last] = max(10, self._console.width - used)

    def _line(self, row: Mapping[str, Any], kinds: Mapping[str, Any], style: str = "") -> Any:
        from rich.cells import cell_len, set_cell_size
        from rich.text import Text

        line = Text(no_wrap=True)
        last = list(self._widths)[-1]
        for i, (name, width) in enumerate(self._widths.items()):
            value = shown(row[name])
            if cell_len(value) > width:
                value = set_cell_size(value, width - 1) + "…"
            elif isinstance(kinds[name], int | float):
                value = " " * (width - cell_len(value)) + value
            elif name != last:
                value = set_cell_size(value, width)
            line.append(value, style=style or ("cyan" if i == 0 else ""))
            line.append("" if name == last else "  ")
        return line


def shown(value: Any) -> str:
    r"""Show a value on a terminal, without what could move its cursor.

    >>> shown("red\x1b[31m\n")
    'red [31m '
    """
    text = f"{value:.4f}" if isinstance(value, float) else _plain(value)
    return "".join(c if c.isprintable() else " " for c in text)


def open_terminal() -> Any:
    """Return rich's console on standard output; what is printed is taken as it is."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


@contextmanager
def open_output(path: str | None, kind: Format | None) -> Iterator[Output]:
    """Open a file, or standard output, for rows of results.

    Parameters
    ----------
    path : str or None
        A file, which appears once it is complete; None for standard output.
    kind : {"table", "tsv", "jsonl", "csv"} or None
        None goes by the file's extension; on standard output it is a table for a terminal, and
        TSV for anything else.
    """
    if path is None:
        with _closed_pipe_is_fine():
            if kind == "table" or (kind is None and sys.stdout.isatty()):
                yield TableOutput()
            else:
                yield LineOutput(cast(BinaryIO, sys.stdout.buffer), kind or "tsv")
        return
    chosen: Format = kind or cast(Format, extension_of(path, (".tsv", ".jsonl", ".csv"))[1:])
    with atomic_file(path) as file:
        yield LineOutput(file, "tsv" if chosen == "table" else chosen)


@contextmanager
def _closed_pipe_is_fine() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderGoneError from error


def say(text: str) -> None:
    """Tell the person at the terminal what was done; a program hears nothing."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)
