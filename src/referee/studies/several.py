"""Several comparisons of one data set: adjusted together, so that no interval contradicts its verdict, and one answer over all tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from referee.data.columns import Floats, Mask, factorize
from referee.data.counts import Counts
from referee.data.judged import by_people, is_judged
from referee.errors import one_of
from referee.metrics import Metric
from referee.results.comparison import Comparison, Comparisons, Interval
from referee.results.overall import Overall
from referee.results.settings import Settings
from referee.runtime.randomness import Streams
from referee.significance import Test
from referee.significance import resolve as resolve_test
from referee.significance.base import interval_at
from referee.significance.distributions import METHODS, adjust, student_p, t_quantile
from referee.significance.max_t import MaxT, gathered, row_moves
from referee.significance.rank_tally import canonical, tally_of
from referee.significance.score_intervals import has_closed_intervals
from referee.significance.score_test import Score
from referee.studies import judge as judges
from referee.studies.verdict import judge

ADJUST = ("max-t", *METHODS)
TASKS = ("fixed", "random")
"""Whether the tasks are all there are of interest, or a sample of those that might have been."""
DRAWN = 7
"""The child of a result's streams that shared draws come from."""
ENOUGH_UNITS = 20
"""A test with an error that it estimates from fewer units, in effect, has no part in shared draws."""


@dataclass(frozen=True, eq=False)
class Task:
    """What one of the comparisons is of: some of the rows of the data, seen by a metric."""

    whole: Counts
    """All the data, as the metric sees them."""
    inside: Mask
    """Which of its rows are the task's."""
    part: Counts
    metric: Metric

    def moves(self) -> Floats | None:
        """Return [row of all data] how far a row moves the task's difference; None if nothing says so."""
        moves = np.zeros(len(self.whole))
        if is_judged(self.part):
            moves[self.inside] = judges.moves_of(self.part, self.metric)
            return moves
        both = row_moves(self.part, self.metric) if self.part.paired else None
        if both is None or len(both) != int(self.inside.sum()):  # rows became equal, as where groups are nested
            return None
        moves[self.inside] = both[:, 1] - both[:, 0]
        return moves


def check(method: str, tasks: str) -> None:
    """Refuse an adjustment, or a kind of tasks, that there is not."""
    one_of("adjust", method, ADJUST)
    one_of("tasks", tasks, TASKS)


def tasks_of(whole: Counts, parts: Sequence[tuple[str | None, Counts]], metric: Metric) -> list[Task]:
    """Return the tasks of one metric: the slices of the data, in their order."""
    if "slice" not in whole:
        return [Task(whole, np.ones(len(whole), dtype=np.bool_), part, metric) for _, part in parts]
    levels, codes = factorize(whole["slice"])
    named = {str(level): place for place, level in enumerate(levels.tolist())}
    return [Task(whole, codes == named[str(label)], part, metric) for label, part in parts]


def adjusted(done: Sequence[Comparison], tasks: Sequence[Task], method: str, streams: Streams) -> Comparisons:
    """Adjust the p-values of several comparisons; verdicts follow, and so do intervals where one level decides all.

    Those of a question about a margin stay as they are: what passes only if every task does needs no adjustment.
    """
    alpha, sided = done[0].alpha, any(r.alternative != "two-sided" for r in done)
    p = np.array([math.nan if r.p_value is None else r.p_value for r in done])
    method = method if {r.question for r in done} == {"better"} else "none"
    law = _law(done, tasks, streams) if method == "max-t" and not sided and len(done) > 1 else None
    if method == "max-t" and law is None:
        method = "bonferroni"
    made = law.adjust(p) if law is not None else adjust(p, method)
    level = law.level(alpha) if law is not None else {"bonferroni": alpha / len(done)}.get(method)
    out = []
    for r, task, own in zip(done, tasks, made.tolist(), strict=True):
        verdict = r.verdict
        if verdict in ("a better", "b better") and r.question == "better" and not own <= r.alpha:
            verdict = "too close to call"
        interval = None
        if level is not None and r.interval is not None:
            interval = _interval(task, resolve_test(r.test), 1 - level if not sided else 1 - 2 * level, streams)
        judged = replace(r, p_adjusted=None if math.isnan(own) else own, verdict=verdict, interval_adjusted=interval)
        out.append(judged.signed(replace(r.settings or Settings(), adjust=method, comparisons=len(done))))
    return Comparisons(tuple(out), method)


