"""Builds the detector's model from texts in known languages."""

from typing import Any

import numpy as np

from addhash.hashing.vectorizer import TextVectorizer
from addhash.languages.calibration import Calibration, pieces
from addhash.languages.sources import Corpus
from addhash.learning.text_classifier import TextClassifier

__all__ = ["train", "unfitted"]

# One text in five is held out to calibrate the detector; at most this many are asked.
FOLDS = 5
MOST_ASKED = 2000


def unfitted(n_jobs: int | None = None) -> TextClassifier:
    """Return a classifier with the settings of the detector.

    N-grams within words, each counted once per text: the evidence of a word is the same wherever it
    is, and repeating it adds nothing.
    """
    vectorizer = TextVectorizer(
        analyzer="char_wb",
        ngram_range=(1, 4),
        lowercase=True,
        binary=True,
        norm=None,
        dtype=np.int32,
    )
    return TextClassifier(
        vectorizer=vectorizer, n_buckets=2**22, smoothing=0.125, fit_prior=False, n_jobs=n_jobs
    )


def train(corpus: Corpus, n_jobs: int | None = None) -> tuple[TextClassifier, dict[str, str]]:
    """Return a model of a corpus, and the metadata for its file."""
    metadata = {
        "about": "languages by ISO 639-3 code",
        "sources": "; ".join(corpus.sources),
        "license": "ODbL 1.0, as its sources",
        **_calibration(corpus, n_jobs).metadata,
    }
    return unfitted(n_jobs).fit(corpus.texts, corpus.codes), metadata


def _calibration(corpus: Corpus, n_jobs: int | None) -> Calibration:
    """Ask about pieces of the held-out texts."""
    order = np.random.default_rng(0).permutation(len(corpus.texts))
    held, learnt = np.split(order, [len(order) // FOLDS])
    texts, codes = np.array(corpus.texts, object), np.array(corpus.codes)
    classifier = unfitted(n_jobs).fit(texts[learnt], codes[learnt])
    held = held[np.isin(codes[held], classifier.classes_)][:MOST_ASKED]
    if len(classifier.classes_) < 3 or not len(held):
        return Calibration()
    positions, asked = zip(*pieces(texts[held].tolist(), seed=0), strict=True)
    evidence: Any = classifier.decision_function(asked)
    right = np.searchsorted(classifier.classes_, codes[held][list(positions)])
    return Calibration.fitted(evidence, [len(text) for text in asked], right)
