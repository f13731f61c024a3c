"""How often a token occurs in a document, estimated from the sums alone."""

from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from addhash.documents.sums import Sums, dot
from addhash.parameters import DOCUMENT, check_values


class Estimate(NamedTuple):
    """An estimated count and its standard error.

    Examples
    --------
    >>> from addhash import DocumentHash
    >>> document = DocumentHash().update(["to", "be", "or", "not", "to", "be"])
    >>> estimate = document.estimate("to")
    >>> low, high = estimate.interval(0.99)
    >>> low < 2 < high
    True
    """

    count: float  # type: ignore[assignment]  # not tuple.count, which nobody asks of an estimate
    standard_error: float

    def interval(self, confidence: float = 0.99) -> tuple[float, float]:
        """Return where the true count lies with the given probability.

        The bounds are `count` plus or minus as many standard errors as the normal distribution
        requires: a good approximation from about 256 components on; with fewer, the intervals are
        somewhat too narrow.

        Parameters
        ----------
        confidence : float, default=0.99
            A probability between 0 and 1.
        """
        check_values("interval", DOCUMENT, {"confidence": confidence})
        reach = -NormalDist().inv_cdf((1 - confidence) / 2) * self.standard_error
        return self.count - reach, self.count + reach


def estimate_count(sums: Sums, signs: Sums) -> Estimate:
    """Estimate the count of the token whose components are `signs`.

    Each component of the sums, times the token's sign there, is one measurement of the count:
    the count itself, plus or minus the count of every other token by independent coin tosses.
    The estimate is the mean of these L measurements and its standard error is their standard
    deviation (with L - 1) divided by sqrt(L). The mean, and the square of the standard error,
    are unbiased; the true variance is the sum of the other tokens' squared counts divided by L.
    """
    n = len(sums)
    product = dot(sums, signs)
    # Exact integers up to here: L times the sum of squares is at least the square.
    variance = (n * dot(sums, sums) - product * product) / (n * n * (n - 1))
    return Estimate(product / n, sqrt(variance))
