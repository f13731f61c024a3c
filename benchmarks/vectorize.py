"""Texts to vectors, against scikit-learn's HashingVectorizer with the same analyzer."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import clone
from sklearn.feature_extraction.text import HashingVectorizer as SklearnVectorizer

from addhash import AdditiveHashingVectorizer, HashingVectorizer, release_memory
from benchmarks.harness import best_of, in_turns, sms, wili

PEER = "scikit-learn HashingVectorizer"
ANALYSES: list[tuple[str, tuple[int, int]]] = [
    ("char", (3, 3)),
    ("char_wb", (3, 3)),
    ("word", (1, 1)),
    ("word", (1, 2)),
]
# The ratios that the project aims at, by class, analyzer and data.
FLOORS = {
    ("HashingVectorizer", "char (3, 3)", "head-235"): 26,
    ("HashingVectorizer", "char (3, 3)", "sms"): 22,
    ("HashingVectorizer", "char_wb (3, 3)", "head-235"): 20,
    ("HashingVectorizer", "char_wb (3, 3)", "sms"): 18,
    ("HashingVectorizer", "word (1, 1)", "head-235"): 12,
    ("HashingVectorizer", "word (1, 1)", "sms"): 12,
    ("HashingVectorizer", "word (1, 2)", "head-235"): 18,
    ("HashingVectorizer", "word (1, 2)", "sms"): 16,
    ("AdditiveHashingVectorizer shake256", "char (3, 3)", "head-235"): 9,
    ("AdditiveHashingVectorizer shake256", "char (3, 3)", "sms"): 14,
    ("AdditiveHashingVectorizer aes128", "char (3, 3)", "head-235"): 18,
    ("AdditiveHashingVectorizer aes128", "char (3, 3)", "sms"): 16,
}


def cold(function: Callable[[], Any]) -> float:
    """Return the least time of a call that finds no memory of an earlier one, in seconds."""
    times = []
    for _ in range(3):
        release_memory()
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def run() -> list[dict[str, Any]]:
    rows = []
    for name, texts in {"head-235": wili("head-235/x.txt"), "sms": sms()}.items():
        megabytes = sum(len(text.encode()) for text in texts) / 1e6
        for analyzer, ngram_range in ANALYSES:
            analysis: dict[str, Any] = {"analyzer": analyzer, "ngram_range": ngram_range}
            label = f"{analyzer} {ngram_range}"
            peer = SklearnVectorizer(**analysis)
            peer_time = best_of(lambda peer=peer, texts=texts: peer.transform(texts), 3)
            candidates: dict[str, Any] = {"HashingVectorizer": HashingVectorizer(**analysis)}
            for randomizer in ("shake256", "aes128"):
                candidates[f"AdditiveHashingVectorizer {randomizer}"] = AdditiveHashingVectorizer(
                    randomizer=randomizer, dtype=np.float32, n_features=2048, **analysis
                )
            for candidate, vectorizer in candidates.items():
                by_threads = {n: clone(vectorizer).set_params(n_jobs=n) for n in (1, 2)}
                times = in_turns(
                    {n: lambda v=v, texts=texts: v.transform(texts) for n, v in by_threads.items()},
                    repeats=25,
                )
                vectorizer.set_params(n_jobs=1)
                cold_time = cold(lambda v=vectorizer, texts=texts: v.transform(texts))
                rows.append(
                    {
                        "data": name,
                        "analyzer": label,
                        "class": candidate,
                        "MB/s, 1 thread": megabytes / times[1],
                        f"ratio to {PEER}": peer_time / times[1],
                        "cold ratio": peer_time / cold_time,
                        "floor": FLOORS.get((candidate, label, name), ""),
                        "2 threads / 1": times[1] / times[2],
                    }
                )
                print(rows[-1], flush=True)
    return rows
