"""Crossed groups: two columns whose levels meet each other, such as questions and training seeds; which of them are not crossed but nested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from referee.data.columns import Ints, factorize, plain
from referee.data.counts import Counts
from referee.data.engines.base import Grouped, Repeats
from referee.errors import Argument, InputError, Message, OptionError

CROSSED = "crossed"
"""The role of the second group; the first is called `group`, as where there is one."""
MOST = 2


def unfolded(arguments: Mapping[str, Any], arrays: bool = False) -> dict[str, Any]:
    """Return arguments in which a pair of groups is two: `group` and `crossed`.

    Args:
        arguments: the columns.
        arrays: whether they are arrays of values, of which one is a list of texts; else they are names of columns.

    Raises:
        OptionError: if there are more than two, or one is named twice.

    >>> unfolded({"group": ["question", "seed"], "truth": "label"})
    {'group': 'question', 'truth': 'label', 'crossed': 'seed'}
    >>> unfolded({"group": ("question",)})
    {'group': 'question'}
    >>> unfolded({"group": ["x", "x", "y"]}, arrays=True)
    {'group': ['x', 'x', 'y']}
    """
    given = arguments.get("group")
    columns = _columns_of(given, arrays)
    if columns is None:
        return dict(arguments)
    if len(columns) > MOST:
        many = f"two groups can be crossed; these are {len(columns)}"
        remedy = "name the two that matter most, such as the questions and the seeds"
        raise OptionError(many, argument="group", value=given, remedy=remedy)
    if len(columns) == MOST and isinstance(columns[0], str) and columns[0] == columns[1]:
        twice = f"the two groups are one column, {columns[0]!r}"
        raise OptionError(twice, argument="group", value=given, remedy="name it once, or another one beside it")
    out = {**arguments, "group": columns[0] if columns else None}
    return out | ({CROSSED: columns[1]} if len(columns) == MOST else {})


def _columns_of(given: Any, arrays: bool) -> Sequence[Any] | None:
    """Return the groups that were given: names of columns, or arrays; None where it is one, as it is."""
    if not isinstance(given, list | tuple) or not given:
        return () if isinstance(given, tuple) and not given else None
    if all(isinstance(one, str) for one in given):
        return None if arrays else given
    lists = [hasattr(one, "__len__") and not isinstance(one, str | bytes) for one in given]
    return given if all(lists) else None


def pair_codes(columns: Mapping[str, Any]) -> tuple[Ints, Ints, Ints]:
    """Return the level of each row in the first group and in the second, and its cell; all are numbered from 0 on, in order."""
    first, second = (factorize(columns[role]) for role in ("group", CROSSED))
    cells = first[1].astype(np.int64) * max(len(second[0]), 1) + second[1]
    return first[1], second[1], np.unique(cells, return_inverse=True)[1]


def names_of_groups(counts: Counts) -> tuple[str, str]:
    """Return what the columns of the two groups are called."""
    first, second = counts.about.get("group", "group"), counts.about.get(CROSSED, CROSSED)
    return ("first group", "second group") if (first, second) == ("group", CROSSED) else (first, second)


def settle_crossing(counts: Counts) -> Counts:
    """Return counts whose two groups are really crossed; of nested ones the coarser is the group.

    Raises:
        InputError: if one of them has a single level, or there are strata too.
    """
    if CROSSED not in counts:
        return counts
    if "stratum" in counts:
        both = "crossed groups and strata can't be combined; leave out ", Argument("stratum"), " or one of the groups"
        raise InputError(*both, argument="stratum")
    (first, second, cells), names = pair_codes(counts.columns), names_of_groups(counts)
    many, sizes = int(cells.max()) + 1, (int(first.max()) + 1, int(second.max()) + 1)
    for size, name, other in zip(sizes, names, names[::-1], strict=True):
        if size == 1:
            nothing = f"there is only one level of {name!r}, which shows nothing of how others would differ"
            remedy = Message("give ", Argument("group", other), f" alone: the answer is then about this {name} only")
            raise InputError(nothing, argument="group", value=name, remedy=remedy)
    if many > max(sizes):
        return counts
    fine, coarse = names[::-1] if many == sizes[1] else names
    note = Message(
        f"each {fine} is within one {coarse}, so these groups are nested and not crossed: {coarse} is the group"
    )
    columns = dict(counts.columns)
    kept = columns["group"] if many == sizes[1] else columns[CROSSED]
    del columns[CROSSED]
    about = {name: value for name, value in counts.about.items() if name != CROSSED} | {"group": coarse}
    merged = counts.with_rows({**columns, "group": kept}, counts.multiplicities)
    return replace(merged, about=about, notes=(*counts.notes, note))


def with_pair_ids(rows: Grouped) -> Grouped:
    """Return rows whose id is the pair of their groups, and which pairs are in more than one row."""
    if any(role in rows.missing for role in ("group", CROSSED)):
        return rows  # which is refused, or dropped, before ids are looked at
    cells = pair_codes(rows.columns)[2]
    times = np.bincount(cells, rows.counts)
    several = np.flatnonzero(times > 1)
    if not len(several):
        return rows
    row = int(np.flatnonzero(cells == several[0])[0])
    example = ", ".join(str(plain(rows.columns[role][row])) for role in ("group", CROSSED))
    return replace(rows, columns={**rows.columns, "id": cells}, repeats=Repeats(len(several), example))
