"""The result of a search for duplicates."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from addhash.arrays import Floats, Ids
from addhash.errors import ParameterError
from addhash.frames import data_frame
from addhash.parameters import ClusterKind
from addhash.search.duplicates.grouping import Clusters, Measured, SimilarSets, group, match
from addhash.search.duplicates.tuning import Tuning, known_among, tuned

# Larger clusters of distinct texts get no least similarity: it would take too long to find.
MOST_COMPARED = 2000


class Pairs(NamedTuple):
    """Pairs of similar texts: their numbers and how similar they are.

    Left is below right; with `against`, left is a text and right one of the reference.
    """

    left: Ids
    right: Ids
    similarity: Floats

    def to_frame(self) -> Any:
        """Return the pairs as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            With the columns left, right and similarity.
        """
        return data_frame(self._asdict())


class SharedTokens(Protocol):
    """The owner of the texts' sets."""

    def shared(self, left: Ids, right: Ids) -> npt.NDArray[Any]:
        """Return how many tokens each pair of texts shares; of records, the similarity."""


@dataclass(frozen=True, eq=False)
class Cluster:
    """Texts that belong together.

    `similarity` is the lowest similarity of a member to the text kept in its place,
    `least_similarity` the lowest between any two members; it is NaN for a cluster of more than
    2,000 distinct texts.
    """

    id: int
    representative: int
    members: Ids
    similarity: float
    least_similarity: float

    def __len__(self) -> int:
        return len(self.members)


