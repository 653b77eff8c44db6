"""The verb rank(): any number of systems on the same examples, with the ranks that the data support."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from referee.data.battles import check_unused
from referee.data.counts import Counts
from referee.data.engines.tables import counts_of
from referee.data.formats.pairing import named_options, read_systems, with_formats
from referee.data.many_systems import check_names, count_systems
from referee.data.roles import named_among
from referee.data.weights import WEIGHT
from referee.errors import Argument, InputError, Message, OptionError, one_of
from referee.metrics import Metric
from referee.metrics.labels import seen_by
from referee.results.comparison import Interval
from referee.results.ranking import RankedPair, Ranking, Rankings
from referee.results.settings import ASKED_FOR, SIGNED, Settings
from referee.results.weighting import Weighting
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
from referee.significance.test_choice import choose
from referee.studies import prepare
from referee.studies.battles import rank_battles
from referee.studies.leaderboard import (
    DRAWN,
    FEW_GROUPS,
    SAFE,
    leaderboard,
    no_level,
    number,
    pairs_of,
    signed,
    verdicts,
)
from referee.studies.verdict import heavy

SINGLE_STEP = ("max-t", "bonferroni", "none")
"""The adjustments that have intervals: every comparison is held against one level."""
ADJUST = ("max-t", "romano-wolf", *METHODS)
ONE_LOOK = "over all looks it is not known"
CROSSED = "over two crossed groups it is not known"


@fitting
@with_formats
def rank(
    data: Any = None,
    *,
    truth: Any = None,
    systems: Any = None,
    winner: Any = None,
    a: Any = None,
    b: Any = None,
    metric: str | Metric | None = None,
    lower_is_better: bool | None = None,
    test: str | Test | None = None,
    baseline: str | None = None,
    adjust: str = "max-t",
    group: Any = None,
    stratum: Any = None,
    weight: Any = None,
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
        winner: of battles: the column of who won each; then the models are rated by the Bradley-Terry model.
        a: of battles: the column of the model on side A, "model_a" if left out.
        b: of battles: the column of the model on side B, "model_b" if left out.
        metric: what to rank by, such as "f1"; by default accuracy, or the mean of scores.
        lower_is_better: which way is up for scores, and for metrics that don't say it: True for losses and costs. What a metric
            declares can't be turned.
        test: the significance test of each pair; if left out, it follows from the metric and the data.
        baseline: a system; then the others are compared with it alone, which takes fewer comparisons.
        adjust: how p-values are adjusted for many comparisons. "max-t" (shared draws) and "bonferroni" also give intervals that
            agree with the verdicts; "romano-wolf", "holm", "hochberg", "bh", "by" give p-values only; "none" adjusts nothing.
        group: examples of one group may depend on each other; whole groups are the units.
        stratum: examples were drawn within strata.
        weight: how much each example counts in the scores.
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
    if winner is not None:
        check_unused(
            {"truth": truth, "metric": metric, "test": test, "stratum": stratum, "weight": weight, "positive": positive, "threshold": threshold,
             "lower_is_better": lower_is_better,
             "system": system, "prediction": prediction, "score": score, "by_line": by_line,
             "unmatched": unmatched if unmatched != "error" else None, **options}
        )  # fmt: skip
        fields = {"a": a, "b": b, "winner": winner, "group": group, "by": by, "id": id, "multiplicity": multiplicity}
        return rank_battles(
            data, fields, systems=systems, baseline=baseline, adjust=adjust, alpha=alpha, streams=streams,
            missing=missing, repeats=repeats,
        )  # fmt: skip
    for name, side in (("a", a), ("b", b)):
        if side is not None:
            needs = (
                " names the models of battles, which need ",
                Argument("winner"),
                "; one table's columns are ",
                Argument("systems"),
            )
            raise OptionError(Argument(name), *needs, argument=name, value=side)
    columns = {
        "truth": truth, "group": group, "stratum": stratum, "weight": weight, "by": by, "id": id, "multiplicity": multiplicity,
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
    counts = prepare.settle_groups_and_positive(counts, positive)
    if counts.judged:
        compared = "judgements of two systems are compared, not ranked: use referee compare; more systems are ranked from their battles with "
        raise InputError(compared, Argument("winner"), argument="data")
    (own,) = prepare.metrics_of(metric, counts, threshold, lower_is_better)
    if own.task == "scores":
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
    if metric.task == "sums":
        metric.bind(counts)  # what takes long to look up of a text is looked up once for all systems
    scores, intervals = _scores(counts, metric, 1 - alpha, streams)
    known = [role for role in names if scores[role] is not None]
    order = sorted(known, key=lambda role: (-(scores[role] or 0.0) if up else scores[role] or 0.0, names[role]))
    order += [role for role in names if role not in known]
    pairs = pairs_of(order, names, baseline)
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
    claims = verdicts(found.difference, p_adjusted, alpha, up)
    judged = tuple(
        RankedPair(
            a=names[a], b=names[b], difference=number(found.difference[i]), interval=made[i], verdict=claims[i],
            statistic=number(found.statistic[i]), p_value=number(found.p[i]), p_adjusted=number(p_adjusted[i]),
        )
        for i, (a, b) in enumerate(pairs)
    )  # fmt: skip
    board = leaderboard(order, names, scores, intervals, pairs, claims, up, baseline, known)
    settings = replace(
        settings, seed=streams.entropy, positive=counts.positive, open=counts.open, about=counts.about, files=counts.files, digest=counts.digest(),
        roles=tuple(role for role in SIGNED if role in counts), adjust=used, comparisons=len(pairs),
        crossed=() if first.crossing is None else first.crossing.told,
    )  # fmt: skip
    result = Ranking(
        metric=str(metric), higher_is_better=up, test=str(chosen), reason=reason, alpha=alpha, adjust=used, level=level,
        baseline=baseline, n=counts.n, units=first.units, noun=counts.noun, dropped=counts.matched.dropped, systems=board.systems, pairs=judged,
        best=board.best, together=board.together,
        weights=Weighting.of(counts), overall=None if chosen.anytime or chosen.posterior else cochran_q(counts, metric, first), slice=settings.slice, settings=settings,
        warnings=_warnings(counts, first, found, adjust, used, ONE_LOOK if chosen.anytime else ""), test_info=chosen.info(first.grouped, metric.task),
        metric_info=metric.info_on(counts),
    )  # fmt: skip
    return replace(result, signature=signed(result, settings))


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


def _adjustment(
    counts: Counts, metric: Metric, test: Test, pairs: Sequence[tuple[str, str]], adjust: str, streams: Streams
) -> tuple[str, MaxT | None]:
    """Return the adjustment that is used, and the joint law of all comparisons if it needs one.

    Where little or nothing is known of how they vary together, one is used that needs no such law.
    """
    if adjust in METHODS:
        return adjust, None
    if test.anytime:  # such a law is of one look
        return SAFE[adjust], None
    moved = unit_moves(counts, metric)
    uneven = "group" in counts or WEIGHT in counts
    if moved is None or (uneven and 1 / float(moved[1] @ moved[2] ** 2) < FEW_GROUPS):
        return SAFE[adjust], None
    place = {role: i for i, role in enumerate(counts.systems)}
    index = np.array([[place[a], place[b]] for a, b in pairs])
    moves, weights, shares = moved
    return adjust, MaxT(moves, weights, index, streams.child(DRAWN), None if isinstance(test, Score) else shares)


def _warnings(
    counts: Counts, first: AnyTally, found: Found, adjust: str, used: str, unknown: str = ""
) -> tuple[str, ...]:
    told = [*counts.remarks, *found.notes, *heavy(Weighting.of(counts), counts.n)]
    if adjust != used and len(found.p) > 1:
        units = "groups" if first.grouped else "examples"
        few = f"too few {units}, or too unequal ones, to know" if first.uneven else "nothing tells"
        few = unknown or (few if first.crossing is None else CROSSED)
        told.append(Message(f"{few} how the comparisons vary together, so ", Argument("adjust", used), " is used"))
    if first.grouped and first.crossing is None and first.units < FEW_GROUPS:
        told.append(f"{first.units} groups are few: with fewer than {FEW_GROUPS} any law of groups is fragile")
    unknown_pairs = int(np.isnan(found.p).sum())
    if unknown_pairs:
        told.append(f"{unknown_pairs} of {len(found.p)} pairs have no p-value; they count as not told apart")
    return tuple(dict.fromkeys([*told, *no_level(adjust)]))
