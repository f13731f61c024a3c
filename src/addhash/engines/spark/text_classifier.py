"""A text classifier as a Spark estimator, and what it learnt as a Spark model."""

from typing import Any

import pyarrow as pa
from pyspark.ml.base import Estimator, Model
from pyspark.ml.param import Param, TypeConverters
from pyspark.ml.param.shared import (
    HasAggregationDepth,
    HasInputCol,
    HasLabelCol,
    HasPredictionCol,
)
from pyspark.sql import SparkSession
from pyspark.sql.functions import arrow_udf, col

import addhash
from addhash.engines.spark.cutting import HasCutting
from addhash.engines.spark.learning import example_rows, forgotten, learnt
from addhash.engines.spark.persistence import SavedStage
from addhash.engines.spark.shipping import ship

__all__ = ["TextClassifier", "TextClassifierModel", "predict_udf"]

# By the kind of the labels' NumPy type: Spark's type and Arrow's.
LABELS = {
    "U": ("string", pa.string()),
    "O": ("string", pa.string()),
    "i": ("bigint", pa.int64()),
    "f": ("double", pa.float64()),
    "b": ("boolean", pa.bool_()),
}


def predict_udf(model: addhash.TextClassifier, session: Any = None) -> Any:
    """Return a UDF from a text to the label that a model gives it.

    Parameters
    ----------
    model : addhash.TextClassifier
        A fitted one.
    session : SparkSession, optional
        The session whose workers get a large model as a file; by default the active one.

    Returns
    -------
    udf : function of a Column
        Null for a null text and for a rejected answer.
    """
    returned, arrow = LABELS[model.classes_.dtype.kind]
    shipped = ship(session or SparkSession.active(), model)

    def predict(texts: pa.Array) -> pa.Array:
        present = texts.drop_null()
        answers = pa.array(shipped.get().predict(present).tolist(), arrow)
        if len(present) == len(texts):
            return answers
        places = iter(range(len(present)))
        return answers.take(
            pa.array([next(places) if valid else None for valid in texts.is_valid().to_pylist()])
        )

    predict.__annotations__ = {"texts": pa.Array, "return": pa.Array}
    return arrow_udf(predict, returned)


class _Columns(HasInputCol, HasLabelCol, HasPredictionCol, HasAggregationDepth):
    """The parameters that the estimator and its model share."""

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(
            inputCol="text", labelCol="label", predictionCol="prediction", aggregationDepth=2
        )

    def setInputCol(self, value: str) -> Any:  # noqa: N802
        """Set the column of texts; "text" by default."""
        return self._set(inputCol=value)

    def setLabelCol(self, value: str) -> Any:  # noqa: N802
        """Set the column of labels: texts, numbers or booleans; "label" by default."""
        return self._set(labelCol=value)

    def setPredictionCol(self, value: str) -> Any:  # noqa: N802
        """Set the column to add; "prediction" by default."""
        return self._set(predictionCol=value)

    def setAggregationDepth(self, value: int) -> Any:  # noqa: N802
        """Set the depth of the tree that merges what workers learnt; 2 by default."""
        return self._set(aggregationDepth=value)


