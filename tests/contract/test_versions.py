"""The version, the changelog, the citation and the page on versions say the same."""

import re
from importlib.metadata import metadata
from pathlib import Path

import addhash
from addhash.documents import blob
from addhash.files import model_file
from addhash.service import ledger

ROOT = Path(__file__).resolve().parents[2]


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_newest_entry_of_the_changelog_is_this_version():
    assert re.search(r"^## (\S+?),", text_of("CHANGELOG.md"), re.M)[1] == addhash.__version__


def test_the_citation_names_this_version_and_licence():
    citation = text_of("CITATION.cff")
    assert f"\nversion: {addhash.__version__}\n" in citation
    about = metadata("addhash")
    assert about["Version"] == addhash.__version__
    assert f"\nlicense: {about['License-Expression']}\n" in citation


def test_the_page_on_versions_has_the_numbers_of_the_formats():
    rows = re.findall(r"^\| (\w+)[^|]* \| (\d+) \| [\d.]+ \|$", text_of("docs/versions.md"), re.M)
    assert {name: int(number) for name, number in rows} == {
        "models": model_file.FORMAT,
        "documents": blob.VERSION,
        "ledgers": ledger.VERSION,
    }
