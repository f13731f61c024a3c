"""Photographs the page of the server for the documents: ``python -m docs.make_page``.

It needs Chromium (``make browser``).
"""

import shutil
import tempfile
from pathlib import Path

from addhash.sample import load_languages
from tests.service.running import Running

PICTURES = Path(__file__).with_name("pictures")
SIZE = {"width": 1100, "height": 660}
TEXT = "Guten Morgen, have you seen le petit chat near the Bahnhof?"


def main() -> None:
    """Write both pictures."""
    from playwright.sync_api import sync_playwright

    texts, labels = load_languages()
    with (
        tempfile.TemporaryDirectory() as folder,
        Running(f"{folder}/data") as server,
        sync_playwright() as playwright,
    ):
        server.ask("POST", "/v1/models", {"name": "languages"})
        lesson = {"texts": texts, "labels": labels}
        server.ask("POST", "/v1/models/languages/examples", lesson)
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport=SIZE, color_scheme=scheme)  # type: ignore[arg-type]
            page.goto(f"http://127.0.0.1:{server.port}/#ask")
            page.wait_for_selector(".part[data-ready]")
            page.fill("#text", TEXT)
            page.wait_for_selector(".letters .for")
            page.wait_for_selector(".near li")
            page.wait_for_timeout(500)
            page.screenshot(path=PICTURES / f"page-{scheme}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
