"""Cosines broken down by token."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.arrays import Floats
from addhash.hashing.additive import AdditiveHashing

CHUNK_VALUES = 1 << 22


def cosine_shares(
    hashing: AdditiveHashing, tokens: Sequence[str], weights: Floats, others: npt.NDArray[Any]
) -> Floats:
    """Return each token's share of the cosines of their weighted sum with other vectors."""
    others = others.astype(np.float64)
    products = np.empty((len(others), len(tokens)))
    total = np.zeros(others.shape[1])
    step = max(1, CHUNK_VALUES // len(total))
    for start in range(0, len(tokens), step):
        chunk = slice(start, start + step)
        vectors = hashing.of_tokens(tokens[chunk])
        products[:, chunk] = weights[chunk] * (others @ vectors.T)
        total += weights[chunk] @ vectors
    norms = np.linalg.norm(total) * np.linalg.norm(others, axis=1, keepdims=True)
    shares = np.zeros_like(products)
    np.divide(products, norms, out=shares, where=norms > 0)
    return shares
