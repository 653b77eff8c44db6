"""The verb compare(): resolve names, call, return; no statistics of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from referee.data.counts import Counts
from referee.data.examples import Look
from referee.data.judged import by_people, is_judged
from referee.data.naming import renamed
from referee.data.outcomes import described
from referee.data.samples import Samples, described_samples
from referee.errors import Argument, InputError, Message, OptionError
from referee.metrics import Metric
from referee.metrics.labels import Labels, seen_by
from referee.results.comparison import Comparison, Comparisons, Interval, Score
from referee.results.overall import Overall
from referee.results.settings import ASKED_FOR, SIGNED, Alternative, Question, Settings
from referee.results.weighting import Weighting
from referee.runtime.arguments import fitting
from referee.runtime.randomness import Rng, Streams
from referee.significance import Test
from referee.significance import resolve as resolve_test
from referee.significance.base import Finding, interval_at, run
from referee.significance.bayes import PosteriorTest
from referee.significance.distributions import FLIPPED, check_alpha, check_alternative
from referee.significance.distributions import adjust as adjusted_p
from referee.significance.laws.resample import Resamples
from referee.significance.own_laws import own_law
from referee.significance.rank_tally import AnyTally, canonical, tally_of
from referee.significance.score_intervals import has_closed_intervals, score_doubts, score_intervals
from referee.significance.tally import Tally
from referee.significance.test_choice import choose
from referee.studies import judge as judges
from referee.studies import prepare, several
from referee.studies.auditing.audit_line import audited
from referee.studies.dependence import dependence, design_effect, standard_error
from referee.studies.margins import Margin, deciding_side, in_points
from referee.studies.plot_data import Plotter
from referee.studies.positions import judged
from referee.studies.sensitivity import detectable, needed
from referee.studies.variance_split import split_of
from referee.studies.verdict import answer, contradicts, gather_warnings, judge

UNDECIDED = "too close to call"
UNUSED = " has no effect here: it turns scores into labels, and no metric that was asked for reads labels"


@fitting
def compare(
    data: Any = None,
    *,
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    judge: Any = None,
    judge_a: Any = None,
    judge_b: Any = None,
    metric: str | Metric | Sequence[str | Metric] | None = None,
    lower_is_better: bool | None = None,
    test: str | Test | None = None,
    group: Any = None,
    stratum: Any = None,
    weight: Any = None,
    by: Any = None,
    id: Any = None,  # noqa: A002 - the word users know
    winner: Any = None,
    first: Any = None,
    positive: Any = None,
    threshold: float | None = None,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    question: str | None = None,
    margin: float | str | None = None,
    adjust: str = "max-t",
    tasks: str = "fixed",
    audit: bool | None = None,
    rng: Rng = 0,
    unmatched: str = "error",
    missing: str = "error",
    repeats: str = "error",
    text: Any = None,
    names: Sequence[str] | None = None,
    paired: bool = True,
) -> Comparison | Comparisons:
    """Test whether system B is really better than system A, or whether the difference is luck.

    Args:
        data: a dataframe, a path, Counts, or None if truth, a and b are arrays.
        truth: the right answers; not needed if a and b are scores.
        a: the predictions or scores of the first system.
        b: the predictions or scores of the second.
        judge: a judge's labels (an LLM as a judge) for every example; truth is then people's, and may be empty in some rows.
        judge_a: a judge's scores of A's outputs, for every example; a and b are then people's scores, which may be empty.
        judge_b: a judge's scores of B's outputs.
        metric: what to compare, such as "f1" or "dcf:cost_fn=10"; several metrics give several comparisons.
        lower_is_better: which way is up for scores, and for metrics that don't say it: True for losses and costs. What a metric
            declares can't be turned.
        test: the significance test; if left out, it follows from the metric and the data.
        group: examples of one group may depend on each other (clustered data); groups are resampled and exchanged whole. Two
            columns, `["question", "seed"]`, are crossed groups: both are samples.
        stratum: examples are resampled within strata.
        weight: how much each example counts in the scores, as in a survey; examples of weight 0 are left out.
        by: a column; one comparison per value, adjusted together, and one answer over all of them.
        id: a column that identifies examples; repeated ids are an error unless `repeats` says otherwise.
        winner: who won each judgement, for preferences: "a", "b" or "tie", the systems' names, or a scale from -2 to 2 (2: B is
            much better); a and b are then the systems' names.
        first: which of the two was shown first, "a" or "b" or the systems' names, to measure position bias.
        positive: the positive label, if it is not obvious.
        threshold: scores of at least this value count as the positive label, for metrics of labels; ranks, means and losses
            keep the scores.
        alternative: "two-sided", "greater" (b - a > 0) or "less".
        alpha: the significance level: the false-alarm rate that you accept.
        question: "better" (the default), "no-worse" (non-inferiority: is B not worse than A by the margin?) or "equal"
            (equivalence: do they differ by less than the margin?); the p-value and the interval answer it.
        margin: differences smaller than this don't matter: a number in the metric's unit, or "1pp". Without a question it
            adds the verdicts "practically equal" and "no worse".
        adjust: how the p-values of several comparisons are adjusted: "max-t" (shared draws) and "bonferroni" also give intervals
            that agree with the verdicts; "holm", "hochberg", "bh", "by" p-values only; "none" adjusts nothing.
        tasks: whether the tasks (slices) are "fixed", all that is of interest, or a "random" sample of tasks; for the average.
        audit: whether to measure how often this test errs on data like these; if left out, only if that takes no more than
            about a tenth of a second.
        rng: a seed, a SeedSequence, a Generator, or None for a fresh seed.
        unmatched: what to do with examples that only one system has: "error" or "drop".
        missing: what to do with missing predictions; `referee compare --help` lists the policies.
        repeats: what to do with repeated ids: "error", "mean" or "group".
        text: a column to show in reports beside the examples on which the systems differ.
        names: what to call A and B in the result, such as ("old", "new"); by default what their columns or files are called.
        paired: False if the systems answered different examples: then data is a pair of tables, or a, b and pairs of the other
            columns are arrays. Pairs see smaller differences.

    Returns:
        A Comparison, or Comparisons if there are several metrics or slices.

    Raises:
        RefereeError: if the question or the data cannot be understood.

    >>> r = compare(truth=[1, 1, 0, 0, 1, 0], a=[1, 0, 0, 1, 0, 0], b=[1, 1, 0, 0, 1, 0], metric="accuracy")
    >>> r.difference, round(r.p_value, 3), r.verdict
    (0.5, 0.083, 'too close to call')
    """
    alpha = check_alpha(alpha)
    side = check_alternative(alternative)
    limit = Margin.of(margin, alpha)
    asked = prepare.check_question(question, alternative, limit)
    several.check(adjust, tasks)
    streams = Streams.of(rng)
    pairs = paired and not isinstance(data, Samples)
    describe = partial(described, names=names) if pairs else described_samples
    outcomes = describe(
        data, truth=truth, a=a, b=b, judge=judge, judge_a=judge_a, judge_b=judge_b, group=group, stratum=stratum, weight=weight,
        by=by, id=id, winner=winner, first=first, positive=positive, text=text, unmatched=unmatched, missing=missing, repeats=repeats,
    )  # fmt: skip
    look = None
    if isinstance(outcomes, Samples):
        outcomes = outcomes.count()
    outcomes = renamed(outcomes, names)
    if not isinstance(outcomes, Counts):
        if outcomes.a == outcomes.b:
            both = Argument("a", bare=True), " and ", Argument("b", bare=True), f" are both {outcomes.a!r}"
            raise OptionError(
                *both,
                argument="b",
                value=outcomes.b,
                remedy="name another system to compare it with; referee.score and `referee score` judge a single one",
            )
        missing, look = outcomes.missing, Look.at(outcomes)
    counts = prepare.settled(outcomes)
    if counts.paired and counts.name("a") == counts.name("b") and bool((counts["a"] == counts["b"]).all()):
        one = f"these are the counts of one system, {counts.name('a')}"
        raise InputError(one, remedy="give those of two, or judge this one alone with referee score")
    metrics = prepare.metrics_of(metric, by_people(counts) if is_judged(counts) else counts, threshold, lower_is_better)
    chosen = resolve_test(test) if test is not None else None
    judges.check(counts, chosen, audit)
    views = {metric.of_labels: seen_by(metric, counts, threshold) for metric in metrics}
    slices = {of_labels: prepare.slices_of(view) for of_labels, view in views.items()}
    unused = () if threshold is None or True in views else (Message(Argument("threshold", threshold), UNUSED),)
    done: list[Comparison] = []
    compared: list[tuple[Counts, Metric]] = []
    for place, (label, _) in enumerate(next(iter(slices.values()))):
        for own in metrics:
            part, cut = slices[own.of_labels][place][1], threshold if own.of_labels else None
            settings = Settings(
                threshold=cut,
                missing=missing if missing != "error" else None,
                slice=label,
                tasks=None if label is None or tasks == "fixed" else tasks,
            )
            result = compare_one(part, own, chosen, side, alpha, limit, streams, settings, asked)
            warnings = dict.fromkeys((*unused, *prepare.odd_labels(views[own.of_labels], own), *result.warnings))
            task = " ".join(filter(None, [label, str(own) if len(metrics) > 1 else None])) or None
            shown = look and look.taking(prepare.sense_of(part, own, missing, cut, label))
            done.append(replace(result, task=task, look=shown, warnings=tuple(warnings)))
            compared.append((part, own))
    done = done if is_judged(counts) else audited(done, compared, chosen, audit, streams)
    if len(done) == 1 and "slice" not in counts:
        return done[0]
    every = {own: several.tasks_of(views[own.of_labels], slices[own.of_labels], own) for own in metrics}
    places = range(len(next(iter(slices.values()))))
    together = several.adjusted(done, [every[own][place] for place in places for own in metrics], adjust, streams)
    of_scores = counts.about.get("slices") == "scores"  # the slices are scores, of which there is no average
    if asked != "better" or len(places) < 2 or of_scores:
        return together
    overall: list[Overall] = []
    for number, own in enumerate(metrics):
        whole = several.as_strata(views[own.of_labels])
        pooled = compare_one(whole, own, chosen, side, alpha, None, streams)
        overall += several.over_all(done[number :: len(metrics)], every[own], pooled, tasks)
    return replace(together, overall=tuple(overall))


def adjust_all(comparisons: Sequence[Comparison], method: str = "holm") -> Comparisons:
    """Adjust the p-values of several comparisons; the verdicts follow the adjusted ones.

    Those of a question about a margin stay as they are: what passes only if every task does needs no adjustment.
    """
    method = method if {comparison.question for comparison in comparisons} == {"better"} else "none"
    adjusted = adjusted_p([math.nan if c.p_value is None else c.p_value for c in comparisons], method)
    out = []
    for comparison, p in zip(comparisons, adjusted.tolist(), strict=True):
        verdict = comparison.verdict
        if verdict in ("a better", "b better") and comparison.question == "better" and not p <= comparison.alpha:
            verdict = "too close to call"
        judged = replace(comparison, p_adjusted=None if math.isnan(p) else p, verdict=verdict)
        settings = comparison.settings or Settings()
        out.append(judged.signed(replace(settings, adjust=method, comparisons=len(comparisons))))
    return Comparisons(tuple(out), method)


def compare_one(counts: Counts, metric: Metric, test: Test | None, *asked: Any) -> Comparison:
    """Compare the two systems of one set of counts, which a judge may have looked at; the arguments are those of `compare_counts`."""
    if not is_judged(counts):
        return compare_counts(counts, metric, test, *asked)
    streams: Streams = asked[3]
    return judges.with_judge(compare_counts(by_people(counts), metric, None, *asked), counts, metric, streams)


def compare_counts(
    counts: Counts,
    metric: Metric,
    test: Test | None,
    alternative: Alternative,
    alpha: float,
    limit: Margin | None,
    streams: Streams,
    settings: Settings = Settings(),  # noqa: B008 - frozen
    question: Question = "better",
) -> Comparison:
    """Compare the two systems of one set of counts by one metric and one test.

    Args:
        counts: the data.
        metric: what to compare.
        test: the test; None to choose one.
        alternative: "two-sided", "greater" or "less".
        alpha: the accepted false-alarm rate.
        limit: the margin.
        streams: the source of randomness.
        settings: what changed the data on the way, such as a threshold; the rest of it is filled in here.
        question: "better", "no-worse" or "equal".
    """
    prepare.check_direction(counts, metric)
    tally = tally_of(counts, metric)
    chosen, reason = choose(tally, question) if test is None else (test, ASKED_FOR)
    chosen.check(tally)
    names, scores, up = (counts.name("a"), counts.name("b")), tally.observed().tolist(), metric.higher_is_better
    known = all(map(math.isfinite, scores))
    vague, finding, margin, wide, error = (False, False), None, None, None, 0.0
    own: tuple[Interval | None, Interval | None] = (None, None)
    if limit is not None:
        reference = (names[0], scores[0]) if known else None
        margin = limit.settle(str(metric), tally.reach, reference, in_points(tally))
    # Where nothing is drawn at random and all sums are whole, the orientation does not matter.
    turn = known and (chosen.by_draws or not has_closed_intervals(tally) or not counts.paired or tally.weighted)
    oriented, flipped = canonical(tally) if turn else (tally, False)
    if known and (not counts.paired or tally.weighted):  # sums that are rounded, in the order of the units
        scores = oriented.observed().tolist()[:: -1 if flipped else 1]
    if known:
        vague = undefined_scores(tally)
        two_sided = alternative == "two-sided" and question == "better"
        finding = run(chosen, oriented, flipped, alternative, 1 - alpha if two_sided else 1 - 2 * alpha, streams)
        if margin is not None and question != "better":
            p_at, _, _ = deciding_side(chosen, oriented, flipped, question, margin, up, streams)
            finding = finding.asked(p_at, own=type(chosen).p_at is not Test.p_at)
        own = (
            score_intervals(oriented, 1 - alpha, streams)
            if counts.paired
            else _of_samples(counts, metric, alpha, streams)
        )
        own = own[::-1] if flipped and counts.paired else own
        error = standard_error(oriented, streams)
        wide = interval_at(chosen, oriented, 1 - 2 * alpha, streams) if margin is not None else None
        wide = wide.flipped() if wide is not None and flipped else wide
    difference = scores[1] - scores[0] if known else None
    # Sums of two samples, and of weights, are rounded: what is no more than that is no difference.
    rounded = not counts.paired or tally.weighted
    if difference is not None and rounded and abs(difference) <= float(tally.tolerance(np.array(scores))):
        difference = 0.0
    if isinstance(tally, Tally):
        positive = tally.bound.positive
    else:
        positive = Labels.of_truth(counts).find_positive(counts.positive, str(metric))
    apart, correlated, inflation = dependence(counts, metric, positive) if counts.paired else (None, None, None)
    better = None if finding is None else finding.probability
    believed = None
    if known and isinstance(chosen, PosteriorTest):
        believed = chosen.posterior_of(oriented, flipped, margin, up, streams)
    p = finding.p if finding and not contradicts(finding, difference) else None
    interval = finding.interval if finding else None
    if question == "better" or margin is None:
        verdict = judge(p, difference, alpha, margin, wide, up)
    else:
        verdict = answer(question, p, alpha, margin, interval, up)
    least = None
    if question == "better":
        least = detectable(oriented, chosen, finding, FLIPPED[alternative] if flipped else alternative, alpha, error)
    more = None
    if verdict == UNDECIDED and tally.crossing is None:  # of two groups more of one alone need not suffice
        more = needed(oriented, chosen, least, scores, flipped, alternative, alpha, error)
    a, b = (
        Score(name=name, score=score if known else None, interval=interval, undefined=undefined)
        for name, score, interval, undefined in zip(names, scores, own, vague, strict=True)
    )
    result = Comparison(
        metric=str(metric), test=str(chosen), reason=reason, alternative=alternative, alpha=alpha, question=question,
        margin=margin, margin_interval=wide, higher_is_better=up, a=a, b=b, difference=difference, interval=interval,
        statistic=finding.statistic if finding else None, p_value=finding.p if finding else None,
        p_method=finding.evidence.method if finding else "none", p_error=finding.error if finding else None,
        mid_p=finding.evidence.mid if finding else False, solver=finding.evidence.solver if finding else None,
        probability_b_better=None if better is None else (better if up else 1 - better), posterior=believed, verdict=verdict, detectable=least,
        needed=None if more is None else {"n": round(counts.n * more / tally.units), "units": more},
        n=counts.n, units=tally.units, noun=counts.noun, paired=counts.paired, matched=counts.matched, discordant=apart, correlation=correlated, inflation=inflation,
        weights=Weighting.of(counts), variance=split_of(counts, tally) if known else None,
        design_effect=design_effect(counts, tally, error, streams) if known else 1.0, undefined=undefined_share(oriented, finding),
        counts=counts, plotted=Plotter(metric, chosen), test_info=chosen.info(tally.grouped, metric.task), metric_info=metric.info_on(counts),
    )  # fmt: skip
    warnings = gather_warnings(result, counts, tally, chosen, finding)
    warnings += tuple(doubt for doubt in score_doubts(oriented) if doubt not in warnings)
    settings = replace(
        settings, seed=streams.entropy, positive=counts.positive, positive_class=positive, open=counts.open,
        averaged=counts.about.get("repeats") == "mean", roles=tuple(role for role in SIGNED if role in counts),
        strata=len(set(counts["stratum"].tolist())) if "stratum" in counts else None, about=counts.about, files=counts.files, digest=counts.digest(),
        crossed=() if tally.crossing is None else tally.crossing.told,
    )  # fmt: skip
    return judged(replace(result, warnings=warnings), counts, metric, streams).signed(settings)


def _of_samples(
    counts: Counts, metric: Metric, alpha: float, streams: Streams
) -> tuple[Interval | None, Interval | None]:
    """Return the intervals of both scores, each from its own sample, as if there were no other."""
    parts = [counts.where(counts["sample"] == role).without("sample") for role in ("a", "b")]
    a, b = (own_law(tally_of(part, metric), 1, streams).interval(1 - alpha) for part in parts)
    return a, b


def undefined_scores(tally: AnyTally) -> tuple[bool, bool]:
    """Say whether the score of A, and that of B, is 0/0, as the precision of a system that found nothing."""
    if not isinstance(tally, Tally) or tally.metric.averaged:
        return False, False
    a, b = tally.bound.formula.vague(tally.totals(tally.multiplicities)).tolist()
    return bool(a), bool(b)


def undefined_share(tally: AnyTally, finding: Finding | None) -> float:
    """Return the share of bootstrap draws in which the metric was 0/0, where any were drawn."""
    if finding is None:
        return 1.0
    drawn = [made.undefined for made in tally.memory.values() if isinstance(made, Resamples)]
    return float(max([finding.evidence.undefined, *drawn]))
