"""Columns of winners: who won may stand in one column, or be marked in several, one per answer (winner_model_a, winner_tie)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

import numpy as np

from referee.data.columns import plain
from referee.data.engines.base import Grouped
from referee.data.preferences import LOSS, WIN, is_lost, side_of
from referee.errors import InputError

MARKED = "winner_is_"
"""How the roles of columns begin that mark a winner; the rest is the answer that they stand for."""
SET = {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}
"""What marks are, as text."""


def one_name(given: Any) -> Any:
    """Return several columns as they are typed on the command line, and one as it is."""
    return ",".join(map(str, given)) if isinstance(given, list | tuple) else given


def roles_of(given: Any, known: Collection[str]) -> dict[str, Any]:
    """Return what is read by role: the column of winners, or those that mark them.

    Args:
        given: a column; several, as a list or with commas between them; or what the names of several begin with.
        known: the columns that there are.

    >>> roles_of("won", ["won", "id"]), roles_of("won", ["won_model_a", "won_model_b", "won_tie"])
    ({'winner': 'won'}, {'winner_is_model_a': 'won_model_a', 'winner_is_model_b': 'won_model_b', 'winner_is_tie': 'won_tie'})
    """
    if isinstance(given, str) and given not in known:
        parts = [part.strip() for part in given.split(",")]
        begun = [name for name in map(str, known) if name.startswith(f"{given}_")]
        shares = {side_of(name.removeprefix(f"{given}_")) for name in begun}
        given = parts if len(parts) > 1 else begun if {LOSS, WIN} <= shares and None not in shares else given
    if not isinstance(given, list | tuple):
        return {"winner": given}
    words = {name: name.split("_") for name in map(str, given)}
    shared = sum(1 for _ in takewhile(lambda same: len(set(same)) == 1, zip(*words.values(), strict=False)))
    return {f"{MARKED}{'_'.join(own[shared:])}": name for name, own in words.items()}


def with_winners(rows: Grouped, roles: Mapping[str, Any]) -> Grouped:
    """Return rows with one column of winners; one that was lost, as a judge writes "error", is missing.

    Args:
        rows: rows with the roles of `roles_of`.
        roles: the columns by role.

    Raises:
        InputError: if the columns mark no winners, or several in a row.
    """
    marked = [role for role in roles if role.startswith(MARKED)]
    rows = _unmarked(rows, {role: str(roles[role]) for role in marked}) if marked else rows
    winners = rows.columns["winner"]
    if winners.dtype.kind != "O":
        return rows
    lost = np.fromiter((is_lost(value) for value in winners.tolist()), np.bool_, len(winners))
    if not lost.any():
        return rows
    missing = rows.missing.get("winner", np.zeros(len(lost), np.bool_)) | lost
    return replace(rows, missing={**rows.missing, "winner": missing})


def _unmarked(rows: Grouped, columns: Mapping[str, str]) -> Grouped:
    gone = np.logical_or.reduce([rows.missing.get(role, np.zeros(len(rows.counts), np.bool_)) for role in columns])
    marks = np.zeros((len(columns), len(rows.counts)), np.bool_)
    for place, (role, name) in enumerate(columns.items()):
        for row, value in enumerate(rows.columns[role].tolist()):
            mark = False if gone[row] else SET.get(str(plain(value)).strip().lower())
            if mark is None:
                raise _judgements(list(columns.values()), name, value)
            marks[place, row] = mark
    several = int(rows.counts[marks.sum(axis=0) > 1].sum())
    if several:
        many = f"{', '.join(columns.values())} are to mark one winner in each row, and {several:,} have several"
        raise InputError(many, argument="winner")
    words = np.array([role.removeprefix(MARKED) for role in columns], dtype=object)
    none = gone | ~marks.any(axis=0)
    kept = {role: values for role, values in rows.columns.items() if role not in columns}
    missing = {role: mask for role, mask in rows.missing.items() if role not in columns}
    missing |= {"winner": none} if none.any() else {}
    return replace(rows, columns={**kept, "winner": words[marks.argmax(axis=0)]}, missing=missing)


def _judgements(columns: Sequence[str], name: str, value: Any) -> InputError:
    told = f"several columns of winners mark the winner by 1 and 0, and {name} holds {value!r}"
    remedy = (
        f"if {' and '.join(columns)} are judgements of their own, make each of them a row, with a column that says which system was shown "
        "first (of MT-bench, model_1 in g1 and model_2 in g2)"
    )
    return InputError(told, argument="winner", value=value, remedy=remedy)
