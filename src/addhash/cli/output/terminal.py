"""What people see: the terminal, and values that cannot disturb it."""

import sys
import unicodedata
from functools import cache
from typing import Any

from addhash.cli.errors import CommandError


def plain(value: Any) -> str:
    """Show a value in a table, a TSV or a CSV file."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6f}"
    if isinstance(value, list | dict):
        import json

        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def shown(value: Any) -> str:
    r"""Show a value on a terminal, without anything that could move its cursor.

    >>> shown("red\x1b[31m\n")
    'red [31m '
    """
    text = f"{value:.4f}" if isinstance(value, float) else plain(value)
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def cells(text: str) -> int:
    r"""Return how many cells of a terminal a text takes, at most.

    Terminals disagree about combining marks written beside their letter, as in Devanagari. Here
    they count, so that a line is never longer than it should be.

    >>> cells("text"), cells("日本"), cells("e\u0301")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_cells_of, text))


@cache
def _cells_of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def open_terminal() -> Any:
    """Return a rich console on standard output that prints text as is."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def has_colours(console: Any) -> bool:
    """Return whether colours reach the reader."""
    return bool(console.color_system) and not console.no_color


def is_watched(output_format: str | None) -> bool:
    """Return whether results go to a person, as a table on a terminal."""
    if sys.stdout is None or sys.stdout.closed:
        raise CommandError("Cannot write standard output: it is closed.")
    return output_format == "table" or (output_format is None and sys.stdout.isatty())


def say(text: str) -> None:
    """Tell the person at the terminal what was done; stay silent in a program."""
    if sys.stderr.isatty():
        note(text)


def note(text: str) -> None:
    """Write a line to standard error, for people and for logs."""
    print(shown(text), file=sys.stderr)
