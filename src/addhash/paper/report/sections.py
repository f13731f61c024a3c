"""The sections of the report, one for each experiment: figures, claims and numbers."""

from collections.abc import Mapping, Sequence
from html import escape

from addhash.paper.report.figures import Figure
from addhash.paper.report.markup import command, together
from addhash.paper.report.tables import TABLES
from addhash.paper.report.verdicts import Claim, Results, Verdict

__all__ = ["TITLES", "VERDICTS", "Claims", "main_figures", "section"]

# Claims by the id of their row.
Claims = Mapping[str, Claim]

TITLES = {
    "example": "Three documents",
    "synthetic": "Random strings",
    "languages": "Language recognition",
    "sms": "SMS spam",
}
ABOUT = {
    "example": (
        "Sections 2 and 3 of the paper explain both methods with three short documents. Here the"
        " same documents are hashed by this library, and its vectors are compared with those of"
        " the paper's algorithms, run word by word."
    ),
    "synthetic": (
        "Section 4.1 of the paper compares random strings with copies in which each letter is"
        " changed with probability p. As p grows, the similarity should fall from 1 to 0, equally"
        " for additive hashing (AH) and the hashing trick (HT)."
    ),
    "languages": (
        "Section 4.2 of the paper recognises the language of a Wikipedia paragraph by finding the"
        " most similar paragraph among those whose language is known. The data set is WiLI-2018,"
        " with 235 languages. subset-21 has the paragraphs of 21 languages, with the official"
        " split into training and test data; head-235 has a few paragraphs of every language."
    ),
    "sms": (
        "Section 4.3 of the paper detects spam among SMS messages by finding the most similar known"
        " message. It reports accuracy (ACC), spam caught (SC), and blocked hams (BH), the"
        " percentage of legitimate messages that are taken for spam."
    ),
}
# For each verdict: a sign, words for a count of one and of more, and the name of its colours.
VERDICTS: dict[Verdict, tuple[str, str, str, str]] = {
    "agrees": ("✓", "agrees with the paper", "agree with the paper", "agrees"),
    "differs": ("≠", "differs from the paper", "differ from the paper", "differs"),
    "undecided": ("?", "is undecided", "are undecided", "undecided"),
    "on other data": ("◐", "is on other data", "are on other data", "other"),
    "not run": ("○", "was not run", "were not run", "not-run"),
}
COLUMNS = ("Claim", "Paper", "Here", "Data", "Verdict")
FULL_COMMAND = "addhash reproduce languages --out DIR"


def main_figures(figures: Sequence[Figure]) -> str:
    """Return the figures that the paper has too, if there are any."""
    main = [one for one in figures if one.is_main]
    if not main:
        return ""
    return (
        '<section id="figures" aria-labelledby="figures-heading">\n'
        '<h2 id="figures-heading">The figures of the paper</h2>\n'
        f'<div class="figures main">{_drawn(main)}</div>\n</section>'
    )


def section(
    name: str, part: Results, found: Claims, figures: Sequence[Figure], is_quick: bool
) -> str:
    """Return the section of one experiment."""
    main = "".join(
        f' The <a href="#figure-{escape(one.name)}">figure</a> is above.'
        for one in figures
        if one.is_main
    )
    others = [one for one in figures if not one.is_main]
    return "\n".join(
        [
            f'<section id="{name}" aria-labelledby="{name}-heading">',
            f'<h2 id="{name}-heading">{escape(TITLES[name])}</h2>',
            f"<p>{escape(ABOUT[name])}{main}</p>",
            _full_set(part, is_quick) if name == "languages" else "",
            f'<h3>More figures</h3>\n<div class="figures">{_drawn(others)}</div>' if others else "",
            _claims(TITLES[name], found) if found else "",
            f'<h3>Numbers</h3>\n<div class="numbers">{TABLES[name](part)}</div>',
            "</section>",
        ]
    )


def _full_set(part: Results, is_quick: bool) -> str:
    """Say why the full data set was not run, if it was not."""
    full = part.get("full", {})
    if "ah" in full:
        return ""
    why = full.get("not_run", "Quick runs leave it out." if is_quick else "It is not finished.")
    return (
        f'<p class="note"><strong>The full data set was not run.</strong> {escape(str(why))}'
        f" To run it: {command(FULL_COMMAND)}</p>"
    )


def _claims(title: str, found: Claims) -> str:
    """Return a table that narrow screens show as cards.

    The roles keep it a table for screen readers when its layout is not that of one.
    """
    head = "".join(f'<th scope="col" role="columnheader">{column}</th>' for column in COLUMNS)
    rows = "\n".join(_claim(key, claim) for key, claim in found.items())
    return (
        '<h3>Claims</h3>\n<table class="claims" role="table">'
        f'<caption class="unseen">Claims: {escape(title)}</caption>\n'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
        f'<tbody role="rowgroup">{rows}</tbody></table>'
    )


def _claim(key: str, claim: Claim) -> str:
    sign, _, _, css = VERDICTS[claim.verdict]
    cells = [
        together(claim.paper),
        together(claim.ours),
        together(claim.data),
        f'<span class="verdict {css}"><span aria-hidden="true">{sign}</span>'
        f' {escape(claim.verdict)}</span> <span class="why">{together(claim.why)}</span>',
    ]
    return (
        f'<tr role="row" id="{key}"><th scope="row" role="rowheader">'
        f'{together(claim.statement)} <span class="where">{escape(claim.where)}</span></th>'
        + "".join(
            f'<td role="cell" data-label="{label}"><div>{cell}</div></td>'
            for label, cell in zip(COLUMNS[1:], cells, strict=True)
        )
        + "</tr>"
    )


def _drawn(figures: Sequence[Figure]) -> str:
    return "\n".join(
        f'<figure id="figure-{escape(one.name)}">{one.svg}\n<figcaption>'
        f"<strong>{escape(one.title)}.</strong> {together(one.caption)}</figcaption></figure>"
        for one in figures
    )
