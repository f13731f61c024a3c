"""How much each view of a text counts: usual weights, and weights fitted to examples."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from addhash.learning.calibration import softmax

__all__ = ["PRIOR_WEIGHT", "fitted_weights", "usual_weights"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# In nats per bit of evidence, for rare and for common tokens: what benchmarks/view_weights.py finds
# on the training parts of its data. Longer n-grams count as the longest here.
USUAL = {
    "char 1": (0.36, 0.04),
    "char 2": (0.05, 0.05),
    "char 3": (0.24, 0.05),
    "char 4": (0.07, 0.00),
    "char 5": (0.23, 0.21),
    "word 1": (0.35, 0.15),
    "word 2": (0.39, 0.37),
    "token": (0.80, 0.27),
}
# Of the logarithm of a class's number of examples, as long as no bias is fitted.
PRIOR_WEIGHT = 0.5
# How much it costs to leave the usual weights, which are standardized: the second number is shared
# by the examples, so that few of them do not move the weights far. And to leave the prior.
WEIGHT_COST, SHARED_COST, BIAS_COST = 0.002, 4.0, 0.003
# A view that varies less is mostly rounding: a large weight would make noise of it.
LEAST_SCALE = 0.1
STEPS, MEMORY = 60, 8
# Fitted numbers are rounded to multiples of this: enough digits, and the same on every processor.
GRID = 2.0**-10


def usual_weights(orders: Sequence[str]) -> Floats:
    """Return the weights of views for the kinds of tokens of an analysis.

    Examples
    --------
    >>> from addhash.learning.view_weights import usual_weights
    >>> len(usual_weights(("char 1", "char 2", "word 1")))
    6
    """
    weights: list[float] = []
    for order in orders:
        unit, _, n = order.partition(" ")
        longest = max((name for name in USUAL if name.startswith(unit)), default=order)
        weights += USUAL.get(order, USUAL[longest]) if n else USUAL["token"]
    # A single kind of n-grams has to say what all of them say together.
    share = 1.0 if len(orders) > 2 else 2.0
    return np.array(weights) * share


def fitted_weights(
    views: Floats, codes: Integers, counts: Integers, usual: Floats, with_biases: bool
) -> tuple[Floats, Floats, float]:
    """Return weights of views and biases of classes that make the true classes likeliest.

    Parameters
    ----------
    views : ndarray of shape (n_samples, n_views, n_classes)
        Of examples, each as if it had never been learnt.
    codes : ndarray of shape (n_samples,)
        Their classes.
    counts : ndarray of shape (n_classes,)
        The number of examples of each class.
    usual : ndarray of shape (n_views,)
        The weights to start from, and to stay near to.
    with_biases : bool
        Otherwise they are 0.

    Returns
    -------
    weights : ndarray of shape (n_views,)
    biases : ndarray of shape (n_classes,)
    loss : float
        What is left to gain, with the cost of leaving the usual weights.
    """
    n_samples, n_views, n_classes = views.shape
    weight_cost = WEIGHT_COST + SHARED_COST / n_samples
    centred = views - views.mean(axis=2, keepdims=True)
    scales = np.sqrt((centred * centred).mean(axis=(0, 2)) + LEAST_SCALE**2)
    centred /= scales[:, None]
    start = usual * scales
    # How often a class was learnt says only so much about how often it will be asked for: as if
    # each had been learnt as often as the average class besides.
    expected = counts + counts.mean()
    prior = np.log(expected)
    prior = (prior - prior.mean()) * with_biases
    # The examples of a class stand for all of it.
    shares = (expected / np.maximum(np.bincount(codes, minlength=n_classes), 1))[codes]
    shares /= shares.sum()
    rows = np.arange(n_samples)
    # Platt's targets: examples that are all right do not make certain that all others are.
    doubt = 1 / (n_samples + 2)
    targets = np.full((n_samples, n_classes), doubt / max(n_classes - 1, 1))
    targets[rows, codes] = 1 - doubt

    def loss(point: Floats) -> tuple[float, Floats]:
        weights, biases = point[:n_views], point[n_views:]
        probabilities = softmax(np.einsum("skc,k->sc", centred, weights) + biases + prior)
        moved = weights - start
        gains = (targets * np.log(np.maximum(probabilities, 1e-300))).sum(axis=1)
        value = weight_cost * (moved * moved).sum() + BIAS_COST * (biases * biases).sum()
        value -= (shares * gains).sum()
        probabilities -= targets
        probabilities *= shares[:, None]
        slope = np.einsum("skc,sc->k", centred, probabilities) + 2 * weight_cost * moved
        bias_slope = (probabilities.sum(axis=0) + 2 * BIAS_COST * biases) * with_biases
        return float(value), np.concatenate([slope, bias_slope])

    point, value = _least(loss, np.concatenate([start, np.zeros(n_classes)]))
    weights, biases = point[:n_views] / scales, point[n_views:] + prior
    biases -= biases.mean()
    return np.round(weights / GRID) * GRID, np.round(biases / GRID) * GRID, value


def _least(loss: Callable[[Floats], tuple[float, Floats]], point: Floats) -> tuple[Floats, float]:
    """Return where a convex function is least, and its value there, by the method L-BFGS."""
    value, slope = loss(point)
    steps: list[tuple[Floats, Floats, float]] = []
    for _ in range(STEPS):
        direction = -slope
        passed = []
        for step, change, scale in reversed(steps):
            share = scale * (step @ direction)
            direction = direction - share * change
            passed.append(share)
        if steps:
            step, change, _ = steps[-1]
            direction = direction * ((step @ change) / (change @ change))
        for (step, change, scale), share in zip(steps, reversed(passed), strict=True):
            direction = direction + step * (share - scale * (change @ direction))
        descent = slope @ direction
        if descent > -1e-9:
            break
        length = 1.0
        while True:
            there = point + length * direction
            new_value, new_slope = loss(there)
            if new_value <= value + 1e-4 * length * descent or length < 1e-6:
                break
            length /= 2
        step, change = there - point, new_slope - slope
        if step @ change > 1e-12:
            steps = [*steps, (step, change, float(1 / (step @ change)))][-MEMORY:]
        point, value, slope = there, new_value, new_slope
    return point, value
