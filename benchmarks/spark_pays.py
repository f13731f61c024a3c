"""From how many rows on Spark is faster than one process, which reads the same Parquet files.

Needs PySpark and Java (`make spark`): python -m benchmarks.spark_pays
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import addhash
from benchmarks import harness

LARGEST = int(os.environ.get("ADDHASH_SPARK_ROWS", 1_000_000))
SIZES = {"fit": LARGEST, "predict": LARGEST, "find_duplicates": LARGEST // 5}
PARTS = 8
CORES = 2


def main() -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master(f"local[{CORES}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "4g")
        .config("spark.sql.shuffle.partitions", str(PARTS))
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for what, largest in SIZES.items():
            for count in (largest // 10, largest):
                path = Path(folder) / f"{what}-{count}"
                write(path, count)
                alone, spread = jobs(spark, what, str(path))
                spread()  # starts the workers
                seconds = {"one process, s": timed(alone), "Spark, s": timed(spread)}
                rows.append({"what": what, "rows": count, "cores": CORES, **seconds})
                print(rows[-1], flush=True)
    harness.save("spark_pays", rows)
    spark.stop()


def write(folder: Path, count: int) -> None:
    """Write messages as Parquet files, each made different by a number."""
    lines = [line.split("\t", 1) for line in harness.lines("sms-spam/SMSSpamCollection")]
    folder.mkdir()
    for part in range(PARTS):
        ids = range(part, count, PARTS)
        chosen = [lines[i % len(lines)] for i in ids]
        # Eight digits: copies of a message are as far from being duplicates as it is short.
        texts = [f"{text} {i * 7919 % 10**8:08d}" for i, (_, text) in zip(ids, chosen, strict=True)]
        table = pa.table({"id": ids, "text": texts, "label": [label for label, _ in chosen]})
        pq.write_table(table, folder / f"{part}.parquet")


def jobs(spark: Any, what: str, path: str) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return a job for one process and the same one for Spark, from files to the result."""
    from addhash.engines import spark as engine

    def read() -> Any:
        return pq.read_table(path)

    def frame() -> Any:
        return spark.read.parquet(path)

    if what == "fit":
        return (
            lambda: addhash.TextClassifier().fit(read()["text"], read()["label"]),
            lambda: engine.TextClassifier().fit(frame()),
        )
    if what == "predict":
        model = addhash.TextClassifier().fit(read()["text"][:5000], read()["label"][:5000])
        label = engine.predict_udf(model)
        return (
            lambda: model.predict(read()["text"]),
            lambda: frame().select(label("text")).write.format("noop").mode("overwrite").save(),
        )
    return (
        lambda: addhash.find_duplicates(read()["text"]),
        lambda: engine.find_duplicates(frame()).pairs.count(),
    )


def timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def breaks_even(few: dict[str, Any], many: dict[str, Any], cores: int) -> float | None:
    """Return from how many rows on Spark on so many cores is faster; None if never.

    Either takes some seconds and then as many for each row; Spark's rows are shared by its cores.
    """
    more = many["rows"] - few["rows"]
    alone, spread = ((many[name] - few[name]) / more for name in ("one process, s", "Spark, s"))
    start = many["Spark, s"] - spread * many["rows"]
    start -= many["one process, s"] - alone * many["rows"]
    gain = alone - spread * many["cores"] / cores
    return max(0.0, start / gain) if gain > 0 else None


if __name__ == "__main__":
    main()
