"""The report: one page that sets what came out beside the paper's claims."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from addhash.files.whole_file import whole_file
from addhash.paper.claims import FULL_COMMAND, Claim, Verdict, claims_of
from addhash.paper.figures import Figure
from addhash.paper.markup import definitions, paragraph, together
from addhash.paper.report_tables import TABLES

__all__ = ["write"]

Results = dict[str, Any]

TITLES = {
    "example": "Three documents",
    "synthetic": "Random strings",
    "languages": "Language recognition",
    "sms": "SMS spam",
}
ABOUT = {
    "example": (
        "Sections 2 and 3 of the paper explain both methods with three short documents. Here the"
        " same documents go through this library, and its vectors are compared with the paper's"
        " algorithms followed word by word."
    ),
    "synthetic": (
        "Section 4.1 of the paper compares random strings with copies in which each letter is"
        " changed with probability p. The similarity should fall from 1 to 0 as p grows, and be"
        " the same for additive hashing (AH) and the hashing trick (HT)."
    ),
    "languages": (
        "Section 4.2 of the paper tells the language of a paragraph of Wikipedia from the"
        " paragraph that is most similar to it among those whose language is known. The data is"
        " WiLI-2018, with 235 languages. subset-21 is the paragraphs of 21 languages in the"
        " official split; head-235 is a few paragraphs of every language."
    ),
    "sms": (
        "Section 4.3 of the paper tells spam among SMS messages from the most similar message that"
        " is known. It states accuracy (ACC), spam caught (SC) and blocked hams (BH), the share of"
        " good messages that are taken for spam."
    ),
}
# Each verdict has a sign, a word for a count of it, and a name for its colours.
VERDICTS: dict[Verdict, tuple[str, str, str]] = {
    "agrees": ("✓", "agree with the paper", "agrees"),
    "differs": ("≠", "differ from the paper", "differs"),
    "undecided": ("?", "are undecided", "undecided"),
    "on other data": ("◐", "are on other data than the paper's", "other"),
    "not run": ("○", "were not run", "not-run"),
}
COLUMNS = ("Claim", "The paper", "Here", "Data", "Verdict")


def write(results: Results, figures: Sequence[Figure], path: Path) -> None:
    """Write the report as one page that needs nothing else: no script, no other file.

    Parameters
    ----------
    results : dict
        What `reproduce` returns, of whichever experiments.
    figures : sequence of Figure
        What `draw` returns for them.
    path : Path
        The file to write.
    """
    found = claims_of(results)
    present = [experiment for experiment in TITLES if experiment in results]
    template = Template(files("addhash.paper").joinpath("report.html").read_text("utf-8"))
    page = template.substitute(
        settings=_settings(results),
        summary=_summary(found),
        contents="".join(
            f'<li><a href="#{name}">{escape(TITLES[name])}</a></li>' for name in present
        ),
        sections="\n".join(
            _section(
                name,
                results[name],
                [claim for claim in found if claim.experiment == name],
                [figure for figure in figures if figure.experiment == name],
                bool(results["about"].get("quick")),
            )
            for name in present
        ),
    )
    with whole_file(path) as file:
        file.write(page.encode())


def _settings(results: Results) -> str:
    about = results["about"]
    machine = about.get("machine", {})
    versions = ", ".join(f"{name} {number}" for name, number in machine.get("versions", {}).items())
    kind = "quick: fewer repeats" if about.get("quick") else "full"
    return definitions(
        [
            ("addhash", str(about.get("addhash"))),
            ("Kind of run", kind),
            ("Seed", str(about.get("seed"))),
            ("Computing time", f"{sum(results['finished'].values()):,.0f} seconds"),
            (
                "Machine",
                f"{machine.get('cores')} cores, instruction set {machine.get('instruction_set')}",
            ),
            ("Software", f"Python {machine.get('python')}, {versions}"),
        ]
    )


def _summary(found: Sequence[Claim]) -> str:
    counts = dict.fromkeys(VERDICTS, 0)
    for claim in found:
        counts[claim.verdict] += 1
    items = "".join(
        f'<li class="{VERDICTS[verdict][2]}"><span class="count">{count}</span>'
        f' <span aria-hidden="true">{VERDICTS[verdict][0]}</span> {VERDICTS[verdict][1]}</li>'
        for verdict, count in counts.items()
        if count
    )
    return (
        f'<p>{len(found)} comparisons with the paper, of which</p>\n<ul class="counts">{items}</ul>'
    )


def _section(
    name: str,
    part: Results,
    found: Sequence[Claim],
    figures: Sequence[Figure],
    is_quick: bool,
) -> str:
    return "\n".join(
        [
            f'<section id="{name}" aria-labelledby="{name}-heading">',
            f'<h2 id="{name}-heading">{escape(TITLES[name])}</h2>',
            paragraph(ABOUT[name]),
            _full_set(part, is_quick) if name == "languages" else "",
            _claims(TITLES[name], found) if found else "",
            _figures(figures) if figures else "",
            f'<h3>Numbers</h3>\n<div class="numbers">{TABLES[name](part)}</div>',
            "</section>",
        ]
    )


def _full_set(part: Results, is_quick: bool) -> str:
    """Say why the full data set was not run, if it was not."""
    full = part.get("full", {})
    if "ah" in full:
        return ""
    why = full.get("not_run", "A quick run leaves it out." if is_quick else "It is not finished.")
    # Only whole words go to the next line.
    command = " ".join(f"<span>{escape(word)}</span>" for word in FULL_COMMAND.split())
    return (
        f'<p class="note"><strong>The full data set was not run.</strong> {escape(str(why))}'
        f" This command runs it: <code>{command}</code></p>"
    )


def _claims(title: str, found: Sequence[Claim]) -> str:
    """Return a table that a narrow screen shows as cards.

    A table that is laid out in another way is no table for a screen reader, unless its roles say
    so.
    """
    head = "".join(f'<th scope="col" role="columnheader">{column}</th>' for column in COLUMNS)
    rows = "\n".join(_claim(claim) for claim in found)
    return (
        '<h3>Claims</h3>\n<table class="claims" role="table">'
        f'<caption class="unseen">Claims: {escape(title)}</caption>\n'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
        f'<tbody role="rowgroup">{rows}</tbody></table>'
    )


def _claim(claim: Claim) -> str:
    sign, _, css = VERDICTS[claim.verdict]
    cells = [
        together(claim.paper),
        together(claim.ours),
        together(claim.data),
        f'<span class="verdict {css}"><span aria-hidden="true">{sign}</span>'
        f' {escape(claim.verdict)}</span> <span class="why">{together(claim.why)}</span>',
    ]
    return (
        '<tr role="row"><th scope="row" role="rowheader">'
        f'{together(claim.statement)} <span class="where">{escape(claim.where)}</span></th>'
        + "".join(
            f'<td role="cell" data-label="{label}"><div>{cell}</div></td>'
            for label, cell in zip(COLUMNS[1:], cells, strict=True)
        )
        + "</tr>"
    )


def _figures(figures: Sequence[Figure]) -> str:
    drawn = "\n".join(
        f'<figure id="figure-{escape(one.name)}">{one.svg}\n<figcaption>'
        f"<strong>{escape(one.title)}.</strong> {together(one.caption)}</figcaption></figure>"
        for one in figures
    )
    return f'<h3>Figures</h3>\n<div class="figures">{drawn}</div>'
