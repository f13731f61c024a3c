"""Sections 2 and 3 of the paper: three documents, two algorithms, and their foundations."""

from collections.abc import Sequence
from hashlib import shake_256
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils import murmurhash3_32

from addhash import AdditiveHashingVectorizer, DocumentHash, HashingVectorizer
from addhash.paper.experiments.step import Settings, Step
from addhash.paper.progress import Tick

Floats = npt.NDArray[np.float64]

DOCUMENTS = (
    "John likes to watch movies",
    "Mary also likes to watch movies",
    "Jane makes popcorn",
)
VOCABULARY = ["John", "likes", "to", "watch", "movies", "Mary", "also", "Jane", "makes", "popcorn"]
SIZE = 32
PAIRS = ((0, 1), (0, 2), (1, 2))
TOKENS = 400


def hashing_trick(document: Sequence[str], size: int, *, is_signed: bool) -> Floats:
    """Return a document's vector by the paper's Algorithm 1, or Algorithm 2 if signed.

    The hash is scikit-learn's: signed MurmurHash3, whose absolute value is the index and whose
    sign is the paper's second hash.

    >>> hashing_trick(["a", "b", "a"], 4, is_signed=False)
    array([0., 1., 2., 0.])
    """
    vector = np.zeros(size)
    for word in document:
        value = murmurhash3_32(word, 0)
        sign = (1 if value >= 0 else -1) if is_signed else 1
        vector[abs(value) % size] += sign
    return vector


def additive_hashing(document: Sequence[str], size: int) -> Floats:
    """Return a document's vector as the paper's own program computes it, not normalised.

    >>> additive_hashing(["a"], 8)
    array([ 1., -1., -1., -1., -1.,  1.,  1., -1.])
    """
    vector = np.zeros(size)
    for word in document:
        number = int.from_bytes(shake_256(word.encode()).digest(size // 8), "little")
        vector += [2 * int(bit) - 1 for bit in f"{number:0{size}b}"]
    return vector


def steps(settings: Settings) -> list[Step]:
    """Return the only step of the example."""

    def run(tick: Tick) -> dict[str, Any]:
        return {
            "documents": list(DOCUMENTS),
            **_bag_of_words(),
            **similarities(),
            "algorithms": _algorithms(),
            "orthogonality": _orthogonality(settings.seed),
            "incremental": _incremental(),
        }

    return [Step("example", 1, run)]


def _additive_vectorizer(**settings: Any) -> AdditiveHashingVectorizer:
    """Return a vectorizer that splits at spaces, as the paper's program does."""
    return AdditiveHashingVectorizer(
        n_features=SIZE, lowercase=False, token_pattern=r"[^ ]+", dtype=np.float64, **settings
    )


def _bag_of_words() -> dict[str, Any]:
    counter = CountVectorizer(vocabulary=VOCABULARY, lowercase=False)
    found = CountVectorizer(lowercase=False).fit(DOCUMENTS).vocabulary_
    return {
        "vocabulary": VOCABULARY if set(found) == set(VOCABULARY) else sorted(found),
        "matrix": counter.transform(DOCUMENTS).toarray().tolist(),
    }


def similarities() -> dict[str, list[float]]:
    """Return the cosines of the pairs of documents, by the hashing trick and additive hashing.

    >>> [round(cosine, 4) for cosine in similarities()["ah"]]
    [0.7778, -0.1737, -0.2583]
    """
    vectors = {
        "ht": HashingVectorizer(n_features=SIZE).transform(DOCUMENTS).toarray(),
        "ah": _additive_vectorizer(norm="l2").transform(DOCUMENTS),
    }
    # Adding zero turns -0.0 into 0.0.
    return {name: [float(v[i] @ v[j]) + 0.0 for i, j in PAIRS] for name, v in vectors.items()}


def _algorithms() -> dict[str, Any]:
    """Compare the vectorizers with the algorithms run word by word."""
    lower = [document.lower().split() for document in DOCUMENTS]
    words = [document.split(" ") for document in DOCUMENTS]
    trick = {
        is_signed: HashingVectorizer(n_features=SIZE, norm=None, alternate_sign=is_signed)
        for is_signed in (False, True)
    }
    pairs = {
        "1": (
            trick[False].transform(DOCUMENTS).toarray(),
            [hashing_trick(d, SIZE, is_signed=False) for d in lower],
        ),
        "2": (
            trick[True].transform(DOCUMENTS).toarray(),
            [hashing_trick(d, SIZE, is_signed=True) for d in lower],
        ),
        "additive": (
            _additive_vectorizer(norm=None).transform(DOCUMENTS),
            [additive_hashing(d, SIZE) for d in words],
        ),
    }
    return {
        name: {
            "vectors": np.asarray(ours).astype(int).tolist(),
            "is_equal": bool(np.array_equal(ours, plain)),
        }
        for name, (ours, plain) in pairs.items()
    }


def _orthogonality(seed: int) -> dict[str, Any]:
    """Measure dot products of unit vectors of different tokens: mean 0, deviation 1/sqrt(L)."""
    tokens = [f"token {seed} {i}" for i in range(TOKENS)]
    above = np.triu_indices(TOKENS, 1)
    result = {}
    for size in (32, 128, 512, 2048):
        vectorizer = AdditiveHashingVectorizer(
            n_features=size, analyzer=_whole, dtype=np.float64, norm="l2"
        )
        unit = vectorizer.transform(tokens)
        products = (unit @ unit.T)[above]
        result[str(size)] = {
            "mean": float(products.mean()),
            "std": float(products.std()),
            "expected_std": size**-0.5,
            "pairs": len(products),
        }
    return result


def _whole(text: str) -> list[str]:
    return [text]


def _incremental() -> dict[str, Any]:
    """Change a word of the first document in place, and hash the changed document from scratch."""
    edited = DocumentHash().update(DOCUMENTS[0].split())
    edited.replace("movies", "birds")
    anew = DocumentHash().update(["John", "likes", "to", "watch", "birds"])
    return {
        "digest": edited.digest().hex()[:32],
        "is_equal": edited.digest() == anew.digest() and edited.to_bytes() == anew.to_bytes(),
    }
