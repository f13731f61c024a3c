"""The built site in Chromium: it asks no other host for anything, and fits a phone."""

import functools
import http.server
import threading

import pytest

PAGES = ["index.html", "docs/which.html", "docs/cli.html", "docs/reference/classifiers.html"]
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def address(site):
    handler = functools.partial(Quiet, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def opened(browser, address):
    """Open pages; afterwards, nothing was asked of others and nothing went wrong."""
    contexts, outside, faults = [], [], []

    def open_page(path, viewport=DESKTOP, scheme="light"):
        context = browser.new_context(viewport=viewport, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on(
            "request",
            lambda r: r.url.startswith((address, "data:", "blob:")) or outside.append(r.url),
        )
        page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(address + path, wait_until="networkidle")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not outside
    assert not faults


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("path", PAGES)
def test_pages_fit(opened, path, viewport):
    page = opened(path, viewport)
    assert page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    assert page.locator("h1").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_follow_the_readers_choice(opened, scheme):
    page = opened("index.html", scheme=scheme)
    picture = page.locator("picture img").first
    assert f"terminal-{scheme}.svg" in picture.evaluate("image => image.currentSrc")
    shades = set()
    for _ in range(3):
        page.locator("[data-md-component=palette] label:not([hidden])").click()
        dark = page.evaluate("document.body.getAttribute('data-md-color-scheme')") == "slate"
        shown = "terminal-dark.svg" if dark else "terminal-light.svg"
        page.wait_for_function(
            "name => document.querySelector('picture img').currentSrc.endsWith(name)", arg=shown
        )
        shades.add(dark)
    assert shades == {True, False}


def test_the_search_finds_a_class(opened):
    page = opened("index.html")
    page.keyboard.press("Control+k")
    # The box is in a shadow root; what is typed before it has the focus is lost.
    page.wait_for_function("document.activeElement.shadowRoot?.activeElement?.matches('input')")
    page.keyboard.type("DuplicateIndex")
    found = page.get_by_role("option").filter(has_text="Texts that come and go")
    found.first.wait_for()
    assert "docs/duplicates.html" in found.first.get_attribute("href")


def test_what_is_copied_has_no_prompts(opened):
    page = opened("index.html")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    block = page.locator("div.highlight", has_text="TextVectorizer(analyzer").first
    block.hover()
    block.locator("button[data-md-type=copy]").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("from addhash import TextVectorizer")
    assert ">>>" not in copied
    assert "[[1." not in copied
