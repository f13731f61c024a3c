import os
import signal
from pathlib import Path

import pytest

import addhash
from addhash.runtime import native
from tests.paper_runs import computed_once, drawn, made_up_results, quick_run  # noqa: F401


def pytest_configure():
    """Let programs under test be stopped: a job in a shell's background ignores Ctrl-C.

    What is ignored stays ignored in the programs that a process starts.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(params=native.available_instruction_sets())
def instruction_set(request):
    """Run a test with every instruction set that this processor has."""
    addhash.set_instruction_set(request.param)
    yield request.param
    addhash.set_instruction_set(None)


@pytest.fixture(scope="session")
def data_folder():
    """The shared data sets: ADDHASH_DATA, or ../shared/data beside the checkout."""
    root = Path(__file__).resolve().parents[1]
    folder = Path(os.environ.get("ADDHASH_DATA", root.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the data sets are not at {folder}: set ADDHASH_DATA")
    return folder
