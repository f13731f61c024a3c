"""How the time of linking grows: generated people at default settings, up to a million."""

from typing import Any

import numpy as np

from benchmarks.linking import in_process

SIZES = (10_000, 100_000, 1_000_000)
DAMAGE = 2.0


def run() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for count in SIZES:
        row = in_process("addhash", count, DAMAGE)
        if rows:
            doublings = np.log2(count / rows[-1]["records"])
            grown = row["CPU seconds"] / rows[-1]["CPU seconds"]
            row["times per doubling"] = grown ** (1 / doublings)
        rows.append(row)
    return rows
