"""How well a change of language is found inside a text, and how often one is found where none is.

Texts are two sentences of the news in different languages, one after the other, or parts of so
many words of them; and single sentences, which must not be split.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from addhash import languages
from benchmarks.detector_texts import everyday, merged, news

TEXTS = 300
# Words of each part; None for the whole sentence.
LENGTHS = (4, 8, None)
NEAR = 2  # words


def _sentences(codes: set[str]) -> list[tuple[str, str]]:
    texts, labels = news()
    return [(t, c) for t, c in zip(texts, labels, strict=True) if c in codes and " " in t.strip()]


def _concatenated(length: int | None, codes: set[str]) -> Iterator[tuple[str, int, str, str]]:
    """Yield texts, where the second part begins, and the languages of both."""
    rng = np.random.default_rng(length or 0)
    sentences = _sentences(codes)
    made = 0
    while made < TEXTS:
        (one, first), (two, second) = (sentences[i] for i in rng.integers(len(sentences), size=2))
        if merged(first) == merged(second):
            continue
        before, after = " ".join(one.split()[:length]), " ".join(two.split()[:length])
        made += 1
        yield f"{before} {after}", len(before) + 1, first, second


def _is_near(text: str, found: int, border: int) -> bool:
    low, high = sorted((found, border))
    return len(text[low:high].split()) <= NEAR


def _row(data: str, length: int | None, codes: set[str], own: bool) -> dict[str, Any]:
    allowed = sorted(codes) if own else None
    borders = labels = exact = 0
    for text, border, first, second in _concatenated(length, codes):
        parts = languages.segments(text, allowed)
        near = [part for part in parts[1:] if _is_near(text, part.start, border)]
        borders += bool(near)
        exact += len(parts) == 2 and bool(near)
        labels += [merged(part.code) for part in parts] == [merged(first), merged(second)]
    sentences = [" ".join(text.split()[:length]) for text, _ in _sentences(codes)][:: len(codes)]
    split = sum(len(languages.segments(text, allowed)) > 1 for text in sentences)
    return {
        "data": data,
        "words of each part": length,
        "texts": TEXTS,
        "border found": borders / TEXTS,
        "and no other": exact / TEXTS,
        "both languages right": labels / TEXTS,
        "one language": len(sentences),
        "split": split / len(sentences),
    }


def run() -> list[dict[str, Any]]:
    codes = {code for code in everyday()[1] if code not in ("zho", "jpn")}
    rows = []
    for length in LENGTHS:
        rows.append(_row("news", length, codes, own=False))
        rows.append(_row("news, of its languages", length, codes, own=True))
    return rows
