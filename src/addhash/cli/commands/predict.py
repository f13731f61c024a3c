"""`addhash predict`: a label for every document, as they come."""

import os
from contextlib import closing
from dataclasses import replace
from typing import Annotated, Any

import typer

from addhash.cli.errors import UsageError, no_such_file
from addhash.cli.input.documents import Document, Documents, given
from addhash.cli.model_files import load_classifier, text_columns_of
from addhash.cli.options.arguments import ModelArgument, OptionalDocumentsArgument, TextOption
from addhash.cli.options.reading import ReadOptions
from addhash.cli.options.rejection import RejectionOptions
from addhash.cli.options.writing import WriteOptions
from addhash.cli.output.answer_columns import RENAME, free_names, opened_beside, shows_texts
from addhash.cli.output.progress import watched
from addhash.cli.output.rows import file_format
from addhash.cli.output.sheet_columns import MACROS
from addhash.cli.output.targets import check_target

FIGURES = ("score", "margin")


def predict(
    model: ModelArgument,
    documents: OptionalDocumentsArgument = None,
    text: TextOption = None,
    labels_only: Annotated[
        bool,
        typer.Option(
            help="Write only the labels, without scores or other columns, which is faster."
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
            "--name",
            metavar="NAME",
            help="The name of the label column; NAME_score and NAME_margin go with it.",
            show_default="label, score, margin",
        ),
    ] = None,
    in_place: Annotated[
        bool, typer.Option(help="Add the columns to the input file itself.")
    ] = False,
    *,
    rejection: RejectionOptions,
    writing: WriteOptions,
    reading: ReadOptions,
) -> None:
    """Label documents: one output row each, in order, as soon as it is known.

    All input columns are kept, and three are added: the label, its score, and the margin over the
    best other label. All three are empty for a text of nothing but white space, and the label if
    the text is rejected. A terminal shows the text instead of all columns. Memory does not grow
    with the input, except for the results of an .xlsx file.

    Example:

        addhash predict languages.model news.csv -o labelled.xlsx
        addhash predict languages.model --text "Where is the station?"
    """
    if nearest and labels_only:
        raise UsageError("--labels-only and --nearest cannot be combined. Give only one of them.")
    if not os.path.exists(model):
        raise no_such_file(model)
    asked = given(documents, text)
    path = asked if isinstance(asked, str) else None
    writing = _placed(path, writing, reading, in_place)
    inputs = [model] if in_place else [model, path]
    hint = "Name another file, or add the columns to it with --in-place."
    if writing.output is not None:
        file_format(writing.output, writing.output_format, is_copy=True)
        check_target(writing.output, inputs, "" if in_place else hint)
    classifier = rejection.applied(load_classifier(model, path))
    added = [] if labels_only else [*FIGURES]
    if nearest:
        added += ["runner_up"]
        for i in range(1, nearest + 1):
            added += [f"nearest_{i}", f"nearest_{i}_score", f"nearest_{i}_text"]
    usual = text_columns_of(classifier)
    is_bare = labels_only and writing.keep_columns is None and not in_place
    keep = () if is_bare or shows_texts(writing) else writing.kept
    with closing(Documents(asked, reading, keep=keep, usual=usual)) as source:
        names = free_names(["label", *added], source, keep, "predicted_", name, RENAME)
        rounded = [new for column, new in names.items() if column.endswith(FIGURES)]
        with opened_beside(writing, source, reading, rounded, keep=keep, in_place=in_place) as rows:
            for batch in watched(source, "Predicting", is_streaming=writing.output is None):
                answers = _answers(classifier, batch, labels_only, nearest, names)
                rows.write(zip(batch, answers, strict=True))


def _placed(
    documents: str | None, writing: WriteOptions, reading: ReadOptions, in_place: bool
) -> WriteOptions:
    """Return where to write; in place, that is the input, of which nothing may be lost."""
    if not in_place:
        return writing
    if documents is None:
        raise UsageError("--in-place adds columns to a file, and --text is none. Use --output.")
    if reading.where:
        raise UsageError("--in-place would lose the rows that --where leaves out. Use --output.")
    if reading.on_bad_rows == "skip" and not documents.lower().endswith((".xlsx", MACROS)):
        raise UsageError("--in-place would lose the rows that are skipped. Use --output.")
    if writing.keep_columns not in (None, "all"):
        raise UsageError("--in-place keeps all columns. Leave --keep-columns out.")
    if writing.output not in (None, documents):
        raise UsageError("--in-place writes to the input itself. Leave --output out.")
    if reading.input_format is not None or writing.output_format is not None:
        raise UsageError("--in-place goes by the extension of the file. Leave the formats out.")
    file_format(documents, None, is_copy=True)
    return replace(writing, output=documents)


def _answers(
    classifier: Any, batch: list[Document], labels_only: bool, nearest: int, names: dict[str, str]
) -> list[dict[str, Any]]:
    texts = [document.text for document in batch]
    if labels_only:
        rows = [{names["label"]: label} for label in classifier.predict(texts).tolist()]
    else:
        rows = [
            _row(answer, nearest, names)
            for answer in classifier.predict_scores(texts, n_nearest=max(nearest, 1))
        ]
    # There is nothing to tell from an empty text.
    return [
        row if text and not text.isspace() else dict.fromkeys(row)
        for row, text in zip(rows, texts, strict=True)
    ]


def _row(answer: Any, nearest: int, names: dict[str, str]) -> dict[str, Any]:
    row: dict[str, Any] = {
        names["label"]: answer.label,
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
    return row
