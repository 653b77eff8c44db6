"""The leaderboard: from the verdicts on pairs to the ranks that the data support, and who may be best."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from referee.data.columns import Floats
from referee.errors import Argument, Message, unknown
from referee.results.comparison import Interval
from referee.results.ranking import Ranked, Ranking, Standing
from referee.results.settings import Settings, Verdict, signature

DRAWN = 7
"""The child of a result's streams that shared draws come from."""
FEW_GROUPS = 10
"""Of fewer groups (in effect) draws do not show how comparisons vary together: of 20 tied systems on 4 unequal groups, some two were
called different in 39% of test sets."""
SAFE = {"max-t": "bonferroni", "romano-wolf": "holm"}
"""What takes their place then; it needs to know nothing of that."""


@dataclass(frozen=True)
class Leaderboard:
    """Who stands where."""

    systems: tuple[Ranked, ...]
    best: tuple[str, ...]
    together: tuple[tuple[str, ...], ...]


def leaderboard(
    order: Sequence[str], names: Mapping[str, str], scores: Mapping[str, float | None],
    intervals: Mapping[str, Interval | None], pairs: Sequence[tuple[str, str]], claims: Sequence[Verdict], up: bool,
    baseline: str | None, ranked: Collection[str],
) -> Leaderboard:  # fmt: skip
    """Place systems by the verdicts on pairs.

    Args:
        order: the systems, best score first.
        names: what they are called.
        scores: None where it is unknown.
        intervals: of the scores.
        pairs: which were compared.
        claims: the verdict on each pair.
        up: whether higher is better.
        baseline: what all were compared with; None if all pairs were.
        ranked: those of which something is known, so that they have a range of ranks and may be best.
    """
    known = [role for role in order if scores[role] is not None]
    beaten: dict[str, set[str]] = {role: set() for role in order}
    for (a, b), claim in zip(pairs, claims, strict=True):
        if claim in ("a better", "b better"):
            beaten[b if claim == "a better" else a].add(a if claim == "a better" else b)
    above = {role: len(beaten[role]) for role in order}
    below = {role: sum(role in others for others in beaten.values()) for role in order}
    unrated = {role for role in ranked if scores[role] is None}
    pushed = {role: len(beaten[role] & unrated) for role in known}
    best = [role for role in order if role in ranked and not above[role]] if baseline is None else []
    systems = tuple(
        Ranked(
            name=names[role], score=scores[role], interval=intervals[role],
            rank=_rank(role, scores, up, pushed),
            rank_low=1 + above[role] if baseline is None and role in ranked else None,
            rank_high=len(order) - below[role] if baseline is None and role in ranked else None,
            standing=_standing(role, names, ranked, beaten, scores, order, baseline),
        )
        for role in order
    )  # fmt: skip
    apart = {frozenset(pair) for pair, claim in zip(pairs, claims, strict=True) if claim != "too close to call"}
    return Leaderboard(
        systems, tuple(names[role] for role in best), () if baseline is not None else together(known, names, apart)
    )


def pairs_of(order: Sequence[str], names: Mapping[str, str], baseline: str | None) -> list[tuple[str, str]]:
    """Return the pairs to compare: all, in the order of the leaderboard, or the baseline with each of the others."""
    if baseline is None:
        return list(combinations(order, 2))
    base = next((role for role in order if names[role] == baseline), None)
    if base is None:
        raise unknown("system", baseline, list(names.values()), "baseline")
    return [(base, role) for role in order if role != base]


def verdicts(difference: Floats, p: Floats, alpha: float, up: bool) -> list[Verdict]:
    """Return the claim about each pair: the second is better, the first is, or neither can be said."""
    out: list[Verdict] = []
    for gain, sure in zip(difference.tolist(), p.tolist(), strict=True):
        if not sure <= alpha or gain == 0:
            out.append("too close to call")
        else:
            out.append("b better" if (gain > 0) == up else "a better")
    return out


def number(value: float) -> float | None:
    """Return a finite number, or None."""
    return float(value) if math.isfinite(value) else None


def _rank(role: str, scores: Mapping[str, float | None], up: bool, pushed: Mapping[str, int]) -> int | None:
    """Return the rank by score, which systems that have none but are surely better push down.

    Args:
        role: the system.
        scores: None where it is unknown.
        up: whether higher is better.
        pushed: for each system with a score, how many without one are surely better; who scores lower is pushed down as far.
    """
    own = scores[role]
    if own is None:
        return None
    better = [other for other in pushed if (scores[other] or 0.0) != own and ((scores[other] or 0.0) > own) == up]
    return 1 + len(better) + max(pushed[other] for other in (role, *better))


def _standing(
    role: str, names: Mapping[str, str], ranked: Collection[str], beaten: Mapping[str, set[str]],
    scores: Mapping[str, float | None], order: Sequence[str], baseline: str | None,
) -> Standing:  # fmt: skip
    if role not in ranked:
        return "unknown"
    if baseline is not None:
        base = next(other for other in order if names[other] == baseline)
        return "worse" if base in beaten[role] else "better" if role in beaten[base] else "not ruled out"
    if beaten[role]:
        return "worse"
    return "top scorer" if scores[role] is not None and scores[role] == scores[order[0]] else "not ruled out"


def together(order: Sequence[str], names: Mapping[str, str], apart: set[frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the largest runs of neighbours of which no two are told apart; those of one system are left out."""
    runs: list[tuple[str, ...]] = []
    end = 0
    for start in range(len(order)):
        last = start
        while last + 1 < len(order) and all(
            frozenset((order[last + 1], other)) not in apart for other in order[start : last + 1]
        ):
            last += 1
        if last > start and (not runs or last + 1 > end):
            runs.append(tuple(names[role] for role in order[start : last + 1]))
            end = last + 1
    return tuple(runs)


def signed(r: Ranking, settings: Settings) -> str:
    """Write in one line what it takes to get the ranking again."""
    parts = {
        "metric": r.metric, "positive": settings.positive, "test": r.test, "alpha": f"{r.alpha:g}", **settings.on_the_way,
        "n": r.n, "units": r.units, "systems": len(r.systems), "baseline": r.baseline,
        **{role: role for role in settings.roles}, **settings.about, "data": settings.digest, "adjust": r.adjust,
        "comparisons": len(r.pairs), "rng": settings.seed,
    }  # fmt: skip
    flat = {key: " ".join(str(one).replace("|", "/").split()) for key, one in parts.items() if one is not None}
    return signature(settings, flat)


def no_level(adjust: str) -> list[str]:
    """Say what an adjustment that does not bound the chance of any false claim does instead."""
    if adjust not in ("none", "bh", "by"):
        return []
    rate = (
        "the chance of some false claim grows with every pair"
        if adjust == "none"
        else "a share of the claims may be false (false discovery rate), so the ranges of ranks and the set of the best keep no level"
    )
    return [Message(Argument("adjust", adjust), f": {rate}")]
