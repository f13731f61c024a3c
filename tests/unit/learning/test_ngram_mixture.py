"""The memory of the language detector: exact, and explained in full."""

import pickle
import random
from math import log2

import numpy as np
import pytest

from addhash import TextClassifier
from addhash.errors import ExampleError, ModelFileError, ParameterError
from addhash.learning.memory import Keeping
from addhash.learning.ngram_mixture import NgramMixture
from addhash.runtime import native

TEXTS = [
    "hello there my friend",
    "guten Tag mein Freund",
    "bonjour mon ami",
    "привет мой друг",
    "good morning to you",
    "guten Morgen",
    "你好朋友",
]
LABELS = ["eng", "deu", "fra", "rus", "eng", "deu", "zho"]


def taught(texts, labels):
    empty = NgramMixture.empty(0, Keeping())
    return TextClassifier.of_memory("mixture", empty).learn(texts, labels)


@pytest.fixture
def classifier():
    return taught(TEXTS, LABELS)


def test_it_knows_what_it_learnt(classifier):
    assert classifier.predict(TEXTS).tolist() == LABELS
    assert classifier.score(TEXTS, LABELS) == 1
    assert classifier.class_counts_.tolist() == [2, 2, 1, 1, 1]


@pytest.mark.parametrize("text", ["the", "a", "Guten Morgen", "你好", "привет and hello"])
def test_a_taught_text_has_its_label_whatever_others_know(text):
    # A large class that has the text and much else, and is likelier beforehand.
    many = [f"{text} {i * 'word'} the {'x' * (i % 7)}a" for i in range(400)]
    classifier = taught([*many, text], ["large"] * 400 + ["small"])
    assert classifier.predict([text]).tolist() == ["small"]
    assert classifier.predict_proba([text]).argmax() == 1
    # One n-gram more, and the evidence decides.
    assert classifier.predict([f"{text} wordword"]).tolist() == ["large"]


def test_a_text_that_several_small_classes_learnt_goes_to_the_likeliest_of_them():
    classifier = taught(["the", "cat sat", "the hen"] * 3, ["one", "two", "three"] * 3)
    label = classifier.predict(["the"])[0]
    shares = dict(zip(classifier.classes_, classifier.predict_proba(["the"])[0], strict=True))
    assert label in {"one", "three"}
    assert shares[label] == max(shares.values())


def test_a_class_that_learnt_much_is_not_lifted():
    classifier = taught(["the", "the end"] * 40 + ["the"], ["large"] * 80 + ["taught"])
    assert classifier.predict(["the"]).tolist() == ["taught"]
    words = [a + b + c for a in "bcdfgk" for b in "aeiou" for c in "lmnprs"]
    classifier.learn(words, ["taught"] * len(words))
    assert classifier.memory.totals.sum(axis=1).min() > 1000
    assert classifier.predict(["the"]).tolist() == ["large"]


def test_a_text_without_words_still_gets_a_label(classifier):
    assert classifier.predict(["12", ""]).tolist()[0] in LABELS
    shares = classifier.predict_proba(["12", "hello"])
    assert shares.sum(axis=1) == pytest.approx([1, 1])
    assert shares[0].max() == pytest.approx(1 / 5)


def test_the_order_of_learning_leaves_no_trace(classifier):
    order = list(range(len(TEXTS)))
    random.Random(0).shuffle(order)
    other = taught([], [])
    for i in order:
        other.learn([TEXTS[i]], [LABELS[i]])
    assert other.digest() == classifier.digest()
    assert other.to_bytes() == classifier.to_bytes()


def test_what_is_forgotten_was_never_learnt(classifier):
    before = classifier.to_bytes()
    more = ["buenos días", "hello again"], ["spa", "eng"]
    classifier.learn(*more)
    assert classifier.to_bytes() != before
    assert classifier.forget(*more).to_bytes() == before


def test_what_was_not_learnt_cannot_be_forgotten(classifier):
    before = classifier.to_bytes()
    for text, label in [("something else", "eng"), ("hello", "spa"), ("guten Morgen", "fra")]:
        with pytest.raises(ExampleError):
            classifier.forget([text], [label])
    assert classifier.to_bytes() == before


