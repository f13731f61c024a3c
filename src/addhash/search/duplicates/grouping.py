"""From pairs of similar texts to clusters, and which text of each is kept."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from addhash.arrays import Floats, Ids
from addhash.errors import ParameterError
from addhash.parameters import ClusterKind
from addhash.runtime import native

KEEP = ("first", "last", "longest")

Numbers = npt.NDArray[np.uint32]


class Measured(Protocol):
    """A threshold, and how what a join found becomes a similarity."""

    @property
    def fraction(self) -> Fraction:
        """The threshold."""

    @property
    def prefers_longest(self) -> bool:
        """Whether the longest of a cluster is kept unless the user says otherwise."""

    def raised(self, threshold: Any, owner: str) -> "Measured":
        """Return the same with another threshold."""

    def values(
        self, shared: npt.NDArray[Any], left: npt.NDArray[Any], right: npt.NDArray[Any]
    ) -> Floats:
        """Return similarities from what was found and the sizes of the sets."""

    def are_reached(
        self, shared: npt.NDArray[Any], left: npt.NDArray[Any], right: npt.NDArray[Any]
    ) -> npt.NDArray[np.bool_]:
        """Return for many pairs whether they are similar enough."""


@dataclass(frozen=True, eq=False)
class SimilarSets:
    """The result of a join: texts with equal sets, and pairs of texts that represent them."""

    first_equal: Numbers  # for each text the first one with the same set
    sizes: Numbers  # of each text's set
    left: Numbers  # texts that are their own first_equal
    right: Numbers  # likewise, and greater than left
    shared: npt.NDArray[Any]  # tokens in both; of records, the similarity itself


@dataclass(frozen=True, eq=False)
class Clusters:
    """For each text its cluster, the text kept in its place, and how similar that one is."""

    ids: Ids
    representatives: Ids
    similarity: Floats  # to the representative; NaN if no pair says
    keep: npt.NDArray[np.bool_]


def check_keep(keep: Any, count: int | None = None) -> None:
    """Check which text of a cluster to keep; scores need one number per text."""
    if keep is None or (isinstance(keep, str) and keep in KEEP):
        return
    allowed = f"one of {', '.join(map(repr, KEEP))}, None, or one number per text"
    if isinstance(keep, str):
        raise ParameterError.of(
            "find_duplicates", "keep", f"must be {allowed}. Got {keep!r} instead."
        )
    scores = np.asarray(keep)
    if scores.ndim != 1 or scores.dtype.kind not in "iufb" or np.isnan(scores).any():
        raise ParameterError.of(
            "find_duplicates",
            "keep",
            f"must be {allowed}. Got an array of"
            f" {scores.dtype} and shape {scores.shape}{', with NaN' * (scores.dtype.kind == 'f')}.",
        )
    if count is not None and len(scores) != count:
        raise ParameterError.of(
            "find_duplicates", "keep", f"has {len(scores)} numbers for {count} texts."
        )


def _ranks(keep: Any, sizes: Numbers, similarity: Measured) -> npt.NDArray[Any]:
    """Return each text's rank in the order of preference, 0 for the first."""
    count = len(sizes)
    if keep is None:
        keep = "longest" if similarity.prefers_longest else "first"
    if isinstance(keep, str) and keep == "first":
        return _numbers(count)
    if isinstance(keep, str) and keep == "last":
        return _numbers(count)[::-1]
    scores = sizes if isinstance(keep, str) else np.asarray(keep)
    levels = np.unique(scores, return_inverse=True)[1]
    order = np.argsort(-levels, kind="stable")
    ranks = _numbers(count)
    ranks[order] = _numbers(count)
    return ranks


def _numbers(count: int) -> npt.NDArray[Any]:
    """Return the numbers of texts, in a small type unless there are too many."""
    return np.arange(count, dtype=np.int32 if count < 2**31 else np.int64)


def group(found: SimilarSets, similarity: Measured, kind: ClusterKind, keep: Any) -> Clusters:
    """Put similar texts into clusters.

    Texts with equal sets are always together. With "representative", texts are taken in the order
    of preference that `keep` sets; one that is similar enough to a representative joins the most
    similar one (on ties, the preferred), any other becomes a representative itself. With
    "connected", a cluster is whatever a chain of pairs connects, and its preferred text represents
    it.
    """
    count = len(found.sizes)
    ranks = _ranks(keep, found.sizes, similarity)
    first = found.first_equal
    best = _numbers(count)  # the preferred text of each set, at the set's first text
    doubles = np.flatnonzero(first != best)
    if len(doubles):
        order = doubles[np.argsort(-ranks[doubles])]  # the most preferred last, so that it stays
        challengers = np.full(count, -1, best.dtype)
        challengers[first[order]] = order
        challenged = np.flatnonzero(challengers >= 0)
        wins = ranks[challengers[challenged]] < ranks[challenged]
        best[challenged[wins]] = challengers[challenged[wins]]

    # Only sets in pairs can move; they are numbered in order of preference.
    paired = np.zeros(count, bool)
    paired[found.left] = paired[found.right] = True
    members = np.flatnonzero(paired)
    members = members[np.argsort(ranks[best[members]])]
    places = np.zeros(count, np.uint32)
    places[members] = np.arange(len(members), dtype=np.uint32)
    left, right = places[found.left], places[found.right]
    values = similarity.values(found.shared, found.sizes[found.left], found.sizes[found.right])
    items, others = np.maximum(left, right), np.minimum(left, right)
    order = np.lexsort((others, -values, items))
    items, others, values = items[order], others[order], values[order]
    groups = native.group_items(
        items, others, count=len(members), is_connected=kind == "connected"
    ).astype(np.int64)

    set_representative = _numbers(count)
    set_representative[members] = members[groups]
    set_similarity = np.ones(count)
    set_similarity[members[groups != np.arange(len(members))]] = np.nan
    is_joined = groups[items] == others
    set_similarity[members[items[is_joined]]] = values[is_joined]

    representative_sets = set_representative[first]
    similarities = set_similarity[first]
    del set_similarity, set_representative
    lowest = np.full(count, count, np.int64)
    np.minimum.at(lowest, representative_sets, _numbers(count))
    representatives = best[representative_sets].astype(np.int64)
    return Clusters(
        lowest[representative_sets],
        representatives,
        similarities,
        representatives == _numbers(count),
    )


def match(found: SimilarSets, similarity: Measured, references: int) -> Clusters:
    """Find for each text the most similar reference; references come first."""
    first = found.first_equal.astype(np.int64)
    count = len(first)
    texts = count - references
    reference = np.full(count, -1)  # the first reference with each set
    reference[first[:references][::-1]] = np.arange(references)[::-1]
    left, right = found.left.astype(np.int64), found.right.astype(np.int64)
    values = similarity.values(found.shared, found.sizes[left], found.sizes[right])
    equal = np.flatnonzero(reference >= 0)
    sets = np.concatenate([equal, left, right])
    nearest = np.concatenate([reference[equal], reference[right], reference[left]])
    values = np.concatenate([np.ones(len(equal)), values, values])
    order = np.lexsort((nearest, -values, sets))
    order = order[nearest[order] >= 0]
    order = order[np.unique(sets[order], return_index=True)[1]]
    best, best_value = np.full(count, -1), np.zeros(count)
    best[sets[order]], best_value[sets[order]] = nearest[order], values[order]
    mine = first[references:]
    return Clusters(np.arange(texts), best[mine], best_value[mine], best[mine] < 0)
