"""What a classifier says about its data and about itself."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.multiclass import OneVsRestClassifier

from addhash import AdditiveHashingVectorizer, HashingVectorizer, TextClassifier
from addhash.errors import DocumentError, ParameterError
from addhash.sample import load_messages

METHODS = ["bayes", "nearest", "centroid"]


@pytest.mark.parametrize("method", METHODS)
def test_suspects_are_the_planted_errors(method):
    texts, labels = load_messages()
    planted = [5, 50, 100]
    for i in planted:
        labels[i] = {"ham": "spam", "spam": "ham"}[labels[i]]
    classifier = TextClassifier(method).fit(texts, labels)
    suspects = classifier.suspects(texts, labels)
    assert len(set(planted) & {s.position for s in suspects}) >= 2
    for suspect in suspects:
        assert suspect.truth == labels[suspect.position] != suspect.answer
        assert suspect.text == texts[suspect.position]
    sure = [s.margin for s in suspects]
    assert sure == sorted(sure, reverse=True)
    # Each by hand: forgotten, asked, learnt again.
    for suspect in suspects[:5]:
        i = suspect.position
        classifier.forget([texts[i]], [labels[i]])
        answer = classifier.predict_scores([texts[i]])[0]
        assert (suspect.answer, suspect.score) == (answer.label, pytest.approx(answer.score))
        classifier.learn([texts[i]], [labels[i]])


def test_suspects_of_kept_texts():
    texts, labels = load_messages()
    labels[5] = {"ham": "spam", "spam": "ham"}[labels[5]]
    classifier = TextClassifier("nearest", keep_texts=True).fit(texts, labels)
    found, expected = classifier.suspects(), classifier.suspects(texts, labels)
    assert {s.text for s in found} == {s.text for s in expected}
    for method in METHODS:
        with pytest.raises(DocumentError, match="keeps no texts"):
            TextClassifier(method).fit(texts, labels).suspects()


def test_suspects_ignore_rejection():
    texts, labels = load_messages()
    strict = TextClassifier("centroid", reject_below=1.0).fit(texts, labels)
    plain = TextClassifier("centroid").fit(texts, labels)
    assert strict.suspects(texts, labels) == plain.suspects(texts, labels)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("error", [0.0, 0.02, 0.3])
def test_the_chosen_threshold_keeps_the_error(method, error):
    texts, labels = load_messages()
    classifier = TextClassifier(method, reject_below=0.5).fit(texts, labels)
    point = classifier.choose_rejection(texts, labels, error)
    assert classifier.reject_below == point.threshold
    evaluation = classifier.leave_one_out(texts, labels)
    answered = len(texts) - evaluation.unanswered
    assert answered == round(point.coverage * len(texts))
    assert 1 - evaluation.right / answered <= error
    assert evaluation.right / answered == pytest.approx(point.accuracy)


def test_an_error_that_no_threshold_reaches():
    texts, labels = ["a b", "a b", "c d", "c d"], ["x", "y", "x", "y"]
    classifier = TextClassifier("centroid").fit(texts, labels)
    with pytest.raises(ParameterError, match=r"No threshold leaves at most 0.00%"):
        classifier.choose_rejection(texts, labels, 0.0)
    assert classifier.reject_below is None
    for wrong in (1, -0.1, "few", None):
        with pytest.raises(ParameterError, match="from 0 to below 1"):
            classifier.choose_rejection(texts, labels, wrong)


def test_a_fitted_classifier_says_what_it_knows():
    texts, labels = load_messages()
    classifier = TextClassifier("nearest")
    assert repr(classifier) == "TextClassifier(method='nearest')"
    classifier.fit(texts, labels)
    assert repr(classifier) == "<TextClassifier(method='nearest'): 150 examples of 2 classes>"
    assert repr(clone(classifier)) == "TextClassifier(method='nearest')"
    page = TextClassifier().fit(["a", "b"], ["<i>", "y"])._repr_html_()
    assert "&lt;i&gt;" in page
    assert "<i>" not in page
    assert "<table" not in TextClassifier()._repr_html_()
    many = TextClassifier().fit([str(i) for i in range(30)], range(30))
    assert "and 20 more classes" in many._repr_html_()


def test_parameters_of_the_vectorizer_are_shown_their_place():
    with pytest.raises(ParameterError, match=r"set_params\(vectorizer__ngram_range=\(1, 2\)\)"):
        TextClassifier(ngram_range=(1, 2))
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        TextClassifier(colour="red")
    words = TextClassifier().set_params(vectorizer__analyzer="word")
    assert words.fit(["a bc", "d ef"], [0, 1]).vectorizer_.analyzer == "word"


def test_other_vectorizers_are_refused_with_advice():
    classifier = TextClassifier(vectorizer=HashingVectorizer(ngram_range=(1, 2)))
    with pytest.raises(ParameterError, match="BayesClassifier behind the vectorizer in a Pipeline"):
        classifier.fit(["a"], ["x"])
    bits = TextClassifier("nearest", vectorizer=AdditiveHashingVectorizer(dtype="bits", norm=None))
    with pytest.raises(ParameterError, match="of numbers, not of bits"):
        bits.fit(["a"], ["x"])


@pytest.mark.parametrize("labels", [[["x"], ["x", "y"]], [["x", "y"], ["x", "z"]], [[1], [1, 2]]])
def test_several_labels_per_text_get_advice(labels):
    with pytest.raises(ParameterError, match="OneVsRestClassifier"):
        TextClassifier().fit(["a", "b"], labels)


def test_several_labels_by_one_classifier_each():
    texts = ["win money", "win a parcel", "lunch", "lunch with friends"] * 5
    wanted = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]] * 5)
    model = OneVsRestClassifier(TextClassifier()).fit(texts, wanted)
    assert model.predict(texts).tolist() == wanted.tolist()


def test_progress_is_told():
    texts, labels = load_messages()
    told = []
    TextClassifier().fit(texts, labels, progress=lambda *step: told.append(step))
    assert told == [("learn", 150, 150), ("tune", 0, None)]
