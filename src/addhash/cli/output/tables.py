"""Rows of results as a table on a terminal, one line each, as they come."""

from collections.abc import Mapping, Sequence
from typing import Any

from addhash.cli.output.terminal import cells, open_terminal, shown

# The most of a terminal's width that any column but the last may take.
WIDEST = 40
NARROWEST = 10


def fit_cells(text: str, width: int) -> str:
    """Cut a text to a number of terminal cells, of which a wide character takes two.

    >>> fit_cells("short", 10)
    'short'
    >>> fit_cells("a long sentence", 7)
    'a long…'
    """
    if cells(text) <= width:
        return text
    used = 0
    for end, character in enumerate(text):
        used += cells(character)
        if used > width - 1:
            return text[:end].rstrip() + "…"
    return text


class TableOutput:
    """Columns of fixed width; the last one takes what is left, or more if it must not be cut."""

    def __init__(self, is_cut: bool = True) -> None:
        self._console = open_terminal()
        self._is_cut = is_cut
        self._widths: dict[str, int] = {}

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Show these rows now."""
        from rich.text import Text

        if not rows:
            return
        is_first = not self._widths
        self._measure(rows)
        lines = [self._line(row, row) for row in rows]
        if is_first:
            lines.insert(0, self._line({n: n for n in rows[0]}, rows[0], style="bold"))
        self._console.print(Text("\n").join(lines), soft_wrap=True)

    def _measure(self, rows: Sequence[Mapping[str, Any]]) -> None:
        *others, last = rows[0]
        for name in rows[0]:
            widest = max(cells(shown(row.get(name))) for row in rows)
            known = self._widths.get(name, cells(shown(name)))
            self._widths[name] = max(known, min(widest, WIDEST))
        if isinstance(rows[0][last], str):
            used = sum(self._widths[name] + 2 for name in others)
            self._widths[last] = max(NARROWEST, self._console.width - used)

    def _line(self, row: Mapping[str, Any], kinds: Mapping[str, Any], style: str = "") -> Any:
        from rich.text import Text

        line = Text(no_wrap=True)
        last = list(self._widths)[-1]
        for i, (name, width) in enumerate(self._widths.items()):
            value = shown(row.get(name))
            if self._is_cut or name != last:
                value = fit_cells(value, width)
            room = " " * (width - cells(value))
            if isinstance(kinds.get(name), int | float):
                value = room + value
            elif name != last:
                value += room
            line.append(value, style=style or ("cyan" if i == 0 else ""))
            line.append("" if name == last else "  ")
        return line
