"""Spam by the nearest message: measures, halves, and the shortcut through ranked neighbours."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, matthews_corrcoef, recall_score

from addhash import AdditiveHashingVectorizer, HashingVectorizer, NearestNeighborClassifier
from addhash.paper.data_sets import Messages
from addhash.paper.experiments import sms
from addhash.paper.experiments.sms import measures, splits, steps
from addhash.paper.experiments.step import Settings
from addhash.sample import load_messages

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def messages():
    texts, labels = load_messages()
    return Messages(list(texts), np.array([label == "spam" for label in labels]))


def test_measures_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    for _ in range(20):
        truth, answers = rng.random((2, 50)) < 0.3
        truth[0], truth[1] = True, False
        found = measures(truth, answers)
        assert found["acc"] == pytest.approx(100 * accuracy_score(truth, answers))
        assert found["sc"] == pytest.approx(100 * recall_score(truth, answers))
        assert found["bh"] == pytest.approx(100 * (1 - recall_score(~truth, ~answers)))
        assert found["mcc"] == pytest.approx(matthews_corrcoef(truth, answers))


def test_correlation_of_answers_that_never_vary_is_zero():
    truth = np.array([True, False])
    assert measures(truth, np.array([False, False]))["mcc"] == 0


def test_splits():
    chosen = splits(5574, 0.5, 3, np.random.default_rng(0))
    assert [is_known.sum() for is_known in chosen] == [2787] * 3
    assert (chosen[0] != chosen[1]).any()
    assert splits(10, 0.3, 1, np.random.default_rng(0))[0].sum() == 3


@pytest.mark.parametrize("size", [16, 4096])
def test_answers_are_those_of_the_classifier(messages, size):
    chosen = splits(len(messages.texts), 0.5, 5, np.random.default_rng(1))
    settings = {
        "analyzer": "char", "ngram_range": (3, 3), "n_features": size, "norm": None
    }  # fmt: skip
    vectors = {
        "ah": AdditiveHashingVectorizer(dtype=np.int32, **settings).transform(messages.texts),
        "ht": HashingVectorizer(**settings).transform(messages.texts).toarray(),
    }
    choices = [sms.Choice(is_known, ~is_known) for is_known in chosen]
    (found,) = sms._compare(messages, [choices], lambda fraction: None)
    for method, X in vectors.items():
        accuracies = []
        for is_known in chosen:
            classifier = NearestNeighborClassifier().fit(X[is_known], messages.is_spam[is_known])
            answers = classifier.predict(X[~is_known])
            accuracies.append(measures(messages.is_spam[~is_known], answers)["acc"])
        assert found[method][str(size)]["acc"] == pytest.approx(np.mean(accuracies))
        error = np.std(accuracies, ddof=1) / 5**0.5
        assert found[method][str(size)]["se"]["acc"] == pytest.approx(error)


def test_distinct_messages_are_classified_as_if_there_were_no_others(messages):
    twice = Messages(messages.texts + messages.texts[:40], np.resize(messages.is_spam, 190))
    found, alone = (
        steps(Settings(quick=True), given)[0].run(lambda fraction: None)
        for given in (twice, messages)
    )
    assert found["messages"] == len(messages.texts) + 40
    assert found["unique"] == alone["unique"]
    assert found["ah"] != alone["ah"]


def test_a_full_run_is_of_a_hundred_halves(messages):
    found = steps(Settings(), messages)[0].run(lambda fraction: None)
    assert found["repeats"] == 100
    assert list(found["ah"]) == list(found["ht"]) == [str(2**e) for e in range(4, 14)]


def test_steps(messages):
    found = {}
    for step in steps(Settings(quick=True), messages):
        ticks = []
        found |= step.run(ticks.append)
        assert ticks == sorted(ticks)
        assert 0 < ticks[-1] <= 1
    assert list(found["ah"]) == [str(2**exponent) for exponent in range(4, 14)]
    assert found["messages"] == len(messages.texts)
    assert found["unique"]["messages"] == len(set(messages.texts))
    assert found["reference"]["svm"]["first"]["acc"] > 70
    assert set(found["reference"]["ah"]["random"]) == {"acc", "sc", "bh", "mcc", "se"}
    for size in found["ah"]:
        difference = found["ah"][size]["acc"] - found["ht"][size]["acc"]
        assert found["difference"][size]["acc"] == pytest.approx(difference)
