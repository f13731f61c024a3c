"""A million texts of 50 single words of 30,000: the time and the memory of a search.

As the series of words of `duplicates_growth`, with CPU time and peak memory.
"""

import json
import subprocess
import sys
import time
from typing import Any

from benchmarks.duplicates import memory
from benchmarks.duplicates_growth import SERIES, measure

SIZES = (200_000, 1_000_000)


def run() -> list[dict[str, Any]]:
    rows = []
    for series in ("even words", "zipf words"):
        for count in SIZES:
            command = [sys.executable, "-m", "benchmarks.words_growth", series, str(count)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            rows.append(json.loads(done.stdout.splitlines()[-1]))
            print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    start = time.process_time()
    row = measure(sys.argv[1], int(sys.argv[2]), SERIES[sys.argv[1]][0])
    # The texts are made first, by the same process.
    row["CPU seconds, with making the texts"] = time.process_time() - start
    row["peak memory (MB)"] = memory("VmHWM") / 1e6
    print(json.dumps(row))
