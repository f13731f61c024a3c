"""One session for all tests, of the kind that ADDHASH_SPARK names."""

import os
import shutil
import sys
import warnings

import pytest

MODE = os.environ.get("ADDHASH_SPARK", "classic")
MASTERS = {"classic": "local[2,4]", "connect": "local[2,4]", "cluster": "local-cluster[2,1,1024]"}
# Sessions are short, so the time goes into starting and compiling, not into rows.
SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"


@pytest.fixture(scope="session")
def spark():
    pytest.importorskip("pyspark", reason="PySpark is not installed; see make test-spark")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed; see make test-spark")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["JDK_JAVA_OPTIONS"] = JAVA  # which executors inherit
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("addhash").config(map=SETTINGS)
    builder = (builder.remote if MODE == "connect" else builder.master)(MASTERS[MODE])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = builder.getOrCreate()
    yield session
    session.stop()
