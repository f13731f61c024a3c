import io

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.model_selection import cross_val_score

from addhash import AdditiveHashingVectorizer, TextClassifier
from addhash.errors import (
    DocumentError,
    ExampleError,
    MergeError,
    NotFittedError,
    ParameterError,
)
from addhash.learning import cosines

METHODS = ["nearest", "centroid"]
EN = ["the cat sat on the mat", "she sells sea shells", "a dog and a bird"]
FR = ["le chat est sur la table", "elle vend des coquillages", "un chien et un oiseau"]
TEXTS, LABELS = EN + FR, ["en"] * 3 + ["fr"] * 3


@pytest.fixture(params=METHODS)
def classifier(request):
    return TextClassifier(request.param).fit(TEXTS, LABELS)


def assert_same_answers(a, b):
    probes = [*TEXTS, "a cat", "un chat", "", "x"]
    assert a.classes_.tolist() == b.classes_.tolist()
    assert a.predict_scores(probes, 6) == b.predict_scores(probes, 6)
    np.testing.assert_array_equal(a.predict(probes), b.predict(probes))


def test_predicts(classifier):
    assert classifier.predict(["the dog sat", "le chien est"]).tolist() == ["en", "fr"]
    assert classifier.score(TEXTS, LABELS) == 1
    assert classifier.predict([]).tolist() == []
    assert classifier.predict_scores([]) == []


def test_bytes_and_generators_are_texts(classifier):
    same = TextClassifier(classifier.method).fit((t.encode() for t in TEXTS), LABELS)
    assert_same_answers(classifier, same)


def test_scores_agree_with_cosines(classifier):
    text = "the bird sat on a table"
    vectorizer = classifier.vectorizer_
    vectors = vectorizer.transform(TEXTS).astype(float)
    if classifier.method == "centroid":
        vectors = np.stack([vectors[:3].sum(axis=0), vectors[3:].sum(axis=0)])
    query = vectorizer.transform([text])[0].astype(float)
    cosines = vectors @ query / np.linalg.norm(vectors, axis=1) / np.linalg.norm(query)
    by_class = cosines.reshape(2, -1).max(axis=1)
    answer = classifier.predict_scores([text])[0]
    assert answer.label == "en"
    assert answer.runner_up == "fr"
    assert answer.score == pytest.approx(by_class[0], abs=1e-14)
    assert answer.margin == pytest.approx(by_class[0] - by_class[1], abs=1e-14)
    if classifier.method == "nearest":
        expected = sorted(cosines.tolist(), reverse=True)[:3]
        assert [n.score for n in answer.nearest] == pytest.approx(expected, abs=1e-14)
    else:
        assert answer.nearest == ()


def test_a_single_class_has_no_runner_up():
    for method in METHODS:
        answer = TextClassifier(method).fit(EN, ["en"] * 3).predict_scores(["a cat"])[0]
        assert (answer.label, answer.margin, answer.runner_up) == ("en", None, None)


def test_a_far_runner_up_is_found():
    texts = [f"spam spam {i}" for i in range(400)] + ["hello"]
    classifier = TextClassifier().fit(texts, ["spam"] * 400 + ["ham"])
    answer = classifier.predict_scores(["spam spam 5"])[0]
    assert (answer.label, answer.runner_up) == ("spam", "ham")
    assert answer.margin > 0.5


def test_texts_are_kept_if_wanted():
    classifier = TextClassifier("nearest", keep_texts=True).fit(TEXTS, LABELS)
    near = classifier.predict_scores(["the cat sat"])[0].nearest
    assert near[0].text == EN[0]
    classifier.forget([EN[0]], ["en"]).learn(["that cat sat down"], ["en"])
    assert classifier.predict_scores(["the cat sat"])[0].nearest[0].text == "that cat sat down"
    without = TextClassifier("nearest").fit(TEXTS, LABELS)
    assert without.predict_scores(["a"])[0].nearest[0].text is None


