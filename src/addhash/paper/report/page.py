"""The report: one page that compares the results with the paper's claims."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from addhash.files import whole_file
from addhash.paper.catalogue import SMS, WILI, Archive
from addhash.paper.report import sections
from addhash.paper.report.claims import claims_of
from addhash.paper.report.figures import Figure
from addhash.paper.report.markup import command, definitions, link, paragraph, together
from addhash.paper.report.numbers import counted
from addhash.paper.report.sections import TITLES, VERDICTS, Claims
from addhash.paper.report.stated import PAPER_URL
from addhash.paper.report.verdicts import Claim, Results

__all__ = ["write"]

# The data sets that an experiment uses.
ARCHIVES: dict[str, Archive] = {"sms": SMS.archive, "languages": WILI["x_train.txt"].archive}
QUICK = (
    "With fewer repeats the errors are larger, so that a claim can agree here that a full run"
    " contradicts; the lengths n other than 3 and the neural network are left out. For verdicts"
    " to rely on, run: "
)


def write(results: Results, figures: Sequence[Figure], path: Path) -> None:
    """Write the report as a single self-contained page, without scripts or other files.

    Parameters
    ----------
    results : dict
        What `reproduce` returns, for any of the experiments.
    figures : sequence of Figure
        What `draw` returns for them.
    path : Path
        The file to write, beside `results.json`.
    """
    found = {f"claim-{i}": claim for i, claim in enumerate(claims_of(results), 1)}
    present = [experiment for experiment in TITLES if experiment in results]
    template = Template(files("addhash.paper.report").joinpath("page.html").read_text("utf-8"))
    page = template.substitute(
        paper=PAPER_URL,
        made=_made(results, present),
        warning=_warning(results),
        summary=_summary(found),
        figures=sections.main_figures(figures),
        contents="".join(
            f"<li>{link(f'#{name}', title)}</li>"
            for name, title in [*((name, TITLES[name]) for name in present), ("run", "The run")]
        ),
        sections="\n".join(
            sections.section(
                name,
                results[name],
                {key: claim for key, claim in found.items() if claim.experiment == name},
                [figure for figure in figures if figure.experiment == name],
                bool(results["about"].get("quick")),
            )
            for name in present
        ),
        run=_run(results),
    )
    with whole_file(path) as file:
        file.write(page.encode())


def _commands(results: Results, present: Sequence[str]) -> list[str]:
    """Return the commands that give these results."""
    about = results["about"]
    options = " --quick" if about.get("quick") else ""
    options += f" --seed {about['seed']}" if about.get("seed") else ""
    which = ["all"] if len(present) == len(TITLES) else present
    return [f"addhash reproduce {name} --out DIR{options}" for name in which]


def _made(results: Results, present: Sequence[str]) -> str:
    about = results["about"]
    date = f" on {escape(str(about['date']))}" if "date" in about else ""
    commands = " and ".join(map(command, _commands(results, present)))
    by = f" by {commands}" if commands else ""
    data = " and ".join(
        link(archive.page, archive.title) for name, archive in ARCHIVES.items() if name in present
    )
    return (
        f"<p>Made{date} with addhash {escape(str(about.get('addhash')))}{by}. All numbers are in"
        f" {link('results.json', 'results.json')}{f'; the data is {data}' if data else ''}.</p>"
    )


def _warning(results: Results) -> str:
    if not results["about"].get("quick"):
        return ""
    return (
        f'<p class="note"><strong>This was a quick run.</strong> {escape(QUICK)}'
        f"{command('addhash reproduce all --out DIR')}</p>"
    )


def _summary(found: Claims) -> str:
    differing = {
        key: claim for key, claim in found.items() if claim.verdict in ("differs", "undecided")
    }
    tiles = []
    for verdict, (sign, one, many, css) in VERDICTS.items():
        keys = [key for key, claim in found.items() if claim.verdict == verdict]
        if keys:
            target = "differences" if verdict in ("differs", "undecided") else keys[0]
            words = counted(len(keys), one, many).partition(" ")[2]
            tiles.append(
                f'<li class="{css}"><a href="#{target}"><span class="count">{len(keys)}</span>'
                f' <span aria-hidden="true">{sign}</span> {escape(words)}</a></li>'
            )
    text = paragraph(f"{counted(len(found), 'comparison', 'comparisons')} with the paper:")
    text += f'\n<ul class="counts">{"".join(tiles)}</ul>'
    if not differing:
        return text
    items = "".join(
        f'<li><a href="#{key}">{together(claim.statement)}</a>'
        f' <span class="place">{escape(_place(claim))}</span></li>'
        for key, claim in differing.items()
    )
    return f'{text}\n<h3 id="differences">What differs</h3>\n<ul class="differences">{items}</ul>'


def _place(claim: Claim) -> str:
    """Return the section of a claim, and the name of the data if it is one of several."""
    name, colon, _ = claim.data.partition(":")
    place = f"{TITLES[claim.experiment]}, {name}" if colon else TITLES[claim.experiment]
    return f"{place} (undecided)" if claim.verdict == "undecided" else place


def _run(results: Results) -> str:
    about = results["about"]
    machine = about.get("machine", {})
    versions = ", ".join(f"{name} {number}" for name, number in machine.get("versions", {}).items())
    date = [("Date", str(about["date"]))] if "date" in about else []
    return definitions(
        [
            *date,
            ("addhash", str(about.get("addhash"))),
            ("Kind of run", "quick: fewer repeats" if about.get("quick") else "full"),
            ("Seed", str(about.get("seed"))),
            ("Computing time", f"{sum(results['finished'].values()):,.0f} seconds"),
            (
                "Machine",
                f"{machine.get('cores')} cores, instruction set {machine.get('instruction_set')}",
            ),
            ("Software", f"Python {machine.get('python')}, {versions}"),
        ]
    )
