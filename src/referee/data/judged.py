"""Judged data: a judge looked at every example and people at some of them; what the people saw, and what the judge saw.

In the columns of a judge (`JUDGES`) every row has a value. In the column that each stands in for, None is what nobody looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from referee.data.columns import Floats, Mask, Values, clean, kind, label_kind
from referee.data.roles import JUDGES
from referee.errors import Argument, InputError, Message, OptionError

if TYPE_CHECKING:
    from referee.data.counts import Counts
    from referee.data.engines.base import Grouped

SCORED = ("judge_a", "judge_b")
"""The judges of outputs that have scores instead of labels."""
ALIKE = 0.7
"""Scores are on one scale if those of either side span so much of the range of both: 1 to 7 is not 1 to 5 (0.67)."""


def check_judges(roles: Collection[str], policies: Mapping[str, str]) -> None:
    """Refuse a judge without what it stands in for, and policies that make up what nobody said.

    Raises:
        InputError: if a column is lacking or contradicts another.
        OptionError: if a policy does not go with a judge.
    """
    judges = [role for role in JUDGES if role in roles]
    if not judges:
        return
    if "judge" in judges and "truth" not in roles:
        needed = (" is the judge's labels; name the column of people's labels with ", Argument("truth"))
        scores = Message("for a judge's scores of outputs use ", *_pair())
        raise InputError(Argument("judge", bare=True), *needed, argument="truth", remedy=scores)
    if "judge" in judges and len(judges) > 1:
        both = Message("leave ", *_pair(), " out, or ", Argument("judge"))
        raise InputError("a judge gives labels or scores, not both", argument="judge", remedy=both)
    if "judge" not in judges and len(judges) < len(SCORED):
        other = next(role for role in SCORED if role not in judges)
        raise InputError(
            "a judge scores the outputs of both systems: ", Argument(other), " is not given", argument=other
        )
    if "judge" not in judges and "truth" in roles:
        leave = Message("leave ", Argument("truth"), " out, or give the judge's labels with ", Argument("judge"))
        raise InputError("people's scores of outputs need no truth", argument="truth", remedy=leave)
    refused = {"missing": "wrong", "repeats": "mean"}
    for name, value in refused.items():
        if policies.get(name) == value:
            drop = Message("use ", Argument("missing", "drop")) if name == "missing" else None
            raise OptionError(
                Argument(name, value), " does not go with a judge", argument=name, value=value, remedy=drop
            )


def _pair() -> tuple[Argument | str, ...]:
    return Argument("judge_a"), " and ", Argument("judge_b")


def is_judged(counts: Counts) -> bool:
    """Say whether a judge looked at these examples."""
    return any(role in counts for role in JUDGES)


def partly(roles: Collection[str]) -> list[str]:
    """Return the columns that people filled in for some examples only."""
    return [own for judge, own in JUDGES.items() if judge in roles]


def set_apart(rows: Grouped) -> tuple[Grouped, list[str]]:
    """Make what nobody looked at a None among the values, so that no policy takes it for missing; and say what is odd.

    Raises:
        InputError: if nobody looked at any, or a judge does not speak of what people speak of.
    """
    own = partly(rows.columns)
    if not own:
        return rows, []
    gone = {role: rows.missing.get(role, np.zeros(len(rows.counts), np.bool_)) for role in own}
    nobody = np.logical_or.reduce(list(gone.values()))
    if nobody.all():
        where = " and ".join(own)
        raise InputError(
            f"no example has a human {'label' if own == ['truth'] else 'score'}: {where} is empty in all of them",
            argument=own[0],
            remedy="without people's labels nothing is known of how far the judge is off; have some examples labelled",
        )
    columns = dict(rows.columns)
    for judge in (role for role in JUDGES if role in columns):
        _check_kind(rows, judge)
        role = JUDGES[judge]
        columns[role] = np.where(nobody, None, columns[role].astype(object)) if nobody.any() else columns[role]  # type: ignore[call-overload]
    half = sum(int(rows.counts[gone[role] != nobody].sum()) for role in own)
    few = f"{half:,} example{' has' if half == 1 else 's have'} a human score of one system only, and count as not labelled"
    missing = {role: mask for role, mask in rows.missing.items() if role not in own}
    return replace(rows, columns=columns, missing=missing), [few] if half else []


def _check_kind(rows: Grouped, judge: str) -> None:
    """Refuse a judge whose labels can never be those of people."""
    own = JUDGES[judge]
    sorts = ["numbers" if rows.columns[role].dtype.kind in "iuf" else kind(rows.columns[role]) for role in (own, judge)]
    if sorts[0] != sorts[1] and not rows.missing.get(judge, np.zeros(1)).all():
        told = f"{own} holds {kind(rows.columns[own])} and {judge} holds {kind(rows.columns[judge])}"
        raise InputError(
            f"{told}; the judge must use the labels that people use", argument=judge, remedy="convert one of them"
        )


def labelled(counts: Counts) -> Mask:
    """Say which rows people looked at."""
    out = np.ones(len(counts), np.bool_)
    for role in partly(counts.columns):
        if counts[role].dtype.kind == "O":
            out &= np.fromiter((value is not None for value in counts[role].tolist()), np.bool_, len(counts))
    return out


def seen_by_people(counts: Counts) -> Counts:
    """Return the rows that people looked at, as they saw them and in the same order; equal ones are not merged."""
    seen = counts.where(labelled(counts))
    narrow = {role: clean(seen[role], role)[0] for role in partly(counts.columns) if label_kind(seen[role]) != "O"}
    return _without_judges(seen, narrow)


def seen_by_judge(counts: Counts) -> Counts:
    """Return all rows as the judge saw them and in the same order; equal ones are not merged."""
    return _without_judges(counts, {JUDGES[role]: counts[role] for role in JUDGES if role in counts})


def _without_judges(counts: Counts, changed: Mapping[str, Values]) -> Counts:
    columns = {role: changed.get(role, values) for role, values in counts.columns.items() if role not in JUDGES}
    return replace(counts, columns=columns)


def same_range(counts: Counts) -> bool:
    """Say whether the judge's scores and people's span about the same range; those of 1 to 5 and of 1 to 10 do not.

    A judge whose labels stand in for people's speaks of the same thing; only scores of outputs can be on another scale.
    """
    if "judge_a" not in counts:
        return True
    human, machine = _scores(counts)
    if np.isin(human, (0, 1)).all() and np.isin(machine, (0, 1)).all():
        return True
    whole = max(human.max(), machine.max()) - min(human.min(), machine.min())
    return bool(min(np.ptp(human), np.ptp(machine)) >= ALIKE * whole)


def same_steps(counts: Counts) -> bool:
    """Say whether people and judge both give whole numbers, or neither does."""
    if "judge_a" not in counts:
        return True
    human, machine = (bool((scores == np.round(scores)).all()) for scores in _scores(counts))
    return human == machine


def _scores(counts: Counts) -> tuple[Floats, Floats]:
    """Return people's scores of both systems, and the judge's of the same examples."""
    seen = counts.where(labelled(counts))
    human, machine = (
        np.concatenate([seen[role].astype(np.float64) for role in roles])
        for roles in ([JUDGES[role] for role in SCORED], SCORED)
    )
    return human, machine


def refuse_scores(counts: Counts) -> None:
    """Refuse a judge's scores beside people's labels, which they never equal.

    Raises:
        InputError: if the judge gives scores.
    """
    judge, people = counts["judge"], seen_by_people(counts)["truth"]
    if judge.dtype.kind != "f" or people.dtype.kind == "f":
        return
    odd = next((value for value in judge.tolist() if value != round(value)), None)
    if odd is not None:
        told = f"the judge gives scores, such as {odd:g}, and people give labels"
        raise InputError(told, argument="judge", remedy="turn the judge's scores into the labels that people use")


def by_people(counts: Counts) -> Counts:
    """Return the examples that people looked at, as they saw them: counts like any other."""
    seen = seen_by_people(counts)
    return seen.with_rows(seen.columns, seen.multiplicities)
