"""The built site in Chromium: it asks no other host for anything, and fits a phone."""

import pytest

from tests.site.conftest import DESKTOP, PHONE

PAGES = ["index.html", "docs/which.html", "docs/cli.html", "docs/reference/classifiers.html"]
PAGES += ["try/index.html"]


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("path", PAGES)
def test_pages_fit(opened, path, viewport):
    page = opened(path, viewport)
    assert page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    assert page.locator("h1").first.is_visible()


def test_what_requests_do_is_in_sight_on_a_phone(opened):
    page = opened("docs/service.html", PHONE)
    table = page.locator("table", has_text="what it does")
    ends = table.locator("td:last-child").evaluate_all(
        "all => all.map(c => c.getBoundingClientRect().right)"
    )
    assert len(ends) > 15
    assert max(ends) <= PHONE["width"]


def test_defaults_are_values(opened):
    for path, default in [
        ("docs/reference/service.html", "max_file=1_073_741_824"),
        ("docs/reference/classifiers.html", "n_buckets=1_048_576"),
    ]:
        page = opened(path)
        signatures = "".join(page.locator(".doc-signature").all_inner_texts())
        assert default in signatures
        assert "BUCKETS" not in signatures
        assert "<<" not in signatures


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
