"""`addhash similarity`: how alike two texts are."""

import os
from typing import Annotated

import typer

from addhash.cli import options as use
from addhash.cli.errors import UsageError
from addhash.cli.reading import Reading, read_text
from addhash.cli.sources import STANDARD_INPUT
from addhash.cli.writing import open_output

__all__ = ["similarity"]

A = Annotated[str, typer.Argument(metavar="A", help="A text, a file, or - for standard input.")]
B = Annotated[str, typer.Argument(metavar="B", help="The same.")]


def similarity(
    a: A,
    b: B,
    method: use.Method = "ah",
    analyzer: use.Analyzer = "char",
    ngrams: use.Ngrams = None,
    features: use.Features = 2048,
    lowercase: use.Case = False,
    randomizer: use.Randomizer = "shake256",
    literally: Annotated[
        bool, typer.Option("--text", help="Take A and B as texts even if files have these names.")
    ] = False,
    output_format: use.OutputFormat = None,
    encoding: use.Encoding = "utf-8",
    errors: use.Handling = "strict",
) -> None:
    """Show how alike two texts are.

    This is the cosine of their vectors: 1 for the same tokens, about 0 for none in common. A file
    counts as one text.

    Example:

        addhash similarity "John likes movies" "Mary likes movies"
    """
    reading = Reading(encoding=encoding, errors=errors)
    if a == b == STANDARD_INPUT and not literally:
        raise UsageError("Only one of A and B can be standard input.")
    texts = [text if literally else _text_of(text, reading) for text in (a, b)]
    vectorizer = use.make_vectorizer(
        method, analyzer, ngrams, features, lowercase, randomizer, dtype="float64"
    )
    vectors = vectorizer.transform(texts)
    product = vectors[[0]] @ vectors[[1]].T
    cosine = float(product[0, 0])
    with open_output(None, output_format) as output:
        output.write([{"similarity": cosine}])


def _text_of(argument: str, reading: Reading) -> str:
    if argument == STANDARD_INPUT or os.path.isfile(argument):
        return read_text(argument, reading)
    extension = os.path.splitext(argument)[1].lower()
    looks_like_a_path = not any(c.isspace() for c in argument) and (
        os.sep in argument or extension in (".txt", ".md", ".gz", ".zst")
    )
    if looks_like_a_path or os.path.isdir(argument):
        what = "is a directory" if os.path.isdir(argument) else "looks like a file but is none"
        raise UsageError(
            f"{argument} {what}. Name a file; or add --text if it is the text to compare."
        )
    return argument
