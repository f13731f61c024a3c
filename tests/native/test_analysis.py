"""The native analysis against scikit-learn's."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from addhash.runtime import native
from tests.texts import HOSTILE

ANALYZERS = ["word", "char", "char_wb"]
RANGES = [(1, 1), (1, 2), (2, 2), (3, 3), (1, 5), (4, 9), (30, 40)]


def expected_tokens(text, analyzer, ngram_range, lowercase):
    analyze = CountVectorizer(
        analyzer=analyzer, ngram_range=ngram_range, lowercase=lowercase
    ).build_analyzer()
    return Counter(token.encode("utf-8", "surrogatepass") for token in analyze(text))


def native_tokens(text, analyzer, ngram_range, lowercase):
    cut = native.TextOptions(analyzer, *ngram_range, lowercase)
    try:
        return Counter(native.tokens_of(text, cut))
    except native.Failure as failure:
        return failure.status, failure.position


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("ngram_range", RANGES)
@pytest.mark.parametrize("analyzer", ANALYZERS)
def test_hostile_texts(analyzer, ngram_range, lowercase):
    for text in HOSTILE:
        expected = expected_tokens(text, analyzer, ngram_range, lowercase)
        assert native_tokens(text, analyzer, ngram_range, lowercase) == expected, text


SPACES = " \t\n\u00a0\u2003\x1c\x85"


@settings(max_examples=400, deadline=None)
@given(
    text=st.text() | st.text(alphabet="aB_ \u00a0\u2003ßΣİσ😀é\u0301" + SPACES),
    analyzer=st.sampled_from(ANALYZERS),
    min_n=st.integers(1, 4),
    more=st.integers(0, 3),
    lowercase=st.booleans(),
)
def test_any_text(text, analyzer, min_n, more, lowercase):
    ngram_range = (min_n, min_n + more)
    expected = expected_tokens(text, analyzer, ngram_range, lowercase)
    assert native_tokens(text, analyzer, ngram_range, lowercase) == expected


@settings(max_examples=200, deadline=None)
@given(
    text=st.text(alphabet="ab \ud800\udfffé"),
    analyzer=st.sampled_from(ANALYZERS),
    n=st.integers(1, 4),
)
def test_lone_surrogates(text, analyzer, n):
    found = native_tokens(text, analyzer, (n, n), False)
    expected = expected_tokens(text, analyzer, (n, n), False)
    if any(b"\xed\xa0\x80" in token or b"\xed\xbf\xbf" in token for token in expected):
        assert found == (native.Status.surrogate, 0)
    elif isinstance(found, tuple):
        # No token is long enough to hold it, but the text does.
        assert found == (native.Status.surrogate, 0)
        assert any("\ud800" <= c <= "\udfff" for c in text)
    else:
        assert found == expected


def test_lower_case_of_every_character():
    """Each character alone and between letters, against str.lower()."""
    every = [chr(c) for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
    for first in range(0, len(every), 50_000):
        text = "".join(f"a{c}b" for c in every[first : first + 50_000])
        found = native.tokens_of(text, native.TextOptions("char", 1, 1, True))
        collapsed = CountVectorizer(analyzer="char").build_analyzer()(text)
        assert b"".join(found).decode() == "".join(collapsed)


def test_word_and_space_of_every_character():
    for first in range(0, 0x110000, 0x8000):
        text = " ".join(
            f"{chr(c)}{chr(c)}" for c in range(first, first + 0x8000) if not 0xD800 <= c <= 0xDFFF
        )
        for analyzer, n in (("word", 1), ("char_wb", 3)):
            expected = expected_tokens(text, analyzer, (n, n), True)
            assert native_tokens(text, analyzer, (n, n), True) == expected


@pytest.mark.parametrize("analyzer", ANALYZERS)
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 3), (3, 3), (5, 6)])
def test_texts_longer_than_a_window(analyzer, ngram_range):
    unit = "Ab  cdé\t\tghij  語 語語 x y\n zz 😀 "
    for repeats in (700, 1500):
        for shift in range(5):
            text = "q" * shift + unit * repeats
            expected = expected_tokens(text, analyzer, ngram_range, True)
            assert native_tokens(text, analyzer, ngram_range, True) == expected


@pytest.mark.parametrize("analyzer", ANALYZERS)
@pytest.mark.parametrize("spaces", [16383, 16384, 16385, 40_000])
def test_long_runs_of_spaces(analyzer, spaces):
    for text in (" " * spaces, "ab" + " " * spaces + "cd", "x" * 16383 + " " * spaces + "y"):
        expected = expected_tokens(text, analyzer, (1, 2), False)
        assert native_tokens(text, analyzer, (1, 2), False) == expected


@pytest.mark.parametrize("analyzer", ANALYZERS)
def test_one_long_word(analyzer):
    text = "é" * 100_000
    expected = expected_tokens(text, analyzer, (1, 2), True)
    assert native_tokens(text, analyzer, (1, 2), True) == expected


class Text(str):
    def __len__(self):
        return 1000


def test_the_length_of_texts_is_known_where_all_are_texts():
    assert native.text_length([]) == 0
    assert native.text_length(["", "ab", "é😀", Text("abc")]) == 7
    assert native.text_length(["ab", b"c"]) is None
    assert native.text_length([None]) is None
