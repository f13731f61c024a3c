"""How confident a classifier may be: the one number that turns scores into probabilities."""

import numpy as np
import numpy.typing as npt

__all__ = ["LEAST_EXAMPLES", "best_temperature", "softmax"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

LOWEST, HIGHEST, STEPS = 1e-3, 1e4, 60
STEPS_PER_OCTAVE = 4
GOLDEN = (np.sqrt(5) - 1) / 2
# Fewer examples are too little to judge by.
LEAST_EXAMPLES = 100


def softmax(scores: Floats) -> Floats:
    """Return probabilities whose logarithms differ as the scores in each row do."""
    shares = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
    result: Floats = shares / shares.sum(axis=1, keepdims=True)
    return result


def best_temperature(scores: Floats, codes: Integers) -> float:
    """Return the temperature that makes the true classes the likeliest, to a quarter octave.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        In nats; -inf for an impossible class. Rows whose own class is impossible are left out.
    codes : ndarray of shape (n_samples,)
        The true class of each row.

    Examples
    --------
    >>> import numpy as np
    >>> from addhash.learning.calibration import best_temperature
    >>> scores = np.array([[8.0, 0.0]] * 4)  # sure of the first class, but right 3 times of 4
    >>> round(8 / best_temperature(scores, np.array([0, 0, 0, 1])), 2)  # log(3), but for rounding
    1.19
    """
    own = scores[np.arange(len(codes)), codes]
    possible = np.isfinite(own)
    if not possible.any():
        return 1.0
    with np.errstate(invalid="ignore"):
        gaps = scores[possible] - own[possible, None]  # 0 for the own class

    def loss(logarithm: float) -> float:
        scaled = gaps / np.exp(logarithm)
        top = scaled.max(axis=1)
        return float(np.mean(top + np.log(np.exp(scaled - top[:, None]).sum(axis=1))))

    low, high = np.log(LOWEST), np.log(HIGHEST)
    for _ in range(STEPS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if loss(left) <= loss(right):
            high = right
        else:
            low = left
    # A coarse number reveals next to nothing about any single example.
    step = np.log(2) / STEPS_PER_OCTAVE
    return float(2 ** (round((low + high) / 2 / step) / STEPS_PER_OCTAVE))
