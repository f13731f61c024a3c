"""One session for all tests, of the kind that ADDHASH_SPARK names."""

import os
import shutil
import sys
import warnings

import pytest

MODE = os.environ.get("ADDHASH_SPARK", "classic")


@pytest.fixture(scope="session")
def spark():
    pytest.importorskip("pyspark", reason="PySpark is not installed; see make test-spark")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed; see make test-spark")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("addhash").config("spark.sql.shuffle.partitions", "4")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if MODE == "connect":
            session = builder.remote("local[2,4]").getOrCreate()
        else:
            master = "local-cluster[2,1,1024]" if MODE == "cluster" else "local[2,4]"
            session = builder.master(master).config("spark.ui.enabled", "false").getOrCreate()
    yield session
    session.stop()
