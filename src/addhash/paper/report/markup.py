"""Small pieces of HTML; any text that goes into them is escaped."""

import re
from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["command", "definitions", "details", "link", "paragraph", "table", "together"]

_MEASURE = re.compile(r"\b(ACC|SC|BH) (?=[−+\d])")


def link(address: str, text: str) -> str:
    """Return a link.

    >>> link("#sms", "Spam & ham")
    '<a href="#sms">Spam &amp; ham</a>'
    """
    return f'<a href="{escape(address)}">{escape(text)}</a>'


def command(text: str) -> str:
    """Return a command whose lines break between words only, not at the dashes of its options.

    >>> command("ls --all")
    '<code><span>ls</span> <span>--all</span></code>'
    """
    return f"<code>{' '.join(f'<span>{escape(word)}</span>' for word in text.split())}</code>"


def together(text: str) -> str:
    """Return text as HTML in which lines break between formulas, not within them.

    >>> together("n = 3 & more").split()
    ['n', '=', '3', '&amp;', 'more']
    >>> together("n = 3 & more").split(" ")[1:]
    ['&amp;', 'more']
    """
    for sign in " = ", " ≥ ", " ± ", " %":
        text = text.replace(sign, sign.replace(" ", "\xa0"))
    text = text.replace("n-gram", "n\N{NON-BREAKING HYPHEN}gram")
    return escape(_MEASURE.sub("\\1\xa0", text))


def paragraph(text: str, css: str = "") -> str:
    """Return a paragraph.

    >>> paragraph("1 < 2")
    '<p>1 &lt; 2</p>'
    """
    return f"<p{_class(css)}>{escape(text)}</p>"


def definitions(pairs: Iterable[tuple[str, str]]) -> str:
    """Return a list of names and values.

    >>> definitions([("seed", "0")])
    '<dl><div><dt>seed</dt><dd>0</dd></div></dl>'
    """
    rows = (f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in pairs)
    return f"<dl>{''.join(rows)}</dl>"


def details(summary: str, content: str) -> str:
    """Return content, which is HTML, that is shown on demand.

    >>> details("More", paragraph("text"))
    '<details><summary>More</summary><p>text</p></details>'
    """
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def table(
    caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]], css: str = ""
) -> str:
    """Return a table whose first column names the rows; it scrolls if it is too wide.

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
    # Only what can take the focus can be scrolled by keyboard.
    return (
        f'<div class="scroll" role="region" aria-label="{escape(caption)}" tabindex="0">\n'
        f"<table{_class(css)}><caption>{escape(caption)}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def _class(css: str) -> str:
    return f' class="{escape(css)}"' if css else ""
