"""The verb score(): one system's metrics with intervals, and whether they meet a target; no statistics of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from referee.data.counts import Counts
from referee.data.naming import renamed_one
from referee.data.outcomes import Outcomes, described_one
from referee.errors import Argument, Message
from referee.metrics import Metric
from referee.metrics.formula import Range
from referee.metrics.labels import Labels, seen_by
from referee.report.phrases import whole_metric
from referee.results.measurement import Attainment, Measurement, Measurements
from referee.results.settings import SIGNED, Settings
from referee.results.weighting import Weighting
from referee.runtime.arguments import fitting
from referee.runtime.randomness import Rng, Streams
from referee.significance.crossed_t import few_levels
from referee.significance.distributions import check_alpha
from referee.significance.laws.pulls import heavy_tails
from referee.significance.laws.score import ScoreLaw
from referee.significance.own_laws import OwnLaw, Skewed, Student, Worlds, has_shares, has_worlds, own_law
from referee.significance.rank_tally import AnyTally, tally_of
from referee.significance.score_intervals import score_doubts
from referee.significance.skew_t import scale_hint
from referee.significance.t_tests import few_in_effect
from referee.significance.tally import Tally
from referee.significance.test_choice import WEIGHTS
from referee.studies import prepare
from referee.studies.comparison import UNUSED
from referee.studies.targets import Target
from referee.studies.verdict import FEW, heavy, lonely_strata, no_score, strays

OWN = 1
"""Which of the two systems, which are one, is looked at."""
REASONS = {
    "wilson": "{} is a share of examples that are right or wrong, so its interval is Wilson's",
    "score": "{} is computed from counts, so these can be compared with those expected at any other score",
    "cluster-t": "examples in one group may depend on each other, so whole groups are the unit",
    "crossed-t": "both of two crossed groups are samples, so the variances over either are added",
    "skew-t": "the scores have no declared scale, so Student's t is checked against one that is corrected for skewness",
    "delong-t": "DeLong's variance of the area, on a Student's t that allows for few positives",
    "bootstrap-se-t": "{} has no simple variance, so it is resampled to estimate it",
}
CLASSES = "{} over so many classes within strata is too large for the score law, so a t with its standard error is used"


@fitting
def score(
    data: Any = None,
    *,
    truth: Any = None,
    prediction: Any = None,
    metric: str | Metric | Sequence[str | Metric] | None = None,
    lower_is_better: bool | None = None,
    at_least: float | str | None = None,
    at_most: float | str | None = None,
    group: Any = None,
    stratum: Any = None,
    weight: Any = None,
    by: Any = None,
    id: Any = None,  # noqa: A002 - the word users know
    positive: Any = None,
    threshold: float | None = None,
    alpha: float = 0.05,
    rng: Rng = 0,
    missing: str = "error",
    repeats: str = "error",
    names: str | Sequence[str] | None = None,
) -> Measurement | Measurements:
    """Score one system: its metrics with intervals, and whether they meet a target.

    Args:
        data: a dataframe, a path, Counts, what `read` returns, or None if truth and prediction are arrays.
        truth: the right answers; not needed if the predictions are scores.
        prediction: the predictions or scores of the system; its name, if the counts or the log are of several.
        metric: what to measure, such as "f1" or "dcf:cost_fn=10"; several metrics give several scores.
        lower_is_better: which way is up for scores, and for metrics that don't say it: True for losses and costs. What a metric
            declares can't be turned.
        at_least: the score to reach, for metrics where higher is better: 0.9, or "90%".
        at_most: the score not to exceed, for metrics where lower is better.
        group: examples of one group may depend on each other (clustered data).
        stratum: examples were drawn within strata.
        weight: how much each example counts in the score; examples of weight 0 are left out.
        by: a column; one score per value.
        id: a column that identifies examples; repeated ids are an error unless `repeats` says otherwise.
        positive: the positive label, if it is not obvious.
        threshold: predictions of at least this value count as the positive label, for metrics of labels.
        alpha: how often you accept that a system just at the target is said to meet it.
        rng: a seed, a SeedSequence, a Generator, or None for a fresh seed.
        missing: what to do with missing predictions; `referee score --help` lists the policies.
        repeats: what to do with repeated ids: "error", "mean" or "group".
        names: what to call the system in the result.

    Returns:
        A Measurement, or Measurements if there are several metrics or slices. Its interval is at 1 - alpha, and beside a target
        at 1 - 2 alpha: the target is met if all of the interval meets it, missed if none of it does.

    Raises:
        RefereeError: if the question or the data cannot be understood.

    >>> r = score(truth=[1] * 20, prediction=[1] * 17 + [0] * 3, metric="accuracy", at_least=0.9)
    >>> round(r.score, 2), r.verdict
    (0.85, "can't tell")
    """
    alpha = check_alpha(alpha)
    target = Target.of(at_least, at_most, alpha)
    streams = Streams.of(rng)
    outcomes = described_one(
        data, prediction=prediction, truth=truth, group=group, stratum=stratum, weight=weight, by=by, id=id, positive=positive,
        missing=missing, repeats=repeats,
    )  # fmt: skip
    outcomes = renamed_one(outcomes, names)
    missing = outcomes.missing if isinstance(outcomes, Outcomes) else missing
    counts = prepare.settled(outcomes)
    metrics = prepare.metrics_of(metric, counts, threshold, lower_is_better)
    views = {metric.of_labels: seen_by(metric, counts, threshold) for metric in metrics}
    slices = {of_labels: prepare.slices_of(view) for of_labels, view in views.items()}
    unused = () if threshold is None or True in views else (Message(Argument("threshold", threshold), UNUSED),)
    done = []
    for place, (label, _) in enumerate(next(iter(slices.values()))):
        for own in metrics:
            part, cut = slices[own.of_labels][place][1], threshold if own.of_labels else None
            settings = Settings(threshold=cut, missing=missing if missing != "error" else None, slice=label)
            result = score_counts(part, own, target, alpha, streams, settings)
            warnings = dict.fromkeys((*unused, *prepare.odd_labels(views[own.of_labels], own), *result.warnings))
            task = " ".join(filter(None, [label, str(own) if len(metrics) > 1 else None])) or None
            done.append(replace(result, task=task, warnings=tuple(warnings)))
    return done[0] if len(done) == 1 and "slice" not in counts else Measurements(tuple(done))


def score_counts(
    counts: Counts, metric: Metric, target: Target | None, alpha: float, streams: Streams, settings: Settings
) -> Measurement:
    """Score the one system of counts by one metric.

    Args:
        counts: the data; a and b are the same.
        metric: what to measure.
        target: the target, if there is one.
        alpha: the accepted rate of false passes.
        streams: the source of randomness.
        settings: what changed the data on the way, such as a threshold; the rest of it is filled in here.
    """
    prepare.check_direction(counts, metric)
    tally = tally_of(counts, metric)
    value = None if target is None else target.settle(metric, ends_of(tally))
    observed = float(tally.observed()[OWN])
    is_known = math.isfinite(observed)
    law, interval, p = None, None, None
    verdict: Attainment | None = None if target is None else "can't tell"
    if is_known:
        law = own_law(tally, OWN, streams, value)
        interval = law.interval(1 - alpha if target is None else 1 - 2 * alpha)
        if target is not None and value is not None:
            p, verdict = target.judge(law, value, alpha)
    positive = None
    if isinstance(tally, Tally):
        positive = tally.bound.positive
    elif "truth" in counts:
        positive = Labels.of_truth(counts).find_positive(counts.positive, str(metric))
    vague = isinstance(tally, Tally) and not metric.averaged and is_known
    result = Measurement(
        metric=str(metric), name=counts.name("b"), score=observed if is_known else None, interval=interval,
        reason=reason_of(law, tally), alpha=alpha, at_least=value if target and target.argument == "at_least" else None,
        at_most=value if target and target.argument == "at_most" else None, p_value=p,
        p_method="monte-carlo" if law is not None and law.method == "bootstrap-se-t" else "asymptotic", verdict=verdict,
        higher_is_better=metric.higher_is_better, n=counts.n, units=tally.units, noun=counts.noun, weights=Weighting.of(counts), matched=counts.matched,
        undefined=vague and bool(tally.bound.formula.vague(tally.totals(tally.multiplicities))[OWN]),  # type: ignore[union-attr]
        counts=counts, metric_info=metric.info_on(counts),
    )  # fmt: skip
    settings = replace(
        settings, seed=streams.entropy, positive=counts.positive, positive_class=positive, open=counts.open, files=counts.files,
        averaged=counts.about.get("repeats") == "mean", roles=tuple(role for role in SIGNED if role in counts),
        strata=len(set(counts["stratum"].tolist())) if "stratum" in counts else None, about=counts.about, digest=counts.digest(),
        crossed=() if tally.crossing is None else tally.crossing.told,
    )  # fmt: skip
    result = replace(result, settings=settings)
    return replace(result, warnings=gather(result, tally, law)).signed(settings)


def ends_of(tally: AnyTally) -> Range | None:
    """Return the least and the greatest score that there can be, where that is known."""
    if tally.range is not None or not isinstance(tally, Tally):
        return tally.range
    if has_shares(tally):
        return 0.0, 1.0
    ends = ScoreLaw(tally, (0.0, 1.0)).range if has_worlds(tally) else (-math.inf, math.inf)
    return ends if math.isfinite(ends[0]) else None


def reason_of(law: OwnLaw | None, tally: AnyTally) -> str:
    """Say why the interval is what it is."""
    if law is None:
        return ""
    told = REASONS[law.method]
    if law.method == "cluster-t" and not tally.grouped:
        told = WEIGHTS if tally.weighted else CLASSES
    return told.format(tally.metric.info.name)


def gather(result: Measurement, tally: AnyTally, law: OwnLaw | None) -> tuple[str, ...]:
    """Collect what the reader should know, in full sentences."""
    assert result.counts is not None
    found = list(result.counts.remarks)
    if law is None:
        return (*found, no_score(result))
    found += strays(result, tally)
    found += heavy(result.weights, result.n)
    if result.undefined:
        found.append(f"the {whole_metric(result)} of {result.name} is 0/0, and counts as {result.score:g}")
    found += lonely_strata(tally)
    unit = "group" if tally.grouped else "example"
    if result.interval is None:
        alone = tally.units == 1 or (isinstance(law, Student) and math.isnan(law.error))
        why = f"too few {unit}s show how {unit}s vary" if alone else "nothing shows how the scores vary"
        found.append(f"{why}, so there is no interval")
    if isinstance(law, Skewed) and isinstance(tally, Tally):
        found += [*heavy_tails(tally, OWN), *(() if "scale" in result.counts.about else scale_hint(tally))]
    if isinstance(law, Worlds):
        found += score_doubts(tally)
    if tally.crossing is not None:
        found += few_levels(tally)
    elif tally.grouped and tally.units == 2:
        found.append("there are only 2 groups; they say next to nothing about other groups")
    elif tally.grouped and 2 < tally.units < FEW:
        found.append(f"there are only {tally.units} groups; results from fewer than {FEW} groups are unreliable")
    elif isinstance(law, Student) and tally.uneven and law.units < FEW <= tally.units:
        found.append(few_in_effect(tally, law.units))
    return tuple(dict.fromkeys(found))
