"""The parts of models as arrays of a file, and back with every value checked."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.encoded_rows import NAMES, EncodedRows
from addhash.errors import AddhashError, ModelFileError, ParameterError
from addhash.exact_sums import ExactSums

__all__ = [
    "Parts",
    "checking",
    "classes_to_array",
    "member",
    "rows_to_arrays",
    "sums_to_arrays",
    "texts_to_arrays",
]

Array = npt.NDArray[Any]
Integers = npt.NDArray[np.int64]

LARGEST = 1e120
MAX_LIMB = 80
MAX_FEATURES = 1 << 20


def rows_to_arrays(rows: EncodedRows) -> dict[str, Array]:
    """Return the arrays of encoded rows under their names in a file."""
    return {f"rows.{name}": array for name, array in zip(NAMES, rows.arrays(), strict=True)}


def classes_to_array(classes: Array | None) -> Array:
    """Return labels as JSON in an array of bytes; None stands for no labels at all."""
    labels = None if classes is None else classes.tolist()
    for label in labels or []:
        if not isinstance(label, str | int | float):
            raise ModelFileError(
                f"Cannot save the label {label!r:.80} of type {type(label).__name__};"
                " labels must be texts or numbers."
            )
    return np.frombuffer(json.dumps(labels, allow_nan=False).encode(), np.uint8)


def texts_to_arrays(texts: Sequence[str]) -> dict[str, Array]:
    """Return texts as UTF-8 and the places where they end."""
    encoded = [text.encode("utf-8") for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return {"texts.bytes": np.frombuffer(b"".join(encoded), np.uint8), "texts.ends": ends}


def sums_to_arrays(sums: ExactSums) -> dict[str, Array]:
    """Return exact sums: the numbers of the limbs, and their digits, which fit 32 bits."""
    limbs = np.array(list(sums.limbs), np.int64)
    digits = np.empty((len(limbs), sums.count, sums.n_features), np.int32)
    for i, limb in enumerate(sums.limbs.values()):
        digits[i] = limb
    return {"sums.limbs": limbs, "sums.digits": digits}


@contextmanager
def checking(path: Any) -> Iterator[None]:
    """Turn what goes wrong with a file's values, but not with arguments, into a ModelFileError."""
    try:
        yield
    except (ModelFileError, ParameterError):
        raise
    except (AddhashError, ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
        raise ModelFileError(f"Cannot load {str(path)!r}: {error!s:.200}.") from error


def member(about: Mapping[str, Any], name: str, *kinds: type) -> Any:
    """Return a member of a description that must be of one of some types."""
    value = about[name]
    _require(type(value) in kinds, f"{name}: {value!r:.80}")
    return value


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(f"it has wrong {what}")


class Parts:
    """The arrays of a file; each is taken once, and at the end none may be left."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = dict(arrays)

    def take(self, name: str, dtype: str, *shape: int | None) -> Array:
        """Return an array of this type and shape; None stands for any length."""
        _require(name in self._arrays, f"arrays: {name} is missing")
        array = self._arrays.pop(name)
        fits = array.ndim == len(shape) and all(
            wanted is None or wanted == got for wanted, got in zip(shape, array.shape, strict=True)
        )
        _require(array.dtype.str == dtype and fits, f"type or shape of {name}")
        return array

    def finish(self) -> None:
        """Refuse arrays that nothing asked for."""
        _require(not self._arrays, f"arrays: {sorted(self._arrays)!r:.80} have no meaning")

    def rows(self, n_features: int) -> EncodedRows:
        """Return encoded rows that are safe to search."""
        _require(1 <= n_features <= MAX_FEATURES, f"width: {n_features}")
        codes = self.take("rows.codes", "|i1", None, n_features)
        scales, norms, slacks = (
            self.take(f"rows.{name}", "<f8", len(codes)) for name in ("scales", "norms", "slacks")
        )
        places = self.take("rows.places", "<i8", len(codes))
        tails = self.take("rows.tails", "|i1", None, n_features)
        dtype = "<f4" if self._is_single("rows.wides") else "<f8"
        wides = self.take("rows.wides", dtype, None, n_features)
        # Also false for NaN.
        largest = min(LARGEST, float(np.finfo(wides.dtype).max))
        _require(bool((np.abs(wides) <= largest).all()), "values in rows.wides")
        rows = EncodedRows(codes, scales, norms, slacks, places, tails, wides)
        rows.native  # noqa: B018  checks the rest
        return rows

    def _is_single(self, name: str) -> bool:
        return name in self._arrays and self._arrays[name].dtype == np.float32

    def classes(self, name: str = "classes") -> Array | None:
        """Return labels, sorted and each once."""
        labels = json.loads(self.take(name, "|u1", None).tobytes().decode("utf-8"))
        if labels is None:
            return None
        kinds = {str} if labels and isinstance(labels[0], str) else {int, float, bool}
        _require(isinstance(labels, list) and all(type(x) in kinds for x in labels), name)
        _require(all(a < b for a, b in pairwise(labels)), f"order of {name}")
        return np.array(labels, np.int64 if not labels else None)

    def codes(self, count: int, n_classes: int) -> Integers:
        """Return numbers of classes."""
        codes = self.take("labels", "<i8", count)
        _require(bool(((codes >= 0) & (codes < n_classes)).all()), "labels")
        return codes

    def sums(self, n_features: int, count: int) -> ExactSums:
        """Return exact sums in their only form."""
        _require(1 <= n_features <= MAX_FEATURES, f"width: {n_features}")
        limbs = self.take("sums.limbs", "<i8", None)
        digits = self.take("sums.digits", "<i4", len(limbs), count, n_features)
        _require(bool((np.diff(limbs, prepend=-1) > 0).all()), "order of sums.limbs")
        _require(bool((limbs < MAX_LIMB).all()), "sums.limbs")
        _require(all(limb.any() for limb in digits), "sums.digits: one has zeros only")
        sums = ExactSums(n_features, count)
        sums.limbs = {
            j: limb.astype(np.int64) for j, limb in zip(limbs.tolist(), digits, strict=True)
        }
        return sums

    def texts(self, count: int) -> list[str]:
        """Return texts."""
        ends = self.take("texts.ends", "<i8", count)
        data = self.take("texts.bytes", "|u1", int(ends[-1]) if count else 0)
        _require(bool((np.diff(ends, prepend=0) >= 0).all()), "order of texts.ends")
        whole = data.tobytes()
        starts = [0, *ends[:-1].tolist()] if count else []
        return [
            whole[start:end].decode("utf-8")
            for start, end in zip(starts, ends.tolist(), strict=True)
        ]
