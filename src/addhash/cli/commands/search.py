"""`addhash search`: the documents most similar to a query, exactly."""

import os
import shlex
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from addhash.cli.commands.vectorize import INDEX_EXTENSION, PLACE
from addhash.cli.errors import UsageError, check_text
from addhash.cli.input.documents import Document, Documents
from addhash.cli.input.sources import STANDARD_INPUT
from addhash.cli.model_files import load_index
from addhash.cli.options.hashing import HashingOptions
from addhash.cli.options.reading import ReadOptions
from addhash.cli.options.writing import WriteOptions
from addhash.cli.output.answer_columns import free_names
from addhash.cli.output.progress import watched
from addhash.cli.output.rows import file_format, open_file, open_output
from addhash.cli.output.targets import check_target
from addhash.cli.output.terminal import is_watched, note


def search(
    documents: Annotated[
        str,
        typer.Argument(
            metavar="TEXTS|INDEX",
            help="Documents, as for the other commands; or an .index file written by addhash"
            " vectorize.",
        ),
    ],
    query: Annotated[
        str | None,
        typer.Argument(
            metavar="[QUERY]", help="A text; - reads queries from standard input, one per line."
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(
            "--text", metavar="TEXT", help="The text, even if there is a file of that name."
        ),
    ] = None,
    k: Annotated[
        int, typer.Option("--top", "-k", metavar="N", help="How many documents to show.", min=1)
    ] = 10,
    *,
    hashing: HashingOptions,
    writing: WriteOptions,
    reading: ReadOptions,
) -> None:
    """Show the documents most similar to a text, best first: score, position and all columns.

    The search is exact. The vectors and texts of all documents are kept in memory; queries are read
    and answered as they come. An .index file knows how its texts were hashed, so hashing options
    apply only to other files.

    Example:

        addhash search recipes.txt "apple cake with cinnamon" -k 3
    """
    query, is_read = _asked(query, text)
    if writing.output is not None:
        file_format(writing.output, writing.output_format)
        check_target(writing.output, [documents])
    is_table = writing.output is None and is_watched(writing.output_format)
    found: dict[int, dict[str, Any]] | None = None
    place = ""
    names = {"score": "score", "query": "query"}
    if documents.endswith(INDEX_EXTENSION) and reading.input_format is None:
        if hashing != HashingOptions():
            raise UsageError(
                f"{documents} knows how its texts were hashed. Leave the hashing options out."
            )
        index = load_index(documents)
        place = index.metadata.get(PLACE, "id")
    else:
        keep = () if writing.kept is None and is_table else writing.kept
        index, names, found = _index_of(documents, reading, hashing, keep)
    rounded = [names["score"]]
    with (
        open_output(writing.output_format, writing, rounded=rounded)
        if writing.output is None
        else open_file(writing.output, writing.output_format, writing, rounded=rounded)
    ) as output:
        for first, texts in _queries(query, is_read, reading):
            rows = []
            for number, matches in enumerate(index.search(texts, k=k), first):
                asked = {names["query"]: number} if is_read else {}
                for match in matches:
                    hit = {names["score"]: match.score}
                    rows.append(asked | hit | _hit(match, place, found))
            output.write(rows)
            if not is_read and not any(row[names["score"]] for row in rows):
                note("Every score is 0: the query, or every text, has no tokens.")


def _asked(query: str | None, text: str | None) -> tuple[str, bool]:
    """Return the query, and whether queries are read from standard input instead."""
    if query is not None and text is not None:
        raise UsageError("QUERY and --text are both queries. Give only one of them.")
    if query is None and text is None:
        raise UsageError("Name a text to search for, or - to read queries from standard input.")
    if query is not None and query != STANDARD_INPUT and os.path.isfile(query):
        raise UsageError(
            f"{query} is a file. To search for the texts in it, one per line, pass - and redirect"
            f" it: < {shlex.quote(query)}; to search for its name, pass --text"
            f" {shlex.quote(query)}."
        )
    chosen = query if text is None else text
    assert chosen is not None
    check_text(chosen)
    return chosen, query == STANDARD_INPUT


def _hit(match: Any, place: str, found: dict[int, dict[str, Any]] | None) -> dict[str, Any]:
    """Return the position and the columns of a match."""
    if found is not None:
        return found[match.id]
    row = {place: match.id}
    return row if match.text is None else row | {"text": match.text}


def _index_of(
    path: str, reading: ReadOptions, hashing: HashingOptions, keep: Any
) -> tuple[Any, dict[str, str], dict[int, dict[str, Any]]]:
    """Return an index of the documents, names of columns, and what to show of each by number."""
    import addhash

    vectorizer = hashing.make_vectorizer(norm=None, dtype="int32")
    index = addhash.TextIndex(vectorizer, keep_texts=False)
    source = Documents(path, reading, keep=keep)
    is_joined = len(source.text_columns) > 1
    added = ["score", "query", *source.places, *(["text"] if is_joined else [])]
    names = free_names(added, source, keep, "match_")
    shown: dict[int, dict[str, Any]] = {}
    for batch in watched(source, "Reading"):
        index.add([d.text for d in batch], ids=[d.record for d in batch])
        shown |= {document.record: _shown(source, document, names) for document in batch}
    return index, names, shown


def _shown(source: Documents, document: Document, names: dict[str, str]) -> dict[str, Any]:
    place: dict[str, Any] = {names[k]: number for k, number in source.place(document).items()}
    # The text comes last because it is the longest.
    last = source.text_columns[0] if len(source.text_columns) == 1 else names["text"]
    rest = {name: value for name, value in document.kept.items() if name != last}
    return place | rest | {last: document.text}


def _queries(query: str, is_read: bool, reading: ReadOptions) -> Iterator[tuple[int, list[str]]]:
    """Yield lots of queries, each with the number of its first one."""
    if not is_read:
        yield 1, [query]
        return
    lines = ReadOptions(encoding=reading.encoding, errors=reading.errors, max_size=reading.max_size)
    for batch in Documents(STANDARD_INPUT, lines):
        yield batch[0].line, [document.text for document in batch]
