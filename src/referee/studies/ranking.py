"""The verb rank(): any number of systems on the same examples, with the ranks that the data support."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from referee.data.columns import Floats
from referee.data.counts import Counts
from referee.data.engines.tables import counts_of
from referee.data.formats.pairing import named_options, read_systems, with_formats
from referee.data.many_systems import check_names, count_systems
from referee.data.roles import named_among
from referee.errors import Argument, InputError, Message, OptionError, one_of, unknown
from referee.metrics import Metric
from referee.metrics.labels import seen_by
from referee.results.comparison import Interval
from referee.results.ranking import Ranked, RankedPair, Ranking, Rankings, Standing
from referee.results.settings import ASKED_FOR, Settings, Verdict, signature
from referee.runtime.arguments import fitting
from referee.runtime.randomness import Rng, Streams
from referee.significance import Test
from referee.significance import resolve as resolve_test
from referee.significance.cochran import cochran_q
from referee.significance.distributions import METHODS, check_alpha
from referee.significance.distributions import adjust as adjusted_by
from referee.significance.max_t import MaxT, unit_moves
from referee.significance.pair_tests import Found, pair_tests
from referee.significance.rank_tally import AnyTally, tally_of
from referee.significance.score_intervals import score_intervals
from referee.significance.score_test import Score
from referee.studies import prepare
from referee.studies.test_choice import choose

SINGLE_STEP = ("max-t", "bonferroni", "none")
"""The adjustments that have intervals: every comparison is held against one level."""
ADJUST = ("max-t", "romano-wolf", *METHODS)
DRAWN = 7
"""The child of a result's streams that shared draws come from."""
FEW_GROUPS = 10
"""Of fewer groups (in effect) draws do not show how comparisons vary together: of 20 tied systems on 4 unequal groups, some two were
called different in 39% of test sets."""
SAFE = {"max-t": "bonferroni", "romano-wolf": "holm"}
"""What takes their place then; it needs to know nothing of that."""


@fitting
@with_formats
def rank(
    data: Any = None,
    *,
    truth: Any = None,
    systems: Any = None,
    metric: str | Metric | None = None,
    test: str | Test | None = None,
    baseline: str | None = None,
    adjust: str = "max-t",
    group: Any = None,
    stratum: Any = None,
    by: Any = None,
    id: Any = None,  # noqa: A002 - the word users know
    multiplicity: Any = None,
    positive: Any = None,
    threshold: float | None = None,
    alpha: float = 0.05,
    rng: Rng = 0,
    unmatched: str = "error",
    missing: str = "error",
    repeats: str | None = None,
    system: str | None = None,
    prediction: str | None = None,
    score: str | None = None,
    by_line: bool = False,
    tell: Callable[[str], object] | None = None,
    **options: Any,
) -> Ranking | Rankings:
    """Rank any number of systems on the same examples, and say which ranks the data support.

    Args:
        data: a dataframe, a path, a mapping of columns or Counts, with one column per system; a list of paths, one per system; or
            None if truth and systems are arrays.
        truth: the right answers; not needed if the systems' columns are scores.
        systems: the columns of the systems, or patterns such as "m*"; by default all columns that look like predictions. Without
            data: arrays by name.
        metric: what to rank by, such as "f1"; by default accuracy, or the mean of scores.
        test: the significance test of each pair; if left out, it follows from the metric and the data.
        baseline: a system; then the others are compared with it alone, which takes fewer comparisons.
        adjust: how p-values are adjusted for many comparisons. "max-t" (shared draws) and "bonferroni" also give intervals that
            agree with the verdicts; "romano-wolf", "holm", "hochberg", "bh", "by" give p-values only; "none" adjusts nothing.
        group: examples of one group may depend on each other; whole groups are the units.
        stratum: examples were drawn within strata.
        by: a column; one ranking per value, each a family of comparisons of its own.
        id: a column that identifies examples.
        multiplicity: how often a row occurred.
        positive: the positive label, if it is not obvious.
        threshold: scores of at least this value count as the positive label, for metrics of labels.
        alpha: the accepted chance of a false claim about any pair.
        rng: a seed, a SeedSequence, a Generator, or None for a fresh seed.
        unmatched: what to do with examples that not all systems have: "error" or "drop".
        missing: what to do with missing predictions; `referee rank --help` lists the policies.
        repeats: what to do with repeated ids: "error", "mean" or "group".
        system: of a long table: the column that names the system of each row.
        prediction: of tables, one per system, and of a long one: the column of the predictions or scores.
        score: which score, if logs have several.
        by_line: pair the rows of tables by line number when there is no id column.
        tell: is called with each sentence about how files were read.
        options: the options that single formats declare.

    Returns:
        A Ranking, or Rankings if there are slices.

    Raises:
        RefereeError: if the question or the data cannot be understood.

    >>> truth = [1, 1, 0, 0, 1, 0, 1, 0]
    >>> right, wrong = truth, [1 - label for label in truth]
    >>> r = rank(truth=truth, systems={"coin": [1, 0, 0, 1, 1, 0, 0, 1], "sure": right, "never": wrong})
    >>> [(s.name, s.rank_low, s.rank_high) for s in r.systems], r.best
    ([('sure', 1, 2), ('coin', 1, 3), ('never', 2, 3)], ('sure', 'coin'))
    """
    alpha = check_alpha(alpha)
    one_of("adjust", adjust, ADJUST)
    if isinstance(metric, list | tuple):
        if len(metric) != 1:
            raise OptionError(
                "a ranking is by one metric", argument="metric", value=metric, remedy="rank once per metric"
            )
        (metric,) = metric
    streams = Streams.of(rng)
    columns = {
        "truth": truth, "group": group, "stratum": stratum, "by": by, "id": id, "multiplicity": multiplicity,
        "positive": positive, "missing": missing, "unmatched": unmatched,
    }  # fmt: skip
    reading = {
        "system": system,
        "prediction": prediction,
        "score": score,
        "by_line": by_line,
        **named_options(rank, options),
    }
    counts, remarks = _counted(data, systems, columns, repeats, reading, tell)
    counts = prepare.settle_positive(counts, positive)
    (own,) = prepare.metrics_of(metric, counts, threshold)
    for role in counts.systems:
        prepare.check_direction(counts.pair(role, role), own)
    view = seen_by(own, counts, threshold)
    chosen = resolve_test(test) if test is not None else None
    cut, kept = threshold if own.of_labels else None, missing if missing != "error" else None
    done = [
        _ranked(part, own, chosen, baseline, adjust, alpha, streams, Settings(threshold=cut, missing=kept, slice=label))
        for label, part in prepare.slices_of(view)
    ]
    found = (*remarks, *prepare.odd_labels(view, own), *_copies(view))
    done = [replace(one, warnings=tuple(dict.fromkeys((*found, *one.warnings)))) for one in done]
    return Rankings(tuple(done)) if "slice" in view else done[0]


