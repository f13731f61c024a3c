import numpy as np
import pytest

from addhash import (
    BayesClassifier,
    CentroidClassifier,
    NearestNeighborClassifier,
    TextClassifier,
)
from addhash.errors import ParameterError
from addhash.learning.sample_weight import repetitions
from addhash.sample import load_messages

WEIGHTS = [2, 0, 1, 3] * 37 + [1, 1]


def repeated(values):
    return [v for v, weight in zip(values, WEIGHTS, strict=True) for _ in range(weight)]


@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_weights_are_exact_repetitions(method):
    texts, labels = load_messages()
    weighted = TextClassifier(method).fit(texts, labels, sample_weight=WEIGHTS)
    twice = TextClassifier(method).fit(repeated(texts), repeated(labels))
    assert weighted.digest() == twice.digest()
    assert weighted.predict_proba(texts).tolist() == twice.predict_proba(texts).tolist()
    learnt = TextClassifier(method).partial_fit(texts, labels, sample_weight=np.array(WEIGHTS))
    assert learnt.digest() == twice.digest()
    right = np.array(weighted.predict(texts) == np.array(labels))
    expected = np.average(right, weights=WEIGHTS)
    assert weighted.score(texts, labels, sample_weight=WEIGHTS) == pytest.approx(expected)


@pytest.mark.parametrize(
    "classifier", [BayesClassifier(), CentroidClassifier(), NearestNeighborClassifier()]
)
def test_weights_of_vectors_are_exact_repetitions(classifier):
    X = np.random.default_rng(0).integers(0, 9, (150, 6))
    y = np.array(["a", "b", "c"])[np.arange(150) % 3]
    asked = X + 1
    weighted = classifier.fit(X, y, sample_weight=WEIGHTS).decision_function(asked)
    partial = classifier.fit(X[:1], y[:1]).forget(X[:1], y[:1])
    partial = partial.partial_fit(X, y, sample_weight=WEIGHTS).decision_function(asked)
    chosen = repetitions(WEIGHTS, 150)
    expected = classifier.fit(X[chosen], y[chosen]).decision_function(asked)
    assert weighted.tolist() == expected.tolist()
    if not isinstance(classifier, BayesClassifier):  # whose smoothing is chosen by fit
        assert partial.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 0.5], r"sample_weight\[1\] is 0.5; expected a whole number"),
        ([-1, 1], r"sample_weight\[0\] is -1.0"),
        ([1, float("nan")], r"sample_weight\[1\] is nan"),
        ([1, float("inf")], r"sample_weight\[1\] is inf"),
        ([1], r"one for each of 2 examples. Got an array of shape \(1,\)"),
        ([[1, 1]], "must be 1D"),
        (["a", "b"], "Expected numbers as sample_weight"),
        ([0, 0], "are zero"),
    ],
)
def test_other_weights_are_refused(weights, message):
    with pytest.raises(ParameterError, match=message):
        TextClassifier().fit(["a", "b"], ["x", "y"], sample_weight=weights)
    with pytest.raises(ParameterError, match=message):
        CentroidClassifier().fit([[1], [2]], ["x", "y"], sample_weight=weights)
