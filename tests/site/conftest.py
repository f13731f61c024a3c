import pytest

from docs.make_site import SITE
from tests.browser.conftest import browser  # noqa: F401


@pytest.fixture(scope="session")
def site():
    assert (SITE / "index.html").is_file(), "the site is not built: make docs"
    return SITE
