"""Judgements: from tables of who won to counts of preferences, in which each system's answer is its share of the win."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from referee.data.columns import Mask, Values, factorize, plain
from referee.data.counts import Counts
from referee.data.engines.base import Grouped, engine_of
from referee.data.engines.files import called_files
from referee.data.label_checks import name_remarks
from referee.data.naming import checked
from referee.data.policies import kept, occur, refuse_lacking_ids, weighed
from referee.data.preferences import (
    COLUMN_WORDS,
    SHOWN,
    by_place,
    columns_of_battles,
    is_lost,
    labels_in,
    shares_of,
    sides_of,
    strangers,
)
from referee.data.roles import FIRST, JUDGES, OPTIONS, SIDES, SYSTEMS, UNKNOWN
from referee.data.value_text import listed
from referee.data.winner_columns import one_name, roles_of, with_winners
from referee.errors import Argument, ChoiceNeeded, InputError, Message, NotReady, OptionError

LEFT, RIGHT = "left", "right"
"""The roles of columns that say which system stands on either side of a battle."""
NEITHER = "a judgement is neither right nor wrong, so a missing one can't be counted as wrong"


def counted_judgements(
    data: Any, columns: Mapping[str, Any], rest: Mapping[str, Any], names: Sequence[str] | None = None
) -> Counts:
    """Count who won.

    Args:
        data: a dataframe, a mapping of columns, a path, or None if the columns are arrays.
        columns: by role, the columns or arrays: `winner` and maybe `first`, sides of examples, `id` and `multiplicity`; `a` and `b` are
            the systems' names, or the columns of their names where each row is a battle.
        rest: the policies.
        names: what A and B are called, in this order, where `a` and `b` are not names.

    Raises:
        InputError: if the winners can't be understood.
    """
    _check(columns, rest)
    columns = {**columns, "winner": one_name(columns["winner"])} if data is not None else columns
    given = {role: value for role, value in columns.items() if role not in SYSTEMS}
    systems = {role: columns.get(role) for role in SYSTEMS}
    if data is None:
        arrays = {LEFT: systems["a"], RIGHT: systems["b"]} if _are_columns(systems.values()) else {}
        source, roles = {**given, **arrays}, {role: role for role in (*given, *arrays)}
    else:
        odd = next((role for role, name in {**given, **systems}.items() if not isinstance(name, Hashable)), None)
        if odd is not None:
            with_arrays = Message("with arrays leave ", Argument("data"), " out")
            raise InputError(f"{odd} must be a name if there is data", argument=odd, remedy=with_arrays)
        source, battles = data, _battle_columns(data, systems)
        winners = roles_of(given.pop("winner"), _columns_of(data))
        roles = {**given, **winners, **battles}
        systems = dict.fromkeys(SYSTEMS) if set(battles.values()) == set(systems.values()) else systems
    own = {role: name for role, name in systems.items() if isinstance(name, str)}
    own = own or (dict(zip(SYSTEMS, checked(names), strict=True)) if names is not None else {})
    rows = with_winners(engine_of(source).read(source, roles, keep_ids=True), roles)
    called = {role: str(columns[role]) if data is not None and role in columns else role for role in ("winner", FIRST)}
    made = _settled(rows, own, rest, called)
    roles = {**roles, "winner": columns["winner"]}
    about = {OPTIONS_BY_ROLE.get(role, role): str(roles[role]) for role in ABOUT if data is not None and role in roles}
    chosen = {name: policy for name, policy in rest.items() if name in ("missing", "repeats") and policy != "error"}
    return replace(made, about={**made.about, **about, **chosen, "noun": "judgement"}, files=called_files([data]))


OPTIONS_BY_ROLE = {option.role or name: name for name, option in OPTIONS.items()}
ABOUT = (*SIDES, "winner", FIRST, "multiplicity")
"""What the numbers depend on."""


def _check(columns: Mapping[str, Any], rest: Mapping[str, Any]) -> None:
    """Refuse what makes no sense beside a winner."""
    if "winner" not in columns:
        needs = Argument(FIRST, bare=True), " says which system was shown first, and needs ", Argument("winner")
        raise OptionError(*needs, argument=FIRST)
    for role in ("truth", "text"):
        if role in columns:
            why = " has no effect beside ", Argument("winner", bare=True), ", which says who won"
            raise OptionError(
                Argument(role, bare=True), *why, argument=role, remedy=Message("leave ", Argument(role), " out")
            )
    judge = next((role for role in JUDGES if role in columns), None)
    if judge is not None:
        needs = Argument(judge, bare=True), " goes with labels and scores of people, not with ", Argument("winner")
        people = "give the wins as scores (1, 0.5 or 0): people's as ", Argument("a"), " and ", Argument("b")
        remedy = Message(*people, ", the judge's as ", Argument("judge_a"), " and ", Argument("judge_b"))
        raise OptionError(*needs, argument=judge, remedy=remedy)
    if rest.get("positive") is not None:
        raise OptionError(
            "preferences have no positive label",
            argument="positive",
            remedy=Message("leave ", Argument("positive"), " out"),
        )
    if rest.get("missing") == "wrong":
        raise OptionError(
            NEITHER, argument="missing", value="wrong", remedy=Message("use ", Argument("missing", "drop"))
        )
    if rest.get("repeats") == "mean":
        what = "judgements aren't averaged: their ties would be lost"
        raise OptionError(what, argument="repeats", value="mean", remedy=Message("use ", Argument("repeats", "group")))
    if "id" in columns and "multiplicity" in columns:
        many = "rows with a multiplicity stand for many judgements and have no id"
        raise OptionError(
            many, argument="id", remedy=Message("give ", Argument("id"), " or ", Argument("multiplicity"), ", not both")
        )
    if isinstance(columns.get("a"), str) and columns.get("a") == columns.get("b"):
        same = Argument("a", bare=True), " and ", Argument("b", bare=True), f" are both {columns['a']!r}"
        raise OptionError(*same, argument="b", value=columns["b"], remedy="name the other system")
    if ("a" in columns) != ("b" in columns):
        one = "name both systems (or neither, if the winners are a and b): "
        raise OptionError(one, Argument("b" if "a" in columns else "a"), " is not given", argument="b")


def _are_columns(values: Any) -> bool:
    return all(value is not None and not isinstance(value, str) for value in values)


def _battle_columns(data: Any, systems: Mapping[str, Any]) -> dict[str, str]:
    """Return which columns have the names of both systems of a row; nothing if the table has none."""
    known = _columns_of(data)
    inside = [role for role in SYSTEMS if systems[role] in known]
    if len(inside) == 2:
        return {LEFT: systems["a"], RIGHT: systems["b"]}
    if inside:
        other = "b" if inside == ["a"] else "a"
        one = f"{systems[inside[0]]!r} is a column and {systems[other]!r} is none; give the columns of both systems' names, or both names"
        raise OptionError(one, argument=other, value=systems[other])
    pair = columns_of_battles(known)
    return dict(zip((LEFT, RIGHT), pair, strict=True)) if pair else {}


def _columns_of(data: Any) -> Sequence[str]:
    if isinstance(data, Mapping):
        return list(data)
    if isinstance(data, str | os.PathLike):
        from referee.data.engines.tables import columns_of

        return columns_of(data)
    if hasattr(data, "columns") and type(data).__name__ == "DuckDBPyRelation":
        return list(data.columns)
    from referee.data.engines.frames import wrap

    return wrap(data).collect_schema().names()


def _settled(rows: Grouped, names: Mapping[str, str], rest: Mapping[str, Any], called: Mapping[str, str]) -> Counts:
    """Apply the policies to rows, and read who won and who was shown first."""
    refuse_lacking_ids(rows.repeats.lacking)
    column = called["winner"]
    rows = weighed(rows)
    whole = int(rows.counts.sum())
    if not whole:
        raise NotReady("there are no judgements: the table has no rows")
    rows, notes = _without_missing(rows, rest.get("missing", "error"), column)
    rows, names, told = _two_systems(rows, names)
    turned = _turned(rows, names)
    shown, labels = _shown(rows, names, called[FIRST])
    read = shares_of(
        rows.columns["winner"], *_named(rows, names, column), sides=(names["a"], names["b"]), column=column, shown=shown, labels=labels
    )  # fmt: skip
    share, first = read.values, _first(rows, shown, turned)
    share = np.where(turned, 1 - share, share)
    sides = {role: rows.columns[role] for role in SIDES if role in rows.columns}
    if rows.repeats.ids:
        sides, grouping = _of_ids(rows, sides, first, rest.get("repeats", "error"))
        notes = [*notes, *grouping]
    answers = {"a": 1 - share, "b": share, **sides, FIRST: first}
    dropped = whole - int(rows.counts.sum()) - told[1]
    made = Counts.of(
        answers,
        rows.counts,
        names=names,
        notes=[*rows.notes, *notes, *told[0], *read.notes, *name_remarks(rows, names)],
    )
    return replace(made, matched=replace(made.matched, dropped=dropped))


def _without_missing(rows: Grouped, missing: str, column: str) -> tuple[Grouped, list[str]]:
    """Refuse or drop judgements that lack something."""
    if not rows.missing:
        return rows, []
    times = {role: int(rows.counts[gone].sum()) for role, gone in rows.missing.items()}
    lacking = listed([f"{many:,} of {column if role == 'winner' else role}" for role, many in times.items()])
    lost = sorted({str(value) for value in rows.columns["winner"].tolist() if is_lost(value)})
    lacking += f" ({' and '.join(map(repr, lost))} is no judgement)" if lost else ""
    if missing != "drop":
        drop = Message("fill them in, or leave those judgements out with ", Argument("missing", "drop"))
        raise InputError(f"values are missing: {lacking}", argument="missing", remedy=drop)
    gone = np.logical_or.reduce(list(rows.missing.values()))
    if gone.all():
        raise InputError(f"no judgement is left: all lack a value ({lacking})")
    many = int(rows.counts[gone].sum())
    were = "1 judgement with a missing value was" if many == 1 else f"{many:,} judgements with a missing value were"
    return kept(rows, ~gone), [Message(f"{were} dropped (", Argument("missing", "drop"), ")")]


def _two_systems(rows: Grouped, names: Mapping[str, str]) -> tuple[Grouped, Mapping[str, str], tuple[list[str], int]]:
    """Return the battles of two systems, what they are called, and what was left out, in sentences and in number."""
    if LEFT not in rows.columns:
        return rows, names or {"a": "A", "b": "B"}, ([], 0)
    sides = [np.array([str(plain(one)).strip() for one in rows.columns[role]], dtype=object) for role in (LEFT, RIGHT)]
    found = sorted(set().union(*(side.tolist() for side in sides)))
    rows = replace(rows, columns={**rows.columns, LEFT: sides[0], RIGHT: sides[1]})
    if not names and len(found) != 2:
        many = f"two systems are compared, and there are {len(found):,}: {', '.join(found[:SHOWN])}{', ...' if len(found) > SHOWN else ''}"
        if len(found) < 2:
            raise InputError(f"all battles are of {found[0]} with itself, and two systems are compared", argument="a")
        pair = {"a": found[0], "b": found[1]}
        rank = Message("name two, or rank them all with referee rank")
        raise ChoiceNeeded(many, argument="a", arguments=pair, remedy=rank)
    names = names or dict(zip(SYSTEMS, found, strict=True))
    odd = next((name for name in names.values() if name not in found), None)
    if odd is not None:
        role = next(role for role, name in names.items() if name == odd)
        raise InputError(
            f"no battle has a system called {odd!r}",
            argument=role,
            value=odd,
            remedy=f"there are: {', '.join(found[:20])}",
        )
    chosen = set(names.values())
    mask = np.array([{one, other} == chosen for one, other in zip(*sides, strict=True)], dtype=np.bool_)
    left_out = int(rows.counts[~mask].sum())
    if not mask.any():
        raise InputError(f"{' and '.join(names.values())} never meet in a battle", argument="b")
    note = [f"{left_out:,} battles of other systems were left out"] if left_out else []
    return kept(rows, mask), names, (note, left_out)


def _turned(rows: Grouped, names: Mapping[str, str]) -> Mask:
    """Say in which rows B stands on side a."""
    if LEFT not in rows.columns:
        return np.zeros(len(rows.counts), np.bool_)
    return np.asarray(rows.columns[LEFT] == names["b"], dtype=np.bool_)


def _named(rows: Grouped, names: Mapping[str, str], column: str) -> tuple[Any, Any]:
    """Return what the systems on either side are called, for the reader of winners."""
    if LEFT in rows.columns:
        return rows.columns[LEFT], rows.columns[RIGHT]
    if names != {"a": "A", "b": "B"}:
        return names["a"], names["b"]
    unread = strangers(rows.columns["winner"])
    if any(map(by_place, unread)):
        if FIRST in rows.columns:
            return (), ()
        places = (
            f"{column} holds {' and '.join(map(repr, unread))}, which may be the places at which answers were shown"
        )
        remedy = Message("say which system was shown first with ", Argument(FIRST))
        raise InputError(places, argument="winner", value=unread[0], remedy=remedy)
    if len(unread) == 2:
        what = f"{column} holds {' and '.join(map(repr, unread))}; if these are the systems, name them"
        raise ChoiceNeeded(what, argument="a", arguments=dict(zip(SYSTEMS, unread, strict=True)))
    return (), ()


def _shown(rows: Grouped, names: Mapping[str, str], column: str) -> tuple[Values | None, frozenset[str]]:
    """Return the side of each row that a column says was shown first, and the words for sides that mean systems beside it."""
    if FIRST not in rows.columns:
        return None, frozenset()
    shown = sides_of(rows.columns[FIRST], *_named_first(rows, names), column=column)
    own = COLUMN_WORDS if LEFT in rows.columns else {"a", "b"} if names == {"a": "A", "b": "B"} else set()
    return shown, labels_in(rows.columns[FIRST]) | own


def _first(rows: Grouped, shown: Values | None, turned: Mask) -> Values:
    """Return which system was shown first: as a column says, or the one on the left of a battle."""
    if shown is None and LEFT not in rows.columns:
        return np.full(len(rows.counts), UNKNOWN, dtype=object)
    is_a = ~turned if shown is None else (shown == "a") != turned
    return np.where(is_a, "a", "b").astype(object)


def _named_first(rows: Grouped, names: Mapping[str, str]) -> tuple[Any, Any]:
    if LEFT in rows.columns:
        return rows.columns[LEFT], rows.columns[RIGHT]
    return names["a"], names["b"]


def _of_ids(
    rows: Grouped, sides: Mapping[str, Values], first: Values, repeats: str
) -> tuple[dict[str, Values], list[str]]:
    """Keep the judgements of an id together as a group, if they were made in both orders or somebody asks for it."""
    ids = rows.columns["id"]
    many = f"{occur(rows.repeats.ids)} in more than one row, such as {rows.repeats.example!r}"
    orders = set(first.tolist())
    if repeats == "error" and not {"a", "b"} <= orders:
        group = Message(
            Argument("repeats", "group"), " keeps the judgements of an id together as a group, and ", Argument(FIRST),
            " says that they were made in both orders",
        )  # fmt: skip
        raise InputError(many, argument="repeats", remedy=group)
    if "group" in sides:
        places = factorize(ids)[1]
        own = factorize(sides["group"])[1]
        low = np.full(int(places.max()) + 1, own.max() + 1)
        np.minimum.at(low, places, own)
        if (low[places] != own).any():
            raise InputError(
                f"{many}, and some of these in more than one group",
                argument="group",
                remedy="give ids that lie in one group each",
            )
        return dict(sides), _unturned(rows, sides["group"], first, "group")
    notes = [f"{many}; the judgements of an id are one group", *_unturned(rows, ids, first, "id")]
    return {**sides, "group": ids}, notes


def _unturned(rows: Grouped, units: Values, first: Values, what: str) -> list[str]:
    """Say why nobody knows how often the judge keeps its choice: judgements in the two orders can't be paired one to one."""
    levels, codes = factorize(units)
    times = [np.bincount(codes, rows.counts * (first == role), len(levels)) for role in SYSTEMS]
    several = np.maximum(*times) > 1
    if not several.any() or not all(own.any() for own in times):
        return []
    many = f"such as {plain(levels[int(np.argmax(several))])!r}"
    why = (
        f"some ids have several judgements in the same order (from several judges?), {many}"
        if what == "id"
        else f"judgements are paired by group, and some groups have several in the same order, {many}"
    )
    return [f"how often the judge keeps its choice when the order is reversed is not known: {why}"]
