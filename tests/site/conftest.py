import functools
import http.server
import threading

import pytest

from docs.make_site import SITE
from tests.browser.pages import new_page

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


@pytest.fixture(scope="session")
def site():
    assert (SITE / "index.html").is_file(), "the site is not built: make docs"
    return SITE


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="session")
def address(site):
    handler = functools.partial(Quiet, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def opened(browser, address):
    """Open pages; afterwards, nothing was asked of others and nothing went wrong."""
    pages, outside, faults = [], [], []

    def open_page(path, viewport=DESKTOP, scheme="light"):
        page = new_page(browser, viewport=viewport, color_scheme=scheme)
        pages.append(page)
        page.on(
            "request",
            lambda r: r.url.startswith((address, "data:", "blob:")) or outside.append(r.url),
        )
        page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(address + path, wait_until="networkidle")
        return page

    yield open_page
    for page in pages:
        page.close()
    assert not outside
    assert not faults
