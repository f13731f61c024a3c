"""Lessons at `fit`: the bias of classes that come later."""

import pickle
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from addhash import TextClassifier
from addhash.errors import ModelFileError
from addhash.files.model_file import read_model, write_model
from addhash.learning.lessons import MOST_LATER, bias_of_leads, lessons_of
from addhash.learning.view_weights import GRID

TAUGHT = 10


def test_the_largest_classes_of_a_sample_are_taught():
    codes = np.array([2] * 25 + [0] * 30 + [1] * 19)
    first, second = lessons_of(codes)
    assert (first.code, second.code) == (0, 2)
    assert first.taught.tolist() == list(range(25, 35))
    assert first.asked.tolist() == [*range(25), *range(55, 74)]
    assert second.taught.tolist() == list(range(10))
    assert second.asked.tolist() == list(range(25, 74))
    assert list(lessons_of(np.arange(40))) == []
    assert list(lessons_of(np.repeat([0, 1], 50))) == []
    many = list(lessons_of(np.repeat(np.arange(20), 100)))
    assert [lesson.code for lesson in many] == [0, 1, 2]
    assert {len(lesson.asked) for lesson in many} == {200}


@pytest.mark.parametrize("lead", [-1.5, -0.5, 0.0, 1.5])
def test_the_bias_is_as_high_as_it_may_be(lead):
    leads = np.random.default_rng(1).normal(lead - 1, 0.2, 1000)
    leads[::7] = -np.inf
    bias = bias_of_leads(leads)
    assert (leads + bias > 0).sum() <= 5 < (leads + bias + 1e-9 >= 0).sum()


def test_the_bias_is_within_bounds():
    assert bias_of_leads(np.full(300, -9.0)) == MOST_LATER == -bias_of_leads(np.full(300, 9.0))
    assert bias_of_leads(np.full(9, -np.inf)) == MOST_LATER
    assert bias_of_leads(np.empty(0)) == 0


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
def taught():
    texts, labels = confusable()
    model = TextClassifier(n_jobs=1).fit(texts, labels)
    assert model.memory.later != 0
    return model, texts, labels


def test_the_bias_is_what_lessons_through_the_front_door_say(taught):
    """Each text is asked of a model that never had the class, was taught, and forgets the text."""
    model, texts, labels = taught
    usual = TextClassifier.of_memory("bayes", replace(model.memory, later=0.0))
    order = sorted(range(len(texts)), key=lambda i: (labels[i], i))
    texts, labels = [texts[i] for i in order], np.array([labels[i] for i in order])
    leads = []
    for lesson in lessons_of(model.memory.classes.codes(labels)):
        new = model.classes_[lesson.code]
        pupil = deepcopy(usual)
        mine = np.flatnonzero(labels == new)
        pupil.forget([texts[i] for i in mine], labels[mine])
        pupil.learn([texts[i] for i in lesson.taught], labels[lesson.taught])
        for i in lesson.asked.tolist():
            without = deepcopy(pupil).forget([texts[i]], labels[i : i + 1])
            scores = dict(
                zip(without.classes_, without.decision_function([texts[i]])[0], strict=True)
            )
            own = scores.pop(new)
            best = max(scores, key=scores.get)
            leads.append(own - scores[best] if best == labels[i] else -np.inf)
    rows = rows_of(model, texts)
    found = usual.memory._bias_of_later(rows, labels, model._question())
    assert found == pytest.approx(bias_of_leads(np.array(leads)), abs=GRID)


def rows_of(model, texts):
    state = model._model
    return state.hashing.of_texts(state.analysis, texts, 1)


@pytest.mark.parametrize("count", [TAUGHT, 64])
def test_a_later_class_leads_as_with_the_usual_weights(taught, count):
    model, texts, _ = taught
    lesson = [f"frost and thaw, number {i}" for i in range(count)]
    later = deepcopy(model).learn([*lesson, "an offside goal"], ["weather"] * count + ["zoo"])
    assert later.predict(lesson).tolist() == ["weather"] * count
    asked = [*texts[:40], "a thaw after frost", "goal", ""]
    scores = later.decision_function(asked)
    memory = later.memory
    views = memory.buckets.views(memory._totals(later._question()), rows_of(later, asked), None, 1)
    views = views.reshape(len(asked), len(memory.weights), -1)
    usual = np.einsum("svc,v->sc", views, memory.weights)
    ahead = scores[:, :4].max(axis=1) - usual[:, :4].max(axis=1)
    for code, texts_of in ((4, count), (5, 1)):
        expected = ahead + usual[:, code] + memory.later * min(1, 32 / texts_of)
        np.testing.assert_allclose(scores[:, code], expected, atol=1e-9)
    why = later.explain("a thaw after frost")
    assert why.label == "weather"
    evidence = sum(share.evidence for share in why.tokens) + why.prior
    assert evidence == pytest.approx(why.evidence, abs=1e-12)
    assert why.evidence == pytest.approx(scores[40].max(), abs=1e-12)
    margin = sum(share.evidence_margin for share in why.tokens) + why.prior_margin
    assert margin == pytest.approx(why.evidence_margin, abs=1e-12)
    assert margin == pytest.approx(np.diff(np.sort(scores[40])[-2:])[0], abs=1e-12)


def test_classes_that_were_fitted_do_not_heed_later_ones(taught):
    model, texts, _ = taught
    with_bias = deepcopy(model).learn(["frost"], ["weather"])
    without = TextClassifier.of_memory("bayes", replace(with_bias.memory, later=0.0))
    np.testing.assert_array_equal(
        with_bias.decision_function(texts)[:, :4], without.decision_function(texts)[:, :4]
    )


def test_the_bias_is_kept(taught, tmp_path):
    model, texts, _ = taught
    later = model.memory.later
    assert model.chosen_["bias of later classes"] == later
    model.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model")
    assert loaded.memory.later == later
    assert pickle.loads(pickle.dumps(model)).memory.later == later
    small = TextClassifier().learn(["frost"], ["weather"])
    assert small.memory.later == 0
    for merged in (deepcopy(small).merge(model), deepcopy(model).merge(small)):
        assert merged.memory.later == later
        asked = [*texts[:20], "frost and thaw"]
        np.testing.assert_array_equal(
            merged.decision_function(asked),
            deepcopy(model).learn(["frost"], ["weather"]).decision_function(asked),
        )


@pytest.mark.parametrize("wrong", [-5.5, 5.5, np.nan, np.inf])
def test_a_bias_out_of_range_is_refused(taught, tmp_path, wrong):
    taught[0].save(tmp_path / "model")
    model = read_model(tmp_path / "model", "TextClassifier")
    scale = model.arrays["scale"].copy()
    assert scale[1] == taught[0].memory.later
    scale[1] = wrong
    write_model(
        tmp_path / "wrong", "TextClassifier", model.settings, {**model.arrays, "scale": scale}, {}
    )
    with pytest.raises(ModelFileError, match="bias of later classes"):
        TextClassifier.load(tmp_path / "wrong")


def test_few_examples_give_no_lessons():
    texts, labels = confusable(size=38)
    labels = [f"{label}{i % 8}" for i, label in enumerate(labels)]
    assert max(map(labels.count, set(labels))) == 19
    memory = TextClassifier().fit(texts, labels).memory
    assert not np.isnan(memory.biases).any()
    assert memory.later == 0
