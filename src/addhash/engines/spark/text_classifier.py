"""A text classifier as a Spark estimator, and what it learnt as a Spark model."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.ml.base import Estimator, Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.param import Param, TypeConverters
from pyspark.ml.param.shared import (
    HasAggregationDepth,
    HasInputCol,
    HasLabelCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
)
from pyspark.sql import SparkSession
from pyspark.sql.functions import arrow_udf, col, when

import addhash
import addhash.languages
from addhash import vector_column
from addhash.engines.label_types import label_type
from addhash.engines.nulls import around_nulls
from addhash.engines.spark.columns import check_new_columns, check_texts, local_path
from addhash.engines.spark.cutting import HasCutting
from addhash.engines.spark.learning import example_rows, forgotten, learnt
from addhash.engines.spark.persistence import SavedStage
from addhash.engines.spark.shipping import ship


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
    returned = label_type(model)
    shipped = ship(session or SparkSession.active(), model)

    def predict(texts: pa.Array) -> pa.Array:
        return around_nulls(
            texts,
            lambda given: pa.array(shipped.get().predict(given).tolist(), returned.arrow),
            returned.arrow,
        )

    return _udf(predict, returned.spark)


def probabilities_udf(model: addhash.TextClassifier, session: Any = None) -> Any:
    """Return a UDF from a text to the probability of each class.

    Parameters
    ----------
    model : addhash.TextClassifier
        A fitted one.
    session : SparkSession, optional
        The session whose workers get a large model as a file; by default the active one.

    Returns
    -------
    udf : function of a Column
        Arrays of numbers in the order of ``model.classes_``; null for a null text.
    """
    return _numbers_udf(model, session, lambda shipped, texts: shipped.predict_proba(texts))


def _raw_udf(model: addhash.TextClassifier, session: Any) -> Any:
    """Return a UDF from a text to the evidence for each class, which Spark calls raw."""

    def evidence(shipped: addhash.TextClassifier, texts: pa.Array) -> Any:
        found = shipped.decision_function(texts)
        return np.stack([-found, found], axis=1) if found.ndim == 1 else found

    return _numbers_udf(model, session, evidence)


def _numbers_udf(model: addhash.TextClassifier, session: Any, answer: Any) -> Any:
    shipped = ship(session or SparkSession.active(), model)
    kind = pa.list_(pa.float64())

    def numbers(texts: pa.Array) -> pa.Array:
        return around_nulls(
            texts,
            lambda given: pa.array(vector_column(answer(shipped.get(), given))).cast(kind),
            kind,
        )

    return _udf(numbers, "array<double>")


def detect_udf(languages: Sequence[str] | None = None) -> Any:
    """Return a UDF from a text to the ISO 639-3 code of its language.

    Parameters
    ----------
    languages : sequence of str, optional
        Codes or names of the languages to choose from; all by default.

    Returns
    -------
    udf : function of a Column
        Null for a null text and for one without letters.
    """
    addhash.languages.detect([], languages=languages)  # refuses them here, not on workers

    def codes_of(texts: pa.Array) -> pa.Array:
        found = addhash.languages.detect(texts.to_pylist(), languages=languages)
        return pa.array([each and each.code for each in found], pa.string())

    def detect(texts: pa.Array) -> pa.Array:
        return around_nulls(texts, codes_of, pa.string())

    return _udf(detect, "string")


def _udf(function: Any, returned: str) -> Any:
    function.__annotations__ = {"texts": pa.Array, "return": pa.Array}
    return arrow_udf(function, returned)


class _Columns(
    HasInputCol,
    HasLabelCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
    HasAggregationDepth,
):
    """The parameters that the estimator and its model share."""

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(
            inputCol="text",
            labelCol="label",
            predictionCol="prediction",
            probabilityCol="",
            rawPredictionCol="",
            aggregationDepth=2,
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

    def setProbabilityCol(self, value: str) -> Any:  # noqa: N802
        """Set a column to add with a vector of probabilities; "" adds none."""
        return self._set(probabilityCol=value)

    def setRawPredictionCol(self, value: str) -> Any:  # noqa: N802
        """Set a column to add with a vector of evidence, for Spark's evaluators; "" adds none."""
        return self._set(rawPredictionCol=value)

    def setAggregationDepth(self, value: int) -> Any:  # noqa: N802
        """Set the depth of the tree that merges what workers learnt; 2 by default."""
        return self._set(aggregationDepth=value)


class TextClassifier(SavedStage, HasCutting, _Columns, Estimator):
    """Learns to classify texts, each partition on its worker, merged exactly.

    Parameters
    ----------
    inputCol : str, default="text"
        The column of texts.
    labelCol : str, default="label"
        The column of labels: texts, whole numbers or booleans.
    predictionCol : str, default="prediction"
        The column to add, with the type of the labels.
    probabilityCol : str, default=""
        A column to add with a vector of the classes' probabilities, in the order of
        ``native.classes_``; none if empty.
    rawPredictionCol : str, default=""
        A column to add with a vector of the evidence for each class, as Spark's evaluators expect
        it; none if empty.
    aggregationDepth : int, default=2
        The depth of the tree that merges what workers learnt.
    method : str, default="bayes"
        As in ``addhash.TextClassifier``.
    nBuckets : int, default=2**20
        As ``n_buckets`` of ``addhash.TextClassifier``.
    smoothing : float, optional
        As in ``addhash.TextClassifier``.
    analyzer : str, optional
        As in ``addhash.TextVectorizer``; the default depends on the method.
    ngramRange : list of int, optional
        As ``ngram_range`` of ``addhash.TextVectorizer``.
    lowercase : bool, optional
        As in ``addhash.TextVectorizer``.
    nFeatures : int, optional
        As ``n_features`` of ``addhash.TextVectorizer``.
    tune : bool, default=True
        Whether `fit` also tunes the model like ``addhash.TextClassifier.tune``, on 2,000 of the
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
            if "ngram_range" in given:
                given["ngram_range"] = tuple(given["ngram_range"])
            usual = addhash.TextClassifier(chosen["method"])
            nested = {f"vectorizer__{name}": value for name, value in given.items()}
            chosen["vectorizer"] = usual.set_params(**nested).vectorizer
        return chosen

    def _fit(self, dataset: Any) -> "TextClassifierModel":
        check_texts(dataset, self.getInputCol())
        settings = self.settings()
        addhash.TextClassifier(**settings).partial_fit([], [])  # refuses them here, not on workers
        depth = self.getOrDefault(self.aggregationDepth)
        native = learnt(dataset, settings, self.getInputCol(), self.getLabelCol(), depth)
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
        session, text = dataset.sparkSession, col(self.getInputCol())
        vectors = {
            self.getProbabilityCol(): probabilities_udf,
            self.getRawPredictionCol(): _raw_udf,
        }
        vectors.pop("", None)
        check_texts(dataset, self.getInputCol())
        check_new_columns(dataset, self.getPredictionCol(), *vectors)
        result = dataset.withColumn(
            self.getPredictionCol(), predict_udf(self.native, session)(text)
        )
        for name, udf in vectors.items():
            numbers = udf(self.native, session)(text)
            result = result.withColumn(name, when(text.isNotNull(), array_to_vector(numbers)))
        return result

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
        self.native.save(local_path(path))

    @classmethod
    def loadNative(cls, path: Any) -> "TextClassifierModel":  # noqa: N802
        """Load a model from a local file written by ``addhash.TextClassifier.save``."""
        return cls(addhash.TextClassifier.load(local_path(path)))
