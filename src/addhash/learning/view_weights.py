"""How much each view of a text counts: usual weights, and weights fitted to examples."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.learning.calibration import softmax

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# In nats per bit of evidence, for rare and for common tokens: what benchmarks/view_weights.py finds
# on the training parts of its data. Longer n-grams count as the longest here.
USUAL = {
    "char 1": (0.140, 0.028),
    "char 2": (0.001, 0.021),
    "char 3": (0.096, 0.000),
    "char 4": (0.016, 0.000),
    "char 5": (0.100, 0.106),
    "word 1": (0.121, 0.120),
    "word 2": (0.145, 0.176),
    "token": (0.300, 0.140),
}
# Of the logarithm of a class's number of examples and of the mean of all, as long as no bias is
# fitted.
PRIOR_WEIGHT = 0.5
# How much it costs to leave the usual weights, which are standardized; for a class, to leave those
# of all, where these are equal in size; and to leave the prior. The shared cost is divided by the
# number of examples and added to that of weights, so that few examples do not move them far.
WEIGHT_COST, OWN_COST, BIAS_COST, SHARED_COST = 0.002, 0.0015, 0.003, 4.0
# What it costs that views of a class add to the scores of others, and the square of the number of
# examples below which it costs much more. There are as many of these weights as pairs of classes,
# so with more classes there are none.
CROSS_COST, CROSS_EXAMPLES, MOST_CROSSED = 0.004, 20_000.0, 64
# A view that varies less is mostly rounding: a large weight would make noise of it.
LEAST_SCALE = 0.1
STEPS, MEMORY = 60, 8
# In nats per example: what the next step of a fit has to promise. Less gains nothing.
LEAST_DESCENT = 1e-5
# Fitted numbers are rounded to multiples of this: enough digits, and the same on every processor.
# Many small weights between classes add up.
GRID, CROSS_GRID = 2.0**-10, 2.0**-16


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


class Task(NamedTuple):
    """What to fit: examples, each as if it had never been learnt."""

    views: Floats  # of examples, views and classes
    codes: Integers  # their classes
    counts: Integers  # the number of examples of each class

    def expected(self) -> Floats:
        """Return how often each class will be asked for.

        How often it was learnt says only so much about it: as if each had been learnt as often as
        the average class besides.
        """
        expected: Floats = self.counts + self.counts.mean()
        return expected

    def shares(self) -> Floats:
        """Return how much each example counts: those of a class stand for all of it."""
        found = np.bincount(self.codes, minlength=len(self.counts))
        shares: Floats = (self.expected() / np.maximum(found, 1))[self.codes]
        shares /= shares.sum()
        return shares

    def targets(self) -> Floats:
        """Return Platt's: examples that are all right do not make certain that all others are."""
        n_samples, _, n_classes = self.views.shape
        doubt = 1 / (n_samples + 2)
        targets = np.full((n_samples, n_classes), doubt / max(n_classes - 1, 1))
        targets[np.arange(n_samples), self.codes] = 1 - doubt
        return targets

    def scales(self) -> Floats:
        """Return the standard deviation of each view between classes."""
        centred = self.views - self.views.mean(axis=2, keepdims=True)
        scales: Floats = np.sqrt((centred * centred).mean(axis=(0, 2)) + LEAST_SCALE**2)
        return scales

    def inequality(self) -> float:
        """Return how much more examples classes have on average than the smallest one."""
        return float(self.counts.mean() / self.counts.min())


class Fitted(NamedTuple):
    """What is chosen for a model, and how badly it fits."""

    weights: Floats  # of views, for all classes
    own_weights: Floats  # what each class (row) adds to them
    biases: Floats  # of classes
    loss: float


