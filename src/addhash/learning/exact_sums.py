"""Sums of vectors without any rounding, in whatever order they are added or subtracted."""

from typing import Self

import numpy as np
import numpy.typing as npt

from addhash.arrays import Array, Integers
from addhash.files.parts import Parts, require
from addhash.parameters import MAX_FEATURES
from addhash.runtime import native

BITS = 32
BASE = 1 << BITS
HALF = BASE >> 1
LOW = BASE - 1
# The limb of the units: below it there is room for the smallest float64.
UNIT = 36
MOST_VECTORS = 1 << 29  # whose digits fit 64 bits before they are carried
MAX_LIMB = 80


class ExactSums:
    """A row of exact sums for each of several groups.

    Every float64 is an integer times a power of two, so a sum of them is a fixed-point number. It
    is kept in limbs: digits from -2**31 to 2**31 - 1 in base 2**32. Limb j weighs 2**(32 * (j -
    36)). Every number has exactly one such form; limbs that are zero everywhere are not kept. So
    equal sums are equal bit for bit, whatever their history.

    Parameters
    ----------
    n_features : int
        The width of the vectors.
    count : int, default=0
        The number of groups.

    Examples
    --------
    >>> import numpy as np
    >>> from addhash.learning.exact_sums import ExactSums
    >>> sums = ExactSums(n_features=2, count=1)
    >>> sums.add(np.array([[1e16, 0.1], [1.0, 0.2]]), np.array([0, 0]))
    >>> sums.subtract(np.array([[1e16, 0.1]]), np.array([0]))
    >>> sums.to_float()
    array([[1. , 0.2]])
    """

    def __init__(self, n_features: int, count: int = 0) -> None:
        self.n_features = n_features
        self.count = count
        self.limbs: dict[int, Integers] = {}

    def copy(self) -> Self:
        """Return an independent copy."""
        return self._with(dict(self.limbs), self.count)

    def _with(self, limbs: dict[int, Integers], count: int) -> Self:
        result = type(self)(self.n_features, count)
        result.limbs = limbs
        return result

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExactSums):
            return NotImplemented
        return (
            (self.n_features, self.count) == (other.n_features, other.count)
            and self.limbs.keys() == other.limbs.keys()
            and all(np.array_equal(limb, other.limbs[j]) for j, limb in self.limbs.items())
        )

    __hash__ = None  # type: ignore[assignment]

    def arranged(self, positions: Integers) -> Self:
        """Return new sums whose group i is the group positions[i] of these, or 0 for -1."""
        limbs = {j: np.where(positions[:, None] < 0, 0, limb[positions])
                 for j, limb in self.limbs.items()} if self.count else {}  # fmt: skip
        result = self._with(limbs, len(positions))
        result._normalize()
        return result

    def add(self, vectors: Array, groups: Integers, threads: int = 1) -> None:
        """Add each vector, of finite numbers, to the sum of its group."""
        self._add_all(vectors, groups, 1, threads)

    def subtract(self, vectors: Array, groups: Integers, threads: int = 1) -> None:
        """Subtract each vector from the sum of its group."""
        self._add_all(vectors, groups, -1, threads)

    def merge(self, other: "ExactSums") -> None:
        """Add the sums of the same groups."""
        for j, limb in other.limbs.items():
            self._put(j, limb)
        self._normalize()

    def to_float(self, groups: Integers | None = None) -> npt.NDArray[np.float64]:
        """Return all sums, or those of some groups, as float64: rounded beyond 53 bits.

        Sums beyond the largest float64 are infinite or NaN.
        """
        count = self.count if groups is None else len(groups)
        result = np.zeros((count, self.n_features))
        with np.errstate(over="ignore", invalid="ignore"):
            for j in sorted(self.limbs):
                limb = self.limbs[j] if groups is None else self.limbs[j][groups]
                result += np.ldexp(limb.astype(np.float64), BITS * (j - UNIT))
        return result

    def is_zero(self, group: int) -> bool:
        """Return whether all sums of a group are 0."""
        return not any(limb[group].any() for limb in self.limbs.values())

    def parts(self) -> dict[str, Array]:
        """Return the numbers of the limbs, and their digits, which fit 32 bits."""
        digits = np.empty((len(self.limbs), self.count, self.n_features), np.int32)
        for i, limb in enumerate(self.limbs.values()):
            digits[i] = limb
        return {"sums.limbs": np.array(list(self.limbs), np.int64), "sums.digits": digits}

    @classmethod
    def from_parts(cls, parts: Parts, n_features: int, count: int) -> Self:
        """Return sums in their canonical form, from the arrays of a file."""
        require(1 <= n_features <= MAX_FEATURES, f"width: {n_features}")
        limbs = parts.take("sums.limbs", "<i8", None)
        digits = parts.take("sums.digits", "<i4", len(limbs), count, n_features)
        require(bool((np.diff(limbs, prepend=-1) > 0).all()), "order of sums.limbs")
        require(bool((limbs < MAX_LIMB).all()), "sums.limbs")
        require(all(limb.any() for limb in digits), "sums.digits: one has zeros only")
        sums = cls(n_features, count)
        sums.limbs = {
            j: limb.astype(np.int64) for j, limb in zip(limbs.tolist(), digits, strict=True)
        }
        return sums

    def _put(self, j: int, addend: Integers) -> None:
        # Never in place: copies share their limbs.
        self.limbs[j] = self.limbs[j] + addend if j in self.limbs else addend

    def _add_all(self, vectors: Array, groups: Integers, sign: int, threads: int) -> None:
        for start in range(0, len(groups), MOST_VECTORS):
            chosen = slice(start, start + MOST_VECTORS)
            self._add_some(vectors[chosen], groups[chosen], sign, threads)
            self._normalize()

    def _add_some(self, vectors: Array, groups: Integers, sign: int, threads: int) -> None:
        changed, places = np.unique(groups, return_inverse=True)
        first, digits = native.sum_digits(vectors, places, len(changed), sign < 0, threads)
        none = np.zeros((self.count, self.n_features), np.int64)
        for j, added in enumerate(digits, first):
            # Never in place: copies share their limbs.
            limb = self.limbs.get(j, none).copy()
            limb[changed] += added
            self.limbs[j] = limb

    def _normalize(self) -> None:
        """Carry from limb to limb until every digit is in its range; drop limbs of zeros."""
        pending = sorted(self.limbs)
        while pending:
            j = pending.pop(0)
            carry = (self.limbs[j] + HALF) >> BITS
            if carry.any():
                self.limbs[j] = self.limbs[j] - (carry << BITS)
                self._put(j + 1, carry)
                if not pending or pending[0] != j + 1:
                    pending.insert(0, j + 1)
        self.limbs = {j: self.limbs[j] for j in sorted(self.limbs) if self.limbs[j].any()}
