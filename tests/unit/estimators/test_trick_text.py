"""What HashingVectorizer has beyond scikit-learn's; its output is compared in tests/contract."""

import numpy as np
import pytest

from addhash import HashingVectorizer
from addhash.errors import DocumentError, ParameterError

PAPER = ["John likes to watch movies", "Mary also likes to watch movies", "Jane makes popcorn"]


def test_the_papers_example():
    v = HashingVectorizer(n_features=32).transform(PAPER).toarray()
    assert v[0] @ v[1] == pytest.approx(0.7302967433402215, abs=1e-15)
    assert v[0] @ v[2] == 0
    assert v[1] @ v[2] == 0


def test_algorithms_1_and_2():
    """Counts at h mod L, and counts with a sign."""
    plain = HashingVectorizer(n_features=16, norm=None, alternate_sign=False)
    signed = HashingVectorizer(n_features=16, norm=None)
    counts = plain.transform(PAPER).toarray()
    assert np.array_equal(counts.sum(axis=1), [5, 6, 3])
    assert np.array_equal(np.abs(signed.transform(PAPER).toarray()) <= counts, np.ones((3, 16)))


BAD = [
    ("n_features", 0, "from 1 to 2147483647"),
    ("n_features", 2**31, "from 1 to 2147483647"),
    ("n_features", "x", "from 1 to 2147483647"),
    ("ngram_range", "x", "tuple"),
    ("ngram_range", (0, 2), "1 <= min_n"),
    ("analyzer", "words", "'char_wb'"),
    ("norm", "max", "'l1', 'l2' or None"),
    ("n_jobs", 0, "other than 0"),
    ("binary", "yes", "True or False"),
]


@pytest.mark.parametrize(("name", "value", "allowed"), BAD)
def test_bad_parameters(name, value, allowed):
    with pytest.raises(ParameterError, match=f"'{name}' parameter of HashingVectorizer") as caught:
        HashingVectorizer(**{name: value}).transform(["a text"])
    assert allowed in str(caught.value)
    assert f"Got {value!r}" in str(caught.value)


def test_a_reversed_range_is_refused_as_in_scikit_learn():
    with pytest.raises(ValueError, match=r"ngram_range=\(3, 1\) lower boundary larger"):
        HashingVectorizer(ngram_range=(3, 1)).transform(["a text"])


@pytest.mark.parametrize(("document", "said"), [(None, "is None"), (float("nan"), "is NaN")])
def test_missing_documents(document, said):
    with pytest.raises(DocumentError, match=f"Document 2 {said}"):
        HashingVectorizer().transform(["a", "b", document])


def test_no_documents():
    with pytest.raises(ValueError, match="Cannot vectorize empty sequence"):
        HashingVectorizer().transform([])
    with pytest.raises(DocumentError, match="string object received"):
        HashingVectorizer().transform("text")
