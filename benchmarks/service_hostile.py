"""A hundred thousand requests that are wrong in every way, and a server that stays well."""

import os
from typing import Any

from tests.service import hostile

REQUESTS = int(os.environ.get("ADDHASH_HOSTILE", "100000"))


def run() -> list[dict[str, Any]]:
    """Raise an AssertionError if any of them gets anything but a 4xx, or harms the server."""
    found = hostile.run(REQUESTS, say=lambda line: print(line, flush=True))
    rows = [{"kind": "all", "answer": "", "count": sum(found.values())}]
    for what, count in found.items():
        kind, _, answer = what.partition(": ")
        rows.append({"kind": kind, "answer": answer, "count": count})
    return rows
