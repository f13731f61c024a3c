"""Stop words, accents and token patterns, which the core knows: equal to scikit-learn's."""

import re
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import (
    HashingVectorizer as SklearnHashingVectorizer,
)
from sklearn.feature_extraction.text import strip_accents_ascii, strip_accents_unicode

from addhash import HashingVectorizer
from addhash.text.analysis import Analysis
from addhash.text.token_patterns import word_rule

PATTERNS = [
    r"(?u)\b\w\w+\b",
    r"\b\w+\b",
    r"\w+",
    r"\S+",
    r"(\w+)",
    r"\b(\w\w+)\b",
    r"(\b\w+\b)",
    r"(?u)(\S+)",
    r"\w{3,}",
    r"\b\w\w{2,}\b",
    r"[^\s]+",
]
PYTHONS = [r"\b\S+\b", r"[a-z]+", r"\w+-\w+", r"(?u)\b(\w)\w+\b", r"\w*", r"(?i)\w+", r"\w{2}"]
ACCENTS = {"unicode": strip_accents_unicode, "ascii": strip_accents_ascii}
TEXTS = st.lists(
    st.text(
        st.sampled_from(
            "aAbZ1_-.'\t\n  \xa0éÉß½ŉİΣσςμµǅ한中文あﬁ\u0301\u0345\u0e01\u094d\U0001d400😀"
        )
        | st.characters(exclude_categories=["Cs"]),
        max_size=40,
    ),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("accents", ACCENTS)
def test_every_character_loses_its_accents_as_in_scikit_learn(accents, lowercase):
    analysis = Analysis(
        analyzer="char", ngram_range=(1, 1), strip_accents=accents, lowercase=lowercase
    )
    assert analysis.is_native
    characters = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    for first in range(0, len(characters), 5000):
        # A letter between two, so that runs of spaces stay what they are.
        text = "a".join(characters[first : first + 5000])
        expected = ACCENTS[accents](text.lower() if lowercase else text)
        expected = re.sub(r"\s\s+", " ", expected)
        assert b"".join(analysis.tokens(text)).decode() == expected


@pytest.mark.parametrize("pattern", PATTERNS)
def test_usual_patterns_are_known(pattern):
    rule = word_rule(pattern)
    assert rule is not None
    text = "a bb ccc-dd _e é中文 x1\xa0f… \u0301g 'h'"
    analysis = Analysis(token_pattern=pattern)
    assert analysis.is_native
    assert [t.decode() for t in analysis.tokens(text)] == re.findall(pattern, text)


@pytest.mark.parametrize("pattern", PYTHONS)
def test_other_patterns_are_left_to_re(pattern):
    assert word_rule(pattern) is None
    text = "ab-cd a b1 *cd* efg"
    assert list(Analysis(token_pattern=pattern).tokens(text)) == re.findall(pattern, text)


@settings(deadline=None, max_examples=300)
@given(
    texts=TEXTS,
    pattern=st.sampled_from(PATTERNS),
    accents=st.sampled_from([None, "unicode", "ascii"]),
    stop_words=st.sampled_from([None, "english", ["a", "bb", "中文", "ss"], ["σ", "\ud800", ""]]),
    analyzer=st.sampled_from(["word", "word", "char", "char_wb"]),
    ngram_range=st.sampled_from([(1, 1), (1, 2), (2, 3)]),
    lowercase=st.booleans(),
    n_jobs=st.sampled_from([1, 3]),
)
def test_matrices_equal_scikit_learns(texts, n_jobs, pattern, accents, **options):
    options |= {"token_pattern": pattern, "strip_accents": accents, "n_features": 2**12}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about stop words that no text contains
        found = HashingVectorizer(**options, n_jobs=n_jobs).transform(texts)
        expected = SklearnHashingVectorizer(**options).transform(texts)
    assert np.array_equal(found.indptr, expected.indptr)
    assert np.array_equal(found.indices, expected.indices)
    assert np.array_equal(found.data, expected.data)


@pytest.mark.parametrize("accents", ACCENTS)
def test_columns_are_folded_like_lists(accents):
    pyarrow = pytest.importorskip("pyarrow")
    texts = ["Crème BRÛLÉE", "ΣΊΣΥΦΟΣ", "İstanbul", "", "plain", "한국어 ½"] * 50
    vectorizer = HashingVectorizer(strip_accents=accents, analyzer="char", ngram_range=(1, 3))
    found = vectorizer.transform(pyarrow.array(texts))
    assert (found != vectorizer.transform(texts)).nnz == 0
    assert (
        found
        != SklearnHashingVectorizer(
            strip_accents=accents, analyzer="char", ngram_range=(1, 3)
        ).transform(texts)
    ).nnz == 0


def test_stop_words_that_are_not_plain_strings_are_left_to_python():
    class Word(str):
        __slots__ = ()

    assert not Analysis(stop_words=[Word("the")]).is_native
    assert Analysis(stop_words=[Word("the")]).tokens("the cat") == ["cat"]
