"""Laws of what a classifier learns into, for every kind of memory.

A new kind is one more line in MEMORIES.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from addhash.errors import ExampleError
from addhash.files.parts import Parts
from addhash.learning.class_sums import ClassSums
from addhash.learning.examples import Examples
from addhash.learning.memory import Keeping, Question
from addhash.learning.token_counts import TokenCounts
from addhash.runtime import native

WIDTH = 6
MEMORIES = {
    "examples": (Examples, Keeping()),
    "examples and texts": (Examples, Keeping(texts=True)),
    "examples in order": (Examples, Keeping(order=True)),
    "class sums": (ClassSums, Keeping()),
    "token counts": (TokenCounts, Keeping(smoothing=0.25)),
}
KEEPS_HISTORY = {"examples in order"}

vectors = st.lists(st.integers(-40, 40), min_size=WIDTH, max_size=WIDTH).filter(any)
example = st.tuples(vectors, st.sampled_from("abc"), st.sampled_from(["x", "y", "ü"]))
histories = st.lists(example, min_size=1, max_size=10)
laws = settings(deadline=None, max_examples=40)


@pytest.fixture(params=MEMORIES, scope="module")
def name(request):
    return request.param


def empty(name):
    kind, keeping = MEMORIES[name]
    return kind.empty(WIDTH, keeping)


def formed(memory, X):
    """Return vectors in the form that a memory learns."""
    X = np.array(X, np.int64)
    if not isinstance(memory, TokenCounts):
        return X
    starts = np.arange(0, X.size + 1, WIDTH)
    return native.token_rows_of_csr(
        starts, np.tile(np.arange(WIDTH), len(X)), np.abs(X).ravel(), WIDTH
    )


def split(memory, examples):
    X, y, texts = zip(*examples, strict=True)
    return formed(memory, X), np.array(y), list(texts)


def learnt(memory, examples):
    if not examples:
        return memory
    return memory.learn(*split(memory, examples), threads=1)


def bits(array):
    return array.dtype.str, array.shape, array.tobytes()


def content(memory):
    return {key: bits(array) for key, array in memory.parts().items()}


def answers(memory, examples):
    X = formed(memory, [*(vector for vector, _, _ in examples), *np.eye(WIDTH)])
    question = Question(n_nearest=3, n_neighbors=3, weights="uniform")
    found = memory.compare(X, question)
    return {
        "classes": memory.classes.labels.tolist(),
        "counts": memory.classes.counts.tolist(),
        "winners": memory.classes.labels[found.winners].tolist(),
        "scores": bits(found.scores),
        "others": bits(found.runners_up),
        "other scores": bits(found.runner_up_scores),
        "nearest": bits(found.nearest_scores),
        "decisions": bits(memory.decisions(X, question)),
        "shares": bits(memory.probabilities(X, question)),
    }


def assert_same(a, b, examples):
    assert content(a) == content(b)
    assert answers(a, examples) == answers(b, examples)


@laws
@given(examples=histories, random=st.randoms(use_true_random=False))
def test_order_and_parts_make_no_difference(name, examples, random):
    whole = learnt(empty(name), examples)
    cut = random.randrange(len(examples) + 1)
    assert_same(learnt(learnt(empty(name), examples[:cut]), examples[cut:]), whole, examples)
    if name in KEEPS_HISTORY:
        return
    shuffled = examples.copy()
    random.shuffle(shuffled)
    one_by_one = empty(name)
    for each in shuffled:
        one_by_one = learnt(one_by_one, [each])
    assert_same(one_by_one, whole, examples)


@laws
@given(examples=histories, more=histories)
def test_merging_is_learning(name, examples, more):
    one, two = learnt(empty(name), examples), learnt(empty(name), more)
    assert_same(one.merge(two), learnt(empty(name), examples + more), examples + more)
    if name not in KEEPS_HISTORY:
        assert_same(one.merge(two), two.merge(one), examples + more)


@laws
@given(examples=histories, more=histories, random=st.randoms(use_true_random=False))
def test_forgetting_takes_back_learning(name, examples, more, random):
    once = learnt(empty(name), examples)
    unwanted = more.copy()
    random.shuffle(unwanted)
    both = learnt(once, more)
    assert_same(both.forget(*split(both, unwanted), threads=1), once, examples)
    for each in unwanted:
        both = both.forget(*split(both, [each]), threads=1)
    assert_same(both, once, examples)


@laws
@given(examples=histories, more=histories)
def test_a_memory_never_changes(name, examples, more):
    memory = learnt(empty(name), examples)
    before, answered = content(memory), answers(memory, examples)
    later = learnt(memory, more)
    other = learnt(memory, more[::-1])
    memory.merge(later)
    memory.declare(np.array(["z"]))
    memory.forget(*split(memory, examples[:1]), threads=1)
    assert content(memory) == before
    assert answers(memory, examples) == answered
    assert_same(learnt(memory, more), later, examples)
    assert_same(learnt(memory, more[::-1]), other, examples)


@laws
@given(examples=histories)
def test_restricting_is_never_having_learnt_the_rest(name, examples):
    memory = learnt(empty(name), examples)
    for classes in ({"a"}, {"b", "c"}):
        kept = [each for each in examples if each[1] in classes]
        if kept:
            known = np.array(sorted({label for _, label, _ in kept}))
            assert_same(memory.restrict(known), learnt(empty(name), kept), examples)


@laws
@given(examples=histories)
def test_parts_are_the_whole(name, examples):
    memory = learnt(empty(name), examples)
    kind, keeping = MEMORIES[name]
    parts = Parts(memory.parts())
    again = kind.from_parts(parts, WIDTH, keeping)
    parts.finish()
    assert_same(again, memory, examples)
    assert_same(learnt(again, examples), learnt(memory, examples), examples)
    assert_same(again.merge(memory), memory.merge(memory), examples)


@laws
@given(examples=histories)
def test_what_was_not_learnt_cannot_be_forgotten(name, examples):
    memory = learnt(empty(name), examples)
    for unwanted in (
        [(examples[0][0], "z", examples[0][2])],
        [*examples, examples[0]],
    ):
        with pytest.raises(ExampleError, match="nothing was forgotten"):
            memory.forget(*split(memory, unwanted), threads=1)
    assert_same(memory, learnt(empty(name), examples), examples)


@laws
@given(examples=histories)
def test_declared_classes_stay_and_never_win(name, examples):
    memory = learnt(empty(name).declare(np.array(["q"])), examples)
    assert "q" in memory.classes.labels.tolist()
    assert memory.classes.counts[memory.classes.labels.tolist().index("q")] == 0
    assert "q" not in answers(memory, examples)["winners"]
    bare = memory.forget(*split(memory, examples), threads=1)
    assert bare.classes.labels.tolist() == ["q"]
    assert bare.classes.counts.tolist() == [0]


@laws
@given(examples=histories)
def test_answers_do_not_depend_on_threads_or_batches(name, examples):
    memory = learnt(empty(name), examples)
    X = split(memory, examples)[0]
    whole = memory.compare(X, Question(threads=1))
    threads = memory.compare(X, Question(threads=3))
    assert whole.scores.tolist() == threads.scores.tolist()
    assert whole.winners.tolist() == threads.winners.tolist()
    for i, (vector, _, _) in enumerate(examples):
        single = memory.compare(formed(memory, [vector]), Question())
        assert single.winners[0] == whole.winners[i]
        assert single.scores[0] == whole.scores[i]


def test_texts_stay_beside_their_examples():
    kind, keeping = MEMORIES["examples and texts"]
    one = kind.empty(WIDTH, keeping).learn(np.eye(WIDTH, dtype=int)[:2], np.array(["b", "a"]),
                                           ["first", "second"], 1)  # fmt: skip
    two = kind.empty(WIDTH, keeping).learn(np.eye(WIDTH, dtype=int)[2:4], np.array(["c", "a"]),
                                           ["third", "fourth"], 1)  # fmt: skip
    for merged in (one.merge(two), two.merge(one)):
        found = merged.compare(np.eye(WIDTH, dtype=int)[:4], Question())
        texts = [merged.example(int(row[0])) for row in found.nearest]
        assert [text for _, text in texts] == ["first", "second", "third", "fourth"]
        assert [merged.classes.labels[code] for code, _ in texts] == ["b", "a", "c", "a"]
