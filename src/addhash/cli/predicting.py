"""`addhash predict`: a label for every document, as they come."""

import sys
from typing import Annotated, Any

import typer

from addhash.cli import options as use
from addhash.cli.models import load_classifier
from addhash.cli.progress import watched
from addhash.cli.reading import Document, Documents
from addhash.cli.writing import open_output

__all__ = ["predict"]


def predict(
    model: use.Model,
    documents: use.In,
    output: use.Output = None,
    output_format: use.OutputFormat = None,
    labels_only: Annotated[
        bool, typer.Option("--labels-only", help="Write labels without scores; this is faster.")
    ] = False,
    keep_text: Annotated[
        bool, typer.Option("--keep-text", help="Write the texts too; a terminal shows them always.")
    ] = False,
    text_column: use.TextColumn = None,
    input_format: use.InputFormat = None,
    header: use.Header = True,
    encoding: use.Encoding = "utf-8",
    errors: use.Handling = "strict",
) -> None:
    """Label documents: a line of output for each, in order, as soon as it comes.

    The columns are the label, its score (the cosine with what it was compared with), and the
    margin over the best other label. The label is empty where the model rejects.

    Example:

        addhash predict languages.model news.txt --format jsonl
    """
    reading = use.reading_of(text_column, None, None, input_format, header, encoding, errors)
    classifier = load_classifier(model)
    source = Documents(documents, reading)
    is_shown = output is None and sys.stdout.isatty()
    shows_text = keep_text or (is_shown and output_format in (None, "table"))
    with open_output(output, output_format) as rows:
        for batch in watched(source, "Predicting", is_quiet=is_shown):
            rows.write(_answers(classifier, batch, labels_only, shows_text))


def _answers(
    classifier: Any, batch: list[Document], labels_only: bool, shows_text: bool
) -> list[dict[str, Any]]:
    texts = [document.text for document in batch]
    answers: list[dict[str, Any]]
    if labels_only:
        answers = [{"label": label} for label in classifier.predict(texts).tolist()]
    else:
        answers = [
            {"label": answer.label, "score": answer.score, "margin": answer.margin}
            for answer in classifier.predict_scores(texts, n_nearest=1)
        ]
    if shows_text:
        for answer, text in zip(answers, texts, strict=True):
            answer["text"] = text
    return answers
