"""Similar records among generated people, at three levels of damage, beside recordlinkage.

recordlinkage blocks on the sorted neighbourhood of the last name, on the postcode and on the date
of birth, and takes a pair for one person if four of seven fields agree (names by Jaro-Winkler at
0.85), as in its documentation's example. addhash runs at default settings. F1 is of pairs.
"""

import json
import subprocess
import sys
import time
from typing import Any

from benchmarks.duplicates import memory
from benchmarks.people import FIELDS, generate

SIZES = (10_000, 100_000)
DAMAGES = (1.0, 2.0, 4.0)

Pairs = set[tuple[int, int]]


def addhash_pairs(people: list[dict[str, Any]]) -> Pairs:
    import addhash

    left, right, _ = addhash.find_duplicates(people, fields=FIELDS).pairs
    return set(zip(left.tolist(), right.tolist(), strict=True))


def recordlinkage_pairs(people: list[dict[str, Any]]) -> Pairs:
    import pandas as pd
    import recordlinkage

    table = pd.DataFrame(people).replace("", None)
    indexer = recordlinkage.Index()
    indexer.sortedneighbourhood("last", window=9)
    indexer.block("postcode")
    indexer.block("born")
    candidates = indexer.index(table)
    compare = recordlinkage.Compare()
    for name in ("first", "last", "street", "town"):
        compare.string(name, name, method="jarowinkler", threshold=0.85, label=name)
    for name in ("postcode", "born", "phone"):
        compare.exact(name, name, label=name)
    features = compare.compute(candidates, table)
    matches = features[features.sum(axis=1) >= 4].index
    return {(min(a, b), max(a, b)) for a, b in matches}


TOOLS = {"addhash": addhash_pairs, "recordlinkage": recordlinkage_pairs}


def measure(tool: str, count: int, damage: float) -> dict[str, Any]:
    """Run one tool in this process."""
    people, truth = generate(count, damage)
    start, cpu_start = time.perf_counter(), time.process_time()
    found = TOOLS[tool](people)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
    right = len(found & truth)
    return {
        "records": count,
        "damage": damage,
        "tool": tool,
        "seconds": seconds,
        "CPU seconds": cpu,
        "precision": right / max(1, len(found)),
        "recall": right / len(truth),
        "F1": 2 * right / (len(found) + len(truth)),
        "peak memory (MB)": memory("VmHWM") / 1e6,
    }


def proposed(count: int, damage: float) -> dict[str, Any]:
    """Propose a threshold without known pairs; compare it with the best one."""
    import addhash

    people, truth = generate(count, damage)
    found = addhash.find_duplicates(people, fields=FIELDS, threshold=0.4)
    blind = found.tune()
    seen = found.tune(known=truth)
    left, right, values = found.pairs
    pairs = zip(left.tolist(), right.tolist(), (values >= blind.threshold).tolist(), strict=True)
    taken = {(a, b) for a, b, is_taken in pairs if is_taken}
    return {
        "records": count,
        "damage": damage,
        "tool": "addhash, proposed threshold",
        "threshold": blind.threshold,
        "confidence": blind.confidence,
        "F1": 2 * len(taken & truth) / (len(taken) + len(truth)),
        "best threshold": seen.threshold,
        "best F1": seen.confidence,
    }


def run(sizes: tuple[int, ...] = SIZES, tools: tuple[str, ...] = tuple(TOOLS)) -> list[Any]:
    rows: list[dict[str, Any]] = []
    for count in sizes:
        for damage in DAMAGES:
            rows += [in_process(tool, count, damage) for tool in tools]
        rows += [proposed(count, damage) for damage in DAMAGES]
    return rows


def in_process(tool: str, count: int, damage: float) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.linking", tool, str(count), str(damage)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(row, flush=True)
    return row


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))))
