"""Scores to probabilities, and the one number that tempers them."""

import numpy as np
import pytest

from addhash.learning.calibration import QUARTER_OCTAVES, best_temperature, softmax


@pytest.fixture
def scores():
    scores = np.random.default_rng(0).normal(0, 20, (37, 508))
    scores[:, 5] = -np.inf
    return scores


def test_probabilities_are_a_softmax(instruction_set, scores):
    found = softmax(scores)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(found, powers / powers.sum(axis=1, keepdims=True), rtol=1e-14)
    assert (found[:, 5] == 0).all()


def test_neither_other_rows_nor_the_layout_matter(instruction_set, scores):
    expected = softmax(scores).tobytes()
    kept = scores.copy()
    assert softmax(np.asfortranarray(scores)).tobytes() == expected
    assert softmax(np.repeat(scores, 2, axis=1)[:, ::2]).tobytes() == expected
    assert b"".join(softmax(row[None]).tobytes() for row in scores) == expected
    assert np.array_equal(scores, kept)


def test_without_rows_or_classes_there_is_nothing():
    assert softmax(np.empty((0, 3))).shape == (0, 3)
    assert softmax(np.empty((3, 0))).shape == (3, 0)


def test_temperatures_are_quarter_octaves(scores):
    for i, power in enumerate(QUARTER_OCTAVES):
        assert abs(power - 2 ** (i / 4)) < 2**-52
    codes = np.random.default_rng(1).integers(6, 508, len(scores))
    for factor in (0.01, 0.3, 1, 7, 300):
        found = best_temperature(factor * scores, codes)
        octaves = 4 * np.log2(found)
        assert octaves == pytest.approx(round(octaves), abs=1e-9)
        assert found == best_temperature(np.asfortranarray(factor * scores), codes)
