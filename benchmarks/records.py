"""Records to vectors, against scikit-learn's FeatureHasher on the same records."""

import random
import time
from collections.abc import Callable
from typing import Any

from sklearn.feature_extraction import FeatureHasher as SklearnHasher

from addhash import AdditiveFeatureHasher, FeatureHasher, release_memory
from benchmarks.harness import in_turns

PEER = "scikit-learn FeatureHasher"
RECORDS = 20_000
ITEMS = 20
NAMES = 100
VALUES = 50
# The ratios that the project aims at.
FLOORS = {
    "FeatureHasher": {"dict": 3, "pair": 3, "string": 5},
    "AdditiveFeatureHasher": {"dict": 2, "pair": 2, "string": 4},
}


def records() -> dict[str, dict[str, list[Any]]]:
    """Half of a record's features are categories, the others numbers."""
    rng = random.Random(17)
    names = [f"feature{i}" for i in range(NAMES)]
    values = [f"value{i}" for i in range(VALUES)]
    numbers: dict[str, Callable[[], Any]] = {
        "counts": lambda: rng.randint(1, 9),
        "fractions": lambda: rng.uniform(0, 10),
    }
    result: dict[str, dict[str, list[Any]]] = {"dict": {}, "pair": {}, "string": {}}
    for kind, number in numbers.items():
        dicts = [
            {
                name: rng.choice(values) if i % 2 else number()
                for i, name in enumerate(rng.sample(names, ITEMS))
            }
            for _ in range(RECORDS)
        ]
        result["dict"][kind] = dicts
        result["pair"][kind] = [list(record.items()) for record in dicts]
    result["string"]["categories"] = [
        [f"{name}={rng.choice(values)}" for name in rng.sample(names, ITEMS)]
        for _ in range(RECORDS)
    ]
    return result


def cold(hasher: Any, given: list[Any]) -> float:
    """Return the CPU time of a call with no memory kept from an earlier one, in seconds."""
    times = []
    for _ in range(3):
        release_memory()
        start = time.process_time()
        hasher.transform(given)
        times.append(time.process_time() - start)
    return min(times)


def run() -> list[dict[str, Any]]:
    rows = []
    for input_type, kinds in records().items():
        for kind, given in kinds.items():
            hashers: dict[str, Any] = {
                PEER: SklearnHasher(input_type=input_type),
                "FeatureHasher": FeatureHasher(input_type=input_type),
                "AdditiveFeatureHasher": AdditiveFeatureHasher(
                    1024, input_type=input_type, n_jobs=1
                ),
            }
            times = in_turns(
                {name: lambda h=h, g=given: h.transform(g) for name, h in hashers.items()},
                repeats=7,
                clock=time.process_time,
            )
            by_threads = {
                n: AdditiveFeatureHasher(1024, input_type=input_type, n_jobs=n) for n in (1, 2)
            }
            on_threads = in_turns(
                {n: lambda h=h, g=given: h.transform(g) for n, h in by_threads.items()}, repeats=25
            )
            # FeatureHasher has no parameter for threads, as in scikit-learn.
            gains = {"AdditiveFeatureHasher": on_threads[1] / on_threads[2]}
            for name, floors in FLOORS.items():
                rows.append(
                    {
                        "records": f"{input_type}, {kind}",
                        "class": name,
                        "records/s": RECORDS / times[name],
                        f"ratio to {PEER}": times[PEER] / times[name],
                        "cold ratio": times[PEER] / cold(hashers[name], given),
                        "floor": floors[input_type],
                        "2 threads / 1": gains.get(name, ""),
                    }
                )
                print(rows[-1], flush=True)
    return rows
