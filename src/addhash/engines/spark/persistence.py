"""Stages in Spark's own folders, written only with DataFrames, as Connect requires."""

import json
import os
import time
from typing import Any

import pyarrow as pa
from pyspark.ml.util import DefaultParamsReader, MLReadable, MLReader, MLWritable, MLWriter

from addhash import TextClassifier
from addhash.engines.spark.shipping import models_of, parts_of


class StageWriter(MLWriter):
    """Writes a stage's parameters, and its model if it has one."""

    def __init__(self, instance: Any) -> None:
        super().__init__()
        self.instance = instance

    def save(self, path: str) -> None:
        """Save the stage to a folder."""
        spark = self.sparkSession
        mode = "overwrite" if self.shouldOverwrite else "error"
        about = json.dumps(self._metadata(spark.version))
        frame = spark.createDataFrame([(about,)], schema=["value"]).coalesce(1)
        frame.write.mode(mode).text(os.path.join(path, "metadata"))
        model = getattr(self.instance, "native", None)
        if model is not None:
            for number, batch in enumerate(parts_of(model, 0)):
                chunk = spark.createDataFrame(pa.Table.from_batches([batch]))
                chunk.write.mode(mode if number == 0 else "append").parquet(_model_path(path))

    def _metadata(self, version: str) -> dict[str, Any]:
        """Return what `DefaultParamsReader` reads."""
        stage, plain = self.instance, self.instance.copy()
        for param in plain.params:
            plain.clear(param)
        return {
            "class": f"{type(stage).__module__}.{type(stage).__name__}",
            "timestamp": int(time.time() * 1000),
            "sparkVersion": version,
            "uid": stage.uid,
            "paramMap": {p.name: stage.getOrDefault(p) for p in stage.params if stage.isSet(p)},
            "defaultParamMap": {
                p.name: plain.getOrDefault(p) for p in plain.params if plain.hasDefault(p)
            },
        }


class StageReader(MLReader[Any]):
    """Reads what `StageWriter` wrote."""

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.kind = kind

    def load(self, path: str) -> Any:
        """Load a stage from a folder."""
        about = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        stage = self.kind()
        stage.take_uid(about["uid"])
        DefaultParamsReader.getAndSetParams(stage, about)
        if hasattr(stage, "native"):
            parts = self.sparkSession.read.parquet(_model_path(path)).toArrow()
            (model,) = models_of(parts.sort_by("chunk").to_batches())
            stage.native = TextClassifier.from_bytes(model.to_bytes())
        return stage


class SavedStage(MLWritable, MLReadable[Any]):
    """Gives a stage write, save, read and load."""

    _resetUid: Any  # of Params  # noqa: N815

    def take_uid(self, uid: str) -> None:
        """Become the stage of this name."""
        self._resetUid(uid)

    def write(self) -> StageWriter:
        """Return the writer of the stage; its `overwrite()` allows replacing another."""
        return StageWriter(self)

    def save(self, path: str) -> None:
        """Save the stage to a new folder."""
        self.write().save(path)

    @classmethod
    def read(cls) -> StageReader:
        """Return the reader of a stage."""
        return StageReader(cls)

    @classmethod
    def load(cls, path: str) -> Any:
        """Load a stage that `save` wrote."""
        return cls.read().load(path)


def _model_path(path: str) -> str:
    return os.path.join(path, "model")