class Duplicates:
    """Pairs of similar texts, and the clusters they form.

    With `against` there are no clusters: `representatives` and `similarity` give the most similar
    reference text, or -1 and 0 if there is none, and `keep` says whether there is none.

    Attributes
    ----------
    clusters : ndarray of shape (n,)
        For each text the number of its cluster, which is that of the cluster's first text.
    representatives : ndarray of shape (n,)
        For each text the number of the text kept in its place.
    similarity : ndarray of shape (n,)
        For each text its similarity to that one; 1 for those that are kept.
    keep : ndarray of shape (n,)
        Whether a text is kept, that is, its own representative.
    """

    def __init__(
        self,
        found: SimilarSets,
        similarity: Measured,
        kind: ClusterKind,
        keep: Any,
        texts: SharedTokens,
        references: int | None = None,
    ) -> None:
        self._found = found
        self._similarity = similarity
        self._kind: ClusterKind = kind
        self._preference = keep
        self._texts = texts
        self._references = references
        clusters = self._grouped() if references is None else match(found, similarity, references)
        self.clusters = clusters.ids
        self.representatives = clusters.representatives
        self.similarity = clusters.similarity
        self.keep = clusters.keep

    def _grouped(self) -> Clusters:
        found = self._found
        clusters = group(found, self._similarity, self._kind, self._preference)
        unknown = np.flatnonzero(np.isnan(clusters.similarity))
        if len(unknown):  # connected, but not similar enough to the representative
            others = clusters.representatives[unknown]
            shared = self._texts.shared(unknown, others)
            clusters.similarity[unknown] = self._similarity.values(
                shared, found.sizes[unknown], found.sizes[others]
            )
        return clusters

    @property
    def threshold(self) -> float:
        """The lowest similarity of duplicates."""
        return float(self._similarity.fraction)

    def at(self, threshold: float) -> "Duplicates":
        """Return the result at a higher threshold, without comparing the texts again.

        Parameters
        ----------
        threshold : float
            At least the threshold of this result.

        Returns
        -------
        duplicates : Duplicates

        Examples
        --------
        >>> from addhash import find_duplicates
        >>> texts = ["a b c d e f", "a b c d e f g", "a b c d e f"]
        >>> found = find_duplicates(texts, threshold=0.5)
        >>> found.n_pairs, found.at(0.9).n_pairs
        (3, 1)
        """
        higher = self._similarity.raised(threshold, "Duplicates.at")
        if higher.fraction < self._similarity.fraction:
            raise ParameterError.of(
                "Duplicates.at",
                "threshold",
                "must be at least that of the search,"
                f" {self.threshold:g}. Got {threshold!r} instead.",
            )
        found = self._found
        wanted = higher.are_reached(found.shared, found.sizes[found.left], found.sizes[found.right])
        fewer = replace(
            found, left=found.left[wanted], right=found.right[wanted], shared=found.shared[wanted]
        )
        return type(self)(
            fewer, higher, self._kind, self._preference, self._texts, self._references
        )

    def tune(self, known: Iterable[tuple[int, int]] | None = None) -> Tuning:
        """Propose a threshold, at least that of this search: search at a low one first.

        Parameters
        ----------
        known : iterable of (int, int), optional
            Pairs that are the same, by their numbers; all others are taken to be different. With
            `against`, the second is one there.

        Returns
        -------
        tuning : Tuning

        Examples
        --------
        >>> from addhash import find_duplicates
        >>> people = [{"name": name} for name in ("Ann Lee", "Anne Lee", "Bo Ek", "Bo Elm")]
        >>> found = find_duplicates(people, fields=["name"], threshold=0.3)
        >>> tuning = found.tune(known=[(0, 1)])
        >>> tuning.threshold, tuning.confidence
        (0.61, 1.0)
        """
        left, right, values = self.pairs
        truths = None
        if known is not None:
            limits = len(self), len(self) if self._references is None else self._references
            truths = known_among(left, right, known, limits, self._references is None)
        return tuned(self.threshold, values, len(self) + (self._references or 0), truths)

    def __len__(self) -> int:
        return len(self.keep)

    def to_frame(self) -> Any:
        """Return one row per text as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            With the columns cluster, representative, similarity and keep.

        Examples
        --------
        >>> from addhash import find_duplicates
        >>> find_duplicates(["a b c", "x y z", "a b c"]).to_frame()["keep"].tolist()
        [True, True, False]
        """
        return data_frame(
            {
                "cluster": self.clusters,
                "representative": self.representatives,
                "similarity": self.similarity,
                "keep": self.keep,
            }
        )

    def __repr__(self) -> str:
        return f"<Duplicates: {self}>"

    def __str__(self) -> str:
        removed = len(self) - int(self.keep.sum())
        share = 100 * removed / max(1, len(self))
        counts = np.bincount(self.clusters) if len(self) else np.zeros(0, np.int64)
        if self._references is not None:
            return (
                f"{removed:,} of {len(self):,} texts ({share:.1f} %) are like one of"
                f" {self._references:,} others; pairs: {self.n_pairs:,}"
            )
        return (
            f"{removed:,} of {len(self):,} texts ({share:.1f} %) are near-duplicates;"
            f" pairs: {self.n_pairs:,}, clusters: {int((counts > 1).sum()):,}"
        )

    @property
    def n_pairs(self) -> int:
        """The number of pairs, without listing them: n equal texts are n (n - 1) / 2 pairs."""
        counts = self._counts()
        if self._references is None:
            return int((counts * (counts - 1) // 2).sum()) + int(
                (counts[self._found.left] * counts[self._found.right]).sum()
            )
        below = self._counts(self._references)  # references with each set
        above = counts - below
        left, right = self._found.left, self._found.right
        return int((below * above).sum()) + int(
            (below[left] * above[right] + above[left] * below[right]).sum()
        )

    def _counts(self, end: int | None = None) -> Ids:
        """Return how many texts have each set; with an end, of those below it."""
        first = self._found.first_equal
        return np.bincount(first[:end], minlength=len(first))

    @property
    def pairs(self) -> Pairs:
        """All pairs of similar texts, in order. With `against`, right is a text there."""
        blocks = list(self.pair_blocks())
        left = np.concatenate([np.empty(0, np.int64), *(block.left for block in blocks)])
        right = np.concatenate([np.empty(0, np.int64), *(block.right for block in blocks)])
        values = np.concatenate([np.empty(0), *(block.similarity for block in blocks)])
        order = np.lexsort((right, left))
        return Pairs(left[order], right[order], values[order])

    def pair_blocks(self, size: int = 1 << 20) -> Iterator[Pairs]:
        """Iterate over all pairs, up to `size` at a time, in no particular order.

        Parameters
        ----------
        size : int, default=1048576

        Yields
        ------
        pairs : Pairs
        """
        found = self._found
        order = np.argsort(found.first_equal, kind="stable")
        counts = self._counts()
        starts = np.cumsum(counts) - counts  # where the texts of a set begin in `order`
        values = self._similarity.values(
            found.shared, found.sizes[found.left], found.sizes[found.right]
        )
        equal = np.flatnonzero(counts > 1)
        left = np.concatenate([equal, found.left.astype(np.int64)])
        right = np.concatenate([equal, found.right.astype(np.int64)])
        values = np.concatenate([np.ones(len(equal)), values])
        products = counts[left] * counts[right]
        ends = np.cumsum(products)
        total = int(ends[-1]) if len(ends) else 0
        for start in range(0, total, size):
            flat = np.arange(start, min(total, start + size))
            which = np.searchsorted(ends, flat, "right")
            within = flat - (ends[which] - products[which])
            one, other = left[which], right[which]
            width = counts[other]
            a = order[starts[one] + within // width]
            b = order[starts[other] + within % width]
            yield self._finished(a, b, values[which], one == other)

    def _finished(self, a: Ids, b: Ids, values: Floats, is_equal: npt.NDArray[np.bool_]) -> Pairs:
        """Put the lower number first, and drop anything that is not a pair or not wanted."""
        wanted = ~is_equal | (a < b)
        low, high = np.minimum(a, b), np.maximum(a, b)
        if self._references is not None:
            wanted &= (low < self._references) & (high >= self._references)
            return Pairs(high[wanted] - self._references, low[wanted], values[wanted])
        return Pairs(low[wanted], high[wanted], values[wanted])

    def largest(self, n: int = 10) -> list[Cluster]:
        """Return the largest clusters of two or more texts, largest first.

        Parameters
        ----------
        n : int, default=10
            The most clusters to return.

        Returns
        -------
        clusters : list of Cluster
        """
        counts = np.bincount(self.clusters)
        ids = np.argsort(-counts, kind="stable")[:n]
        return [self.cluster(int(i)) for i in ids if counts[i] > 1]

    def cluster(self, id: int) -> Cluster:
        """Return a cluster.

        Parameters
        ----------
        id : int
            Its number, as in `clusters`.

        Returns
        -------
        cluster : Cluster
        """
        members = np.flatnonzero(self.clusters == id)
        firsts = self._found.first_equal[members + (self._references or 0)]
        different = np.unique(firsts.astype(np.int64))
        least = float("nan")
        if len(different) <= MOST_COMPARED:
            a, b = np.triu_indices(len(different), 1)
            least = self._least(different[a], different[b])
        return Cluster(
            int(id),
            int(self.representatives[members[0]]) if len(members) else -1,
            members,
            float(self.similarity[members].min(initial=1.0)),
            least,
        )

    def _least(self, left: Ids, right: Ids) -> float:
        if len(left) == 0:
            return 1.0
        sizes = self._found.sizes
        shared = self._texts.shared(left, right)
        return float(self._similarity.values(shared, sizes[left], sizes[right]).min())
