"""How much memory a run may use, and how much it uses."""

import os
import re
import resource
import sys
from pathlib import Path
from typing import Any

from addhash.errors import ParameterError
from addhash.parameters import is_integer

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
BINARY_UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def bytes_of(memory: Any, owner: str = "find_duplicates") -> int:
    """Return a number of bytes from an integer or a text such as "2GB" or "512 MiB".

    Examples
    --------
    >>> from addhash.search.duplicates.memory_limit import bytes_of
    >>> bytes_of("1.5GB"), bytes_of("512 MiB"), bytes_of(1000)
    (1500000000, 536870912, 1000)
    """
    if is_integer(memory) and memory > 0:
        return int(memory)
    if isinstance(memory, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]i?|)B?\s*", memory, re.IGNORECASE)
        if found:
            unit = found[2][:1].upper() + found[2][1:].lower()
            return int(float(found[1]) * (UNITS | BINARY_UNITS)[unit])
    raise ParameterError.of(
        owner,
        "memory",
        f"must be a number of bytes, or a text such as '2GB' or '512MiB'. Got {memory!r} instead.",
    )


def memory_in_use() -> int:
    """Return the memory that this process uses now, or the most it has ever used."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
