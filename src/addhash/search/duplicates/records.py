"""Every pair of similar records: several fields each, with weights."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.arrays import Floats, Ids
from addhash.errors import ParameterError
from addhash.logs import timed
from addhash.parameters import DUPLICATES, ClusterKind, check_values
from addhash.progress import Progress
from addhash.runtime import native
from addhash.search.duplicates.fields import Column, fields_of
from addhash.search.duplicates.grouping import SimilarSets, check_keep
from addhash.search.duplicates.record_columns import columns_of
from addhash.search.duplicates.result import Duplicates
from addhash.search.duplicates.tuning import Tuning

RECORD_THRESHOLD = 0.6
# The share of all weight that two records must have in common, to be compared.
LEAST_WEIGHT = 0.5
MOST_PAIRS = 1 << 29
# Records that lack fields do so in at most so many combinations.
MOST_PATTERNS = 4096
# A field in which known pairs have nothing in common keeps this much of its weight.
LEAST_SHARE = 0.01


class FieldShare(NamedTuple):
    """What a field adds to the similarity of two records.

    `similarity` is None where one of them lacks the field; `share` is similarity x weight, divided
    by the weights of all fields that both have. The shares add up to the similarity.
    """

    field: str
    left: Any
    right: Any
    similarity: float | None
    weight: float
    share: float


@dataclass(frozen=True)
class RecordSimilarity:
    """The threshold of records. What a join finds is the similarity itself."""

    fraction: Fraction

    @classmethod
    def of(cls, threshold: Any, owner: str = "find_duplicates") -> "RecordSimilarity":
        """Check a user's value."""
        check_values(owner, DUPLICATES, {"threshold": threshold})
        return cls(Fraction(repr(float(threshold))))

    @property
    def prefers_longest(self) -> bool:
        """Whether the longest of a cluster is kept unless the user says otherwise."""
        return False

    def raised(self, threshold: Any, owner: str) -> "RecordSimilarity":
        """Return the same with another threshold."""
        return RecordSimilarity.of(threshold, owner)

    def values(self, found: npt.NDArray[Any], left: Any, right: Any) -> Floats:
        """Return the similarities of what was found."""
        return found.astype(np.float64)

    def are_reached(self, found: npt.NDArray[Any], left: Any, right: Any) -> npt.NDArray[np.bool_]:
        """Return whether pairs are similar enough; rounding does not lose what is at it."""
        reached: npt.NDArray[np.bool_] = found >= float(self.fraction) - 1e-9
        return reached


class RecordSet:
    """Records, cut into fields. Bit f of a record's presence says that it has field f."""

    def __init__(
        self,
        columns: list[Column],
        values: dict[str, list[Any]],
        least: float,
        threads: int,
        presence: npt.NDArray[np.uint32] | None = None,
    ) -> None:
        self.columns = columns
        self.values = values
        self._threads = threads
        self.weights = np.array([column.field.weight for column in columns], np.float64)
        self.least = least * float(self.weights.sum())
        self._presence = presence_of(columns) if presence is None else presence

    def __len__(self) -> int:
        return len(self._presence)

    @property
    def sizes(self) -> npt.NDArray[np.uint32]:
        """How many fields each record has."""
        return np.bitwise_count(self._presence).astype(np.uint32)

    def join(self, threshold: float, references: int | None) -> SimilarSets:
        """Find all similar records."""
        patterns = len(np.unique(self._presence))
        if patterns > MOST_PATTERNS:
            raise ParameterError(
                f"The records lack fields in {patterns:,} different combinations, more than"
                f" {MOST_PATTERNS:,}. Use fewer fields."
            )
        left, right, similarity, is_complete = native.join_records(
            **self._native(),
            threshold=threshold,
            least_weight=self.least,
            boundary=references,
            most_pairs=MOST_PAIRS,
            threads=self._threads,
        )
        if not is_complete:
            raise ParameterError(
                f"There are more than {MOST_PAIRS:,} pairs of similar records. Raise the"
                " 'threshold' parameter of find_duplicates, or give more fields."
            )
        numbers = np.arange(len(self), dtype=np.uint32)
        return SimilarSets(numbers, self.sizes, left, right, similarity)

    def shared(self, left: Ids, right: Ids) -> Any:
        """Return the similarities of pairs of records."""
        return native.record_similarities(
            **self._native(),
            least_weight=self.least,
            left=left.astype(np.uint32),
            right=right.astype(np.uint32),
        )

    def weighed_by(self, left: Ids, right: Ids) -> "RecordSet":
        """Return the same records, with weights by how similar the fields of these pairs are."""
        similarities = self.field_similarities(left, right)
        known = ~np.isnan(similarities)
        means = np.where(known, similarities, 0).sum(0) / np.maximum(1, known.sum(0))
        weights = self.weights * np.where(known.any(0), np.maximum(means, LEAST_SHARE), 1)
        columns = [
            replace(column, field=replace(column.field, weight=weight))
            for column, weight in zip(self.columns, weights.tolist(), strict=True)
        ]
        share = self.least / float(self.weights.sum())
        return RecordSet(columns, self.values, share, self._threads)

    def field_similarities(self, left: Ids, right: Ids) -> Floats:
        """Return for pairs of records the similarity of each field; NaN where one lacks it."""
        result = np.full((len(left), len(self.columns)), np.nan)
        for i, column in enumerate(self.columns):
            both = column.present[left] & column.present[right]
            result[both, i] = native.record_similarities(
                **self._native([column]),
                least_weight=0.0,
                left=left[both].astype(np.uint32),
                right=right[both].astype(np.uint32),
            )
        return result

    def shares(self, left: int, right: int) -> list[FieldShare]:
        """Return what each field adds to the similarity of two records."""
        places = np.array([left]), np.array([right])
        similarities = self.field_similarities(*places)[0]
        total = float(self.weights[~np.isnan(similarities)].sum())
        shares = []
        for column, weight, value in zip(
            self.columns, self.weights.tolist(), similarities.tolist(), strict=True
        ):
            similarity = None if math.isnan(value) else value
            share = 0.0 if similarity is None else weight * similarity / total
            a, b = (self.values[column.name][record] for record in (left, right))
            shares.append(FieldShare(column.name, a, b, similarity, weight, share))
        return shares

    def _native(self, columns: list[Column] | None = None) -> dict[str, Any]:
        chosen = self.columns if columns is None else columns
        presence = self._presence if columns is None else chosen[0].present.astype(np.uint32)
        return {
            "sets": [column.sets for column in chosen],
            "numbers": [column.numbers for column in chosen],
            "tolerances": np.array([column.field.tolerance for column in chosen], np.float64),
            "weights": np.array([column.field.weight for column in chosen], np.float64),
            "presence": presence,
        }


