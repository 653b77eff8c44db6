"""Doubts: which columns may play a role that was not guessed, where a wrong guess could change a verdict."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from referee.data.column_guesses import WORDS, Column, alike, families

MOST = 200
"""So many columns of labels are compared with each other for a question; each is with all the others."""
FEW = 5
"""So many columns are named in a question."""
NUMBERS = re.compile(r"\b(id|no|nr|number|index)$")
"""Names of numbers that only tell things apart."""
TOGETHER = 5, 0.5
"""So many values that come again, in up to this share of the rows, may be groups."""


def in_doubt(columns: Sequence[Column], guesses: Mapping[str, str]) -> dict[str, str]:
    """Say of roles that were not guessed what may play them, where a wrong guess could change a verdict.

    >>> from referee.data.column_guesses import one_table
    >>> rows = [Column("topic name", ["x", "x", "y"]), Column("label", ["cat", "dog", "cat"]),
    ...         Column("old", ["1", "0", "1"]), Column("new", ["1", "1", "0"])]
    >>> in_doubt(rows, one_table(rows))
    {'truth': '“label” may hold the right answers, but its values are not those of “old” and “new”'}
    """
    left = [column for column in columns if column.name not in guesses.values()]
    pair = [column for column in columns if column.name in [guesses.get(role) for role in ("a", "b", "prediction")]]
    names = [column.name for column in pair]
    few = [column for column in left if column.labels][:MOST]
    like = [column.name for column in few if pair and all(alike(column, one) for one in pair)]
    named = [column.name for word in WORDS["truth"] for column in few if pair and column.known_as == word]
    many = [own for own in families(few) if len(own) > 2 and not own[0].numeric]
    doubts: dict[str, str] = {}
    if "truth" not in guesses and (like or named or many):
        same = [column.name for column in many[0]] if many else []
        doubts["truth"] = (
            f"{_quoted(like)} may hold the right answers: the values are like those of {_quoted(names)}" if like
            else f"{_quoted(named[:1])} may hold the right answers, but its values are not those of {_quoted(names)}" if named
            else f"{_quoted(same)} hold the same labels; one of them may be the right answers"
        )  # fmt: skip
        left = [column for column in left if column.name not in (*like, *named, *same)]
    least, most = TOGETHER
    sides = [
        column.name
        for column in left
        if least <= len(column.distinct) <= most * len(column.present) and not column.decimal and not column.prose
        and (not column.numeric or NUMBERS.search(column.known_as))
    ]  # fmt: skip
    if "group" not in guesses and sides:
        doubts["group"] = f"the values of {_quoted(sides[:1])} repeat; are examples with the same value related?"
    return doubts


def _quoted(names: Sequence[str]) -> str:
    shown = [f"“{name}”" for name in names[:FEW]]
    return (
        ", ".join(shown) + " and others"
        if len(names) > FEW
        else " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
    )
