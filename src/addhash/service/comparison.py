"""How two models label the same texts."""

from collections.abc import Sequence
from typing import Any

from addhash import TextClassifier
from addhash.service.version_messages import ComparedClass, Difference

MOST_DIFFERENCES = 200
SHOWN_TEXT = 2000


def answers_of(
    classifier: TextClassifier,
    texts: Sequence[str],
    labels: Sequence[Any] | None,
    is_known: Sequence[bool],
) -> list[Any]:
    """Return the label of each text; that of a known example as if it had never been learnt."""
    result: list[Any] = [None] * len(texts)
    known = [i for i, one in enumerate(is_known) if one]
    new = [i for i, one in enumerate(is_known) if not one]
    if known:
        assert labels is not None
        found = classifier.leave_one_out([texts[i] for i in known], [labels[i] for i in known])
        for i, answer in zip(known, found.answers.tolist(), strict=True):
            result[i] = answer
    if new and len(classifier.classes_):
        for i, one in zip(new, classifier.predict_scores([texts[i] for i in new]), strict=True):
            result[i] = one.label
    return result


def accuracy(labels: Sequence[Any] | None, answers: Sequence[Any]) -> float | None:
    """Return the share of right answers; None without texts or without their labels."""
    if not labels:
        return None
    right: int = sum(a == b for a, b in zip(labels, answers, strict=True))
    return right / len(labels)


def compared_classes(
    labels: Sequence[Any] | None, answers: Sequence[Any], others: Sequence[Any]
) -> list[ComparedClass]:
    """Return how many texts of each class each of the two labels correctly."""
    found: dict[Any, ComparedClass] = {}
    for label, answer, other in zip(labels or (), answers, others, strict=bool(labels)):
        one = found.setdefault(label, ComparedClass(label, 0, 0, 0))
        one.texts += 1
        one.right += answer == label
        one.other_right += other == label
    return sorted(found.values(), key=lambda one: str(one.label))


def differences(
    ids: Sequence[int | None],
    texts: Sequence[str],
    labels: Sequence[Any] | None,
    answers: Sequence[Any],
    others: Sequence[Any],
) -> tuple[int, list[Difference]]:
    """Return how many texts get two answers, and the first ones of them."""
    shown: list[Difference] = []
    count = 0
    truths = [None] * len(texts) if labels is None else labels
    for i, text, label, answer, other in zip(ids, texts, truths, answers, others, strict=True):
        if answer != other:
            count += 1
            if len(shown) < MOST_DIFFERENCES:
                shown.append(Difference(i, text[:SHOWN_TEXT], label, answer, other))
    return count, shown
