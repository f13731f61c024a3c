"""Lessons at `fit`: how careful a classifier has to be with classes that come later."""

import pickle
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from addhash import TextClassifier
from addhash.errors import ModelFileError
from addhash.files.model_file import read_model, write_model
from addhash.learning.lessons import LEAST_CAUTION, MOST_CAUTION, Lessons, needed_caution
from addhash.learning.view_weights import GRID

TAUGHT = 10
NOVELTY = 1.2 * 32 / (32 + TAUGHT)  # what a caution of 1 takes from a class of ten examples


def test_the_largest_classes_of_a_sample_are_taught():
    codes = np.array([2] * 25 + [0] * 30 + [1] * 19)
    lessons = Lessons.of(codes)
    assert lessons.classes.tolist() == [0, 2]
    assert lessons.taught.tolist() == [*range(25, 35), *range(10)]
    assert lessons.asked.tolist() == [*range(10, 25), *range(35, 74)]
    assert len(Lessons.of(np.arange(40)).classes) == 0
    many = Lessons.of(np.repeat(np.arange(20), 100))
    assert many.classes.tolist() == list(range(8))
    assert len(many.asked) == 500


def lost(scores, codes, lessons, more):
    """Return the share of texts of other classes that new classes take, one text at a time."""
    n_classes = scores.shape[1] - len(lessons.classes)
    taken = asked = 0
    for new, old in enumerate(lessons.classes):
        for row, code in zip(scores, codes, strict=True):
            if code == old:
                continue
            asked += 1
            others = {c: row[c] for c in range(n_classes) if c != old}
            best = max(others, key=others.get)
            taken += best == code and row[n_classes + new] - more > others[best]
    return taken / asked


@pytest.mark.parametrize("lead", [-3.0, 0.0, 0.7, 5.0])
def test_caution_is_as_small_as_it_may_be(lead):
    random = np.random.default_rng(1)
    codes = random.integers(0, 3, 400)
    lessons = Lessons(np.array([0, 2]), np.empty(0, np.int64), np.arange(400))
    scores = random.normal(size=(400, 5))
    scores[np.arange(400), codes] += 2
    scores[:, 3:] += lead - 1
    caution = needed_caution(scores, codes, lessons, NOVELTY)
    assert LEAST_CAUTION <= caution <= MOST_CAUTION
    if caution < MOST_CAUTION:
        assert lost(scores, codes, lessons, (caution - 1) * NOVELTY + 1e-9) <= 0.005
    if caution > LEAST_CAUTION:
        assert lost(scores, codes, lessons, (caution - 1) * NOVELTY - 0.2) > 0.005


def test_without_a_text_that_could_be_lost_there_is_no_more_caution():
    lessons = Lessons(np.array([0]), np.empty(0, np.int64), np.arange(2))
    scores = np.array([[1.0, 0.0, 5.0], [2.0, 1.0, 0.0]])
    assert needed_caution(scores, np.array([0, 0]), lessons, NOVELTY) == LEAST_CAUTION


WORDS = ("sun rain wind snow", "goal match team win", "vote law party win", "song film band rain")


def confusable(seed=0, size=60):
    """Texts of four classes that have much in common, in random order."""
    random = np.random.default_rng(seed)
    texts, labels = [], []
    for i in range(4 * size):
        own, other = WORDS[i % 4].split(), WORDS[random.integers(4)].split()
        texts.append(" ".join([*random.choice(own, 2), *random.choice(other, 3), f"no {i % 9}"]))
        labels.append("abcd"[i % 4])
    return texts, labels


@pytest.fixture(scope="module")
def careful():
    texts, labels = confusable()
    model = TextClassifier(n_jobs=1).fit(texts, labels)
    assert model.memory.caution > LEAST_CAUTION
    return model, texts, labels


