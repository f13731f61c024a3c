"""Texts held back from a model of the language detector: how often it is right, and how sure.

One sentence and one word of the lists in 16, by a hash of the text, so that a text of several
languages is held back from all of them, and a model of the rest. What the numbers of the detector
were chosen on: the prior and how sure an answer may be.
"""

import zlib
from typing import Any

import numpy as np

from addhash import TextClassifier, languages
from addhash.languages.corpus import Corpus, Texts
from benchmarks import harness
from benchmarks.detector_texts import merged

PART = 16
# Of each language that has a two-letter code, so that the large ones do not decide.
MOST = 30
SURE = 0.9


def is_held_back(text: str) -> bool:
    """Whether a text is not taught."""
    return zlib.crc32(text.encode()) % PART == 0


def split() -> tuple[TextClassifier, Corpus]:
    """Return a model of 15 of 16 parts, and the rest."""
    corpus = languages.read_corpus(harness.data_folder())
    kept = {code: _part(texts, False) for code, texts in corpus.items()}
    rest = {code: _part(texts, True) for code, texts in corpus.items()}
    return languages.train({code: t for code, t in kept.items() if t.sentences or t.words})[0], rest


def _part(texts: Texts, is_held: bool) -> Texts:
    return Texts(
        [text for text in texts.sentences if is_held_back(text) == is_held],
        [(word, count) for word, count in texts.words if is_held_back(word) == is_held],
    )


def _chosen(texts: list[str]) -> list[str]:
    return sorted(texts, key=lambda text: zlib.crc32(b"chosen" + text.encode()))[:MOST]


def _words(sentence: str, count: int) -> str:
    """Return so many words of a sentence that follow each other, or less if it is shorter."""
    words = [word for word in sentence.split() if sum(map(str.isalpha, word)) >= 3]
    first = zlib.crc32(sentence.encode()) % max(1, len(words) - count + 1)
    return " ".join(words[first : first + count])


def run() -> list[dict[str, Any]]:
    model, rest = split()
    known = [each.code for each in languages.known() if each.short and each.tier == "usual"]
    sentences = {code: _chosen(rest[code].sentences) for code in known}
    words = {code: _chosen([word for word, _ in rest[code].words]) for code in known}
    sets = {
        "sentences": sentences,
        "two words of them": {c: [_words(s, 2) for s in own] for c, own in sentences.items()},
        "one word of them": {c: [_words(s, 1) for s in own] for c, own in sentences.items()},
        "words of the lists": words,
    }
    return [_row(name, texts, model) for name, texts in sets.items()]


def _row(data: str, texts: dict[str, list[str]], model: TextClassifier) -> dict[str, Any]:
    asked = [(text, code) for code, own in texts.items() for text in own if text]
    found = languages.detect([text for text, _ in asked], threshold=0, model=model)
    right = np.array(
        [
            answer is not None and merged(answer.code) == merged(code)
            for answer, (_, code) in zip(found, asked, strict=True)
        ]
    )
    sure = np.array([answer is not None and answer.probability > SURE for answer in found])
    return {
        "data": data,
        "texts": len(asked),
        "right": float(right.mean()),
        f"probability above {SURE}": float(sure.mean()),
        "right of these": float(right[sure].mean()),
    }
