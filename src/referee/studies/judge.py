"""Comparisons with a judge: what people's labels say, corrected by what the judge says of all examples."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from referee.data.columns import Floats, factorize, plain
from referee.data.counts import Counts
from referee.data.judged import (
    is_judged,
    labelled,
    refuse_scores,
    same_range,
    same_steps,
    seen_by_judge,
    seen_by_people,
)
from referee.data.roles import JUDGES
from referee.errors import Argument, InputError, Message, Misfit, OptionError
from referee.metrics import Metric
from referee.results.comparison import Comparison, Interval, Score
from referee.results.judge import Alone, Judge
from referee.results.settings import Settings
from referee.runtime.randomness import Streams
from referee.significance import Test
from referee.significance.base import interval_at
from referee.significance.distributions import t_quantile
from referee.significance.own_laws import own_law
from referee.significance.prediction_powered import Assistance, Moved, PredictionPowered, moved, people_tally
from referee.significance.rank_tally import canonical
from referee.significance.tally import Tally
from referee.significance.test_choice import choose
from referee.studies.judge_doubts import doubts
from referee.studies.margins import deciding_side
from referee.studies.verdict import answer, judge

REASON = "a judge labelled every example and people some of them, so the human labels are corrected by the judge's"
ALL_LABELLED = "people labelled every example, so the judge adds nothing, and the result is that of the human labels"
OF_LABELS = ("binary", "labels", "multiclass", "probabilities")
"""The tasks whose truth is a label."""
LEAST_FREEDOM = 2.0
"""With fewer degrees of freedom not even the variance of a t distribution is finite, so there is no interval of the bias."""
SHOWN = 12
"""Of so many labels the confusion is shown."""


def check(counts: Counts, test: Test | None, audit: bool | None) -> None:
    """Refuse a test that knows no judge, slices without human labels, and an audit, whose test sets cannot be drawn.

    Raises:
        Misfit: if the test is another one, or there are two crossed groups.
        InputError: if people looked at no example of a slice.
        OptionError: if an audit was asked for.
    """
    if not is_judged(counts):
        return
    if test is not None and not isinstance(test, PredictionPowered):
        wrong = f"with a judge the test is {PredictionPowered.name}, not {test}"
        leave = Message("leave ", Argument("test"), " out, or leave out the judge")
        raise Misfit(wrong, argument="test", value=str(test), remedy=leave)
    if "crossed" in counts:
        raise Misfit("two crossed groups do not go with a judge", argument="group", remedy="name one of them")
    inside = labelled(counts)
    for value in factorize(counts["slice"])[0].tolist() if "slice" in counts else []:
        if not inside[counts["slice"] == value].any():
            lacking = f"slice {plain(value)!r} has no human label, so nothing shows how far the judge is off there"
            raise InputError(lacking, argument="by", remedy="have some examples of each slice labelled")
    if audit:
        no = " is not available with a judge"
        raise OptionError(Argument("audit", bare=True), no, value=audit, remedy="leave it out")


def with_judge(people: Comparison, counts: Counts, metric: Metric, streams: Streams) -> Comparison:
    """Correct the comparison of what people labelled by what a judge says of all examples.

    Args:
        people: the comparison of the labelled examples alone.
        counts: all examples, with the judge's labels.
        metric: what is compared.
        streams: the source of randomness.

    Raises:
        Misfit: if the metric has no totals.
        InputError: if the metric is one of labels, and the judge gives scores.
    """
    if metric.task == "ranking":
        needs = " needs a metric of totals or a mean; ranks are not supported with a judge"
        raise Misfit(f"{metric}:", needs, argument="metric", value=str(metric))
    if metric.task in OF_LABELS:
        refuse_scores(counts)
    inside = labelled(counts)
    whole = replace(people, n=counts.n, units=_units(counts), matched=counts.matched, counts=counts, audit=None)
    if inside.all() or people.difference is None:
        alone = Alone(difference=people.difference or 0.0, interval=people.interval)
        about = _about(counts, metric, 0.0, float(people.n), 1.0, alone, None)
        note = (ALL_LABELLED,) if inside.all() else ()
        return _signed(replace(whole, judge=about, warnings=(*people.warnings, *note)), counts, people)
    made = _corrected(whole, people, counts, metric, streams)
    return _signed(made, counts, people)


def _signed(made: Comparison, counts: Counts, people: Comparison) -> Comparison:
    settings = replace(people.settings or Settings(), digest=counts.digest(), about=counts.about)
    if "stratum" in counts:
        settings = replace(settings, strata=len(set(counts["stratum"].tolist())))
    return made.signed(settings)


def _units(counts: Counts) -> int:
    return len(set(counts["group"].tolist())) if "group" in counts else counts.n


def law_of(counts: Counts, metric: Metric) -> tuple[Moved, Tally, bool]:
    """Return the law of the corrected difference, the tally that it takes, and whether A and B were exchanged for both."""
    law, tally, _, flipped = _law_of(counts, metric)
    return law, tally, flipped


def _law_of(counts: Counts, metric: Metric) -> tuple[Moved, Tally, Assistance, bool]:
    """Return the law of the corrected difference, the tally of people's labels that it takes, in canonical orientation.

    Returns:
        The law, the tally, what the judge adds, all of them of A and B exchanged if the last says so.
    """
    tally = people_tally(counts, metric)
    flipped = canonical(tally)[1]
    if flipped:
        counts = swapped(counts)
    oriented = people_tally(counts, metric) if flipped else tally
    assistance = Assistance.of(counts, metric)
    base = choose(oriented)[0]
    scores = oriented.observed()
    alone = float(scores[1] - scores[0])
    change = float(np.diff(assistance.corrections)[0]) * assistance.weight if assistance.weight else 0.0
    narrower = math.sqrt(assistance.ratio)
    return Moved(base=base, alone=alone, corrected=alone + change, narrower=narrower), oriented, assistance, flipped


def swapped(counts: Counts) -> Counts:
    """Exchange A and B, and the judge's scores of them."""
    made = counts.swap()
    if "judge_a" not in counts:
        return made
    columns = dict(made.columns)
    columns["judge_a"], columns["judge_b"] = columns["judge_b"], columns["judge_a"]
    return made.with_rows(columns, made.multiplicities)


