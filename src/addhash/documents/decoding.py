"""Which of many candidate tokens a document contains, and how often: the inverse lookup."""

from dataclasses import dataclass
from math import inf, log
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.documents.sums import Sums

Floats = npt.NDArray[np.floating[Any]]
Indices = npt.NDArray[np.intp]

MOST_UNKNOWNS = 4096  # counts solved for together
BLOCK_BYTES = 512  # of each digest: partial sums of 4096 signs are exact in float32
BLOCK_ROWS = 4096
MOST_ROUNDS = 16
FEW_OPERATIONS = 10**10  # well below a second


@dataclass
class _Fit:
    """Counts for some of the candidates, and what they leave unexplained."""

    chosen: Indices
    counts: Floats
    residual: Floats

    def score(self) -> float:
        """Return the Bayesian information criterion: lower is better."""
        n = len(self.residual)
        unexplained = float(self.residual @ self.residual)
        return -inf if unexplained == 0 else n * log(unexplained / n) + len(self.chosen) * log(n)


def decode_counts(
    sums: Sums, digests: npt.NDArray[np.uint8], confidence: float
) -> npt.NDArray[np.int64]:
    """Return the most likely count of each candidate, 0 for those not found.

    Two methods are tried, and the better explanation of the sums wins. One, orthogonal matching
    pursuit, starts with no candidates and adds those that stand out from what is left unexplained.
    The other solves for all candidates at once by least squares, which needs fewer of them than
    components; if the candidates contain every token of the document, it is exact.
    """
    decoder = _Decoder(sums, digests, confidence)
    ways = [decoder.pursue]
    if len(digests) <= decoder.most_unknowns:
        ways.append(decoder.solve)
        if len(digests) ** 2 * len(sums) <= FEW_OPERATIONS:
            ways.reverse()
    best = ways[0]()
    # An exact explanation needs no other.
    if best.score() > -inf and len(ways) == 2:
        best = min(best, ways[1](), key=_Fit.score)
    counts = np.zeros(len(digests), np.int64)
    counts[best.chosen] = best.counts.astype(np.int64)
    return counts


class _Decoder:
    def __init__(self, sums: Sums, digests: npt.NDArray[np.uint8], confidence: float) -> None:
        self._sums = sums.astype(np.float64)
        self._digests = digests
        self._n = len(sums)
        self.most_unknowns = min(self._n - 1, MOST_UNKNOWNS)
        # Standard errors that no candidate exceeds by chance, with the given confidence.
        self._threshold = -NormalDist().inv_cdf((1 - confidence) / (2 * len(digests)))

        # Adding a few absent ones does no harm: they are dropped in the end.
        few = min(0.01, self._n / 100 / len(digests))
        self._screen = min(self._threshold, -NormalDist().inv_cdf(few / 2))

    def solve(self) -> _Fit:
        """Solve for all candidates at once."""
        return self.refine(np.arange(len(self._digests)))

    def pursue(self) -> _Fit:
        """Add candidates that stand out, round after round."""
        chosen = np.empty(0, np.intp)
        residual = self._sums
        for _ in range(MOST_ROUNDS):
            unexplained = residual @ residual / (self._n - len(chosen))
            if unexplained == 0:
                break
            products = self._products(residual)
            products[chosen] = 0
            new = np.flatnonzero(np.abs(products) > self._screen * np.sqrt(unexplained * self._n))
            if len(new) == 0 or len(chosen) + len(new) > self.most_unknowns:
                break
            chosen = np.concatenate([chosen, new])
            counts, _ = self._solve(chosen)
            fit = self._rounded(chosen, counts)
            if fit.score() == -inf:
                return fit
            residual = self._sums - self._combine(chosen, counts)
        return self.refine(chosen)

    def refine(self, chosen: Indices) -> _Fit:
        """Solve for the chosen candidates, drop those that may be absent, and round the rest.

        The dropped ones made the noise look smaller than it is, so the test is repeated with the
        rest until all pass it.
        """
        while True:
            counts, variances = self._solve(chosen)
            fit = self._rounded(chosen, counts)
            if fit.score() == -inf:
                return fit
            residual = self._sums - self._combine(chosen, counts)
            noise = residual @ residual / (self._n - len(chosen))
            is_certain = np.abs(counts) > self._threshold * np.sqrt(noise * variances)
            if is_certain.all():
                return fit
            chosen = chosen[is_certain]

    def _rounded(self, chosen: Indices, counts: Floats) -> _Fit:
        counts = np.rint(counts)
        chosen, counts = chosen[counts != 0], counts[counts != 0]
        return _Fit(chosen, counts, self._sums - self._combine(chosen, counts))

    def _solve(self, chosen: Indices) -> tuple[Floats, Floats]:
        """Return least-squares counts and their variances in units of the noise variance."""
        k = len(chosen)
        if k == 0:
            return np.zeros(0), np.zeros(0)
        gram = np.zeros((k, k))
        products = np.zeros(k)
        for start in range(0, self._n, 8 * BLOCK_BYTES):
            signs = self._signs(chosen, start)
            gram += signs @ signs.T
            products += signs.astype(np.float64) @ self._sums[start : start + 8 * BLOCK_BYTES]
        try:
            # gram = L @ L.T, so its inverse is inverse(L).T @ inverse(L).
            root = np.linalg.inv(np.linalg.cholesky(gram))
            return root.T @ (root @ products), np.square(root).sum(axis=0)
        except np.linalg.LinAlgError:
            # Some candidates are indistinguishable with so few components.
            inverse = np.linalg.pinv(gram, hermitian=True)
            return inverse @ products, np.full(k, inf)

    def _combine(self, chosen: Indices, counts: Floats) -> Floats:
        """Return the sums of a document with these counts of the chosen candidates."""
        sums = np.empty(self._n)
        for start in range(0, self._n, 8 * BLOCK_BYTES):
            signs = self._signs(chosen, start).astype(np.float64)
            sums[start : start + 8 * BLOCK_BYTES] = counts @ signs
        return sums

    def _products(self, residual: Floats) -> Floats:
        """Return every candidate's scalar product with the residual, to float32's precision."""
        products = np.zeros(len(self._digests))
        residual = residual.astype(np.float32)
        for first in range(0, len(self._digests), BLOCK_ROWS):
            rows = np.arange(first, min(first + BLOCK_ROWS, len(self._digests)))
            for start in range(0, self._n, 8 * BLOCK_BYTES):
                signs = self._signs(rows, start)
                products[rows] += signs @ residual[start : start + 8 * BLOCK_BYTES]
        return products

    def _signs(self, rows: Indices, start: int) -> npt.NDArray[np.float32]:
        """Return a block of the candidates' components, from component `start` on."""
        packed = self._digests[rows, start // 8 : start // 8 + BLOCK_BYTES]
        return np.unpackbits(packed, axis=1).astype(np.float32) * 2 - 1
