"""`addhash dedupe tune`: what each threshold would find."""

from typing import Annotated, Any

import typer

from addhash.cli.input.documents import Documents
from addhash.cli.options.arguments import DocumentsArgument
from addhash.cli.options.reading import ReadOptions
from addhash.cli.options.similarity import SimilarityOptions
from addhash.cli.options.writing import ShowOptions
from addhash.cli.output.progress import watched
from addhash.cli.output.rows import open_output
from addhash.cli.output.tables import fit_cells
from addhash.cli.output.terminal import is_watched, open_terminal, shown

__all__ = ["tune"]

STEP = 0.05
NO_PAIR = {"similarity": None, "left": None, "right": None}


def tune(
    documents: DocumentsArgument,
    lowest: Annotated[
        float,
        typer.Option("--from", metavar="T", min=0.05, max=1.0, help="The lowest threshold to try."),
    ] = 0.5,
    examples: Annotated[
        int, typer.Option(metavar="N", min=0, help="How many pairs to show at each level.")
    ] = 1,
    *,
    similarity: SimilarityOptions,
    showing: ShowOptions,
    reading: ReadOptions,
) -> None:
    """Show what each threshold would find, with examples, to choose one.

    Texts are compared once, at the lowest threshold; all others follow from that. For each
    threshold, the output has the number of pairs at least as similar, the number of documents that
    would be dropped, and pairs that are just similar enough. Texts are kept in memory.

    Example:

        addhash dedupe tune messages.csv
    """
    import addhash

    texts = [d.text for batch in watched(Documents(documents, reading), "Reading") for d in batch]
    found = addhash.find_duplicates(texts, **similarity.parameters | {"threshold": lowest})
    rows = [
        {"threshold": level, "pairs": at.n_pairs, "left_out": int((~at.keep).sum())}
        for level in _levels(lowest)
        for at in [found.at(level)]
    ]
    near = _examples(found, texts, [row["threshold"] for row in rows], examples)
    if is_watched(showing.output_format):
        _show(rows, near)
        return
    with open_output(showing.output_format) as output:
        for row in rows:
            pairs = near[row["threshold"]]
            output.write([row | pair for pair in pairs or [NO_PAIR]])


def _levels(lowest: float) -> list[float]:
    """Return the thresholds from the lowest one up to 1.

    >>> _levels(0.88)
    [0.88, 0.9, 0.95, 1.0]
    """
    count = round(1 / STEP)
    levels = [round(i * STEP, 2) for i in range(1, count + 1)]
    return sorted({lowest, *(level for level in levels if level > lowest)})


def _examples(
    found: Any, texts: list[str], levels: list[float], wanted: int
) -> dict[float, list[dict[str, Any]]]:
    """Return for each level the pairs that are just similar enough, no text twice."""
    import numpy as np

    pairs = next(iter(found.pair_blocks()), None)
    result: dict[float, list[dict[str, Any]]] = {level: [] for level in levels}
    if pairs is None:
        return result
    order = np.argsort(pairs.similarity, kind="stable")
    values = pairs.similarity[order]
    for level, above in zip(levels, [*levels[1:], 2.0], strict=True):
        start, end = np.searchsorted(values, [level - 1e-12, above - 1e-12])
        for i in order[start:end][:wanted].tolist():
            left, right = texts[pairs.left[i]], texts[pairs.right[i]]
            result[level].append(
                {"similarity": float(pairs.similarity[i]), "left": left, "right": right}
            )
    return result


def _show(rows: list[dict[str, Any]], near: dict[float, list[dict[str, Any]]]) -> None:
    console = open_terminal()
    width = console.width - 6
    for row in rows:
        console.print(
            f"{row['threshold']:.2f}  {row['pairs']:,} pairs, {row['left_out']:,} documents left"
            " out",
            style="bold",
        )
        for pair in near[row["threshold"]]:
            for side in ("left", "right"):
                words = fit_cells(shown(" ".join(pair[side].split())), width)
                console.print(f"      {words}", soft_wrap=True)
            console.print(f"      similarity {pair['similarity']:.4f}\n", style="dim")
