"""Vectorizers with a vocabulary beside scikit-learn's: memory, two threads, a grid search."""

import ctypes
import json
import lzma
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.feature_extraction.text as peers
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC

import addhash
from benchmarks.duplicates import memory
from benchmarks.harness import data_folder, wili
from benchmarks.text_options import ANALYSES, reviews

MODULES = {"scikit-learn": peers, "addhash": addhash}
SETS = {"head-235": lambda: wili("head-235/x.txt")[:4000], "reviews": lambda: reviews()[:1000]}
GRID = {"words__ngram_range": [(1, 1), (1, 2)], "words__min_df": [1, 2], "svm__C": [0.1, 1.0]}


def forget_peak() -> None:
    """Give back what reading the texts has freed, and let VmHWM begin anew (Linux, glibc)."""
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")


def measure(module: str, data: str, analysis: str) -> dict[str, float]:
    """Return what one fit in a process of its own takes beyond the texts: bytes, and seconds."""
    texts = SETS[data]()
    vectorizer = MODULES[module].TfidfVectorizer(**ANALYSES[analysis])
    vectorizer.fit_transform(texts[:1])  # what a first call loads is no part of it
    forget_peak()
    before = memory("VmRSS")
    start = time.perf_counter()
    X = vectorizer.fit_transform(texts)
    times = [time.perf_counter() - start]
    assert len(vectorizer.vocabulary_) == X.shape[1]
    peak = memory("VmHWM") - before
    while sum(times) < 1:
        start = time.perf_counter()
        vectorizer.fit_transform(texts)
        times.append(time.perf_counter() - start)
    return {"peak": peak, "seconds": min(times)}


def in_process(module: str, data: str, analysis: str, threads: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.text_pipelines", module, data, analysis]
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    found = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(found.stdout)  # type: ignore[no-any-return]


def grid_search(module: Any) -> tuple[float, Any]:
    """Return the seconds of CPU time of a grid search over 400 reviews, and its scores."""
    path = data_folder() / "classification" / "reviews.tsv.xz"
    rows = lzma.decompress(path.read_bytes()).decode().splitlines()[:400]
    labels = [row.split("\t", 2)[1] for row in rows]
    pipeline = Pipeline([("words", module.TfidfVectorizer()), ("svm", LinearSVC(random_state=0))])
    search = GridSearchCV(pipeline, GRID, cv=3)
    start = time.process_time()
    search.fit(reviews()[:400], labels)
    return time.process_time() - start, search.cv_results_["mean_test_score"]


def run() -> list[dict[str, Any]]:
    rows = []

    def add(measure: str, data: str, unit: str, theirs: float, ours: float) -> None:
        row = {"measure": measure, "data": data, "unit": unit, "scikit-learn": theirs}
        rows.append(row | {"addhash": ours, "ratio": theirs / ours})

    for data in SETS:
        for analysis in ANALYSES:
            theirs = in_process("scikit-learn", data, analysis, 1)
            one, two = (in_process("addhash", data, analysis, threads) for threads in (1, 2))
            add(f"peak memory, {analysis}", data, "MB", theirs["peak"] / 1e6, two["peak"] / 1e6)
            add(f"1 thread, {analysis}", data, "s", theirs["seconds"], one["seconds"])
            add(f"2 threads, {analysis}", data, "s", theirs["seconds"], two["seconds"])
    (theirs, expected), (ours, scores) = map(grid_search, MODULES.values())
    assert np.array_equal(scores, expected)
    add("grid search, same scores", "400 reviews", "s of CPU", theirs, ours)
    return rows


if __name__ == "__main__":
    print(json.dumps(measure(*sys.argv[1:])))
