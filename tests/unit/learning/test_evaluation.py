import json
import sys
from math import isnan, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import classification_report, confusion_matrix

from addhash import Evaluation, TextClassifier
from addhash.errors import ParameterError
from addhash.sample import load_messages

TRUTHS = ["a", "a", "a", "b", "b", "c"]
ANSWERS = ["a", "b", "a", "b", None, "b"]
SCORES = [0.9, 0.6, 0.8, 0.7, 0.2, 0.95]


def test_figures_by_hand():
    evaluation = Evaluation(TRUTHS, ANSWERS, SCORES)
    assert (len(evaluation), evaluation.right, evaluation.unanswered) == (6, 3, 1)
    assert evaluation.accuracy == 0.5
    assert evaluation.balanced_accuracy == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)
    a, b, c = evaluation.per_class()
    assert a == ("a", 1.0, 2 / 3, pytest.approx(0.8), 3)
    assert b == ("b", 1 / 3, 0.5, pytest.approx(0.4), 2)
    assert (c.label, c.recall, c.f1, c.support) == ("c", 0, 0, 1)
    assert isnan(c.precision)  # no text was labelled so
    assert evaluation.confusion().tolist() == [[2, 1, 0], [0, 1, 0], [0, 1, 0]]
    assert evaluation.confused() == [("a", "b", 1), ("b", None, 1), ("c", "b", 1)]
    assert evaluation.confused(1) == [("a", "b", 1)]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1))
def test_figures_are_those_of_scikit_learn(pairs):
    truths, answers = map(list, zip(*pairs, strict=True))
    evaluation = Evaluation(truths, answers, classes=list("abcd"))
    expected = classification_report(truths, answers, output_dict=True, zero_division=np.nan)
    for report in evaluation.per_class():
        row = expected[report.label]
        assert report.precision == pytest.approx(row["precision"], nan_ok=True)
        assert report.recall == pytest.approx(row["recall"], nan_ok=True)
        assert report.support == row["support"]
    expected = confusion_matrix(truths, answers, labels=list("abcd"))
    assert evaluation.confusion().tolist() == expected.tolist()


def test_calibration_by_hand():
    evaluation = Evaluation(["x"] * 4, ["x", "x", "x", "y"], [0.8] * 4)
    (only,) = evaluation.reliability()
    assert (only.texts, only.confidence, only.accuracy) == (4, pytest.approx(0.8), 0.75)
    assert only.low <= 0.8 < only.high
    assert evaluation.calibration_error() == pytest.approx(0.05)
    assert isnan(Evaluation(TRUTHS, ANSWERS).calibration_error())


def test_log_loss_by_hand():
    evaluation = Evaluation(["x", "y"], ["x", "x"], true_probabilities=[0.5, 0.25])
    assert evaluation.log_loss() == pytest.approx((log(2) + log(4)) / 2)
    assert Evaluation(["x"], ["y"], true_probabilities=[0.0]).log_loss() < 40
    assert isnan(Evaluation(["x"], ["x"]).log_loss())


def test_rejection_by_hand():
    evaluation = Evaluation(TRUTHS, ANSWERS, SCORES, margins=[0.5, 0.1, 0.4, 0.2, 0.0, None])
    points = evaluation.rejection()
    assert [point.threshold for point in points] == [0.95, 0.9, 0.8, 0.7, 0.6]
    assert [round(point.coverage * 6) for point in points] == [1, 2, 3, 4, 5]
    assert [point.accuracy for point in points] == [0, 1 / 2, 2 / 3, 3 / 4, 3 / 5]
    assert evaluation.threshold_for(0.25) == points[3]
    assert evaluation.threshold_for(0.1) is None
    assert evaluation.rejection("margins")[0].threshold == 0.5
    assert [p.threshold for p in evaluation.thresholds()] == [0.7, 0.8, 0.9]
    assert Evaluation(TRUTHS, ANSWERS).rejection() == []
    with pytest.raises(ParameterError, match="'scores' or by='margins'"):
        evaluation.rejection("tokens")


