"""`addhash detect`: the language of every document, as they come."""

import os
from collections.abc import Iterator
from contextlib import closing
from typing import Annotated, Any

import typer

from addhash.cli.errors import UsageError
from addhash.cli.input.documents import Document, Documents, given
from addhash.cli.input.sources import STANDARD_INPUT
from addhash.cli.model_files import load_classifier
from addhash.cli.options.arguments import OptionalDocumentsArgument, TextOption
from addhash.cli.options.reading import ReadOptions
from addhash.cli.options.writing import WriteOptions
from addhash.cli.output.answer_columns import RENAME, free_names, opened_beside, shows_texts
from addhash.cli.output.progress import watched
from addhash.cli.output.rows import file_format
from addhash.cli.output.targets import check_target
from addhash.cli.output.terminal import is_watched


def detect(
    documents: OptionalDocumentsArgument = None,
    text: TextOption = None,
    languages: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="The languages to choose from, by ISO 639-1 or 639-3 code or by name, separated"
            " by commas.",
            show_default="all",
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many of the likeliest languages to write.")
    ] = 1,
    segments: Annotated[
        bool,
        typer.Option(help="Write one row for each part of a document that is in one language."),
    ] = False,
    threshold: Annotated[
        float,
        typer.Option(
            metavar="P",
            min=0,
            max=1,
            help="Write und, for undetermined, if the probability is lower.",
        ),
    ] = 0.1,
    groups: Annotated[
        bool,
        typer.Option(
            help="Tell groups apart, such as Serbo-Croatian, rather than their languages."
        ),
    ] = False,
    uniform: Annotated[
        bool,
        typer.Option(help="Do not prefer languages that are met often in short texts."),
    ] = False,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="A model saved by addhash languages save and taught more.",
            show_default="the built-in one",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            metavar="NAME",
            help="The name of the language column; NAME_probability goes with it.",
            show_default="language, probability",
        ),
    ] = None,
    *,
    writing: WriteOptions,
    reading: ReadOptions,
) -> None:
    """Detect the language of documents: one output row each, in order, as soon as it is known.

    All input columns are kept, and two are added: the language, an ISO 639-3 code, and its
    probability. Both are empty for a text without letters. A terminal also shows the language's
    name, and the text instead of all columns. Memory does not grow with the input.

    Example:

        addhash detect messages.csv -o languages.csv
        addhash detect "Buongiorno a tutti"
    """
    if segments and top > 1:
        raise UsageError("--segments and --top cannot be combined. Give only one of them.")
    if segments and groups:
        raise UsageError("--segments and --groups cannot be combined. Give only one of them.")
    if documents is not None and text is None and _is_text(documents):
        text, documents = [" ".join(documents.splitlines())], None
    asked = given(documents, text)
    if writing.output is not None:
        file_format(writing.output, writing.output_format, is_copy=True)
        check_target(writing.output, [documents, model])
    is_table = writing.output is None and is_watched(writing.output_format)
    keep = () if shows_texts(writing) else writing.kept
    added = ["probability", *(["start", "end"] if segments else ["name"] if is_table else [])]
    for i in range(2, top + 1):
        added += [f"language_{i}", f"probability_{i}"]
    how = {
        "languages": None if languages is None else _listed(languages),
        "threshold": threshold,
        "prior": "uniform" if uniform else "usual",
        **({"level": "group"} if groups else {}),
        "model": None if model is None else load_classifier(model),
    }
    ask = _segments if segments else _languages
    with closing(Documents(asked, reading, keep=keep)) as source:
        names = free_names(["language", *added], source, keep, "predicted_", name, RENAME)
        rounded = [names[column] for column in added if column.startswith("probability")]
        with opened_beside(
            writing, source, reading, rounded, keep=keep, is_one_each=not segments
        ) as rows:
            for batch in watched(source, "Detecting", is_streaming=writing.output is None):
                rows.write(ask(batch, names, top, is_table, how))


def _is_text(argument: str) -> bool:
    """Return whether an argument is a text rather than the name of a file."""
    if argument == STANDARD_INPUT or os.path.exists(argument):
        return False
    return " " in argument.strip() or not set("./\\") & set(argument)


def _listed(languages: str) -> list[str]:
    return [name.strip() for name in languages.split(",")]


def _languages(
    batch: list[Document], names: dict[str, str], top: int, is_table: bool, how: dict[str, Any]
) -> Iterator[tuple[Document, dict[str, Any]]]:
    from addhash.languages import detect as languages_of

    answers: Any = languages_of([document.text for document in batch], top=top, **how)
    for document, answer in zip(batch, answers, strict=True):
        found = [] if answer is None else [answer] if top == 1 else answer
        row: dict[str, Any] = {}
        for i in range(top):
            suffix = f"_{i + 1}" if i else ""
            detection = found[i] if i < len(found) else None
            row[names[f"language{suffix}"]] = detection and detection.code
            row[names[f"probability{suffix}"]] = detection and detection.probability
            if is_table and top == 1:
                row[names["name"]] = detection and detection.name
        yield document, row


def _segments(
    batch: list[Document], names: dict[str, str], top: int, is_table: bool, how: dict[str, Any]
) -> Iterator[tuple[Document, dict[str, Any]]]:
    from addhash.languages import segments as segments_of

    for document in batch:
        for part in segments_of(document.text, **how):
            text = document.text[part.start : part.end]
            row = {
                names["start"]: part.start,
                names["end"]: part.end,
                names["language"]: part.code,
                names["probability"]: part.probability,
            }
            yield document._replace(text=text), row
