"""`addhash evaluate`: how often a model is right, class by class."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from math import isnan
from typing import Annotated, Any, NamedTuple

import typer

import addhash
from addhash.cli.errors import CommandError, UsageError
from addhash.cli.input.documents import Document, Documents, in_lots
from addhash.cli.model_files import load_classifier, text_columns_of
from addhash.cli.options.arguments import ModelArgument, output_option
from addhash.cli.options.reading import LabelOptions, ReadOptions
from addhash.cli.options.rejection import RejectionOptions
from addhash.cli.options.writing import ColumnOptions, ShowOptions
from addhash.cli.output.answer_columns import free_names
from addhash.cli.output.evaluation import measures, show_evaluation
from addhash.cli.output.progress import watched
from addhash.cli.output.rows import Output, file_format, open_file, open_output
from addhash.cli.output.targets import check_target
from addhash.cli.output.terminal import is_watched

NAMED_LABELS = 5  # unknown labels in an error
SHOWN_SUSPECTS = 20  # on a terminal
FIGURES = ("predicted_score", "predicted_margin")
ANSWERED = ("true_label", "predicted_label", *FIGURES)


def evaluate(
    model: ModelArgument,
    documents: Annotated[
        str, typer.Argument(metavar="TEST", help="Documents with labels, as for addhash fit.")
    ],
    pairs: Annotated[
        int, typer.Option(metavar="N", help="How many confused pairs to show.", min=0)
    ] = 10,
    leave_one_out: Annotated[
        bool,
        typer.Option(
            help="TEST is what the model learnt: answer each document as if the model had never"
            " seen it."
        ),
    ] = False,
    suspects: Annotated[
        bool,
        typer.Option(
            help="TEST is what the model learnt: list the documents whose label the others"
            " contradict, the surest first, instead of the measures."
        ),
    ] = False,
    output: Annotated[
        str | None,
        output_option("With --suspects, write them to a .csv, .tsv, .jsonl or .xlsx file."),
    ] = None,
    mistakes: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the misclassified documents to a .csv, .tsv, .jsonl or .xlsx file, with"
            " their columns, their position, the wrong label, its score and margin.",
        ),
    ] = None,
    max_error: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            min=0,
            max=1,
            help="Also find the lowest --reject-below with at most this share of wrong answers,"
            " such as 0.05.",
        ),
    ] = None,
    allow_unknown: Annotated[
        bool,
        typer.Option(
            help="Count documents whose label the model does not know as wrong, instead of"
            " stopping."
        ),
    ] = False,
    *,
    rejection: RejectionOptions,
    showing: ShowOptions,
    keeping: ColumnOptions,
    labelling: LabelOptions,
    reading: ReadOptions,
) -> None:
    """Show how often a model is right: accuracy, each class, and the most confused pairs.

    It also shows what rejecting would cost: for some thresholds, the share of documents that would
    get no label, and the error rate of the others. A rejected text counts as wrong in the accuracy,
    and so does a text of nothing but white space, which gets no label. A row without a label is
    refused; --on-bad-rows skip leaves it out.
    In a pipe, there is one row per measure, with the columns measure, class, answer, value and
    documents. Memory grows by about 200 bytes per document.

    Example:

        addhash evaluate languages.model test.csv --mistakes wrong.csv
        addhash evaluate languages.model train.csv --leave-one-out --max-error 0.05
        addhash evaluate languages.model train.csv --suspects -o doubtful.csv
    """
    if output is not None and not suspects:
        raise UsageError("--output goes with --suspects; for mistakes there is --mistakes FILE.")
    if suspects and mistakes is not None:
        raise UsageError("--suspects lists what --mistakes would: give one of them.")
    for target in (mistakes, output):
        if target is not None:
            file_format(target, None)
            check_target(target, [model, documents, labelling.labels])
    classifier = load_classifier(model, documents)
    if not suspects:
        classifier = rejection.applied(classifier)
    keep = keeping.kept if suspects or mistakes is not None else ()
    usual = text_columns_of(classifier)
    source = Documents(documents, reading, labelling, "needed", keep, usual=usual)
    places = [f"at_{name}" for name in source.places]
    names = free_names([*places, *ANSWERED], source, keep, "evaluated_")
    known = None if allow_unknown else {str(label) for label in classifier.classes_.tolist()}
    if suspects:
        rows = _suspects(classifier, source, known, names)
        if output is not None:
            with _opened(output, source, keeping, names) as file:
                file.write(rows)
            return
        most = SHOWN_SUSPECTS if is_watched(showing.output_format) else None
        with open_output(showing.output_format) as shown:
            shown.write(rows[:most])
        return
    shows_table = is_watched(showing.output_format)
    answers: list[_Answer] = []
    with nullcontext() if mistakes is None else _opened(mistakes, source, keeping, names) as wrong:
        for batch, found in _answered(classifier, source, leave_one_out, known):
            answers += found
            if wrong is not None:
                both = zip(batch, found, strict=True)
                wrong.write([_row(source, d, a, names) for d, a in both if a.is_wrong])
    truths, labels, scores, margins = zip(*answers, strict=True)
    evaluation = addhash.Evaluation(truths, labels, scores, margins=margins)
    if shows_table:
        show_evaluation(evaluation, pairs, max_error)
        return
    with open_output(showing.output_format) as out:
        out.write(measures(evaluation, pairs, max_error))


class _Answer(NamedTuple):
    """What was answered for a document."""

    truth: str
    label: str | None
    score: float
    margin: float | None

    @property
    def is_wrong(self) -> bool:
        return self.label != self.truth


def _answered(
    classifier: Any, source: Documents, leave_one_out: bool, known: set[str] | None
) -> Iterator[tuple[list[Document], list[_Answer]]]:
    """Yield documents and how they are labelled, perhaps as if they had never been learnt."""
    batches = watched(source, "Evaluating")
    for batch in in_lots(batches) if leave_one_out else batches:
        _check_known(source, batch, known)
        texts = [document.text for document in batch]
        truths = [str(document.label) for document in batch]
        if leave_one_out:
            found = classifier.leave_one_out(texts, [document.label for document in batch])
            answers: Iterable[tuple[Any, float, Any]] = zip(
                found.answers, found.scores.tolist(), found.margins.tolist(), strict=True
            )
        else:
            answers = ((a.label, a.score, a.margin) for a in classifier.predict_scores(texts, 1))
        # There is nothing to tell from an empty text, as in predict.
        answers = (
            answer if text and not text.isspace() else (None, 0.0, None)
            for text, answer in zip(texts, answers, strict=True)
        )
        yield (
            batch,
            [
                _Answer(
                    truth,
                    None if label is None else str(label),
                    score,
                    None if margin is None or isnan(margin) else margin,
                )
                for truth, (label, score, margin) in zip(truths, answers, strict=True)
            ],
        )


def _check_known(source: Documents, batch: list[Document], known: set[str] | None) -> None:
    """Refuse labels that the model does not know: every answer would be wrong."""
    if known is None:
        return
    unknown = sorted({str(document.label) for document in batch} - known)
    if unknown:
        source.close()
        named = ", ".join(map(repr, unknown[:NAMED_LABELS]))
        more = ", ..." if len(unknown) > NAMED_LABELS else ""
        some = ", ".join(map(repr, sorted(known)[:NAMED_LABELS]))
        raise CommandError(
            f"The model does not know the label{'s' * (len(unknown) > 1)} {named}{more}; it knows"
            f" {some}{', ...' if len(known) > NAMED_LABELS else ''}. Is this the right model, and"
            " the right label column? --allow-unknown counts such documents as wrong."
        )


def _suspects(
    classifier: Any, source: Documents, known: set[str] | None, names: dict[str, str]
) -> list[dict[str, Any]]:
    """Return the documents whose label the others contradict, the surest first."""
    classifier.set_params(reject_below=None, reject_margin=None)
    found: list[tuple[float, dict[str, Any]]] = []
    for batch, answers in _answered(classifier, source, True, known):
        for document, answer in zip(batch, answers, strict=True):
            if answer.label is not None and answer.is_wrong:
                sure = answer.score if answer.margin is None else answer.margin
                found.append((sure, _row(source, document, answer, names)))
    return [row for _, row in sorted(found, key=lambda entry: -entry[0])]


def _opened(
    path: str, source: Documents, keeping: ColumnOptions, names: dict[str, str]
) -> AbstractContextManager[Output]:
    details: dict[str, Any] = {"rounded": [names[name] for name in FIGURES]}
    if file_format(path, None) == "csv" and source.delimiter:
        details["delimiter"] = source.delimiter
    return open_file(path, None, keeping, **details)


def _row(
    source: Documents, document: Document, answer: _Answer, names: dict[str, str]
) -> dict[str, Any]:
    """Return a document with its columns and its place, and what was answered."""
    row: dict[str, Any] = dict(document.kept)
    if not source.has_columns:
        row["text"] = document.text
    row |= {names[f"at_{name}"]: number for name, number in source.place(document).items()}
    answered = (document.label, answer.label or "", answer.score, answer.margin)
    return row | {names[name]: value for name, value in zip(ANSWERED, answered, strict=True)}
