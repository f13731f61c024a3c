"""`addhash evaluate`: how often a model is right, class by class."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import typer

from addhash.cli import options as use
from addhash.cli.commands.lots import in_lots
from addhash.cli.commands.models import load_classifier
from addhash.cli.commands.rejection import Rejection, Tradeoff, tradeoffs
from addhash.cli.errors import UsageError
from addhash.cli.input.documents import Document, Documents
from addhash.cli.input.reading import Labelling, Reading
from addhash.cli.output.progress import watched
from addhash.cli.output.rows import Output, file_format, open_file, open_output
from addhash.cli.output.targets import check_target
from addhash.cli.output.terminal import is_watched, open_terminal, shown
from addhash.cli.output.writing import Keeping, Showing

__all__ = ["Confusion", "Evaluation", "evaluate"]


@dataclass
class Confusion:
    """How often each class was mistaken for which.

    >>> confusion = Confusion()
    >>> confusion.add(["a", "a", "b"], ["a", "b", "b"])
    >>> confusion.accuracy
    0.6666666666666666
    >>> confusion.confused(1)
    [('a', 'b', 1)]
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, truths: list[str], answers: list[str]) -> None:
        """Count answers and the truth."""
        self.counts.update(zip(truths, answers, strict=True))

    @property
    def total(self) -> int:
        """The number of documents."""
        return self.counts.total()

    @property
    def right(self) -> int:
        """The number of right answers."""
        return sum(count for (truth, answer), count in self.counts.items() if truth == answer)

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return self.right / self.total

    def classes(self) -> list[dict[str, Any]]:
        """Return the documents, precision, recall and F1 of each class that occurs."""
        true: Counter[str] = Counter()
        given: Counter[str] = Counter()
        for (truth, answer), count in self.counts.items():
            true[truth] += count
            given[answer] += count
        rows = []
        for name in sorted(true | given):
            right = self.counts[name, name]
            rows.append(
                {
                    "class": name,
                    "documents": true[name],
                    "precision": right / given[name] if given[name] else 0.0,
                    "recall": right / true[name] if true[name] else 0.0,
                    "f1": 2 * right / (true[name] + given[name]),
                }
            )
        return rows

    def confused(self, most: int) -> list[tuple[str, str, int]]:
        """Return the pairs (true, given) that were confused most, with their counts."""
        wrong = [(*pair, count) for pair, count in self.counts.items() if pair[0] != pair[1]]
        return sorted(wrong, key=lambda row: (-row[2], row))[:most]


@dataclass
class Evaluation:
    """What is counted while documents are answered."""

    confusion: Confusion = field(default_factory=Confusion)
    scores: list[float] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)
    is_right: list[bool] = field(default_factory=list)

    def add(self, truths: list[str], answers: list[Any], labels: list[str]) -> None:
        """Count answers and their labels, which are empty if rejected."""
        self.confusion.add(truths, labels)
        for truth, answer, label in zip(truths, answers, labels, strict=True):
            # Texts already rejected are not part of the trade-off.
            if label:
                self.scores.append(answer.score)
                self.margins.append(0.0 if answer.margin is None else answer.margin)
                self.is_right.append(truth == label)

    def tradeoffs(self) -> dict[str, list[Tradeoff]]:
        """Return what rejecting more would cost, by score and by margin."""
        return {
            "reject-below": tradeoffs(self.scores, self.is_right),
            "reject-margin": tradeoffs(self.margins, self.is_right),
        }


def evaluate(
    model: use.Model,
    documents: Annotated[
        str, typer.Argument(metavar="TEST", help="Documents with labels, as for addhash fit.")
    ],
    pairs: Annotated[
        int, typer.Option(metavar="N", help="How many confused pairs to show.", min=0)
    ] = 10,
    leave_one_out: Annotated[
        bool,
        typer.Option(
            "--leave-one-out",
            help="TEST is what the model learnt: answer each document as if the model had never"
            " seen it.",
            show_default=False,
        ),
    ] = False,
    mistakes: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the misclassified documents to a .csv, .tsv, .jsonl or .xlsx file, with"
            " their columns, their position, the wrong label, its score and margin.",
        ),
    ] = None,
    *,
    rejection: Rejection,
    showing: Showing,
    keeping: Keeping,
    labelling: Labelling,
    reading: Reading,
) -> None:
    """Show how often a model is right: accuracy, each class, and the most confused pairs.

    It also shows what rejecting would cost: for some thresholds, the share of documents that would
    get no label, and the error rate of the others. A rejected text counts as wrong in the accuracy.
    In a pipe, there is one row per measure, with the columns measure, class, answer, value and
    documents. Memory grows by about 100 bytes per document.

    Example:

        addhash evaluate languages.model test.csv --mistakes wrong.csv
        addhash evaluate languages.model train.csv --leave-one-out
    """
    if mistakes is not None:
        file_format(mistakes, None)
        check_target(mistakes, [model, documents, labelling.labels])
    shows_table = is_watched(showing.output_format)
    if leave_one_out and rejection.reject_margin is not None:
        raise UsageError("--leave-one-out has no margins: use --reject-below.")
    classifier = rejection.applied(load_classifier(model, documents))
    keep = () if mistakes is None else keeping.kept
    source = Documents(documents, reading, labelling, "needed", keep)
    evaluation = Evaluation()
    with _opened(mistakes, source, keeping) as wrong:
        batches = watched(source, "Evaluating")
        for batch in in_lots(batches) if leave_one_out else batches:
            if leave_one_out:
                answers = _without(classifier, batch)
            else:
                texts = [document.text for document in batch]
                answers = classifier.predict_scores(texts, n_nearest=1)
            labels = ["" if answer.label is None else str(answer.label) for answer in answers]
            truths = [str(document.label) for document in batch]
            evaluation.add(truths, answers, labels)
            if wrong is not None:
                wrong.write(_mistakes(source, batch, answers, labels))
    if shows_table:
        _show(evaluation, pairs)
        return
    with open_output(showing.output_format) as output:
        output.write(_rows(evaluation, pairs))


