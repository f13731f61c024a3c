"""Sections 2 and 3 of the paper, number by number."""

import pytest

from addhash.paper.experiments.example import steps
from addhash.paper.experiments.step import Settings
from addhash.paper.report.stated import ADDITIVE_SIMILARITIES, MATRIX, TRICK_SIMILARITIES


@pytest.fixture(scope="module")
def found():
    (step,) = steps(Settings())
    return step.run(lambda fraction: None)


def test_matrix(found):
    assert found["matrix"] == MATRIX
    assert found["vocabulary"][5] == "Mary"


def test_similarities(found):
    assert found["ah"] == pytest.approx(ADDITIVE_SIMILARITIES, abs=1e-12)
    assert found["ht"] == pytest.approx(TRICK_SIMILARITIES, abs=1e-12)


def test_algorithms(found):
    assert all(part["is_equal"] for part in found["algorithms"].values())
    unsigned, signed = (found["algorithms"][name]["vectors"] for name in ("1", "2"))
    assert unsigned != signed
    # Each of five, six and three words is counted once.
    assert [sum(row) for row in unsigned] == [5, 6, 3]


def test_incremental(found):
    assert found["incremental"]["is_equal"]


def test_almost_orthogonal(found):
    assert list(found["orthogonality"]) == ["32", "128", "512", "2048"]
    for size, part in found["orthogonality"].items():
        assert part["std"] == pytest.approx(int(size) ** -0.5, rel=0.02)
        assert abs(part["mean"]) < 0.005
