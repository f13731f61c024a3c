"""Near-duplicates, texts in and clusters out, against datasketch, rensa and gaoya.

Each tool runs in a process of its own on the same generated documents of 50 words, 10 % of them
copies of others with up to 6 words changed. A token is three words in a row; two documents are
near-duplicates if the Jaccard similarity of their token sets is at least 0.8. The truth is known:
only a document and its copies are alike, and those are compared as sets in plain Python.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

SIZES = (100_000, 1_000_000)
THRESHOLD = 0.8
WORDS = 50
VOCABULARY = 50_000
PERMUTATIONS = 128
# The least ratios that the project holds itself to.
FLOORS = {"datasketch": 20, "rensa": 1}

Pairs = set[tuple[int, int]]


def generate(count: int, seed: int = 0) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Return documents, and for each the first document that it goes back to."""
    random = np.random.default_rng(seed)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    vocabulary = [
        "".join(random.choice(letters, random.integers(3, 10))) for _ in range(VOCABULARY)
    ]
    shares = np.cumsum(1 / np.arange(1, VOCABULARY + 1))  # Zipf's law
    words = np.searchsorted(shares / shares[-1], random.random((count, WORDS)))
    words = np.minimum(words, VOCABULARY - 1)
    origins = np.arange(count)
    for copy in np.sort(random.permutation(count)[: count // 10]).tolist():
        if copy:
            source = int(random.integers(copy))
            words[copy], origins[copy] = words[source], origins[source]
            changed = random.choice(WORDS, random.integers(0, 7), replace=False)
            words[copy, changed] = random.integers(0, VOCABULARY, len(changed))
    return [" ".join(vocabulary[i] for i in row) for row in words.tolist()], origins


def tokens(text: str) -> list[str]:
    words = text.split()
    return [" ".join(words[i : i + 3]) for i in range(len(words) - 2)]


def true_pairs(texts: list[str], origins: npt.NDArray[np.int64]) -> Pairs:
    families: dict[int, list[int]] = {}
    for text, origin in enumerate(origins.tolist()):
        families.setdefault(origin, []).append(text)
    pairs = set()
    for family in families.values():
        sets = {text: set(tokens(texts[text])) for text in family}
        for a, b in combinations(family, 2):
            shared = len(sets[a] & sets[b])
            # In whole numbers: shared / (all of both) >= 4 / 5.
            if 5 * shared >= 4 * (len(sets[a]) + len(sets[b]) - shared):
                pairs.add((a, b))
    return pairs


def clusters_of(count: int, pairs: Iterator[tuple[int, int]]) -> list[int]:
    """Join what is connected, as users of the peers do."""
    parents = list(range(count))

    def root(item: int) -> int:
        while parents[item] != item:
            parents[item] = parents[parents[item]]
            item = parents[item]
        return item

    for a, b in pairs:
        low, high = sorted((root(a), root(b)))
        parents[high] = low
    return [root(item) for item in range(count)]


def addhash_pairs(texts: list[str]) -> Any:
    import addhash

    found = addhash.find_duplicates(texts, threshold=THRESHOLD)
    return found, lambda: set(
        zip(found.pairs.left.tolist(), found.pairs.right.tolist(), strict=True)
    )


def _from_answers(count: int, answers: list[Any]) -> Any:
    pairs = {
        (min(i, int(j)), max(i, int(j)))
        for i, found in enumerate(answers)
        for j in found
        if int(j) != i
    }
    return clusters_of(count, iter(pairs)), lambda: pairs


def datasketch_pairs(texts: list[str]) -> Any:
    from datasketch import MinHash, MinHashLSH

    lsh = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
    token_lists = ([token.encode() for token in tokens(text)] for text in texts)
    hashes = list(MinHash.generator(token_lists, num_perm=PERMUTATIONS))
    with lsh.insertion_session() as session:
        for i, minhash in enumerate(hashes):
            session.insert(i, minhash, check_duplication=False)
    return _from_answers(len(texts), [lsh.query(minhash) for minhash in hashes])


def rensa_pairs(texts: list[str]) -> Any:
    from rensa import RMinHash, RMinHashLSH

    hashes = RMinHash.from_token_sets([tokens(text) for text in texts], PERMUTATIONS, 42)
    lsh = RMinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, num_bands=16)
    lsh.insert_many(hashes)
    return _from_answers(len(texts), lsh.query_all(hashes))


def gaoya_pairs(texts: list[str]) -> Any:
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=THRESHOLD,
        num_bands=16,
        band_size=8,
        analyzer="word",
        lowercase=True,
        ngram_range=(3, 3),
    )
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    return _from_answers(len(texts), index.par_bulk_query(texts))


TOOLS: dict[str, Callable[[list[str]], Any]] = {
    "addhash": addhash_pairs,
    "datasketch": datasketch_pairs,
    "rensa": rensa_pairs,
    "gaoya": gaoya_pairs,
}


def memory(name: str) -> int:
    """Return VmHWM (the most) or VmRSS (now) of this process, in bytes."""
    with open("/proc/self/status", encoding="utf-8") as file:
        lines = dict(line.split(":", 1) for line in file)
    return int(lines[name].split()[0]) * 1024


def measure(tool: str, count: int) -> dict[str, Any]:
    """Run one tool in this process."""
    texts, origins = generate(count)
    truth = true_pairs(texts, origins)
    before = memory("VmRSS")
    start = time.perf_counter()
    _, pairs_of = TOOLS[tool](texts)
    seconds = time.perf_counter() - start
    peak = memory("VmHWM")
    pairs = pairs_of()
    right = len(pairs & truth)
    return {
        "documents": count,
        "tool": tool,
        "seconds": seconds,
        "documents/s": count / seconds,
        "pairs": len(pairs),
        "recall": right / len(truth),
        "precision": right / max(1, len(pairs)),
        "peak memory (MB)": peak / 1e6,
        "bytes per document": (peak - before) / count,
    }


def run(sizes: tuple[int, ...] = SIZES, tools: tuple[str, ...] = tuple(TOOLS)) -> list[Any]:
    rows: list[dict[str, Any]] = []
    for count in sizes:
        ours: dict[str, Any] | None = None
        for tool in tools:
            command = [sys.executable, "-m", "benchmarks.duplicates", tool, str(count)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            row = json.loads(done.stdout.splitlines()[-1])
            ours = ours or row
            row["addhash is faster by"] = row["seconds"] / ours["seconds"]
            row["wanted"] = f">= {FLOORS[tool]}" if tool in FLOORS else ""
            rows.append(row)
            print(row, flush=True)
    return rows


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
