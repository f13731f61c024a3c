"""`addhash similarity`: how similar two texts are."""

from addhash.cli.options.hashing import TrickHashingOptions
from addhash.cli.options.two_texts import TwoTexts
from addhash.cli.options.writing import ShowOptions
from addhash.cli.output.rows import open_output
from addhash.cli.output.terminal import note


def similarity(
    texts: TwoTexts,
    *,
    hashing: TrickHashingOptions,
    showing: ShowOptions,
) -> None:
    """Show how similar two texts are.

    This is the cosine of their vectors: 1 for the same tokens, about 0 if they have none in common.
    A file counts as one text and is kept in memory.

    Example:

        addhash similarity "John likes movies" "Mary likes movies"
    """
    both = texts.read()
    vectors = hashing.make_vectorizer(dtype="float64").transform(both)
    norms = [float((vectors[[i]] @ vectors[[i]].T)[0, 0]) for i in (0, 1)]
    for name, text, norm in zip("AB", both, norms, strict=True):
        if norm == 0:
            short = "it is shorter than one token. Use smaller --ngrams."
            why = short if text.strip() else "it is empty."
            note(f"{name} has no tokens, so nothing can be compared: {why}")
    product = vectors[[0]] @ vectors[[1]].T
    with open_output(showing.output_format) as output:
        output.write([{"similarity": float(product[0, 0])}])
