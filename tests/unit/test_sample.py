"""The samples are complete, clean and easy to tell apart."""

import unicodedata
from collections import Counter
from importlib.resources import files

import pytest

from addhash.sample import load_languages, load_messages


@pytest.mark.parametrize("name", ["languages.tsv", "messages.tsv"])
def test_files_are_clean(name):
    data = files("addhash.sample").joinpath(name).read_bytes()
    text = data.decode("utf-8", "strict")
    assert not data.startswith(b"\xef\xbb\xbf")
    assert text.endswith("\n")
    assert "\r" not in text
    assert all(line.count("\t") == 1 for line in text.split("\n")[:-1])
    assert unicodedata.normalize("NFC", text) == text


def test_languages():
    _, labels = load_languages()
    counts = Counter(labels)
    assert len(counts) == 12
    assert set(counts.values()) == {40}


def test_messages():
    _, labels = load_messages()
    assert Counter(labels) == {"ham": 90, "spam": 60}


@pytest.mark.parametrize("load", [load_languages, load_messages])
def test_texts_are_short_and_unique(load):
    texts, _ = load()
    assert len({text.lower() for text in texts}) == len(texts)
    assert all(text == text.strip() and 8 <= len(text) <= 80 for text in texts)
