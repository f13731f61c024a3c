"""Figure 2 of the paper: recognising the language of a paragraph by its nearest neighbour."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash import Index
from addhash.paper.data_sets import Paragraphs, Split
from addhash.paper.experiments.baselines import PARTS_RATE, REFERENCE_RATE, network_accuracy
from addhash.paper.experiments.ngrams import MAIN_N, NGRAMS, placed
from addhash.paper.experiments.statistics import fit_power_law, mean_and_error
from addhash.paper.experiments.step import Settings, Step
from addhash.paper.experiments.sweeps import (
    METHODS,
    Method,
    exact_sums,
    narrowed,
    nearest_texts,
    powers,
)
from addhash.paper.progress import Tick

Bools = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.int64]

SIZES = powers(4, 12)
# Numbers of training paragraphs per language.
CURVE = (5, 10, 20, 40)
OFFICIAL = 500
CURVE_SIZE = 2048
TEST_SHARE = 0.2


def steps(
    settings: Settings, subset: Split, head: Paragraphs, full: Split | None = None
) -> list[Step]:
    """Return steps for subset-21 and head-235, and for the full set if it is given."""
    ngrams = (MAIN_N,) if settings.quick else NGRAMS
    repeats = 3 if settings.quick else 10
    seed = settings.seed

    def official(name: str, split: Split, n: int, seconds: float) -> Step:
        def run(tick: Tick) -> dict[str, Any]:
            return {name: placed(n, _official(split, n, tick))}

        return Step(f"languages, {name}, n={n}", seconds, run)

    def repeated(n: int) -> Step:
        def run(tick: Tick) -> dict[str, Any]:
            return {"head-235": placed(n, _repeated(head, n, repeats, seed, tick))}

        return Step(f"languages, head-235, n={n}", 1.5 * repeats, run)

    def curve(tick: Tick) -> dict[str, Any]:
        return {
            "head-235": {"curve": _head_curve(head, repeats, seed, tick)},
            "subset-21": {"curve": _subset_curve(subset, repeats, seed, tick)},
        }

    def network(name: str, pairs: Callable[[], list[Any]], rate: float, seconds: float) -> Step:
        def run(tick: Tick) -> dict[str, Any]:
            return {name: {"network": _networks(pairs(), rate, seed, tick)}}

        return Step(f"languages, {name}, network", seconds, run)

    result = [official("subset-21", subset, n, 9) for n in ngrams]
    result += [repeated(n) for n in ngrams]
    result.append(Step("languages, learning curves", 2 * repeats, curve))
    if not settings.quick:
        result.append(network("subset-21", lambda: [subset], PARTS_RATE, 90))
        pairs = partial(_head_pairs, head, 3, seed)
        result.append(network("head-235", pairs, PARTS_RATE, 330))
    if full is not None:
        result += [official("full", full, n, 600) for n in ngrams]
        result.append(network("full", lambda: [full], REFERENCE_RATE, 1500))
    return result


def _official(split: Split, n: int, tick: Tick) -> dict[str, Any]:
    """Classify the test part of a split by the training part, at every size."""
    known, asked = split
    is_right: dict[Method, dict[int, Bools]] = {}
    for done, method in enumerate(METHODS):

        def tick_method(fraction: float, done: int = done) -> None:
            tick((done + fraction) / len(METHODS))

        nearest = nearest_texts(method, known.texts, asked.texts, n, SIZES, tick_method)
        is_right[method] = {
            size: known.labels[found] == asked.labels for size, found in nearest.items()
        }
    result: dict[str, Any] = {
        method: {str(size): _summary(100.0 * right) for size, right in by_size.items()}
        for method, by_size in is_right.items()
    }
    result["difference"] = {
        str(size): _summary(100.0 * is_right["ah"][size] - 100.0 * is_right["ht"][size])
        for size in SIZES
    }
    return result | {"known": len(known.texts), "asked": len(asked.texts)}


def _random_split(labels: npt.NDArray[Any], rng: np.random.Generator) -> tuple[Any, Any]:
    """Divide the paragraphs of each language into four fifths and a fifth, in random order."""
    known, asked = [], []
    for label in np.unique(labels):
        members = rng.permutation(np.flatnonzero(labels == label))
        cut = round(TEST_SHARE * len(members))
        asked.append(members[:cut])
        known.append(members[cut:])
    return known, np.concatenate(asked)


def _accuracy(
    known: Any, known_labels: npt.NDArray[Any], asked: Any, asked_labels: npt.NDArray[Any]
) -> float:
    index = Index(known.shape[1])
    index.add(known)
    answers = known_labels[index.search(asked, 1).ids[:, 0]]
    return 100 * float((answers == asked_labels).mean())


def _repeated(
    paragraphs: Paragraphs, n: int, repeats: int, seed: int, tick: Tick
) -> dict[str, Any]:
    """Classify random fifths of the paragraphs by the rest, at every size."""
    texts, labels = paragraphs
    rng = np.random.default_rng([seed, 2])
    chosen = [_random_split(labels, rng) for _ in range(repeats)]
    result: dict[str, Any] = {"paragraphs": len(texts), "repeats": repeats}
    found: dict[Method, dict[int, list[float]]] = {}
    done = 0
    for method in METHODS:
        sums = exact_sums(method, texts, n, max(SIZES))
        found[method] = {}
        for size in SIZES:
            narrow = narrowed(method, sums, size)
            found[method][size] = [
                _accuracy(
                    narrow[np.concatenate(known)],
                    labels[np.concatenate(known)],
                    narrow[asked],
                    labels[asked],
                )
                for known, asked in chosen
            ]
            done += size
            tick(done / (len(METHODS) * sum(SIZES)))
        result[method] = {str(size): _summary(values) for size, values in found[method].items()}
    result["difference"] = {
        str(size): _summary(np.subtract(found["ah"][size], found["ht"][size])) for size in SIZES
    }
    return result


def _summary(accuracies: Any) -> dict[str, Any]:
    mean, error = mean_and_error(accuracies)
    return {"accuracy": mean, "se": error}


def _curve(known: Any, labels: Any, groups: Sequence[Positions], asked: Any, answers: Any) -> Any:
    """Return accuracies by the mean number of known paragraphs, the first few of each group."""
    curve = []
    for count in CURVE:
        some = np.concatenate([group[:count] for group in groups])
        right = _accuracy(known[some], labels[some], asked, answers)
        curve.append((len(some) / len(groups), right))
    return curve


def _head_curve(paragraphs: Paragraphs, repeats: int, seed: int, tick: Tick) -> dict[str, Any]:
    """Learn from a few paragraphs per language, and extrapolate to the official 500."""
    texts, labels = paragraphs
    rng = np.random.default_rng([seed, 2])
    chosen = [_random_split(labels, rng) for _ in range(repeats)]
    result: dict[str, Any] = {}
    for done, method in enumerate(METHODS):
        sums = exact_sums(method, texts, MAIN_N, CURVE_SIZE)
        result[method] = _extrapolated(
            [_curve(sums, labels, known, sums[asked], labels[asked]) for known, asked in chosen]
        )
        tick(0.5 * (done + 1) / len(METHODS))
    return result


def _subset_curve(split: Split, repeats: int, seed: int, tick: Tick) -> dict[str, Any]:
    """Do the same where the accuracy at 500 is known, to check the extrapolation."""
    known, asked = split
    rng = np.random.default_rng([seed, 5])
    result: dict[str, Any] = {}
    for done, method in enumerate(METHODS):
        sums, queries = (
            exact_sums(method, part.texts, MAIN_N, CURVE_SIZE) for part in (known, asked)
        )
        curves = []
        for _ in range(repeats):
            order = rng.permutation(len(known.texts))
            groups = [order[known.labels[order] == label] for label in np.unique(known.labels)]
            curves.append(_curve(sums, known.labels, groups, queries, asked.labels))
        result[method] = _extrapolated(curves)
        result[method]["measured"] = _accuracy(sums, known.labels, queries, asked.labels)
        tick(0.5 + 0.5 * (done + 1) / len(METHODS))
    return result


def _extrapolated(curves: Sequence[Sequence[tuple[float, float]]]) -> dict[str, Any]:
    """Return the mean curve, and what power laws fitted to the curves predict at 500."""
    counts, accuracies = np.moveaxis(np.array(curves), 2, 0)
    points = {}
    for i, count in enumerate(CURVE):
        points[str(count)] = _summary(accuracies[:, i]) | {"count": float(counts[:, i].mean())}
    laws = [fit_power_law(counts[i], 1 - accuracies[i] / 100) for i in range(len(curves))]
    whole = fit_power_law(counts.mean(axis=0), 1 - accuracies.mean(axis=0) / 100)
    at_official = [100 * (1 - float(law(OFFICIAL))) for law in laws]
    return {
        "points": points,
        "law": {"scale": whole.scale, "exponent": whole.exponent},
        "at_500": _summary(at_official),
    }


def _head_pairs(
    paragraphs: Paragraphs, repeats: int, seed: int
) -> list[tuple[Paragraphs, Paragraphs]]:
    """Return the first few random splits as texts."""
    texts, labels = paragraphs
    rng = np.random.default_rng([seed, 2])

    def part(positions: Positions) -> Paragraphs:
        return Paragraphs([texts[i] for i in positions], labels[positions])

    pairs = []
    for _ in range(repeats):
        known, asked = _random_split(labels, rng)
        pairs.append((part(np.concatenate(known)), part(asked)))
    return pairs


def _networks(
    pairs: list[tuple[Paragraphs, Paragraphs]], rate: float, seed: int, tick: Tick
) -> dict[str, Any]:
    found = []
    for done, (known, asked) in enumerate(pairs):

        def tick_one(fraction: float, done: int = done) -> None:
            tick((done + fraction) / len(pairs))

        found.append(network_accuracy(known, asked, rate=rate, seed=seed, tick=tick_one))
    return found[0] | _summary([one["accuracy"] for one in found]) | {"repeats": len(found)}
