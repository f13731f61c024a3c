"""Additive hashing of texts as a Spark transformer."""

from typing import Any

import pyarrow as pa
from pyspark.ml.base import Transformer
from pyspark.ml.functions import array_to_vector
from pyspark.ml.param import Param, TypeConverters
from pyspark.ml.param.shared import HasInputCol, HasOutputCol
from pyspark.sql.functions import arrow_udf, col, when

from addhash import TextVectorizer, vector_column
from addhash.engines.nulls import around_nulls
from addhash.engines.spark.columns import check_new_columns, check_texts
from addhash.engines.spark.cutting import HasCutting
from addhash.engines.spark.persistence import SavedStage


class TextHasher(SavedStage, HasCutting, HasInputCol, HasOutputCol, Transformer):
    """Turns texts into dense Spark vectors by adding the hashes of their tokens.

    Parameters
    ----------
    inputCol : str, default="text"
        The column of texts; a null stays null.
    outputCol : str, default="features"
        The column to add.
    analyzer : str, default="word"
        As in ``addhash.TextVectorizer``, as are all below.
    ngramRange : list of int, default=[1, 1]
        As ``ngram_range``.
    lowercase : bool, default=True
    nFeatures : int, default=2048
        As ``n_features``.
    randomizer : str, default="shake256"
    """

    def __init__(self, **parameters: Any) -> None:
        super().__init__()
        self.randomizer = Param(self, "randomizer", "shake256 or aes128", TypeConverters.toString)
        self._setDefault(
            inputCol="text",
            outputCol="features",
            analyzer="word",
            ngramRange=[1, 1],
            lowercase=True,
            nFeatures=2048,
            randomizer="shake256",
        )
        self._set(**parameters)

    def setInputCol(self, value: str) -> "TextHasher":  # noqa: N802
        """Set the column of texts."""
        return self.setParams(inputCol=value)

    def setOutputCol(self, value: str) -> "TextHasher":  # noqa: N802
        """Set the column to add."""
        return self.setParams(outputCol=value)

    def _transform(self, dataset: Any) -> Any:
        parameters = {
            "analyzer": self.getOrDefault(self.analyzer),
            "ngram_range": tuple(self.getOrDefault(self.ngramRange)),
            "lowercase": self.getOrDefault(self.lowercase),
            "n_features": self.getOrDefault(self.nFeatures),
            "randomizer": self.getOrDefault(self.randomizer),
        }
        TextVectorizer(**parameters).transform([])  # refuses them here, not on workers
        check_texts(dataset, self.getInputCol())
        check_new_columns(dataset, self.getOutputCol())
        kind = pa.list_(pa.float64())

        def vectors_of(texts: pa.Array) -> pa.Array:
            vectorizer = TextVectorizer(**parameters, n_jobs=1, dtype="float64")
            return around_nulls(
                texts,
                lambda given: pa.array(vector_column(vectorizer.transform(given))).cast(kind),
                kind,
            )

        vectors_of.__annotations__ = {"texts": pa.Array, "return": pa.Array}
        text = col(self.getInputCol())
        hashed = arrow_udf(vectors_of, "array<double>")(text)
        return dataset.withColumn(
            self.getOutputCol(), when(text.isNotNull(), array_to_vector(hashed))
        )
