"""How confident a classifier may be: the one number that turns scores into probabilities."""

from math import ldexp

import numpy as np
import numpy.typing as npt

from addhash.runtime import native

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# In Python and NumPy, the last bit of a power, an exponential or a logarithm depends on the
# processor: those that matter are written down here, or computed by the native core.
LN2 = 0.6931471805599453
LOWEST, HIGHEST, STEPS = 1e-3, 1e4, 60
QUARTER_OCTAVES = (1.0, 1.189207115002721, 1.4142135623730951, 1.681792830507429)
GOLDEN = (np.sqrt(5) - 1) / 2
# Fewer examples are too little to judge by.
LEAST_EXAMPLES = 100


def softmax(scores: Floats) -> Floats:
    """Return probabilities whose logarithms differ as the scores in each row do."""
    best = scores.max(axis=1, keepdims=True, initial=-np.inf)
    # Contiguous rows: the order of the sums does not depend on their number.
    shares: Floats = np.subtract(scores, best, order="C")
    native.exponentials(shares)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


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
        # 0 for the own class.
        gaps = np.subtract(scores[possible], own[possible, None], order="C")

    def loss(logarithm: float) -> float:
        temperature = np.array([logarithm])
        native.exponentials(temperature)
        scaled = gaps / temperature
        top = scaled.max(axis=1)
        scaled -= top[:, None]
        native.exponentials(scaled)
        losses = scaled.sum(axis=1)
        native.logarithms(losses)
        return float(np.mean(top + losses))

    bounds = np.array([LOWEST, HIGHEST])
    native.logarithms(bounds)
    low, high = bounds.tolist()
    for _ in range(STEPS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if loss(left) <= loss(right):
            high = right
        else:
            low = left
    # A coarse number reveals next to nothing about any single example.
    octaves, quarters = divmod(round((low + high) / 2 / (LN2 / 4)), 4)
    return ldexp(QUARTER_OCTAVES[quarters], octaves)
