"""Which sets in files are equal, and which are compared at a time."""

import numpy as np
import numpy.typing as npt

from addhash.arrays import Ids
from addhash.search.duplicates.similarity import Similarity

Numbers = npt.NDArray[np.uint32]


def first_equal(digests: npt.NDArray[np.uint64]) -> Numbers:
    """Return for each digest the position of its first occurrence."""
    order = np.lexsort((digests[:, 1], digests[:, 0]))
    ordered = digests[order]
    is_new = np.ones(len(order), bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    del ordered
    starts = np.maximum.accumulate(np.where(is_new, np.arange(len(order)), 0))
    first = np.empty(len(order), np.uint32)
    first[order] = order[starts]
    return first


class BlockPlan:
    """Which block each set goes to: blocks hold ranges of sizes, or parts of one size."""

    def __init__(self, sizes: Numbers, similarity: Similarity, capacity: float) -> None:
        # What a join keeps in memory: the tokens and their counts, entries for those it probes, the
        # set.
        per_token = 10 + 90 * similarity.probed_share
        per_set = 128
        counts = np.bincount(sizes) if len(sizes) else np.zeros(1, np.int64)
        self.ranges: list[tuple[int, int]] = []  # the least and the greatest size of each block
        self._block_of = np.zeros(len(counts), np.int64)
        self._parts_of = np.ones(len(counts), np.int64)
        filled = capacity
        for size in np.flatnonzero(counts).tolist():
            weight = float(counts[size]) * (per_token * size + per_set)
            parts = int(weight / capacity) + 1
            if parts > 1 or filled + weight > capacity:
                self._block_of[size] = len(self.ranges)
                self._parts_of[size] = parts
                self.ranges += [(size, size)] * parts
                filled = weight if parts == 1 else capacity
            else:
                self._block_of[size] = len(self.ranges) - 1
                self.ranges[-1] = (self.ranges[-1][0], size)
                filled += weight

    def blocks(self, sizes: Numbers, digests: npt.NDArray[np.uint64]) -> Ids:
        """Return the blocks of sets; a size with many is split by the upper half of the digest."""
        halves = (digests >> np.uint64(32)).astype(np.int64)
        blocks: Ids = self._block_of[sizes] + (halves * self._parts_of[sizes] >> 32)
        return blocks
