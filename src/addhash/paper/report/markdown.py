"""Small pieces of Markdown."""

import re
from collections.abc import Iterable, Sequence


def anchor(heading: str) -> str:
    """Return the anchor that Markdown viewers give a heading.

    >>> anchor("Figure 1: altered strings")
    'figure-1-altered-strings'
    """
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def plain(text: str) -> str:
    """Return text that is not taken for HTML.

    >>> plain("p < 0.05")
    'p &lt; 0.05'
    """
    return text.replace("<", "&lt;")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return a table.

    >>> print(table(["L", "AH|HT"], [["16", "2"]]))
    | L | AH\|HT |
    | --- | --- |
    | 16 | 2 |
    """
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return plain(text).replace("|", "\\|").replace("\n", " ")
