"""Records that come and go, cut into fields, and where similar values of a field are."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from addhash.arrays import Floats, Ids
from addhash.runtime import native
from addhash.search.duplicates.fields import Column, Field
from addhash.search.duplicates.grouping import SimilarSets
from addhash.search.duplicates.records import RecordSet, presence_of
from addhash.search.growing import Room, grown

PARTS = 1_000_000  # of the threshold
NONE = np.empty(0, np.int64)
# Room for rows that are not in use, beside as many as there are records.
SPARE = 1024


class RecordTable:
    """Records with ids, one in each row, and for each field the ids by similar values.

    A row that is left has no fields, and so is similar to none. A mean reaches the threshold only
    if one of the fields does: records with similar values are all that can be similar.
    """

    def __init__(self, fields: Mapping[str, Field], threshold: float, least_weight: float) -> None:
        self._fields = fields
        self._least_weight = least_weight
        # A little less than the threshold, so that rounding loses nothing.
        parts = math.floor(threshold * PARTS - 0.01)
        self._finders: list[_Finder] | None = None  # if everything is similar enough
        if parts > 0:
            self._finders = [_finder(field, parts) for field in fields.values()]
        self._sets = [native.TokenSets() for _ in fields]
        self._numbers: list[Floats] = [np.empty(0) for _ in fields]
        self._presence = np.empty(0, np.uint32)
        self._room: Room | None = None
        self._rows: dict[int, int] = {}
        self._ids: list[int] = []  # by row; nothing looks at those of rows that are nobody's

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def nbytes(self) -> int:
        """The memory of the rows and of what finds them."""
        held = sum(sets.nbytes for sets in self._sets)
        held += sum(numbers.nbytes for numbers in self._numbers) + self._presence.nbytes
        finders = self._finders or []
        return held + sum(finder.nbytes for finder in finders)

    @property
    def is_sparse(self) -> bool:
        """Whether there are so many unused rows that it is better made anew."""
        return len(self._ids) > 2 * len(self._rows) + SPARE

    def append(self, columns: list[Column]) -> int:
        """Add rows that are nobody's yet, and return the number of the first."""
        first = len(self._ids)
        added: list[npt.NDArray[Any]] = [presence_of(columns)]
        for sets, column in zip(self._sets, columns, strict=True):
            if column.sets is None:
                added.append(column.numbers)
            else:
                count = len(column.sets)
                sets.add_arrays(column.sets.sizes(0, count), column.sets.hashes(0, count))
                added.append(np.zeros(count))
        held: tuple[npt.NDArray[Any], ...] = (self._presence, *self._numbers)
        (self._presence, *self._numbers), self._room = grown(held, tuple(added), self._room)
        self._ids.extend([0] * len(added[0]))
        return first

    def give(self, first: int, ids: list[int], columns: list[Column]) -> None:
        """Give the rows from `first` on, which `append` made of these columns, to ids."""
        for row, number in enumerate(ids, first):
            self._rows[number] = row
            self._ids[row] = number
        array = np.array(ids, np.int64)
        if self._finders is None:
            return
        for finder, column in zip(self._finders, columns, strict=True):
            finder.add(array[column.present], _those(column, column.present))

    def leave(self, rows: Any) -> None:
        """Leave rows that are nobody's."""
        self._presence[rows] = 0

    def drop(self, ids: Iterable[int]) -> None:
        """Remove records."""
        gone = list(ids)
        for finder in self._finders or ():
            finder.drop(gone)
        for number in gone:
            self._presence[self._rows.pop(number)] = 0

    def id(self, row: int) -> int:
        """Return the id of a row."""
        return self._ids[row]

    def candidates(self, columns: list[Column], i: int) -> Ids:
        """Return the ids of all records that can be similar to number i of some others."""
        if self._finders is None:
            return np.array(sorted(self._rows), np.int64)
        found = [
            finder.near(_those(column, slice(i, i + 1)))
            for finder, column in zip(self._finders, columns, strict=True)
            if column.present[i]
        ]
        return np.unique(np.concatenate([NONE, *found]))

    def similarities(self, row: int, ids: Ids) -> Floats:
        """Return the similarity of a row to records."""
        rows = np.array([self._rows[number] for number in ids.tolist()], np.int64)
        found: Floats = self._record_set(1).shared(rows, np.full(len(rows), row))
        return found

    def join(self, first: int, threshold: float, threads: int) -> SimilarSets:
        """Find all similar pairs of a row before one and a row from there on."""
        return self._record_set(threads).join(threshold, first)

    def _record_set(self, threads: int) -> RecordSet:
        columns = [
            Column(name, field, np.empty(0, bool), None if _is_number(field) else sets, numbers)
            for (name, field), sets, numbers in zip(
                self._fields.items(), self._sets, self._numbers, strict=True
            )
        ]
        return RecordSet(columns, {}, self._least_weight, threads, self._presence)