def test_merging_is_learning_both(classifier):
    one = taught(TEXTS[:3], LABELS[:3])
    two = taught(TEXTS[3:], LABELS[3:])
    assert one.merge(two).digest() == classifier.digest()


def test_copies_and_files(classifier, tmp_path):
    path = tmp_path / "model"
    classifier.save(path)
    for same in (
        TextClassifier.load(path),
        pickle.loads(pickle.dumps(classifier)),
        TextClassifier.from_bytes(classifier.to_bytes()),
    ):
        assert same.digest() == classifier.digest()
        assert (same.predict_proba(TEXTS) == classifier.predict_proba(TEXTS)).all()


def test_damaged_files_are_refused(classifier):
    data = classifier.to_bytes()
    rng = random.Random(1)
    for _ in range(300):
        place = rng.randrange(len(data))
        damaged = data[:place] + bytes([rng.randrange(256)]) + data[place + 1 :]
        try:
            found = TextClassifier.from_bytes(damaged).predict(["hello there"])
        except ModelFileError:
            continue
        assert len(found) == 1


def test_fewer_classes(classifier):
    few = classifier.restricted(["eng", "fra"])
    assert few.classes_.tolist() == ["eng", "fra"]
    assert few.predict(["bonjour", "hello"]).tolist() == ["fra", "eng"]


def test_leaving_one_out_is_asking_a_model_without_it(classifier):
    result = classifier.leave_one_out(TEXTS[:2], LABELS[:2])
    for i in range(2):
        rest = taught(TEXTS[:i] + TEXTS[i + 1 :], LABELS[:i] + LABELS[i + 1 :])
        assert result.answers[i] == rest.predict([TEXTS[i]])[0]


def test_evidence_is_that_of_the_rule(classifier):
    """The slow way: shares, their mean over the classes, and a logarithm."""
    latin = native.script_names().index("Latn")
    totals = classifier.memory.totals[:, latin]
    writers = (totals > 0).sum()
    key = native.ngram_keys(["=guten"])
    counts = {"deu": 2}  # once in each of two texts
    shares = {code: count / (totals[0] + 3000) for code, count in counts.items()}
    mean = sum(shares.values()) / writers + 1e-8
    bits = log2(1 + 0.95 * shares["deu"] / (0.05 * mean))
    expected = 4 * np.floor(2 * bits + 0.5) / 2  # a whole word counts four times
    found = classifier.memory.detector.weights(key, 0)[0] * native.EVIDENCE_UNIT
    assert found == expected
    assert classifier.memory.detector.weights(key, 1)[0] == 0


def test_explanations_add_up(classifier):
    why = classifier.explain("guten Morgen, friend")
    assert why.label == "deu"
    total = sum(share.evidence for share in why.tokens) + why.prior
    assert total == pytest.approx(why.evidence)
    evidence = classifier.decision_function(["guten Morgen, friend"])[0]
    assert why.evidence == pytest.approx(evidence[0])
    assert {"=guten", " gu"} <= {share.text for share in why.tokens}


def test_no_other_model_is_made_of_it():
    with pytest.raises(ParameterError, match="language detector"):
        TextClassifier("mixture").fit(TEXTS, LABELS)
    with pytest.raises(ParameterError, match="language detector"):
        TextClassifier("mixture").learn(TEXTS, LABELS)


def test_only_what_was_learnt_is_tuned(classifier):
    before = classifier.to_bytes()
    assert classifier.tune(TEXTS, LABELS).to_bytes() == before
    with pytest.raises(ExampleError, match="learnt"):
        classifier.tune(["never heard"], ["eng"])
    assert classifier.to_bytes() == before


def test_too_many_classes():
    labels = [f"c{i}" for i in range(native.MOST_CLASSES + 1)]
    with pytest.raises(ExampleError, match="at most"):
        taught(["a"] * len(labels), labels)
