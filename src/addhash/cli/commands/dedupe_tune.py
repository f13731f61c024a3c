"""`addhash dedupe tune`: what each threshold would find, and which to take."""

from typing import Annotated, Any

import typer

from addhash.cli.errors import CommandError, UsageError, worded
from addhash.cli.input.corpus import Corpus
from addhash.cli.input.documents import Documents
from addhash.cli.input.sources import STANDARD_INPUT
from addhash.cli.options.arguments import DocumentsArgument
from addhash.cli.options.fields import FieldOptions
from addhash.cli.options.reading import ReadOptions
from addhash.cli.options.similarity import SimilarityOptions
from addhash.cli.options.writing import ShowOptions
from addhash.cli.output.progress import watched
from addhash.cli.output.rows import open_output
from addhash.cli.output.tables import fit_cells
from addhash.cli.output.terminal import is_watched, note, open_terminal, shown

STEP = 0.05
NO_PAIR = {"similarity": None, "left": None, "right": None}


def tune(
    documents: DocumentsArgument,
    lowest: Annotated[
        float | None,
        typer.Option(
            "--from",
            metavar="T",
            min=0.05,
            max=1.0,
            help="The lowest threshold to try.",
            show_default="0.5; 0.4 for records",
        ),
    ] = None,
    examples: Annotated[
        int, typer.Option(metavar="N", min=0, help="How many pairs to show at each level.")
    ] = 1,
    known: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A table of pairs that are the same, with the columns left and right: numbers from"
            " 1, or --id. All other pairs are taken to be different.",
        ),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option(
            "--id", metavar="COLUMN", help="The column by which known pairs name documents."
        ),
    ] = None,
    *,
    fields: FieldOptions,
    similarity: SimilarityOptions,
    showing: ShowOptions,
    reading: ReadOptions,
) -> None:
    """Show what each threshold would find, with examples, and propose one.

    Texts are compared once, at the lowest threshold; all others follow from that. For each
    threshold, the output has the number of pairs at least as similar, the number of documents that
    would be dropped, and pairs that are just similar enough; with known pairs also the precision,
    the recall and F1. The threshold with the best F1 is proposed or, if none are known, the one in
    the gap between pairs that differ and those that are the same. With known pairs of records,
    weights are proposed too, if others are better. Texts are kept in memory.

    Example:

        addhash dedupe tune messages.csv
        addhash dedupe tune people.csv --field name --field street --known pairs.csv --id number
    """
    import addhash

    parameters = fields.parameters(similarity)
    reading = fields.reading(reading)
    if id_column is not None and known is None:
        raise UsageError("--id names the documents of known pairs. Name their file with --known.")
    if documents == STANDARD_INPUT and id_column is not None:
        raise UsageError("Standard input can be read only once. Put the documents in a file.")
    if lowest is None:
        lowest = 0.4 if fields.field else 0.5
    kept = list(parameters.get("fields", ()))
    source = Documents(documents, reading, keep=kept)
    read = [document for batch in watched(source, "Reading") for document in batch]
    texts = [document.text for document in read]
    pairs = None
    if known is not None:
        names = None if id_column is None else Corpus([documents], reading).ids(id_column)
        pairs = _known_pairs(known, names, len(texts))
    given: Any = texts
    if fields.field:
        columns = zip(kept, source.kept_columns, strict=True)
        given = {name: [document.kept[column] for document in read] for name, column in columns}
    with worded({"threshold": "--from", "fields": "--field"}):
        found = addhash.find_duplicates(given, **parameters | {"threshold": lowest})
    tuning = found.tune(pairs)
    is_weighed = tuning.fields != getattr(found, "fields", {})
    if is_weighed:
        found = addhash.find_duplicates(given, fields=tuning.fields, threshold=lowest)
    scores = {row.threshold: (row.precision, row.recall, row.f1) for row in tuning.rows}
    rows = []
    for level in _levels(lowest, tuning.threshold):
        at = found.at(level)
        left_out = int((~at.keep).sum())
        row: dict[str, Any] = {"threshold": level, "pairs": at.n_pairs, "left_out": left_out}
        if known is not None:
            precision, recall, f1 = scores.get(level, (None,) * 3)
            row |= {"precision": precision, "recall": recall, "f1": f1}
        rows.append(row)
    near = _examples(found, texts, [row["threshold"] for row in rows], examples)
    if is_watched(showing.output_format):
        _show(rows, near)
    else:
        with open_output(showing.output_format) as output:
            for row in rows:
                output.write([row | pair for pair in near[row["threshold"]] or [NO_PAIR]])
    note(_proposal(tuning, known is not None, is_weighed))


def _proposal(tuning: Any, is_known: bool, is_weighed: bool) -> str:
    why = (
        f"F1 {tuning.confidence:.3f}"
        if is_known
        else f"confidence {tuning.confidence:.2f}, by the gap between pairs that differ and others"
    )
    words = f"Proposed: --threshold {tuning.threshold:g} ({why})"
    if is_weighed:
        weights = " ".join(
            f"--field {name}:{field.kind}:{field.weight:.3g}"
            + (f":{field.tolerance:g}" if field.tolerance else "")
            for name, field in tuning.fields.items()
        )
        words += f", with {weights} as in what is shown"
    return f"{words}."


def _known_pairs(path: str, names: list[Any] | None, count: int) -> list[tuple[int, int]]:
    """Return the pairs of a table, as numbers from 0."""
    columns = ["left", "right"]
    places = {str(name): i for i, name in enumerate(names or range(1, count + 1))}
    pairs = []
    with worded({"text_column": "the columns left and right"}):
        known = Documents(path, ReadOptions(text_column=columns), keep=columns)
    for batch in known:
        for document in batch:
            pair = [str(document.kept[column] or "") for column in columns]
            for name in pair:
                if name not in places:
                    raise CommandError(
                        f"{path}: there is no document {name!r:.60}. Name documents by numbers"
                        f" from 1 to {count:,}, or by a column with --id."
                        if names is None
                        else f"{path}: no document has the id {name!r:.60}."
                    )
            pairs.append((places[pair[0]], places[pair[1]]))
    if not pairs:
        raise CommandError(f"{path} has no pairs.")
    return pairs


def _levels(lowest: float, proposed: float) -> list[float]:
    """Return the thresholds from the lowest one up to 1, and the proposed one.

    >>> _levels(0.88, 0.93)
    [0.88, 0.9, 0.93, 0.95, 1.0]
    """
    count = round(1 / STEP)
    levels = [round(i * STEP, 2) for i in range(1, count + 1)]
    return sorted({lowest, proposed, *(level for level in levels if level > lowest)})


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
            " out" + _scores(row),
            style="bold",
        )
        for pair in near[row["threshold"]]:
            for side in ("left", "right"):
                words = fit_cells(shown(" ".join(pair[side].split())), width)
                console.print(f"      {words}", soft_wrap=True)
            console.print(f"      similarity {pair['similarity']:.4f}\n", style="dim")


def _scores(row: dict[str, Any]) -> str:
    if "f1" not in row:
        return ""
    return f"; precision {row['precision']:.3f}, recall {row['recall']:.3f}, F1 {row['f1']:.3f}"
