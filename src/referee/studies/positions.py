"""What a comparison of preferences says beyond scores: wins, ties and losses, and how much being shown first helps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.data.columns import Floats, Mask, factorize
from referee.data.counts import Counts
from referee.data.roles import FIRST, SYSTEMS
from referee.metrics import Metric
from referee.report.numbers import Scale, whole
from referee.results.comparison import Comparison, Interval
from referee.results.position import Position, Preferences
from referee.runtime.randomness import Streams
from referee.significance.base import run
from referee.significance.rank_tally import tally_of
from referee.significance.test_choice import choose

UNEVEN = 0.9
"""If one order occurs less than so many times as often as the other, it is said."""
VISIBLE = 0.001
"""If it makes a difference that can be seen."""


def judged(r: Comparison, counts: Counts, metric: Metric, streams: Streams) -> Comparison:
    """Return a comparison of preferences with all that it says of them; any other as it is."""
    if metric.task != "preferences":
        return r
    share, weights = counts["b"].astype(np.float64), counts.multiplicities
    wins, ties, losses = (int(weights[kind].sum()) for kind in (share > 0.5, share == 0.5, share < 0.5))
    position = position_of(counts, metric, r.alpha, streams)
    own = None if r.interval is None else _of_rate(r.interval)
    return replace(
        r,
        preferences=Preferences(wins=wins, ties=ties, losses=losses),
        position=position,
        # One law: the win rate's interval leaves out a half exactly if that of the difference leaves out 0.
        a=replace(r.a, interval=None if own is None else replace(own, low=1 - own.high, high=1 - own.low)),
        b=replace(r.b, interval=own),
        warnings=(*r.warnings, *_warnings(r, counts, position)),
    )


def _of_rate(difference: Interval) -> Interval:
    """Return the interval of B's win rate w, as the difference is 2w - 1."""
    return replace(difference, low=(1 + difference.low) / 2, high=(1 + difference.high) / 2)


def position_of(counts: Counts, metric: Metric, alpha: float, streams: Streams) -> Position | None:
    """Return what being shown first does; None unless both orders occur.

    It is the same question as who is better, with "first" and "second" in place of the systems: so it is answered by the same law.
    """
    if not set(SYSTEMS) <= set(counts[FIRST].tolist()):
        return None
    known = counts.where(_is(counts, *SYSTEMS))
    of_first = np.where(_is(known, "a"), known["a"], known["b"]).astype(np.float64)
    turned = known.put(a=1 - of_first, b=of_first)
    tally = tally_of(turned, metric)
    finding = run(choose(tally)[0], tally, False, "two-sided", 1 - alpha, streams)
    rates = {role: known.where(_is(known, role)) for role in SYSTEMS}
    pairs, consistent = _pairs(known)
    return Position(
        first_wins=float(tally.observed()[1]),
        interval=None if finding.interval is None else _of_rate(finding.interval),
        p_value=finding.p,
        a_first=rates["a"].n,
        b_first=rates["b"].n,
        rate_a_first=_mean(rates["a"]),
        rate_b_first=_mean(rates["b"]),
        pooled=_mean(counts),
        pairs=pairs,
        consistent=consistent,
    )


def _is(counts: Counts, *roles: str) -> Mask:
    return np.isin(counts[FIRST].astype(str), roles)


def _mean(counts: Counts) -> float:
    weights = counts.multiplicities if counts.weights is None else counts.multiplicities * counts.weights
    return float(counts["b"].astype(np.float64) @ weights / weights.sum())


def _pairs(counts: Counts) -> tuple[int | None, int | None]:
    """Return how many groups are one judgement in either order, and in how many both agree; None if a group has more."""
    if "group" not in counts:
        return None, None
    groups = factorize(counts["group"])[1]
    size = int(groups.max()) + 1
    shares: list[Floats] = []
    for role in SYSTEMS:
        inside = _is(counts, role)
        times = np.bincount(groups[inside], counts.multiplicities[inside], size)
        if times.max(initial=0) > 1:
            return None, None
        share = np.bincount(groups[inside], counts["b"][inside], size)
        shares.append(np.where(times == 1, share, np.nan))
    both = np.isfinite(shares[0]) & np.isfinite(shares[1])
    return (int(both.sum()), int((shares[0] == shares[1]).sum())) if both.any() else (None, None)


def _warnings(r: Comparison, counts: Counts, position: Position | None) -> list[str]:
    """Say what can't be known of position bias, or that one order is rare."""
    names, shown = {"a": r.a.name, "b": r.b.name}, set(counts[FIRST].tolist())
    if position is None:
        alone = [names[role] for role in SYSTEMS if role in shown]
        always = "was always shown first, so a preference for the first position can't be told from one for the system"
        return [f"{alone[0]} {always}"] if alone else []
    low, high = sorted((position.a_first, position.b_first))
    if low >= UNEVEN * high or r.b.score is None or abs(r.b.score - position.pooled) < VISIBLE:
        return []
    scale = Scale.fitting("share", [r.b.score, position.pooled])
    first = (
        f"{names['a']} was shown first {whole(position.a_first)} times and {names['b']} {whole(position.b_first)} times"
    )
    each = f"both orders count half, so {names['b']} wins {scale.score(r.b.score)}"
    return [f"{first}; {each} (if every judgement counted the same: {scale.score(position.pooled)})"]
