"""The nearest neighbour on texts of the size of WiLI-2018 in full: time and memory.

The texts are made up: each of 235 languages has 1,000 paragraphs of words drawn from its
paragraphs in head-235, as long as those are.
"""

import multiprocessing
import time
from pathlib import Path
from typing import Any

import numpy as np

from addhash import AdditiveHashingVectorizer, Index
from addhash.paper.experiments.languages import SIZES
from addhash.paper.experiments.sweeps import exact_sums, nearest_texts
from benchmarks import harness

PER_LANGUAGE = 500
SIZE = 2048
N = 3
QUERIES = 2_350


def made_up(seed: int) -> list[str]:
    """Return 500 paragraphs a language, in random order."""
    rng = np.random.default_rng(seed)
    texts = np.array(harness.wili("head-235/x.txt"), dtype=object)
    labels = np.array(harness.wili("head-235/y.txt"))
    result = []
    for label in np.unique(labels):
        paragraphs = texts[labels == label]
        words = [word for paragraph in paragraphs for word in paragraph.split(" ") if word]
        for paragraph in rng.choice(paragraphs, PER_LANGUAGE):
            # The mean length of a word says how many are enough, twice over.
            count = 2 * len(paragraph) // max(1, sum(map(len, words)) // len(words)) + 1
            drawn = " ".join(words[i] for i in rng.integers(len(words), size=count))
            result.append(drawn[: len(paragraph)])
    return [result[i] for i in rng.permutation(len(result))]


def _peak_megabytes() -> float:
    # Of this process alone: getrusage would begin with the peak of the process that started it.
    (line,) = (
        line
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("VmHWM:")
    )
    return int(line.split()[1]) / 1024


def _whole_set(sizes: list[int], answers: Any) -> None:
    """Learn one half and ask the other, in a process of its own, to see its memory."""
    known, asked = made_up(1), made_up(2)
    before = _peak_megabytes()
    start = time.perf_counter()
    nearest = nearest_texts("ah", known, asked, N, sizes)
    seconds = time.perf_counter() - start
    assert all(len(found) == len(asked) for found in nearest.values())
    answers.put(
        {
            "known": len(known),
            "asked": len(asked),
            "text (MB)": sum(len(text.encode()) for text in known + asked) / 1e6,
            "seconds": seconds,
            "peak memory (MB)": _peak_megabytes(),
            "of it before (MB)": before,
        }
    )


def _search_seconds(known: list[str], asked: list[str]) -> float:
    index = Index(SIZE)
    for start in range(0, len(known), 10_000):
        index.add(exact_sums("ah", known[start : start + 10_000], N, SIZE))
    queries = exact_sums("ah", asked, N, SIZE)
    return harness.best_of(lambda: index.search(queries, 1), 3)


def _numpy_seconds(known: list[str], asked: list[str]) -> float:
    vectorizer = AdditiveHashingVectorizer(
        n_features=SIZE, analyzer="char", ngram_range=(N, N), lowercase=False
    )
    matrix, queries = vectorizer.transform(known), vectorizer.transform(asked)

    def nearest() -> None:
        for start in range(0, len(queries), 470):
            (queries[start : start + 470] @ matrix.T).argmax(axis=1)

    return harness.best_of(nearest, 3)


def _measured(sizes: list[int]) -> dict[str, Any]:
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    child = context.Process(target=_whole_set, args=(sizes, answers))
    child.start()
    found: dict[str, Any] = answers.get()
    child.join()
    return found


def run() -> list[dict[str, Any]]:
    known, asked = made_up(1), made_up(2)[:QUERIES]
    ratio = _numpy_seconds(known, asked) / _search_seconds(known, asked)
    peer = f"numpy float32 product and argmax, {QUERIES:,} of the queries, vectors given"
    return [
        {"case": f"nearest paragraphs, L = {SIZE}", **_measured([SIZE]),
         "peer": peer, "ratio": ratio},
        {"case": f"nearest paragraphs, every L of {SIZES[0]} to {SIZES[-1]}", **_measured(SIZES),
         "peer": "", "ratio": ""},
    ]  # fmt: skip
