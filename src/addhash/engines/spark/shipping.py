"""Models in transit: to workers inside functions or as files, and back in chunks."""

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa
from pyspark import SparkFiles, TaskContext

from addhash import TextClassifier
from addhash.files import whole_file

# The schema of chunks of models.
PARTS = "model int, chunk int, data binary"
CHUNK_BYTES = 4 << 20
# A larger model is sent as a file, once per worker, not with every task.
MOST_IN_FUNCTION = 16 << 20
MODELS_KEPT = 2

_models: dict[str, TextClassifier] = {}  # of this worker, by digest


@dataclass(frozen=True)
class ShippedModel:
    """A model as a function carries it to a worker."""

    digest: str
    data: bytes | None  # None: it is in a file of that name

    def get(self) -> TextClassifier:
        """Return the model, for one thread: a worker loads it once for all its tasks."""
        model = _models.get(self.digest)
        if model is None:
            data = self.data
            if data is None:
                with open(SparkFiles.get(_file_name(self.digest)), "rb") as file:
                    data = file.read()
            model = TextClassifier.from_bytes(data, n_jobs=1)
            while len(_models) >= MODELS_KEPT:
                _models.pop(next(iter(_models)))
            _models[self.digest] = model
        return model


def _file_name(digest: str) -> str:
    return f"addhash-{digest}.model"


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that lasts as long as the process: workers may request its files late."""
    return tempfile.TemporaryDirectory(prefix="addhash-")


def ship(session: Any, model: TextClassifier) -> ShippedModel:
    """Return a model for use in functions that workers run."""
    data = model.to_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if len(data) <= MOST_IN_FUNCTION:
        return ShippedModel(digest, data)
    path = os.path.join(_folder().name, _file_name(digest))
    with whole_file(path) as file:
        file.write(data)
    session.addArtifacts(path, file=True)
    return ShippedModel(digest, None)


def task_number() -> int:
    """Return the number of the partition that this worker is processing."""
    context = TaskContext.get()
    return 0 if context is None else int(context.partitionId())


def parts_of(model: TextClassifier, number: int) -> Iterator[pa.RecordBatch]:
    """Yield a model in chunks, one batch each."""
    data = model.to_bytes()
    for chunk, start in enumerate(range(0, len(data), CHUNK_BYTES)):
        yield pa.record_batch(
            {
                "model": pa.array([number], pa.int32()),
                "chunk": pa.array([chunk], pa.int32()),
                "data": pa.array([data[start : start + CHUNK_BYTES]], pa.binary()),
            }
        )


def models_of(batches: Iterable[pa.RecordBatch]) -> Iterator[TextClassifier]:
    """Yield models from their chunks, which come sorted."""
    number: int | None = None
    chunks: list[bytes] = []
    for batch in batches:
        for row in range(batch.num_rows):
            model = batch.column(0)[row].as_py()
            if model != number and chunks:
                yield TextClassifier.from_bytes(b"".join(chunks), n_jobs=1)
                chunks = []
            number = model
            chunks.append(batch.column(2)[row].as_py())
    if chunks:
        yield TextClassifier.from_bytes(b"".join(chunks), n_jobs=1)
