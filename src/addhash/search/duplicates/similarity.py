"""How similar two token sets are, and from what similarity they count as duplicates."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.parameters import DUPLICATES, Measure, check_values

TEXT_THRESHOLD = 0.8

# The native core compares integers: it takes the threshold as a fraction with such terms.
MOST_DENOMINATOR = 1_000_000


@dataclass(frozen=True)
class Similarity:
    """A measure and a threshold.

    The threshold is the fraction that the decimal number denotes: 0.8 is 4/5, so two sets with 4 of
    5 tokens in common reach it, which the float 0.8 (slightly more than 4/5) would not allow. If
    its denominator exceeds 1,000,000, it is the next fraction above that has a smaller one: no two
    sets of up to 1,000,000 tokens together are between the two.

    Parameters
    ----------
    measure : {"jaccard", "containment", "cosine"}
    fraction : Fraction
        The threshold; `of` makes it from a float.

    Examples
    --------
    >>> from addhash import Similarity
    >>> Similarity.of("jaccard", 0.8).fraction
    Fraction(4, 5)
    """

    measure: Measure
    fraction: Fraction

    @classmethod
    def of(cls, measure: Any, threshold: Any, owner: str = "find_duplicates") -> "Similarity":
        """Check a user's values."""
        check_values(owner, DUPLICATES, {"measure": measure, "threshold": threshold})
        exact = threshold if isinstance(threshold, Fraction) else Fraction(repr(float(threshold)))
        fraction = exact.limit_denominator(MOST_DENOMINATOR)
        if fraction < exact and float(fraction) != float(threshold):
            fraction = _next_above(fraction)
        return cls(measure, fraction)

    @property
    def prefers_longest(self) -> bool:
        """Whether the longest of a cluster is kept unless the user says otherwise."""
        return self.measure == "containment"

    def raised(self, threshold: Any, owner: str) -> "Similarity":
        """Return the same measure with another threshold."""
        return Similarity.of(self.measure, threshold, owner)

    @property
    def native_options(self) -> dict[str, Any]:
        """The arguments for the native core."""
        return {
            "measure": self.measure,
            "numerator": self.fraction.numerator,
            "denominator": self.fraction.denominator,
        }

    @property
    def probed_share(self) -> float:
        """The share of a set's tokens that a search for similar sets looks up."""
        threshold = float(self.fraction)
        return {"jaccard": 1 - threshold, "cosine": 1 - threshold**2}.get(self.measure, 1.0)

    def least_size(self, size: int) -> int:
        """Return the smallest size, up to `size`, of a set similar enough to one of `size`."""
        n, d = self.fraction.numerator, self.fraction.denominator
        if self.measure == "jaccard":
            return -(-n * size // d)
        return 1 if self.measure == "containment" else -(-n * n * size // (d * d))

    def is_reached(self, shared: int, left: int, right: int) -> bool:
        """Return whether two sets are similar enough, without rounding."""
        if self.measure == "jaccard":
            return Fraction(shared, left + right - shared) >= self.fraction
        if self.measure == "containment":
            return Fraction(shared, min(left, right)) >= self.fraction
        return Fraction(shared**2, left * right) >= self.fraction**2

    def are_reached(
        self, shared: npt.NDArray[Any], left: npt.NDArray[Any], right: npt.NDArray[Any]
    ) -> npt.NDArray[np.bool_]:
        """Return for many pairs of sets whether they are similar enough, without rounding."""
        values, threshold = self.values(shared, left, right), float(self.fraction)
        reached: npt.NDArray[np.bool_] = values >= threshold
        # Rounding moves a value by far less than this.
        for i in np.flatnonzero(np.abs(values - threshold) < 1e-9).tolist():
            reached[i] = self.is_reached(int(shared[i]), int(left[i]), int(right[i]))
        return reached

    def values(
        self, shared: npt.NDArray[Any], left: npt.NDArray[Any], right: npt.NDArray[Any]
    ) -> npt.NDArray[np.float64]:
        """Return similarities from the numbers of shared tokens and the sizes of the sets."""
        shared = shared.astype(np.float64)
        left, right = left.astype(np.float64), right.astype(np.float64)
        whole: npt.NDArray[np.float64]
        if self.measure == "jaccard":
            whole = left + right - shared
        elif self.measure == "containment":
            whole = np.minimum(left, right)
        else:
            whole = np.sqrt(left * right)
        values: npt.NDArray[np.float64] = shared / whole
        return values


def _next_above(fraction: Fraction) -> Fraction:
    """Return the smallest larger fraction with a denominator of at most MOST_DENOMINATOR."""
    p, q = fraction.numerator, fraction.denominator
    # Neighbours satisfy p' * q - p * q' = 1, and the nearest one has the largest q'.
    least = -pow(p, -1, q) % q if q > 1 else 0
    above = least + (MOST_DENOMINATOR - least) // q * q
    return Fraction(1 + p * above, q * above)
