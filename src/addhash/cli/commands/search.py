"""`addhash search`: the documents most like a query, exactly."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from addhash.cli.commands.hashing import Hashing
from addhash.cli.commands.models import load_index
from addhash.cli.commands.vectorize import INDEX_EXTENSION
from addhash.cli.errors import check_text
from addhash.cli.input.documents import Document, Documents
from addhash.cli.input.reading import Reading
from addhash.cli.input.sources import STANDARD_INPUT
from addhash.cli.output.progress import watched
from addhash.cli.output.rows import file_format, open_file, open_output
from addhash.cli.output.targets import check_target
from addhash.cli.output.terminal import is_watched
from addhash.cli.output.writing import Writing

__all__ = ["search"]


def search(
    documents: Annotated[
        str,
        typer.Argument(
            metavar="TEXTS|INDEX",
            help="Documents, as for the other commands; or an .index file of addhash vectorize.",
        ),
    ],
    query: Annotated[
        str,
        typer.Argument(
            metavar="QUERY", help="A text; - reads queries from standard input, one per line."
        ),
    ],
    k: Annotated[
        int, typer.Option("--top", "-k", metavar="N", help="How many documents to show.", min=1)
    ] = 10,
    *,
    hashing: Hashing,
    writing: Writing,
    reading: Reading,
) -> None:
    """Show the documents most like a text, the best first: score, place, and all columns.

    The search is exact. Vectors and texts of all documents are held in memory; queries are read
    and answered as they come. An .index file holds vectors and line numbers but no texts; search
    it with the hashing options that it was made with.

    Example:

        addhash search recipes.txt "apple cake with cinnamon" -k 3
    """
    check_text(query)
    if writing.output is not None:
        file_format(writing.output, writing.output_format)
        check_target(writing.output, [documents])
    is_table = writing.output is None and is_watched(writing.output_format)
    vectorizer = hashing.make_vectorizer(norm=None, dtype="int32")
    found: dict[int, dict[str, Any]] | None = None
    if documents.endswith(INDEX_EXTENSION) and reading.input_format is None:
        index = load_index(documents)
    else:
        keep = writing.kept
        if keep is None and is_table:
            keep = ()
        index, found = _index_of(documents, reading, vectorizer, keep)
    with (
        open_output(writing.output_format, writing)
        if writing.output is None
        else open_file(writing.output, writing.output_format, writing)
    ) as output:
        for first, texts in _queries(query, reading):
            answers = index.search(vectorizer.transform(texts), k=k)
            rows = []
            for i in range(len(texts)):
                row: dict[str, Any] = {"query": first + i} if query == STANDARD_INPUT else {}
                hits = zip(answers.ids[i].tolist(), answers.scores[i].tolist(), strict=True)
                for at, score in hits:
                    rows.append(
                        row | {"score": score} | ({"line": at} if found is None else found[at])
                    )
            output.write(rows)


def _index_of(
    path: str, reading: Reading, vectorizer: Any, keep: Any
) -> tuple[Any, dict[int, dict[str, Any]]]:
    """Return an index of documents, and by number what is shown of each."""
    import addhash

    source = Documents(path, reading, keep=keep)
    index = addhash.Index(vectorizer.n_features)
    shown: dict[int, dict[str, Any]] = {}
    for batch in watched(source, "Reading"):
        numbers = [document.record for document in batch]
        index.add(vectorizer.transform([document.text for document in batch]), ids=numbers)
        for document in batch:
            shown[document.record] = _shown(source, document)
    return index, shown


def _shown(source: Documents, document: Document) -> dict[str, Any]:
    place: dict[str, Any] = dict(source.place(document))
    kept = {name: value for name, value in document.kept.items() if name not in place}
    # The text last, as the longest.
    rest = {name: value for name, value in kept.items() if name != source.text_column}
    return place | rest | {source.text_column: document.text}


def _queries(query: str, reading: Reading) -> Iterator[tuple[int, list[str]]]:
    """Yield lots of queries, each with the number of its first one."""
    if query != STANDARD_INPUT:
        yield 1, [query]
        return
    lines = Reading(encoding=reading.encoding, errors=reading.errors, max_size=reading.max_size)
    for batch in Documents(STANDARD_INPUT, lines):
        yield batch[0].line, [document.text for document in batch]
