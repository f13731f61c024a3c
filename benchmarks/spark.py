"""Spark: addhash beside Spark's own HashingTF and NaiveBayes, and the driver's memory.

Needs PySpark and Java (`make spark`): python -m benchmarks.spark
"""

import os
import resource
import sys
import time
from typing import Any

from benchmarks import harness

ROWS = int(os.environ.get("ADDHASH_SPARK_ROWS", 5_000_000))
PARTS = (100_000, ROWS)


def main() -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "4g")
        .config("spark.sql.shuffle.partitions", "8")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    harness.save("spark", [*memory(spark), *beside_spark(spark)])
    spark.stop()


def beside_spark(spark: Any) -> list[dict[str, Any]]:
    """Accuracy and time on one half of the texts, having learnt the other."""
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import HashingTF, NGram, RegexTokenizer, StringIndexer

    from addhash.engines.spark import TextClassifier

    languages = list(
        zip(harness.wili("head-235/x.txt"), harness.wili("head-235/y.txt"), strict=True)
    )
    messages = [
        (text, label)
        for label, text in (
            line.split("\t", 1) for line in harness.lines("sms-spam/SMSSpamCollection")
        )
    ]
    data = {
        "head-235, halves": [languages[::2], languages[1::2]],
        "sms, halves": [messages[::2], messages[1::2]],
    }
    rows = []
    for name, parts in data.items():
        train, test = (
            spark.createDataFrame(part, "text string, label string").repartition(4).persist()
            for part in parts
        )
        train.count(), test.count()
        letters = RegexTokenizer(
            inputCol="text", outputCol="letters", pattern="", minTokenLength=0, toLowercase=True
        )
        grams = NGram(n=3, inputCol="letters", outputCol="grams")
        words = RegexTokenizer(inputCol="text", outputCol="grams", pattern=r"\W+")
        counts = HashingTF(inputCol="grams", outputCol="features", numFeatures=2**18)
        number = StringIndexer(inputCol="label", outputCol="number", handleInvalid="keep")
        bayes = NaiveBayes(labelCol="number")
        for what, pipeline, label in (
            ("HashingTF + NaiveBayes, words", [words, counts, number, bayes], "number"),
            ("HashingTF + NaiveBayes, char 3", [letters, grams, counts, number, bayes], "number"),
            ("addhash TextClassifier", [TextClassifier()], "label"),
        ):
            start = time.perf_counter()
            try:
                model = Pipeline(stages=pipeline).fit(train)
                fitted = time.perf_counter()
                answered = model.transform(test)
                right = answered.where(answered.prediction == answered[label]).count()
            except Exception as error:
                rows.append({"data": name, "what": what, "note": type(error).__name__})
                continue
            done = time.perf_counter()
            rows.append(
                {
                    "data": name,
                    "what": what,
                    "accuracy": right / test.count(),
                    "fit, s": fitted - start,
                    "predict, s": done - fitted,
                }
            )
    return rows


def memory(spark: Any) -> list[dict[str, Any]]:
    """The memory of the driver's Python while it learns generated rows, few and many.

    The driver's Java has the workers' tasks in it here, so that it tells nothing.
    """
    from addhash.engines.spark import TextClassifier

    words = "array('red','green','blue','one','two','three','tea','milk','rain','snow')"
    rows = []
    for count in PARTS:
        picked = [f"element_at({words}, int(pmod(hash(id, {i}), 10)) + 1)" for i in range(8)]
        frame = spark.range(0, count, 1, 16).selectExpr(
            f"concat_ws(' ', {', '.join(picked)}, id % 1000) as text", "id % 5 as label"
        )
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        model = TextClassifier(analyzer="word", ngramRange=[1, 1]).fit(frame)
        seconds = time.perf_counter() - start
        assert int(model.native.class_counts_.sum()) == count
        rows.append(
            {
                "data": f"{count:,} generated rows",
                "what": "driver's memory, addhash TextClassifier",
                "fit, s": seconds,
                "rows/s": count / seconds,
                "peak before, MB": before / 1024,
                "peak after, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                "model, MB": len(model.native.to_bytes()) / 2**20,
            }
        )
    return rows


if __name__ == "__main__":
    main()
