"""The records of an index of duplicates: their values, and which of them are similar."""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.arrays import Floats, Ids
from addhash.files.parts import Parts, member, require, texts_parts
from addhash.files.saved_model import Arrays
from addhash.search.duplicates.fields import Column, Field
from addhash.search.duplicates.held import Standing
from addhash.search.duplicates.leaders import Leaders
from addhash.search.duplicates.record_columns import columns_of
from addhash.search.duplicates.record_table import RecordTable
from addhash.search.duplicates.records import FieldShare, RecordSet, RecordSimilarity
from addhash.search.duplicates.result import Pairs

Values = tuple[str | float | None, ...]

# Fewer records than one for so many that are held are looked up one by one.
FEW = 256


@dataclass(frozen=True, eq=False)
class _Batch:
    """Records that are added or asked for: their values, and their fields cut into tokens."""

    values: Sequence[Values]
    columns: list[Column]

    def __len__(self) -> int:
        return len(self.values)


class HeldRecords:
    """Records with ids; see `Held`.

    `Leaders` holds what is known: values, similar pairs and clusters. The table is made of the
    values, and made anew if a change of it was interrupted.
    """

    noun = "record"

    def __init__(
        self, fields: Mapping[str, Field], similarity: RecordSimilarity, least_weight: float
    ) -> None:
        self.fields = dict(fields)
        self._similarity = similarity
        self._least_weight = least_weight
        self._leaders: Leaders[Values] = Leaders()
        self._table = self._empty_table()
        self._is_whole = True  # whether the table has what the leaders have

    @classmethod
    def parameters(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of an index with the settings of a file."""
        fields = {}
        for entry in member(settings, "fields", list):
            require(type(entry) is list and len(entry) == 4, "fields")
            name, kind, weight, tolerance = entry
            fields[name] = Field(kind, weight, tolerance)
        return {
            "fields": fields,
            "threshold": member(settings, "threshold", float),
            "least_weight": member(settings, "least_weight", float),
        }

    @property
    def settings(self) -> dict[str, Any]:
        """What decides which records are similar."""
        return {
            "fields": [
                [name, field.kind, float(field.weight or 0), float(field.tolerance)]
                for name, field in self.fields.items()
            ],
            "threshold": self.threshold,
            "least_weight": self._least_weight,
        }

    @property
    def threshold(self) -> float:
        """The lowest similarity of duplicates."""
        return float(self._similarity.fraction)

    @property
    def nbytes(self) -> int:
        """The memory in use, roughly: Python's objects are estimated."""
        return self._table.nbytes + len(self) * (600 + 80 * len(self.fields))

    @property
    def next_id(self) -> int:
        """An id above all that were ever used."""
        return self._mended().next_id

    def __len__(self) -> int:
        return len(self._mended())

    def has(self, ids: Ids) -> npt.NDArray[np.bool_]:
        """Return whether each id is there."""
        leaders = self._mended()
        return np.array([number in leaders for number in ids.tolist()], bool)

    def read(self, items: Any, threads: int) -> _Batch:
        """Cut records into fields."""
        given = columns_of(items, list(self.fields))
        columns = self._cut(given, threads)
        kept = [[_kept(field, v) for v in given[name]] for name, field in self.fields.items()]
        return _Batch(list(zip(*kept, strict=True)), columns)

    def change(self, remove: Ids, add: Ids, items: _Batch | None, threads: int) -> None:
        """Remove records, then add others."""
        removed, added = remove.tolist(), add.tolist()
        batch = self._batch([], threads) if items is None else items
        with self._changing() as table:
            first = table.append(batch.columns)
            near: dict[int, dict[int, float]] = {number: {} for number in added}
            gone = set(removed)
            for i, number, value in self._outside(first, batch, threads):
                if number not in gone:
                    near[added[i]][number] = value
            for i, j, value in self._inside(batch, threads):
                near[added[j]][added[i]] = value
            self._leaders.change(removed, near, dict(zip(added, batch.values, strict=True)))
            table.drop(removed)
            table.give(first, added, batch.columns)

    def query(self, items: _Batch, threads: int) -> tuple[Ids, Ids, Floats]:
        """Return the numbers of records, the ids of similar ones, and their similarities."""
        with self._changing() as table:
            first = table.append(items.columns)
            found = list(self._outside(first, items, threads))
            table.leave(slice(first, first + len(items)))
        queries, ids, values = zip(*found, strict=True) if found else ((), (), ())
        return np.array(queries, np.int64), np.array(ids, np.int64), np.array(values, np.float64)

    def pairs(self) -> Pairs:
        """Return all pairs of similar records by their ids, the lower one first, in order."""
        leaders = self._mended()
        rows = sorted(
            (item, other, value)
            for item in leaders.items
            for other, value in leaders.near(item).items()
            if item < other
        )
        left, right, values = zip(*rows, strict=True) if rows else ((), (), ())
        return Pairs(
            np.array(left, np.int64), np.array(right, np.int64), np.array(values, np.float64)
        )

    def standing(self) -> Standing:
        """Return the clusters."""
        leaders = self._mended()
        items = leaders.items
        led_by = [leaders.leader(item) for item in items]
        return Standing(
            np.array(items, np.int64),
            np.array([leaders.cluster(item) for item in items], np.int64),
            np.array(led_by, np.int64),
            np.array(
                [
                    1.0 if item == leader else leaders.near(item)[leader]
                    for item, leader in zip(items, led_by, strict=True)
                ]
            ),
        )

    def parts(self) -> Arrays:
        """Return all that is needed to restore it, apart from the settings."""
        standing = self.standing()
        place = {number: i for i, number in enumerate(standing.ids.tolist())}
        leaders = [place[number] for number in standing.representatives.tolist()]
        parts: Arrays = {
            "ids": standing.ids,
            "leaders": np.array(leaders, np.int64),
            "clusters": standing.clusters,
        }
        values = [self._leaders.value(item) for item in self._leaders.items]
        for i, field in enumerate(self.fields.values()):
            column = [record[i] for record in values]
            if field.kind == "number":
                parts[f"field{i}"] = np.array([np.nan if v is None else v for v in column], "<f8")
            else:
                parts |= texts_parts(["" if v is None else str(v) for v in column], f"field{i}")
        return parts

    def restore(self, parts: Parts, next_id: int, threads: int) -> None:
        """Take parts into an empty one; anything wrong is a ValueError."""
        ids = parts.take("ids", "<i8", None).tolist()
        count = len(ids)
        places = parts.take("leaders", "<i8", count)
        clusters = parts.take("clusters", "<i8", count).tolist()
        columns: list[list[str | float | None]] = []
        for i, field in enumerate(self.fields.values()):
            if field.kind == "number":
                numbers = parts.take(f"field{i}", "<f8", count).tolist()
                columns.append([None if number != number else number for number in numbers])
            else:
                columns.append([text or None for text in parts.texts(count, f"field{i}")])
        parts.finish()
        require(len(set(ids)) == count, "ids: one is repeated")
        require(-(2**63) <= next_id < 2**63, "next id")
        require(bool(((places >= 0) & (places < count)).all()), "leaders")
        led_by = [ids[place] for place in places.tolist()]
        of_leaders = {leader: clusters[place] for leader, place in zip(led_by, places, strict=True)}
        require(
            all(c == of_leaders[leader] for c, leader in zip(clusters, led_by, strict=True)),
            "clusters",
        )
        values = dict(zip(ids, zip(*columns, strict=True), strict=True))
        batch = self._batch(list(values.values()), threads)
        near: dict[int, dict[int, float]] = {number: {} for number in ids}
        for i, j, value in self._inside(batch, threads):
            near[ids[i]][ids[j]] = near[ids[j]][ids[i]] = value
        leaders = dict(zip(ids, led_by, strict=True))
        if not self._leaders.restore(values, leaders, of_leaders, near, next_id):
            raise ValueError("its records and clusters do not fit together")
        self._fill(batch)

    def items(self) -> tuple[Ids, _Batch]:
        """Return all ids, and the records as `read` would."""
        items = self._mended().items
        return np.array(items, np.int64), self._batch([self._leaders.value(i) for i in items], 1)

    def shares(self, left: int, right: int) -> list[FieldShare]:
        """Return what each field adds to the similarity of two records."""
        leaders = self._mended()
        values = [leaders.value(left), leaders.value(right)]
        given = self._named(values)
        return RecordSet(self._cut(given, 1), given, self._least_weight, 1).shares(0, 1)

    def _cut(self, values: Mapping[str, Sequence[Any]], threads: int) -> list[Column]:
        return [Column.of(name, f, values[name], threads) for name, f in self.fields.items()]

    def _named(self, values: Sequence[Values]) -> dict[str, list[Any]]:
        return {name: [record[i] for record in values] for i, name in enumerate(self.fields)}

    def _batch(self, values: Sequence[Values], threads: int) -> _Batch:
        return _Batch(values, self._cut(self._named(values), threads))

    def _empty_table(self) -> RecordTable:
        return RecordTable(self.fields, self.threshold, self._least_weight)

    def _fill(self, batch: _Batch) -> None:
        """Make the table anew from all records."""
        self._table = self._empty_table()
        self._table.give(self._table.append(batch.columns), self._leaders.items, batch.columns)
        self._is_whole = True

    def _mended(self) -> Leaders[Values]:
        """Return the leaders, after what an interrupted change left to do."""
        self._leaders.finish()
        return self._leaders

    @contextmanager
    def _changing(self) -> Iterator[RecordTable]:
        """Give the table to a change, after one that was interrupted or left much room."""
        self._mended()
        if not self._is_whole or self._table.is_sparse:
            self._fill(self.items()[1])
        self._is_whole = False
        yield self._table
        self._is_whole = True

    def _outside(self, first: int, batch: _Batch, threads: int) -> Iterator[tuple[int, int, float]]:
        """Yield the number of a record of a batch, a similar record's id, and their similarity."""
        table = self._table
        if len(batch) * FEW > len(table):
            found = table.join(first, self.threshold, threads)
            for row, i, value in zip(
                found.left.tolist(), found.right.tolist(), found.shared.tolist(), strict=True
            ):
                yield i - first, table.id(row), value
            return
        for i in range(len(batch)):
            ids = table.candidates(batch.columns, i)
            values = table.similarities(first + i, ids)
            reached = np.flatnonzero(self._similarity.are_reached(values, None, None))
            for k in reached.tolist():
                yield i, int(ids[k]), float(values[k])

    def _inside(self, batch: _Batch, threads: int) -> Iterator[tuple[int, int, float]]:
        """Yield the similar pairs of a batch, the lower number first."""
        if len(batch) < 2:
            return
        records = RecordSet(batch.columns, {}, self._least_weight, threads)
        found = records.join(self.threshold, None)
        yield from zip(
            found.left.tolist(), found.right.tolist(), found.shared.tolist(), strict=True
        )


def _kept(field: Field, value: Any) -> str | float | None:
    """Return a value in the form in which it is kept."""
    if value is None:
        return None
    if field.kind == "number":
        return float(value)
    if field.kind == "date" and isinstance(value, datetime.date):
        return datetime.date(value.year, value.month, value.day).isoformat()
    return str(value)
