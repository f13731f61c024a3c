"""`addhash link`: the records of two files that belong together."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from addhash.cli.errors import CommandError, UsageError, worded
from addhash.cli.input.documents import Documents
from addhash.cli.input.sources import STANDARD_INPUT
from addhash.cli.options.arguments import output_option
from addhash.cli.options.fields import FieldOptions
from addhash.cli.options.reading import ReadOptions
from addhash.cli.output.progress import watched
from addhash.cli.output.rows import file_format, open_file, write_all
from addhash.cli.output.targets import check_target
from addhash.cli.output.terminal import note


def link(
    a: Annotated[str, typer.Argument(metavar="A", help="A table of records.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one with the same fields.")],
    output: Annotated[
        str,
        output_option(
            "Write the pairs, most similar first: the similarity, and all columns of both"
            " rows, as left_NAME and right_NAME."
        ),
    ],
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="T",
            help="The lowest similarity of a pair, above 0 and up to 1.",
            show_default="0.6",
            rich_help_panel="Similarity",
        ),
    ] = None,
    best: Annotated[
        bool, typer.Option(help="Only the most similar row of B for each row of A.")
    ] = False,
    *,
    fields: FieldOptions,
    reading: ReadOptions,
) -> None:
    """Find the records of two files that belong together.

    Finds every pair of a row of A and a row of B that is at least as similar as the threshold, and
    no others. The similarity is the weighted mean over the fields that both rows have. The input
    files stay as they are; their rows are kept in memory.

    Example:

        addhash link shops.csv members.csv --field name:2 --field street --field city -o matches.csv
    """
    import addhash

    if not fields.field:
        raise UsageError("Name the columns to compare with --field, such as --field name:2.")
    if STANDARD_INPUT in (a, b):
        raise UsageError("Records cannot come from standard input. Put them in a file.")
    file_format(output, None)
    check_target(output, [a, b])
    reading = fields.reading(reading)
    chosen = fields.fields
    (left, ours), (right, theirs) = (_rows(path, reading, list(chosen)) for path in (a, b))
    with worded({"threshold": "--threshold", "fields": "--field"}):
        found = addhash.find_duplicates(ours, fields=chosen, threshold=threshold, against=theirs)
    pairs = _pairs(found, best)
    with open_file(output, None) as table:
        write_all(
            table,
            (
                {"similarity": value}
                | {f"left_{name}": cell for name, cell in left[i].items()}
                | {f"right_{name}": cell for name, cell in right[j].items()}
                for i, j, value in pairs
            ),
        )
    matched = len({i for i, _, _ in pairs})
    note(f"{matched:,} of {len(left):,} rows of {a} are in {b}; pairs: {len(pairs):,}.")


def _rows(
    path: str, reading: ReadOptions, fields: list[str]
) -> tuple[list[Mapping[str, Any]], dict[str, list[Any]]]:
    """Return the rows of a file, and its fields as columns."""
    with worded({"text_column": "--field"}):
        documents = Documents(path, reading, keep="all")
    rows = [document.kept for batch in watched(documents, "Reading") for document in batch]
    if not rows:
        raise CommandError(f"{path} has no rows.")
    columns = zip(fields, documents.text_columns, strict=True)
    return rows, {name: [row[column] for row in rows] for name, column in columns}


def _pairs(found: Any, best: bool) -> list[tuple[int, int, float]]:
    pairs = list(zip(*(column.tolist() for column in found.pairs), strict=True))
    pairs.sort(key=lambda pair: (-pair[2], pair[0], pair[1]))
    if not best:
        return pairs
    seen: set[int] = set()
    return [pair for pair in pairs if pair[0] not in seen and not seen.add(pair[0])]  # type: ignore[func-returns-value]
