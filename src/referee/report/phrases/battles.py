"""Battles in words: what a rating means, why a model has none, what being shown first is worth, and whether ratings fit."""

from __future__ import annotations

from collections.abc import Sequence

from referee.report.numbers import MINUS, known, p_equation, percent, whole
from referee.report.phrases import several
from referee.results.battles import BattleRecord
from referee.results.ranking import Ranking

MEANING = (
    "the mean is 1,000, each model counting by its battles; with 100 points more a model wins 64% of battles, with 200 points 76%, with "
    "400 points 91% (a tie is half a win)"
)
ALONE = (
    "each is of one rating, against the mean over battles, and not for comparing models: two ratings go up and down together, so intervals "
    "that overlap don't mean a tie"
)


def count(r: Ranking) -> str:
    """Say how many battles there were, and how many were ties."""
    if r.battles is None:
        return ""
    ties = f", {whole(r.battles.ties)} of them {'a tie' if r.battles.ties == 1 else 'ties'}" if r.battles.ties else ""
    groups = f", in {several(r.units, 'group')}" if r.units != r.n else ""
    return f"{several(r.n, 'battle')}{ties}{groups}{f'; {whole(r.dropped)} left out' if r.dropped else ''}"


def fought(r: Ranking, name: str) -> tuple[str, str]:
    """Return how many battles a model had, and the share of them that it won."""
    one = next((one for one in r.battles.models if one.name == name), None) if r.battles else None
    return (whole(one.battles), f"{100 * one.win_rate:.1f}%" if known(one.win_rate) else "") if one else ("", "")


def facts(r: Ranking) -> dict[str, str]:
    """Return what lies behind the ratings."""
    record = r.battles
    if record is None:
        return {}
    return {"battles": count(r), "ratings": MEANING, "shown first": _first(r, record), "fit": _fit(r, record)}


def _first(r: Ranking, record: BattleRecord) -> str:
    first = record.first_place
    if first is None:
        return ""
    points = f"{'+' if first.points > 0 else MINUS if first.points < 0 else ''}{abs(first.points):.0f} points"
    low, high = (f"{MINUS if end < 0 else '+'}{abs(end):.0f}" for end in (first.low, first.high))
    return (
        f"worth {points} of rating ({percent(1 - r.alpha)} interval {low} to {high}, {p_equation(first.p_value, r.alpha)}): of two equal "
        f"models the first wins {percent(first.win_rate)}"
    )


def _fit(r: Ranking, record: BattleRecord) -> str:
    fit = record.agreement
    if fit is None:
        return ""
    so = (
        "the win rates of pairs are not what the ratings say"
        if fit.p_value <= r.alpha
        else "nothing shows that the ratings miss the win rates of pairs"
    )
    return (
        f"chi-squared {fit.statistic:.1f} on {fit.df:.0f} degrees of freedom, {p_equation(fit.p_value, r.alpha)}: {so}"
    )


def cells(r: Ranking, names: Sequence[str]) -> dict[tuple[str, str], tuple[float, float | None, int]]:
    """Return of each two models that met, both ways, the share that the first won, the share that ratings expect, and the battles."""
    there, out = set(names), dict[tuple[str, str], tuple[float, float | None, int]]()
    for one in r.battles.head_to_head if r.battles else ():
        if one.a in there and one.b in there:
            out[one.b, one.a] = one.win_rate, one.expected, one.battles
            out[one.a, one.b] = 1 - one.win_rate, None if one.expected is None else 1 - one.expected, one.battles
    return out
