"""Passages planted in generated text, found under a limit of memory: all of them, where they are.

    python -m benchmarks.passages 1000 1GB

writes a file of 1,000 MB to a temporary folder, runs `addhash passages` on it, and compares the
report with the truth. Words follow Zipf's law; a tenth of the text is passages of 60 to 200 words,
each between two words that occur nowhere else, so that it cannot be extended by accident.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

VOCABULARY = 50_000
WORDS = 2_000  # of a text, without passages
SHARE = 0.1

Place = tuple[int, int, int]


def generate(path: Path, megabytes: int, seed: int = 0) -> set[Place]:
    """Write texts, and return the places of passages: row, start and end."""
    random = np.random.default_rng(seed)
    vocabulary = np.array([f"{i:x}" + "aeiou"[i % 5] for i in range(VOCABULARY)], object)
    rank = 1 / np.arange(1, VOCABULARY + 1)
    chances = np.cumsum(rank / rank.sum())

    def words(count: int) -> str:
        return " ".join(vocabulary[np.searchsorted(chances, random.random(count) * chances[-1])])

    pool = [words(int(random.integers(60, 200))) for _ in range(20 * megabytes)]
    places: dict[int, list[Place]] = {}
    row = guards = 0
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < megabytes * 1_000_000:
            row += 1
            parts = []
            length = 0
            for _ in range(int(random.poisson(WORDS * SHARE / 130)) + 1):
                guards += 2
                part = f"{words(WORDS // 3)} guard{guards - 1} "
                passage = int(random.integers(len(pool)))
                length += len(part)
                end = length + len(pool[passage])
                places.setdefault(passage, []).append((row, length, end))
                parts.append(f"{part}{pool[passage]} guard{guards} ")
                length += len(parts[-1]) - len(part)
            file.write(json.dumps({"text": "".join(parts)}) + "\n")
    return {
        place
        for found in places.values()
        if len({place[0] for place in found}) > 1
        for place in found
    }


def run(megabytes: int, memory: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        texts, report = Path(folder, "texts.jsonl"), Path(folder, "report.csv")
        truth = generate(texts, megabytes)
        program = Path(sys.executable).parent / "addhash"
        command = [str(program), "passages", str(texts), "--report", str(report)]
        start = time.perf_counter()
        process = subprocess.Popen([*command, "--memory", memory])
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        with report.open(newline="", encoding="utf-8") as file:
            rows = [(int(r["row"]), int(r["start"]), int(r["end"])) for r in csv.DictReader(file)]
        return {
            "megabytes": megabytes,
            "memory": memory,
            "exit code": os.waitstatus_to_exitcode(status),
            "planted places": len(truth),
            "found": len(rows),
            "found and planted": len(truth & set(rows)),
            "seconds": seconds,
            "CPU seconds": usage.ru_utime + usage.ru_stime,
            "peak memory (MB)": usage.ru_maxrss * 1024 / 1e6,
        }


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1]), sys.argv[2])))