def _counted(
    data: Any,
    systems: Any,
    columns: Mapping[str, Any],
    repeats: str | None,
    reading: Mapping[str, Any],
    tell: Callable[[str], object] | None,
) -> tuple[Counts, tuple[str, ...]]:
    """Count the joint outcomes of all systems."""
    if isinstance(data, Counts):
        return _of_counts(data, systems), ()
    several = isinstance(data, list | tuple) and all(isinstance(one, str | os.PathLike) for one in data)
    sources = list(data) if several else [data]
    if not several and isinstance(data, str | os.PathLike) and (kept := counts_of(data)) is not None:
        return _of_counts(kept, systems), ()
    if several or any(value not in (None, False) for value in reading.values()) or _is_log(data):
        if columns["multiplicity"] is not None:
            one_table = Argument("multiplicity", bare=True), " is for one table of joint outcomes"
            raise OptionError(*one_table, remedy="leave it out")
        given = {name: value for name, value in columns.items() if value is not None}
        return read_systems(*sources, systems=systems, repeats=repeats, tell=tell, **given, **reading), ()
    return count_systems(data, systems, repeats=repeats or "error", **columns)


def _copies(counts: Counts) -> list[str]:
    """Say which systems give the same answer to every example."""
    alike: dict[object, list[str]] = {}
    for role in counts.systems:
        alike.setdefault(tuple(counts[role].tolist()), []).append(counts.name(role))
    same = [" and ".join(names) for names in alike.values() if len(names) > 1]
    return [f"{names} give the same answer to every example; is one a copy of the other?" for names in same[:3]]


def _is_log(data: Any) -> bool:
    """Say whether a path leads to a log that a format of ours recognises."""
    if not isinstance(data, str | os.PathLike):
        return False
    from referee.data.formats.base import recognise

    return recognise(Path(data))[0] is not None


def _of_counts(counts: Counts, systems: Any) -> Counts:
    """Return the counts of some systems of those that counts have."""
    if not counts.paired:
        raise InputError("a ranking needs all systems' answers to the same examples; these are two samples")
    if systems is None:
        return counts
    roles = {counts.name(role): role for role in counts.systems}
    wanted = named_among([systems] if isinstance(systems, str) else systems, roles)
    check_names(wanted)
    return counts.without(*(role for name, role in roles.items() if name not in wanted))


