"""`addhash similarity`: how similar two texts are."""

import os
from typing import Annotated

import typer

from addhash.cli.errors import UsageError, check_text
from addhash.cli.input.documents import read_text
from addhash.cli.input.sources import STANDARD_INPUT
from addhash.cli.options.hashing import TrickHashingOptions
from addhash.cli.options.reading import DecodeOptions
from addhash.cli.options.writing import ShowOptions
from addhash.cli.output.rows import open_output
from addhash.cli.output.terminal import note

__all__ = ["similarity", "text_of"]


def similarity(
    a: Annotated[str, typer.Argument(metavar="A", help="A text, a file, or - for standard input.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The text or file to compare it with.")],
    literally: Annotated[
        bool,
        typer.Option(
            "--text", help="Treat A and B as texts even if there are files of these names."
        ),
    ] = False,
    *,
    hashing: TrickHashingOptions,
    showing: ShowOptions,
    decoding: DecodeOptions,
) -> None:
    """Show how similar two texts are.

    This is the cosine of their vectors: 1 for the same tokens, about 0 if they have none in common.
    A file counts as one text and is kept in memory.

    Example:

        addhash similarity "John likes movies" "Mary likes movies"
    """
    if a == b == STANDARD_INPUT and not literally:
        raise UsageError("Only one of A and B can be standard input.")
    texts = [text if literally else text_of(text, decoding) for text in (a, b)]
    for text in texts:
        check_text(text)
    vectors = hashing.make_vectorizer(dtype="float64").transform(texts)
    norms = [float((vectors[[i]] @ vectors[[i]].T)[0, 0]) for i in (0, 1)]
    for name, norm in zip("AB", norms, strict=True):
        if norm == 0:
            note(
                f"{name} has no tokens, so nothing can be compared: it is shorter than one token."
                " Use smaller --ngrams."
            )
    product = vectors[[0]] @ vectors[[1]].T
    with open_output(showing.output_format) as output:
        output.write([{"similarity": float(product[0, 0])}])


def text_of(argument: str, decoding: DecodeOptions) -> str:
    """Return an argument as the text itself, or the text in the file of that name."""
    if argument == STANDARD_INPUT or os.path.isfile(argument):
        return read_text(argument, decoding)
    extension = os.path.splitext(argument)[1].lower()
    looks_like_a_path = not any(c.isspace() for c in argument) and (
        os.sep in argument or extension in (".txt", ".md", ".gz", ".zst")
    )
    if looks_like_a_path or os.path.isdir(argument):
        what = "is a directory" if os.path.isdir(argument) else "looks like a file, but is not one"
        raise UsageError(
            f"{argument} {what}. Name a file, or add --text if it is the text to compare."
        )
    return argument
