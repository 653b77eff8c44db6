"""The basis of a plan: a pilot, two scores and an agreement, variances from run to run, or nothing but a difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from referee.data.counts import Counts
from referee.errors import Argument, InputError, Message, Misfit, OptionError, refusal
from referee.metrics import METRICS, Metric
from referee.metrics import resolve as resolve_metric
from referee.metrics.labels import seen_by
from referee.report.numbers import percent
from referee.report.phrases import several
from referee.results.plan import Source
from referee.results.settings import ASKED_FOR
from referee.significance import TESTS, Test
from referee.significance.base import ENOUGH
from referee.significance.rank_tally import AnyTally, differing, tally_of
from referee.significance.test_choice import choose
from referee.studies import prepare
from referee.studies.margins import in_points
from referee.studies.planning.assumed_world import Assumed, independent, near_pilot, of_answers
from referee.studies.planning.run_variance import Variances, variances_of

OF_ANSWERS = ("accuracy", "error")
"""The metrics that two scores and an agreement tell all about."""
OF_MEANS = ("paired-t", "skew-t", "cluster-t")
"""The tests that variances tell all about."""
FEW_GROUPS = 10
MIDDLE = 0.5
"""The score that is assumed if none is given: there answers vary most."""
FORMULA = "the variances are given, so the normal law of a mean difference gives the number of examples"
NEEDS_PILOT = "give a pilot: data with both systems' answers on some examples"


@dataclass(frozen=True, eq=False)
class Basis:
    """What a plan is made from."""

    source: Source
    metric: Metric
    test: Test
    reason: str
    world_at: Callable[[float], Assumed | None]
    """Makes the world of a difference; None if there is none."""
    tally: AnyTally | None = None
    counts: Counts | None = None
    difference: float | None = None
    """The one to plan for, if none is asked for: that of two scores, or that of the pilot."""
    variances: Variances | None = None
    runs: float | None = None
    """How many runs per example the worlds have, if that is known."""
    agreement: float | None = None
    """The agreement that was given."""
    reach: float | None = None
    """The most that two scores can differ by."""
    shares: bool = True
    """Whether scores are shares, so that a percentage point is a hundredth of them."""
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    @property
    def side(self) -> float:
        """The sign of a difference that nobody gave."""
        return -1.0 if (self.difference or 0.0) < 0 else 1.0


def of_pilot(
    given: Any,
    metric: Any,
    test: Test | None,
    threshold: float | None,
    question: str,
    lower_is_better: bool | None = None,
) -> Basis:
    """Take a pilot, as it was read, for the basis.

    Raises:
        RefereeError: if it has nothing to plan from.
    """
    counts = prepare.settled(given)
    found = prepare.metrics_of(metric, counts, threshold, lower_is_better)
    if len(found) > 1:
        many = f"a plan takes one metric; these are {len(found)}: {', '.join(map(str, found))}"
        raise OptionError(many, argument="metric", value=metric)
    own = found[0]
    counts = counts.without("slice") if "slice" in counts else counts
    counts = seen_by(own, counts, threshold)
    prepare.check_direction(counts, own)
    tally = tally_of(counts, own)
    chosen, reason = choose(tally, question) if test is None else (test, ASKED_FOR)
    chosen.check(tally)
    unit = "group" if tally.grouped else "example"
    if tally.units < 2:
        one = f"a pilot of one {unit} shows nothing of how much {unit}s vary"
        without = Message("give more of it, or plan without a pilot, by ", Argument("difference"))
        raise InputError(one, argument="data", remedy=without)
    if not all(map(math.isfinite, tally.observed().tolist())):
        raise InputError(f"{own} cannot be computed on the pilot", remedy="it needs examples of every class")
    apart = int(tally.multiplicities @ differing(tally))
    if apart == 0:
        never = "the two systems agree on every example of the pilot, so it shows nothing of how a difference varies"
        without = Message(
            "use a larger pilot, or plan without one, by ", Argument("scores"), " and ", Argument("agreement")
        )
        raise InputError(never, argument="data", remedy=without)
    warnings = []
    if tally.grouped and tally.units < FEW_GROUPS:
        warnings.append(f"the pilot has only {several(tally.units, 'group')}: the plan is rough")
    elif apart < ENOUGH:
        warnings.append(f"the systems differ on only {several(apart, unit)} of the pilot: the plan is rough")
    known = variances_of(counts, own) if _are_runs(counts) else None
    scores = tally.observed().tolist()
    variances, runs = known or (None, None)
    return Basis(
        "pilot", own, chosen, reason, lambda difference: near_pilot(counts, own, difference), tally, counts,
        scores[1] - scores[0], variances, runs, reach=tally.reach, shares=in_points(tally), warnings=tuple(warnings),
    )  # fmt: skip


def _are_runs(counts: Counts) -> bool:
    """Say whether the groups of counts are the runs of one example."""
    return "group" in counts and counts.about.get("repeats") == "group"


def of_scores(scores: Any, agreement: Any, metric: Any, test: Test | None, question: str) -> Basis:
    """Take two scores, one or none, and an agreement if there is one, for the basis.

    Raises:
        RefereeError: if they cannot be, or do not tell enough about the metric.
    """
    own = _metric_of(metric, OF_ANSWERS, "accuracy")
    a, b = _scores(scores)
    agrees = None if agreement is None else _share("agreement", agreement)
    wrong = own.name == "error"

    def world_at(difference: float) -> Assumed | None:
        centre = MIDDLE - difference / 2 if a is None else a
        pair = (centre, centre + difference) if b is None or a is None else (a, b)
        right = (1 - pair[0], 1 - pair[1]) if wrong else pair
        share = independent(right) if agrees is None else agrees
        return of_answers(right, share, own) if _can_be(right, share) else None

    tally = tally_of(Counts.of({"truth": [1, 1], "a": [1, 0], "b": [1, 1]}), own)
    chosen, reason = choose(tally, question) if test is None else (test, ASKED_FOR)
    chosen.check(tally)
    difference = None
    if a is not None and b is not None:
        difference = b - a
        if agrees is not None and not _can_be((1 - a, 1 - b) if wrong else (a, b), agrees):
            raise _impossible(a, b, agrees)
    source: Source = "nothing" if a is None and agrees is None else "scores"
    told = _told(a, b, agrees, own)
    return Basis(
        source, own, chosen, reason, world_at, difference=difference, agreement=agrees, reach=1.0, assumptions=told
    )


def _told(a: float | None, b: float | None, agrees: float | None, metric: Metric) -> tuple[str, ...]:
    """Say what is assumed of answers that nobody has seen."""
    answers = "Answers are right or wrong, and examples are independent of each other."
    if agrees is not None:
        return answers, f"The two systems agree (both right or both wrong) on {percent(agrees)} of examples."
    name = metric.info.short or metric.info.name
    where = f"Both systems have {name} near {percent(MIDDLE)}, where answers vary most, and"
    if a is not None:
        where = f"System A has {name} {percent(a)}{'' if b is None else f', system B {percent(b)}'}, and the two"
    cautious = "a cautious assumption, since most systems err on the same examples and then need far fewer"
    return answers, f"{where} err independently of each other: {cautious}."


def _scores(given: Any) -> tuple[float | None, float | None]:
    """Read two scores, or that of A alone."""
    if given is None:
        return None, None
    pair = tuple(given) if isinstance(given, list | tuple | np.ndarray) else (given,)
    if len(pair) not in (1, 2):
        raise refusal("scores", "must be two scores, or that of A alone", given)
    a, *rest = (_share("scores", one) for one in pair)
    return a, rest[0] if rest else None


def _share(argument: str, given: Any) -> float:
    """Read a share between 0 and 1."""
    value = math.nan
    with suppress(TypeError, ValueError):
        value = float(given)
    if isinstance(given, bool) or not 0 <= value <= 1:
        remedy = f"write {value:g}% as {value / 100:g}" if 1 < value <= 100 else None
        raise OptionError(
            Argument(argument, bare=True), f" must lie between 0 and 1; it is {given!r}", value=given, remedy=remedy
        )
    return value


def _can_be(right: tuple[float, float], agreement: float) -> bool:
    """Say whether two systems that are right so often can agree so often."""
    inside = all(0 <= one <= 1 for one in right)
    low, high = _limits(right)
    return inside and low - 1e-12 <= agreement <= high + 1e-12


def _limits(right: tuple[float, float]) -> tuple[float, float]:
    return abs(right[0] + right[1] - 1), 1 - abs(right[1] - right[0])


def _impossible(a: float, b: float, agrees: float) -> OptionError:
    low, high = _limits((a, b))
    cannot = f"systems that score {a:g} and {b:g} cannot agree on {percent(agrees)} of examples"
    span = f"it can be from {math.ceil(low * 1e6 - 1e-6) / 1e6:g} to {math.floor(high * 1e6 + 1e-6) / 1e6:g}"
    return OptionError(cannot, argument="agreement", value=agrees, remedy=span)


def of_variances(between: Any, within: Any, metric: Any, test: Test | None) -> Basis:
    """Take the variances of a mean difference for the basis (Miller 2024).

    Raises:
        RefereeError: if they are no variances, or do not tell enough about the metric or the test.
    """
    own = _metric_of(metric, ("mean", *OF_ANSWERS), "mean")
    known = Variances(_variance("between", between), _within(within))
    if known.of(1) <= 0:
        raise OptionError(
            Argument("between", bare=True), " and ", Argument("within", bare=True), " are both 0", value=0
        )
    chosen = TESTS["paired-t"]() if test is None else test
    if chosen.name not in OF_MEANS:
        fits = f"the tests that fit: {', '.join(OF_MEANS)}"
        unfit = f"the test {chosen.name} does not go by variances alone"
        raise Misfit(unfit, argument="test", value=str(chosen), remedy=fits)
    tally = tally_of(Counts.of({"a": [0.0, 1.0], "b": [1.0, 1.0]}), METRICS["mean"])

    def world_at(difference: float) -> Assumed:
        return Assumed(tally, np.array([0.5, 0.5]), moved=difference)

    return Basis(
        "variances", own, chosen, FORMULA, world_at, variances=known, runs=1.0, shares=own.name != "mean",
        reach=1.0 if own.name != "mean" else None,
        assumptions=("Examples are independent of each other, and so are the runs of one example.",),
    )  # fmt: skip


def _variance(argument: str, given: Any) -> float:
    value = math.nan
    with suppress(TypeError, ValueError):
        value = float(given)
    if isinstance(given, bool) or not (value >= 0 and math.isfinite(value)):
        raise refusal(argument, "must be a variance: a number that is not negative", given)
    return value


def _within(given: Any) -> float:
    """Read the variance from run to run: one for both systems, or one each; return their sum."""
    if given is None:
        return 0.0
    pair = tuple(given) if isinstance(given, list | tuple | np.ndarray) else (given, given)
    pair = pair * 2 if len(pair) == 1 else pair
    if len(pair) != 2:
        raise refusal("within", "must be one variance, or two, one per system", given)
    return sum(_variance("within", one) for one in pair)


def _metric_of(given: Any, able: tuple[str, ...], usual: str) -> Metric:
    """Return the metric of a plan without a pilot.

    Raises:
        Misfit: if it needs one.
    """
    if given is None:
        return METRICS[usual]
    many = given if isinstance(given, list | tuple) else [given]
    if len(many) != 1:
        raise OptionError(f"a plan takes one metric; these are {len(many)}", argument="metric", value=given)
    own = resolve_metric(many[0])
    if own.name not in able:
        told = {"mean": "the variance of a mean is not known"}.get(own.name, "two scores don't tell how it varies")
        options: Mapping[str, Message] = {"mean": Message(NEEDS_PILOT, ", or ", Argument("between"), ", the variance")}
        needs = f"{own} needs a pilot: {told}"
        raise Misfit(needs, argument="metric", value=str(own), remedy=options.get(own.name, NEEDS_PILOT))
    return own
