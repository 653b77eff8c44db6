"""What a Spark frame needs beside other frames: columns known by their places, and Java's errors in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from referee.errors import InputError, OptionError, RefereeError

if TYPE_CHECKING:
    import narwhals as nw


def is_spark(frame: Any) -> bool:
    """Say whether a frame is Spark's, here or behind Spark Connect."""
    return bool(frame.implementation.is_pyspark() or frame.implementation.is_pyspark_connect())


def by_place(frame: Any, roles: Mapping[str, str]) -> tuple[nw.LazyFrame[Any], dict[str, str]]:
    """Name the columns by their places: Spark takes `v1.2` for a field of `v1`, and `ID` for `id`.

    Args:
        frame: a Spark frame that has the columns.
        roles: role to column name.

    Raises:
        InputError: where two columns have a name that is needed, as they do after a join.
    """
    import narwhals as nw

    native = frame.to_native()
    names = list(native.columns)
    for role, name in roles.items():
        if names.count(name) > 1:
            raise InputError(
                f"{role} is {name!r}, and the frame has {names.count(name)} columns of that name; rename all but one"
            )
    places = [f"referee_{place}" for place in range(len(names))]
    return nw.from_native(native.toDF(*places)), {role: places[names.index(name)] for role, name in roles.items()}


@contextmanager
def explained() -> Iterator[None]:
    """Turn what Spark raises, which comes in many types and with pages of Java, into an error of ours."""
    try:
        yield
    except RefereeError:
        raise
    except ImportError as error:
        raise OptionError(f"counts of Spark come back by pyarrow: {error}; pip install 'referee[spark]'") from error
    except Exception as error:
        raise InputError(f"Spark cannot count the frame: {_cause(error)}") from error


def _cause(error: Exception) -> str:
    if isinstance(error, AssertionError | AttributeError):  # what pyspark makes of a context that is gone
        return "its session seems to have been stopped"
    said = str(error).partition("JVM stacktrace:")[0]
    causes = re.findall(r"^Caused by: (.*)$", said, re.MULTILINE)
    return " ".join((causes[-1] if causes else said).split())[:300]
