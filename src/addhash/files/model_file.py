"""Model files: safetensors with a description in the header, written completely or not at all.

The header's metadata has one entry, ``addhash``: JSON with the layout's number (`format`), the
version of addhash that wrote the file (`version`), the class of the model (`kind`), how it was made
(`settings`), what its user says about it (`metadata`), and a `digest` of all of this and of the
arrays. A file is read into memory, so it can be replaced, changed or removed meanwhile.
"""

import hashlib
import json
import math
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

import addhash
from addhash.arrays import Array
from addhash.errors import ModelFileError, ParameterError
from addhash.files.whole import whole_file

Arrays = Mapping[str, Array]

FORMAT = 2
LENGTH_BYTES = 8
MAX_HEADER = 1 << 20
MAX_DIMENSIONS = 3
MAX_METADATA = 1 << 16
DESCRIPTION = "addhash"
ENTRIES = {
    "format": int,
    "version": str,
    "kind": str,
    "settings": dict,
    "metadata": dict,
    "digest": str,
}
# In the order of safetensors, which writes the last ones first.
DTYPES: dict[str, np.dtype[Any]] = {
    "U8": np.dtype("u1"),
    "I8": np.dtype("i1"),
    "I32": np.dtype("<i4"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
    "I64": np.dtype("<i8"),
}


@dataclass
class ModelBytes:
    """Stands for the path of a file whose content is held in memory."""

    content: bytes = b""

    def __str__(self) -> str:
        return f"{len(self.content)} bytes"


@dataclass(frozen=True)
class ModelFile:
    """The content of a file; its arrays are read-only."""

    kind: str
    version: str
    settings: dict[str, Any]
    metadata: dict[str, str]
    digest: str
    arrays: dict[str, Array]


@dataclass(frozen=True)
class ModelSummary:
    """The description of a model file, for `inspect`.

    Attributes
    ----------
    kind : str
        The class of the model, such as "TextClassifier".
    version : str
        The version of addhash that wrote the file.
    settings : dict
        How the model was made.
    metadata : dict of str to str
        The metadata its user passed to `save`.
    digest : str
        The SHA-256 of everything in the file but itself.
    arrays : dict of str to (dtype, shape)
    n_bytes : int
        The size of the file.
    """

    kind: str
    version: str
    settings: dict[str, Any]
    metadata: dict[str, str]
    digest: str
    arrays: dict[str, tuple[str, tuple[int, ...]]]
    n_bytes: int


def check_metadata(metadata: Any) -> dict[str, str]:
    """Return metadata as a dict, or refuse anything but a mapping of texts to texts."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping) or not all(
        isinstance(name, str) and isinstance(text, str) for name, text in metadata.items()
    ):
        raise ParameterError(
            "The metadata of a model must be a dict of texts, such as"
            f" {{'license': 'CC0'}}. Got {metadata!r:.80} instead."
        )
    size = sum(len(name.encode()) + len(text.encode()) for name, text in metadata.items())
    if size > MAX_METADATA:
        raise ParameterError(
            f"The metadata of a model must be at most {MAX_METADATA} bytes. Got {size} instead."
        )
    return dict(metadata)


def write_model(
    path: Any,
    kind: str,
    settings: Mapping[str, Any],
    arrays: Arrays,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write a model to a file; a crash leaves either the old file or the new one.

    The same model always gives the same bytes.

    Parameters
    ----------
    path : str or path-like
    kind : str
        The class of the model.
    settings : dict
        Anything JSON can represent.
    arrays : dict of ndarrays
        Of the types in DTYPES.
    metadata : dict of str to str, optional
    """
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    about: dict[str, Any] = {
        "format": FORMAT,
        "version": addhash.__version__,
        "kind": kind,
        "settings": dict(settings),
        "metadata": check_metadata(metadata),
    }
    about["digest"] = _digest(about, arrays)
    text = json.dumps(about, sort_keys=True, separators=(",", ":"), allow_nan=False)
    if len(text) > MAX_HEADER // 2:
        raise ModelFileError(
            f"The settings of the {kind} take {len(text)} bytes, more than the {MAX_HEADER // 2}"
            " that fit in a model file. Use fewer stop words."
        )
    if isinstance(path, ModelBytes):
        path.content = b"".join(_pieces(arrays, text))
        return
    try:
        with whole_file(path) as file:
            for piece in _pieces(arrays, text):
                file.write(piece)
    except OSError as error:
        # With the name that the caller used, instead of that of the unfinished file.
        if error.errno is not None and error.filename != path:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _pieces(arrays: Arrays, text: str) -> Iterator[bytes | memoryview]:
    """Yield what safetensors would write: a padded header, and the arrays, widest types first.

    Its own writer makes a copy of everything, or a file of another name that a crash leaves behind.
    """
    order = list(DTYPES)
    kinds = {name: _kind(array) for name, array in arrays.items()}
    names = sorted(arrays, key=lambda name: (-order.index(kinds[name]), name))
    header: dict[str, Any] = {"__metadata__": {DESCRIPTION: text}}
    end = 0
    for name in names:
        start, end = end, end + arrays[name].nbytes
        shape = list(arrays[name].shape)
        header[name] = {"dtype": kinds[name], "shape": shape, "data_offsets": [start, end]}
    encoded = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    encoded += b" " * (-len(encoded) % LENGTH_BYTES)
    yield len(encoded).to_bytes(LENGTH_BYTES, "little")
    yield encoded
    for name in names:
        if arrays[name].size:
            yield arrays[name].reshape(-1).view(np.uint8).data


def _kind(array: Array) -> str:
    return next(name for name, dtype in DTYPES.items() if dtype == array.dtype)


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


def read_model(path: Any, kind: str) -> ModelFile:
    """Read a model whose class is `kind`, with every byte checked.

    Raises
    ------
    ModelFileError
        If the file is not exactly what `write_model` writes.
    """
    model = _read(path)
    if model.kind != kind:
        _refuse(path, f"it holds a {model.kind!r:.80}, not a {kind!r}; use the class it names")
    return model


def inspect(path: Any) -> ModelSummary:
    """Return the description of a model file, after checking it.

    Parameters
    ----------
    path : str or path-like
        A file written by the `save` of any model. Anything else raises ModelFileError.

    Returns
    -------
    summary : ModelSummary

    Examples
    --------
    >>> import tempfile
    >>> from addhash import TextClassifier, files
    >>> classifier = TextClassifier("nearest").fit(["good morning", "bonjour"], ["en", "fr"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     classifier.save(f"{folder}/greetings", metadata={"license": "CC0"})
    ...     summary = files.inspect(f"{folder}/greetings")
    >>> summary.kind, summary.metadata
    ('TextClassifier', {'license': 'CC0'})
    """
    model = _read(path)
    shapes = {name: (array.dtype.str, array.shape) for name, array in model.arrays.items()}
    return ModelSummary(**vars(model) | {"arrays": shapes, "n_bytes": os.stat(path).st_size})


def is_model(path: Any) -> bool:
    """Return whether a file starts like a model: with the length of a JSON header and its brace.

    Parameters
    ----------
    path : str or path-like
        Anything; what is not a regular file that can be read is not a model.

    Examples
    --------
    >>> import tempfile
    >>> from addhash import TextClassifier, files
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     TextClassifier().fit(["good morning"], ["en"]).save(f"{folder}/some.model")
    ...     files.is_model(f"{folder}/some.model"), files.is_model(folder)
    (True, False)
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb") as file:
            return _is_start(file.read(LENGTH_BYTES + 1))
    except OSError:
        return False


def _is_start(data: bytes) -> bool:
    length = int.from_bytes(data[:LENGTH_BYTES], "little")
    return data.startswith(b"{", LENGTH_BYTES) and length <= MAX_HEADER


def _read(path: Any) -> ModelFile:
    data = path.content if isinstance(path, ModelBytes) else _content(Path(path))
    header, start = _header(data, path)
    about = _description(header, path)
    arrays = _arrays(header, data, start, path)
    try:
        digest = _digest(about, arrays)
    except RecursionError:
        # Writing JSON takes a little more of the stack than reading it.
        _refuse(path, "its description is nested too deeply")
    if about["digest"] != digest:
        _refuse(path, "its content does not match its digest: it was damaged or altered")
    del about["format"]
    return ModelFile(**about, arrays=arrays)


def _content(path: Path) -> bytes:
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        _refuse(path, "it is not a regular file")
    return path.read_bytes()


def _refuse(path: Any, why: str) -> NoReturn:
    raise ModelFileError.of(path, f"{why}.")


def _header(data: bytes, path: Any) -> tuple[dict[str, Any], int]:
    """Return the raw header, if its size is plausible, and where it ends."""
    length = int.from_bytes(data[:LENGTH_BYTES], "little")
    start = LENGTH_BYTES + length
    if not _is_start(data):
        _refuse(path, "it is not an addhash model file")
    if start > len(data):
        _refuse(
            path, f"it was truncated: it has {len(data)} bytes, and its header alone takes {start}"
        )
    try:
        header = json.loads(data[LENGTH_BYTES:start].decode("utf-8"), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise ModelFileError.of(path, f"its header is not valid JSON ({error!s:.80}).") from error
    if not isinstance(header, dict):
        _refuse(path, "its header is not a JSON object")
    return header, start


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a name occurs twice")
    return result


def _description(header: dict[str, Any], path: Any) -> dict[str, Any]:
    metadata = header.pop("__metadata__", None)
    if not isinstance(metadata, dict) or list(metadata) != [DESCRIPTION]:
        _refuse(path, "it is a safetensors file, but not one written by addhash")
    try:
        about = json.loads(metadata[DESCRIPTION], object_pairs_hook=_unique)
    except (TypeError, ValueError, RecursionError):
        _refuse(path, "its description is not valid JSON")
    if isinstance(about, dict) and type(about.get("format")) is int and about["format"] != FORMAT:
        _refuse(
            path,
            f"it has format {about['format']}, and this version reads format {FORMAT};"
            f" it was written by addhash {about.get('version', 'before 0.2.0')!s:.20}",
        )
    if (
        not isinstance(about, dict)
        or about.keys() != ENTRIES.keys()
        or not all(type(about[name]) is kind for name, kind in ENTRIES.items())
        or not all(type(text) is str for text in about["metadata"].values())
    ):
        _refuse(path, "its description is incomplete")
    return about


def _arrays(header: dict[str, Any], data: bytes, start: int, path: Any) -> dict[str, Array]:
    """Return views of the arrays, which must fill the file without gaps or overlaps."""
    spans = []
    arrays = {}
    for name, entry in header.items():
        dtype, shape, (begin, end) = _entry(entry, name, path)
        spans.append((begin, end))
        # Python's integers do not overflow: a shape cannot claim more than its bytes.
        count = math.prod(shape)
        if count * dtype.itemsize != end - begin or end > len(data) - start:
            _refuse(path, f"its array {name!r:.80} does not match its byte range")
        if begin % dtype.itemsize:
            _refuse(path, f"its array {name!r:.80} is not aligned")
        flat = np.frombuffer(data, dtype, count, start + begin) if count else np.empty(0, dtype)
        arrays[name] = np.require(flat, requirements="A").reshape(shape)
        arrays[name].flags.writeable = False
    reached = 0
    for begin, end in sorted(spans):
        if begin != reached:
            _refuse(path, "its arrays overlap or leave gaps")
        reached = end
    if start + reached != len(data):
        _refuse(path, "it has bytes that belong to no array")
    return arrays


def _entry(entry: Any, name: str, path: Any) -> tuple[np.dtype[Any], list[int], list[int]]:
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
