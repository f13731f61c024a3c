"""`addhash dedupe explain`: what two texts share."""

from typing import Annotated, Any

import typer

from addhash.cli.commands.similarity import text_of
from addhash.cli.errors import UsageError, check_text
from addhash.cli.input.sources import STANDARD_INPUT
from addhash.cli.options.reading import DecodeOptions
from addhash.cli.options.similarity import SimilarityOptions
from addhash.cli.options.writing import ShowOptions
from addhash.cli.output.rows import open_output
from addhash.cli.output.terminal import has_colours, is_watched, open_terminal, shown

__all__ = ["explain"]


def explain(
    a: Annotated[str, typer.Argument(metavar="A", help="A text, a file, or - for standard input.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The text or file to compare it with.")],
    literally: Annotated[
        bool,
        typer.Option(
            "--text", help="Treat A and B as texts even if there are files of these names."
        ),
    ] = False,
    *,
    similarity: SimilarityOptions,
    showing: ShowOptions,
    decoding: DecodeOptions,
) -> None:
    """Show what two texts share, and whether they count as near-duplicates.

    On a terminal, parts in shared n-grams are green and other parts red; without colours, the other
    parts are in [brackets]. In a pipe, rows have the columns text (A or B), part and shared.

    Example:

        addhash dedupe explain "Call me at noon, John" "Call me at noon, Mary"
    """
    import addhash

    if a == b == STANDARD_INPUT and not literally:
        raise UsageError("Only one of A and B can be standard input.")
    texts = [text if literally else text_of(text, decoding) for text in (a, b)]
    for text in texts:
        check_text(text)
    found = addhash.DuplicateIndex(**similarity.parameters).compare(*texts)
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
