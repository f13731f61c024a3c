"""Strings altered at random, and the comparison of two methods on them."""

import numpy as np
import pytest

from addhash.paper.experiments import synthetic
from addhash.paper.experiments.step import Settings
from addhash.paper.experiments.synthetic import altered, cosines, steps

pytestmark = pytest.mark.slow


def test_altered_strings():
    rng = np.random.default_rng(0)
    text = "".join(rng.choice(list("abcdefghij"), 20_000))
    for p in (0.0, 0.3, 1.0):
        copy = altered(rng, text, p)
        assert len(copy) == len(text)
        assert copy.isascii()
        assert copy.isprintable()
        changed = np.mean([a != b for a, b in zip(text, copy, strict=True)])
        assert changed == pytest.approx(p, abs=0.02)
    # Every other printable character is as likely as any.
    counts = np.unique([b for a, b in zip(text, copy, strict=True) if a == "a"],
                       return_counts=True)  # fmt: skip
    assert len(counts[0]) == 94
    assert counts[1].min() > 5


def test_cosines():
    rng = np.random.default_rng(0)
    a, b = rng.integers(-5, 6, (2, 7, 9))
    expected = [x @ y / np.linalg.norm(x) / np.linalg.norm(y) for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(cosines(a, b), expected)


@pytest.fixture(scope="module")
def found():
    return [step.run(lambda fraction: None) for step in steps(Settings(seed=5, quick=True))]


def test_curves(found):
    main = found[2]
    for method in ("ah", "ht"):
        assert list(main[method]) == ["128", "256", "512", "1024"]
        for curve in main[method].values():
            assert curve[0] == [0.0, pytest.approx(1), pytest.approx(0)]
            assert [p for p, _, _ in curve] == pytest.approx(np.linspace(0, 1, 11))
    # The larger L, the nearer to the bag of words itself.
    for method in ("ah", "ht"):
        errors = [
            np.mean([abs(a[1] - b[1]) for a, b in zip(curve, main["exact"], strict=True)])
            for curve in main[method].values()
        ]
        assert errors[-1] < errors[0]


def test_the_exact_curve_is_what_theory_says(found):
    """A 3-gram survives with probability (1 - p)**3; others hardly ever match by chance."""
    for p, mean, _ in found[2]["exact"]:
        assert mean == pytest.approx((1 - p) ** 3, abs=0.06)


def test_differences(found):
    for part in (found[2], *(one["ngrams"][str(n)] for n, one in zip((1, 2, 4, 5),
                             (found[0], found[1], *found[3:]), strict=True))):  # fmt: skip
        for size, difference in part["difference"].items():
            means = [a[1] - b[1] for a, b in zip(part["ah"][size], part["ht"][size], strict=True)]
            assert abs(difference["largest"]) == pytest.approx(max(map(abs, means)))
            low, high = difference["interval"]
            assert low < difference["largest"] < high
            assert difference["farthest"] >= max(-low, high)


def test_a_method_that_is_off_is_found_out():
    """The test of equivalence can fail: a constant error is seen."""
    rng = np.random.default_rng(0)
    probabilities = [0.0, 0.5, 1.0]
    values = rng.normal(0.2, 0.05, (3, 100))
    found = synthetic._difference(values, probabilities)
    assert found["interval"][0] > 0.15
    assert found["farthest"] > 128**-0.5


def test_runs_of_a_seed_are_the_same():
    first, second, other = (
        steps(Settings(seed=seed, quick=True))[0].run(lambda fraction: None) for seed in (1, 1, 2)
    )
    assert first == second
    assert first != other
