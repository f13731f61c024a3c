"""Builds the detector's model from texts in known languages."""

import re
from collections import Counter
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.languages.corpus import Corpus, Texts, sources
from addhash.languages.pages import PAGES
from addhash.languages.table import language
from addhash.learning.classes import Classes
from addhash.learning.ngram_mixture import N_SCRIPTS, NgramMixture, Rule, Trait
from addhash.learning.text_classifier import TextClassifier
from addhash.runtime import native

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# The share of the sentences in what a language is known for; the rest is that of its words.
SENTENCE_SHARE = 0.6
# The weight of a word is the square root of its frequency, in units of this part of one.
WORD_UNIT = 10
# An n-gram is kept if a language has it so often, by its kind: inside a word, a word, at its edge,
# without spaces; languages with little text count up to three times, as if they had more.
LEAST = np.array([10.5, 1.0, 2.0, 2.0])
MUCH_TEXT, MOST_BOOST = 50_000, 3.0
# Languages of an n-gram that are kept: those with the largest shares.
MOST_LANGUAGES = 101
# A rare language keeps this many n-grams, among the most frequent of those that others have.
RARE_CANDIDATES, RARE_NGRAMS = 2000, 500
# Counts are rounded to these, which take the least room in a file.
COMMON = np.array(native.COMMON_COUNTS)
# The prior of a language: how many of a million web pages are in it, a few at least, for four
# fifths; its speakers, within bounds, for one; and whether ISO 639-1 has it. Beyond many pages,
# bits count less.
FEWEST_PAGES, MANY_PAGES, BEYOND, PAGES_SHARE = 5, 20_000, 0.5, 0.8
FEWEST, MOST_SPEAKERS = 100_000, 300_000_000
NO_SHORT_CODE = 5.0  # bits
# A variety of a language that is known by itself needs more evidence than that.
VARIETY = 4.0  # bits
# Chosen on held-back text: see docs/languages.md.
RULE = Rule()
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


@dataclass(frozen=True)
class _Ngrams:
    """The n-grams of one language: in ascending order, how often, and how well attested."""

    keys: npt.NDArray[np.uint64]
    counts: Floats
    evidence: Floats
    totals: Integers  # by script


def train(corpus: Corpus) -> tuple[TextClassifier, dict[str, str]]:
    """Return a model of a corpus, and the metadata for its file.

    Parameters
    ----------
    corpus : dict of str to Texts
        As `read_corpus` returns it.

    Returns
    -------
    classifier : TextClassifier
    metadata : dict of str to str
    """
    codes = sorted(corpus)
    ngrams = [_ngrams_of(corpus[code]) for code in codes]
    totals = np.array([one.totals for one in ngrams])
    traits = {code: trait_of(code) for code in codes}
    is_rare = np.array([traits[code].is_rare for code in codes])
    keys, labels, counts = _usual(ngrams, is_rare, totals)
    kept = np.unique(keys)
    rare = [_rare(ngrams[label], label, kept) for label in np.flatnonzero(is_rare).tolist()]
    parts = [(keys, labels, counts), *rare]
    keys, labels, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    packed = _trimmed(keys, labels, _rounded(counts), is_rare)
    texts = [len(corpus[code].sentences) or len(corpus[code].words) for code in codes]
    classes = Classes(np.array(codes), np.array(texts, np.int64))
    memory = NgramMixture(packed, totals, classes, traits, RULE)
    return TextClassifier.of_memory("mixture", memory), _metadata()


def _metadata() -> dict[str, str]:
    return {
        "about": "languages by ISO 639-3 code",
        "license": "CC BY 4.0; made from texts that are CC0, CC BY, Unicode-licensed or in the"
        " public domain",
        "sources": "; ".join(
            f"{source.name}: {source.attribution} ({source.licence})" for source in sources()
        ),
    }


def trait_of(code: str) -> Trait:
    """Return what a language is known for beforehand.

    >>> trait_of("eng").prior > trait_of("swe").prior > trait_of("sco").prior
    True
    >>> trait_of("eng").prior
    0.0
    """
    known = language(code)
    met = _met(PAGES.get(code, 0)) - _met(max(PAGES.values()))
    speakers = min(max(known.speakers, FEWEST), MOST_SPEAKERS)
    prior = PAGES_SHARE * met + (1 - PAGES_SHARE) * _bits(speakers / MOST_SPEAKERS)
    group = known.group if known.group not in ("", code) else None
    if not known.short:
        prior -= NO_SHORT_CODE
        prior -= VARIETY if group and language(group).speakers else 0
    # Rounded, so that a file does not depend on the last bit.
    return Trait(round(prior, 2), known.tier == "rare", group)


def _met(pages: int) -> float:
    """Return how often a language with so many of a million pages is met, in bits."""
    bits = _bits(max(pages, FEWEST_PAGES) / MANY_PAGES)
    return bits * BEYOND if bits > 0 else bits


def _bits(share: float) -> float:
    logarithms = np.array([share, 2.0])
    native.logarithms(logarithms)
    return float(logarithms[0] / logarithms[1])


