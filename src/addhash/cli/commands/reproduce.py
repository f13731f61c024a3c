"""`addhash reproduce`: rerun the paper's experiments and write a report."""

import sys
from typing import Annotated, Any, Literal

import typer

from addhash.cli.errors import InterruptedByUserError
from addhash.cli.output.progress import progress_bar
from addhash.cli.output.rows import open_output
from addhash.cli.output.terminal import open_terminal, say

STYLES = {"agrees": "green", "differs": "yellow"}


def reproduce(
    which: Annotated[
        Literal["all", "example", "synthetic", "languages", "sms"],
        typer.Argument(help="The experiment.", metavar="EXPERIMENT"),
    ] = "all",
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Where to write; an interrupted run resumes there.")
    ] = "reproduction",
    data: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="The folder with the data sets, unpacked or as zip files; or one zip file.",
            show_default="$ADDHASH_DATA; missing files are downloaded",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option(help="Fewer repeats: under a minute.")] = False,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="The seed of the random choices.")
    ] = 0,
) -> None:
    """Rerun the paper's experiments and report where the results agree.

    The experiments are example (sections 2 and 3), synthetic (figure 1), languages (figure 2), sms
    (figure 3), or all of them; without the data of one, all runs the others. Writes results.json,
    which grows as results come in, the figures as PNG and SVG, and report.md, which compares them
    with the paper's claims.

    Example:

        addhash reproduce sms --out sms-again --quick
    """
    from addhash import paper

    with progress_bar() as update:
        try:
            results = paper.reproduce(
                which,
                out,
                data=data,
                quick=quick,
                seed=seed,
                watch=lambda doing, fraction: update(f"{doing:<30}", fraction, ""),
            )
        except KeyboardInterrupt as error:
            raise InterruptedByUserError(
                f"Stopped. Finished results are in {out}; run the same command again to resume."
            ) from error
    _show(paper.claims_of(results))
    for name in paper.EXPERIMENTS:
        if why := results.get(name, {}).get("not_run"):
            say(f"Not run: {name}. {why}")
    say(f"Wrote {out}/report.md, with its figures and results.json.")


def _show(claims: list[Any]) -> None:
    """Show verdict, claim, the paper's figure and ours: a table, or lines with more in a pipe."""
    rows = [
        {
            "verdict": claim.verdict,
            "where": claim.where,
            "claim": claim.statement,
            "paper": claim.paper,
            "here": claim.ours,
            "data": claim.data,
        }
        for claim in claims
    ]
    if not sys.stdout.isatty():
        with open_output("tsv") as output:
            output.write(rows)
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("verdict", "claim", "paper", "here", "data"):
        table.add_column(name)
    for row in rows:
        verdict = Text(row["verdict"], style=STYLES.get(row["verdict"], "dim"))
        # The part before the colon is the name of the data.
        data = row["data"].partition(":")[0]
        table.add_row(verdict, row["claim"], row["paper"], row["here"], data)
    open_terminal().print(table)
