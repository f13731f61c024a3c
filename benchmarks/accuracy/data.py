"""The data sets, and how each is parted into what is learnt and what is asked."""

import lzma
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from addhash import HashingVectorizer
from benchmarks import harness

Positions = npt.NDArray[np.int64]
BUCKETS = 2**20
# The n-grams that scikit-learn's methods get.
NGRAMS: dict[str, dict[str, Any]] = {
    "words": {"analyzer": "word", "ngram_range": (1, 2)},
    "characters": {"analyzer": "char_wb", "ngram_range": (2, 5)},
}
ESCAPES = {"\\n": "\n", "\\t": "\t", "\\r": "\r", "\\\\": "\\"}
SPLITS = 5


class Texts:
    """Texts, and how often each has each n-gram, which is counted once for all splits."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = list(texts)
        self._counts: dict[str, Any] = {}
        self._positions: Positions | None = None
        self._whole: Texts = self

    def counts(self, kind: str) -> Any:
        """Return the counts of words or of characters, as scikit-learn's vectorizer has them."""
        if self._positions is not None:
            return self._whole.counts(kind)[self._positions]
        if kind not in self._counts:
            vectorizer = HashingVectorizer(
                **NGRAMS[kind],
                n_features=BUCKETS,
                alternate_sign=False,
                norm=None,
                dtype=np.float32,
                n_jobs=1,
            )
            self._counts[kind] = vectorizer.transform(self.texts)
        return self._counts[kind]

    def part(self, positions: Positions) -> Self:
        """Return some of the texts."""
        part = type(self)([self.texts[i] for i in positions])
        part._whole, part._positions = self, positions
        return part


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
    return Task(Texts(texts), labels, random_splits(len(texts), 0.8, SPLITS))


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
    return Task(Texts([text for _, text in rows]), labels, random_splits(len(rows), 0.5, 10))


def udhr() -> Task:
    """Five folds; languages with fewer than five paragraphs are left out."""
    rows = [line.split("\t") for line in harness.lines("udhr/paragraphs.tsv")[1:]]
    labels = np.array([row[0] for row in rows])
    _, numbers, counts = np.unique(labels, return_inverse=True, return_counts=True)
    kept = np.flatnonzero(counts[numbers] >= 5)
    order = np.random.default_rng(0).permutation(kept)
    folds = [np.sort(order[i::SPLITS]) for i in range(SPLITS)]
    splits = [Split(np.setdiff1d(kept, fold), fold) for fold in folds]
    return Task(Texts([row[3] for row in rows]), labels, splits)


def classification(
    name: str, is_official: bool, label_of: Callable[[str], str] = str
) -> Callable[[], Task]:
    """Return a set with an official split, or with the split of its file and random ones."""

    def read() -> Task:
        path = harness.data_folder() / "classification" / f"{name}.tsv.xz"
        with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
            rows = [line.removesuffix("\n").split("\t") for line in file]
        rows = [row for row in rows if row[0] in ("train", "test")]
        is_test = np.array([row[0] == "test" for row in rows])
        splits = [Split(np.flatnonzero(~is_test), np.flatnonzero(is_test))]
        if not is_official:
            splits += random_splits(len(rows), 0.8, SPLITS - 1)
        labels = np.array([label_of(row[1]) for row in rows])
        return Task(Texts([_unescaped(row[2]) for row in rows]), labels, splits)

    return read


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    pieces, start = [], 0
    while (at := text.find("\\", start)) >= 0:
        pieces += [text[start:at], ESCAPES[text[at : at + 2]]]
        start = at + 2
    return "".join([*pieces, text[start:]])


TASKS: dict[str, Callable[[], Task]] = {
    "trec": cache(classification("trec", True, lambda label: label.split(":")[0])),
    "trec-50": cache(classification("trec", True)),
    "subj": cache(classification("subj", False)),
    "polarity": cache(classification("polarity", False)),
    "reviews": cache(classification("reviews", False)),
    "names": cache(classification("names", False)),
    "afri": cache(classification("afri", True)),
    "pcmnews": cache(classification("pcmnews", True)),
    "sms": cache(sms),
    "subset-21": cache(subset_21),
    "few": cache(few),
    "head-235": cache(head_235),
    "udhr": cache(udhr),
}
