"""A server that is killed 200 times under load, and keeps every word it gave."""

import os
from typing import Any

from tests.service import kills

KILLS = int(os.environ.get("ADDHASH_KILLS", "200"))


def run() -> list[dict[str, Any]]:
    """Raise an AssertionError if anything acknowledged is lost, or counted twice."""
    found = kills.run(KILLS, say=lambda line: print(line, flush=True))
    return [{"what": what, "count": count} for what, count in sorted(found.items())]
