"""What counts as a near-duplicate: the options that several commands share."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer

from addhash.cli.options.hashing import parse_ngrams


@dataclass(frozen=True, kw_only=True)
class SimilarityOptions:
    """How texts are split and compared."""

    panel = "Similarity"
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="T",
            help="The lowest similarity of near-duplicates, above 0 and up to 1.",
            show_default="0.8; 0.6 for records",
        ),
    ] = None
    measure: Annotated[
        Literal["jaccard", "containment", "cosine"],
        typer.Option(
            help="Shared n-grams divided by those in either text, those in the shorter text, or"
            " the geometric mean of both counts."
        ),
    ] = "jaccard"
    analyzer: Annotated[
        Literal["auto", "word", "char", "char_wb"],
        typer.Option(
            help="Make n-grams of words, or of characters in scripts without spaces (auto); of"
            " words; of characters; or of characters inside words."
        ),
    ] = "auto"
    ngrams: Annotated[
        str, typer.Option(metavar="N|N-M", help="How many words or characters make an n-gram.")
    ] = "3"
    match_case: Annotated[bool, typer.Option(help="Distinguish upper and lower case.")] = False

    @property
    def text_threshold(self) -> float:
        """The threshold for texts."""
        return 0.8 if self.threshold is None else self.threshold

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of `find_duplicates` and `DuplicateIndex`."""
        return {
            "threshold": self.text_threshold,
            "measure": self.measure,
            "analyzer": self.analyzer,
            "ngram_range": parse_ngrams(self.ngrams),
            "lowercase": not self.match_case,
        }