def moves_of(counts: Counts, metric: Metric) -> Floats:
    """Return [row] how far each row moves the corrected difference, so that they vary as its standard error says."""
    return Assistance.of(counts, metric).moves


def interval_of(counts: Counts, metric: Metric, level: float, streams: Streams) -> Interval | None:
    """Return the interval of the corrected difference at a level."""
    law, tally, flipped = law_of(counts, metric)
    interval = interval_at(law, tally, level, streams)
    return interval.flipped() if interval is not None and flipped else interval


def _corrected(whole: Comparison, r: Comparison, counts: Counts, metric: Metric, streams: Streams) -> Comparison:
    """Return the comparison with its numbers corrected."""
    law, tally, help_, flipped = _law_of(counts, metric)
    sign, up = (-1.0 if flipped else 1.0), r.higher_is_better
    sided = {"greater": "less", "less": "greater"} if flipped else {}
    alternative = sided.get(r.alternative, r.alternative)
    two_sided = r.alternative == "two-sided" and r.question == "better"
    level = 1 - r.alpha if two_sided else 1 - 2 * r.alpha

    def at(level: float) -> Interval | None:
        made = interval_at(law, tally, level, streams)
        return made.flipped() if made is not None and flipped else made

    interval, wide = at(level), at(1 - 2 * r.alpha) if r.margin is not None else None
    p: float | None
    if r.question != "better" and r.margin is not None:
        p, _, _ = deciding_side(law, tally, flipped, r.question, r.margin, up, streams)
    else:
        p = law.p_at(tally, 0.0, alternative, streams)
    difference = sign * law.corrected + 0.0
    if help_.weight == 0 and law.alone == 0 and bool((counts["a"] == counts["b"]).all()):
        p = 1.0 if r.question == "better" else p
    if r.question == "better" or r.margin is None:
        verdict = judge(p, difference, r.alpha, r.margin, wide, up)
    else:
        verdict = answer(r.question, p, r.alpha, r.margin, interval, up)
    least = None if r.detectable is None else r.detectable * law.narrower
    ratio = law.narrower**2
    alone = _alone(law, tally, 1 - r.alpha, sign, streams)
    about = _about(counts, metric, help_.weight, r.n / ratio, law.narrower, alone, None)
    if same_range(counts):
        about = replace(about, bias=_bias(help_, sign, r.alpha, tally.reach))
    if verdict == "too close to call":
        about = _with_needed(about, ratio, least, difference)
    systems = _scores(r, tally, help_, flipped, streams)
    info = PredictionPowered().info(tally.grouped, metric.task)
    warnings = (*r.warnings, *doubts(counts, help_))
    return replace(
        whole, test=PredictionPowered.name, test_info=info, reason=REASON, a=systems[0], b=systems[1], difference=difference,
        interval=interval, p_value=p, p_method="asymptotic", p_error=None, mid_p=False, statistic=None, solver=None, verdict=verdict,
        margin_interval=wide, detectable=least, needed=None, probability_b_better=None, judge=about, warnings=warnings,
    )  # fmt: skip


def _alone(law: Moved, tally: Any, level: float, sign: float, streams: Streams) -> Alone:
    """Return what the human labels alone say."""
    interval = interval_at(law.base, tally, level, streams)
    flipped = interval.flipped() if interval is not None and sign < 0 else interval
    return Alone(difference=sign * law.alone + 0.0, interval=flipped)


