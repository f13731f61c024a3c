"""find_overlap: equal to a naive search."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from addhash import find_overlap
from addhash.errors import DocumentError, ParameterError
from tests.unit.search.passages.naive import words_of
from tests.unit.search.passages.test_finding import TEXTS


def naive(texts, tests, n, lowercase):
    """Return the shares of the tests, and {(text, test): (n-grams, start, end)}."""

    def grams(text):
        words = words_of(text, lowercase)
        return [
            (tuple(word for word, _, _ in words[i : i + n]), words[i][1], words[i + n - 1][2])
            for i in range(len(words) - n + 1)
        ]

    held, matches = set(), {}
    for d, text in enumerate(texts):
        first = {}
        for gram, start, end in grams(text):
            first.setdefault(gram, (start, end))
        held |= first.keys()
        for t, test in enumerate(tests):
            spans = [first[gram] for gram, _, _ in grams(test) if gram in first]
            if spans:
                matches[d, t] = (
                    len(spans),
                    min(start for start, _ in spans),
                    max(end for _, end in spans),
                )
    shares = [
        sum(gram in held for gram, _, _ in found) / len(found) if found else math.nan
        for found in map(grams, tests)
    ]
    return shares, matches


@settings(max_examples=150, deadline=None)
@given(texts=TEXTS, tests=TEXTS, n=st.integers(1, 4), lowercase=st.booleans())
def test_equals_a_naive_search(texts, tests, n, lowercase):
    shares, matches = naive(texts, tests, n, lowercase)
    found = find_overlap(texts, tests, ngrams=n, lowercase=lowercase)
    assert np.array_equal(found.share, shares, equal_nan=True)
    columns = (column.tolist() for column in found.matches)
    assert {(d, t): (c, a, b) for d, t, c, a, b in zip(*columns, strict=True)} == matches
    assert found.documents().tolist() == sorted({d for d, _ in matches})
    assert found.n_documents == len(texts)


def test_batches_and_threads_change_nothing():
    tests = [f"w{i} w{i + 1} w{i + 2} w{i + 3} end" for i in range(50)]
    texts = [f"x y {tests[i % 50].upper()} z" if i % 3 == 0 else "x y z" for i in range(40_000)]
    found = find_overlap((text for text in texts), iter(tests), ngrams=4, n_jobs=3)
    one = find_overlap(texts, tests, ngrams=4, n_jobs=1)
    assert all(map(np.array_equal, found.matches, one.matches))
    assert found.documents(1.0).tolist() == list(range(0, 40_000, 3))
    assert found.matches.start[0] == 4
    assert str(found) == "50 of 50 test items share n-grams with 13,334 of 40,000 texts"


def test_least_share():
    found = find_overlap(["a b c", "a b c d e"], ["a b c d e", "short"], ngrams=3)
    assert found.ngrams.tolist() == [3, 0]
    assert found.documents().tolist() == [0, 1]
    assert found.documents(0.5).tolist() == [1]
    frame = pytest.importorskip("pandas") and found.to_frame()
    assert frame["share"].tolist() == [1 / 3, 1]


def test_refused():
    with pytest.raises(ParameterError, match="ngrams"):
        find_overlap(["a"], ["a"], ngrams=0)
    with pytest.raises(DocumentError, match="Document 1 is None"):
        find_overlap(["a", None], ["a"])
    with pytest.raises(ParameterError, match="least"):
        find_overlap(["a"], ["a"]).documents(2)
    assert len(find_overlap([], []).documents()) == 0
