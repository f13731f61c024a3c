"""Changes take turns, also after a fork and inside a tokenizer."""

import gc
import os
import threading
import warnings

import numpy as np
import pytest

from addhash import DocumentFrequencies, DuplicateIndex, Index, TextClassifier, TextIndex, locks
from addhash.errors import NestedChangeError
from addhash.hashing.vectorizer import TextVectorizer
from addhash.locks import exclusive


class Equal:
    """Objects that compare by value have no hash."""

    def __eq__(self, other):
        return isinstance(other, Equal)

    __hash__ = None


def test_each_object_has_a_lock_of_its_own():
    one, two = Equal(), Equal()
    assert exclusive(one) is not exclusive(two)
    with exclusive(one), exclusive(two):  # one lock for both would refuse the second
        pass


def test_locks_go_with_their_objects():
    gc.collect()
    before = len(locks._locks)
    with exclusive(Equal()):
        pass
    assert len(locks._locks) == before


def test_threads_take_turns():
    owner, counted = Equal(), [0]

    def count():
        for _ in range(200):
            with exclusive(owner):
                seen = counted[0]
                threading.Event().wait(0)
                counted[0] = seen + 1

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted == [800]


class LearningTokenizer:
    """A tokenizer that teaches the classifier it belongs to."""

    classifier = None

    def __call__(self, text):
        if self.classifier is not None:
            self.classifier.learn(["another"], ["text"])
        return text.split()


def test_a_tokenizer_cannot_change_the_model_that_calls_it():
    tokenizer = LearningTokenizer()
    vectorizer = TextVectorizer(tokenizer=tokenizer, token_pattern=None)
    classifier = TextClassifier("centroid", vectorizer=vectorizer).fit(["a b", "c"], ["x", "y"])
    before = classifier.digest()
    tokenizer.classifier = classifier
    with pytest.raises(NestedChangeError, match="TextClassifier is being changed already"):
        classifier.learn(["d"], ["x"])
    tokenizer.classifier = None
    assert classifier.digest() == before
    classifier.learn(["d"], ["x"])


CLASSIFIER_CHANGES = {
    "fit": lambda model: model.fit(["d"], ["x"]),
    "learn": lambda model: model.learn(["d"], ["x"]),
    "partial_fit": lambda model: model.partial_fit(["d"], ["x"]),
    "forget": lambda model: model.forget(["c"], ["y"]),
    "tune": lambda model: model.tune(["c"] * 120, ["y"] * 120),
}


@pytest.mark.parametrize("name", CLASSIFIER_CHANGES)
def test_every_change_of_a_classifier_takes_turns(name):
    classifier = TextClassifier().fit(["a b", *["c"] * 120], ["x", *["y"] * 120])
    with exclusive(classifier), pytest.raises(NestedChangeError):
        CLASSIFIER_CHANGES[name](classifier)
    CLASSIFIER_CHANGES[name](classifier)


def test_a_merge_takes_turns():
    classifier, other = (TextClassifier().fit(["a"], ["x"]) for _ in range(2))
    with exclusive(classifier), pytest.raises(NestedChangeError):
        classifier.merge(other)
    with exclusive(other):
        classifier.merge(other)
    assert classifier.class_counts_.tolist() == [2]


def test_a_generator_cannot_change_the_model_that_reads_it():
    classifier = TextClassifier().fit(["a b", "c"], ["x", "y"])

    def texts():
        classifier.forget(["c"], ["y"])
        yield "d"

    with pytest.raises(NestedChangeError):
        classifier.learn(texts(), ["x"])
    assert classifier.classes_.tolist() == ["x", "y"]


CHANGES = {
    "Index": (lambda: Index(8), lambda model: model.add(np.ones((1, 8), int))),
    "TextIndex": (TextIndex, lambda model: model.add(["a text"])),
    "DuplicateIndex": (DuplicateIndex, lambda model: model.add(["a text"])),
    "DocumentFrequencies": (DocumentFrequencies, lambda model: model.learn(["a text"])),
    "TextClassifier": (TextClassifier, lambda model: model.learn(["a text"], ["x"])),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_child_changes_what_a_thread_of_the_parent_was_changing(name):
    make, change = CHANGES[name]
    model = make()
    held, release = threading.Event(), threading.Event()

    def hold():
        with exclusive(model):
            held.set()
            release.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        changed = []
        child_thread = threading.Thread(target=lambda: changed.append(change(model)), daemon=True)
        child_thread.start()
        child_thread.join(30)
        os._exit(0 if changed else 1)
    release.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
