"""One method on one split of one data set at a time: what a run measures."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import matthews_corrcoef

from benchmarks.accuracy.data import TASKS, Split, Task
from benchmarks.accuracy.methods import Method, make
from benchmarks.accuracy.names import CURVES

Row = dict[str, Any]

# Fewer splits than there are, where a method takes minutes for one of them.
MOST_SPLITS = {
    "head-235": {
        "LinearSVC, words": 2,
        "LinearSVC, characters": 1,
        "LinearSVC, both": 1,
        "LogisticRegression": 1,
        "fastText": 2,
    },
    "udhr": {
        "LinearSVC, words": 1,
        "LinearSVC, characters": 1,
        "LinearSVC, both": 1,
        "LogisticRegression": 1,
        "fastText": 1,
    },
}
CURVE_SETS = ("trec", "subj", "subset-21", "pcmnews")
EXAMPLES = (1, 5, 20, 100)  # of each class
SAMPLES = 5
ASKED_PER_CLASS = 100
BINS = 15


def measured(task: Task, split: Split, method: Method) -> Row:
    """Return how well a method does on one split, and its processor time."""
    known, asked = (task.texts.part(positions) for positions in split)
    start = time.process_time()
    method.fit(known, task.labels[split.known])
    fitted = time.process_time()
    called, shares = method.answers(asked)
    end = time.process_time()
    truth = task.labels[split.asked]
    row: Row = {"asked": len(truth), "accuracy": 100 * float(np.mean(called == truth))}
    if shares is not None:
        row["ECE"] = expected_calibration_error(called == truth, shares)
    if set(truth) == {"ham", "spam"}:
        row["spam caught"] = 100 * float(np.mean(called[truth == "spam"] == "spam"))
        row["blocked ham"] = 100 * float(np.mean(called[truth == "ham"] == "spam"))
        row["MCC"] = float(matthews_corrcoef(truth, called))
    return row | {"fit (CPU s)": round(fitted - start, 3), "answer (CPU s)": round(end - fitted, 3)}


def expected_calibration_error(is_right: Any, shares: Any) -> float:
    bins = np.minimum((shares * BINS).astype(int), BINS - 1)
    gaps = [
        abs(is_right[bins == i].mean() - shares[bins == i].mean()) * (bins == i).mean()
        for i in range(BINS)
        if (bins == i).any()
    ]
    return float(sum(gaps))


def key(row: Row) -> tuple[Any, ...]:
    """Return what tells runs apart."""
    return row["data"], row["method"], row["split"], row.get("examples")


def runs(methods: list[str], sets: list[str], done: set[tuple[Any, ...]]) -> Iterator[Row]:
    """Yield each run on whole splits that has not been done yet."""
    for data in sets:
        for name in methods:
            task, method = TASKS[data](), make(name)
            most = MOST_SPLITS.get(data, {}).get(name, len(task.splits))
            for number, split in enumerate(task.splits[:most]):
                row: Row = {"data": data, "method": name, "split": number}
                if key(row) not in done:
                    yield row | measured(task, split, method)


def curves(methods: list[str], sets: list[str], done: set[tuple[Any, ...]]) -> Iterator[Row]:
    """Yield each run on a few examples of each class that has not been done yet."""
    for data in [data for data in CURVE_SETS if data in sets]:
        task = TASKS[data]()
        known, asked = task.splits[0]
        asked = asked[_firsts(task.labels[asked], ASKED_PER_CLASS)]
        largest = np.unique(task.labels[known], return_counts=True)[1].max()
        for name in [name for name in methods if name in CURVES]:
            for count in [count for count in EXAMPLES if count <= largest]:
                for seed in range(SAMPLES):
                    row: Row = {"data": data, "method": name, "split": seed, "examples": count}
                    if key(row) in done:
                        continue
                    order = np.random.default_rng(seed).permutation(known)
                    chosen = order[_firsts(task.labels[order], count)]
                    yield row | measured(task, Split(chosen, asked), make(name))


def _firsts(labels: Any, count: int) -> Any:
    """Return the positions of the first texts of each class."""
    found = [np.flatnonzero(labels == label)[:count] for label in np.unique(labels)]
    return np.sort(np.concatenate(found))
