"""Vectors of many lengths from one pass over the texts, and nearest neighbours among them.

The vector of a smaller L is the tail of a larger one for additive hashing. For the hashing trick
it is the larger one folded in two, as L is a power of two: ``h mod L/2`` follows from
``h mod L``. So texts are hashed once, at the largest L.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from addhash import AdditiveHashingVectorizer, HashingVectorizer, Index
from addhash.paper.progress import Tick, unheard

Method = Literal["ah", "ht"]
Sums = npt.NDArray[np.int32]
Positions = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

METHODS: tuple[Method, Method] = ("ah", "ht")
# Vectors in flight: 2,000 of 8192 components take 64 MB.
BATCH = 2_000


def powers(first: int, last: int) -> list[int]:
    """Return the powers of two with exponents from `first` to `last`.

    >>> powers(4, 6)
    [16, 32, 64]
    """
    return [2**exponent for exponent in range(first, last + 1)]


def exact_sums(
    method: Method, texts: Sequence[str], n: int, size: int, *, lowercase: bool = False
) -> Sums:
    """Return the vectors of texts by character n-grams, before normalisation.

    Parameters
    ----------
    method : {"ah", "ht"}
        Additive hashing with the paper's randomizer, or the hashing trick with signs.
    texts : sequence of str
    n : int
        The length of the n-grams.
    size : int
        The number of components.
    lowercase : bool, default=False
        Whether to ignore case.
    """
    settings: dict[str, Any] = {
        "analyzer": "char",
        "ngram_range": (n, n),
        "n_features": size,
        "lowercase": lowercase,
        "norm": None,
    }
    if method == "ah":
        sums: Sums = AdditiveHashingVectorizer(dtype=np.int32, **settings).transform(texts)
        return sums
    counts = HashingVectorizer(dtype=np.float64, **settings).transform(texts)
    folded: Sums = counts.astype(np.int32).toarray()
    return folded


def narrowed(method: Method, sums: Sums, size: int) -> Sums:
    """Return vectors of fewer components: a power of two that divides their present number."""
    if method == "ah":
        return sums[:, -size:]
    folded: Sums = sums.reshape(len(sums), -1, size).sum(axis=1, dtype=np.int32)
    return folded


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), BATCH):
        yield texts[start : start + BATCH]


def nearest_texts(
    method: Method,
    known: Sequence[str],
    asked: Sequence[str],
    n: int,
    sizes: Sequence[int],
    tick: Tick = unheard,
) -> Mapping[int, Positions]:
    """Find the known text nearest to each text asked, by cosine, for vectors of many sizes.

    Keeps one or two bytes per component of the known texts' vectors in memory, and one batch.

    Parameters
    ----------
    method : {"ah", "ht"}
    known : sequence of str
    asked : sequence of str
    n : int
        The length of the n-grams.
    sizes : sequence of int
        The numbers of components, powers of two.
    tick : callable
        Called with the fraction done.

    Returns
    -------
    positions : dict of ndarrays
        For each size, the position in `known` of the text nearest to each of `asked`.
    """
    indexes = {size: Index(size) for size in sizes}
    for batch in _batches(known):
        sums = exact_sums(method, batch, n, max(sizes))
        for size, index in indexes.items():
            index.add(narrowed(method, sums, size))
    found: dict[int, list[Positions]] = {size: [] for size in sizes}
    done = 0
    for batch in _batches(asked):
        sums = exact_sums(method, batch, n, max(sizes))
        for size, index in indexes.items():
            found[size].append(index.search(narrowed(method, sums, size), 1).ids[:, 0])
        done += len(batch)
        tick(done / len(asked))
    return {size: np.concatenate(parts) for size, parts in found.items()}


def ranked_neighbors(sums: Sums, count: int) -> Positions:
    """Return the positions of the `count` nearest neighbours of each vector, nearest first."""
    index = Index(sums.shape[1])
    index.add(sums)
    return index.search(sums, count).ids


def nearest_known(sums: Sums, ranked: Positions, is_known: Bools, is_asked: Bools) -> Positions:
    """Return the position of the nearest known vector for each one that is asked.

    This is the first known one in its row of `ranked`; if there is none, it is searched for.

    Parameters
    ----------
    sums : ndarray of shape (n, size)
    ranked : ndarray of shape (n, count)
        What `ranked_neighbors` returns for these vectors.
    is_known : ndarray of n bools
    is_asked : ndarray of n bools
    """
    asked = np.flatnonzero(is_asked)
    hits = is_known[ranked[asked]]
    nearest: Positions = ranked[asked, hits.argmax(axis=1)]
    missed = np.flatnonzero(~hits.any(axis=1))
    if len(missed):
        known = np.flatnonzero(is_known)
        index = Index(sums.shape[1])
        index.add(sums[known])
        nearest[missed] = known[index.search(sums[asked[missed]], 1).ids[:, 0]]
    return nearest
