"""The paper's classifier on real data: character 3-grams, cosine, nearest neighbour."""

import os
from pathlib import Path

import numpy as np
import pytest

from addhash import AdditiveHashingVectorizer, NearestNeighborClassifier, TextClassifier

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("ADDHASH_DATA", ROOT.parent / "shared" / "data"))


def lines(name):
    path = DATA / name
    if not path.exists():
        pytest.skip(f"needs {path}; set ADDHASH_DATA to a folder with the data sets")
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def test_languages():
    """WiLI, 21 languages, official split, 2048 components, case as it is: 93.86 %."""
    part = "wili-2018/subset-21/{}.txt".format
    classifier = TextClassifier().fit(lines(part("x_train")), lines(part("y_train")))
    accuracy = 100 * classifier.score(lines(part("x_test")), lines(part("y_test")))
    assert accuracy == pytest.approx(93.86, abs=0.05)


def test_spam():
    """SMS, lower-cased, 4096 components, 20 random halves: accuracy, spam caught, blocked ham."""
    rows = [line.split("\t", 1) for line in lines("sms-spam/SMSSpamCollection")]
    vectorizer = AdditiveHashingVectorizer(
        analyzer="char", ngram_range=(3, 3), n_features=4096, norm=None, dtype=np.int16
    )
    X = vectorizer.transform([text for _, text in rows])
    y = np.array([label for label, _ in rows])
    rng = np.random.default_rng(0)
    figures = []
    for _ in range(20):
        order = rng.permutation(len(y))
        known, asked = order[: len(y) // 2], order[len(y) // 2 :]
        guess = NearestNeighborClassifier().fit(X[known], y[known]).predict(X[asked])
        is_spam = y[asked] == "spam"
        figures.append(
            [
                (guess == y[asked]).mean(),
                (guess[is_spam] == "spam").mean(),
                (guess[~is_spam] == "spam").mean(),
            ]
        )
    accuracy, caught, blocked = 100 * np.mean(figures, axis=0)
    assert accuracy == pytest.approx(97.4, abs=0.15)
    assert caught == pytest.approx(87.5, abs=0.7)
    assert blocked == pytest.approx(1.05, abs=0.15)
