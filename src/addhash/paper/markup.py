"""Small pieces of HTML; whatever text goes into them is escaped."""

import re
from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["definitions", "details", "paragraph", "table", "together"]

_MEASURE = re.compile(r"\b(ACC|SC|BH) (?=[-+\d])")


def together(text: str) -> str:
    """Return text as HTML in which lines break between formulas rather than within.

    >>> together("n = 3 & more").split()
    ['n', '=', '3', '&amp;', 'more']
    >>> together("n = 3 & more").split(" ")[1:]
    ['&amp;', 'more']
    """
    for sign in " = ", " ≥ ", " ± ", " %":
        text = text.replace(sign, sign.replace(" ", "\xa0"))
    return escape(_MEASURE.sub("\\1\xa0", text))


def paragraph(text: str, css: str = "") -> str:
    """Return a paragraph.

    >>> paragraph("1 < 2")
    '<p>1 &lt; 2</p>'
    """
    return f"<p{_class(css)}>{escape(text)}</p>"


def definitions(pairs: Iterable[tuple[str, str]]) -> str:
    """Return names and what belongs to them.

    >>> definitions([("seed", "0")])
    '<dl><div><dt>seed</dt><dd>0</dd></div></dl>'
    """
    rows = (f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in pairs)
    return f"<dl>{''.join(rows)}</dl>"


def details(summary: str, content: str) -> str:
    """Return something that is shown when it is asked for; the content is HTML.

    >>> details("More", paragraph("text"))
    '<details><summary>More</summary><p>text</p></details>'
    """
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def table(
    caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]], css: str = ""
) -> str:
    """Return a table whose first column names the rows, and that scrolls if it is too wide.

    >>> print(table("Sums", ["L", "AH"], [["16", "2"]]))
    <div class="scroll" role="region" aria-label="Sums" tabindex="0">
    <table><caption>Sums</caption>
    <thead><tr><th scope="col">L</th><th scope="col">AH</th></tr></thead>
    <tbody><tr><th scope="row">16</th><td>2</td></tr></tbody></table></div>
    """
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "\n".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    # A keyboard can scroll only what it can reach.
    return (
        f'<div class="scroll" role="region" aria-label="{escape(caption)}" tabindex="0">\n'
        f"<table{_class(css)}><caption>{escape(caption)}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def _class(css: str) -> str:
    return f' class="{escape(css)}"' if css else ""