def _is_number(field: Field) -> bool:
    return field.kind == "number" or (field.kind == "date" and field.tolerance > 0)


def _those(column: Column, wanted: Any) -> Any:
    """Return the sets or the numbers of some records."""
    if column.sets is None:
        return column.numbers[wanted]
    chosen = native.TokenSets()
    if isinstance(wanted, slice):
        bounds = wanted.start, wanted.stop
        chosen.add_arrays(column.sets.sizes(*bounds), column.sets.hashes(*bounds))
        return chosen
    sizes = column.sets.sizes(0, len(column.sets))
    hashes = column.sets.hashes(0, len(column.sets))
    chosen.add_arrays(sizes[wanted], hashes[np.repeat(wanted, sizes)])
    return chosen


class _Finder(Protocol):
    """The ids of records by the value of a field."""

    @property
    def nbytes(self) -> int:
        """The memory in use."""

    def add(self, ids: Ids, values: Any) -> None:
        """Add ids with their sets or numbers."""

    def drop(self, ids: list[int]) -> None:
        """Remove those ids that are there."""

    def near(self, values: Any) -> Ids:
        """Return the ids of values similar enough to one, and perhaps of others."""


def _finder(field: Field, parts: int) -> _Finder:
    if _is_number(field):
        return _NumberFinder((1 - parts / PARTS) * field.tolerance)
    return _SetFinder(parts)


class _SetFinder:
    def __init__(self, parts: int) -> None:
        self._sets = native.Collection(measure="jaccard", numerator=parts, denominator=PARTS)

    @property
    def nbytes(self) -> int:
        return self._sets.nbytes

    def add(self, ids: Ids, values: native.TokenSets) -> None:
        self._sets.change(remove=NONE, add=ids, sets=values, threads=1)

    def drop(self, ids: list[int]) -> None:
        array = np.array(ids, np.int64)
        there = array[self._sets.has(array)]
        self._sets.change(remove=there, add=NONE, sets=native.TokenSets(), threads=1)

    def near(self, values: native.TokenSets) -> Ids:
        return self._sets.query(values, threads=1)[1].view(np.int64)


class _NumberFinder:
    """Numbers in order, with their ids."""

    def __init__(self, reach: float) -> None:
        self._reach = reach
        self._numbers = np.empty(0)
        self._ids = NONE
        self._known: dict[int, float] = {}

    @property
    def nbytes(self) -> int:
        return self._numbers.nbytes + self._ids.nbytes + 100 * len(self._known)

    def add(self, ids: Ids, values: Floats) -> None:
        order = np.argsort(values, kind="stable")
        places = np.searchsorted(self._numbers, values[order])
        self._numbers = np.insert(self._numbers, places, values[order])
        self._ids = np.insert(self._ids, places, ids[order])
        self._known.update(zip(ids.tolist(), values.tolist(), strict=True))

    def drop(self, ids: list[int]) -> None:
        places = []
        for number in ids:
            value = self._known.pop(number, None)
            if value is None:
                continue
            start, end = (int(np.searchsorted(self._numbers, value, s)) for s in ("left", "right"))
            places.append(start + int(np.flatnonzero(self._ids[start:end] == number)[0]))
        self._numbers = np.delete(self._numbers, places)
        self._ids = np.delete(self._ids, places)

    def near(self, values: Floats) -> Ids:
        value = values[0]
        low = np.nextafter(value - self._reach, -np.inf)
        high = np.nextafter(value + self._reach, np.inf)
        start = np.searchsorted(self._numbers, low, "left")
        end = np.searchsorted(self._numbers, high, "right")
        return self._ids[start:end]
