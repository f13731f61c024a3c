"""`addhash predict`: a label for every document, as they come."""

from contextlib import closing
from dataclasses import replace
from typing import Annotated, Any

import typer

from addhash.cli import options as use
from addhash.cli.commands.columns import Names, beside, kept_names, opened_beside
from addhash.cli.commands.models import load_classifier
from addhash.cli.commands.rejection import Rejection
from addhash.cli.errors import UsageError
from addhash.cli.input.documents import Document, Documents
from addhash.cli.input.reading import Reading
from addhash.cli.output.progress import watched
from addhash.cli.output.rows import file_format
from addhash.cli.output.targets import check_target
from addhash.cli.output.terminal import is_watched
from addhash.cli.output.writing import Writing

__all__ = ["predict"]

FIGURES = ("score", "margin")


def predict(
    model: use.Model,
    documents: use.Documents,
    labels_only: Annotated[
        bool,
        typer.Option(
            "--labels-only",
            help="Write only the labels, without scores or other columns, which is faster.",
        ),
    ] = False,
    nearest: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Also write the runner-up and the N nearest examples, with their scores and, if"
            " the model keeps them, their texts.",
        ),
    ] = 0,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The name of the label column; NAME_score and NAME_margin go with it.",
            show_default="label, score, margin",
        ),
    ] = None,
    in_place: Annotated[
        bool,
        typer.Option(
            "--in-place", help="Add the columns to the input file itself.", show_default=False
        ),
    ] = False,
    *,
    rejection: Rejection,
    writing: Writing,
    reading: Reading,
) -> None:
    """Label documents: one output row each, in order, as soon as it is known.

    All input columns are kept, and three are added: the label, its score, and the margin over the
    best other label. The label is empty if the text is rejected. A terminal shows the text instead
    of all columns. Memory does not grow with the input.

    Example:

        addhash predict languages.model news.csv -o labelled.xlsx
    """
    if nearest and labels_only:
        raise UsageError("--labels-only and --nearest cannot be combined. Give only one of them.")
    writing = _placed(documents, writing, reading, in_place)
    inputs = [model] if in_place else [model, documents]
    hint = "Name another file, or add the columns to it with --in-place."
    if writing.output is not None:
        file_format(writing.output, writing.output_format)
        check_target(writing.output, inputs, "" if in_place else hint)
    is_table = writing.output is None and is_watched(writing.output_format)
    classifier = rejection.applied(load_classifier(model, documents))
    keep = () if labels_only and writing.keep_columns is None and not in_place else writing.kept
    shows_text = is_table and writing.keep_columns is None
    added = [] if labels_only else [*FIGURES]
    if nearest:
        added += ["runner_up", *(f"nearest_{i}" for i in range(1, nearest + 1))]
    with closing(Documents(documents, reading, keep=() if shows_text else keep)) as source:
        names = Names.chosen(name, () if shows_text else kept_names(source, keep), added)
        rounded = [names[column] for column in FIGURES]
        rounded += [names[f"nearest_{i}_score"] for i in range(1, nearest + 1)]
        with opened_beside(writing, source, in_place, reading, rounded) as rows:
            for batch in watched(source, "Predicting", is_streaming=writing.output is None):
                answers = _answers(classifier, batch, labels_only, nearest, names)
                rows.write(
                    [
                        beside(d, a, is_table, shows_text)
                        for a, d in zip(answers, batch, strict=True)
                    ]
                )


def _placed(documents: str, writing: Writing, reading: Reading, in_place: bool) -> Writing:
    """Return where to write; in place, that is the input, of which nothing may be lost."""
    if not in_place:
        return writing
    if reading.where:
        raise UsageError("--in-place would lose the rows that --where leaves out. Use --output.")
    if writing.keep_columns not in (None, "all"):
        raise UsageError("--in-place keeps all columns. Leave --keep-columns out.")
    if writing.output not in (None, documents):
        raise UsageError("--in-place writes to the input itself. Leave --output out.")
    if reading.input_format is not None or writing.output_format is not None:
        raise UsageError("--in-place goes by the extension of the file. Leave the formats out.")
    file_format(documents, None)
    return replace(writing, output=documents)


def _answers(
    classifier: Any,
    batch: list[Document],
    labels_only: bool,
    nearest: int,
    names: Names,
) -> list[dict[str, Any]]:
    texts = [document.text for document in batch]
    if labels_only:
        return [{names.label: label} for label in classifier.predict(texts).tolist()]
    rows = []
    for answer in classifier.predict_scores(texts, n_nearest=max(nearest, 1)):
        row: dict[str, Any] = {
            names.label: answer.label,
            names["score"]: answer.score,
            names["margin"]: answer.margin,
        }
        if nearest:
            row[names["runner_up"]] = answer.runner_up
            for i, near in enumerate(answer.nearest[:nearest], 1):
                row[names[f"nearest_{i}"]] = near.label
                row[names[f"nearest_{i}_score"]] = near.score
                if near.text is not None:
                    row[names[f"nearest_{i}_text"]] = near.text
        rows.append(row)
    return rows
