"""`addhash dedupe explain`: what two texts share, or two rows of a table."""

from typing import Annotated, Any

import typer

from addhash.cli.errors import CommandError, UsageError, worded
from addhash.cli.input.corpus import Corpus
from addhash.cli.input.sources import STANDARD_INPUT
from addhash.cli.options.fields import FieldOptions
from addhash.cli.options.reading import ReadOptions
from addhash.cli.options.similarity import SimilarityOptions
from addhash.cli.options.two_texts import TwoTexts
from addhash.cli.options.writing import ShowOptions
from addhash.cli.output.rows import open_output
from addhash.cli.output.terminal import has_colours, is_watched, note, open_terminal, shown


def explain(
    texts: TwoTexts,
    rows: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Compare two rows of this table: A and B are their numbers from 1, or --id.",
        ),
    ] = None,
    id_column: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help="Name rows by this column.")
    ] = None,
    *,
    fields: FieldOptions,
    similarity: SimilarityOptions,
    showing: ShowOptions,
) -> None:
    """Show what two texts or rows share, and whether they count as near-duplicates.

    On a terminal, parts in shared n-grams are green and other parts red; without colours, the other
    parts are in square brackets. In a pipe, rows have the columns text (A or B), part and shared.
    With --field, they have the similarity of each field, its weight, and its share of the whole.

    Example:

        addhash dedupe explain "Call me at noon, John" "Call me at noon, Mary"
        addhash dedupe explain 1 2 --rows people.csv --field name:2 --field street
    """
    import addhash

    parameters = fields.parameters(similarity)
    if rows is not None:
        if not fields.field:
            raise UsageError("Name the columns to compare with --field, such as --field name:2.")
        if rows == STANDARD_INPUT:
            raise UsageError("Rows cannot come from standard input. Put them in a file.")
        decoding = {name: getattr(texts, name) for name in ("encoding", "errors", "max_size")}
        table = Corpus([rows], fields.reading(ReadOptions(**decoding)), "--field")
        places = _places(table, rows, id_column, texts)
        _explain_records(table, places, parameters, showing)
        return
    if fields.field or id_column is not None:
        raise UsageError("--field and --id are about rows of a table. Name it with --rows.")
    found = addhash.DuplicateIndex(**similarity.parameters).compare(*texts.read())
    if is_watched(showing.output_format):
        _show(found, similarity)
        return
    with open_output(showing.output_format) as output:
        for name, parts in (("A", found.left), ("B", found.right)):
            output.write(
                [
                    {"text": name, "part": part.text, "shared": part.is_shared is True}
                    for part in parts
                    if part.is_shared is not None
                ]
            )


def _places(table: Corpus, path: str, id_column: str | None, texts: TwoTexts) -> list[int]:
    """Return the places of the two rows."""
    if id_column is None:
        count = sum(len(batch) for _, batch in table.batches())
        names = [str(number) for number in range(1, count + 1)]
    else:
        names = [str(name) for name in table.ids(id_column)]
    for name in (texts.a, texts.b):
        if name not in names:
            raise CommandError(
                f"{path} has no row {name!r:.60}; its rows are numbered from 1 to {len(names):,}."
                if id_column is None
                else f"{path} has no row whose {id_column} is {name!r:.60}."
            )
    return [names.index(texts.a), names.index(texts.b)]


def _explain_records(
    table: Corpus, places: list[int], parameters: dict[str, Any], showing: ShowOptions
) -> None:
    import addhash

    records = table.records(list(parameters["fields"]), lambda *_: None, "Reading")
    with worded({"threshold": "--threshold", "fields": "--field"}):
        # What is common is worth less, so all rows are needed; their pairs are not.
        found: Any = addhash.find_duplicates(records, **parameters | {"threshold": 1.0})
        shares = found.explain(*places)
        threshold = addhash.find_duplicates([], **parameters).threshold
    with open_output(showing.output_format) as output:
        output.write([share._asdict() for share in shares])
    both = sum(share.weight for share in shares if share.similarity is not None)
    if both < 0.5 * sum(share.weight for share in shares):
        note("Not compared: the fields that both have carry less than half of the weight.")
        return
    similarity = sum(share.share for share in shares)
    answer = "near-duplicates" if similarity >= threshold - 1e-9 else "not near-duplicates"
    note(f"Similarity {similarity:.4f}: {answer} at {threshold:g}.")


def _show(found: Any, similarity: SimilarityOptions) -> None:
    from rich.text import Text

    console = open_terminal()
    for name, parts in (("A", found.left), ("B", found.right)):
        line = Text(f"{name}  ", style="bold")
        for part in parts:
            words = shown(part.text)
            if part.is_shared is False and not has_colours(console):
                words = f"[{words}]"
            style = {True: "green", False: "red", None: "default"}[part.is_shared]
            line.append(words, style=f"not bold {style}")
        console.print(line, soft_wrap=True)
    console.print()
    answer = "near-duplicates" if found.is_similar else "not near-duplicates"
    console.print(
        f"{similarity.measure} {found.similarity:.4f}: {answer} at {similarity.text_threshold:g}",
        style="bold",
    )
    console.print(
        f"n-grams: {found.shared:,} shared, {found.only_left:,} only in A, {found.only_right:,}"
        f" only in B; jaccard {found.jaccard:.4f}, containment {found.containment:.4f}, cosine"
        f" {found.cosine:.4f}"
    )
