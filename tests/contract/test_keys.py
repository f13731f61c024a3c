"""A key is never shown, logged, pickled or written, wherever it is nested."""

import copy
import logging
import pickle

import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.utils import estimator_html_repr

from addhash import (
    AdditiveFeatureHasher,
    AdditiveHashingVectorizer,
    CentroidClassifier,
    DocumentHash,
    RollingHash,
    TextClassifier,
    TextIndex,
)
from addhash.errors import AddhashError, ParameterError
from addhash.hashing.key import Key

SECRET = b"TOPSECRETKEY1234"
TELLTALES = ["TOPSECRET", SECRET.hex(), repr(list(SECRET))[1:-1]]


def vectorizer(**parameters):
    return AdditiveHashingVectorizer(key=SECRET, n_features=64, **parameters)


def classifier():
    return TextClassifier("nearest", vectorizer=vectorizer(norm=None, dtype="int32"))


HOLDERS = {
    "vectorizer": vectorizer,
    "set_params": lambda: AdditiveHashingVectorizer().set_params(key=SECRET),
    "attribute": lambda: setattr(v := AdditiveHashingVectorizer(), "key", SECRET) or v,
    "feature hasher": lambda: AdditiveFeatureHasher(key=SECRET),
    "clone": lambda: clone(vectorizer()),
    "pipeline": lambda: make_pipeline(vectorizer(), CentroidClassifier()),
    "nested pipeline": lambda: Pipeline([("a", make_pipeline(vectorizer()))]),
    "union": lambda: FeatureUnion([("a", vectorizer())]),
    "columns": lambda: ColumnTransformer([("a", vectorizer(), 0)]),
    "search": lambda: GridSearchCV(make_pipeline(vectorizer()), {"a__n_features": [8]}),
    "text classifier": classifier,
    "search of a text classifier": lambda: GridSearchCV(classifier(), {"method": ["nearest"]}),
    "text index": lambda: TextIndex(vectorizer(norm=None, dtype="int32")),
    "document": lambda: DocumentHash(64, key=SECRET),
    "rolling hash": lambda: RollingHash(3, 64, key=SECRET),
    "key": lambda: Key(SECRET),
}


def assert_hidden(text):
    for telltale in TELLTALES:
        assert telltale not in text


@pytest.mark.parametrize("name", HOLDERS)
def test_a_key_is_not_shown(name, caplog):
    holder = HOLDERS[name]()
    assert_hidden(repr(holder))
    assert_hidden(str(holder))
    assert_hidden(f"{holder}")
    assert_hidden(repr({"nested": [holder]}))
    if hasattr(holder, "get_params"):
        assert_hidden(repr(holder.get_params()))
        assert_hidden(estimator_html_repr(holder))
    for method in ("_repr_html_", "_repr_mimebundle_"):
        if hasattr(holder, method):
            assert_hidden(repr(getattr(holder, method)()))
    with caplog.at_level(logging.INFO):
        logging.getLogger("test").info("made %s and %r", holder, holder)
    assert_hidden(caplog.text)


@pytest.mark.parametrize("name", HOLDERS)
def test_a_key_is_not_pickled(name):
    """One rule for all: what holds a key cannot be pickled."""
    holder = HOLDERS[name]()
    with pytest.raises((AddhashError, TypeError)) as raised:
        pickle.dumps(holder)
    assert_hidden(str(raised.value))


@pytest.mark.parametrize("wrong", ["TOPSECRET", bytearray(SECRET), list(SECRET), b"", SECRET * 9])
@pytest.mark.parametrize(
    "use",
    [
        lambda key: AdditiveHashingVectorizer(key=key).transform(["a"]),
        lambda key: AdditiveFeatureHasher(key=key).transform([{"a": 1}]),
        lambda key: DocumentHash(key=key),
        lambda key: RollingHash(3, key=key),
        lambda key: TextClassifier("nearest", vectorizer=AdditiveHashingVectorizer(key=key)).fit(
            ["a"], "b"
        ),
    ],
)
def test_a_wrong_key_is_not_quoted(use, wrong):
    with pytest.raises(ParameterError, match="must be None or from 1 to 128 bytes") as raised:
        use(wrong)
    assert_hidden(str(raised.value))
    assert_hidden(repr(AdditiveHashingVectorizer(key=wrong)))


def test_a_key_is_in_no_error_about_its_holder():
    with pytest.raises(ParameterError) as raised:
        TextClassifier(vectorizer=make_pipeline(vectorizer())).fit(["a"], ["b"])
    assert_hidden(str(raised.value))


def test_a_key_is_in_no_file(tmp_path):
    model = classifier().fit(["one text", "another"], ["a", "b"])
    model.save(tmp_path / "model")
    index = TextIndex(vectorizer(norm=None, dtype="int32"))
    index.add(["one text"])
    index.save(tmp_path / "index")
    (tmp_path / "document").write_bytes(DocumentHash(64, key=SECRET).to_bytes())
    for path in tmp_path.iterdir():
        content = path.read_bytes()
        assert SECRET not in content
        assert SECRET.hex().encode() not in content


def test_one_fingerprint_everywhere(tmp_path):
    fingerprint = Key(SECRET).fingerprint()
    assert DocumentHash(64, key=SECRET).key_fingerprint == fingerprint
    model = classifier().fit(["one text", "another"], ["a", "b"])
    model.save(tmp_path / "model")
    assert fingerprint.hex().encode() in (tmp_path / "model").read_bytes()
    assert fingerprint.hex() == "bc504078b68c00ec7209b2209cec52c9"


def test_copies_hold_the_same_key():
    one = vectorizer()
    for other in (clone(one), copy.copy(one), copy.deepcopy(one)):
        assert other.key == one.key
        assert (other.transform(["a text"]) == one.transform(["a text"])).all()
    assert Key(SECRET) != Key(SECRET + b"x")
    assert hash(Key(SECRET)) == hash(Key(SECRET))
    assert Key(SECRET) != SECRET


def test_keys_work_in_searches_by_threads():
    search = GridSearchCV(
        make_pipeline(vectorizer(norm=None, dtype="int32"), CentroidClassifier()),
        {"additivehashingvectorizer__ngram_range": [(1, 1), (1, 2)]},
        cv=2,
    )
    search.fit(["a b", "b c", "x y", "y z"], ["l", "l", "r", "r"])
    assert search.predict(["a b c"]).tolist() == ["l"]
