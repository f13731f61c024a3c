"""Measure accuracy. Runs that are in the results are not repeated."""

import argparse
import json
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks import harness
from benchmarks.accuracy.data import TASKS
from benchmarks.accuracy.methods import Paper
from benchmarks.accuracy.names import NAMES
from benchmarks.accuracy.runs import curves, key, measured, runs

FILE = harness.RESULTS / "accuracy.json"

Row = dict[str, Any]
KEYS = ("data", "method")  # what tells the rows of a section apart


def paper() -> Iterator[Row]:
    """Yield the figures of the paper's own classifier on its two tasks."""
    for data in ("head-235", "subset-21", "sms"):
        task = TASKS[data]()
        found = [measured(task, split, Paper(data == "sms")) for split in task.splits]
        values = [row["accuracy"] for row in found]
        row: Row = {"data": data, "splits": len(values), "asked": found[0]["asked"]}
        row["accuracy"] = float(np.mean(values))
        if len(values) > 1:
            error = float(np.std(values, ddof=1) / np.sqrt(len(values)))
            row["accuracy, standard error"] = error
        yield row


def read() -> dict[str, Any]:
    """Return the results so far."""
    if FILE.exists():
        found: dict[str, Any] = json.loads(FILE.read_text())
        return found
    return {"runs": [], "sections": {}}


def keep(section: str, row: Row) -> None:
    """Write a row to the results, in the place of an older one of the same name."""
    print(section, row, flush=True)
    results = read()
    results["machine"] = harness.machine()
    if section == "runs":
        rows, name = results["runs"], key
    else:
        rows, name = results["sections"].setdefault(section, []), _name
    names = [name(old) for old in rows]
    if name(row) in names:
        rows[names.index(name(row))] = row
    else:
        rows.append(row)
    FILE.write_text(json.dumps(results, indent=0) + "\n")


def _name(row: Row) -> tuple[Any, ...]:
    return tuple(row.get(part) for part in KEYS)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    sections = ("runs", "curves", "learnt", "lessons", "paper", "speed", "labels", "weights")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(sections))
    parser.add_argument("--method", action="append", choices=NAMES, help="only this one; repeat it")
    parser.add_argument("--data", action="append", choices=TASKS, help="only this set; repeat it")
    parser.add_argument("--again", action="store_true", help="repeat runs that are in the results")
    chosen = parser.parse_args()
    unknown = set(chosen.sections) - set(sections)
    if unknown:
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    warnings.simplefilter("ignore", ConvergenceWarning)
    methods, sets = chosen.method or NAMES, chosen.data or list(TASKS)
    done = set() if chosen.again else {key(row) for row in read()["runs"]}

    from benchmarks.accuracy import speed, taught

    measures: dict[str, Callable[[], Iterator[Row]]] = {
        "runs": lambda: runs(methods, sets, done),
        "curves": lambda: curves(methods, sets, done),
        "learnt": taught.learnt,
        "lessons": taught.lessons,
        "paper": paper,
        "speed": lambda: speed.speed(methods),
        "labels": speed.labels,
        "weights": speed.weights,
    }
    for section in chosen.sections or sections:
        for row in measures[section]():
            keep("runs" if section == "curves" else section, row)


main()
