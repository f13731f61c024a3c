"""Why two texts are similar or not: the parts they share."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from addhash.parameters import Measure
from addhash.runtime import native
from addhash.search.duplicates.similarity import Similarity
from addhash.search.duplicates.token_sets import Cutting
from addhash.text.analysis import Analysis
from addhash.text.spans import tokens_with_characters

Token = tuple[Any, range]


class Part(NamedTuple):
    """A part of a text: in a shared n-gram, only in unshared ones, or in none (None)."""

    text: str
    is_shared: bool | None


@dataclass(frozen=True)
class TextComparison:
    """Two texts, how similar they are, and which of their parts are the same.

    Attributes
    ----------
    similarity : float
        By the measure of the index.
    is_similar : bool
        Whether it reaches the threshold.
    jaccard : float
        The similarity by this measure.
    containment : float
        The similarity by this measure.
    cosine : float
        The similarity by this measure.
    shared : int
        How many n-grams are in both texts.
    only_left : int
        How many are in the left one only.
    only_right : int
        How many are in the right one only.
    left : list of Part
        The left text, in parts.
    right : list of Part
        The right text, in parts.
    """

    similarity: float
    is_similar: bool
    jaccard: float
    containment: float
    cosine: float
    shared: int
    only_left: int
    only_right: int
    left: list[Part]
    right: list[Part]


def compare(cutting: Cutting, similarity: Similarity, left: str, right: str) -> TextComparison:
    """Compare two texts."""
    placed = [_placed_tokens(cutting, text) for text in (left, right)]
    sets = [{token for token, _ in tokens} for tokens in placed]
    both = sets[0] & sets[1]
    shared, sizes = np.array([len(both)]), [np.array([len(s)]) for s in sets]

    def by(measure: Measure) -> float:
        return float(Similarity(measure, similarity.fraction).values(shared, *sizes)[0])

    value = by(similarity.measure)
    return TextComparison(
        value,
        similarity.is_reached(len(both), len(sets[0]), len(sets[1])),
        by("jaccard"),
        by("containment"),
        by("cosine"),
        len(both),
        len(sets[0] - both),
        len(sets[1] - both),
        _parts(left, placed[0], both),
        _parts(right, placed[1], both),
    )


def _placed_tokens(cutting: Cutting, text: str) -> list[Token]:
    """Return the tokens of a text and where each starts and ends."""
    if cutting.analyzer == "auto":
        tokens = list(_units(cutting, text))
    else:
        analysis = Analysis(
            analyzer=cutting.analyzer,
            ngram_range=cutting.ngram_range,
            lowercase=cutting.lowercase,
        )
        tokens = [
            (token, range(places[0], places[-1] + 1) if places else range(0))
            for token, places in tokens_with_characters(analysis, text)
        ]
    return tokens or [(("whole", text), range(len(text)))]


def _units(cutting: Cutting, text: str) -> list[Token]:
    spans = native.unit_spans(text)
    units = [text[start:end] for start, end in spans]
    if cutting.lowercase:
        units = [unit.lower() for unit in units]
    low, high = cutting.ngram_range
    lengths = range(low, high + 1) if len(units) >= low else [len(units)]
    return [
        (tuple(units[i : i + n]), range(spans[i][0], spans[i + n - 1][1]))
        for n in lengths
        for i in range(len(units) - n + 1)
        if n
    ]


def _parts(text: str, tokens: list[Token], shared: set[Any]) -> list[Part]:
    marks: list[bool | None] = [None] * len(text)
    for token, places in tokens:
        if token not in shared:
            marks[places.start : places.stop] = [
                False if mark is None else mark for mark in marks[places.start : places.stop]
            ]
        else:
            marks[places.start : places.stop] = [True] * len(places)
    parts = []
    start = 0
    for mark, run in groupby(marks):
        end = start + len(list(run))
        parts.append(Part(text[start:end], mark))
        start = end
    return parts