def test_low_scores_are_rejected(classifier):
    classifier.set_params(reject_below=0.5)
    probes = [EN[0], "0123456789"]
    assert classifier.predict(probes).tolist() == ["en", None]
    assert [p.label for p in classifier.predict_scores(probes)] == ["en", None]


def test_new_classes_are_learnt(classifier):
    classifier.learn(["eine Katze und ein Hund"], ["de"])
    assert classifier.predict(["ein Hund"]).tolist() == ["de"]
    classifier.forget(["eine Katze und ein Hund"], ["de"])
    assert_same_answers(classifier, TextClassifier(classifier.method).fit(TEXTS, LABELS))


def test_learning_starts_an_empty_classifier():
    for method in METHODS:
        assert_same_answers(
            TextClassifier(method).learn(TEXTS[:2], LABELS[:2]).learn(TEXTS[2:], LABELS[2:]),
            TextClassifier(method).fit(TEXTS, LABELS),
        )


def test_order_makes_no_difference(classifier):
    order = [4, 0, 5, 2, 1, 3]
    other = TextClassifier(classifier.method)
    other.fit([TEXTS[i] for i in order], [LABELS[i] for i in order])
    assert_same_answers(classifier, other)


def test_ties_go_to_the_first_label():
    """Two examples of one text and two labels: history does not decide between them."""
    for labels in (["b", "a"], ["a", "b"]):
        assert TextClassifier().fit(["a text"] * 2, labels).predict(["a text"]) == ["a"]


def test_merging(classifier):
    method = classifier.method
    one = TextClassifier(method).fit(TEXTS[:3], LABELS[:3])
    two = TextClassifier(method).fit(TEXTS[3:], LABELS[3:])
    assert_same_answers(clone(one).fit(TEXTS[:3], LABELS[:3]).merge(two), classifier)
    assert_same_answers(two.merge(one), classifier)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "centroid"}, "method: 'nearest' here, 'centroid' there"),
        ({"keep_texts": True}, "keep_texts"),
        (
            {"vectorizer": AdditiveHashingVectorizer(analyzer="char", ngram_range=(2, 3))},
            r"vectorizer.lowercase: False here, True there.*"
            r"vectorizer.ngram_range: \[3, 3\] here, \[2, 3\] there",
        ),
        (
            {"vectorizer": AdditiveHashingVectorizer(key=b"secret")},
            "vectorizer.key_fingerprint: None here, '[0-9a-f]{32}' there",
        ),
    ],
)
def test_different_configurations_are_not_merged(parameters, message):
    classifier = TextClassifier("nearest").fit(TEXTS, LABELS)
    with pytest.raises(MergeError, match=message) as raised:
        classifier.merge(TextClassifier(**{"method": "nearest"} | parameters).fit(TEXTS, LABELS))
    assert "secret" not in str(raised.value)
    assert_same_answers(classifier, TextClassifier("nearest").fit(TEXTS, LABELS))


def test_only_classifiers_are_merged(classifier):
    with pytest.raises(MergeError, match="got a str"):
        classifier.merge("another")
    with pytest.raises(NotFittedError):
        classifier.merge(TextClassifier())


def test_what_was_not_learnt_cannot_be_forgotten(classifier):
    for texts, labels in [([EN[0]], ["de"]), ([EN[0]] * 4, ["en"] * 4)]:
        with pytest.raises(ExampleError, match="nothing was forgotten"):
            classifier.forget(texts, labels)
    assert_same_answers(classifier, TextClassifier(classifier.method).fit(TEXTS, LABELS))


def test_everything_can_be_forgotten(classifier):
    classifier.forget(TEXTS, LABELS)
    assert len(classifier.classes_) == 0
    with pytest.raises(ExampleError, match="Call learn"):
        classifier.predict(["a"])
    classifier.learn(TEXTS, LABELS)
    assert_same_answers(classifier, TextClassifier(classifier.method).fit(TEXTS, LABELS))


