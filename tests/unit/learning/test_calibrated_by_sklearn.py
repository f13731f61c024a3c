"""Decisions are on one scale for short and long texts, so scikit-learn can calibrate them."""

import random

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV

from addhash import TextClassifier

SHARED = [f"word{i}" for i in range(200)]
OWN = {"good": ["fine", "lovely", "brilliant"], "bad": ["awful", "dull", "wretched"]}


def reviews(count, seed):
    """Return texts of 4 to 400 words; about one in six says something of the other class."""
    rng = random.Random(seed)
    texts, labels = [], []
    for _ in range(count):
        label, other = rng.sample(["good", "bad"], 2)
        length = round(4 * 100 ** rng.random())
        words = rng.choices(SHARED, k=length)
        for _ in range(1 + length // 20):
            words[rng.randrange(length)] = rng.choice(OWN[other if rng.random() < 1 / 6 else label])
        texts.append(" ".join(words))
        labels.append(label)
    return texts, np.array(labels)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibrating_costs_no_accuracy(method):
    texts, labels = reviews(400, 1)
    others, truths = reviews(400, 2)
    plain = TextClassifier().fit(texts, labels).score(others, truths)
    calibrated = CalibratedClassifierCV(TextClassifier(), method=method, cv=3).fit(texts, labels)
    assert plain > 0.8
    right = np.mean(calibrated.predict(others) == truths)
    assert right > plain - 0.02
    # Decisions that grow with the length of a text leave the short ones unsure: 0.12 apart.
    assert abs(calibrated.predict_proba(others).max(axis=1).mean() - right) < 0.06