def _scores(r: Comparison, tally: Any, help_: Assistance, flipped: bool, streams: Streams) -> tuple[Score, Score]:
    """Return the corrected scores with their intervals, in the order of the comparison."""
    found = []
    for side, (corrected, ratio) in enumerate(zip(help_.scores, help_.ratios, strict=True)):
        alone = float(tally.observed()[side])
        interval = own_law(tally, side, streams).interval(1 - r.alpha)
        value = corrected if help_.weight else alone
        if tally.range is not None:
            value = min(max(value, tally.range[0]), tally.range[1])
        own = interval and moved(interval, alone, value, math.sqrt(ratio), tally.range)
        found.append((value, own))
    found = found[::-1] if flipped else found
    a, b = (
        replace(score, score=value, interval=interval)
        for score, (value, interval) in zip((r.a, r.b), found, strict=True)
    )
    return a, b


def _bias(help_: Assistance, sign: float, alpha: float, reach: float | None) -> Alone | None:
    """Return how far the judge's difference is off; no interval if it would rule nothing out, as with a handful of labels.

    Args:
        help_: what the judge adds.
        sign: -1 if A and B were exchanged.
        alpha: 1 - the level of the interval.
        reach: the most that two scores can differ by, if there is such a limit; two differences differ by twice that.
    """
    gap, error, many = help_.bias()
    if not math.isfinite(gap):
        return None
    interval = None
    if math.isfinite(error) and error > 0 and many > 1:
        half = t_quantile(1 - alpha / 2, many - 1) * error
        most = math.inf if reach is None else 2 * reach
        low, high = max(sign * gap - half, -most), min(sign * gap + half, most)
        if many - 1 >= LEAST_FREEDOM and high - low < 2 * most:
            interval = Interval(low=low, high=high, level=1 - alpha, method="t")
    return Alone(difference=sign * gap + 0.0, interval=interval)


def _about(
    counts: Counts, metric: Metric, weight: float, worth: float, width: float, human: Alone, bias: Alone | None
) -> Judge:
    inside = labelled(counts)
    agreement, correlation, confusion = _agreement(counts)
    return Judge(
        labelled=int(counts.multiplicities[inside].sum()), judged=counts.n, agreement=agreement, correlation=correlation,
        confusion=confusion, weight=weight + 0.0, worth=worth, width=width, human=human, bias=bias,
    )  # fmt: skip


def _agreement(counts: Counts) -> tuple[float | None, float | None, tuple[dict[str, Any], ...]]:
    """Return the share of labels that agree, the correlation of scores, and who said what how often."""
    inside = labelled(counts)
    weights, people, judges = counts.multiplicities[inside], seen_by_people(counts), seen_by_judge(counts).where(inside)
    pairs = [(people[own], judges[own]) for role, own in JUDGES.items() if role in counts]
    human, machine = (np.concatenate([pair[side] for pair in pairs]) for side in (0, 1))
    weights = np.concatenate([weights] * len(pairs))
    numbers = human.dtype.kind == "f" or machine.dtype.kind == "f" or "judge_a" in counts
    correlation = _correlation(human, machine, weights) if numbers else None
    same = np.asarray(human == machine, np.bool_)
    levels = sorted({*human.tolist(), *machine.tolist()}, key=lambda one: (str(type(one)), one))
    if len(levels) > SHOWN and numbers:
        return None, correlation, ()
    agreement = float(weights[same].sum() / weights.sum()) if same_range(counts) and same_steps(counts) else None
    if len(levels) > SHOWN:
        return agreement, correlation, ()
    table = {(x, y): 0 for x in levels for y in levels}
    for x, y, many in zip(human.tolist(), machine.tolist(), weights.tolist(), strict=True):
        table[x, y] += many
    rows = ({"human": plain(x), "judge": plain(y), "n": many} for (x, y), many in table.items() if many)
    return agreement, correlation, tuple(rows)


def _correlation(human: Floats, machine: Floats, weights: Any) -> float | None:
    x, y = (
        values.astype(np.float64) - np.average(values.astype(np.float64), weights=weights)
        for values in (human, machine)
    )
    size = float(np.sqrt((weights @ x**2) * (weights @ y**2)))
    return float(weights @ (x * y)) / size if size > 0 else None


def _with_needed(about: Judge, ratio: float, least: float | None, difference: float) -> Judge:
    """Say how many labels would confirm a difference as large as the observed one, all else being as it is.

    Of the variance a part shrinks with the labelled examples and a part with the judged ones, which do not become more.
    """
    if least is None or not difference:
        return about
    n, share = about.labelled, about.labelled / about.judged
    explained = max(0.0, (1 - ratio) / (1 - share))
    wanted = ratio / n * (difference / least) ** 2 - explained / about.judged
    if wanted <= 0:
        return replace(about, unreachable=True)
    return replace(about, needed=max(math.ceil((1 - explained) / wanted), n + 1))
