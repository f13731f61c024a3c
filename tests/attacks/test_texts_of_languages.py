"""Hostile texts: the detector has an answer or None, and never fails but in our own words."""

import pytest

from addhash import languages
from addhash.errors import AddhashError

TEXTS = {
    "empty": "",
    "null": "\0",
    "digits": "0123456789" * 1000,
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈" * 100,
    "html": "<div class='a'><script>alert(1)</script>&nbsp;</div>" * 50,
    "one letter": "a" * 10_000_000,
    "one letter and spaces": "a " * 100_000,
    "mixed scripts": "aбγدहกあ한中ⴰ" * 500,
    "lone surrogates": "\ud800hello\udfff world \udc80",
    "only surrogates": "\ud800" * 10,
    "combining marks": "e" + "\u0301" * 100_000,
    "directions": "\u202eabc\u202d def\u2066\u2069",
    "line separators": "a\u2028b\u2029c\x85d\x0be",
    "private use": "\ue000\uf8ff\U0010ffff" * 100,
    "not characters": "\ufffe\uffff\ufdd0",
    "capital sharp s and dotted i": "İSTANBUL ẞ ŉ ǰ ﬃ",
    "long word": "pneumono" * 10_000,
    "spaces of all kinds": "\u00a0\u2003\u3000\t\r\n\x1c",
}


@pytest.mark.parametrize("name", TEXTS)
def test_an_answer_or_none(name):
    text = TEXTS[name]
    found = languages.detect(text)
    assert found is None or (found.code and 0 <= found.probability <= 1)
    assert (found is None) == (not any(map(str.isalpha, text)))
    parts = languages.segments(text)
    assert (parts == []) == (found is None)
    if parts:
        assert (parts[0].start, parts[-1].end) == (0, len(text))
        assert all(part.start < part.end for part in parts)
    if len(text) < 10_000:
        assert languages.detect(text, ["en", "ru"], top=2) is None or found is not None


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"caf\xe9", bytes(range(256))])
def test_bytes_of_any_kind(data):
    found = languages.detect(data)
    assert found is None or found.code
    assert isinstance(languages.segments(data), list)


@pytest.mark.parametrize("thing", [None, 5, object(), [[None]], [5], float("nan")])
def test_what_is_no_text_is_refused_in_our_words(thing):
    with pytest.raises(AddhashError):
        languages.detect(thing)
    with pytest.raises(AddhashError):
        languages.segments(thing)