def fitted_weights(task: Task, usual: Floats, with_biases: bool) -> Fitted:
    """Return weights of views and biases of classes that make the true classes likeliest.

    Parameters
    ----------
    task : Task
    usual : ndarray of shape (n_views,)
        The weights to start from, and to stay near to.
    with_biases : bool
        Otherwise they are 0.

    Returns
    -------
    fitted : Fitted
        Its loss is what is left to gain, with the cost of leaving the usual weights.
    """
    n_samples, n_views, n_classes = task.views.shape
    shared = SHARED_COST / n_samples
    # Weights of their own would let large classes outvote one whose few examples stand for much.
    own_cost = OWN_COST * task.inequality() + shared
    scales, shares, targets = task.scales(), task.shares(), task.targets()
    centred = (task.views - task.views.mean(axis=2, keepdims=True)) / scales[:, None]
    start = usual * scales
    prior = np.log(task.expected())
    prior = (prior - prior.mean()) * with_biases
    ends = np.cumsum([n_views, n_views * n_classes])

    def loss(point: Floats) -> tuple[float, Floats]:
        weights, own, biases = np.split(point, ends)
        used = weights[:, None] + own.reshape(n_views, n_classes)
        probabilities = softmax(np.einsum("skc,kc->sc", centred, used) + biases + prior)
        moved = weights - start
        gains = (targets * np.log(np.maximum(probabilities, 1e-300))).sum(axis=1)
        value = (WEIGHT_COST + shared) * (moved @ moved) + own_cost * (own @ own)
        value += BIAS_COST * (biases @ biases) - (shares * gains).sum()
        probabilities -= targets
        probabilities *= shares[:, None]
        slopes = np.einsum("skc,sc->kc", centred, probabilities)
        weight_slope = slopes.sum(axis=1) + 2 * (WEIGHT_COST + shared) * moved
        own_slope = slopes.ravel() + 2 * own_cost * own
        bias_slope = (probabilities.sum(axis=0) + 2 * BIAS_COST * biases) * with_biases
        return float(value), np.concatenate([weight_slope, own_slope, bias_slope])

    point, value = _least(loss, np.concatenate([start, np.zeros((n_views + 1) * n_classes)]))
    weights, own, biases = np.split(point, ends)
    own = own.reshape(n_views, n_classes).T / scales
    biases = biases + prior
    biases -= biases.mean()
    return Fitted(_on_grid(weights / scales), _on_grid(own), _on_grid(biases), value)


def fitted_crosses(task: Task, fitted: Fitted) -> Floats:
    """Return what views of each class add to the scores of all, to make the true ones likelier.

    The shape is (n_views, n_classes, n_classes), from one class to another, or (n_views, 0, 0) if
    there are too many classes for it. What a view adds is 0 in the mean of the classes, and so is
    what equal views of all classes add to one.
    """
    n_samples, n_views, n_classes = task.views.shape
    if n_classes > MOST_CROSSED:
        return np.empty((n_views, 0, 0))
    cost = CROSS_COST * task.inequality() ** 0.5 + CROSS_EXAMPLES / n_samples**2
    scales, shares, targets = task.scales(), task.shares(), task.targets()
    centred = (task.views - task.views.mean(axis=2, keepdims=True)) / scales[:, None]
    centred = centred.reshape(n_samples, n_views * n_classes)
    weights = (fitted.weights + fitted.own_weights).T
    scores = np.einsum("skc,kc->sc", task.views, weights) + fitted.biases

    def loss(point: Floats) -> tuple[float, Floats]:
        probabilities = softmax(scores + centred @ point.reshape(-1, n_classes))
        gains = (targets * np.log(np.maximum(probabilities, 1e-300))).sum(axis=1)
        value = cost * (point @ point) - (shares * gains).sum()
        probabilities -= targets
        probabilities *= shares[:, None]
        return float(value), (centred.T @ probabilities).ravel() + 2 * cost * point

    point, _ = _least(loss, np.zeros(n_views * n_classes**2))
    crosses = point.reshape(n_views, n_classes, n_classes) / scales[:, None, None]
    return _on_grid(crosses - crosses.mean(axis=1, keepdims=True), CROSS_GRID)


def _on_grid(numbers: Floats, grid: float = GRID) -> Floats:
    rounded: Floats = np.round(numbers / grid) * grid
    return rounded


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
        if descent > -LEAST_DESCENT:
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
