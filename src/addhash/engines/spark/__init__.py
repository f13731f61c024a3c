"""addhash in Spark: pure Python, for classic and Connect sessions.

Workers need the same addhash as the driver. What they learn is merged exactly: the model does not
depend on how the rows are spread over partitions.
"""

from addhash.errors import MissingPackageError

try:
    import pyspark as _pyspark  # noqa: F401
except ModuleNotFoundError as error:
    raise MissingPackageError.of("pyspark", "spark", "addhash.engines.spark") from error

from addhash.engines.spark.duplicates import SparkDuplicates, find_duplicates
from addhash.engines.spark.streams import learn_stream
from addhash.engines.spark.text_classifier import (
    TextClassifier,
    TextClassifierModel,
    detect_udf,
    predict_udf,
    probabilities_udf,
)
from addhash.engines.spark.text_hasher import TextHasher

__all__ = [
    "SparkDuplicates",
    "TextClassifier",
    "TextClassifierModel",
    "TextHasher",
    "detect_udf",
    "find_duplicates",
    "learn_stream",
    "predict_udf",
    "probabilities_udf",
]
