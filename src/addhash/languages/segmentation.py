"""Where the language changes inside a text."""

import re
from collections.abc import Iterable, Iterator
from math import log2
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.languages.detection import (
    THRESHOLD,
    Detector,
    as_text,
    check_threshold,
    has_letters,
)
from addhash.languages.table import UNKNOWN, language
from addhash.learning.text_classifier import TextClassifier

__all__ = ["Segment", "segments"]

Floats = npt.NDArray[np.float64]

# What a change of language costs, in bits of evidence: more languages mean more chances to be
# wrong. It costs half at the end of a sentence.
LEAST_CHANGE = 16.0
CHANGE_PER_DOUBLING = 4.0
EVIDENCE_UNIT = 2.0**-9  # evidence is a multiple of this
SENTENCE_END = re.compile(r"[.!?:;。！？।؟։።\n][\"'”’»)\]]*\s*$")
# A unit is a word, or a piece of text written without spaces, with the space after it.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef"
    "\U0001b000-\U0001b2ff\U00020000-\U0003ffff"
)
UNIT = re.compile(rf"\s*(?:[{UNSPACED}]{{1,8}}|[^\s{UNSPACED}]{{1,64}})\s*|\s+")
BATCH = 4096


class Segment(NamedTuple):
    """A part of a text, from `start` to before `end`, and its language as in a Detection."""

    start: int
    end: int
    code: str
    short: str | None
    name: str
    own_name: str | None
    probability: float


def segments(
    text: str | bytes,
    languages: Iterable[str] | None = None,
    *,
    threshold: float = THRESHOLD,
    model: TextClassifier | None = None,
) -> list[Segment]:
    """Return the parts of a text by language.

    Together they are the whole text. N-grams do not cross words, so the evidence for a part is the
    sum over its words; of all ways to split the text, this is the one with the most evidence, minus
    a cost for each change of language, which is lower at the end of a sentence. Each part is then
    labelled as `detect` would.

    Parameters
    ----------
    text : str or bytes
    languages, threshold, model
        As for `detect`.

    Returns
    -------
    segments : list of Segment
        Empty if the text has no letters.

    Examples
    --------
    >>> from addhash import languages
    >>> text = "The weather is fine today. Das Wetter ist heute wirklich sehr schön."
    >>> [(s.code, text[s.start : s.end]) for s in languages.segments(text, ["en", "de"])]
    [('eng', 'The weather is fine today. '), ('deu', 'Das Wetter ist heute wirklich sehr schön.')]
    """
    threshold = check_threshold(threshold)
    detector = Detector.of(model, languages)
    clean = as_text(text)
    if not has_letters(clean):
        return []
    units = [match.group() for match in UNIT.finditer(clean)]
    result: list[Segment] = []
    for length, evidence in _parts(detector, units):
        (((place,),), ((share,),)) = (
            array.tolist() for array in detector.likeliest(evidence[None], [length], 1)
        )
        found = UNKNOWN if share < threshold else language(detector.codes[place])
        start = result[-1].end if result else 0
        result.append(Segment(start, start + length, *found[:4], share))
    return result


def _evidence(detector: Detector, units: list[str]) -> Iterator[Floats]:
    """Yield the evidence of each unit; those without letters have none."""
    none = np.zeros(len(detector.codes))
    for start in range(0, len(units), BATCH):
        batch = [unit.strip() for unit in units[start : start + BATCH]]
        distinct = sorted({unit for unit in batch if has_letters(unit)})
        rows = dict(zip(distinct, detector.evidence(distinct), strict=True)) if distinct else {}
        for unit in batch:
            yield rows.get(unit, none)


def _parts(detector: Detector, units: list[str]) -> Iterator[tuple[int, Floats]]:
    """Yield the length of each part in one language, and its evidence."""
    places = _places(detector, units)
    length, sums = 0, np.zeros(len(detector.codes))
    for i, evidence in enumerate(_evidence(detector, units)):
        if i and places[i] != places[i - 1]:
            yield length, sums
            length, sums = 0, np.zeros(len(detector.codes))
        length += len(units[i])
        sums += evidence
    yield length, sums


def change_after(unit: str, n_languages: int) -> float:
    """Return what a change of language costs after a unit, in bits.

    >>> change_after("word", 2), change_after("end. ", 2), change_after("word", 512)
    (20.0, 10.0, 52.0)
    """
    # Rounded as evidence is: sums of both are exact, and the last bit of log2, which not all
    # machines share, makes no difference.
    units = round(CHANGE_PER_DOUBLING * log2(n_languages) / EVIDENCE_UNIT)
    cost = LEAST_CHANGE + units * EVIDENCE_UNIT
    return cost / 2 if SENTENCE_END.search(unit) else cost


def _places(detector: Detector, units: list[str]) -> list[int]:
    """Return the best language of each unit.

    The best way to split the units up to one with a given language either continues in that
    language or changes from the best one before it: the Viterbi algorithm.
    """
    scores = np.zeros(len(detector.codes))
    stays, leaders = [], []
    cost = 0.0
    for unit, evidence in zip(units, _evidence(detector, units), strict=True):
        leader = int(scores.argmax())
        changed = scores[leader] - cost
        # Ties change late: a number belongs to what precedes it.
        stay = scores > changed
        stays.append(np.packbits(stay))
        leaders.append(leader)
        scores = np.where(stay, scores, changed) + evidence
        scores -= scores.max()
        cost = change_after(unit, len(scores))
    places = []
    place = int(scores.argmax())
    for stay, leader in zip(reversed(stays), reversed(leaders), strict=True):
        places.append(place)
        if not stay[place >> 3] >> (7 - (place & 7)) & 1:
            place = leader
    return places[::-1]
