"""Exact search and text classification against NumPy, faiss, NumKong and scikit-learn."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.neighbors import KNeighborsClassifier

import addhash
from addhash import AdditiveHashingVectorizer, Index, TextClassifier
from benchmarks.harness import best_of, wili

WIDTH = 2048
ROWS, QUERIES = 20_000, 2_000
# Of NumKong's product, so many rows at a time: their arg-max finds them in the cache.
BLOCK = 64


def vectors() -> tuple[np.ndarray, np.ndarray]:
    """Return rows and queries: real texts of 21 languages, and of 235."""
    texts = wili("subset-21/x_train.txt") + wili("subset-21/x_test.txt")
    vectorizer = AdditiveHashingVectorizer(
        analyzer="char", ngram_range=(3, 3), lowercase=False, norm=None, dtype=np.int16
    )
    rows = vectorizer.transform(texts[:ROWS])
    return rows, vectorizer.transform(wili("head-235/x.txt")[:QUERIES])


def unit(vectors: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    return (vectors / np.maximum(norms, 1)).astype(np.float32)


def numkong_search(rows: np.ndarray, queries: np.ndarray) -> Callable[[], Any] | None:
    try:
        import numkong
    except ImportError:
        return None
    packed = numkong.dots_pack(np.clip(rows, -127, 127).astype(np.int8), dtype="int8")
    asked = np.clip(queries, -127, 127).astype(np.int8)
    blocks = [asked[i : i + BLOCK] for i in range(0, len(asked), BLOCK)]

    def best(block: np.ndarray) -> np.ndarray:
        return np.asarray(numkong.dots_packed(block, packed)).argmax(axis=1)

    def run() -> None:
        with ThreadPoolExecutor(addhash.info()["cores"]) as threads:
            list(threads.map(best, blocks))

    return run


def faiss_search(rows: np.ndarray, queries: np.ndarray, k: int) -> Callable[[], Any] | None:
    try:
        import faiss
    except ImportError:
        return None
    index = faiss.IndexFlatIP(WIDTH)
    index.add(rows)
    return lambda: index.search(queries, k)


def once(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def row(case: str, peer: str, ours: float, theirs: float) -> dict[str, Any]:
    return {
        "case": case,
        "peer": peer,
        "addhash (ms)": 1e3 * ours,
        "peer (ms)": 1e3 * theirs,
        "ratio": theirs / ours,
    }


def search_rows() -> list[dict[str, Any]]:
    rows, queries = vectors()
    index = Index(WIDTH)
    index.add(rows)
    unit_rows, unit_queries = unit(rows), unit(queries)
    found = index.search(queries, 1).ids[:, 0]
    agreement = float((found == (unit_queries @ unit_rows.T).argmax(axis=1)).mean())
    print(f"float32 finds the same row for {agreement:.2%} of the queries")
    case = f"top-1 of {QUERIES} in {ROWS}, L={WIDTH}"
    ours = best_of(lambda: index.search(queries, 1))
    numpy_time = best_of(lambda: (unit_queries @ unit_rows.T).argmax(1))
    result = [row(case, "numpy float32 (Q @ T.T).argmax(1)", ours, numpy_time)]
    peers = {
        "faiss IndexFlatIP": faiss_search(unit_rows, unit_queries, 1),
        "NumKong packed int8, arg-max": numkong_search(rows, queries),
    }
    for peer, run in peers.items():
        if run is None:
            print(f"{peer} is not installed: pip install '.[bench]'")
            continue
        ours = best_of(lambda: index.search(queries, 1))
        result.append(row(case, peer, ours, best_of(run, 3)))
    ours = best_of(lambda: index.search(queries[:1], 10))
    numpy_time = best_of(lambda: np.argpartition(-(unit_queries[:1] @ unit_rows.T), 10)[:, :10])
    result.append(row(f"top-10 of 1 in {ROWS}", "numpy float32", ours, numpy_time))
    result.append(
        {
            "case": f"bytes per component of {ROWS} AH vectors",
            "peer": "",
            "ratio": index.nbytes / rows.size,
        }
    )
    return result


def classify_rows() -> list[dict[str, Any]]:
    known, labels = wili("subset-21/x_train.txt"), wili("subset-21/y_train.txt")
    asked, truth = wili("subset-21/x_test.txt"), wili("subset-21/y_test.txt")

    def ours() -> float:
        return TextClassifier("nearest").fit(known, labels).score(asked, truth)

    def theirs() -> float:
        vectorizer = HashingVectorizer(
            analyzer="char", ngram_range=(3, 3), lowercase=False, n_features=WIDTH
        )
        neighbors = KNeighborsClassifier(1, metric="cosine", algorithm="brute")
        neighbors.fit(vectorizer.transform(known), labels)
        return neighbors.score(vectorizer.transform(asked), truth)

    case = f"texts to predictions, {len(asked)} against {len(known)}, L={WIDTH}"
    print(f"accuracy {ours():.4f}")
    peer = "scikit-learn HashingVectorizer + KNeighborsClassifier"
    return [row(case, peer, best_of(ours, 3), once(theirs))]


def run() -> list[dict[str, Any]]:
    return search_rows() + classify_rows()
