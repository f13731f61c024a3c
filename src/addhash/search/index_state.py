"""What an index contains at one moment: vectors, their ids, and their texts if kept."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.arrays import Ids
from addhash.errors import IdError
from addhash.files.parts import Parts, member, texts_parts
from addhash.search.encoded_vectors import EncodedVectors
from addhash.search.growing import Room, grown


@dataclass(frozen=True, eq=False)
class IndexState:
    """Vectors in the order in which they were added. A change returns a new state."""

    rows: EncodedVectors
    ids: Ids
    next_id: int
    texts: tuple[str, ...] | None
    room: Room | None = field(default=None, repr=False)  # after the ids

    @classmethod
    def empty(cls, n_features: int, keeps_texts: bool = False) -> "IndexState":
        """Return the state of an index without vectors."""
        none = np.empty(0, np.int64)
        return cls(EncodedVectors.empty(n_features), none, 0, () if keeps_texts else None)

    def added(
        self, rows: EncodedVectors, ids: Any = None, texts: tuple[str, ...] | None = None
    ) -> tuple["IndexState", Ids]:
        """Return a state with more vectors, and their ids: those given, or larger ones."""
        if ids is None:
            if self.next_id + len(rows) > np.iinfo(np.int64).max:
                raise IdError("There are no larger ids left to assign; pass ids.")
            new = np.arange(self.next_id, self.next_id + len(rows), dtype=np.int64)
        else:
            new = as_ids(ids)
            self._check_new(new, len(rows))
        if len(new) == 0:
            return self, new
        (all_ids,), room = grown((self.ids,), (new,), self.room)
        state = IndexState(
            self.rows.appended(rows),
            all_ids,
            max(self.next_id, int(new.max()) + 1),
            None if self.texts is None else self.texts + (texts or ()),
            room,
        )
        return state, new

    def removed(self, ids: Any) -> "IndexState":
        """Return a state without some vectors."""
        unwanted = as_ids(ids)
        found = self.positions_of(unwanted)
        if (found < 0).any():
            missing = int(unwanted[found < 0][0])
            raise IdError(f"The index has no id {missing}; nothing was removed.")
        kept = np.ones(len(self.ids), bool)
        kept[found] = False
        positions = np.flatnonzero(kept)
        return replace(
            self,
            rows=self.rows.take(positions),
            ids=self.ids[positions],
            room=None,
            texts=None if self.texts is None else tuple(self.texts[i] for i in positions.tolist()),
        )

    def positions_of(self, ids: Ids) -> Ids:
        """Return where ids are, -1 for missing ones."""
        if len(self.ids) == 0:
            return np.full(len(ids), -1, np.int64)
        order = np.argsort(self.ids, kind="stable")
        places = np.searchsorted(self.ids, ids, sorter=order)
        found = order[np.minimum(places, len(order) - 1)]
        return np.where(self.ids[found] == ids, found, -1)

    def _check_new(self, ids: Ids, count: int) -> None:
        if len(ids) != count:
            raise IdError(f"Expected an id for each of {count} vectors, got {len(ids)} ids.")
        values, counts = np.unique(ids, return_counts=True)
        taken = np.concatenate([values[counts > 1], ids[self.positions_of(ids) >= 0]])
        if len(taken):
            raise IdError(
                f"The id {int(taken[0])} is taken; ids must be unique. Nothing was added."
            )

    def batches(self, size: int) -> Iterator[tuple[Ids, npt.NDArray[Any]]]:
        """Yield ids and vectors in the order in which they were added."""
        for start in range(0, len(self.ids), size):
            positions = np.arange(start, min(start + size, len(self.ids)))
            yield self.ids[positions], self.rows.take(positions).decode()

    def parts(self) -> dict[str, npt.NDArray[Any]]:
        """Return the state as arrays."""
        texts = {} if self.texts is None else texts_parts(self.texts)
        return self.rows.parts() | {"ids": self.ids} | texts

    @classmethod
    def from_parts(
        cls, parts: Parts, settings: Mapping[str, Any], n_features: int, keeps_texts: bool = False
    ) -> "IndexState":
        """Return the state that `parts` came from."""
        rows = EncodedVectors.from_parts(parts, n_features)
        ids = parts.take("ids", "<i8", len(rows))
        texts = parts.texts(len(rows)) if keeps_texts else None
        next_id = member(settings, "next_id", int)
        if len(np.unique(ids)) != len(ids) or next_id <= ids.max(initial=-1):
            raise ValueError("its ids are not unique, or not all below next_id")
        return cls(rows, ids, next_id, texts)

    def __reduce__(self) -> Any:
        return IndexState, (self.rows, self.ids, self.next_id, self.texts)


def as_ids(ids: Any) -> Ids:
    """Return ids as an array, or refuse anything but integers."""
    array = np.asarray(ids)
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise IdError(
            f"Expected a list of integer ids, got an array of {array.dtype} and shape"
            f" {array.shape}."
        )
    if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
        raise IdError(f"Expected ids below 2**63, got {array.max()}.")
    return array.astype(np.int64)
