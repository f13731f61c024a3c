"""Additive hashing of texts as a Spark transformer."""

from typing import Any

import pyarrow as pa
from pyspark.ml.base import Transformer
from pyspark.ml.functions import array_to_vector
from pyspark.ml.param import Param, TypeConverters
from pyspark.ml.param.shared import HasInputCol, HasOutputCol
from pyspark.sql.functions import arrow_udf, col

from addhash import AdditiveHashingVectorizer, vector_column
from addhash.engines.spark.cutting import HasCutting
from addhash.engines.spark.persistence import SavedStage

__all__ = ["TextHasher"]


class TextHasher(SavedStage, HasCutting, HasInputCol, HasOutputCol, Transformer):
    """Turns texts into dense Spark vectors by adding the hashes of their tokens.

    Parameters
    ----------
    inputCol, outputCol
        As in other Spark transformers; "text" and "features" by default.
    analyzer, ngramRange, lowercase, nFeatures, randomizer
        As in ``addhash.AdditiveHashingVectorizer``; vectors are those of its `transform`.
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
        AdditiveHashingVectorizer(**parameters).fit()  # refuses them here, not on workers

        def vectors_of(texts: pa.Array) -> pa.Array:
            vectorizer = AdditiveHashingVectorizer(**parameters, n_jobs=1, dtype="float64")
            vectors = pa.array(vector_column(vectorizer.transform(texts)))
            return vectors.cast(pa.list_(pa.float64()))

        vectors_of.__annotations__ = {"texts": pa.Array, "return": pa.Array}
        hashed = arrow_udf(vectors_of, "array<double>")(col(self.getInputCol()))
        return dataset.withColumn(self.getOutputCol(), array_to_vector(hashed))
