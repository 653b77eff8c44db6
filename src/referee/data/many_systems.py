"""Many systems: which columns of a table hold what systems answered, and the counts of all of them together."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from referee.data.column_guesses import Column, one_table
from referee.data.column_guesses import systems as likely
from referee.data.counts import Counts
from referee.data.crossed_groups import unfolded
from referee.data.engines.base import engine_of
from referee.data.engines.files import called_files
from referee.data.outcomes import made_of
from referee.data.policies import Policies, listed, settle
from referee.data.roles import MORE, OPTIONS, check_columns, named_among, names_of
from referee.errors import Argument, ChoiceNeeded, InputError, Message, OptionError

LOOKED = 500
"""So many rows are looked at to find the columns that can be answers."""
NAMED = 6


def count_systems(data: Any, systems: Any = None, **arguments: Any) -> tuple[Counts, tuple[str, ...]]:
    """Count the joint outcomes of any number of systems in one table, a column each.

    Args:
        data: a dataframe, a mapping of columns, a DuckDB relation, or a path; None if the systems are arrays.
        systems: names of columns, or patterns such as "m*"; all columns that can be answers if left out. Without data: arrays by
            the systems' names.
        arguments: the other columns, the positive label and the policies, as in `referee.count`; None is not given.

    Returns:
        The counts, and what was assumed, in sentences.

    Raises:
        InputError: if there are fewer than two systems, or one of them twice.
    """
    given = {name: value for name, value in unfolded(arguments, arrays=data is None).items() if value is not None}
    policies = Policies(**{name: given[name] for name in names_of("policy") if name in given})
    columns = {OPTIONS[name].role or name: given[name] for name in names_of("column") if name in given}
    remarks: tuple[str, ...] = ()
    if data is None:
        if not isinstance(systems, Mapping):
            arrays = "without a table, systems are arrays by their names; they are ", type(systems).__name__
            raise InputError(*arrays, argument="systems", remedy="give a mapping of names to predictions")
        names = [str(name) for name in systems]
        _check_lengths({**columns, **systems})
        source = {**columns, **{f"{MORE}{i}": values for i, values in enumerate(systems.values(), 1)}}
        columns = {role: role for role in source}
        data = source
    else:
        names, remarks = system_columns(data, systems, columns)
        columns |= {f"{MORE}{i}": name for i, name in enumerate(names, 1)}
    check_names(names)
    roles = {f"{MORE}{i}": name for i, name in enumerate(names, 1)}
    grouped = engine_of(data).read(data, columns, keep_ids=policies.repeats != "error")
    counts = settle(grouped, policies, names=roles, positive=given.get("positive"))
    about = {**counts.about, **made_of({role: str(name) for role, name in columns.items()}), **policies.chosen}
    return replace(counts, about=about, files=called_files([data])), remarks


def _check_lengths(arrays: Mapping[str, Any]) -> None:
    """Refuse arrays of different lengths, by the names that the user gave them."""
    sizes = {name: len(values) for name, values in arrays.items() if hasattr(values, "__len__")}
    if len(set(sizes.values())) > 1:
        here = listed([f"{name} {size}" for name, size in sizes.items()], NAMED)
        raise InputError(f"truth and systems must have one value per example; here: {here}", argument="systems")


def check_names(names: Sequence[str]) -> None:
    """Refuse fewer than two systems, or two of one name.

    Raises:
        OptionError: with what to do.
    """
    twice = next((name for name in names if list(names).count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"two systems are called {twice!r}", argument="systems", remedy="give each a name of its own")
    if len(names) < 2:
        only = f"; there is only {names[0]!r}" if names else ""
        raise OptionError(f"a ranking needs two systems or more{only}", argument="systems")


def column_names(data: Any) -> list[str]:
    """Return the names of the columns of a table."""
    if isinstance(data, str | os.PathLike):
        from referee.data.engines.tables import columns_of, find

        return columns_of(find(data)[0])
    if isinstance(data, Mapping):
        return list(data)
    if type(data).__name__ == "DuckDBPyRelation":
        return list(data.columns)
    from referee.data.engines.frames import wrap

    return wrap(data).collect_schema().names()


def system_columns(data: Any, systems: Any, columns: Mapping[str, Any]) -> tuple[list[str], tuple[str, ...]]:
    """Return the columns of the systems, and what was assumed, in sentences.

    Args:
        data: a table.
        systems: names or patterns; if left out, all columns that look like what systems answered.
        columns: the other columns, by role.

    Raises:
        OptionError: if they are not found, or too few, or something else too.
    """
    known, taken = column_names(data), set(columns.values())
    check_columns(columns, known)
    free = [name for name in known if name not in taken]
    if systems is not None:
        wanted = [systems] if isinstance(systems, str) else list(systems)
        found = named_among(wanted, [name for name in known if name in free or name in wanted], "column")
        both = next((name for name in found if name in taken), None)
        if both is not None:
            raise OptionError(f"{both!r} is named as a system and as something else", argument="systems", value=both)
        return found, ()
    truth = columns.get("truth")
    if {"model_a", "model_b"} <= set(free):
        won = "winner" if "winner" in free else None
        battles = "the columns model_a and model_b look like battles of two models; name the column of who won with "
        raise ChoiceNeeded(battles, Argument("winner"), argument="winner", arguments={"winner": won} if won else {})
    if not free:
        raise OptionError(
            "no column is left for the systems", argument="systems", remedy="name fewer columns as something else"
        )
    looked = {
        name: Column(name, values) for name, values in _first_values(data, [*free, *([truth] if truth else [])]).items()
    }
    if not any(column.values for column in looked.values()):
        raise InputError("the table has no rows; there are no examples to rank", argument="data")
    names = likely([looked[name] for name in free], looked[truth] if truth else None)
    if len(names) < 2:
        raise OptionError(
            "name the columns of the systems with ", Argument("systems"), f"; the columns left are: {listed(free or ['none'], 20)}",
            argument="systems",
        )  # fmt: skip
    if truth is None and not all(looked[name].numeric or _is_boolean(looked[name]) for name in names):
        labels = "the columns hold labels, so name that of the right answers with ", Argument("truth")
        left = f"; the columns left are: {listed(free, 20)}"
        meant = one_table(list(looked.values())).get("truth")
        raise ChoiceNeeded(*labels, left, argument="truth", arguments={"truth": meant} if meant else {})
    told = f"{len(names)} columns look like systems: {listed([str(name) for name in names], NAMED)}; "
    return names, (Message(told, Argument("systems"), " names others"),)


def _is_boolean(column: Column) -> bool:
    return {value.lower() for value in column.distinct} <= {"true", "false"}


def _first_values(data: Any, names: Sequence[str]) -> dict[str, list[str | None]]:
    """Return the first values of columns, as text."""
    if isinstance(data, str | os.PathLike):
        from referee.data.engines.tables import find, first_rows

        rows = first_rows(find(data)[0])
        return {name: rows[name] for name in names}
    if isinstance(data, Mapping):
        held = {name: list(data[name][:LOOKED]) for name in names}
    elif type(data).__name__ == "DuckDBPyRelation":
        columns = data.limit(LOOKED).fetchnumpy()
        held = {name: columns[name].tolist() for name in names}
    else:
        from referee.data.engines.frames import wrap

        frame = wrap(data).head(LOOKED)
        eager = frame if hasattr(frame, "get_column") else frame.collect()
        held = {name: eager.get_column(name).to_list() for name in names}
    return {name: [None if value is None else str(value) for value in values] for name, values in held.items()}
