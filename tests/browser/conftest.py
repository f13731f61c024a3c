from itertools import count
from pathlib import Path

import pytest

from addhash.sample import load_languages
from tests.browser.pages import Page
from tests.service.running import InThread

NUMBERS = count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with InThread(tmp_path_factory.mktemp("page") / "data") as server:
        server.ask("POST", "/v1/models", {"name": "languages"})
        texts, labels = load_languages()
        lesson = {"texts": texts[::4], "labels": labels[::4]}
        server.ask("POST", "/v1/models/languages/examples", lesson)
        yield server


@pytest.fixture
def mail(server):
    """A model of its own for a test that teaches."""
    name = f"mail-{next(NUMBERS)}"
    assert server.ask("POST", "/v1/models", {"name": name})[0] == 201
    return name


@pytest.fixture
def opened(browser, server):
    made = []

    def open_page(part, model=None, **settings):
        page = Page(browser, server, **settings)
        made.append(page)
        page.open(part, model)
        return page

    yield open_page
    for page in made:
        page.check()
        page.page.close()


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core, which `make axe` fetches from npm."""
    source = Path(__file__).resolve().parents[2] / "build" / "axe" / "node_modules" / "axe-core"
    if not source.exists():
        pytest.skip("axe-core is not there: make axe, which needs npm")
    return (source / "axe.min.js").read_text(encoding="utf-8")
