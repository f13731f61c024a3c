"""How the time of exact near-duplicate search grows where tokens are common.

Two series, each doubled from row to row: texts of 50 words compared by their single words, drawn by
Zipf's law or evenly from 30,000, and records (a name and an address) compared by character 3-grams.
A tenth of each are copies with a few changes. Every row runs in a process of its own.

    python -m benchmarks.duplicates_growth words 200000 0.8
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.duplicates import memory

WORDS = 50
VOCABULARY = 30_000
LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))
SERIES = {
    "even words": (0.8, (25_000, 50_000, 100_000, 200_000, 1_000_000)),
    "zipf words": (0.8, (25_000, 50_000, 100_000, 200_000, 1_000_000)),
    "records": (0.5, (10_000, 20_000, 40_000, 80_000, 1_000_000)),
}
# At one size each, how the threshold matters.
THRESHOLDS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
SWEEP = {"even words": 50_000, "zipf words": 50_000, "records": 20_000}


def _vocabulary(random: np.random.Generator, count: int) -> list[str]:
    return ["".join(random.choice(LETTERS, random.integers(3, 10))) for _ in range(count)]


def _names(random: np.random.Generator, count: int) -> list[str]:
    """Return names of common syllables, as in a language: few character 3-grams are rare."""
    syllables = [
        first + middle + last
        for first in ("b", "br", "d", "g", "h", "k", "l", "m", "n", "r", "s", "st", "t", "w")
        for middle in "aeio"
        for last in ("", "n", "r", "l")
    ]
    return ["".join(random.choice(syllables, random.integers(2, 4))) for _ in range(count)]


def _texts(count: int, shares: Any) -> list[str]:
    random = np.random.default_rng(7)
    vocabulary = _vocabulary(random, VOCABULARY)
    ends = np.cumsum(shares)
    words = np.searchsorted(ends / ends[-1], random.random((count, WORDS)))
    words = np.minimum(words, VOCABULARY - 1)
    for copy in random.permutation(np.arange(1, count))[: count // 10].tolist():
        words[copy] = words[random.integers(copy)]
        changed = random.choice(WORDS, random.integers(0, 7), replace=False)
        words[copy, changed] = random.integers(0, VOCABULARY, len(changed))
    return [" ".join(vocabulary[i] for i in row) for row in words.tolist()]


def even_words(count: int) -> list[str]:
    return _texts(count, np.ones(VOCABULARY))


def zipf_words(count: int) -> list[str]:
    return _texts(count, 1 / np.arange(1, VOCABULARY + 1))


def records(count: int) -> list[str]:
    """Return a first name, a last name, a house number, a street and a town each."""
    random = np.random.default_rng(8)
    names, surnames = _names(random, 500), _names(random, 5_000)
    streets, towns = _names(random, 3_000), _names(random, 400)
    kinds = ["street", "road", "avenue", "close", "place", "lane"]
    rows = []
    for i in range(count):
        if i and random.random() < 0.1:
            letters = list(rows[int(random.integers(i))])
            for _ in range(int(random.integers(1, 4))):
                letters[int(random.integers(len(letters)))] = str(random.choice(LETTERS))
            rows.append("".join(letters))
            continue
        parts = [
            names[int(500 * random.random() ** 2)],
            surnames[int(5_000 * random.random() ** 2)],
            str(random.integers(1, 200)),
            streets[int(3_000 * random.random() ** 2)],
            kinds[int(random.integers(len(kinds)))],
            towns[int(400 * random.random() ** 2)],
        ]
        rows.append(" ".join(parts))
    return rows


MAKERS: dict[str, Callable[[int], list[str]]] = {
    "even words": even_words,
    "zipf words": zipf_words,
    "records": records,
}


def measure(series: str, count: int, threshold: float) -> dict[str, Any]:
    """Search in this process."""
    import addhash

    texts = MAKERS[series](count)
    cut: dict[str, Any] = (
        {"analyzer": "char", "ngram_range": (3, 3)}
        if series == "records"
        else {"ngram_range": (1, 1)}
    )
    before = memory("VmRSS")
    start = time.perf_counter()
    found = addhash.find_duplicates(texts, threshold=threshold, **cut)
    seconds = time.perf_counter() - start
    return {
        "series": series,
        "texts": count,
        "threshold": threshold,
        "seconds": seconds,
        "pairs": found.n_pairs,
        "bytes per text": (memory("VmHWM") - before) / count,
    }


def run() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for series, (threshold, sizes) in SERIES.items():
        before: dict[str, Any] = {}
        for count in sizes:
            row = _in_process(series, count, threshold)
            if before:
                doublings = np.log2(count / before["texts"])
                row["times per doubling"] = (row["seconds"] / before["seconds"]) ** (1 / doublings)
            before = row
            rows.append(row)
    for series, count in SWEEP.items():
        rows += [_in_process(series, count, threshold) for threshold in THRESHOLDS]
    return rows


def _in_process(series: str, count: int, threshold: float) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.duplicates_growth"]
    command += [series, str(count), str(threshold)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(row, flush=True)
    return row


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))))
