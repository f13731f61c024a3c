"""Weights and biases that are fitted: what they say without evidence, and how sure they may be."""

import numpy as np
import pytest

from addhash.learning.calibration import softmax
from addhash.learning.view_weights import (
    GRID,
    MOST_CROSSED,
    Task,
    fitted_crosses,
    fitted_weights,
    usual_weights,
)


def separated(size):
    """Views of two classes, all of which point to the true class."""
    codes = np.arange(size) % 2
    views = np.zeros((size, 1, 2))
    views[np.arange(size), 0, codes] = 1.0
    return views, codes


def scores(views, fitted):
    return np.einsum("skc,ck->sc", views, fitted.weights + fitted.own_weights) + fitted.biases


@pytest.mark.parametrize("size", [100, 300, 2000])
def test_examples_that_are_all_right_do_not_make_certain(size):
    views, codes = separated(size)
    counts = np.bincount(codes)
    sure = softmax(
        scores(views, fitted_weights(Task(views, codes, counts), np.array([1.0]), True))
    ).max()
    assert 0.9 < sure <= 1 - 1 / (size + 2)


def test_few_examples_leave_the_usual_weights_less_than_many():
    found = []
    for size in (100, 2000):
        views, codes = separated(size)
        fitted = fitted_weights(Task(views, codes, np.bincount(codes)), np.array([1.0]), True)
        found.append(fitted.weights[0])
    assert 1 < found[0] < found[1]


@pytest.mark.parametrize("few", [1, 5, 50])
def test_a_class_with_few_examples_is_less_likely_but_not_hopeless(few):
    counts = np.array([few, 500])
    codes = np.repeat([0, 1], counts)
    views = np.zeros((len(codes), 1, 2))
    biases = fitted_weights(Task(views, codes, counts), np.ones(1), True).biases
    expected = counts + counts.mean()
    # Without evidence, the prior is right as it is, but for the doubt.
    assert biases[1] - biases[0] == pytest.approx(np.log(expected[1] / expected[0]), abs=0.02)
    assert biases.sum() == pytest.approx(0, abs=2 * GRID)


def test_without_biases_there_are_none():
    views, codes = separated(100)
    fitted = fitted_weights(Task(views, codes, np.array([30, 70])), np.array([1.0]), False)
    assert not fitted.biases.any()


def test_numbers_are_where_the_loss_is_least():
    random = np.random.default_rng(0)
    codes = random.integers(0, 3, 400)
    views = random.normal(size=(400, 4, 3))
    views[np.arange(400), :, codes] += [1.0, 0.5, 0.0, -0.5]
    usual = usual_weights(("char 1", "char 2"))
    fitted = fitted_weights(Task(views, codes, np.bincount(codes)), usual, True)
    assert fitted.weights[0] > fitted.weights[1] > fitted.weights[3]
    shares = softmax(scores(views, fitted))
    for factor in (1.5, 0.5):
        other = fitted._replace(weights=fitted.weights * factor)
        worse = softmax(scores(views, other))
        rows = np.arange(400)
        assert np.log(worse[rows, codes]).mean() < np.log(shares[rows, codes]).mean()
    assert fitted.loss > 0


def test_a_class_has_weights_of_its_own():
    # A view that tells nothing but about the first class.
    random = np.random.default_rng(0)
    codes = random.integers(0, 3, 1000)
    views = random.normal(size=(1000, 1, 3))
    views[codes == 0, 0, 0] += 2
    fitted = fitted_weights(Task(views, codes, np.bincount(codes)), np.array([0.5]), True)
    used = fitted.weights[0] + fitted.own_weights[:, 0]
    assert used[0] > 1 > 0.4 > max(abs(used[1]), abs(used[2]))
    # A later class, which adds nothing, stands between them.
    assert used.min() < fitted.weights[0] < used.max()


def crossed_scores(views, fitted, crosses):
    return scores(views, fitted) + np.einsum("skc,kcd->sd", views, crosses)


def test_a_class_hears_of_another_what_its_own_views_do_not_tell():
    # The first view of class 0 is large for texts of class 1.
    random = np.random.default_rng(0)
    codes = random.integers(0, 3, 1500)
    views = random.normal(size=(1500, 2, 3))
    views[codes == 1, 0, 0] += 2
    task = Task(views, codes, np.bincount(codes))
    fitted = fitted_weights(task, np.array([0.5, 0.5]), True)
    crosses = fitted_crosses(task, fitted)
    assert crosses.shape == (2, 3, 3)
    assert crosses[0, 0].argmax() == 1
    # Nobody gains by it in the mean, and what all classes share says nothing.
    assert np.abs(crosses.mean(axis=1)).max() < 1e-4 > np.abs(crosses.mean(axis=2)).max()
    before = (scores(views, fitted).argmax(axis=1) == codes).mean()
    assert (crossed_scores(views, fitted, crosses).argmax(axis=1) == codes).mean() > before + 0.05


def test_few_examples_and_many_classes_have_no_crosses_to_speak_of():
    random = np.random.default_rng(1)
    largest = []
    for size in (100, 4000):
        codes = np.arange(size) % 3
        views = random.normal(size=(size, 1, 3))
        views[codes == 1, 0, 0] += 2
        task = Task(views, codes, np.bincount(codes))
        fitted = fitted_weights(task, np.array([0.5]), True)
        largest.append(np.abs(fitted_crosses(task, fitted)).max())
    assert largest[0] < largest[1] / 5
    codes = np.arange(200) % (MOST_CROSSED + 1)
    task = Task(random.normal(size=(200, 1, MOST_CROSSED + 1)), codes, np.bincount(codes))
    fitted = fitted_weights(task, np.array([0.5]), True)
    assert fitted_crosses(task, fitted).shape == (1, 0, 0)
