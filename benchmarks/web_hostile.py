"""A hundred thousand model files, changed and signed anew, loaded in WebAssembly under Node.

It needs ``make build/web/addhash.wasm``. Each is refused, or answers as Python does: anything else
ends it with an AssertionError.
"""

import os
from collections import Counter
from typing import Any

from tests.web import hostile

FILES = int(os.environ.get("ADDHASH_HOSTILE", "100000"))
BATCH = 5000  # a module loads these one after the other


def run() -> list[dict[str, Any]]:
    """Return how many were refused or right, and the most memory that a module came to."""
    found: Counter[str] = Counter()
    most = 0
    for first in range(0, FILES, BATCH):
        files = list(hostile.hostile_files(min(BATCH, FILES - first), first))
        counts, memory = hostile.check(files)
        found += counts
        most = max(most, memory)
        print(dict(found), most, flush=True)
    rows = [{"what": "files", "count": sum(found.values())}]
    rows += [{"what": what, "count": count} for what, count in sorted(found.items())]
    return [*rows, {"what": "most bytes of memory of the core", "count": most}]
