"""Near-duplicates among more texts than fit the memory: `addhash dedupe --memory`.

Five million generated messages of 8 to 16 words, 10 % of them edited copies, in a file. The command
is run once to its end, and once killed on its way and started again; both must write the same
bytes, and stay below the limit. Run: python -m benchmarks duplicates_on_disk
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

COUNT = 5_000_000
LIMIT = "1GB"
LIMIT_BYTES = 10**9
VOCABULARY = 20_000


def write_messages(path: Path, count: int) -> None:
    random = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    lengths = random.integers(2, 9, VOCABULARY).tolist()
    vocabulary = ["".join(random.choice(letters, length)) for length in lengths]
    shares = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, count, 10_000):
            size = min(10_000, count - start)
            words = np.searchsorted(shares / shares[-1], random.random((size, 16)))
            words = np.minimum(words, VOCABULARY - 1)
            ends = random.integers(8, 17, size)
            for copy in range(1, size, 10):
                source = int(random.integers(copy))
                words[copy], ends[copy] = words[source], ends[source]
                if random.random() < 0.5:
                    words[copy, ends[copy] - 1] = random.integers(VOCABULARY)
            for row, end in zip(words.tolist(), ends.tolist(), strict=True):
                file.write(" ".join(vocabulary[i] for i in row[:end]) + "\n")


def run_command(source: Path, target: Path, kill_at: str | None = None) -> tuple[float, int]:
    """Return the seconds and the peak memory of one run, or of one that was killed."""
    program = str(Path(sys.executable).with_name("addhash"))
    command = [program, "dedupe", str(source), "-o", str(target), "--memory", LIMIT]
    start = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    peak = 0
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
            line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
            peak = max(peak, int(line.split()[1]) * 1024)
        except (OSError, StopIteration):
            pass
        folder = target.with_name(f".{target.name}.dedupe")
        if kill_at is not None and list(folder.glob(kill_at)):
            process.kill()
        time.sleep(0.05)
    _, errors = process.communicate()
    if kill_at is None and process.returncode:
        raise SystemExit(errors)
    print(errors.strip(), flush=True)
    return time.perf_counter() - start, peak


def run(count: int = COUNT) -> list[dict[str, Any]]:
    rows = []
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        source, whole = Path(folder, "messages.txt"), Path(folder, "whole.txt")
        write_messages(source, count)
        size = source.stat().st_size
        before = source.read_bytes() if count <= 100_000 else b""
        seconds, peak = run_command(source, whole)
        rows.append({"run": "to its end", "seconds": seconds, "peak memory (MB)": peak / 1e6})
        resumed = Path(folder, "resumed.txt")
        _, first_peak = run_command(source, resumed, kill_at="pairs-*-1")
        seconds, second_peak = run_command(source, resumed)
        peak = max(first_peak, second_peak)
        rows.append({"run": "started again", "seconds": seconds, "peak memory (MB)": peak / 1e6})
        is_same = whole.read_bytes() == resumed.read_bytes()
        if before and source.read_bytes() != before:
            raise SystemExit("the input was changed")
    for row in rows:
        row |= {"texts": count, "input (MB)": size / 1e6, "limit (MB)": LIMIT_BYTES / 1e6}
        row["same bytes"] = is_same
        row["holds"] = row["peak memory (MB)"] * 1e6 <= LIMIT_BYTES
    return rows


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1])), indent=1))
