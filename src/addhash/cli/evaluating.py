"""`addhash evaluate`: how often a model is right, class by class."""

import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from addhash.cli import options as use
from addhash.cli.models import load_classifier
from addhash.cli.progress import watched
from addhash.cli.reading import Documents
from addhash.cli.writing import open_output, open_terminal, shown

__all__ = ["Confusion", "evaluate"]


@dataclass
class Confusion:
    """How often each class was taken for which.

    >>> confusion = Confusion()
    >>> confusion.add(["a", "a", "b"], ["a", "b", "b"])
    >>> confusion.accuracy
    0.6666666666666666
    >>> confusion.confused(1)
    [('a', 'b', 1)]
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, truths: list[str], answers: list[str]) -> None:
        """Count answers beside what is true."""
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
        """Return documents, precision, recall and F1 of each class that occurs."""
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


def evaluate(
    model: use.Model,
    documents: Annotated[
        str, typer.Argument(metavar="TEST", help="Documents with labels, as for addhash fit.")
    ],
    pairs: Annotated[int, typer.Option(help="How many confused pairs to show.", min=0)] = 10,
    output_format: use.OutputFormat = None,
    text_column: use.TextColumn = None,
    label_column: use.LabelColumn = None,
    labels: use.Labels = None,
    input_format: use.InputFormat = None,
    header: use.Header = True,
    encoding: use.Encoding = "utf-8",
    errors: use.Handling = "strict",
) -> None:
    """Show how often a model is right: accuracy, a table of classes, the most confused pairs.

    In a pipe there is a row for each measure, with the columns measure, class, answer, value and
    documents.

    Example:

        addhash evaluate languages.model test.csv
    """
    reading = use.reading_of(
        text_column, label_column, labels, input_format, header, encoding, errors
    )
    classifier = load_classifier(model)
    source = Documents(documents, reading, "needed")
    confusion = Confusion()
    for batch in watched(source, "Evaluating"):
        answers = classifier.predict([document.text for document in batch]).tolist()
        truths = [str(document.label) for document in batch]
        confusion.add(truths, ["" if answer is None else str(answer) for answer in answers])
    if output_format == "table" or (output_format is None and sys.stdout.isatty()):
        _show(confusion, pairs)
        return
    with open_output(None, output_format) as output:
        output.write(_rows(confusion, pairs))


def _rows(confusion: Confusion, pairs: int) -> list[dict[str, Any]]:
    def row(measure: str, name: str, answer: str, value: float, documents: int) -> dict[str, Any]:
        return {
            "measure": measure,
            "class": name,
            "answer": answer,
            "value": value,
            "documents": documents,
        }

    rows = [row("accuracy", "", "", confusion.accuracy, confusion.total)]
    classes = confusion.classes()
    for measure in ("precision", "recall", "f1"):
        rows += [row(measure, c["class"], "", c[measure], c["documents"]) for c in classes]
    for truth, answer, count in confusion.confused(pairs):
        rows.append(row("confused", truth, answer, count / confusion.total, count))
    return rows


def _show(confusion: Confusion, pairs: int) -> None:
    from rich.table import Table

    console = open_terminal()
    console.print(
        f"Accuracy {confusion.accuracy:.2%}: {confusion.right:,} of {confusion.total:,} right",
        style="bold",
    )
    classes = Table("class", *_right("documents", "precision", "recall", "F1"), box=None)
    for row in confusion.classes():
        figures = (f"{row[name]:.2%}" for name in ("precision", "recall", "f1"))
        classes.add_row(shown(row["class"]) or "(rejected)", f"{row['documents']:,}", *figures)
    console.print(classes)
    confused = confusion.confused(pairs)
    if confused:
        table = Table("most confused", "taken for", *_right("times"), box=None)
        for truth, answer, count in confused:
            table.add_row(shown(truth), shown(answer) or "(rejected)", f"{count:,}")
        console.print()
        console.print(table)


def _right(*names: str) -> list[Any]:
    from rich.table import Column

    return [Column(name, justify="right") for name in names]
