import os
import shutil
import signal
from pathlib import Path

import pytest

import addhash
from addhash.runtime import native
from tests.paper_runs import computed_once, drawn, made_up_results, quick_run  # noqa: F401

CHROMIUM_FLAGS = [
    # Only a page of our own is opened; as root, Chromium does not start with its sandbox.
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]


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


@pytest.fixture(scope="session")
def browser():
    # The first has no windows, which take half of a processor's time.
    names = ("chromium-headless-shell", "chromium", "chromium-browser")
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        pytest.skip("Chromium is not installed: make browser, as root")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip("the package playwright is not installed: make install browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()
