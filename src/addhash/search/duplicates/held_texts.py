"""The texts of an index of duplicates: only the hashes of their n-grams."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.arrays import Floats, Ids
from addhash.files.parts import Parts, member, require
from addhash.files.saved_model import Arrays
from addhash.runtime import native
from addhash.search.duplicates.held import Standing
from addhash.search.duplicates.result import Pairs
from addhash.search.duplicates.similarity import Similarity
from addhash.search.duplicates.token_sets import Cutting


class HeldTexts:
    """Texts with ids in the native core, which forms the clusters; see `Held`."""

    noun = "text"

    def __init__(self, similarity: Similarity, cutting: Cutting) -> None:
        self.similarity = similarity
        self.cutting = cutting
        self._texts = native.Collection(**similarity.native_options)

    @classmethod
    def parameters(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of an index with the settings of a file."""
        threshold = member(settings, "threshold", list)
        require(
            len(threshold) == 2 and all(type(n) is int and 0 < n < 2**31 for n in threshold),
            "threshold",
        )
        return {
            "threshold": threshold[0] / threshold[1],
            "measure": member(settings, "measure", str),
            "analyzer": member(settings, "analyzer", str),
            "ngram_range": tuple(member(settings, "ngram_range", list)),
            "lowercase": member(settings, "lowercase", bool),
        }

    @property
    def settings(self) -> dict[str, Any]:
        """What decides which texts are similar."""
        return {
            "threshold": list(self.similarity.fraction.as_integer_ratio()),
            "measure": self.similarity.measure,
            "analyzer": self.cutting.analyzer,
            "ngram_range": list(self.cutting.ngram_range),
            "lowercase": self.cutting.lowercase,
        }

    @property
    def threshold(self) -> float:
        """The lowest similarity of duplicates."""
        return float(self.similarity.fraction)

    @property
    def nbytes(self) -> int:
        """The memory in use."""
        return self._texts.nbytes

    @property
    def next_id(self) -> int:
        """An id above all that were ever used."""
        return self._texts.next_id

    def __len__(self) -> int:
        return len(self._texts)

    def has(self, ids: Ids) -> npt.NDArray[np.bool_]:
        """Return whether each id is there."""
        return self._texts.has(ids)

    def read(self, items: Iterable[Any], threads: int) -> native.TokenSets:
        """Cut texts into sets of tokens."""
        return self.cutting.sets(items, threads)

    def change(self, remove: Ids, add: Ids, items: native.TokenSets | None, threads: int) -> None:
        """Remove texts, then add others."""
        sets = native.TokenSets() if items is None else items
        self._texts.change(remove=remove, add=add, sets=sets, threads=threads)

    def query(self, items: native.TokenSets, threads: int) -> tuple[Ids, Ids, Floats]:
        """Return the numbers of texts, the ids of similar ones, and their similarities."""
        queries, ids, shared, sizes = self._texts.query(items, threads=threads)
        values = self.similarity.values(shared, items.sizes(0, len(items))[queries], sizes)
        return queries.astype(np.int64), _plain(ids), values

    def pairs(self) -> Pairs:
        """Return all pairs of similar texts by their ids, the lower one first, in order."""
        left, right, shared, *sizes = self._texts.pairs()
        return Pairs(_plain(left), _plain(right), self.similarity.values(shared, *sizes))

    def standing(self) -> Standing:
        """Return the clusters."""
        ids, clusters, representatives, shared, sizes, others = self._texts.placed()
        values = self.similarity.values(shared, sizes, others)
        return Standing(_plain(ids), _plain(clusters), _plain(representatives), values)

    def parts(self) -> Arrays:
        """Return all that is needed to restore it, apart from the settings."""
        ids, sets, sizes, hashes, leaders, clusters, _ = self._texts.state()
        return {
            "ids": ids,
            "sets": sets.astype(np.int64),
            "sizes": sizes.astype(np.int64),
            "hashes": hashes.view(np.int64),
            "leaders": leaders.astype(np.int64),
            "clusters": clusters,
        }

    def restore(self, parts: Parts, next_id: int, threads: int) -> None:
        """Take parts into an empty one; anything wrong is a ValueError."""
        ids, clusters = (parts.take(name, "<i8", None) for name in ("ids", "clusters"))
        sets, sizes, leaders = (
            _unsigned(parts.take(name, "<i8", None), name) for name in ("sets", "sizes", "leaders")
        )
        hashes = parts.take("hashes", "<i8", None).view(np.uint64)
        parts.finish()
        if not -(2**63) <= next_id < 2**63 or not self._texts.restore(
            ids, sets, sizes, hashes, leaders, clusters, next_id, threads=threads
        ):
            raise ValueError("its texts and clusters do not fit together")

    def items(self) -> tuple[Ids, native.TokenSets]:
        """Return all ids, and the sets as `read` would."""
        ids, numbers, sizes, hashes, *_ = self._texts.state()
        ends = np.cumsum(sizes, dtype=np.int64)
        sets = native.TokenSets()
        wanted = sizes[numbers]
        places = np.repeat(ends[numbers] - np.cumsum(wanted, dtype=np.int64), wanted)
        sets.add_arrays(wanted, hashes[places + np.arange(len(places))])
        return ids, sets


def _plain(ids: Ids) -> Ids:
    """Return 64-bit integers as the type that NumPy displays without a dtype."""
    return ids.view(np.int64)


def _unsigned(values: Ids, name: str) -> npt.NDArray[np.uint32]:
    if len(values) and not (values.min() >= 0 and values.max() < 2**32):
        raise ValueError(f"it has wrong {name}")
    return values.astype(np.uint32)