def _law(done: Sequence[Comparison], tasks: Sequence[Task], streams: Streams) -> MaxT | None:
    """Return the joint law of all differences; None where too little is known of how they vary together."""
    if any(resolve_test(r.test).anytime for r in done):  # such a law is of one look
        return None
    columns = [task.moves() for task in tasks]
    plain = [isinstance(resolve_test(r.test), Score) for r in done]
    if any(column is None for column in columns):
        return None
    wholes = list({id(task.whole): task.whole for task in tasks}.values())
    parts = []
    for whole in wholes:  # what two views of the data have in common is not known; apart, they count as independent
        here = [
            column if task.whole is whole else np.zeros(len(whole)) for task, column in zip(tasks, columns, strict=True)
        ]
        parts.append(gathered(np.stack([np.asarray(column) for column in here], axis=1), whole))
    for place, exact in enumerate(plain):
        own = np.concatenate([moves[:, place] for moves, _, _ in parts])
        weights = np.concatenate([weights for _, weights, _ in parts])
        squares = weights * own**2
        if not exact and squares.sum() ** 2 < ENOUGH_UNITS * (weights * own**4).sum():
            return None
    moves = np.concatenate([moves for moves, _, _ in parts])
    nothing = np.zeros((len(moves), 1))
    pairs = np.array([[0, place + 1] for place in range(len(tasks))])
    weights = np.concatenate([weights for _, weights, _ in parts])
    return MaxT(np.concatenate([nothing, moves], axis=1), weights, pairs, streams.child(DRAWN))


def _interval(task: Task, test: Test, level: float, streams: Streams) -> Interval | None:
    """Return the interval of a task's difference at another level, as `compare` would make it."""
    if is_judged(task.part):
        return judges.interval_of(task.part, task.metric, level, streams)
    tally = tally_of(task.part, task.metric)
    turn = test.by_draws or not has_closed_intervals(tally)
    oriented, flipped = canonical(tally) if turn else (tally, False)
    interval = interval_at(test, oriented, level, streams)
    return interval.flipped() if interval is not None and flipped else interval


def over_all(done: Sequence[Comparison], tasks: Sequence[Task], pooled: Comparison, kind: str) -> tuple[Overall, ...]:
    """Return one answer over all tasks of a metric: pooled over examples, and the plain average over tasks.

    Args:
        done: the comparisons of the tasks.
        tasks: what they are of.
        pooled: the comparison of all examples, with the tasks as strata.
        kind: whether tasks are "fixed" or a "random" sample.
    """
    first = done[0]
    whole = Overall(
        kind="pooled", metric=first.metric, higher_is_better=first.higher_is_better, tasks=len(done), sampled=False, a=pooled.a.score,
        b=pooled.b.score, difference=pooled.difference, interval=pooled.interval, test=pooled.test, p_value=pooled.p_value,
        verdict=pooled.verdict, metric_info=first.metric_info,
    )  # fmt: skip
    alone = not tasks[0].part.paired or "crossed" in tasks[0].whole  # of which the average's own error is not known
    test = resolve_test(first.test)
    if any(r.difference is None for r in done) or (alone and kind != "random") or test.anytime or test.posterior:
        return (whole,)  # an average's law is of one look, and gives a p-value
    a, b = (float(np.mean([getattr(r, side).score for r in done])) for side in "ab")
    gains = np.array([r.difference for r in done])
    # A score that is 0/0 has a value by agreement, and nothing is known of how it varies.
    agreed = any(one.undefined for r in done for one in (r.a, r.b))
    found = None if agreed else _of_sample(gains) if kind == "random" else _of_all(tasks)
    average = replace(
        whole, kind="average", sampled=kind == "random", a=a, b=b, difference=float(gains.mean()), test="t"
    )
    if found is None:
        return whole, replace(average, interval=None, p_value=None, verdict="too close to call")
    error, df = found
    part = by_people(tasks[0].part) if is_judged(tasks[0].part) else tasks[0].part
    return whole, _judged(average, first, error, df, tally_of(part, tasks[0].metric).reach)