def test_thresholds_are_those_of_counting():
    values = [0.5, 0.1, 0.4, 0.1, 0.3, 0.2, 0.9, 0.8, 0.7, 0.6]
    right = [True, False, True, True, False, True, True, True, True, True]
    answers = ["x" if r else "y" for r in right]
    for by in ("scores", "margins"):
        evaluation = Evaluation(["x"] * 10, answers, **{by: values})
        found = evaluation.thresholds(by)
        assert found
        for point in found:
            kept = [r for v, r in zip(values, right, strict=True) if v >= point.threshold]
            assert point.coverage == pytest.approx(len(kept) / 10)
            assert point.accuracy == pytest.approx(kept.count(True) / len(kept))
    assert Evaluation(["x"] * 10, ["x"] * 10, [0.5] * 10).thresholds() == []


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 10)), min_size=1),
    st.floats(0, 1),
)
def test_the_threshold_for_an_error_keeps_it_and_is_the_lowest(rows, error):
    truths = ["x"] * len(rows)
    answers = ["x" if right else "y" for right, _ in rows]
    scores = [score / 10 for _, score in rows]

    def share_wrong(threshold):
        kept = [a for a, s in zip(answers, scores, strict=True) if s >= threshold]
        return kept.count("y") / len(kept)

    point = Evaluation(truths, answers, scores).threshold_for(error)
    possible = [s for s in set(scores) if share_wrong(s) <= error]
    assert (point is None) == (not possible)
    if point is not None:
        assert point.threshold == min(possible)
        assert 1 - point.accuracy == pytest.approx(share_wrong(point.threshold))


def test_suspects_come_surest_first():
    evaluation = Evaluation(TRUTHS, ANSWERS, SCORES)
    assert [(s.position, s.truth, s.answer, s.score) for s in evaluation.suspects()] == [
        (5, "c", "b", 0.95),
        (1, "a", "b", 0.6),
    ]
    by_margin = Evaluation(TRUTHS, ANSWERS, SCORES, margins=[0, 0.9, 0, 0, 0, 0.1]).suspects()
    assert [s.position for s in by_margin] == [1, 5]


def test_forms():
    evaluation = Evaluation(TRUTHS, ANSWERS, SCORES)
    found = json.loads(json.dumps(evaluation.to_dict()))
    assert found["classes"][2]["precision"] is None
    assert found["accuracy"] == 0.5
    frame = evaluation.to_frame()
    assert list(frame.columns) == ["label", "precision", "recall", "f1", "support"]
    assert frame["support"].tolist() == [3, 2, 1]
    assert repr(evaluation).startswith("Accuracy 50.00 %: 3 of 6 right, 1 without an answer\n")
    hostile = Evaluation(["<b>"], ["<b>"])
    assert "<b>" not in hostile._repr_html_().replace("<p><b>", "")
    many = Evaluation(range(100), range(100))
    assert "and 80 more classes" in repr(many)


def test_no_texts():
    evaluation = Evaluation([], [], [])
    assert isnan(evaluation.accuracy)
    assert evaluation.rejection() == evaluation.suspects() == evaluation.per_class() == []


def test_what_does_not_fit_is_refused():
    with pytest.raises(ParameterError, match="one of the answers for each of 2 truths, got 1"):
        Evaluation(["a", "b"], ["a"])
    with pytest.raises(ParameterError, match="one kind"):
        Evaluation(["a", "b"], ["a", 1])
    with pytest.raises(ParameterError, match="one dimension"):
        Evaluation(["a"], ["a"], [[0.1]])
    with pytest.raises(ParameterError, match="Expected numbers as the scores"):
        Evaluation(["a"], ["a"], ["sure"])


@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_leaving_one_out_is_an_evaluation(method):
    texts, labels = load_messages()
    evaluation = TextClassifier(method).fit(texts, labels).leave_one_out(texts, labels)
    again = Evaluation(labels, evaluation.answers, evaluation.scores)
    assert again.accuracy == evaluation.accuracy
    assert again.to_frame().equals(evaluation.to_frame())


def test_frames_say_what_they_need(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        Evaluation(["a"], ["a"]).to_frame()
