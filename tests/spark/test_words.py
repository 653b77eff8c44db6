"""What Spark raises, in a sentence; none of this needs Spark."""

from types import SimpleNamespace

import pytest

from referee.data.engines.frames import explained
from referee.errors import InputError, NameUnknown, OptionError

PAGE = """An error occurred while calling o450.getResult.
: org.apache.spark.SparkException: Exception thrown in awaitResult:
\tat org.apache.spark.util.SparkThreadUtils$.awaitResult(SparkThreadUtils.scala:70)
Caused by: java.util.concurrent.ExecutionException: see below
\t... 12 more
Caused by: org.apache.spark.SparkException: Job aborted: the disk is full
\tat org.apache.spark.rdd.RDD.collect(RDD.scala:1)
"""


SPARK = SimpleNamespace(
    implementation=SimpleNamespace(is_pyspark=lambda: True, is_pyspark_connect=lambda: False),
)


def _told(error):
    with pytest.raises(InputError) as caught, explained(SPARK):
        raise error
    assert caught.value.__cause__ is error
    return str(caught.value)


def test_the_last_cause_is_told():
    assert _told(RuntimeError(PAGE)) == (
        "Spark cannot count the frame: org.apache.spark.SparkException: Job aborted: the disk is full"
    )


def test_a_page_of_java_behind_the_message_is_left_out():
    error = RuntimeError(f"[PATH_NOT_FOUND] There is no such path.\n\nJVM stacktrace:\n{PAGE}")
    assert _told(error) == "Spark cannot count the frame: [PATH_NOT_FOUND] There is no such path."


def test_a_long_message_is_cut():
    assert len(_told(RuntimeError("word\n" * 1000))) < 350


@pytest.mark.parametrize("error", [AssertionError(), AttributeError("'NoneType' object has no attribute 'x'")])
def test_a_session_that_was_stopped(error):
    assert _told(error).endswith("its session seems to have been stopped")


def test_a_package_that_is_missing():
    with (
        pytest.raises(
            OptionError,
            match=r"Spark needs pyarrow to return counts: No module named 'pyarrow'; install it: pip install 'referee\[spark\]'",
        ),
        explained(SPARK),
    ):
        raise ModuleNotFoundError("No module named 'pyarrow'")


def test_errors_of_ours_pass():
    with pytest.raises(NameUnknown, match=r"^no column$"), explained(SPARK):
        raise NameUnknown("no column")
