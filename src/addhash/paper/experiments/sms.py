"""Figure 3 of the paper: detecting SMS spam by the nearest neighbour."""

from typing import Any, NamedTuple

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
    nearest_known,
    powers,
    ranked_neighbors,
)
from addhash.paper.progress import Tick

Bools = npt.NDArray[np.bool_]

SIZES = powers(4, 13)
N = 3
# Half of the messages are known, so the probability that none of so many neighbours is known is
# 2**-64.
NEIGHBORS = 64
REFERENCE_SHARE = 0.3
MEASURES = ("acc", "sc", "bh", "mcc")


class Choice(NamedTuple):
    """Which messages are known, and which are asked about."""

    is_known: Bools
    is_asked: Bools


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
    """Return steps for all messages and the distinct ones, and for the baseline."""
    repeats = 20 if settings.quick else 100

    def halves(tick: Tick) -> dict[str, Any]:
        sets = [_halves(among, repeats, settings.seed) for among in messages.all_and_firsts()]
        found, unique = _compare(messages, sets, tick)
        return found | {"unique": unique}

    def reference(tick: Tick) -> dict[str, Any]:
        return {"reference": _reference(messages, repeats, settings.seed, tick)}

    return [
        Step("sms, halves of all and of distinct messages", 9, halves),
        Step("sms, reference", 8, reference),
    ]


def _halves(among: Bools, repeats: int, seed: int) -> list[Choice]:
    """Draw which of some messages are known; the others of them are asked."""
    found = []
    for half in splits(int(among.sum()), 0.5, repeats, np.random.default_rng([seed, 3])):
        is_known = among.copy()
        is_known[among] = half
        found.append(Choice(is_known, among & ~is_known))
    return found


def _answers(
    messages: Messages, method: Method, size: int, sums: Any, sets: list[list[Choice]]
) -> list[list[dict[str, float]]]:
    """Classify by the nearest known message, for each choice of each set of choices."""
    narrow = narrowed(method, sums, size)
    ranked = ranked_neighbors(narrow, min(NEIGHBORS, len(messages.texts)))

    def measured(choice: Choice) -> dict[str, float]:
        nearest = nearest_known(narrow, ranked, *choice)
        return measures(messages.is_spam[choice.is_asked], messages.is_spam[nearest])

    return [[measured(choice) for choice in choices] for choices in sets]


def _summary(found: list[dict[str, float]]) -> dict[str, Any]:
    """Return the means of all measures, with their standard errors under "se"."""
    pairs = {name: mean_and_error([one[name] for one in found]) for name in MEASURES}
    return {name: mean for name, (mean, _) in pairs.items()} | {
        "se": {name: error for name, (_, error) in pairs.items()}
    }


def _compare(messages: Messages, sets: list[list[Choice]], tick: Tick) -> list[dict[str, Any]]:
    """Compare the methods at every size: for each set of choices, means and standard errors."""
    sums = {m: exact_sums(m, messages.texts, N, max(SIZES), lowercase=True) for m in METHODS}
    results: list[dict[str, Any]] = [
        {"ah": {}, "ht": {}, "difference": {}}
        | {"messages": int((choices[0].is_known | choices[0].is_asked).sum())}
        | {"repeats": len(choices)}
        for choices in sets
    ]
    for done, size in enumerate(SIZES):
        answers = (_answers(messages, m, size, sums[m], sets) for m in METHODS)
        for result, ours, theirs in zip(results, *answers, strict=True):
            differences = [
                {name: one[name] - other[name] for name in MEASURES}
                for one, other in zip(ours, theirs, strict=True)
            ]
            for key, found in (("ah", ours), ("ht", theirs), ("difference", differences)):
                result[key][str(size)] = _summary(found)
        tick(sum(SIZES[: done + 1]) / sum(SIZES))
    return results


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
    (by_ah,) = _answers(messages, "ah", size, sums, [[Choice(k, ~k) for k in chosen]])
    return {
        name: {"first": found[0], "random": _summary(found[1:])}
        for name, found in (("svm", by_svm), ("ah", by_ah))
    }
