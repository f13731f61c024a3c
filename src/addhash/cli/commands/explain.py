"""`addhash explain`: why a text gets its label."""

from typing import Annotated, Any

import typer

from addhash.cli import options as use
from addhash.cli.commands.models import load_classifier
from addhash.cli.errors import CommandError, check_text
from addhash.cli.input.documents import Documents, read_text
from addhash.cli.input.reading import Reading
from addhash.cli.input.sources import STANDARD_INPUT
from addhash.cli.output.rows import open_output
from addhash.cli.output.shares import show_legend, show_shares
from addhash.cli.output.tables import fit_cells
from addhash.cli.output.terminal import is_watched, open_terminal, shown
from addhash.cli.output.writing import Showing

__all__ = ["explain"]


def explain(
    model: use.Model,
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT",
            help="The text to explain; - reads it from standard input. With --row, a file.",
        ),
    ],
    row: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Explain document N of the file, counting from 1 without the header.",
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(metavar="N", help="How many tokens to show, the strongest first.", min=1)
    ] = 10,
    nearest: Annotated[
        int, typer.Option(metavar="N", help="How many of the nearest examples to show.", min=1)
    ] = 3,
    *,
    showing: Showing,
    reading: Reading,
) -> None:
    """Show why a text gets its label: what its tokens add to the score and to the margin.

    The score is a sum over the text's tokens, and so is the margin over the best other label, the
    runner-up. On a terminal, parts that point to the label are green and parts that point to the
    runner-up red; without colours, there are marks below them. In a pipe, rows have the columns
    what (answer, runner-up, token or nearest), label, text, times, score and margin.

    Example:

        addhash explain languages.model "Where is the station?"
    """
    shows_table = is_watched(showing.output_format)
    classifier = load_classifier(model, text if row is not None else None)
    if row is not None:
        text = _text_of(text, row, reading)
    elif text == STANDARD_INPUT:
        text = read_text(text, reading)
    else:
        check_text(text)
    explanation = classifier.explain(text, n_nearest=nearest)
    if shows_table:
        _show(explanation, top)
        return
    with open_output(showing.output_format) as output:
        output.write(_rows(explanation, top))


def _text_of(path: str, wanted: int, reading: Reading) -> str:
    source = Documents(path, reading)
    for batch in source:
        for document in batch:
            if document.record == wanted:
                source.close()
                return document.text
    raise CommandError(
        f"{path} has no document {wanted:,} to explain; {source.count:,} were read. They are"
        " counted from 1, without the header."
    )


def _rows(explanation: Any, top: int) -> list[dict[str, Any]]:
    def row(
        what: str, label: Any, text: str | None, times: int | None, score: Any, margin: Any
    ) -> dict[str, Any]:
        return {
            "what": what,
            "label": label,
            "text": text,
            "times": times,
            "score": score,
            "margin": margin,
        }

    why = explanation
    rows = [row("answer", why.label, why.text, None, why.score, why.margin)]
    if why.runner_up is not None:
        score = why.score - why.margin
        rows.append(row("runner-up", why.runner_up, None, None, score, None))
    rows += [
        row("token", None, share.token, share.occurrences, share.score, share.margin)
        for share in why.strongest(top)
    ]
    rows += [row("nearest", near.label, near.text, None, near.score, None) for near in why.nearest]
    return rows


def _show(explanation: Any, top: int) -> None:
    """Show a text in colours, its strongest tokens, and the nearest examples."""
    from rich.table import Column, Table

    console = open_terminal()
    show_shares(console, explanation)
    show_legend(console, explanation)
    table = Table(
        "token",
        Column("times", justify="right"),
        Column("score", justify="right"),
        Column("margin", justify="right"),
        box=None,
        pad_edge=False,
    )
    for share in explanation.strongest(top):
        margin = "" if share.margin is None else f"{share.margin:+.4f}"
        token = fit_cells(shown(repr(share.token)), max(10, console.width - 32))
        table.add_row(token, str(share.occurrences), f"{share.score:+.4f}", margin)
    console.print()
    console.print(table)
    if any(near.text is not None for near in explanation.nearest):
        console.print("\nThe nearest examples", style="bold")
        for near in explanation.nearest:
            line = shown(f"{near.score:.4f}  {near.label}: {near.text}")
            console.print("  " + fit_cells(line, console.width - 2), soft_wrap=True)
