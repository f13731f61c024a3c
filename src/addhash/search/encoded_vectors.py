"""Vectors as an index stores them: 8-bit codes to scan, and what makes them exact."""

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.arrays import Array, Integers
from addhash.files.parts import Parts, require
from addhash.parameters import MAX_FEATURES
from addhash.runtime import native
from addhash.search.growing import Room, grown
from addhash.search.vectors import as_vectors, vector_refusal

NO_PLACE = -1
FIRST_WIDE = -2
TAILED = 1
WIDE = 2
# Scales of tailed rows are numbers of 256ths.
SCALE_PARTS = 256
LARGEST = 1e120
_NO_PLACE = np.full(1, NO_PLACE, np.int64)
_NO_PLACE.flags.writeable = False
NAMES = ("codes", "scales", "norms", "slacks", "places", "tails", "wides")


@dataclass(frozen=True, eq=False)
class EncodedVectors:
    """An immutable sequence of vectors.

    A vector of integers that fit in 8 bits is its row of `codes`. One of larger integers, up to
    31,750, is ``round(scale * code) + tail``, two bytes per component. Any other is stored as is,
    in `wides`, beside the codes nearest to ``vector / scale``. `places` says which: -1, the row of
    `tails`, or -2 minus the row of `wides`. `slacks` bounds the length of ``vector - scale * code``
    relative to the norm.
    """

    codes: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float64]
    norms: npt.NDArray[np.float64]
    slacks: npt.NDArray[np.float64]
    places: Integers
    tails: npt.NDArray[np.int8]
    wides: Array
    room: Room | None = field(default=None, repr=False)

    @classmethod
    def empty(cls, n_features: int) -> "EncodedVectors":
        """Return no rows."""
        none = np.empty(0)
        codes = np.empty((0, n_features), np.int8)
        wides = np.empty((0, n_features), np.float32)
        return cls(codes, none, none, none, np.empty(0, np.int64), codes, wides)

    @classmethod
    def encode(
        cls, vectors: Any, n_features: int, threads: int, what: str = "vectors"
    ) -> "EncodedVectors":
        """Encode vectors; what a row becomes depends on its values alone."""
        matrix = as_vectors(vectors, n_features, what)
        try:
            codes, scales, norms, slacks, kinds = native.encode(matrix, threads)
        except native.Failure as failure:
            raise vector_refusal(failure.status, failure.position, what) from None
        if not kinds.any():
            places = _NO_PLACE if len(codes) == 1 else np.full(len(codes), NO_PLACE, np.int64)
            wides = np.empty((0, n_features), np.float32)
            return cls(codes, scales, norms, slacks, places, codes[:0], wides)
        places = np.full(len(codes), NO_PLACE, np.int64)
        tailed = np.flatnonzero(kinds == TAILED)
        places[tailed] = np.arange(len(tailed))
        tails = (matrix[tailed] - _wholes(codes[tailed], scales[tailed])).astype(np.int8)
        wide = np.flatnonzero(kinds == WIDE)
        places[wide] = FIRST_WIDE - np.arange(len(wide))
        # Adding zero makes -0.0 the same as 0.0.
        wides = _narrowest(matrix[wide] + 0.0)
        return cls(codes, scales, norms, slacks, places, tails, wides)

    def __len__(self) -> int:
        return len(self.codes)

    def __reduce__(self) -> Any:
        return EncodedVectors, self.arrays()

    def arrays(self) -> tuple[Array, ...]:
        """Return the arrays in the order of NAMES."""
        return (
            self.codes,
            self.scales,
            self.norms,
            self.slacks,
            self.places,
            self.tails,
            self.wides,
        )

    @property
    def n_features(self) -> int:
        """The width of the vectors."""
        return int(self.codes.shape[1])

    @property
    def nbytes(self) -> int:
        """The memory of all arrays."""
        return sum(array.nbytes for array in self.arrays())

    @cached_property
    def native(self) -> native.Rows:
        """The native search's input; made once."""
        return native.Rows(*self.arrays())

    def nearest(
        self,
        queries: "EncodedVectors",
        k: int,
        threads: int,
        ranks: Integers | None = None,
        groups: Integers | None = None,
        excluded: Integers | None = None,
    ) -> tuple[Integers, npt.NDArray[np.float64]]:
        """Return positions and cosines of the k best rows, or all if there are fewer.

        Ties go to the lower of the rows' `ranks`, or to the first row. A query does not match rows
        of the group `excluded` for it; positions are then -1, and cosines NaN, if too few are left.
        """
        k = min(k, len(self))
        if k == 0 or len(queries) == 0:
            shape = (len(queries), k)
            return np.empty(shape, np.int64), np.empty(shape)
        return native.search(self.native, queries.native, ranks, groups, excluded, k, threads)

    def take(self, positions: Integers) -> "EncodedVectors":
        """Return the rows at some positions, in that order."""
        places = self.places[positions]
        tailed = places >= 0
        wide = places <= FIRST_WIDE
        tails = self.tails[places[tailed]]
        wides = self.wides[FIRST_WIDE - places[wide]]
        places[tailed] = np.arange(len(tails))
        places[wide] = FIRST_WIDE - np.arange(len(wides))
        return EncodedVectors(
            self.codes[positions],
            self.scales[positions],
            self.norms[positions],
            self.slacks[positions],
            places,
            tails,
            _narrowest(wides),
        )

    def appended(self, more: "EncodedVectors") -> "EncodedVectors":
        """Return these rows followed by others.

        Appending row by row takes time in proportion to the rows appended: there is spare room
        after the rows, which goes to the first sequence that extends them.
        """
        if len(self) == 0:
            return more
        places = more.places.copy()
        places[places >= 0] += len(self.tails)
        places[places <= FIRST_WIDE] -= len(self.wides)
        added = (more.codes, more.scales, more.norms, more.slacks, places, more.tails, more.wides)
        rows, room = grown(self.arrays(), added, self.room)
        codes, scales, norms, slacks, places, tails, wides = rows
        return EncodedVectors(codes, scales, norms, slacks, places, tails, wides, room)

    def replaced(self, positions: Integers, more: "EncodedVectors") -> "EncodedVectors":
        """Return these rows with others at some positions."""
        order = np.arange(len(self))
        order[positions] = len(self) + np.arange(len(more))
        return self.appended(more).take(order)

    def decode(self) -> Array:
        """Return the exact vectors: int64 if all are stored as integers, otherwise float64."""
        tailed = np.flatnonzero(self.places >= 0)
        wide = np.flatnonzero(self.places <= FIRST_WIDE)
        vectors = self.codes.astype(np.float64 if len(wide) else np.int64)
        vectors[tailed] = _wholes(self.codes[tailed], self.scales[tailed])
        vectors[tailed] += self.tails[self.places[tailed]]
        vectors[wide] = self.wides[FIRST_WIDE - self.places[wide]]
        return vectors

    def digests(self) -> list[bytes]:
        """Return 16 bytes per row that are the same only for the same vector."""
        result = []
        for i, place in enumerate(self.places.tolist()):
            if place <= FIRST_WIDE:
                row = self.wides[FIRST_WIDE - place].astype("<f8")
                result.append(blake2b(row.tobytes(), digest_size=16, person=b"wide").digest())
                continue
            digest = blake2b(self.codes[i].tobytes(), digest_size=16)
            if place >= 0:
                digest.update(self.tails[place].tobytes())
                digest.update(int(self.scales[i] * SCALE_PARTS).to_bytes(4, "little"))
            result.append(digest.digest())
        return result

    def parts(self) -> dict[str, Array]:
        """Return the arrays under their names in a file; they depend on the vectors alone."""
        found = {f"rows.{name}": array for name, array in zip(NAMES, self.arrays(), strict=True)}
        return found | {"rows.wides": _narrowest(self.wides)}

    @classmethod
    def from_parts(cls, parts: Parts, n_features: int) -> "EncodedVectors":
        """Return rows that are safe to search, from the arrays of a file."""
        require(1 <= n_features <= MAX_FEATURES, f"width: {n_features}")
        codes = parts.take("rows.codes", "|i1", None, n_features)
        scales, norms, slacks = (
            parts.take(f"rows.{name}", "<f8", len(codes)) for name in ("scales", "norms", "slacks")
        )
        places = parts.take("rows.places", "<i8", len(codes))
        tails = parts.take("rows.tails", "|i1", None, n_features)
        dtype = "<f4" if parts.has_dtype("rows.wides", "<f4") else "<f8"
        wides = parts.take("rows.wides", dtype, None, n_features)
        # Also false for NaN.
        largest = min(LARGEST, float(np.finfo(wides.dtype).max))
        require(bool((np.abs(wides) <= largest).all()), "values in rows.wides")
        rows = cls(codes, scales, norms, slacks, places, tails, wides)
        rows.native  # noqa: B018  checks the rest
        return rows


def _wholes(codes: Array, scales: Array) -> Array:
    """Return scale * code, rounded to integers as the native core does it."""
    parts = (scales * SCALE_PARTS).astype(np.int32)
    wholes: Array = (codes * parts[:, None] + SCALE_PARTS // 2) >> 8
    return wholes


def _narrowest(wides: Array) -> Array:
    """Return floats as float32 if that is exact, so that equal vectors have one form."""
    if wides.dtype == np.float32:
        return wides
    wides = wides.astype(np.float64, copy=False)
    with np.errstate(over="ignore"):
        single = wides.astype(np.float32)
    return single if np.array_equal(single, wides) else wides
