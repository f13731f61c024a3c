"""Texts in known languages on which detectors are compared; none is in the model.

"everyday" are 200 phrases in 20 languages, written before the model was made; "news" is NTREX-128,
of which every label that can be mapped is asked; "Wikipedia" is the official test part of 21
languages of WiLI-2018. One and two words are drawn from the sentences of the news at random.
"""

import lzma
from functools import cache
from pathlib import Path

import numpy as np

from addhash import languages
from addhash.languages.codes import MACROLANGUAGES, wili_code
from benchmarks import harness

Texts = tuple[list[str], list[str]]

EVERYDAY = Path(__file__).parent / "texts" / "everyday.tsv"
NEWS = "languages-test/ntrex.tsv.xz"
# Every so many sentences of the news, and paragraphs of Wikipedia.
EACH_NEWS, EACH_PARAGRAPH = 4, 5
# Counted as one: no text tells the members apart reliably.
ONE = {"bos": "hbs", "hrv": "hbs", "srp": "hbs", "cnr": "hbs", "arz": "ara"}


def merged(code: str | None) -> str | None:
    """Return a code, or that of the languages it is counted with."""
    return None if code is None else ONE.get(code, code)


@cache
def usual() -> frozenset[str]:
    """Return the codes that the detector answers with by default."""
    return frozenset(known.code for known in languages.known() if known.tier == "usual")


def everyday() -> Texts:
    rows = [line.split("\t") for line in EVERYDAY.read_text(encoding="utf-8").splitlines()]
    return [text for _, text in rows], [code for code, _ in rows]


@cache
def news() -> Texts:
    """Return sentences of the news in the languages that addhash knows."""
    content = lzma.decompress((harness.data_folder() / NEWS).read_bytes()).decode()
    texts, codes = [], []
    for i, line in enumerate(content.removesuffix("\n").split("\n")):
        label, text = line.split("\t")
        code = label.partition("-")[0]
        code = MACROLANGUAGES.get(code, code)
        if i % EACH_NEWS == 0 and code in usual():
            texts.append(text)
            codes.append(code)
    return texts, codes


def words_of_news(count: int) -> Texts:
    """Return so many words of each sentence of the news, those without letters left out."""
    rng = np.random.default_rng(count)
    texts, codes = [], []
    for text, code in zip(*news(), strict=True):
        words = [word for word in text.split() if sum(map(str.isalpha, word)) >= 3]
        if len(words) > count:
            start = int(rng.integers(len(words) - count))
            texts.append(" ".join(words[start : start + count]))
            codes.append(code)
    return texts, codes


def wikipedia() -> Texts:
    texts, labels = harness.wili("subset-21/x_test.txt"), harness.wili("subset-21/y_test.txt")
    codes = list(map(wili_code, labels))
    return texts[::EACH_PARAGRAPH], codes[::EACH_PARAGRAPH]


def head_235() -> Texts:
    """Return the paragraphs of head-235 in the languages that addhash knows."""
    texts, labels = harness.wili("head-235/x.txt"), harness.wili("head-235/y.txt")
    pairs = [(t, wili_code(x)) for t, x in zip(texts, labels, strict=True)]
    pairs = [pair for pair in pairs if pair[1] in usual()][::EACH_PARAGRAPH]
    return [text for text, _ in pairs], [code for _, code in pairs]


def all_sets() -> dict[str, Texts]:
    return {
        "everyday": everyday(),
        "news": news(),
        "news, two words": words_of_news(2),
        "news, one word": words_of_news(1),
        "Wikipedia": wikipedia(),
    }
