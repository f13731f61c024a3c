"""The native tests, compiled for WebAssembly, pass under Node: a process for each file."""

import subprocess
from pathlib import Path

import pytest

PROGRAM = Path("build/web/native_tests.wasm")
FILES = sorted(
    path.relative_to("build/web").with_suffix(".cpp").name
    for path in Path("build/web/native/tests").glob("*.o")
    if path.stem not in ("main", "support", "allocation")
)
LEFT_OUT = [
    # Their oracle is a long double, whose exp and log are no better than those of a double there.
    "-right_to_the_last_bit",
    # Exceptions trap.
    "-a_failed_allocation_anywhere_is_rethrown",
    "-a_collection_that_runs_out_of_memory_is_as_before",
]


@pytest.mark.parametrize("file", FILES)
def test_native(file):
    # Node's own threads crash in some sandboxes, and nothing here needs them.
    runner = Path(__file__).with_name("run_native.mjs")
    node = ["node", "--single-threaded", "--no-warnings", str(runner)]
    done = subprocess.run(
        [*node, str(PROGRAM), f"/{file}", *LEFT_OUT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    assert ", 0 failed" in done.stdout
    assert "\n0 passed" not in done.stdout