def test_caution_is_what_lessons_through_the_front_door_say(careful):
    """Each text is asked of a model that was taught again, and has forgotten the text."""
    model, texts, labels = careful
    memory = model.memory
    usual = TextClassifier.of_memory("bayes", replace(memory, caution=1.0))
    order = sorted(range(len(texts)), key=lambda i: (labels[i], i))
    sample = [texts[i] for i in order], np.array([labels[i] for i in order])
    codes = memory.classes.codes(sample[1])
    lessons = Lessons.of(codes)
    pupil = deepcopy(usual).learn(
        [sample[0][i] for i in lessons.taught],
        [f"z{label}" for label in sample[1][lessons.taught]],
    )
    rows = [
        deepcopy(pupil).forget([sample[0][i]], [sample[1][i]]).decision_function([sample[0][i]])[0]
        for i in lessons.asked
    ]
    caution = needed_caution(np.array(rows), codes[lessons.asked], lessons, NOVELTY)
    state = model._model
    rows = state.hashing.of_texts(state.analysis, sample[0], 1)
    again = memory.tuned(rows, sample[1], model._question(), False)
    pupil_of = replace(memory, caution=1.0)._cautious(rows, sample[1], model._question())
    assert pupil_of.caution == pytest.approx(caution, abs=GRID)
    assert LEAST_CAUTION <= again.caution <= MOST_CAUTION


def test_caution_is_against_later_classes_alone_and_explained(careful):
    model, texts, labels = careful
    usual = TextClassifier.of_memory("bayes", replace(model.memory, caution=1.0))
    np.testing.assert_array_equal(model.decision_function(texts), usual.decision_function(texts))
    lesson = [f"frost and thaw, number {i}" for i in range(TAUGHT)]
    taught, usual = deepcopy(model).learn(lesson, ["weather"] * TAUGHT), usual.learn(
        lesson, ["weather"] * TAUGHT
    )  # fmt: skip
    assert taught.predict(lesson).tolist() == ["weather"] * TAUGHT
    text = "a thaw after frost"
    less = usual.decision_function([text]) - taught.decision_function([text])
    expected = (model.memory.caution - 1) * NOVELTY
    np.testing.assert_allclose(less[0], [0, 0, 0, 0, expected], atol=1e-12)
    why = taught.explain(text)
    assert why.label == "weather"
    assert why.prior == pytest.approx(-model.memory.caution * NOVELTY)
    evidence = sum(share.evidence for share in why.tokens) + why.prior
    assert evidence == pytest.approx(why.evidence, abs=1e-12)
    assert labels.count("a") == taught.class_counts_[0]


def test_caution_is_kept(careful, tmp_path):
    model, texts, _ = careful
    caution = model.memory.caution
    assert model.chosen_["caution with later classes"] == caution
    model.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model")
    assert loaded.memory.caution == caution
    assert pickle.loads(pickle.dumps(model)).memory.caution == caution
    small = TextClassifier().learn(["frost"], ["weather"])
    assert small.memory.caution == LEAST_CAUTION
    for merged in (deepcopy(small).merge(model), deepcopy(model).merge(small)):
        assert merged.memory.caution == caution
        asked = [*texts[:20], "frost and thaw"]
        np.testing.assert_array_equal(
            merged.decision_function(asked),
            deepcopy(model).learn(["frost"], ["weather"]).decision_function(asked),
        )


@pytest.mark.parametrize("wrong", [0.5, 1.0, 3.5, np.nan, np.inf])
def test_a_caution_out_of_range_is_refused(careful, tmp_path, wrong):
    careful[0].save(tmp_path / "model")
    model = read_model(tmp_path / "model", "TextClassifier")
    scale = model.arrays["scale"].copy()
    assert scale[-1] == careful[0].memory.caution
    scale[-1] = wrong
    write_model(
        tmp_path / "wrong", "TextClassifier", model.settings, {**model.arrays, "scale": scale}, {}
    )
    with pytest.raises(ModelFileError, match="caution"):
        TextClassifier.load(tmp_path / "wrong")


def test_few_examples_give_no_lessons():
    texts, labels = confusable(size=38)
    labels = [f"{label}{i % 8}" for i, label in enumerate(labels)]
    assert max(map(labels.count, set(labels))) == 19
    memory = TextClassifier().fit(texts, labels).memory
    assert not np.isnan(memory.biases).any()
    assert memory.caution == LEAST_CAUTION
