"""The built site: every link and anchor leads somewhere, nothing comes from another host."""

import re
from html.parser import HTMLParser
from types import FunctionType
from urllib.parse import unquote, urlsplit

import pytest

import addhash

MEMBERS = (FunctionType, classmethod, staticmethod, property)
LOADS = {"audio", "embed", "iframe", "img", "input", "object", "script", "source", "track", "video"}


class Page(HTMLParser):
    """What a page is linked to, loads, and can be linked at."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = {""}, [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors |= {attributes.get("id"), attributes.get("name") if tag == "a" else None}
        if tag == "a" and attributes.get("href") is not None:
            self.links.append(attributes["href"])
        if tag in LOADS:
            self.loads += filter(None, [attributes.get("src"), attributes.get("data")])
            self.loads += [
                part.split()[0] for part in attributes.get("srcset", "").split(",") if part
            ]
        if tag == "link" and attributes.get("rel") not in ("canonical", "next", "prev"):
            self.loads.append(attributes["href"])


@pytest.fixture(scope="session")
def pages(site):
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def target(page, link):
    """Return the file and the anchor that a link leads to, or None if it leaves the site."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    return path / "index.html" if path.is_dir() else path, unquote(parts.fragment)


def test_links_and_anchors_lead_somewhere(site, pages):
    broken, checked = [], 0
    for page, content in pages.items():
        if page.name == "404.html":  # its links are of the host that serves it
            continue
        for link in content.links:
            found = target(page, link)
            if found is None:
                continue
            path, anchor = found
            checked += 1
            if not path.is_file() or (path in pages and anchor not in pages[path].anchors):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert not broken, "\n".join(broken)
    assert checked > 1000


def test_nothing_is_loaded_from_elsewhere(site, pages):
    for page, content in pages.items():
        if page.name == "404.html":
            continue
        for load in content.loads:
            if load.startswith("data:"):
                continue
            found = target(page, load)
            assert found is not None, f"{page.relative_to(site)} loads {load}"
            assert found[0].is_file(), f"{page.relative_to(site)} loads {load}, which is not there"
        # The theme fetches what draws these from another host once a page has one.
        fetching = r'class="[^"]*\b(glightbox|mermaid|pyodide)\b'
        assert not re.search(fetching, page.read_text(encoding="utf-8")), page.relative_to(site)
    for style in site.rglob("*.css"):
        outside = re.findall(
            r"(?:@import|url\()\s*['\"]?(?:https?:)?//[^)\s]+", style.read_text("utf-8")
        )
        assert not outside, style


@pytest.mark.parametrize("name", addhash.__all__)
def test_public_names_are_in_the_reference(name, site, pages):
    anchors = set().union(*(c.anchors for p, c in pages.items() if p.parent.name == "reference"))
    assert f"addhash.{name}" in anchors


def test_methods_of_public_classes_are_in_the_reference(pages):
    anchors = set().union(*(c.anchors for p, c in pages.items() if p.parent.name == "reference"))
    missing = []
    for name in addhash.__all__:
        kind = getattr(addhash, name)
        if isinstance(kind, type):
            own = [
                m for m, value in vars(kind).items() if m[0] != "_" and isinstance(value, MEMBERS)
            ]
            missing += [f"{name}.{m}" for m in own if f"addhash.{name}.{m}" not in anchors]
    assert not missing


def test_examples_of_docstrings_are_sessions(site):
    """Without the heading of examples, their prompts would be quotations of quotations."""
    for page in (site / "docs" / "reference").glob("*.html"):
        assert not re.search(r"<blockquote>\s*<blockquote>", page.read_text("utf-8")), page.name
