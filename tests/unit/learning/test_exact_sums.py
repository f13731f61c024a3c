from fractions import Fraction

import numpy as np
import pytest

from addhash.learning.exact_sums import BASE, HALF, UNIT, ExactSums
from addhash.search.vectors import as_vectors


def value_of(sums, group, feature):
    return sum(
        int(limb[group, feature]) * Fraction(2) ** (32 * (j - UNIT))
        for j, limb in sums.limbs.items()
    )


EXTREMES = [0.0, -0.0, 5e-324, -5e-324, 2.0**-1022, 1e-300, 0.1, -1 / 3, 1e16, 1e300, -1.7e308]


@pytest.mark.parametrize(
    "values",
    [
        EXTREMES,
        [2**53, -(2**53), 2**31, 2**31, -1, 1],
        [0.1] * 100,
        [-(2**31)] * 5,
        [2**31 - 1, 1],
        [1.5, -1.5],
    ],
)
def test_sums_are_exact(values):
    sums = ExactSums(1, 2)
    sums.add(np.array(values)[:, None], np.arange(len(values)) % 2)
    for group in (0, 1):
        assert value_of(sums, group, 0) == sum(map(Fraction, values[group::2]))
    for limb in sums.limbs.values():
        assert limb.min() >= -HALF
        assert limb.max() < BASE - HALF
        assert limb.any()


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "?"])
def test_types_make_no_difference(dtype):
    values = np.array([[0, 1], [1, 1], [1, 0]])
    sums, expected = ExactSums(2, 2), ExactSums(2, 2)
    sums.add(as_vectors(values.astype(dtype), 2), np.array([0, 1, 0]))
    expected.add(values, np.array([0, 1, 0]))
    assert sums == expected
    assert sums.to_float().tolist() == [[1, 1], [1, 1]]


def test_what_is_subtracted_leaves_nothing():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(50, 7)) * 10.0 ** rng.integers(-200, 100, (50, 1))
    groups = rng.integers(0, 3, 50)
    sums = ExactSums(7, 3)
    sums.add(vectors, groups)
    order = rng.permutation(50)
    sums.subtract(vectors[order], groups[order])
    assert sums == ExactSums(7, 3)


def test_groups_are_arranged():
    sums = ExactSums(1, 2)
    sums.add(np.array([[5], [2**40]]), np.array([0, 1]))
    arranged = sums.arranged(np.array([-1, 0]))
    assert arranged.to_float().tolist() == [[0], [5]]
    assert list(arranged.limbs) == [UNIT]
    assert sums != arranged
    assert sums != "sums"
