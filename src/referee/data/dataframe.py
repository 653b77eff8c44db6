"""Framing: columns as a dataframe, of whichever library there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from referee.errors import Argument, OptionError, did_you_mean

LIBRARIES = ("pandas", "polars", "pyarrow")
"""What dataframes are made of, the first that is installed."""


def frame_of(columns: Mapping[str, Sequence[Any]], backend: Any = None) -> Any:
    """Make a dataframe.

    Args:
        columns: name to values.
        backend: "pandas", "polars" or "pyarrow", or a module that narwhals knows; the first that is installed if left out.

    Raises:
        OptionError: where there is no such library, with the commands that install one.
    """
    import narwhals as nw

    if backend is None:
        backend = next((library for library in LIBRARIES if find_spec(library) is not None), None)
    if backend is None:
        several = ", or ".join(f"pip install {library}" for library in LIBRARIES)
        raise OptionError(f"a dataframe needs a library that makes it: {several}; to_dict() and to_json() need none")
    if backend in LIBRARIES and find_spec(backend) is None:
        lacking = (Argument("backend", backend), " needs a library that is not installed")
        raise OptionError(*lacking, f": pip install {backend}", argument="backend", value=backend)
    try:
        return nw.from_dict(columns, backend=backend).to_native()
    except (ImportError, ValueError, nw.exceptions.NarwhalsError) as error:
        hint = did_you_mean(backend, LIBRARIES)
        allowed = f"backend must be one of {', '.join(LIBRARIES)}; it is {backend!r}{hint}"
        raise OptionError(allowed, argument="backend", value=backend) from error
