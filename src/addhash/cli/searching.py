"""`addhash search`: the documents most like a query, exactly."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from addhash.cli import options as use
from addhash.cli.models import load_index
from addhash.cli.progress import watched
from addhash.cli.reading import Documents, Reading
from addhash.cli.sources import STANDARD_INPUT
from addhash.cli.vectorizing import INDEX_EXTENSION
from addhash.cli.writing import open_output

__all__ = ["search"]


def search(
    documents: Annotated[
        str,
        typer.Argument(
            metavar="INDEX_OR_TEXTS",
            help="Documents, as for the other commands; or an .index file of addhash vectorize.",
        ),
    ],
    query: Annotated[
        str,
        typer.Argument(
            metavar="QUERY", help="A text; - reads queries from standard input, one a line."
        ),
    ],
    k: Annotated[int, typer.Option("--top", "-k", help="How many documents to show.", min=1)] = 10,
    analyzer: use.Analyzer = "char",
    ngrams: use.Ngrams = None,
    features: use.Features = 2048,
    lowercase: use.Case = False,
    randomizer: use.Randomizer = "shake256",
    output_format: use.OutputFormat = None,
    text_column: use.TextColumn = None,
    input_format: use.InputFormat = None,
    header: use.Header = True,
    encoding: use.Encoding = "utf-8",
    errors: use.Handling = "strict",
) -> None:
    """Show the documents most like a text: score, line and text, the best first.

    The search is exact. An .index file holds vectors and line numbers but no texts; search it with
    the same hashing options that made it.

    Example:

        addhash search recipes.txt "apple cake with cinnamon" -k 3
    """
    import numpy as np

    vectorizer = use.make_vectorizer(
        "ah", analyzer, ngrams, features, lowercase, randomizer, norm=None, dtype=np.int32
    ).fit([""])
    reading = use.reading_of(text_column, None, None, input_format, header, encoding, errors)
    texts: dict[int, str] | None = None
    if documents.endswith(INDEX_EXTENSION) and input_format is None:
        index = load_index(documents)
    else:
        index, texts = _index_of(documents, reading, vectorizer)
    with open_output(None, output_format) as output:
        for number, text in enumerate(_queries(query, encoding, errors), 1):
            found = index.search(vectorizer.transform([text]), k=k)
            rows = []
            for at, score in zip(found.ids[0].tolist(), found.scores[0].tolist(), strict=True):
                row: dict[str, Any] = {"query": number} if query == STANDARD_INPUT else {}
                row |= {"score": score, "line": at}
                if texts is not None:
                    row["text"] = texts[at]
                rows.append(row)
            output.write(rows)


def _index_of(path: str, reading: Reading, vectorizer: Any) -> tuple[Any, dict[int, str]]:
    import addhash

    source = Documents(path, reading)
    index = addhash.Index(vectorizer.n_features)
    texts: dict[int, str] = {}
    for batch in watched(source, "Reading"):
        lines = [document.number for document in batch]
        index.add(vectorizer.transform([document.text for document in batch]), ids=lines)
        texts.update((document.number, document.text) for document in batch)
    return index, texts


def _queries(query: str, encoding: str, errors: Any) -> Iterator[str]:
    if query != STANDARD_INPUT:
        yield query
        return
    for batch in Documents(STANDARD_INPUT, Reading(encoding=encoding, errors=errors)):
        yield from (document.text for document in batch)