def _ngrams_of(texts: Texts) -> _Ngrams:
    """Return the n-grams of a language's sentences and words as one distribution."""
    words = [word for word, _ in texts.words]
    weights = [_weight(count, 100_000) if count > 1 else WORD_UNIT for _, count in texts.words]
    if all(count == 1 for _, count in texts.words):  # no frequencies: those of the sentences
        counted: Counter[str] = Counter()
        for sentence in texts.sentences:
            counted.update(WORD.findall(sentence.lower()))
        words += counted
        weights += [_weight(count, 1) for count in counted.values()]
    said, said_counts = native.tally_ngrams(
        texts.sentences, np.ones(len(texts.sentences), np.int64)
    )
    listed, listed_sums = native.tally_ngrams(words, np.array(weights, np.int64))
    listed_counts = listed_sums / WORD_UNIT
    keys = np.union1d(said, listed)
    scripts = (keys >> np.uint64(32)).astype(np.intp)
    own, theirs = np.zeros(len(keys)), np.zeros(len(keys))
    own[np.searchsorted(keys, said)] = said_counts
    theirs[np.searchsorted(keys, listed)] = listed_counts
    own_totals = np.bincount(scripts, own, N_SCRIPTS)
    their_totals = np.bincount(scripts, theirs, N_SCRIPTS)
    shares = (
        _shares(own, own_totals, scripts) * np.where(their_totals > 0, SENTENCE_SHARE, 1)[scripts]
    )
    shares += (
        _shares(theirs, their_totals, scripts)
        * np.where(own_totals > 0, 1 - SENTENCE_SHARE, 1)[scripts]
    )
    totals = np.rint(own_totals + their_totals)
    # Words of other scripts are quotations.
    is_own = totals[scripts] * 10 >= totals.sum()
    boost = np.clip(MUCH_TEXT / np.maximum(totals[scripts], 1), 1, MOST_BOOST)
    counts = np.maximum(np.rint(shares * totals[scripts]), 1)
    attested = (own + theirs) * boost
    written = np.where(totals * 10 >= totals.sum(), totals, 0).astype(np.int64)
    return _Ngrams(keys[is_own], counts[is_own], attested[is_own], written)


def _weight(count: int, one: int) -> int:
    """Return the square root of a frequency, in units."""
    return max(3, isqrt(count * WORD_UNIT**2 // one))


def _shares(counts: Floats, totals: Array, scripts: Array) -> Floats:
    result: Floats = counts / np.maximum(totals, 1)[scripts]
    return result


def _usual(
    ngrams: list[_Ngrams], is_rare: npt.NDArray[np.bool_], totals: Integers
) -> tuple[Array, Array, Array]:
    """Return keys, languages and counts of the n-grams that are kept for the usual languages."""
    chosen = np.flatnonzero(~is_rare).tolist()
    keys = np.concatenate([ngrams[i].keys for i in chosen])
    labels = np.concatenate([np.full(len(ngrams[i].keys), i, np.uint16) for i in chosen])
    counts = np.concatenate([ngrams[i].counts for i in chosen])
    evidence = np.concatenate([ngrams[i].evidence for i in chosen])
    order = np.argsort(keys, kind="stable")
    keys, labels, counts = keys[order], labels[order], counts[order]
    starts = _starts(keys)
    most = np.maximum.reduceat(evidence[order], starts)
    least = LEAST[(keys[starts] >> np.uint64(native.KIND_SHIFT) & np.uint64(3)).astype(np.intp)]
    kept = np.repeat(most >= least, np.diff(starts, append=len(keys)))
    keys, labels, counts = keys[kept], labels[kept], counts[kept]
    # The largest shares of each n-gram.
    shares = counts / (totals[labels, (keys >> np.uint64(32)).astype(np.intp)] + 3000)
    order = np.lexsort((-shares, keys))
    starts = _starts(keys[order])
    ranks = np.arange(len(keys)) - np.repeat(starts, np.diff(starts, append=len(keys)))
    order = order[ranks < MOST_LANGUAGES]
    return keys[order], labels[order], counts[order]


def _starts(keys: Array) -> Integers:
    return np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])


def _rare(ngrams: _Ngrams, label: int, kept: Array) -> tuple[Array, Array, Array]:
    """Return the most frequent n-grams of a rare language among those that are kept."""
    places = np.minimum(np.searchsorted(kept, ngrams.keys), len(kept) - 1)
    known = np.flatnonzero(kept[places] == ngrams.keys)
    known = known[np.argsort(-ngrams.counts[known], kind="stable")][:RARE_CANDIDATES]
    return ngrams.keys[known], np.full(len(known), label, np.uint16), ngrams.counts[known]


def _trimmed(
    keys: Array, labels: Array, counts: Integers, is_rare: npt.NDArray[np.bool_]
) -> native.NgramCounts:
    """Return the counts, of each rare language only the largest."""
    order = np.lexsort((keys, -counts, labels))
    starts = _starts(labels[order])
    ranks = np.empty(len(keys), np.int64)
    ranks[order] = np.arange(len(keys)) - np.repeat(starts, np.diff(starts, append=len(keys)))
    kept = ~is_rare[labels] | (ranks < RARE_NGRAMS)
    return native.NgramCounts().changed(keys[kept], labels[kept], counts[kept])


def _rounded(counts: Floats) -> Integers:
    """Return counts rounded to the nearest common one, unless they are larger than all."""
    middles = (COMMON[1:] + COMMON[:-1]) / 2
    nearest = COMMON[np.searchsorted(middles, counts)]
    return np.where(counts > COMMON[-1], counts, nearest).astype(np.int64)