class _Answer(NamedTuple):
    """What is known about a document that was left out."""

    label: Any
    score: float
    margin: float | None = None


def _without(classifier: Any, batch: list[Document]) -> list[Any]:
    """Return how each learnt document would be labelled had it never been learnt."""
    found = classifier.leave_one_out(
        [document.text for document in batch], [document.label for document in batch]
    )
    below = classifier.reject_below
    return [
        _Answer(None if below is not None and score < below else label, score)
        for label, score in zip(found.predicted.tolist(), found.scores.tolist(), strict=True)
    ]


@contextmanager
def _opened(path: str | None, source: Documents, keeping: Keeping) -> Iterator[Output | None]:
    if path is None:
        yield None
        return
    details: dict[str, Any] = {"rounded": ["predicted_score", "predicted_margin"]}
    if file_format(path, None) == "csv" and source.delimiter:
        details["delimiter"] = source.delimiter
    with open_file(path, None, keeping, **details) as output:
        yield output


def _mistakes(
    source: Documents, batch: list[Document], answers: list[Any], labels: list[str]
) -> list[dict[str, Any]]:
    rows = []
    for document, answer, label in zip(batch, answers, labels, strict=True):
        if label == document.label:
            continue
        row: dict[str, Any] = dict(document.kept)
        if not source.has_columns:
            row["text"] = document.text
        row |= {f"at_{name}": number for name, number in source.place(document).items()}
        row |= {
            "true_label": document.label,
            "predicted_label": label,
            "predicted_score": answer.score,
            "predicted_margin": answer.margin,
        }
        rows.append(row)
    return rows


def _rows(evaluation: Evaluation, pairs: int) -> list[dict[str, Any]]:
    def row(measure: str, name: str, answer: str, value: float, documents: int) -> dict[str, Any]:
        return {
            "measure": measure,
            "class": name,
            "answer": answer,
            "value": value,
            "documents": documents,
        }

    confusion = evaluation.confusion
    rows = [row("accuracy", "", "", confusion.accuracy, confusion.total)]
    classes = confusion.classes()
    for measure in ("precision", "recall", "f1"):
        rows += [row(measure, c["class"], "", c[measure], c["documents"]) for c in classes]
    for name, found in evaluation.tradeoffs().items():
        for t in found:
            rows.append(
                row(f"error with {name}", "", f"{t.threshold:.4f}", t.wrong / t.kept, t.kept)
            )
    for truth, answer, count in confusion.confused(pairs):
        rows.append(row("confused", truth, answer, count / confusion.total, count))
    return rows


def _show(evaluation: Evaluation, pairs: int) -> None:
    from rich.table import Table

    confusion = evaluation.confusion
    console = open_terminal()
    console.print(
        f"Accuracy {confusion.accuracy:.2%}: {confusion.right:,} of {confusion.total:,} right",
        style="bold",
    )
    classes = Table(
        "class", *_right("documents", "precision", "recall", "F1"), box=None, pad_edge=False
    )
    for row in confusion.classes():
        figures = (f"{row[name]:.2%}" for name in ("precision", "recall", "f1"))
        classes.add_row(shown(row["class"]) or "(rejected)", f"{row['documents']:,}", *figures)
    console.print(classes)
    confused = confusion.confused(pairs)
    if confused:
        table = Table("most confused", "taken for", *_right("times"), box=None, pad_edge=False)
        for truth, answer, count in confused:
            table.add_row(shown(truth), shown(answer) or "(rejected)", f"{count:,}")
        console.print()
        console.print(table)
    _show_tradeoffs(console, evaluation)


def _show_tradeoffs(console: Any, evaluation: Evaluation) -> None:
    from rich.table import Column, Table

    answered = len(evaluation.is_right)
    if not answered or all(evaluation.is_right):
        return
    error = 1 - sum(evaluation.is_right) / answered
    console.print(f"\nRejecting doubtful texts: {error:.2%} of all answers are wrong", style="bold")
    for name, found in evaluation.tradeoffs().items():
        if found:
            table = Table(
                Column(f"--{name}", justify="right", min_width=15),
                *_right("rejected", "wrong among the rest"),
                box=None,
                pad_edge=False,
            )
            for t in found:
                share = t.rejected / (t.rejected + t.kept)
                table.add_row(f"{t.threshold:.4f}", f"{share:.1%}", f"{t.wrong / t.kept:.2%}")
            console.print(table)
            console.print()


def _right(*names: str) -> list[Any]:
    from rich.table import Column

    return [Column(name, justify="right") for name in names]
