"""Files of vectors, written row by row: .npy, .npz, .parquet and .jsonl."""

import json
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO, Protocol

import numpy as np

from addhash.cli.errors import CommandError
from addhash.tables import require

VECTOR = "vector"
COPY_BYTES = 1 << 20


class VectorFile(Protocol):
    """Takes vectors, batch by batch, with the columns of the input that go with them."""

    def write(self, rows: Sequence[Mapping[str, Any]], vectors: Any) -> None:
        """Add these rows with their vectors."""

    def finish(self) -> None:
        """Write what is still missing."""


def _dense(vectors: Any) -> Any:
    return np.ascontiguousarray(vectors.toarray() if hasattr(vectors, "toarray") else vectors)


class _NpyFile:
    """One array. The number of rows is written to its header at the end."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._rows = 0
        self._header: dict[str, Any] | None = None
        self._width = 0

    def write(self, rows: Sequence[Mapping[str, Any]], vectors: Any) -> None:
        self.append(_dense(vectors))

    def append(self, array: Any) -> None:
        if self._header is None:
            self._header = np.lib.format.header_data_from_array_1_0(array)
            self._start()
            self._width = self._file.tell()
        self._rows += len(array)
        self._file.write(array.data)

    def _start(self) -> None:
        assert self._header is not None
        shape = (self._rows, *self._header["shape"][1:])
        np.lib.format.write_array_header_1_0(self._file, {**self._header, "shape": shape})

    def finish(self) -> None:
        # NumPy leaves room in the header for the number of rows to grow.
        self._file.seek(0)
        self._start()
        assert self._file.tell() == self._width
        self._file.seek(0, 2)


class _Archive:
    """An .npz file: arrays that grow in temporary files, packed at the end."""

    def __init__(self, file: BinaryIO, names: Sequence[str]) -> None:
        self._file = file
        self._parts: dict[str, IO[bytes]] = {
            name: TemporaryFile()  # noqa: SIM115 - closed by finish
            for name in names
        }
        self.arrays = {name: _NpyFile(part) for name, part in self._parts.items()}

    def constants(self) -> dict[str, Any]:
        """Return what goes with the arrays."""
        return {}

    def finish(self) -> None:
        with zipfile.ZipFile(self._file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            for name, part in self._parts.items():
                self.arrays[name].finish()
                part.seek(0)
                with archive.open(_entry(name), "w", force_zip64=True) as entry, part:
                    shutil.copyfileobj(part, entry, COPY_BYTES)
            for name, value in self.constants().items():
                with archive.open(_entry(name), "w") as entry:
                    np.lib.format.write_array(entry, np.asanyarray(value))


def _entry(name: str) -> zipfile.ZipInfo:
    # A fixed date, so that the same vectors make the same file.
    return zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))


class _DenseArchive(_Archive):
    """An .npz file with one array, `vectors`."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file, ["vectors"])

    def write(self, rows: Sequence[Mapping[str, Any]], vectors: Any) -> None:
        self.arrays["vectors"].append(_dense(vectors))


class _SparseArchive(_Archive):
    """An .npz file that `scipy.sparse.load_npz` reads."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file, ["data", "indices", "indptr"])
        self.arrays["indptr"].append(np.zeros(1, np.int64))
        self._entries = 0
        self._shape = (0, 0)

    def write(self, rows: Sequence[Mapping[str, Any]], vectors: Any) -> None:
        self.arrays["data"].append(vectors.data)
        self.arrays["indices"].append(vectors.indices.astype(np.int64))
        self.arrays["indptr"].append(vectors.indptr[1:].astype(np.int64) + self._entries)
        self._entries += int(vectors.indptr[-1])
        self._shape = (self._shape[0] + vectors.shape[0], vectors.shape[1])

    def constants(self) -> dict[str, Any]:
        return {"shape": self._shape, "format": b"csr", "_is_array": True}


class _JsonFile:
    """One JSON object per line: the columns that are kept, and the vector."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, rows: Sequence[Mapping[str, Any]], vectors: Any) -> None:
        """Add these rows with their vectors."""
        for kept, vector in zip(rows, _dense(vectors), strict=True):
            # The shortest digits that read back as the same number.
            row = {**kept, VECTOR: [json.loads(str(value)) for value in vector]}
            line = json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=str)
            self._file.write(line.encode("utf-8", "backslashreplace") + b"\n")

    def finish(self) -> None:
        """Nothing is missing."""


class _ParquetFile:
    """The columns that are kept, and a column of vectors."""

    def __init__(self, file: BinaryIO) -> None:
        self._arrow = require("pyarrow", "Writing a .parquet file")
        self._parquet = require("pyarrow.parquet", "Writing a .parquet file")
        self._file = file
        self._writer: Any = None
        self._types: dict[str, Any] = {}

    def write(self, rows: Sequence[Mapping[str, Any]], vectors: Any) -> None:
        """Add these rows with their vectors."""
        pa = self._arrow
        dense = _dense(vectors)
        names = list(self._types) or list(rows[0])
        columns = {name: self._column(name, [row.get(name) for row in rows]) for name in names}
        values = pa.array(dense.reshape(-1))
        columns[VECTOR] = pa.FixedSizeListArray.from_arrays(values, dense.shape[1])
        table = pa.table(columns)
        if self._writer is None:
            self._writer = self._parquet.ParquetWriter(self._file, table.schema, compression="zstd")
        self._writer.write_table(table)

    def _column(self, name: str, values: list[Any]) -> Any:
        pa = self._arrow
        try:
            column = pa.array(values, self._types.get(name))
        except (pa.ArrowException, UnicodeEncodeError, OverflowError) as error:
            raise CommandError(
                f"The column {name!r} cannot be written to .parquet ({error}). Leave it out with"
                " --keep-columns, or write .jsonl."
            ) from error
        if name not in self._types:
            column = column.cast(pa.string()) if pa.types.is_null(column.type) else column
            self._types[name] = column.type
        return column

    def finish(self) -> None:
        """Write the index of the file."""
        self._writer.close()


def open_vector_file(file: BinaryIO, extension: str, is_sparse: bool) -> VectorFile:
    """Write vectors to an open file in the format of an extension."""
    if extension == ".npy":
        return _NpyFile(file)
    if extension == ".npz":
        return _SparseArchive(file) if is_sparse else _DenseArchive(file)
    return _ParquetFile(file) if extension == ".parquet" else _JsonFile(file)
