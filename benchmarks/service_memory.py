"""The memory of the server over a million requests."""

import os
from pathlib import Path
from typing import Any

from addhash import TextClassifier
from benchmarks.harness import lines
from benchmarks.service import PREDICT, run_load, serving

REQUESTS = int(os.environ.get("ADDHASH_REQUESTS", "1000000"))
LOOKS = 20


def run() -> list[dict[str, Any]]:
    """Look at the resident memory after each twentieth of the requests."""
    pairs = [line.split("\t", 1) for line in lines("sms-spam/SMSSpamCollection")]
    labels, texts = [label for label, _ in pairs], [text for _, text in pairs]
    rows = []
    with serving(TextClassifier().fit(texts[:3000], labels[:3000])) as (port, process):
        load = {"port": port, "process": process, "path": PREDICT, "texts": texts[3000:]}
        answered = 0
        for _ in range(LOOKS):
            done = run_load(**load, seconds=3600.0, most=REQUESTS // LOOKS)
            answered += done["requests"]
            rows.append({"requests": answered, "MiB": round(memory(process), 1)})
            print(rows[-1], flush=True)
    return rows


def memory(process: int) -> float:
    """Return the resident memory of a process in MiB."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ValueError("no memory is told")
