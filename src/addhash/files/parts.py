"""The parts of a model: named arrays, taken one by one with every value checked."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from addhash.arrays import Array
from addhash.errors import AddhashError, ModelFileError, ParameterError

# RecursionError is for what is nested too deeply, re.error for patterns, SyntaxError for what NumPy
# cannot read as a type.
WRONG_VALUES = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    OverflowError,
    RecursionError,
    SyntaxError,
    re.error,
)


def json_part(value: Any) -> Array:
    """Return a JSON value as an array of bytes."""
    return np.frombuffer(json.dumps(value, allow_nan=False).encode(), np.uint8)


def texts_parts(texts: Sequence[str], name: str = "texts") -> dict[str, Array]:
    """Return texts as UTF-8 and the offsets where they end."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return {f"{name}.bytes": np.frombuffer(b"".join(encoded), np.uint8), f"{name}.ends": ends}


@contextmanager
def checking(path: Any) -> Iterator[None]:
    """Turn errors in a file's values, but not in arguments, into a ModelFileError."""
    try:
        yield
    except (ModelFileError, ParameterError):
        raise
    except (*WRONG_VALUES, AddhashError) as error:
        raise ModelFileError.of(path, f"{error!s:.200}.") from error


def member(settings: Mapping[str, Any], name: str, *kinds: type) -> Any:
    """Return a member of the settings, which must have one of some types."""
    value = settings[name]
    require(type(value) in kinds, f"{name}: {value!r:.80}")
    return value


def require(condition: bool, what: str) -> None:
    """Refuse a file with something wrong in it."""
    if not condition:
        raise ValueError(f"it has wrong {what}")


class Parts:
    """The arrays of a file; each is taken once, and none may be left at the end."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = dict(arrays)

    def take(self, name: str, dtype: str, *shape: int | None) -> Array:
        """Return an array of this type and shape; None means any length."""
        require(name in self._arrays, f"arrays: {name} is missing")
        array = self._arrays.pop(name)
        fits = array.ndim == len(shape) and all(
            wanted is None or wanted == got for wanted, got in zip(shape, array.shape, strict=True)
        )
        require(array.dtype.str == dtype and fits, f"type or shape of {name}")
        return array

    def has_dtype(self, name: str, dtype: str) -> bool:
        """Return whether there is an array of this name and type."""
        return name in self._arrays and self._arrays[name].dtype.str == dtype

    def json(self, name: str) -> Any:
        """Return the value that `json_part` encoded."""
        return json.loads(self.take(name, "|u1", None).tobytes().decode("utf-8"))

    def texts(self, count: int, name: str = "texts") -> tuple[str, ...]:
        """Return the texts that `texts_parts` encoded."""
        ends = self.take(f"{name}.ends", "<i8", count)
        data = self.take(f"{name}.bytes", "|u1", int(ends[-1]) if count else 0)
        require(bool((np.diff(ends, prepend=0) >= 0).all()), f"order of {name}.ends")
        whole = data.tobytes()
        starts = [0, *ends[:-1].tolist()] if count else []
        return tuple(
            whole[start:end].decode("utf-8", "surrogatepass")
            for start, end in zip(starts, ends.tolist(), strict=True)
        )

    def finish(self) -> None:
        """Refuse arrays that nothing asked for."""
        require(not self._arrays, f"arrays: {sorted(self._arrays)!r:.80} have no meaning")
