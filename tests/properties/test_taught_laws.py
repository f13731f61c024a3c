"""What is taught is believed: a text of a new class gets its label, whatever was known before."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from addhash import TextClassifier

METHODS = ["bayes", "nearest", "centroid"]
words = st.sampled_from(
    ["rain", "wind", "Oslo", "vote", "goal", "bank", "a", "the", "of", "ß", "日本"]
)
texts = st.lists(words, min_size=1, max_size=8).map(" ".join)
examples = st.lists(st.tuples(texts, st.sampled_from("abc")), min_size=1, max_size=20)


@st.composite
def histories(draw):
    """Steps that leave something known: examples that are learnt, and which are forgotten."""
    steps = draw(st.lists(st.tuples(examples, st.booleans()), min_size=1, max_size=4))
    return [(step, is_forgotten and i > 0) for i, (step, is_forgotten) in enumerate(steps)]


@pytest.mark.parametrize("method", METHODS)
@settings(deadline=None, max_examples=40)
@given(histories(), st.integers(1, 8), texts)
def test_a_text_of_a_new_class_gets_its_label(method, history, times, text):
    model, known = TextClassifier(method, n_jobs=1), set()
    for number, (step, is_forgotten) in enumerate(history):
        asked, labels = zip(*step * times, strict=True)
        if number:
            model.learn(asked, labels)
        else:
            model.fit(asked, labels)
        if is_forgotten:
            model.forget(asked, labels)
        else:
            known |= set(asked)
    # Texts that look the same to a method are another matter: "rain" and "rain rain" have one
    # direction and one set of words.
    if text in known or method != "bayes":
        text += " never before"
    model.learn([text], ["new"])
    assert model.predict([text]).tolist() == ["new"]
