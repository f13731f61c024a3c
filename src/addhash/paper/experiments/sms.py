"""Figure 3 of the paper: detecting SMS spam by the nearest neighbour."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.paper.data_sets import Messages
from addhash.paper.experiments.baselines import svm_says_spam
from addhash.paper.experiments.statistics import mean_and_error
from addhash.paper.experiments.step import Settings, Step
from addhash.paper.experiments.sweeps import (
    METHODS,
    Method,
    exact_sums,
    narrowed,
    nearest_of_half,
    powers,
    ranked_neighbors,
)
from addhash.paper.progress import Tick

__all__ = ["SIZES", "measures", "splits", "steps"]

Bools = npt.NDArray[np.bool_]

SIZES = powers(4, 13)
N = 3
# Half of the messages are known, so the probability that none of so many neighbours is known is
# 2**-64.
NEIGHBORS = 64
REFERENCE_SHARE = 0.3
MEASURES = ("acc", "sc", "bh", "mcc")


def measures(is_spam: Bools, answers: Bools) -> dict[str, float]:
    """Return accuracy, spam caught and blocked hams in percent, and Matthews' correlation.

    >>> spam, answers = np.array([True, True, False, False]), np.array([True, False, False, False])
    >>> measures(spam, answers)
    {'acc': 75.0, 'sc': 50.0, 'bh': 0.0, 'mcc': 0.5773502691896258}
    """
    caught = int((is_spam & answers).sum())
    missed = int((is_spam & ~answers).sum())
    blocked = int((~is_spam & answers).sum())
    passed = int((~is_spam & ~answers).sum())
    product = (caught + blocked) * (caught + missed) * (passed + blocked) * (passed + missed)
    return {
        "acc": 100 * (caught + passed) / len(is_spam),
        "sc": 100 * caught / (caught + missed),
        "bh": 100 * blocked / (blocked + passed),
        "mcc": (caught * passed - blocked * missed) / product**0.5 if product else 0.0,
    }


def splits(count: int, share: float, repeats: int, rng: np.random.Generator) -> list[Bools]:
    """Draw `repeats` times which of `count` messages are known: a random `share` of them."""
    result = []
    for _ in range(repeats):
        is_known = np.zeros(count, bool)
        is_known[rng.permutation(count)[: round(share * count)]] = True
        result.append(is_known)
    return result


def steps(settings: Settings, messages: Messages) -> list[Step]:
    """Return steps for all messages, for the distinct ones, and for the baseline."""
    repeats = 20 if settings.quick else 100

    def halves(chosen: Messages, tick: Tick) -> dict[str, Any]:
        count = len(chosen.texts)
        rng = np.random.default_rng([settings.seed, 3])
        found = _compare(chosen, splits(count, 0.5, repeats, rng), tick)
        return found | {"messages": count, "repeats": repeats}

    def distinct(tick: Tick) -> dict[str, Any]:
        return {"unique": halves(messages.unique(), tick)}

    def reference(tick: Tick) -> dict[str, Any]:
        return {"reference": _reference(messages, repeats, settings.seed, tick)}

    return [
        Step("sms, halves", 8, lambda tick: halves(messages, tick)),
        Step("sms, distinct messages", 7, distinct),
        Step("sms, reference", 8, reference),
    ]


def _answers(
    messages: Messages, method: Method, size: int, sums: Any, chosen: Iterable[Bools]
) -> list[dict[str, float]]:
    """Classify by the nearest known message, for each choice of what is known."""
    narrow = narrowed(method, sums, size)
    ranked = ranked_neighbors(narrow, min(NEIGHBORS, len(messages.texts)))
    found = []
    for is_known in chosen:
        asked, nearest = nearest_of_half(narrow, ranked, is_known)
        found.append(measures(messages.is_spam[asked], messages.is_spam[nearest]))
    return found


def _summary(found: list[dict[str, float]]) -> dict[str, Any]:
    """Return the means of all measures, with their standard errors under "se"."""
    pairs = {name: mean_and_error([one[name] for one in found]) for name in MEASURES}
    return {name: mean for name, (mean, _) in pairs.items()} | {
        "se": {name: error for name, (_, error) in pairs.items()}
    }


def _compare(messages: Messages, chosen: list[Bools], tick: Tick) -> dict[str, Any]:
    sums = {m: exact_sums(m, messages.texts, N, max(SIZES), lowercase=True) for m in METHODS}
    result: dict[str, Any] = {"ah": {}, "ht": {}, "difference": {}}
    for done, size in enumerate(SIZES):
        found = {m: _answers(messages, m, size, sums[m], chosen) for m in METHODS}
        for method in METHODS:
            result[method][str(size)] = _summary(found[method])
        result["difference"][str(size)] = _summary(
            [
                {name: ours[name] - theirs[name] for name in MEASURES}
                for ours, theirs in zip(found["ah"], found["ht"], strict=True)
            ]
        )
        tick(sum(SIZES[: done + 1]) / sum(SIZES))
    return result


def _reference(messages: Messages, repeats: int, seed: int, tick: Tick) -> dict[str, Any]:
    """Compare with the support vector machine, trained on 30 % of the messages as in the reference.

    The reference uses the first 30 %; random choices of the same size are added here.
    """
    count = len(messages.texts)
    first = np.arange(count) < round(REFERENCE_SHARE * count)
    rng = np.random.default_rng([seed, 4])
    chosen = [first, *splits(count, REFERENCE_SHARE, repeats, rng)]
    by_svm = []
    for done, is_known in enumerate(chosen):
        answers = svm_says_spam(messages, is_known, seed)
        by_svm.append(measures(messages.is_spam[~is_known], answers))
        tick(0.8 * (done + 1) / len(chosen))
    size = 4096
    sums = exact_sums("ah", messages.texts, N, size, lowercase=True)
    by_ah = _answers(messages, "ah", size, sums, chosen)
    return {
        name: {"first": found[0], "random": _summary(found[1:])}
        for name, found in (("svm", by_svm), ("ah", by_ah))
    }
