"""An evaluation as rows of measures, and as tables on a terminal."""

from math import isnan
from typing import Any

from addhash.cli.output.terminal import open_terminal, shown

THRESHOLDS = {"reject-below": "scores", "reject-margin": "margins"}


def measures(evaluation: Any, pairs: int, error: float | None) -> list[dict[str, Any]]:
    """Return one row per measure, for a pipe."""

    def row(measure: str, name: str, answer: str, value: Any, documents: int) -> dict[str, Any]:
        value = None if isinstance(value, float) and isnan(value) else value
        return {
            "measure": measure,
            "class": name,
            "answer": answer,
            "value": value,
            "documents": documents,
        }

    total = len(evaluation)
    rows = [row("accuracy", "", "", evaluation.accuracy, total)]
    classes = evaluation.per_class()
    for measure in ("precision", "recall", "f1"):
        rows += [row(measure, c.label, "", getattr(c, measure), c.support) for c in classes]
    rows.append(row("calibration error", "", "", evaluation.calibration_error(), total))
    for name, by in THRESHOLDS.items():
        rows += [
            row(
                f"error with {name}",
                "",
                f"{point.threshold:.4f}",
                1 - point.accuracy,
                round(point.coverage * total),
            )
            for point in evaluation.thresholds(by)
        ]
    if error is not None and (point := evaluation.threshold_for(error)) is not None:
        kept = round(point.coverage * total)
        rows.append(row("reject-below for the error", "", "", point.threshold, kept))
    for truth, answer, count in evaluation.confused(pairs):
        rows.append(row("confused", truth, answer or "", count / total, count))
    return rows


def show_evaluation(evaluation: Any, pairs: int, error: float | None) -> None:
    """Show all figures on a terminal."""
    from rich.table import Table

    console = open_terminal()
    console.print(
        f"Accuracy {evaluation.accuracy:.2%}: {evaluation.right:,} of {len(evaluation):,} right",
        style="bold",
    )
    classes = Table(
        "class", *_right("documents", "precision", "recall", "F1"), box=None, pad_edge=False
    )
    for report in evaluation.per_class():
        figures = ("" if isnan(value) else f"{value:.2%}" for value in report[1:4])
        classes.add_row(shown(report.label), f"{report.support:,}", *figures)
    if evaluation.unanswered:
        classes.add_row("(rejected)", f"{evaluation.unanswered:,}")
    console.print(classes)
    confused = evaluation.confused(pairs)
    if confused:
        table = Table("most confused", "taken for", *_right("times"), box=None, pad_edge=False)
        for truth, answer, count in confused:
            name = "(rejected)" if answer is None else shown(answer)
            table.add_row(shown(truth), name, f"{count:,}")
        console.print()
        console.print(table)
    _show_rejection(console, evaluation, error)


def _show_rejection(console: Any, evaluation: Any, error: float | None) -> None:
    from rich.table import Column, Table

    points = evaluation.rejection()
    wrong = 1 - points[-1].accuracy if points else 0.0
    if wrong:
        console.print(
            f"\nRejecting doubtful texts: {wrong:.2%} of all answers are wrong", style="bold"
        )
        for name, by in THRESHOLDS.items():
            found = evaluation.thresholds(by)
            if found:
                table = Table(
                    Column(f"--{name}", justify="right", min_width=15),
                    *_right("rejected", "wrong among the rest"),
                    box=None,
                    pad_edge=False,
                )
                for point in found:
                    rejected = 1 - point.coverage / points[-1].coverage
                    figures = f"{rejected:.1%}", f"{1 - point.accuracy:.2%}"
                    table.add_row(f"{point.threshold:.4f}", *figures)
                console.print(table)
                console.print()
    if error is not None:
        console.print(_advice(evaluation, error))


def _advice(evaluation: Any, error: float) -> str:
    point = evaluation.threshold_for(error)
    if point is None:
        return f"No threshold leaves at most {error:.2%} of the answers wrong."
    return (
        f"For at most {error:.2%} wrong: --reject-below {point.threshold:.6f} leaves"
        f" {1 - point.accuracy:.2%} wrong, and {1 - point.coverage:.1%} of the texts without a"
        " label."
    )


def _right(*names: str) -> list[Any]:
    from rich.table import Column

    return [Column(name, justify="right") for name in names]
