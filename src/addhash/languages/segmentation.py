"""Which parts of a text are in which language."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.languages.detection import (
    THRESHOLD,
    Detector,
    Prior,
    as_text,
    check_threshold,
    detector_of,
    unknown,
)
from addhash.learning.text_classifier import TextClassifier
from addhash.runtime import native, resolve_threads

Floats = npt.NDArray[np.float64]

# What a change of language costs, in bits of evidence, and what a word costs in a language that
# does not write its script. A change costs half at the end of a sentence.
CHANGE = 135.0
OTHER_SCRIPT = 40.0
PRIOR_WEIGHT = 1.0
SENTENCE_END = re.compile(r"[.!?:;。！？।؟։።\n][\"'”’»)\]]*\s*$")
# A unit is a word, or a piece of text written without spaces, with the space after it.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef"
    "\U0001b000-\U0001b2ff\U00020000-\U0003ffff"
)
UNIT = rf"\s*(?:[{UNSPACED}]{{1,8}}|[^\s{UNSPACED}]{{1,64}})\s*|\s+"
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
    script: str | None
    group: str
    group_probability: float


def segments(
    text: str | bytes,
    languages: Iterable[str] | None = None,
    *,
    threshold: float = THRESHOLD,
    prior: Prior = "usual",
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
    languages : sequence of str, optional
        As for `detect`, like the others.
    threshold : float
    prior : {"usual", "uniform"}
    model : TextClassifier, optional

    Returns
    -------
    segments : list of Segment
        Empty if the text has no words.

    Examples
    --------
    >>> from addhash import languages
    >>> text = "The weather is fine today. Das Wetter ist heute wirklich sehr schön."
    >>> [(s.code, text[s.start : s.end]) for s in languages.segments(text, ["en", "de"])]
    [('eng', 'The weather is fine today. '), ('deu', 'Das Wetter ist heute wirklich sehr schön.')]
    """
    threshold = check_threshold(threshold)
    detector = detector_of(model, languages, prior)
    clean = as_text(text)
    (whole,) = detector.answers([clean], 1, threshold, "language")
    if whole is None:
        return []
    units = [match.group() for match in re.finditer(UNIT, clean)]
    ends = np.cumsum([len(unit) for unit in units]).tolist()
    places = _places(detector, units)
    changes = [i for i, (a, b) in enumerate(pairwise(places), 1) if a != b]
    borders = [0, *(ends[i - 1] for i in changes), len(clean)]
    parts = [clean[start:end] for start, end in pairwise(borders)]
    found = [
        unknown(0.0, None) if answer is None else answer[0]
        for answer in detector.answers(parts, 1, threshold, "language")
    ]
    result: list[Segment] = []
    for (start, end), answer in zip(pairwise(borders), found, strict=True):
        if result and result[-1].code == answer.code:  # one language after all
            start = result.pop().start
            (again,) = detector.answers([clean[start:end]], 1, threshold, "language")
            answer = answer if again is None else again[0]
        result.append(Segment(start, end, *answer))
    return result


def _evidence(detector: Detector, units: list[str]) -> Iterator[Floats]:
    """Yield the evidence of each unit for each language, in bits; none without words."""
    columns = detector.columns
    writes = detector.writes
    for start in range(0, len(units), BATCH):
        batch = [unit.strip() for unit in units[start : start + BATCH]]
        distinct = sorted(set(batch))
        scores, _, scripts = detector.compiled.evidence(distinct, resolve_threads(None))
        rows = scores[:, columns] * native.EVIDENCE_UNIT
        rows -= np.where(writes[scripts], 0, OTHER_SCRIPT)
        by_unit = dict(zip(distinct, rows, strict=True))
        for unit in batch:
            yield by_unit[unit]


def _places(detector: Detector, units: list[str]) -> list[int]:
    """Return the best language of each unit.

    The best way to split the units up to one with a given language either continues in that
    language or changes from the best one before it: the Viterbi algorithm.
    """
    entry = PRIOR_WEIGHT * detector.priors
    scores = entry.copy()
    stays, leaders = [], []
    cost = 0.0
    for unit, evidence in zip(units, _evidence(detector, units), strict=True):
        leader = int(scores.argmax())
        changed = scores[leader] - cost + entry
        # Ties change late: a number belongs to what precedes it.
        stay = scores > changed
        stays.append(np.packbits(stay))
        leaders.append(leader)
        scores = np.where(stay, scores, changed) + evidence
        scores -= scores.max()
        cost = CHANGE / 2 if SENTENCE_END.search(unit) else CHANGE
    places = []
    place = int(scores.argmax())
    for stay, leader in zip(reversed(stays), reversed(leaders), strict=True):
        places.append(place)
        if not stay[place >> 3] >> (7 - (place & 7)) & 1:
            place = leader
    return places[::-1]
