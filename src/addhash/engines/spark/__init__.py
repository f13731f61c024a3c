"""addhash in Spark: pure Python, for classic and Connect sessions.

Workers need the same addhash as the driver. What they learn is merged exactly: the model does not
depend on how the rows are spread over partitions.
"""

try:
    import pyspark as _pyspark  # noqa: F401
except ImportError as error:
    raise ImportError(
        "addhash.engines.spark needs PySpark: pip install 'addhash[spark]', and Java 17."
    ) from error

from addhash.engines.spark.duplicates import SparkDuplicates, find_duplicates
from addhash.engines.spark.streams import learn_stream
from addhash.engines.spark.text_classifier import TextClassifier, TextClassifierModel, predict_udf
from addhash.engines.spark.text_hasher import TextHasher

__all__ = [
    "SparkDuplicates",
    "TextClassifier",
    "TextClassifierModel",
    "TextHasher",
    "find_duplicates",
    "learn_stream",
    "predict_udf",
]
