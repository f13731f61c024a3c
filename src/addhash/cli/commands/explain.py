"""`addhash explain`: why a text gets its label."""

import os
from typing import Annotated, Any, Literal

import typer

from addhash.cli.errors import CommandError, UsageError, check_text
from addhash.cli.input.documents import Documents, read_text
from addhash.cli.input.sources import STANDARD_INPUT
from addhash.cli.model_files import load_classifier, text_columns_of
from addhash.cli.options.arguments import ModelArgument
from addhash.cli.options.reading import ReadOptions
from addhash.cli.options.writing import ShowOptions
from addhash.cli.output.rows import open_output
from addhash.cli.output.shares import show_legend, show_shares
from addhash.cli.output.tables import fit_cells
from addhash.cli.output.terminal import is_watched, open_terminal, shown


def explain(
    model: ModelArgument,
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
        int, typer.Option(metavar="N", help="How many parts to show, the strongest first.", min=1)
    ] = 10,
    parts: Annotated[
        Literal["words", "tokens"],
        typer.Option(help="Show the shares of words, or of tokens: what is compared."),
    ] = "words",
    nearest: Annotated[
        int, typer.Option(metavar="N", help="How many of the nearest examples to show.", min=1)
    ] = 3,
    *,
    showing: ShowOptions,
    reading: ReadOptions,
) -> None:
    """Show why a text gets its label: what its words add to the evidence for it.

    Score and margin are those of predict. The evidence behind them is a sum over the text's tokens,
    plus a prior for how frequent the class is, and so is its lead over the evidence for the best
    other label, the runner-up: the rows add up to it. On a terminal, parts that point to the label
    are green and parts that point to the runner-up red; without colours, there are marks below
    them. In a pipe, rows have the columns what (answer, runner-up, word or token, others, prior or
    nearest), label, text, times, score, margin, evidence and evidence_margin.

    Example:

        addhash explain languages.model "Where is the station?"
        addhash explain languages.model "Where is the station?" --parts tokens
    """
    if row is None and text != STANDARD_INPUT and os.path.isfile(text):
        raise UsageError(
            f"{text} is a file. To explain a text in it, add --row N; to explain its name, pass -"
            " and write it to standard input."
        )
    shows_table = is_watched(showing.output_format)
    classifier = load_classifier(model, text if row is not None else None)
    if row is not None:
        text = _text_of(text, row, reading, text_columns_of(classifier))
    elif text == STANDARD_INPUT:
        text = read_text(text, reading)
    else:
        check_text(text)
    explanation = classifier.explain(text, n_nearest=nearest, parts=parts)
    if shows_table:
        _show(explanation, top)
        return
    with open_output(showing.output_format) as output:
        output.write(_rows(explanation, top))


def _text_of(path: str, wanted: int, reading: ReadOptions, usual: tuple[str, ...]) -> str:
    source = Documents(path, reading, usual=usual)
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
    def row(what: str, **values: Any) -> dict[str, Any]:
        empty = dict.fromkeys(("label", "text", "times"))
        figures = dict.fromkeys(("score", "margin", "evidence", "evidence_margin"))
        return {"what": what} | empty | figures | values

    why = explanation
    rows = [
        row(
            "answer",
            label=why.label,
            text=why.text,
            score=why.score,
            margin=why.margin,
            evidence=why.evidence,
            evidence_margin=why.evidence_margin,
        )
    ]
    if why.runner_up is not None:
        score, evidence = why.score - why.margin, why.evidence - why.evidence_margin
        rows.append(row("runner-up", label=why.runner_up, score=score, evidence=evidence))
    rows += [
        row(
            share.what,
            text=share.text or None,
            times=share.occurrences,
            evidence=share.evidence,
            evidence_margin=share.evidence_margin,
        )
        for share in why.rows(top)
    ]
    rows += [row("nearest", label=n.label, text=n.text, score=n.score) for n in why.nearest]
    return rows


def _show(explanation: Any, top: int) -> None:
    """Show a text in colours, its strongest parts, the prior, and the nearest examples."""
    from rich.table import Column, Table

    console = open_terminal()
    show_shares(console, explanation)
    show_legend(console, explanation)
    table = Table(
        explanation.parts.removesuffix("s"),
        *(Column(name, justify="right") for name in ("times", "evidence", "margin")),
        box=None,
        pad_edge=False,
    )
    for share in explanation.rows(top):
        name = {"others": "all others", "prior": "prior and bias"}.get(share.what)
        if name is None:
            name = fit_cells(shown(repr(share.text)), max(10, console.width - 32))
        margin = "" if share.evidence_margin is None else f"{share.evidence_margin:+.4f}"
        table.add_row(name, str(share.occurrences), f"{share.evidence:+.4f}", margin)
    console.print()
    console.print(table)
    if any(near.text is not None for near in explanation.nearest):
        console.print("\nThe nearest examples", style="bold")
        for near in explanation.nearest:
            line = shown(f"{near.score:.4f}  {near.label}: {near.text}")
            console.print("  " + fit_cells(line, console.width - 2), soft_wrap=True)
