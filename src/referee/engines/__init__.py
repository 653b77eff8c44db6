"""Engines: from arrays, frames and files to grouped rows of outcomes. No engine knows a metric or a policy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from referee.engines.base import Grouped
from referee.errors import InputError


def group(source: Any, roles: Mapping[str, str], keep_ids: bool = False) -> Grouped:
    """Count the rows of whatever holds them.

    Args:
        source: a mapping of arrays, a dataframe, a DuckDB relation, or the path of a file.
        roles: role ("truth", "a", "b", "group", "stratum", "slice", "multiplicity", "id") to column name.
        keep_ids: whether repeated ids are handed on (else they are only counted).

    Raises:
        InputError: where the source is nothing of these, or cannot be read.
    """
    if isinstance(source, str | os.PathLike):
        from referee.engines import files

        return files.read(source, roles, keep_ids)
    if isinstance(source, Mapping):
        from referee.engines import arrays

        return arrays.read(source, roles, keep_ids)
    if type(source).__name__ == "DuckDBPyRelation":
        from referee.engines import relations

        return relations.read(source, roles, keep_ids)
    from referee.engines import frames

    frame = frames.wrap(source)
    if frame is None:
        raise InputError(
            f"data must be a dataframe, a mapping of columns, counts, or the path of a file; it is {type(source).__name__}"
        )
    return frames.read(frame, roles, keep_ids)
