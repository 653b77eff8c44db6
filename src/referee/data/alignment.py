"""Alignment: columns whose rows carry labels, as those of pandas do, meet by these labels and not by their places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.errors import InputError


def aligned(columns: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Put columns into one order, where their indexes say which one; columns without an index are left as they are.

    Args:
        columns: by the name that messages have for each.

    Returns:
        The columns, and what was done, in sentences.

    Raises:
        InputError: where indexes differ, and nothing says for sure which rows belong together.
    """
    indexes = {name: values.index for name, values in columns.items() if _indexed(values)}
    lengths = {len(index) for index in indexes.values()}
    first = next(iter(indexes), "")
    odd = [name for name, index in indexes.items() if not indexes[first].equals(index)]
    if not odd or len(lengths) > 1:  # of lengths that differ somebody else speaks
        return dict(columns), ()
    plain = [name for name, index in indexes.items() if _counted(index)]
    labelled = [indexes[name] for name in indexes if name not in plain]
    if plain and not labelled[0].isin(indexes[plain[0]]).all() and all(labelled[0].equals(one) for one in labelled):
        # Numbers that the labels of the others are not: they are the places in which the rows came, as after a split of the data.
        return dict(columns), (
            f"the rows of {', '.join(plain)} were paired with the others by place: their index is no more than 0, 1, 2, ...",
        )
    why = _doubt(columns, indexes, first, odd)
    if why:
        order = "" if plain else f"put them into one order, as {odd[0]}.loc[{first}.index] does, or "
        raise InputError(
            f"the rows of {first} and {odd[0]} have different indexes, {why}, so it is not clear which rows belong together; "
            f"{order}pass .to_numpy() of each to pair them by place"
        )
    moved = {name: columns[name].reindex(indexes[first]) for name in odd}
    told = f"the rows of {', '.join(odd)} were put into the order of {first}, whose index has the same labels in another order"
    return {**columns, **moved}, (told,)


def _indexed(values: Any) -> bool:
    return hasattr(values, "iloc") and hasattr(getattr(values, "index", None), "equals") and hasattr(values, "reindex")


def _doubt(columns: Mapping[str, Any], indexes: Mapping[str, Any], first: str, odd: list[str]) -> str:
    """Say why labels do not tell which rows belong together; nothing where they do."""
    if not all(index.is_unique for index in indexes.values()):
        return "in which labels repeat"
    if not all(indexes[first].isin(indexes[name]).all() for name in odd):
        return "which do not hold the same labels"
    # What a model predicts is often numbered 0, 1, 2, ... in the order in which it was asked, whatever the labels were.
    counted = next((name for name in (first, *odd) if _counted(indexes[name])), None)
    if counted is not None:
        return f"and that of {counted} may be no more than the places 0, 1, 2, ..."
    bare = next((name for name in columns if name not in indexes), None)
    return "" if bare is None else f"and {bare} has none"


def _counted(index: Any) -> bool:
    """Say whether an index is the one that rows get when nobody gives them one."""
    return type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)