def _ranked(
    counts: Counts, metric: Metric, test: Test | None, baseline: str | None, adjust: str, alpha: float,
    streams: Streams, settings: Settings,
) -> Ranking:  # fmt: skip
    """Rank the systems of one set of counts; in whatever order they came, draws are the same."""
    counts = counts.ordered(sorted(counts.systems, key=counts.name))
    names, up = {role: counts.name(role) for role in counts.systems}, metric.higher_is_better
    check_names(list(names.values()))
    if counts.n == 0:
        raise InputError("there are no examples to compare")
    scores, intervals = _scores(counts, metric, 1 - alpha, streams)
    known = [role for role in names if scores[role] is not None]
    order = sorted(known, key=lambda role: (-(scores[role] or 0.0) if up else scores[role] or 0.0, names[role]))
    order += [role for role in names if role not in known]
    pairs = _pairs(order, names, baseline)
    first = tally_of(counts.pair(*pairs[0]), metric)
    chosen, reason = choose(first) if test is None else (test, ASKED_FOR)
    chosen.check(first)
    tests = pair_tests(counts, metric, pairs, chosen, streams)
    found = tests.found()
    used, law = _adjustment(counts, metric, tests.test, pairs, adjust, streams)
    p_adjusted = (
        adjusted_by(found.p, used)
        if law is None
        else law.adjust(found.p)
        if used == "max-t"
        else law.step_down(found.p)
    )
    level = {"bonferroni": alpha / len(pairs), "none": alpha, "max-t": law.level(alpha) if law else alpha}.get(used)
    made: list[Interval | None] = [None] * len(pairs) if level is None else tests.intervals(1 - level)
    claims = _verdicts(found.difference, p_adjusted, alpha, up)
    judged = tuple(
        RankedPair(
            a=names[a], b=names[b], difference=_number(found.difference[i]), interval=made[i], verdict=claims[i],
            statistic=_number(found.statistic[i]), p_value=_number(found.p[i]), p_adjusted=_number(p_adjusted[i]),
        )
        for i, (a, b) in enumerate(pairs)
    )  # fmt: skip
    beaten: dict[str, set[str]] = {role: set() for role in order}
    for (a, b), claim in zip(pairs, claims, strict=True):
        if claim in ("a better", "b better"):
            beaten[b if claim == "a better" else a].add(a if claim == "a better" else b)
    above = {role: len(beaten[role]) for role in order}
    below = {role: sum(role in others for others in beaten.values()) for role in order}
    best = [role for role in known if not above[role] and role in order] if baseline is None else []
    ranked = tuple(
        Ranked(
            name=names[role], score=scores[role], interval=intervals[role], rank=_rank(role, known, scores, up),
            rank_low=1 + above[role] if baseline is None and role in known else None,
            rank_high=len(order) - below[role] if baseline is None and role in known else None,
            standing=_standing(role, names, known, beaten, scores, order, baseline),
        )
        for role in order
    )  # fmt: skip
    apart = {frozenset(pair) for pair, claim in zip(pairs, claims, strict=True) if claim != "too close to call"}
    settings = replace(
        settings, seed=streams.entropy, positive=counts.positive, open=counts.open, about=counts.about, digest=counts.digest(),
        roles=tuple(role for role in ("truth", "group", "stratum") if role in counts), adjust=used, comparisons=len(pairs),
    )  # fmt: skip
    result = Ranking(
        metric=str(metric), higher_is_better=up, test=str(chosen), reason=reason, alpha=alpha, adjust=used, level=level,
        baseline=baseline, n=counts.n, units=first.units, dropped=counts.matched.dropped, systems=ranked, pairs=judged,
        best=tuple(names[role] for role in order if role in best),
        together=() if baseline is not None else together([role for role in order if role in known], names, apart),
        overall=cochran_q(counts, metric, first), slice=settings.slice, settings=settings,
        warnings=_warnings(counts, first, found, adjust, used), test_info=chosen.info(first.grouped, metric.task),
        metric_info=metric.info_on(counts),
    )  # fmt: skip
    return replace(result, signature=_signature(result, settings))


def _scores(
    counts: Counts, metric: Metric, level: float, streams: Streams
) -> tuple[dict[str, float | None], dict[str, Interval | None]]:
    """Return the score of each system and its own interval."""
    roles = counts.systems
    scores: dict[str, float | None] = {}
    own: dict[str, Interval | None] = {}
    for first, second in zip(
        roles[::2], [*roles[1::2], *roles[-2:-1]] if len(roles) % 2 else roles[1::2], strict=False
    ):
        tally = tally_of(counts.pair(first, second), metric)
        both = tally.observed()
        made = score_intervals(tally, level, streams) if np.isfinite(both).all() else (None, None)
        for role, score, interval in zip((first, second), both.tolist(), made, strict=True):
            scores[role], own[role] = score if math.isfinite(score) else None, interval
    return {role: scores[role] for role in roles}, own