class TextClassifier(SavedStage, HasCutting, _Columns, Estimator):
    """Learns to classify texts, each partition on its worker, merged exactly.

    Parameters
    ----------
    inputCol, labelCol, predictionCol, aggregationDepth
        As in other Spark estimators; labels may be texts, whole numbers or booleans, and
        predictions have their type.
    method, nBuckets, smoothing
        As ``method``, ``n_buckets`` and ``smoothing`` of ``addhash.TextClassifier``.
    analyzer, ngramRange, lowercase, nFeatures
        As in ``addhash.AdditiveHashingVectorizer``; the defaults depend on the method.
    tune : bool, default=True
        Whether `fit` also tunes the model like ``addhash.TextClassifier.tune``, on 1,000 of the
        rows, which takes a second pass over them.
    """

    def __init__(self, **parameters: Any) -> None:
        super().__init__()
        self.method = Param(self, "method", "bayes, nearest or centroid", TypeConverters.toString)
        self.nBuckets = Param(self, "nBuckets", "number of buckets for bayes", TypeConverters.toInt)
        self.smoothing = Param(
            self, "smoothing", "of bayes; chosen if unset", TypeConverters.toFloat
        )
        self.tune = Param(self, "tune", "whether fit also tunes", TypeConverters.toBoolean)
        self._setDefault(method="bayes", nBuckets=2**20, tune=True)
        self._set(**parameters)

    def settings(self) -> dict[str, Any]:
        """Return the parameters of ``addhash.TextClassifier``."""
        chosen: dict[str, Any] = {
            "method": self.getOrDefault(self.method),
            "n_buckets": self.getOrDefault(self.nBuckets),
        }
        if self.isSet(self.smoothing):
            chosen["smoothing"] = self.getOrDefault(self.smoothing)
        names = {
            "analyzer": self.analyzer,
            "ngram_range": self.ngramRange,
            "lowercase": self.lowercase,
            "n_features": self.nFeatures,
        }
        given = {name: self.getOrDefault(p) for name, p in names.items() if self.isSet(p)}
        if given:
            usual = addhash.TextClassifier(chosen["method"]).parameter("vectorizer")
            given["ngram_range"] = tuple(given.get("ngram_range", usual.ngram_range))
            chosen["vectorizer"] = usual.set_params(**given)
        return chosen

    def _fit(self, dataset: Any) -> "TextClassifierModel":
        depth = self.getOrDefault(self.aggregationDepth)
        native = learnt(dataset, self.settings(), self.getInputCol(), self.getLabelCol(), depth)
        if self.getOrDefault(self.tune):
            some = example_rows(dataset, self.getInputCol(), self.getLabelCol())
            native.tune(some.column(0), some.column(1))
        model: TextClassifierModel = self._copyValues(TextClassifierModel(native))
        return model


class TextClassifierModel(SavedStage, _Columns, Model):
    """A fitted classifier: `native` is the ``addhash.TextClassifier``.

    It never changes: `learn`, `forget` and `merge` return new models.
    """

    def __init__(self, native: addhash.TextClassifier | None = None) -> None:
        super().__init__()
        self.native = addhash.TextClassifier() if native is None else native

    def _transform(self, dataset: Any) -> Any:
        predict = predict_udf(self.native, dataset.sparkSession)
        return dataset.withColumn(self.getPredictionCol(), predict(col(self.getInputCol())))

    def learn(self, dataset: Any) -> "TextClassifierModel":
        """Return a model that has also learnt the rows of a DataFrame."""
        settings = {
            name: value
            for name, value in self.native.get_params(deep=False).items()
            if name not in ("n_jobs", "reject_below", "reject_margin")
        }
        depth = self.getOrDefault(self.aggregationDepth)
        more = learnt(dataset, settings, self.getInputCol(), self.getLabelCol(), depth)
        return self._with(addhash.merged([self.native, more]))

    def forget(self, dataset: Any) -> "TextClassifierModel":
        """Return a model that has forgotten the rows of a DataFrame, in one task."""
        return self._with(forgotten(dataset, self.native, self.getInputCol(), self.getLabelCol()))

    def merge(self, other: "TextClassifierModel") -> "TextClassifierModel":
        """Return a model of what both have learnt."""
        return self._with(addhash.merged([self.native, other.native]))

    def _with(self, native: addhash.TextClassifier) -> "TextClassifierModel":
        model: TextClassifierModel = self._copyValues(TextClassifierModel(native))
        return model

    def saveNative(self, path: Any) -> None:  # noqa: N802
        """Write the native classifier to a local file, for any program with addhash."""
        self.native.save(path)

    @classmethod
    def loadNative(cls, path: Any) -> "TextClassifierModel":  # noqa: N802
        """Load a model from a local file written by ``addhash.TextClassifier.save``."""
        return cls(addhash.TextClassifier.load(path))