def _judged(average: Overall, first: Comparison, error: float, df: float, reach: float | None) -> Overall:
    """Return the average with its p-value, interval and verdict, by Student's t."""
    gain = average.difference or 0.0
    t = 0.0 if gain == 0 and error == 0 else gain / error if error > 0 else math.nan
    p = float(student_p(t, error, df, first.alternative))
    level = 1 - first.alpha if first.alternative == "two-sided" else 1 - 2 * first.alpha
    half = t_quantile((1 + level) / 2, df) * error
    most = math.inf if reach is None else reach
    interval = Interval(low=max(gain - half, -most), high=min(gain + half, most), level=level, method="t")
    known = math.isfinite(p) and error > 0
    verdict = judge(p if known else None, gain, first.alpha, None, None, first.higher_is_better)
    return replace(
        average, p_value=p if math.isfinite(p) else None, interval=interval if known else None, verdict=verdict
    )


def _of_sample(gains: Floats) -> tuple[float, float] | None:
    """Return the standard error of the average over tasks that are a sample of tasks, and its degrees of freedom."""
    if len(gains) < 2:
        return None
    return float(gains.std(ddof=1) / np.sqrt(len(gains))), float(len(gains) - 1)


def _of_all(tasks: Sequence[Task]) -> tuple[float, float] | None:
    """Return the standard error of the average over these very tasks, and its degrees of freedom.

    Examples vary within their tasks; groups, which may lie in several, vary as a whole (CR2 on the effective number of groups).
    """
    columns = [task.moves() for task in tasks]
    if any(column is None for column in columns):
        return None
    whole, many = tasks[0].whole, len(tasks)
    moves = np.sum([np.asarray(column) for column in columns], axis=0) / many
    heavy = np.ones(len(whole)) if whole.weights is None else whole.weights
    sizes = [float(whole.multiplicities[task.inside] @ heavy[task.inside]) for task in tasks]
    if "group" in whole:
        groups = factorize(whole["group"])[1]
        sums = np.bincount(groups, whole.multiplicities * moves)
        shares = np.zeros(len(sums))
        for task, size in zip(tasks, sizes, strict=True):
            own = whole.multiplicities[task.inside] * heavy[task.inside]
            shares += np.bincount(groups[task.inside], own, len(sums)) / size / many
        if (shares >= 1).any():
            return None
        return float(np.sqrt((sums**2 / (1 - shares)).sum())), float(1 / (shares**2).sum() - 1)
    parts = []
    for task, size in zip(tasks, sizes, strict=True):
        own, weights = moves[task.inside], whole.multiplicities[task.inside]
        share = heavy[task.inside] / size
        free = 1 / float(weights @ share**2) - 1  # the effective number of examples less one
        if not free >= 1:
            return None
        rest = own - share * float(weights @ own)
        parts.append((float(weights @ (rest**2 / (1 - share))), free))
    variance = sum(part for part, _ in parts)
    doubt = sum(part**2 / df for part, df in parts)
    return float(np.sqrt(variance)), float(variance**2 / doubt) if doubt > 0 else float(sum(sizes))


def as_strata(whole: Counts) -> Counts:
    """Return the data of all tasks together, the tasks being strata unless there are others."""
    columns: dict[str, Any] = {role: values for role, values in whole.columns.items() if role != "slice"}
    columns.setdefault("stratum", whole["slice"])
    if "crossed" in whole or ("group" in whole and _crossing(whole)):
        columns.pop("stratum")  # a group that lies in two strata is in none
    return whole.with_rows(columns, whole.multiplicities)


def _crossing(whole: Counts) -> bool:
    groups, slices = (factorize(whole[role])[1] for role in ("group", "slice"))
    return len(np.unique(np.stack([groups, slices]), axis=1).T) > len(np.unique(groups))
