"""Exponentials and logarithms against exact ones, and bit for bit against plain Python."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from addhash.runtime import native
from tests import oracle

COUNTS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 508]
TINY = [0.0, 5e-324, 1e-310, 2.2250738585072014e-308, 1e-300, 2.0**-54, 2.0**-53, 2.0**-52]
EXPONENTS = [*TINY, 0.3465735902799726, 0.34657359027997264, 1.0, 708.4, 745.1, 745.2, 746.0, 1e300]
EDGES = [*EXPONENTS, *(-x for x in EXPONENTS), 709.78, 709.8, math.inf, -math.inf, math.nan]
POSITIVE = [*TINY, 0.1, 0.7071067811865475, 0.7071067811865476, 0.9999999999999999, 1.0, 1.5, 2.0]


def exponentials(values):
    found = np.array(values, np.float64)
    native.exponentials(found)
    return found


def logarithms(values):
    found = np.array(values, np.float64)
    native.logarithms(found)
    return found


def error(found, exact):
    """How far a result is from the exact one, in units in the last place."""
    return abs(Decimal(found) - exact) / Decimal(math.ulp(float(exact)))


def random_exponents(count, seed=0):
    rng = np.random.default_rng(seed)
    parts = (rng.uniform(low, high, count) for low, high in ((-745, 709), (-40, 0), (-1, 1)))
    return np.concatenate(list(parts))


def test_exponentials_are_those_of_plain_python(instruction_set):
    values = np.concatenate([EDGES, random_exponents(2000)])
    expected = np.array([oracle.exponential(x) for x in values.tolist()])
    assert exponentials(values).tobytes() == expected.tobytes()
    assert native.instruction_set_uses()[instruction_set] > 0


@pytest.mark.parametrize("count", COUNTS)
def test_any_number_of_values(instruction_set, count):
    values = random_exponents(count)[:count]
    expected = np.array([oracle.exponential(x) for x in values.tolist()])
    assert exponentials(values).tobytes() == expected.tobytes()


def test_logarithms_are_those_of_plain_python():
    rng = np.random.default_rng(1)
    drawn = [
        rng.uniform(0, 1e6, 1000),
        rng.uniform(0.5, 2, 1000),
        2 ** rng.uniform(-1074, 1023, 99),
    ]
    values = np.concatenate([EDGES, POSITIVE, *drawn])
    expected = np.array([oracle.logarithm(x) for x in values.tolist()])
    assert logarithms(values).tobytes() == expected.tobytes()


def test_errors_are_below_a_unit_in_the_last_place():
    rng = np.random.default_rng(2)
    exponents = random_exponents(1000).tolist()
    numbers = [
        *POSITIVE[1:],
        *rng.uniform(0.5, 2, 1000).tolist(),
        *rng.uniform(0, 1e6, 500).tolist(),
    ]
    with localcontext() as context:
        context.prec = 50
        for x, found in zip(exponents, exponentials(exponents).tolist(), strict=True):
            assert error(found, Decimal(x).exp()) < 1, x
        for x, found in zip(numbers, logarithms(numbers).tolist(), strict=True):
            assert error(found, Decimal(x).ln()) < 1, x


def test_arrays_of_any_shape_are_changed_in_place():
    values = random_exponents(100).reshape(3, 4, 25)
    expected = exponentials(values.reshape(-1)).reshape(values.shape)
    native.exponentials(values)
    assert np.array_equal(values, expected)
    expected = logarithms(values.reshape(-1)).reshape(values.shape)
    native.logarithms(values)
    assert np.array_equal(values, expected)


def read_only():
    values = np.zeros(3)
    values.flags.writeable = False
    return values


@pytest.mark.parametrize("function", [native.exponentials, native.logarithms])
@pytest.mark.parametrize(
    "values",
    [np.zeros((4, 4))[:, 1], np.zeros((4, 3)).T, np.zeros(3, np.float32), [0.0], 0.0, read_only()],
    ids=["column", "transposed", "float32", "list", "float", "read-only"],
)
def test_what_cannot_be_changed_in_place_is_refused(function, values):
    """A copy would be changed and lost."""
    with pytest.raises(TypeError):
        function(values)
