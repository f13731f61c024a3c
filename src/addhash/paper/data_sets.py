"""The data sets of the paper: texts and their labels."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.paper.catalogue import SMS, WILI
from addhash.paper.data_source import DataSource
from addhash.paper.progress import Tick, unheard

HEAD_LINES = 11_750
# The languages of subset-21; bos, hrv and srp are nearly the same language.
SUBSET = [
    *("ara", "arz", "bos", "dan", "deu", "eng", "fas", "fin", "fra", "hin", "hrv", "ita", "nld"),
    *("pol", "rus", "spa", "srp", "swe", "tur", "urd", "zho"),
]


class Messages(NamedTuple):
    """The SMS Spam Collection."""

    texts: list[str]
    is_spam: npt.NDArray[np.bool_]

    def all_and_firsts(self) -> npt.NDArray[np.bool_]:
        """Return two rows: every message, and the first of each that occurs again."""
        first = {text: i for i, text in reversed(list(enumerate(self.texts)))}
        is_first = [first[text] == i for i, text in enumerate(self.texts)]
        return np.array([np.ones(len(self.texts), bool), is_first])


class Paragraphs(NamedTuple):
    """Paragraphs of WiLI-2018 and the codes of their languages."""

    texts: list[str]
    labels: npt.NDArray[np.str_]


class Split(NamedTuple):
    """The official split of WiLI-2018, or a part of it."""

    known: Paragraphs
    asked: Paragraphs


def load_messages(files: DataSource, tick: Tick = unheard) -> Messages:
    """Load the SMS Spam Collection."""
    rows = [line.split("\t", 1) for line in _lines(files.read(SMS, tick))]
    return Messages([text for _, text in rows], np.array([label == "spam" for label, _ in rows]))


def load_full(files: DataSource, tick: Tick = unheard) -> Split:
    """Load all of WiLI-2018."""
    return Split(
        _paragraphs(files, "x_train.txt", "y_train.txt", tick),
        _paragraphs(files, "x_test.txt", "y_test.txt", tick),
    )


def load_head(files: DataSource, tick: Tick = unheard) -> Paragraphs:
    """Load the first 11,750 paragraphs of WiLI-2018's training part, in all 235 languages."""
    if _is_cut_from_whole(files, "head-235/x.txt", "x_train.txt"):
        known = load_full(files, tick).known
        return Paragraphs(known.texts[:HEAD_LINES], known.labels[:HEAD_LINES])
    return _paragraphs(files, "head-235/x.txt", "head-235/y.txt", tick)


def load_subset(files: DataSource, tick: Tick = unheard) -> Split:
    """Load the official split of 21 languages, 500 + 500 paragraphs each."""
    if _is_cut_from_whole(files, "subset-21/x_train.txt", "x_train.txt"):
        known, asked = load_full(files, tick)
        return Split(_of_subset(known), _of_subset(asked))
    part = "subset-21/{}.txt".format
    return Split(
        _paragraphs(files, part("x_train"), part("y_train"), tick),
        _paragraphs(files, part("x_test"), part("y_test"), tick),
    )


def _is_cut_from_whole(files: DataSource, part: str, whole: str) -> bool:
    file = WILI[whole]
    return not files.has(WILI[part]) and (files.has(file) or files.can_download(file))


def _of_subset(paragraphs: Paragraphs) -> Paragraphs:
    chosen = np.flatnonzero(np.isin(paragraphs.labels, SUBSET))
    return Paragraphs([paragraphs.texts[i] for i in chosen], paragraphs.labels[chosen])


def _paragraphs(files: DataSource, texts: str, labels: str, tick: Tick) -> Paragraphs:
    return Paragraphs(
        _lines(files.read(WILI[texts], tick)),
        np.array(_lines(files.read(WILI[labels], tick))),
    )


def _lines(content: bytes) -> list[str]:
    # Texts contain other line separators, at which splitlines would break them.
    return content.decode("utf-8").removesuffix("\n").split("\n")
