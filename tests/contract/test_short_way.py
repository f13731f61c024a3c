"""The way of one text through the floors is short: counted in calls of addhash's own functions."""

import sys
from pathlib import Path

import pytest

import addhash
from addhash.hashing.vectorizer import TextVectorizer

FOLDER = str(Path(addhash.__file__).parent)
TEXTS = ["good morning to you all", "bonjour les enfants", "guten Morgen zusammen"] * 4
LABELS = ["en", "fr", "de"] * 4
COUNTS = addhash.CountVectorizer().fit_transform(TEXTS)


def calls(ask):
    """Return how many functions of addhash a warm call enters; a generator counts each time."""
    for _ in range(2):
        ask()
    entered = []

    def note(frame, event, argument):
        if event == "call" and frame.f_code.co_filename.startswith(FOLDER):
            entered.append(frame.f_code)

    sys.setprofile(note)
    try:
        ask()
    finally:
        sys.setprofile(None)
    return len(entered)


@pytest.mark.parametrize(("method", "most"), [("bayes", 30), ("nearest", 45), ("centroid", 45)])
def test_predict(method, most):
    classifier = addhash.TextClassifier(method).fit(TEXTS, LABELS)
    assert calls(lambda: classifier.predict(["a good text"])) < most


@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_explain(method):
    classifier = addhash.TextClassifier(method).fit(TEXTS, LABELS)
    assert calls(lambda: classifier.explain("fifteen letters")) < 100


@pytest.mark.parametrize(
    ("vectorizer", "data"),
    [
        (TextVectorizer(), TEXTS),
        (addhash.AdditiveHashingVectorizer(), TEXTS),
        (addhash.HashingVectorizer(), TEXTS),
        (addhash.CountVectorizer().fit(TEXTS), TEXTS),
        (addhash.TfidfVectorizer().fit(TEXTS), TEXTS),
        (addhash.TfidfTransformer().fit(COUNTS), COUNTS),
        (addhash.AdditiveFeatureHasher(), [{"word": 1}]),
        (addhash.FeatureHasher(), [{"word": 1}]),
    ],
    ids=lambda argument: type(argument).__name__,
)
def test_transform(vectorizer, data):
    assert calls(lambda: vectorizer.transform(data[:1])) < 45


@pytest.mark.parametrize("languages", [None, ["deu", "eng"]])
def test_detect(languages):
    assert calls(lambda: addhash.languages.detect(["a good text"], languages)) < 60


def test_languages_are_looked_at_once_each():
    class Code(str):
        def __hash__(self):
            hashes.append(self)
            return super().__hash__()

    hashes = []
    codes = [Code(language.code) for language in addhash.languages.known()]
    addhash.languages.detect(["a good text"], codes)
    assert len(codes) <= len(hashes) < 10 * len(codes)


def test_search():
    index = addhash.TextIndex()
    index.add(TEXTS)
    assert calls(lambda: index.search(["a good text"])) < 60
