"""How sure "bayes" is with its usual weights: the constants of native/bayes/batch.cpp.

    python -m benchmarks.confidence

The scores of a text are multiplied by e^a n^b (V + 0.01)^c, where V is their variance and n the
number of classes, but never by less than 1. a, b and c make the true classes of all tasks likeliest
together, each task as important as the next. Tasks are training parts, whole and in samples of
1,000 and of 300 examples, each example as if it had never been learnt; and samples of 5 and 20
examples per class, asked about other examples.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from addhash.hashing.token_buckets import TokenBuckets
from addhash.learning.calibration import softmax
from addhash.learning.memory import Keeping, Question
from addhash.learning.token_counts import TokenCounts
from addhash.learning.view_weights import PRIOR_WEIGHT, usual_weights
from addhash.text.analysis import Analysis
from benchmarks.accuracy.data import TASKS
from benchmarks.accuracy.runs import expected_calibration_error

Floats = npt.NDArray[np.float64]
BUCKETS = 2**20
MOST_KNOWN, MOST_ASKED = 8000, 500
SAMPLES, SHOTS = (MOST_KNOWN, 1000, 300), (5, 20)
LEAST_VARIANCE = 0.01
LEFT_OUT = "few"  # it has the texts of another set


class Scored(NamedTuple):
    """Scores of examples with the usual weights, and their classes."""

    name: str
    scores: Floats
    codes: npt.NDArray[np.int64]

    def confident(self, a: float, b: float, c: float) -> Floats:
        """Return the probabilities of classes, with scores multiplied as above."""
        variance = np.log(self.scores.var(axis=1, keepdims=True) + LEAST_VARIANCE)
        logarithm = a + b * np.log(self.scores.shape[1]) + c * variance
        return softmax(self.scores * np.exp(np.maximum(logarithm, 0)))

    def loss(self, *chosen: float) -> float:
        """Return how unlikely the true classes are, as a part of what guessing would have."""
        own = self.confident(*chosen)[np.arange(len(self.codes)), self.codes]
        return float(-np.log(np.maximum(own, 1e-300)).mean() / np.log(self.scores.shape[1]))

    def error(self, *chosen: float) -> float:
        """Return the expected calibration error."""
        shares = self.confident(*chosen)
        return expected_calibration_error(shares.argmax(axis=1) == self.codes, shares.max(axis=1))


def tasks_of(name: str, random: np.random.Generator) -> Iterator[Scored]:
    analysis = Analysis(analyzer="text", ngram_range=(1, 5))
    hashing = TokenBuckets(BUCKETS, False, analysis)
    weights = usual_weights(analysis.orders)
    question = Question(threads=1)
    task = TASKS[name]()
    order = random.permutation(task.splits[0].known)[:MOST_KNOWN]
    y = task.labels[order]

    def rows_of(positions: Any) -> Any:
        return hashing.of_texts(analysis, [task.texts.texts[order[i]] for i in positions], 1)

    def memory_of(known: Any) -> TokenCounts:
        memory = TokenCounts.empty(BUCKETS, Keeping(orders=analysis.orders))
        return memory.learn(rows_of(known), y[known])

    def scores_of(views: Floats, counts: Any) -> Floats:
        scores: Floats = np.einsum("skc,k->sc", views, weights) + PRIOR_WEIGHT * np.log(
            counts + counts.mean()
        )
        return scores

    for size in SAMPLES:
        if size < len(order) or size == MOST_KNOWN:
            memory = memory_of(np.arange(min(size, len(order))))
            asked = np.arange(min(size, len(order), MOST_ASKED))
            views, codes = memory.left_out_views(rows_of(asked), y[asked], question)
            judged = memory.classes.counts[codes] > 1
            scores = scores_of(views, memory.classes.counts)
            yield Scored(f"{name}, {size}", scores[judged], codes[judged])
    for shots in SHOTS:
        places = [np.flatnonzero(y == label) for label in np.unique(y)]
        if np.median([len(place) for place in places]) < shots:
            continue
        known = np.concatenate([place[:shots] for place in places])
        others = random.permutation(np.setdiff1d(np.arange(len(y)), known))
        memory = memory_of(known)
        found = []
        for i in others[: MOST_ASKED // 2]:
            # A text that was not learnt: it is, and then it is left out.
            row = rows_of([i])
            views, codes = memory.learn(row, y[i : i + 1]).left_out_views(
                row, y[i : i + 1], question
            )
            found.append((views[0], codes[0]))
        scores = scores_of(np.array([views for views, _ in found]), memory.classes.counts)
        yield Scored(f"{name}, {shots} per class", scores, np.array([code for _, code in found]))


def main() -> None:
    random = np.random.default_rng(0)
    tasks = [task for name in TASKS if name != LEFT_OUT for task in tasks_of(name, random)]

    def loss(point: Floats) -> float:
        return float(np.mean([task.loss(*point) for task in tasks]))

    a, b, c = minimize(loss, np.array([-0.5, 0.2, -0.2]), method="Nelder-Mead").x.tolist()
    print("calibration error:      before  after")
    for task in tasks:
        print(f"{task.name:<22}  {task.error(0, 0, 0):.3f}   {task.error(a, b, c):.3f}")
    means = [np.mean([task.error(*x) for task in tasks]) for x in ((0, 0, 0), (a, b, c))]
    print(f"{'in the mean':<22}  {means[0]:.3f}   {means[1]:.3f}")
    print(f"a = {a:.2f}, b = {b:.2f}, c = {c:.2f}")


if __name__ == "__main__":
    main()
