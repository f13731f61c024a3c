import random
from collections import Counter

from addhash.learning.tuning_sample import MOST_EXAMPLES, TuningSample, tuning_sample

SIZES = {"rare": 3, "some": 40, "many": 400, "most": 9000}
LABELS = [label for label, size in SIZES.items() for _ in range(size)]
TEXTS = [f"text {i}" for i in range(len(LABELS))]


def test_classes_have_as_many_examples_as_others_as_far_as_they_go():
    chosen = tuning_sample(TEXTS, LABELS, 243)
    assert len(set(chosen)) == 243
    assert Counter(LABELS[i] for i in chosen) == {"rare": 3, "some": 40, "many": 100, "most": 100}


def test_all_are_chosen_if_there_are_few():
    assert sorted(tuning_sample(TEXTS[:50], LABELS[:50], 50)) == list(range(50))


def test_order_and_parts_do_not_matter():
    drawn = random.Random(0)
    pairs = list(zip(TEXTS, LABELS, strict=True))
    whole = TuningSample()
    whole.add(TEXTS, LABELS)
    assert len(whole.texts) == MOST_EXAMPLES
    drawn.shuffle(pairs)
    parts = TuningSample()
    while pairs:
        size = drawn.randint(1, 2000)
        parts.add(*zip(*pairs[:size], strict=True))
        del pairs[:size]
    assert (parts.texts, parts.labels) == (whole.texts, whole.labels)
