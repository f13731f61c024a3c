"""Edits of kept documents, against building the result from scratch."""

from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

import numpy as np

from addhash import AdditiveHashingVectorizer, DocumentHash, RollingHash
from benchmarks.harness import best_of, wili

TOKENS = 1_000_000
REPEATS = 20_000  # of an edit that takes microseconds
WINDOW = 1000


def words() -> list[str]:
    """A million words of many languages, as they come in the texts."""
    analyze = AdditiveHashingVectorizer().build_analyzer()
    found = [word for text in wili("head-235/x.txt") for word in analyze(text)]
    return list(islice(cycle(found), TOKENS))


def row(
    operation: str, data: str, seconds: float, peer: str, peer_seconds: float, floor: float | str
) -> dict[str, Any]:
    result = {
        "operation": operation,
        "data": data,
        "microseconds": seconds * 1e6,
        "peer": peer,
        "peer's microseconds": peer_seconds * 1e6,
        "ratio": peer_seconds / seconds,
        "floor": floor,
    }
    print(result, flush=True)
    return result


def repeated(function: Callable[[], Any]) -> float:
    """Return the time of one of many calls."""

    def run_all() -> None:
        for _ in range(REPEATS):
            function()

    return best_of(run_all, 5) / REPEATS


def token_rows(name: str, tokens: list[str], randomizer: str) -> list[dict[str, Any]]:
    document = DocumentHash(randomizer=randomizer).update(tokens)
    vectorizer = AdditiveHashingVectorizer(
        analyzer=_as_they_are, randomizer=randomizer, norm=None, dtype=np.int64, n_jobs=1
    )
    assert np.array_equal(document.sums, vectorizer.transform([tokens])[0])
    update = best_of(lambda: DocumentHash(randomizer=randomizer).update(tokens))
    transform = best_of(lambda: vectorizer.transform([tokens]))
    replace = repeated(lambda: document.replace("one", "another"))
    data = f"{name}, {randomizer}"
    return [
        row("replace", data, replace, "update of an empty document", update, 10_000),
        row("update", data, update, "AdditiveHashingVectorizer, 1 thread", transform, 0.9),
    ]


def _as_they_are(tokens: list[str]) -> list[str]:
    return tokens


def text_row(analyzer: str, text: str) -> dict[str, Any]:
    vectorizer = AdditiveHashingVectorizer(analyzer=analyzer, ngram_range=(1, 2), n_jobs=1)
    middle = text.index(" ", len(text) // 2)
    new = f"{text[:middle]} another{text[middle:]}"
    document = vectorizer.document(text)
    assert vectorizer.edit(document.copy(), text, new) == vectorizer.document(new)

    def there_and_back() -> None:
        vectorizer.edit(document, text, new)
        vectorizer.edit(document, new, text)

    edit = best_of(there_and_back) / 2
    rebuild = best_of(lambda: vectorizer.document(new))
    data = f"{len(text) / 1e6:.1f} million characters, {analyzer} (1, 2)"
    return row("edit of a text", data, edit, "document", rebuild, "")


def rolling_row(tokens: list[str]) -> dict[str, Any]:
    rolling = RollingHash(WINDOW)
    rolling.extend(tokens)
    stream = cycle(tokens)
    push = repeated(lambda: rolling.push(next(stream)))
    window = tokens[:WINDOW]
    rebuild = best_of(lambda: DocumentHash().update(window), 20)
    return row("push", f"a window of {WINDOW}", push, "update of an empty document", rebuild, "")


def run() -> list[dict[str, Any]]:
    natural = words()
    distinct = [f"token {i}" for i in range(TOKENS)]
    rows = []
    for name, tokens in {"1M words of texts": natural, "1M different tokens": distinct}.items():
        for randomizer in ("shake256", "aes128"):
            rows += token_rows(name, tokens, randomizer)
    text = " ".join(natural)
    rows += [text_row("word", text), text_row("char", text)]
    rows.append(rolling_row(natural))
    return rows
