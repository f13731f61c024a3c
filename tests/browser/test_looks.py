"""How the page looks: sizes, contrasts, names, and the rules of axe-core."""

import pytest

from tests.browser.legibility import TEXTS as SEEN_TEXTS
from tests.browser.legibility import contrast, luminance
from tests.browser.pages import DESK, PARTS, PHONE, SMALL

SEEN = [*(f"languages/{part}" for part in PARTS), "languages/compare?snapshot=looks"]


@pytest.fixture(scope="module")
def compared(server):
    """A snapshot, and one more lesson to compare with it."""
    path = "/v1/models/languages"
    assert server.ask("POST", f"{path}/snapshots", {"name": "looks"})[0] == 201
    assert server.ask("POST", f"{path}/examples", {"texts": ["Hola"], "labels": ["eng"]})[0] == 200


def show(made, address):
    """Go to a part of the page, and wait until all of it is there."""
    page = made.go(address)
    part = page.locator(".part").get_attribute("data-part")
    if part == "ask":
        page.locator("#text").fill("Where is the Bahnhof?")
        page.wait_for_selector(".letters span")
        page.wait_for_selector(".near li")
    if part == "model":
        page.wait_for_selector(".snapshots li")
    settle(page)
    return page


def settle(page):
    """Wait for the end of all movements."""
    page.evaluate("() => Promise.all(document.getAnimations().map(one => one.finished))")


def test_contrast_is_that_of_the_standard():
    assert contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)") == pytest.approx(21)
    assert contrast("rgb(119, 119, 119)", "rgb(255, 255, 255)") == pytest.approx(4.48, abs=0.01)


def in_both_schemes(page):
    """Show the page in light colours, then in dark ones."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        yield scheme


@pytest.mark.parametrize("viewport", [DESK, PHONE, SMALL], ids=["desk", "phone", "small"])
def test_it_is_legible(opened, server, compared, viewport):
    made = opened("ask", "languages", viewport=viewport)
    for part in SEEN:
        page = show(made, part)
        assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"], part
        for scheme in in_both_schemes(page):
            back = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            assert (back > 0.9) == (scheme == "light")
            texts = page.evaluate(SEEN_TEXTS)
            assert len(texts) > 10
            for one in texts:
                # Letters lie on the colours of their shares, which are never strong.
                if not one["back"].startswith("rgba") and not one["color"].startswith("oklch"):
                    assert contrast(one["color"], one["back"]) >= 4.5, (part, scheme, one)
                assert one["size"] >= 11.5, (part, one)


def test_the_header_takes_little_of_a_small_screen(opened, server):
    page = opened("examples", "languages", viewport=SMALL).page
    brand, picker = (page.locator(one).bounding_box() for one in (".brand", "#picker"))
    assert abs(brand["y"] + brand["height"] / 2 - picker["y"] - picker["height"] / 2) < 4
    page.evaluate("scrollTo(0, 1000)")
    assert page.locator("header").bounding_box()["y"] < -500


def test_axe_finds_nothing(opened, server, compared, axe):
    """The rules of axe-core for WCAG 2.0 to 2.2, A and AA, and its best practices."""
    made = opened("ask", "languages")
    # The page's policy forbids scripts of others, so axe-core comes past it.
    made.page.evaluate(axe)
    for part in ["", "/new", *SEEN]:
        page = show(made, part)
        for scheme in in_both_schemes(page):
            # Only the rules on colours can tell the schemes apart.
            only = {"runOnly": ["color-contrast", "link-in-text-block"]} if scheme == "dark" else {}
            options = {"resultTypes": ["violations"], **only}
            found = page.evaluate("options => axe.run(document, options)", options)
            broken = [
                (rule["id"], [node["html"][:200] for node in rule["nodes"][:3]])
                for rule in found["violations"]
            ]
            assert broken == [], (part, scheme)


def test_screen_readers_find_their_way(opened):
    made = opened("ask", "languages")
    for part in PARTS:
        page = show(made, f"languages/{part}")
        assert page.get_by_role("heading", level=1).count() == 1
        nameless = page.evaluate("""() => [...document.querySelectorAll(
            "main button, main input, main select, main textarea, main [tabindex='0']")]
          .filter(e => e.checkVisibility())
          .filter(e => !(e.ariaLabel || e.labels?.length || e.textContent.trim()))
          .map(e => e.outerHTML)""")
        assert nameless == []
    assert page.locator("[aria-current=page]").inner_text() == "Map"
    assert page.get_by_role("navigation").count() == 1
    assert page.get_by_role("main").count() == 1
