"""What is free again goes back to the system."""

import platform
from pathlib import Path

import numpy as np
import pytest

from addhash.service.free_memory import give_back


def resident():
    """Return the memory of this process in MiB."""
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if "VmRSS" in x)
    return int(line.split()[1]) / 1024


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps freed memory")
def test_freed_memory_leaves_the_process():
    arrays = [np.ones(4096, np.uint8) for _ in range(20_000)]
    full = resident()
    arrays = arrays[::1000]  # what is left keeps the C library from giving back the rest
    give_back()
    assert resident() < full - 60
    assert all(array.all() for array in arrays)
