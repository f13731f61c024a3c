"""`addhash dedupe explain`: what two texts share."""

from typing import Any

from addhash.cli.options.similarity import SimilarityOptions
from addhash.cli.options.two_texts import TwoTexts
from addhash.cli.options.writing import ShowOptions
from addhash.cli.output.rows import open_output
from addhash.cli.output.terminal import has_colours, is_watched, open_terminal, shown

__all__ = ["explain"]


def explain(
    texts: TwoTexts,
    *,
    similarity: SimilarityOptions,
    showing: ShowOptions,
) -> None:
    """Show what two texts share, and whether they count as near-duplicates.

    On a terminal, parts in shared n-grams are green and other parts red; without colours, the other
    parts are in [brackets]. In a pipe, rows have the columns text (A or B), part and shared.

    Example:

        addhash dedupe explain "Call me at noon, John" "Call me at noon, Mary"
    """
    import addhash

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
