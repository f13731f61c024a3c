"""One pass serves all lengths of vectors, and the nearest are the nearest."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from addhash.paper.experiments import sweeps
from addhash.paper.experiments.example import additive_hashing, hashing_trick
from addhash.paper.experiments.sweeps import (
    METHODS,
    exact_sums,
    narrowed,
    nearest_known,
    nearest_texts,
    ranked_neighbors,
)
from tests.texts import HOSTILE, SCRIPTS

pytestmark = pytest.mark.slow

TEXTS = [text for text in SCRIPTS + HOSTILE if len(text) >= 3]


def spaced(text):
    """What an analyzer of characters sees: a run of white space is one space."""
    return re.sub(r"\s\s+", " ", text)


def slow_sums(method, text, n, size):
    """One n-gram after the other, by the paper's algorithms."""
    tokens = [text[i : i + n] for i in range(len(text) - n + 1)]
    if method == "ah":
        return additive_hashing(tokens, size)
    return hashing_trick(tokens, size, is_signed=True)


def slow_nearest(known, asked):
    """The position of the highest cosine, the first of equal ones; all in float64."""
    known, asked = known.astype(np.float64), asked.astype(np.float64)
    lengths = np.outer(np.linalg.norm(asked, axis=1), np.linalg.norm(known, axis=1))
    cosines = np.divide(asked @ known.T, lengths, out=np.zeros(lengths.shape), where=lengths > 0)
    return cosines.round(12).argmax(axis=1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 3])
def test_sums_are_the_papers(method, n):
    expected = [slow_sums(method, spaced(text), n, 64) for text in TEXTS]
    np.testing.assert_array_equal(exact_sums(method, TEXTS, n, 64), expected)


@given(st.lists(st.text(min_size=1), min_size=1, max_size=5), st.sampled_from([1, 2, 3]))
@settings(max_examples=50, deadline=None)
def test_smaller_vectors_come_from_larger_ones(texts, n):
    for method in METHODS:
        largest = exact_sums(method, texts, n, 512)
        for size in (16, 64, 512):
            np.testing.assert_array_equal(
                narrowed(method, largest, size), exact_sums(method, texts, n, size)
            )


def test_case_is_ignored_where_it_should_be():
    upper, lower = (
        exact_sums("ah", [t], 3, 64, lowercase=True) for t in ("SPAM spam", "spam Spam")
    )
    np.testing.assert_array_equal(upper, lower)
    assert (exact_sums("ah", ["SPAM"], 3, 64) != exact_sums("ah", ["spam"], 3, 64)).any()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("batch", [1, 7, 2000])
def test_nearest_texts(monkeypatch, method, batch):
    monkeypatch.setattr(sweeps, "BATCH", batch)
    known, asked = TEXTS[::2], TEXTS[1::2]
    ticks = []
    found = nearest_texts(method, known, asked, 2, [32, 128], ticks.append)
    for size in (32, 128):
        sums = (
            np.array([slow_sums(method, spaced(text), 2, size) for text in side])
            for side in (known, asked)
        )
        np.testing.assert_array_equal(found[size], slow_nearest(*sums))
    assert ticks[-1] == 1.0
    assert ticks == sorted(ticks)


@pytest.mark.parametrize("count", [1, 2, 40])
def test_nearest_known(count):
    rng = np.random.default_rng(0)
    sums = rng.integers(-3, 4, (40, 8)).astype(np.int32)
    sums[7] = 0
    sums[20:25] = sums[0]
    ranked = ranked_neighbors(sums, count)
    for share in (0.05, 0.5, 0.9):
        is_known = rng.random(40) < share
        is_known[3] = True
        known = np.flatnonzero(is_known)
        for is_asked in (~is_known, ~is_known & (rng.random(40) < 0.5)):
            nearest = nearest_known(sums, ranked, is_known, is_asked)
            expected = known[slow_nearest(sums[known], sums[is_asked])]
            np.testing.assert_array_equal(nearest, expected)
