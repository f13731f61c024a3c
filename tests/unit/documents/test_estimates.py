import numpy as np
import pytest

from addhash import DocumentHash, errors
from addhash.documents.estimates import Estimate


def test_intervals_are_around_the_count():
    low, high = Estimate(3.0, 0.5).interval(0.95)
    assert (low + high) / 2 == pytest.approx(3)
    assert high - low == pytest.approx(2 * 1.959964 * 0.5, rel=1e-6)
    assert Estimate(3.0, 0.5).interval() == Estimate(3.0, 0.5).interval(0.99)


@pytest.mark.parametrize("confidence", [5e-324, 1e-9, 1 - 2**-53])
def test_extreme_confidences(confidence):
    document = DocumentHash().update(["a", "a", "b"])
    low, high = document.estimate("a").interval(confidence)
    assert low <= document.estimate("a").count <= high
    assert document.contains("a", confidence)
    assert dict(document.decode(["a", "b", "c"], confidence)) == {"a": 2, "b": 1}


def test_estimates_unpack():
    count, standard_error = DocumentHash().update(["a", "a", "b"]).estimate("a")
    assert count == pytest.approx(2, abs=5 * standard_error)


def test_nothing_contains_nothing():
    assert not DocumentHash().contains("a")
    assert DocumentHash().estimate("a") == (0.0, 0.0)
    assert DocumentHash().add("a").contains("a")
    assert not DocumentHash().remove("a").contains("a")


@pytest.mark.parametrize("confidence", [0, 1, 0.0, 1.0, -0.5, 2.0, "0.9", None, float("nan")])
def test_confidences_are_probabilities(confidence):
    document = DocumentHash().add("a")
    for owner, call in (
        ("interval", lambda: document.estimate("a").interval(confidence)),
        ("contains", lambda: document.contains("a", confidence)),
        ("decode", lambda: document.decode(["a"], confidence)),
    ):
        with pytest.raises(errors.ParameterError, match=f"'confidence' parameter of {owner} must"):
            call()


@pytest.mark.parametrize("n_features", [8, 64, 2048])
def test_an_estimate_is_the_mean_of_its_measurements(n_features):
    document = DocumentHash(n_features).update(["to", "be", "or", "not", "to", "be", "x"] * 9)
    signs = DocumentHash(n_features).add("to").vector(norm=None, dtype=np.int64)
    measured = document.vector(norm=None, dtype=np.int64) * signs
    count, standard_error = document.estimate("to")
    assert count == pytest.approx(measured.mean(), rel=1e-12)
    assert standard_error == pytest.approx(measured.std(ddof=1) / np.sqrt(n_features), rel=1e-12)
