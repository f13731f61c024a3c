"""One rule decides which answers are rejected, wherever they are asked for."""

import numpy as np
import pytest

from addhash import CentroidClassifier, TextClassifier
from addhash.learning.rejection import TOLERANCE, Rejection
from addhash.sample import load_messages

METHODS = ["bayes", "nearest", "centroid"]
RULES = [
    {"reject_below": 1.0},
    {"reject_below": 0.9},
    {"reject_margin": 0.3},
    {"reject_below": 0.5, "reject_margin": 1.0},
]


def test_the_rule():
    scores, others = np.array([0.9, 0.8, 0.5]), np.array([0.1, 0.79, np.nan])
    assert Rejection().rejects(scores, others).tolist() == [False] * 3
    assert not Rejection().is_possible
    assert Rejection(below=0.8).rejects(scores).tolist() == [False, False, True]
    assert Rejection(margin=0.1).rejects(scores, others).tolist() == [False, True, False]
    both = Rejection(below=0.6, margin=0.1)
    assert both.rejects(scores, others).tolist() == [False, True, True]


@pytest.mark.parametrize("threshold", [0.0, 0.3, 1.0])
def test_rounding_does_not_reject(threshold):
    at, below = threshold - TOLERANCE / 2, threshold - 2 * TOLERANCE
    scores = np.array([threshold, at, below])
    assert Rejection(below=threshold).rejects(scores).tolist() == [False, False, True]
    none = np.zeros(3)
    assert Rejection(margin=threshold).rejects(scores, none).tolist() == [False, False, True]


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_every_question_has_the_same_rule(method, rule):
    texts, labels = load_messages()
    plain = TextClassifier(method).fit(texts, labels)
    strict = TextClassifier(method, **rule).fit(texts, labels)
    rejection = Rejection(rule.get("reject_below"), rule.get("reject_margin"))

    def expected(answers):
        scores = np.array([answer.score for answer in answers])
        others = np.array([np.nan if a.margin is None else a.score - a.margin for a in answers])
        rejected = rejection.rejects(scores, others).tolist()
        return [None if r else a.label for a, r in zip(answers, rejected, strict=True)]

    wanted = expected(plain.predict_scores(texts))
    assert strict.predict(texts).tolist() == wanted
    assert [answer.label for answer in strict.predict_scores(texts)] == wanted
    some = slice(0, 150, 10)
    rejected = [strict.explain(text).is_rejected for text in texts[some]]
    assert rejected == [label is None for label in wanted[some]]
    # Leaving one out: the rule of `predict`, on the scores of the model that never saw the text.
    every, few = plain.leave_one_out(texts, labels), strict.leave_one_out(texts, labels)
    refused = rejection.rejects(every.scores, every.scores - every.margins)
    assert few.answers.tolist() == [
        None if r else a for a, r in zip(every.answers.tolist(), refused.tolist(), strict=True)
    ]


@pytest.mark.parametrize("method", METHODS)
def test_leaving_one_out_accepts_what_predict_accepts(method):
    """A text that is learnt twice has the score 1, up to rounding, without itself too."""
    texts, labels = load_messages()
    classifier = TextClassifier(method, reject_below=1.0).fit(texts * 2, labels * 2)
    if method == "nearest":
        assert None not in classifier.predict(texts).tolist()
        assert classifier.leave_one_out(texts, labels).unanswered == 0


@pytest.mark.parametrize("method", METHODS)
def test_margins_of_leaving_one_out_are_those_of_refitting(method):
    texts, labels = load_messages()
    texts, labels = texts[:40], labels[:40]
    classifier = TextClassifier(method, smoothing=0.25).learn(texts, labels)
    found = classifier.leave_one_out(texts, labels)
    for i in range(0, 40, 3):
        classifier.forget([texts[i]], [labels[i]])
        answer = classifier.predict_scores([texts[i]])[0]
        assert found.margins[i] == pytest.approx(answer.margin, abs=1e-9)
        classifier.learn([texts[i]], [labels[i]])


def test_vectors_have_the_same_rule():
    X, y = np.eye(3), ["a", "b", "c"]
    assert CentroidClassifier(reject_below=1.0).fit(X, y).predict(X * 3).tolist() == y


def test_a_score_at_the_threshold_is_not_below_it():
    edge = 0.5 - TOLERANCE
    assert Rejection(below=0.5).rejects(np.array([edge, np.nextafter(edge, 0)])).tolist() == [
        False,
        True,
    ]
    leads = np.array([edge, np.nextafter(edge, 0)])
    assert Rejection(margin=0.5).rejects(leads, np.zeros(2)).tolist() == [False, True]
