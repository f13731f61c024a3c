"""Probabilities are frozen to the last bit, on every instruction set and every machine."""

import hashlib

import numpy as np
import pytest

from addhash import TextClassifier, languages
from addhash.runtime import native
from addhash.sample import load_languages, load_messages

EXPONENTIALS = {
    "-0x1.0000000000000p-60": "0x1.0000000000000p+0",
    "-0x1.999999999999ap-4": "0x1.cf46d99d52b3ap-1",
    "-0x1.0000000000000p-1": "0x1.368b2fc6f960ap-1",
    "-0x1.0000000000000p+0": "0x1.78b56362cef38p-2",
    "-0x1.077b89d6da6a3p+0": "0x1.6ddb6f6df91fcp-2",
    "-0x1.921fb54442d18p+1": "0x1.620227b598efap-5",
    "-0x1.3fae147ae147bp+3": "0x1.80ab743453c12p-15",
    "-0x1.259999999999ap+5": "0x1.0998b04bdd190p-53",
    "-0x1.9100000000000p+6": "0x1.4acd31e167ebbp-145",
    "-0x1.5e00000000000p+9": "0x1.14f2b0fb9307fp-1010",
    "-0x1.6240000000000p+9": "0x0.e6cf6d08897acp-1022",
    "-0x1.7473333333333p+9": "0x0.0000000000001p-1022",
    "0x1.3333333333333p-2": "0x1.599058c8c1a96p+0",
    "0x1.0000000000000p+0": "0x1.5bf0a8b145769p+1",
    "0x1.4000000000000p+3": "0x1.5829dcf950560p+14",
    "0x1.62e0000000000p+9": "0x1.ef85a11e73f2dp+1023",
}
LOGARITHMS = {
    "0x0.0000000000001p-1022": "-0x1.74385446d71c3p+9",
    "0x1.56e1fc2f8f359p-997": "-0x1.5963447f87fb5p+9",
    "0x1.999999999999ap-4": "-0x1.26bb1bbb55515p+1",
    "0x1.0000000000000p-1": "-0x1.62e42fefa39efp-1",
    "0x1.6666666666666p-1": "-0x1.6d3c324e13f50p-2",
    "0x1.8000000000000p-1": "-0x1.269621134db92p-2",
    "0x1.fae147ae147aep-1": "-0x1.495453e6fd4bcp-7",
    "0x1.199999999999ap+0": "0x1.8663f793c46ccp-4",
    "0x1.4cccccccccccdp+0": "0x1.0ca937be1b9dcp-2",
    "0x1.7000000000000p+0": "0x1.739d7f6bbd007p-2",
    "0x1.0000000000000p+1": "0x1.62e42fefa39efp-1",
    "0x1.8000000000000p+1": "0x1.193ea7aad030ap+0",
    "0x1.4000000000000p+3": "0x1.26bb1bbb55516p+1",
    "0x1.3880000000000p+13": "0x1.26bb1bbb55516p+3",
    "0x1.35f1b40000000p+30": "0x1.4fc52411b86a0p+4",
    "0x1.7e43c8800759cp+996": "0x1.5963447f87fb5p+9",
}


def sha256(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def applied(function, values):
    found = np.array(values, np.float64)
    function(found)
    return found


@pytest.mark.parametrize(("value", "expected"), EXPONENTIALS.items())
def test_exponentials(instruction_set, value, expected):
    assert applied(native.exponentials, [float.fromhex(value)])[0].hex() == expected


@pytest.mark.parametrize(("value", "expected"), LOGARITHMS.items())
def test_logarithms(value, expected):
    assert applied(native.logarithms, [float.fromhex(value)])[0].hex() == expected


def test_many_exponentials_and_logarithms(instruction_set):
    values = np.arange(-760_000, 720_000) / 1024
    assert sha256(applied(native.exponentials, values)) == MANY_EXPONENTIALS
    assert sha256(applied(native.logarithms, np.arange(1, 1_000_000) / 1000)) == MANY_LOGARITHMS


MANY_EXPONENTIALS = "ebf02324dbcf93a0f309d0131255008c2e08e9336995cdb6f636a7aa7ed94a0c"
MANY_LOGARITHMS = "3c37c46594e4d1e133cf7dc3afbfefe42464764366de1026e1c6a103325d87d5"


@pytest.fixture(scope="module")
def classifiers():
    """Classifiers that are tuned: what they are sure of is chosen by leave-one-out."""
    texts, labels = load_languages()
    return {name: make().fit(texts, labels) for name, make in CLASSIFIERS.items()}


CLASSIFIERS = {
    "bayes": TextClassifier,
    "nearest": lambda: TextClassifier("nearest"),
    "neighbors": lambda: TextClassifier("nearest", n_neighbors=5),
    "centroid": lambda: TextClassifier("centroid"),
}
# SHA-256 of the probabilities of all classes.
PROBABILITIES = {
    "bayes": "3980adf3c758b2b7c7cfbac11da19deb313751c158524a4a4e8767e8cd6c5f3d",
    "nearest": "43dba3309e29f5d4514afe2e0ce601dd6dd2011b19a6241b02584598075ab53f",
    "neighbors": "50095b565e32c03e172f8656e0f170f198b37ea845ad68dffcfa7cbb6142b254",
    "centroid": "b955fe3e56e5c9df863430d05be5498cafc826731b2f1ce8d768a9b0c4be8396",
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_probabilities_of_classifiers(instruction_set, classifiers, name):
    texts = load_messages()[0]
    assert sha256(classifiers[name].predict_proba(texts)) == PROBABILITIES[name]


def test_scores_of_bayes(instruction_set, classifiers):
    answers = classifiers["bayes"].predict_scores(load_messages()[0])
    assert sha256(np.array([[a.score, a.margin] for a in answers])) == SCORES


SCORES = "ed8fd3e146adfdcd652dcbd297938386b4acfcbaed950f0da7f89346e3f5916a"


def test_probabilities_of_languages(instruction_set):
    texts = load_languages()[0]
    found = languages.detect(texts, top=3, threshold=0)
    assert sha256(np.array([[one.probability for one in row] for row in found])) == LANGUAGES
    found = languages.segments(" ".join(texts[::40]), ["en", "de", "fr"])
    assert sha256(np.array([segment.probability for segment in found])) == SEGMENTS


LANGUAGES = "081bbbe7399ffe9d0032931970d74d972ad3b58c8264cae7bd078e276c7219bb"
SEGMENTS = "7e139ae03666c94a57d4bb357825b8e9c23b28c5082aa9831c1df9237e74ff42"
