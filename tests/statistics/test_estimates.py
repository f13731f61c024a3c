"""Estimates are as good as they say: fixed documents, bounds from the binomial distribution."""

from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import binom

from addhash import DocumentHash

DOCUMENTS = 1000


def expected_hits(trials, probability):
    """The range of hits that chance leaves with a probability below one in a million."""
    return binom.interval(1 - 1e-6, trials, probability)


def random_documents(n_features, randomizer):
    """Documents of their own tokens each, so that their errors are independent."""
    rng = np.random.default_rng(n_features)
    for i in range(DOCUMENTS):
        size = int(rng.integers(2, 400))
        counts = np.minimum(rng.zipf(1.5, size), 200).tolist()
        document = DocumentHash(n_features, randomizer=randomizer)
        for j, count in enumerate(counts):
            document.add(f"{i}/{j}", count)
        yield i, document, counts


@pytest.fixture(scope="module", params=[(256, "shake256"), (2048, "shake256"), (2048, "aes128")])
def errors(request):
    """The errors of all documents' estimates: of one that is there, and one that is not."""
    n_features, randomizer = request.param
    found = []
    for i, document, counts in random_documents(n_features, randomizer):
        for token, count in ((f"{i}/0", counts[0]), (f"{i}/absent", 0)):
            estimate = document.estimate(token)
            others = sum(n * n for n in counts) - count * count
            found.append((estimate, count, sqrt(others / n_features)))
    return found


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("is_there", [True, False])
def test_intervals_hold_the_count_as_often_as_stated(errors, confidence, is_there):
    hits = 0
    for estimate, count, _ in errors:
        if (count > 0) == is_there:
            low, high = estimate.interval(confidence)
            hits += low <= count <= high
    low, high = expected_hits(DOCUMENTS, confidence)
    assert low <= hits <= high


def test_estimates_are_unbiased(errors):
    scores = np.array([(estimate.count - count) / true for estimate, count, true in errors])
    assert abs(scores.mean()) < 5 / sqrt(len(scores))
    assert abs(np.mean(scores**2) - 1) < 5 * sqrt(2 / len(scores))


def test_standard_errors_are_unbiased(errors):
    ratios = np.array([(estimate.standard_error / true) ** 2 for estimate, _, true in errors])
    assert abs(ratios.mean() - 1) < 5 * ratios.std() / sqrt(len(ratios))


@pytest.mark.parametrize("confidence", [0.9, 0.99])
def test_absent_tokens_are_found_as_rarely_as_stated(confidence):
    trials = 4000
    document = DocumentHash().update(f"token {i}" for i in range(300))
    hits = sum(document.contains(f"absent {i}", confidence) for i in range(trials))
    low, high = expected_hits(trials, 1 - confidence)
    assert low <= hits <= high


@pytest.mark.parametrize("size", [80, 400, 2000])
def test_present_tokens_are_found_as_often_as_stated(size):
    """The probability in the documentation of `contains`, over documents of their own tokens."""
    z = NormalDist().inv_cdf(0.99)
    hits = expected = 0
    for i in range(DOCUMENTS):
        document = DocumentHash(randomizer="aes128").update(f"{i}/{j}" for j in range(size))
        hits += document.contains(f"{i}/0")
        expected += NormalDist().cdf(1 / sqrt((size - 1) / 2048) - z)
    low, high = expected_hits(DOCUMENTS, expected / DOCUMENTS)
    assert low <= hits <= high


def test_the_only_token_is_known_exactly():
    estimate = DocumentHash().add("alone", 7).estimate("alone")
    assert estimate == (7.0, 0.0)
    assert estimate.interval(0.9) == (7.0, 7.0)


def test_many_components_tell_more():
    tokens = [f"token {i}" for i in range(1000)]
    errors = [
        DocumentHash(n).update(tokens).estimate("token 5").standard_error for n in (64, 1024, 16384)
    ]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.3)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.3)
