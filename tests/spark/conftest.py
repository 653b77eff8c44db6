"""A real Spark on this machine, and one table in two dresses: Spark's and pandas'."""

import os
import sys

import pytest

MOST = 2**20
"""The most bytes that may come back from the executors for one result; Spark gives up where it would be more."""


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """Start a Spark that listens on the loopback interface only, and stop it in the end."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: Spark is not tested here, `make test-spark` does")
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.driver.maxResultSize": str(MOST),
        "spark.local.dir": str(folder / "local"),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        builder = SparkSession.builder.master("local[2]").appName("referee")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        try:
            yield session
        finally:
            session.stop()
