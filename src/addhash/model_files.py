"""Files of models: safetensors with a description in the header, written whole or not at all."""

import hashlib
import json
import math
import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from addhash.errors import ModelFileError
from addhash.whole_files import whole_file

__all__ = ["read_model", "write_model"]

Array = npt.NDArray[Any]
Arrays = Mapping[str, Array]

FORMAT = 1
LENGTH_BYTES = 8
MAX_HEADER = 1 << 20
MAX_DIMENSIONS = 3
DESCRIPTION = "addhash"
DTYPES: dict[str, np.dtype[Any]] = {
    "U8": np.dtype("u1"),
    "I8": np.dtype("i1"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
}


def write_model(path: Any, kind: str, description: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a model to a file; a crash leaves the file that was there, or the new one.

    The same model always gives the same bytes.

    Parameters
    ----------
    path : str or path-like
    kind : str
        The class of the model.
    description : dict
        Whatever JSON can hold.
    arrays : dict of ndarrays
        Of the types in DTYPES.
    """
    path = Path(path)
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    about = {"format": FORMAT, "kind": kind, "model": dict(description)}
    about["digest"] = _digest(about, arrays)
    text = json.dumps(about, sort_keys=True, separators=(",", ":"), allow_nan=False)
    if len(text) > MAX_HEADER // 2:
        raise ModelFileError(
            f"The description of the {kind} takes {len(text)} bytes, more than the"
            f" {MAX_HEADER // 2} that a model file can hold; are its stop words that many?"
        )
    with whole_file(path) as file:
        save_file(dict(arrays), file.name, {DESCRIPTION: text})


def _digest(about: Mapping[str, Any], arrays: Arrays) -> str:
    """Return a digest of everything in a file but itself."""
    digest = hashlib.sha256()
    rest = {name: value for name, value in about.items() if name != "digest"}
    shapes = {name: [array.dtype.str, list(array.shape)] for name, array in arrays.items()}
    digest.update(json.dumps([rest, shapes], sort_keys=True).encode())
    for name in sorted(arrays):
        if arrays[name].size:
            digest.update(arrays[name].reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def read_model(path: Any, kind: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """Read a model's description and map its arrays into memory.

    Parameters
    ----------
    path : str or path-like
    kind : str
        The class of the model to expect.

    Returns
    -------
    description : dict
    arrays : dict of ndarrays
        Read-only; they stay valid if the file is replaced or removed, not if it is overwritten.

    Raises
    ------
    ModelFileError
        If the file is not exactly what `write_model` writes.
    """
    path = Path(path)
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        header = _header(file, size, path)
        _check_with_library(path)
        memory = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    about = _description(header, path)
    arrays = _arrays(header, memory, path)
    if about["kind"] != kind:
        _refuse(path, f"it holds a {about['kind']!r:.80}, not a {kind!r}; use the class it names")
    if about["digest"] != _digest(about, arrays):
        _refuse(path, "its content does not match its digest: it was damaged or changed")
    return about["model"], arrays


def _refuse(path: Path, why: str) -> NoReturn:
    raise ModelFileError(f"Cannot load {str(path)!r}: {why}.")


def _header(file: Any, size: int, path: Path) -> dict[str, Any]:
    """Return the header as it is, once its size is plausible."""
    if size < LENGTH_BYTES:
        _refuse(path, f"it has {size} bytes, too few for a model file")
    length = int.from_bytes(file.read(LENGTH_BYTES), "little")
    if length > size - LENGTH_BYTES:
        _refuse(path, f"its header of {length} bytes is longer than the file of {size}")
    if length > MAX_HEADER:
        _refuse(path, f"its header of {length} bytes is longer than {MAX_HEADER}")
    try:
        header = json.loads(file.read(length).decode("utf-8"), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(
            f"Cannot load {str(path)!r}: its header is no JSON of a model file ({error!s:.80})."
        ) from error
    if not isinstance(header, dict):
        _refuse(path, "its header is no JSON object")
    return header


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a name occurs twice")
    return result


def _check_with_library(path: Path) -> None:
    try:
        with safe_open(path, framework="numpy"):
            pass
    except SafetensorError as error:
        raise ModelFileError(
            f"Cannot load {str(path)!r}: it is no safetensors file ({error!s:.80})."
        ) from error


def _description(header: dict[str, Any], path: Path) -> dict[str, Any]:
    metadata = header.pop("__metadata__", None)
    if not isinstance(metadata, dict) or list(metadata) != [DESCRIPTION]:
        _refuse(path, "it is a safetensors file, but not one of addhash")
    try:
        about = json.loads(metadata[DESCRIPTION], object_pairs_hook=_unique)
    except (TypeError, ValueError, RecursionError):
        _refuse(path, "its description is no JSON")
    expected = {"format": int, "kind": str, "model": dict, "digest": str}
    if (
        not isinstance(about, dict)
        or about.keys() != expected.keys()
        or not all(type(about[name]) is kind for name, kind in expected.items())
    ):
        _refuse(path, "its description lacks what every model has")
    if about["format"] != FORMAT:
        _refuse(
            path,
            f"it has format {about['format']}, of which this version knows {FORMAT} only;"
            " a newer addhash may read it",
        )
    return about


def _arrays(header: dict[str, Any], memory: mmap.mmap, path: Path) -> dict[str, Array]:
    """Return views of the arrays, which must fill the file without gap or overlap."""
    length = int.from_bytes(memory[:LENGTH_BYTES], "little")
    start = LENGTH_BYTES + length
    spans = []
    arrays = {}
    for name, entry in header.items():
        dtype, shape, (begin, end) = _entry(entry, name, path)
        spans.append((begin, end))
        # Python's integers do not overflow: a shape cannot claim more than its bytes.
        count = math.prod(shape)
        if count * dtype.itemsize != end - begin or end > len(memory) - start:
            _refuse(path, f"its array {name!r:.80} does not fit the bytes it is given")
        if (start + begin) % dtype.itemsize:
            _refuse(path, f"its array {name!r:.80} is not aligned")
        flat = np.frombuffer(memory, dtype, count, start + begin) if count else np.empty(0, dtype)
        arrays[name] = flat.reshape(shape)
    reached = 0
    for begin, end in sorted(spans):
        if begin != reached:
            _refuse(path, "its arrays overlap or leave gaps")
        reached = end
    if start + reached != len(memory):
        _refuse(path, "it has bytes that belong to no array")
    return arrays


def _entry(entry: Any, name: str, path: Path) -> tuple[np.dtype[Any], list[int], list[int]]:
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        _refuse(path, f"its array {name!r:.80} is not described")
    shape, offsets = entry["shape"], entry["data_offsets"]
    if not isinstance(entry["dtype"], str) or entry["dtype"] not in DTYPES:
        _refuse(path, f"its array {name!r:.80} has a type that models do not have")
    for numbers in (shape, offsets):
        if not isinstance(numbers, list) or not all(type(n) is int and n >= 0 for n in numbers):
            _refuse(path, f"its array {name!r:.80} has no valid shape or place")
    if len(offsets) != 2 or len(shape) > MAX_DIMENSIONS or max(shape, default=0) >= 2**48:
        _refuse(path, f"its array {name!r:.80} has no valid shape or place")
    return DTYPES[entry["dtype"]], shape, offsets
