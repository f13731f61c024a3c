"""What follows from parameters is kept as long as they are the same."""

import copy
import gc
import pickle

import numpy as np
import pytest
from sklearn.feature_extraction import text as peers

import addhash
from addhash import AdditiveHashingVectorizer, HashingVectorizer, TextClassifier, conventions
from addhash.conventions import same_objects
from addhash.errors import ParameterError
from addhash.hashing.vectorizer import TextVectorizer

TEXTS = ["the old text", "another one"]
KINDS = [AdditiveHashingVectorizer, TextVectorizer, HashingVectorizer]


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "changes",
    [
        {"n_features": 64},
        {"ngram_range": (1, 2)},
        {"analyzer": "char"},
        {"binary": True, "analyzer": "char"},
        {"norm": None},
        {"dtype": np.float64},
        {"lowercase": False},
        {"stop_words": ["old"]},
        {"tokenizer": str.split, "token_pattern": None},
    ],
)
def test_changed_parameters_count(kind, changes):
    vectorizer = kind()
    before = dense(vectorizer.transform(TEXTS))
    vectorizer.set_params(**changes)
    assert np.array_equal(
        dense(vectorizer.transform(TEXTS)), dense(kind(**changes).transform(TEXTS))
    )
    for name in changes:
        setattr(vectorizer, name, getattr(kind(), name))
    assert np.array_equal(dense(vectorizer.transform(TEXTS)), before)


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_that_is_equal_but_wrong_is_refused(kind):
    vectorizer = kind(binary=True)
    vectorizer.transform(TEXTS)
    vectorizer.binary = 1
    for _ in range(2):
        with pytest.raises(ParameterError, match="'binary'"):
            vectorizer.transform(TEXTS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_of_stop_words_may_change(kind):
    words = ["old"]
    vectorizer = kind(stop_words=words)
    vectorizer.transform(TEXTS)
    words.append("another")
    expected = kind(stop_words=["old", "another"]).transform(TEXTS)
    assert np.array_equal(dense(vectorizer.transform(TEXTS)), dense(expected))


@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer"])
@pytest.mark.parametrize(
    "changes",
    [
        {"ngram_range": (1, 2)},
        {"ngram_range": [1, 2]},
        {"analyzer": "char"},
        {"lowercase": False},
        {"stop_words": ["old"]},
        {"tokenizer": str.split, "token_pattern": None},
        {"dtype": np.float32},
        {"binary": True},
    ],
)
def test_changed_parameters_of_what_is_fitted_count(name, changes):
    """The vocabulary stays; texts are tokenized by what the parameters are now."""
    taught = ["An old old text, an Old one", "old text", "n"]
    asked = ["OLD old text, text n"]
    ours, theirs = (getattr(room, name)().fit(taught) for room in (addhash, peers))
    before = dense(ours.transform(asked))
    usual = {parameter: getattr(ours, parameter) for parameter in changes}
    for parameters in (changes, usual):
        expected = dense(theirs.set_params(**parameters).transform(asked))
        for _ in range(2):
            found = ours.set_params(**parameters).transform(asked)
            assert np.array_equal(dense(found), expected)
            assert found.dtype == expected.dtype
    assert np.array_equal(before, expected)


@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer"])
def test_what_a_list_holds_may_change(name):
    ngram_range, stop_words = [1, 1], ["one"]
    vectorizer = getattr(addhash, name)(ngram_range=(1, 2)).fit(["an old text of one text"])
    vectorizer.set_params(ngram_range=ngram_range, stop_words=stop_words)
    assert vectorizer.transform(["an old one"]).nnz == 2
    ngram_range[1] = 2
    assert vectorizer.transform(["an old one"]).nnz == 3
    stop_words.append("an")
    assert vectorizer.transform(["an old one"]).nnz == 1


@pytest.mark.parametrize(
    "changes", [{"n_features": 64}, {"norm": None}, {"dtype": "bits"}, {"input_type": "pair"}]
)
def test_changed_parameters_of_a_hasher_count(changes):
    records = [{"ab": 2, "ba": 1}]
    hasher = addhash.AdditiveFeatureHasher()
    hasher.transform(records)
    hasher.set_params(**changes)
    if "input_type" in changes:
        records = [list(records[0].items())]
    expected = addhash.AdditiveFeatureHasher(**changes).transform(records)
    assert np.array_equal(hasher.transform(records), expected)
    hasher.alternate_sign = 1
    for _ in range(2):
        with pytest.raises(ParameterError, match="'alternate_sign'"):
            hasher.transform(records)


def test_wrong_parameters_of_a_classifier_are_refused_each_time():
    classifier = TextClassifier("nearest").fit(TEXTS, ["a", "b"])
    classifier.predict(TEXTS)
    classifier.reject_below = 2
    for _ in range(2):
        with pytest.raises(ParameterError, match="'reject_below'"):
            classifier.predict(TEXTS)
    classifier.reject_below = None
    classifier.predict(TEXTS)
    classifier.vectorizer = AdditiveHashingVectorizer(dtype=np.int32, norm=None)
    classifier.predict(TEXTS)
    classifier.vectorizer.dtype = "bits"
    with pytest.raises(ParameterError, match="'vectorizer'"):
        classifier.predict(TEXTS)


def test_what_is_kept_goes_with_its_owner():
    gc.collect()
    before = len(conventions._kept)
    AdditiveHashingVectorizer().transform(TEXTS)
    gc.collect()
    assert len(conventions._kept) == before


def test_keeping_changes_neither_the_object_nor_its_copies():
    vectorizer = AdditiveHashingVectorizer()
    before, pickled = dict(vars(vectorizer)), pickle.dumps(vectorizer)
    expected = vectorizer.transform(TEXTS)
    assert vars(vectorizer) == before
    assert pickle.dumps(vectorizer) == pickled
    assert np.array_equal(copy.deepcopy(vectorizer).transform(TEXTS), expected)


def test_same_objects_are_not_equal_ones():
    assert same_objects((1, "a", None), (1, "a", None))
    assert not same_objects((1,), (True,))
    assert not same_objects((1,), (1, 2))
