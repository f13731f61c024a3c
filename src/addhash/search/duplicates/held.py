"""What an index of duplicates holds: texts or records."""

from collections.abc import Sized
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from addhash.arrays import Floats, Ids
from addhash.files.parts import Parts
from addhash.files.saved_model import Arrays
from addhash.search.duplicates.result import Pairs


class Standing(NamedTuple):
    """Each item in the order in which it was added: its cluster and its representative."""

    ids: Ids
    clusters: Ids
    representatives: Ids
    similarity: Floats


class Held(Protocol):
    """Items with ids, and which of them are similar. Its owner makes threads take turns."""

    noun: str  # what an item is called

    @property
    def settings(self) -> dict[str, Any]:
        """What decides which items are similar; JSON."""

    @property
    def threshold(self) -> float:
        """The lowest similarity of duplicates."""

    @property
    def nbytes(self) -> int:
        """The memory in use."""

    @property
    def next_id(self) -> int:
        """An id above all that were ever used."""

    def __len__(self) -> int: ...

    def has(self, ids: Ids) -> npt.NDArray[np.bool_]:
        """Return whether each id is there."""

    def read(self, items: Any, threads: int) -> Sized:
        """Return items as they are added and asked for; needs no lock."""

    def change(self, remove: Ids, add: Ids, items: Any, threads: int) -> None:
        """Remove items that are there; then add new ones, as `read` returned them."""

    def query(self, items: Any, threads: int) -> tuple[Ids, Ids, Floats]:
        """Return the numbers of items, the ids of similar ones, and their similarities."""

    def pairs(self) -> Pairs:
        """Return all pairs of similar items by their ids, the lower one first, in order."""

    def standing(self) -> Standing:
        """Return the clusters."""

    def parts(self) -> Arrays:
        """Return all that is needed to restore it, apart from the settings."""

    def restore(self, parts: Parts, next_id: int, threads: int) -> None:
        """Take parts into an empty one; anything wrong is a ValueError."""

    def items(self) -> tuple[Ids, Any]:
        """Return all ids, and the items as `read` would."""
