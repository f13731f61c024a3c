import shutil

import pytest

FLAGS = [
    # Only a page of our own is opened; as root, Chromium does not start with its sandbox.
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")
def browser():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is not installed: make browser, as root")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip("the package playwright is not installed: make install browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()
