"""Exact integer sums as scalar products, cosines and vectors of every type."""

from math import isqrt, sqrt
from operator import mul
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.errors import SumOverflowError
from addhash.hashing.dense import check_norm, is_bits
from addhash.parameters import VECTOR, check_values

Sums = npt.NDArray[np.int64]


def largest_magnitude(sums: Sums) -> int:
    """Return the largest absolute value; no element is -2**63."""
    return max(int(sums.max()), -int(sums.min()))


def dot(a: Sums, b: Sums) -> int:
    """Return the scalar product, exactly, however large it is."""
    if largest_magnitude(a) * largest_magnitude(b) * len(a) < 2**63:
        return int(a @ b)
    return sum(map(mul, a.tolist(), b.tolist()))


def cosine(a: Sums, b: Sums) -> float:
    """Return the cosine of the angle between two vectors, 0 if one of them is zero.

    Everything up to the last division is done in integers, so the result is off by at most one unit
    in the last place, and vectors that point the same way give exactly 1.
    """
    squares = dot(a, a) * dot(b, b)
    if squares == 0:
        return 0.0
    # The root with 64 fractional bits: more than a float has.
    return (dot(a, b) << 64) / isqrt(squares << 128)


def sum_of_hashes(sums: Sums, count: int) -> int:
    """Return the sum of all tokens' hashes as integers, given their sums and their number.

    The magnitudes of the count and of all sums are below 2**62.
    """
    # How many tokens have each bit set, the lowest bit first: (sum + count) / 2, without
    # overflow, and raised by 2**62 to be positive. Every 64th makes the words of an integer.
    half = (sums >> 1) + (count >> 1) + (sums & count & 1)
    raised = (half[::-1] + 2**62).astype("<u8")
    total = sum(int.from_bytes(raised[i::64].tobytes(), "little") << i for i in range(64))
    return total - (((1 << len(sums)) - 1) << 62)


def scaled(owner: str, sums: Sums, norm: str | None, dtype: Any) -> npt.NDArray[Any]:
    """Return the sums as a vectorizer with that norm and dtype would, bit for bit."""
    check_values(owner, VECTOR, {"norm": norm, "dtype": dtype})
    check_norm(owner, norm, dtype)
    if is_bits(dtype):
        return np.packbits(sums > 0)
    dtype = np.dtype(dtype)
    if dtype.kind == "i":
        limits = np.iinfo(dtype)
        if sums.min() < limits.min or sums.max() > limits.max:
            raise SumOverflowError(
                f"The document has a sum of magnitude {largest_magnitude(sums)}, which does not"
                f" fit {dtype.name}; use a wider dtype, such as 'int64'."
            )
        return sums.astype(dtype)
    size = _size(sums, norm)
    vector = sums.astype(np.float64) * (1 / size if size > 0 else 1.0)
    # float16 is rounded from float32, as the vectorizers do it.
    return (vector.astype(np.float32) if dtype.itemsize == 2 else vector).astype(dtype)


def _size(sums: Sums, norm: str | None) -> float:
    if norm is None:
        return 1.0
    if norm == "l2":
        return sqrt(dot(sums, sums))
    signs = np.sign(sums)
    return float(dot(sums, signs))
