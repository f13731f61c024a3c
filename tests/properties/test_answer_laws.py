"""Laws over answers: what a model says depends on the examples it knows, not on its history.

After any history of learning, forgetting, merging, declaring, restricting, saving and loading,
every answer equals that of the model in its file, that of a model that learnt the same examples at
once, and, for cosines, that of the slow oracle. The scores of a fresh "bayes" model are compared
with its oracle in tests/unit/learning/test_token_counts.py.
"""

import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from addhash import TextClassifier
from addhash.hashing.vectorizer import TextVectorizer
from tests import oracle

WIDTH = 64
METHODS = {
    "bayes": {"n_buckets": 61, "smoothing": 0.25},
    "bayes without priors": {"n_buckets": 2**20, "smoothing": 1.0, "fit_prior": False},
    "nearest": {},
    "nearest with texts": {"keep_texts": True, "n_neighbors": 3},
    "centroid": {},
}
POOL = ["a rose is a rose", "is a rose", "to be", "be", "", "zz zz zz", "übel", "a  b\tc", "o" * 40]
LABELS = ["x", "y", "z"]
ASKED = [*POOL, "to be a rose", "unseen words", "zz"]

example = st.tuples(st.sampled_from(POOL), st.sampled_from(LABELS))
examples = st.lists(example, min_size=1, max_size=5)
step = st.one_of(
    st.tuples(st.just("learn"), examples),
    st.tuples(st.just("merge"), examples),
    st.tuples(st.just("forget"), st.integers(1, 6)),
    st.tuples(st.just("declare"), st.sampled_from([["q"], ["x"], ["a", "z"]])),
    st.tuples(st.just("restrict"), st.integers(1, 3)),
    st.tuples(st.just("save"), st.none()),
)


def unfitted(name):
    method = name.split()[0]
    vectorizer = TextVectorizer(
        analyzer="char", ngram_range=(1, 3), n_features=WIDTH, norm=None, dtype=np.int32
    )
    return TextClassifier(method, vectorizer=vectorizer, n_jobs=1, **METHODS[name])


def learnt(name, known, declared=()):
    return unfitted(name).partial_fit(
        [text for text, _ in known], [label for _, label in known], sorted(declared) or None
    )


def made(name, history, random):
    """Return a model with a history, the examples it knows, and the classes that were declared."""
    known = [("to be", "x"), ("zz zz zz", "y")]
    declared = set()
    model = learnt(name, known)
    for what, how in history:
        if what == "learn":
            model.learn([text for text, _ in how], [label for _, label in how])
            known += how
        elif what == "merge":
            model.merge(learnt(name, how))
            known += how
        elif what == "forget":
            gone = [known.pop(random.randrange(len(known))) for _ in range(min(how, len(known)))]
            model.forget([text for text, _ in gone], [label for _, label in gone])
        elif what == "declare":
            model.partial_fit([], [], how)
            declared |= set(how)
        elif what == "restrict":
            classes = model.classes_.tolist()
            kept = random.sample(classes, min(how, len(classes))) if classes else []
            if kept:
                model = model.restricted(kept)
                known = [each for each in known if each[1] in kept]
                declared &= set(kept)
        else:
            model = TextClassifier.from_bytes(model.to_bytes())
    return model, known, declared


def answers(model):
    explained = [model.explain(text) for text in ASKED[:2]]
    return {
        "classes": model.classes_.tolist(),
        "counts": model.class_counts_.tolist(),
        "labels": model.predict(ASKED).tolist(),
        "scores": [tuple(each) for each in model.predict_scores(ASKED, n_nearest=2)],
        "decisions": model.decision_function(ASKED).tolist(),
        "probabilities": model.predict_proba(ASKED).tolist(),
        "shares": [[tuple(share) for share in each.tokens] for each in explained],
        "evidence": [(each.evidence, each.evidence_margin, each.prior) for each in explained],
    }


@pytest.mark.parametrize("name", METHODS)
@settings(deadline=None, max_examples=12)
@given(history=st.lists(step, max_size=6), random=st.randoms(use_true_random=False))
def test_answers_depend_on_the_known_examples_alone(name, history, random):
    model, known, declared = made(name, history, random)
    assert dict(zip(model.classes_.tolist(), model.class_counts_.tolist(), strict=True)) == {
        label: sum(own == label for _, own in known)
        for label in {label for _, label in known} | declared
    }
    if not known:
        return
    found = answers(model)
    np.testing.assert_equal(answers(TextClassifier.from_bytes(model.to_bytes())), found)
    fresh = learnt(name, known, declared)
    np.testing.assert_equal(answers(fresh), found)
    assert fresh.digest() == model.digest()
    model.learn(["one more"], ["y"])
    np.testing.assert_equal(answers(model), answers(fresh.learn(["one more"], ["y"])))


def test_a_class_whose_texts_have_no_tokens_is_left_alone():
    model = unfitted("bayes").learn(["", "some tokens"], ["x", "y"]).forget(["some tokens"], ["y"])
    assert model.predict(["some tokens", ""]).tolist() == ["x", "x"]
    np.testing.assert_equal(answers(model), answers(learnt("bayes", [("", "x")])))


@cache
def vector(text):
    text = re.sub(r"\s\s+", " ", text.lower())
    tokens = [text[i : i + n] for n in (1, 2, 3) for i in range(len(text) - n + 1)]
    return oracle.sums(tokens, WIDTH).astype(float)


def cosine(a, b):
    size = np.sqrt(a @ a) * np.sqrt(b @ b)
    return a @ b / size if size else 0.0


@pytest.mark.parametrize("name", ["nearest", "centroid"])
@settings(deadline=None, max_examples=8)
@given(history=st.lists(step, max_size=6), random=st.randoms(use_true_random=False))
def test_cosines_are_those_of_the_oracle(name, history, random):
    model, known, _ = made(name, history, random)
    if not known:
        return
    for text, found in zip(ASKED, model.predict_scores(ASKED), strict=True):
        query = vector(text)
        best = {}
        for label in {label for _, label in known}:
            own = [vector(each) for each, other in known if other == label]
            rows = own if name == "nearest" else [sum(own)]
            best[label] = max(cosine(query, row) for row in rows)
        ranked = sorted(best.values(), reverse=True)
        assert found.score == pytest.approx(ranked[0], abs=1e-12)
        assert best[found.label] == pytest.approx(ranked[0], abs=1e-12)
        if len(ranked) > 1:
            assert found.margin == pytest.approx(ranked[0] - ranked[1], abs=1e-12)
            why = model.explain(text)
            assert why.evidence == pytest.approx(found.score, abs=1e-12)
            assert why.evidence_margin == pytest.approx(found.margin, abs=1e-12)