def _pairs(order: Sequence[str], names: Mapping[str, str], baseline: str | None) -> list[tuple[str, str]]:
    """Return the pairs to compare: all, in the order of the leaderboard, or the baseline with each of the others."""
    if baseline is None:
        return list(combinations(order, 2))
    base = next((role for role in order if names[role] == baseline), None)
    if base is None:
        raise unknown("system", baseline, list(names.values()), "baseline")
    return [(base, role) for role in order if role != base]


def _adjustment(
    counts: Counts, metric: Metric, test: Test, pairs: Sequence[tuple[str, str]], adjust: str, streams: Streams
) -> tuple[str, MaxT | None]:
    """Return the adjustment that is used, and the joint law of all comparisons if it needs one.

    Where little or nothing is known of how they vary together, one is used that needs no such law.
    """
    if adjust in METHODS:
        return adjust, None
    moved = unit_moves(counts, metric)
    if moved is None or ("group" in counts and 1 / float((moved[2] ** 2).sum()) < FEW_GROUPS):
        return SAFE[adjust], None
    place = {role: i for i, role in enumerate(counts.systems)}
    index = np.array([[place[a], place[b]] for a, b in pairs])
    moves, weights, shares = moved
    return adjust, MaxT(moves, weights, index, streams.child(DRAWN), None if isinstance(test, Score) else shares)


def _verdicts(difference: Floats, p: Floats, alpha: float, up: bool) -> list[Verdict]:
    out: list[Verdict] = []
    for gain, sure in zip(difference.tolist(), p.tolist(), strict=True):
        if not sure <= alpha or gain == 0:
            out.append("too close to call")
        else:
            out.append("b better" if (gain > 0) == up else "a better")
    return out


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _rank(role: str, known: Sequence[str], scores: Mapping[str, float | None], up: bool) -> int | None:
    own = scores[role]
    if own is None:
        return None
    others = [scores[other] or 0.0 for other in known]
    return 1 + sum(other > own if up else other < own for other in others)


def _standing(
    role: str, names: Mapping[str, str], known: Sequence[str], beaten: Mapping[str, set[str]],
    scores: Mapping[str, float | None], order: Sequence[str], baseline: str | None,
) -> Standing:  # fmt: skip
    if role not in known:
        return "unknown"
    if baseline is not None:
        base = next(other for other in order if names[other] == baseline)
        return "worse" if base in beaten[role] else "better" if role in beaten[base] else "not ruled out"
    if beaten[role]:
        return "worse"
    return "top scorer" if scores[role] == scores[order[0]] else "not ruled out"


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


def _warnings(counts: Counts, first: AnyTally, found: Found, adjust: str, used: str) -> tuple[str, ...]:
    told = [*counts.remarks, *found.notes]
    if adjust != used:
        few = "too few groups, or too unequal ones, to know" if first.grouped else "nothing tells"
        told.append(Message(f"{few} how the comparisons vary together, so ", Argument("adjust", used), " is used"))
    if first.grouped and first.units < FEW_GROUPS:
        told.append(f"{first.units} groups are few: with fewer than {FEW_GROUPS} any law of groups is fragile")
    unknown_pairs = int(np.isnan(found.p).sum())
    if unknown_pairs:
        told.append(f"{unknown_pairs} of {len(found.p)} pairs have no p-value; they count as not told apart")
    if adjust in ("none", "bh", "by"):
        rate = (
            "the chance of some false claim grows with every pair"
            if adjust == "none"
            else (
                "a share of the claims may be false (false discovery rate), so the ranges of ranks and the set of the best keep no level"
            )
        )
        told.append(Message(Argument("adjust", adjust), f": {rate}"))
    return tuple(dict.fromkeys(told))


def _signature(r: Ranking, settings: Settings) -> str:
    parts = {
        "metric": r.metric, "positive": settings.positive, "test": r.test, "alpha": f"{r.alpha:g}", **settings.on_the_way,
        "n": r.n, "units": r.units, "systems": len(r.systems), "baseline": r.baseline,
        **{role: role for role in settings.roles}, **settings.about, "data": settings.digest, "adjust": r.adjust,
        "comparisons": len(r.pairs), "rng": settings.seed,
    }  # fmt: skip
    flat = {key: " ".join(str(one).replace("|", "/").split()) for key, one in parts.items() if one is not None}
    return signature(settings, flat)
