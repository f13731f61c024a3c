"""The data sets, and how each is parted into what is learnt and what is asked."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from addhash import HashingVectorizer
from benchmarks import harness

Positions = npt.NDArray[np.int64]
NGRAMS = (1, 5)
BUCKETS = 2**20


class Texts:
    """Texts, and how often each has each n-gram: what scikit-learn's methods are given."""

    def __init__(self, texts: Sequence[str], counts: Any = None) -> None:
        self.texts = list(texts)
        self._counts = counts

    @cached_property
    def counts(self) -> Any:
        if self._counts is not None:
            return self._counts
        vectorizer = HashingVectorizer(
            analyzer="char",
            ngram_range=NGRAMS,
            n_features=BUCKETS,
            alternate_sign=False,
            norm=None,
            dtype=np.float32,
        )
        return vectorizer.transform(self.texts)

    def part(self, positions: Positions, with_counts: bool) -> Self:
        counts = self.counts[positions] if with_counts else None
        return type(self)([self.texts[i] for i in positions], counts)


class Split(NamedTuple):
    known: Positions
    asked: Positions


class Task(NamedTuple):
    """A data set with its labels and its splits."""

    texts: Texts
    labels: npt.NDArray[Any]
    splits: list[Split]


def random_splits(count: int, share: float, times: int) -> list[Split]:
    splits = []
    for seed in range(times):
        order = np.random.default_rng(seed).permutation(count)
        splits.append(Split(order[: int(share * count)], order[int(share * count) :]))
    return splits


def head_235() -> Task:
    texts = harness.wili("head-235/x.txt")
    labels = np.array(harness.wili("head-235/y.txt"))
    return Task(Texts(texts), labels, random_splits(len(texts), 0.8, 10))


def subset_21() -> Task:
    """The official split."""
    known, asked = (harness.wili(f"subset-21/x_{part}.txt") for part in ("train", "test"))
    labels = [*harness.wili("subset-21/y_train.txt"), *harness.wili("subset-21/y_test.txt")]
    split = Split(np.arange(len(known)), len(known) + np.arange(len(asked)))
    return Task(Texts([*known, *asked]), np.array(labels), [split])


def few() -> Task:
    """The official split, where every fourth language keeps its first five texts."""
    task = subset_21()
    known, asked = task.splits[0]
    labels = task.labels[known]
    kept = np.ones(len(known), bool)
    for label in np.unique(labels)[::4]:
        kept[np.flatnonzero(labels == label)[5:]] = False
    return Task(task.texts, task.labels, [Split(known[kept], asked)])


def sms() -> Task:
    """Random halves."""
    rows = [line.split("\t", 1) for line in harness.lines("sms-spam/SMSSpamCollection")]
    labels = np.array([label for label, _ in rows])
    return Task(Texts([text for _, text in rows]), labels, random_splits(len(rows), 0.5, 100))


def udhr() -> Task:
    """Five folds; languages with fewer than five paragraphs are left out."""
    rows = [line.split("\t") for line in harness.lines("udhr/paragraphs.tsv")[1:]]
    labels = np.array([row[0] for row in rows])
    _, numbers, counts = np.unique(labels, return_inverse=True, return_counts=True)
    kept = np.flatnonzero(counts[numbers] >= 5)
    order = np.random.default_rng(0).permutation(kept)
    folds = [np.sort(order[i::5]) for i in range(5)]
    splits = [Split(np.setdiff1d(kept, fold), fold) for fold in folds]
    return Task(Texts([row[3] for row in rows]), labels, splits)


TASKS = {"head-235": head_235, "subset-21": subset_21, "few": few, "sms": sms, "udhr": udhr}
