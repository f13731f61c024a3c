"""`addhash explain`: why a text gets its label."""

import sys
from typing import Annotated, Any

import typer

from addhash.cli import options as use
from addhash.cli.models import load_classifier
from addhash.cli.reading import Reading, read_text
from addhash.cli.sources import STANDARD_INPUT
from addhash.cli.writing import open_output, open_terminal, shown

__all__ = ["explain", "show_shares"]

GREEN = (46, 160, 67)
RED = (218, 54, 51)


def explain(
    model: use.Model,
    text: Annotated[
        str,
        typer.Argument(metavar="TEXT", help="The text to explain; - reads it from standard input."),
    ],
    top: Annotated[int, typer.Option(help="How many tokens to show.", min=1)] = 10,
    output_format: use.OutputFormat = None,
    encoding: use.Encoding = "utf-8",
    errors: use.Handling = "strict",
) -> None:
    """Show why a text gets its label: what its tokens add to the score and to the margin.

    The score is a sum over the tokens of the text, and the margin over the best other label is
    one too. On a terminal, green characters speak for the label and red ones for the runner-up. In
    a pipe there is a row for each of the strongest tokens: token, occurrences, score and margin.

    Example:

        addhash explain languages.model "Where is the station?"
    """
    if text == STANDARD_INPUT:
        text = read_text(text, Reading(encoding=encoding, errors=errors))
    explanation = load_classifier(model).explain(text)
    if output_format == "table" or (output_format is None and sys.stdout.isatty()):
        show_explanation(explanation, top)
        return
    with open_output(None, output_format) as output:
        output.write([share._asdict() for share in explanation.strongest(top)])


def show_explanation(explanation: Any, top: int) -> None:
    """Show a text in colours, its strongest tokens, and what it is like."""
    from rich.table import Column, Table

    console = open_terminal()
    show_shares(console, explanation)
    table = Table(
        "token",
        Column("times", justify="right"),
        Column("score", justify="right"),
        Column("margin", justify="right"),
        box=None,
    )
    for share in explanation.strongest(top):
        margin = "" if share.margin is None else f"{share.margin:+.4f}"
        table.add_row(repr(share.token), str(share.occurrences), f"{share.score:+.4f}", margin)
    console.print()
    console.print(table)
    if any(near.text is not None for near in explanation.nearest):
        console.print("\nThe nearest examples", style="bold")
        for near in explanation.nearest:
            line = shown(f"{near.score:.4f}  {near.label}: {near.text}")
            console.print(f"  {line}", soft_wrap=True)


def show_shares(console: Any, explanation: Any, indent: str = "") -> None:
    """Show the answer, and the text with a colour for the part that each character has in it."""
    from rich.text import Text

    shares = explanation.character_margins
    if shares is None:
        shares = explanation.characters
    largest = float(abs(shares).max(initial=0)) or 1.0
    line = Text(indent)
    for character, share in zip(explanation.text, shares.tolist(), strict=True):
        line.append(shown(character), style=_style(share / largest))
    headline = f"{explanation.label}, score {explanation.score:.4f}"
    if explanation.margin is not None:
        headline += f", {explanation.margin:.4f} before {explanation.runner_up}"
    console.print(indent + shown(headline))
    console.print(line, soft_wrap=True)


def _style(strength: float) -> str:
    """Return a background from none to full green, or to full red."""
    if abs(strength) < 0.1:
        return ""
    red, green, blue = (int(c * abs(strength)) for c in (GREEN if strength > 0 else RED))
    return f"white on rgb({red},{green},{blue})"
