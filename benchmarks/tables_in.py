"""Columns and tables against lists and dicts of the same rows, one thread, in processor time.

Both sides take turns in one process. A list costs what it takes to make it of a column as well:
that is what a user without Arrow pays, and the last column counts it.
"""

import time
from collections.abc import Callable
from typing import Any

import polars as pl
import pyarrow as pa
from sklearn.feature_extraction import FeatureHasher as SklearnFeatureHasher

from addhash import (
    AdditiveFeatureHasher,
    AdditiveHashingVectorizer,
    FeatureHasher,
    HashingVectorizer,
    TextClassifier,
    find_duplicates,
)
from benchmarks import harness

REPEATS = 7
RECORDS = 100_000
Work = Callable[[Any], Any]


def run() -> list[dict[str, Any]]:
    return [*texts(), *records()]


def texts() -> list[dict[str, Any]]:
    rows = []
    data = {"head-235": harness.wili("head-235/x.txt"), "sms": harness.sms()}
    for name, documents in data.items():
        model = TextClassifier("centroid").fit(documents[:2000], [i % 20 for i in range(2000)])
        words = HashingVectorizer(n_jobs=1)
        grams = HashingVectorizer(analyzer="char", ngram_range=(3, 3), n_jobs=1)
        additive = AdditiveHashingVectorizer(randomizer="aes128", n_jobs=1)
        model.n_jobs = 1
        work: dict[str, Work] = {
            "HashingVectorizer, words": words.transform,
            "HashingVectorizer, char (3, 3)": grams.transform,
            "AdditiveHashingVectorizer, words": additive.transform,
            "TextClassifier.predict, centroid": model.predict,
            "find_duplicates": lambda given: find_duplicates(given, n_jobs=1),
        }
        column, series = pa.array(documents), pl.Series(documents)
        for what, do in work.items():
            by_list, by_arrow, by_polars, made = best(
                [
                    (do, documents),
                    (do, column),
                    (do, series),
                    (lambda given, do=do: do(given.to_pylist()), column),
                ]
            )
            rows.append(
                {
                    "data": name,
                    "what": what,
                    "list, ms": 1e3 * by_list,
                    "pyarrow / list": by_list / by_arrow,
                    "Polars / list": by_list / by_polars,
                    "pyarrow / list made of it": made / by_arrow,
                }
            )
    return rows


def records() -> list[dict[str, Any]]:
    cities = [f"city {i}" for i in range(500)]
    table = pa.table(
        {
            "city": [cities[i * 7919 % 500] for i in range(RECORDS)],
            "kind": [["flat", "house", "room"][i % 3] for i in range(RECORDS)],
            "rooms": [i % 9 for i in range(RECORDS)],
            "price": [i / 8 for i in range(RECORDS)],
            "garden": [i % 4 == 0 for i in range(RECORDS)],
        }
    )
    dicts = table.to_pylist()
    rows = []
    for what, hasher in {
        "FeatureHasher": FeatureHasher(),
        "AdditiveFeatureHasher": AdditiveFeatureHasher(256, randomizer="aes128", n_jobs=1),
    }.items():
        by_dicts, by_table, made = best(
            [
                (hasher.transform, dicts),
                (hasher.transform, table),
                (lambda given, hasher=hasher: hasher.transform(given.to_pylist()), table),
            ]
        )
        row = {
            "data": f"{RECORDS:,} records",
            "what": what,
            "list, ms": 1e3 * by_dicts,
            "pyarrow / list": by_dicts / by_table,
            "pyarrow / list made of it": made / by_table,
        }
        if what == "FeatureHasher":
            (peer,) = best([(SklearnFeatureHasher().transform, dicts)])
            row["pyarrow / scikit-learn's dicts"] = peer / by_table
        rows.append(row)
    return rows


def best(sides: list[tuple[Work, Any]]) -> list[float]:
    """Return the least processor time of each side; they take turns."""
    found = [float("inf")] * len(sides)
    for _ in range(REPEATS):
        for i, (work, given) in enumerate(sides):
            start = time.process_time()
            work(given)
            found[i] = min(found[i], time.process_time() - start)
    return found
