"""Cosines broken down by token."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.hashing.additive import AdditiveHashing

__all__ = ["cosine_shares"]

Floats = npt.NDArray[np.float64]

CHUNK_VALUES = 1 << 22


def cosine_shares(
    hashing: AdditiveHashing, tokens: Sequence[str], weights: Floats, other: npt.NDArray[Any]
) -> Floats:
    """Return each token's share of the cosine of their weighted sum with another vector."""
    other = other.astype(np.float64)
    products = np.empty(len(tokens))
    total = np.zeros(len(other))
    step = max(1, CHUNK_VALUES // len(other))
    for start in range(0, len(tokens), step):
        chunk = slice(start, start + step)
        vectors = hashing.of_tokens(tokens[chunk])
        products[chunk] = weights[chunk] * (vectors @ other)
        total += weights[chunk] @ vectors
    norms = float(np.linalg.norm(total)) * float(np.linalg.norm(other))
    return products / norms if norms else np.zeros(len(tokens))
