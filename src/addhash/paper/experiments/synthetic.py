"""Figure 1 of the paper: the similarity of random strings and altered copies of them."""

import string
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from addhash.paper.experiments.ngrams import NGRAMS, placed
from addhash.paper.experiments.statistics import simultaneous_factor
from addhash.paper.experiments.step import Settings, Step
from addhash.paper.experiments.sweeps import METHODS, exact_sums, narrowed, powers
from addhash.paper.progress import Tick

Floats = npt.NDArray[np.float64]

LENGTH = 100
# Strings for each probability.
REPEATS = 100
SIZES = powers(7, 10)
LETTERS = list(string.ascii_lowercase)
# A letter is changed to any other printable character: the paper says "another ascii character".
OTHERS = "".join(chr(code) for code in range(32, 127))


def altered(rng: np.random.Generator, text: str, p: float) -> str:
    """Change each character with probability p to another ASCII character.

    >>> altered(np.random.default_rng(0), "abc", 0.0)
    'abc'
    """
    is_changed = rng.random(len(text)) < p
    # A step of 1 to 94 around the cycle of 95 printable characters always leads to a different one.
    moves = rng.integers(1, len(OTHERS), len(text))
    return "".join(
        OTHERS[(OTHERS.index(character) + move) % len(OTHERS)] if changed else character
        for character, move, changed in zip(text, moves.tolist(), is_changed, strict=True)
    )


def cosines(first: Any, second: Any) -> Floats:
    """Return the cosines of corresponding rows of two matrices, dense or sparse.

    >>> cosines(np.array([[3, 4], [1, 0]]), np.array([[3, 4], [0, 2]]))
    array([1., 0.])
    """
    first, second = (sparse.csr_array(matrix, dtype=np.float64) for matrix in (first, second))
    products: Floats = (first * second).sum(axis=1)
    lengths: Floats = np.sqrt((first * first).sum(axis=1) * (second * second).sum(axis=1))
    return products / lengths


def steps(settings: Settings) -> list[Step]:
    """Return one step per length of n-grams; all use the same strings."""
    probabilities = np.linspace(0, 1, 11 if settings.quick else 21).round(4).tolist()

    def step(n: int) -> Step:
        def run(tick: Tick) -> dict[str, Any]:
            strings = _strings(settings.seed, probabilities)
            result = _compare(n, strings, probabilities, tick)
            return placed(n, result | {"length": LENGTH, "repeats": REPEATS})

        return Step(f"synthetic, n={n}", 1, run)

    return [step(n) for n in NGRAMS]


def _strings(seed: int, probabilities: list[float]) -> tuple[list[str], list[str]]:
    """Return strings and their altered copies, equally many for each probability in turn."""
    rng = np.random.default_rng([seed, 1])
    originals, copies = [], []
    for p in probabilities:
        for _ in range(REPEATS):
            original = "".join(rng.choice(LETTERS, LENGTH))
            originals.append(original)
            copies.append(altered(rng, original, p))
    return originals, copies


def _compare(
    n: int,
    strings: tuple[list[str], list[str]],
    probabilities: list[float],
    tick: Tick,
) -> dict[str, Any]:
    shape = (len(probabilities), REPEATS)
    counter = CountVectorizer(analyzer="char", ngram_range=(n, n), lowercase=False)
    counter.fit(strings[0] + strings[1])
    exact = cosines(*(counter.transform(side) for side in strings)).reshape(shape)
    sums = {m: [exact_sums(m, side, n, max(SIZES)) for side in strings] for m in METHODS}
    result: dict[str, Any] = {"ah": {}, "ht": {}, "exact": _curve(probabilities, exact)}
    result["difference"] = {}
    for done, size in enumerate(SIZES):
        found = {
            method: cosines(*(narrowed(method, side, size) for side in sums[method])).reshape(shape)
            for method in METHODS
        }
        for method in METHODS:
            result[method][str(size)] = _curve(probabilities, found[method])
        result["difference"][str(size)] = _difference(found["ah"] - found["ht"], probabilities)
        tick((done + 1) / len(SIZES))
    return result


def _curve(probabilities: list[float], values: Floats) -> list[list[float]]:
    return [
        [p, float(row.mean()), float(row.std(ddof=1))]
        for p, row in zip(probabilities, values, strict=True)
    ]


def _difference(values: Floats, probabilities: list[float]) -> dict[str, Any]:
    """Return where the means differ most, with an interval that holds jointly for all p and L.

    At p = 0 the strings are the same, and there is no difference to find.
    """
    means, errors = values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(REPEATS)
    factor = simultaneous_factor(len(SIZES) * (len(probabilities) - 1), REPEATS)
    at = int(np.abs(means).argmax())
    low, high = means - factor * errors, means + factor * errors
    return {
        "largest": float(means[at]),
        "p": probabilities[at],
        "interval": [float(low[at]), float(high[at])],
        "farthest": float(np.maximum(-low, high).max()),
    }
