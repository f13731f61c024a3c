"""Means with standard errors, simultaneous confidence intervals, and power laws."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats


def mean_and_error(values: Any) -> tuple[float, float | None]:
    """Return the mean and its standard error, which is None for a single value.

    >>> mean_and_error([1.0, 2.0, 3.0])
    (2.0, 0.5773502691896258)
    """
    values = np.asarray(values, np.float64)
    if len(values) < 2:
        return float(values.mean()), None
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def simultaneous_factor(count: int, repeats: int, confidence: float = 0.95) -> float:
    """Return how many standard errors wide intervals must be to hold simultaneously.

    By Bonferroni's inequality: each of `count` intervals may fail with 1/`count` of the allowed
    probability.

    Parameters
    ----------
    count : int
        The number of intervals.
    repeats : int
        The number of values behind each mean.
    confidence : float, default=0.95

    Examples
    --------
    >>> round(simultaneous_factor(1, 10**6), 2)
    1.96
    >>> round(simultaneous_factor(80, 100), 2)
    3.53
    """
    return float(stats.t.ppf(1 - (1 - confidence) / (2 * count), repeats - 1))


class PowerLaw(NamedTuple):
    """An error that falls as a power of the number of examples: ``scale * count ** -exponent``."""

    scale: float
    exponent: float

    def __call__(self, count: Any) -> Any:
        """Return the error for a number of examples."""
        return self.scale * np.asarray(count, np.float64) ** -self.exponent


def fit_power_law(counts: Sequence[float], errors: Sequence[float]) -> PowerLaw:
    """Fit a power law by least squares on the logarithms.

    >>> law = fit_power_law([1, 10, 100], [0.5, 0.25, 0.125])
    >>> float(law(1000).round(4))
    0.0625
    """
    slope, offset = np.polyfit(np.log(counts), np.log(errors), 1)
    return PowerLaw(float(np.exp(offset)), float(-slope))