def presence_of(columns: list[Column]) -> npt.NDArray[np.uint32]:
    """Return which fields each record has."""
    presence = np.zeros(len(columns[0].present), np.uint32)
    for i, column in enumerate(columns):
        presence |= column.present.astype(np.uint32) << np.uint32(i)
    return presence


class RecordDuplicates(Duplicates):
    """Pairs of similar records, and the clusters they form: `Duplicates` with explanations.

    Attributes
    ----------
    fields : dict of str to Field
        How each field was compared: its kind and its weight.
    """

    def __init__(
        self,
        found: SimilarSets,
        similarity: RecordSimilarity,
        kind: ClusterKind,
        keep: Any,
        records: RecordSet,
        references: int | None = None,
    ) -> None:
        super().__init__(found, similarity, kind, keep, records, references)
        self._records = records
        self.fields = {column.name: column.field for column in records.columns}

    def tune(self, known: Iterable[tuple[int, int]] | None = None) -> Tuning:
        """Propose a threshold and, with known pairs, weights: see `Duplicates.tune`.

        The weight of a field is multiplied by its mean similarity in known pairs; these weights
        are proposed if they find the known pairs with a better F1.
        """
        if known is None:
            return replace(super().tune(), fields=self.fields)
        known = list(known)
        as_given = replace(super().tune(known), fields=self.fields)
        pairs = np.array(known, np.int64)
        records = self._records.weighed_by(*self._places(pairs[:, 0], pairs[:, 1]))
        found = records.join(self.threshold, self._references)
        other = RecordDuplicates(
            found,
            RecordSimilarity(self._similarity.fraction),
            self._kind,
            self._preference,
            records,
            self._references,
        )
        weighed = replace(super(RecordDuplicates, other).tune(known), fields=other.fields)
        return weighed if weighed.confidence > as_given.confidence else as_given

    def explain(self, left: int, right: int) -> list[FieldShare]:
        """Return what each field adds to the similarity of two records.

        Parameters
        ----------
        left : int
            The number of a record.
        right : int
            The number of another one; with `against`, of one there.

        Returns
        -------
        shares : list of FieldShare

        Examples
        --------
        >>> from addhash import find_duplicates
        >>> people = [{"name": "Ann Lee", "city": "Oslo"}, {"name": "Anne Lee", "city": "Oslo"}]
        >>> found = find_duplicates(people, fields={"name": 2.0, "city": 1.0}, threshold=0.5)
        >>> for share in found.explain(0, 1):
        ...     print(share.field, round(share.similarity, 2), round(share.share, 2))
        name 0.78 0.52
        city 1.0 0.33
        """
        references = self._references
        count = len(self._records) - (references or 0)
        for number, limit in ((left, count), (right, references or count)):
            if not 0 <= number < limit:
                raise ParameterError(
                    f"There is no record {number}; expected a number from 0 to {limit - 1}."
                )
        return self._records.shares(*self._places(left, right))

    def _places(self, left: Any, right: Any) -> tuple[Any, Any]:
        """Return where two records are in the table: references come first."""
        return (self._references or 0) + left, right


def find_record_duplicates(
    records: Any,
    fields: Any,
    *,
    threshold: Any,
    least_weight: Any,
    clusters: ClusterKind,
    keep: Any,
    against: Any,
    threads: int,
    progress: Progress,
) -> RecordDuplicates:
    """Find all similar records; see `find_duplicates`."""
    chosen = fields_of(fields)
    similarity = RecordSimilarity.of(threshold)
    check_keep(keep)
    names = list(chosen)
    values = columns_of(records, names)
    references = None
    if against is not None:
        reference = columns_of(against, names, "records of 'against'")
        references = len(reference[names[0]])
        values = {name: reference[name] + values[name] for name in names}
    columns = []
    for name, field in chosen.items():
        columns.append(Column.of(name, field, values[name], threads))
        progress("read", len(columns), len(names))
    cut = RecordSet(columns, values, float(least_weight), threads)
    check_keep(keep, len(cut) - (references or 0))
    progress("compare", 0, None)
    with timed("find_duplicates, %d records", len(cut)):
        found = cut.join(float(similarity.fraction), references)
    return RecordDuplicates(found, similarity, clusters, keep, cut, references)