def test_wrong_input_is_refused(classifier):
    with pytest.raises(DocumentError, match="string object received"):
        classifier.predict("a text")
    with pytest.raises(DocumentError, match="Document 1 is None"):
        classifier.predict(["a", None])
    with pytest.raises(DocumentError, match="each of 2 texts, got 1"):
        classifier.learn(["a", "b"], ["en"])
    with pytest.raises(DocumentError, match="Document 0 is None"):
        classifier.learn([None], ["en"])
    with pytest.raises(ExampleError, match="at least one"):
        TextClassifier().fit([], [])
    assert classifier.learn([], []).forget([], []) is classifier
    assert_same_answers(classifier, TextClassifier(classifier.method).fit(TEXTS, LABELS))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "best"}, "'nearest', 'centroid'"),
        ({"vectorizer": HashingVectorizer()}, "AdditiveHashingVectorizer"),
        ({"vectorizer": AdditiveHashingVectorizer(dtype="bits")}, "of numbers"),
        ({"method": "centroid", "keep_texts": True}, "keep_texts"),
        ({"keep_texts": 1}, "keep_texts"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        TextClassifier(**parameters).fit(TEXTS, LABELS)


def test_an_unfitted_classifier_says_so():
    for call in (TextClassifier().predict, TextClassifier().predict_scores):
        with pytest.raises(NotFittedError):
            call(["a"])


def test_unit_vectors_and_words():
    for method in METHODS:
        classifier = TextClassifier(method, vectorizer=AdditiveHashingVectorizer(n_features=512))
        assert classifier.fit(TEXTS, LABELS).predict(["cat and dog"]).tolist() == ["en"]


def test_scikit_learn_tools_take_it():
    scores = cross_val_score(TextClassifier(), np.array(TEXTS * 4), np.array(LABELS * 4), cv=4)
    assert scores.mean() == 1


def test_numbers_are_labels():
    classifier = TextClassifier("nearest").fit(TEXTS, [1, 1, 1, 2, 2, 2])
    assert classifier.predict_scores(["the cat"])[0].label == 1


def test_files_are_read_once():
    vectorizer = AdditiveHashingVectorizer(input="file", analyzer="char", ngram_range=(3, 3))
    files = [io.StringIO(text) for text in TEXTS]
    classifier = TextClassifier("nearest", vectorizer=vectorizer, keep_texts=True)
    classifier.fit(files, LABELS)
    why = classifier.explain(io.StringIO("the cat sat"))
    assert why.text == "the cat sat"
    assert why.nearest[0].text == EN[0]


@pytest.mark.parametrize("n_nearest", [1, 2, 5, 50])
def test_as_many_of_the_nearest_as_asked_for(n_nearest):
    classifier = TextClassifier("nearest").fit(TEXTS, LABELS)
    expected = min(n_nearest, len(TEXTS))
    assert len(classifier.predict_scores(["a cat"], n_nearest)[0].nearest) == expected
    assert len(classifier.explain("a cat", n_nearest).nearest) == expected
    with pytest.raises(ParameterError, match="'n_nearest' parameter"):
        classifier.predict_scores(["a cat"], 0)


def test_neighbours_vote():
    texts = [
        "you won a free prize",
        "free entry, win cash",
        "win a prize, call now",
        "see you at ten",
    ]
    labels = ["spam", "spam", "spam", "ham"]
    probe = "see, you won"
    one = TextClassifier("nearest").fit(texts, labels)
    three = TextClassifier("nearest", n_neighbors=3).fit(texts, labels)
    shares = three.predict_proba([probe])[0]
    neighbors = three.predict_scores([probe], 3)[0].nearest
    votes = {
        label: sum((1 + n.score) / 2 for n in neighbors if n.label == label) for label in labels
    }
    total = sum(votes.values())
    assert shares == pytest.approx([votes["ham"] / total, votes["spam"] / total], abs=1e-5)
    assert three.predict([probe]).tolist() == ["spam"]
    answer = three.predict_scores([probe])[0]
    assert answer.score == max(n.score for n in neighbors if n.label == "spam")
    assert one.predict_scores([probe])[0].nearest[0].score == neighbors[0].score


def test_small_margins_are_rejected():
    classifier = TextClassifier("nearest", reject_margin=0.3).fit(TEXTS, LABELS)
    assert classifier.predict([EN[0], "qqq"]).tolist() == ["en", None]
    single = TextClassifier("nearest", reject_margin=0.3).fit(EN, ["en"] * 3)
    assert single.predict(["a cat"]).tolist() == ["en"]  # there is no runner-up


def test_exact_copies_are_not_rejected():
    classifier = TextClassifier("nearest", reject_below=1).fit(TEXTS, LABELS)
    assert classifier.predict(TEXTS).tolist() == LABELS


def test_a_loaded_classifier_merges_with_a_new_one(tmp_path):
    for method in METHODS:
        TextClassifier(method, reject_below=0).fit(EN, ["en"] * 3).save(tmp_path / "model")
        loaded = TextClassifier.load(tmp_path / "model")
        loaded.merge(TextClassifier(method, reject_below=0.0).fit(FR, ["fr"] * 3))
        assert_same_answers(loaded, TextClassifier(method).fit(TEXTS, LABELS))


def test_the_vectorizer_is_resolved_once():
    """What becomes of the vectorizer after fit does not reach the classifier."""
    vectorizer = AdditiveHashingVectorizer(n_features=64, norm=None, dtype=np.int32)
    classifier = TextClassifier("nearest", vectorizer=vectorizer).fit(TEXTS, LABELS)
    before = classifier.predict_scores(TEXTS)
    vectorizer.set_params(n_features=128, lowercase=False)
    assert classifier.predict_scores(TEXTS) == before
    assert classifier.vectorizer_.n_features == 64


def test_long_texts_are_explained_piece_by_piece(monkeypatch):
    classifier = TextClassifier("centroid").fit(TEXTS, LABELS)
    text = " ".join(TEXTS) * 3
    whole = classifier.explain(text)
    monkeypatch.setattr(cosines, "CHUNK_VALUES", 2048 * 7)
    parts = classifier.explain(text)
    assert parts.score == pytest.approx(whole.score, abs=1e-12)
    assert [s.text for s in parts.tokens] == [s.text for s in whole.tokens]
    np.testing.assert_allclose(parts.characters, whole.characters, atol=1e-12)


def test_shares_are_a_softmax_of_scaled_cosines():
    classifier = TextClassifier("centroid").fit([*TEXTS, "eine Katze"], [*LABELS, "de"])
    cosines_ = classifier.decision_function(["a cat"])[0]
    powers = np.exp(cosines_ * np.sqrt(2048))
    assert classifier.predict_proba(["a cat"])[0] == pytest.approx(powers / powers.sum())


def test_more_lengths_of_ngrams_than_can_be_counted_apart_are_refused():
    classifier = TextClassifier(
        vectorizer=AdditiveHashingVectorizer(analyzer="char", ngram_range=(1, 2**30))
    )
    with pytest.raises(ParameterError, match=r"at most 64 lengths.* Got \(1, 1073741824\) instead"):
        classifier.fit(["a text"], ["label"])


def test_examples_from_iterators_are_learnt_as_those_of_lists(monkeypatch):
    monkeypatch.setattr("addhash.learning.classifier_state.LOT", 7)
    texts = [f"text {i} of {'cats' if i % 3 else 'dogs'}" for i in range(150)]
    labels = ["cats" if i % 3 else "dogs" for i in range(150)]
    expected = TextClassifier().fit(texts, labels)
    assert TextClassifier().fit(iter(texts), iter(labels)).to_bytes() == expected.to_bytes()
    with pytest.raises(DocumentError, match="150 texts, got 'birds' too"):
        TextClassifier().fit(iter(texts), iter([*labels, "birds"]))
    with pytest.raises(DocumentError, match="each of 3 texts, got 2 labels"):
        TextClassifier().fit(iter(texts), iter(labels[:149]))
