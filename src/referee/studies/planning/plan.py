"""The verb plan(): how many examples to detect a difference, and what so many would detect."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from referee.data.outcomes import described
from referee.errors import Argument, Message, OptionError, refusal
from referee.metrics import Metric
from referee.results.plan import Plan
from referee.results.settings import Settings
from referee.runtime.arguments import fitting
from referee.runtime.randomness import Rng, Streams
from referee.significance import Test
from referee.significance import resolve as resolve_test
from referee.significance.distributions import check_alpha, check_alternative
from referee.studies import prepare
from referee.studies.auditing.audit_line import Asked
from referee.studies.auditing.grid import is_whole, several
from referee.studies.margins import Margin
from referee.studies.planning.basis import Basis, of_pilot, of_scores, of_variances
from referee.studies.planning.crossed_plan import CrossedPlanner
from referee.studies.planning.planner import Planner, signed
from referee.studies.planning.power_curve import Measure

POWER = 0.8
NEEDED = " must be a number in the metric's unit, such as 0.02, or 2pp for two percentage points"


@fitting
def plan(
    data: Any = None,
    *,
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    metric: str | Metric | None = None,
    lower_is_better: bool | None = None,
    test: str | Test | None = None,
    difference: float | str | None = None,
    n: int | None = None,
    power: float = POWER,
    scores: Any = None,
    agreement: float | None = None,
    between: float | None = None,
    within: Any = None,
    runs: int | None = None,
    group: Any = None,
    stratum: Any = None,
    weight: Any = None,
    id: Any = None,  # noqa: A002 - the word users know
    positive: Any = None,
    threshold: float | None = None,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    question: str | None = None,
    margin: float | str | None = None,
    sizes: int | Sequence[int] | None = None,
    rng: Rng = 0,
    unmatched: str = "error",
    missing: str = "error",
    repeats: str = "error",
    names: Sequence[str] | None = None,
) -> Plan:
    """Say how many examples a comparison needs to detect a difference, or what so many examples would detect.

    Three things hang together: the size of the test set, the true difference, and the power, which is how often the difference
    is detected. Leave out `n` and it is looked for; give `n` and the smallest difference is looked for that it detects with this
    power; give both `n` and `difference` and the power is looked for.

    Args:
        data: a pilot, as `compare` takes it: a dataframe, a path, Counts, or None if truth, a and b are arrays. Without one, the
            plan is for accuracy, from `scores` and `agreement`; or for a mean, from `between` and `within`.
        truth: the right answers.
        a: the predictions or scores of the first system.
        b: the predictions or scores of the second.
        metric: what will be compared. All metrics but accuracy, error and mean need a pilot.
        lower_is_better: which way is up for scores, and for metrics that don't say it: True for losses and costs. What a metric
            declares can't be turned.
        test: the significance test; if left out, the one that `compare` would choose.
        difference: the true difference b - a to plan for, in the metric's unit or as "2pp". If left out: that of `scores`, that of
            the pilot, or 0 if the question is "no-worse" or "equal".
        n: how many examples there will be.
        power: how often the difference is to be detected.
        scores: the scores of A and B, or that of A alone; without a pilot.
        agreement: on which share of examples both are right or both wrong; without a pilot. If left out, the systems are taken to
            err independently of each other, which is cautious.
        between: the variance of the difference from example to example, of the scores that are expected over all runs (ω²).
        within: the variance of a system's score from run to run on the same example (σ²); two if the systems differ in it.
        runs: how often each example is answered. Needs `between` and `within`, or a pilot with repeated ids and
            `repeats="group"`, from which they are estimated.
        group: as in `compare`; the plan then says how many groups.
        stratum: as in `compare`.
        weight: as in `compare`; the examples to come are taken to have weights like those of the pilot.
        id: as in `compare`.
        positive: the positive label, if it is not obvious.
        threshold: scores of at least this value count as the positive label.
        alternative: "two-sided", "greater" (b - a > 0) or "less".
        alpha: the false-alarm rate that you accept.
        question: "better" (the default), "no-worse" (non-inferiority) or "equal" (equivalence), as in `compare`.
        margin: the largest difference that does not matter, for these two.
        sizes: the sizes of the power curve, in examples; ten around the planned one if left out.
        rng: a seed, a SeedSequence, a Generator, or None for a fresh seed.
        unmatched: as in `compare`.
        missing: as in `compare`.
        repeats: as in `compare`; "group" tells the variance from run to run.
        names: what to call A and B in the result.

    Returns:
        A Plan.

    Raises:
        RefereeError: if there is nothing to plan, or nothing to plan from.

    >>> r = plan(difference=0.03, between=1 / 9, within=1 / 6)
    >>> r.n, [(row["runs"], row["n"]) for row in r.repeats if row["runs"] in (10, None)]
    (3876, [(10, 1260), (None, 969)])
    """
    alpha, side = check_alpha(alpha), check_alternative(alternative)
    limit = Margin.of(margin, alpha)
    asked = prepare.check_question(question, alternative, limit)
    if limit is not None and asked == "better":
        remedy = Message("add ", Argument("question", "no-worse"), " or ", Argument("question", "equal"))
        raise OptionError(
            Argument("margin"), " answers no question here", argument="margin", value=margin, remedy=remedy
        )
    aim, streams = _power(power, alpha), Streams.of(rng)
    for name, count in (("n", n), ("runs", runs)):
        if count is not None and not is_whole(count, 2 if name == "n" else 1):
            raise refusal(name, f"must be a whole number, {2 if name == 'n' else 1} or more", count)
    chosen = resolve_test(test) if test is not None else None
    stated = {"scores": scores, "agreement": agreement, "between": between, "within": within}
    named = {"truth": truth, "a": a, "b": b, "group": group, "stratum": stratum, "weight": weight, "id": id}
    if data is not None or any(one is not None for one in named.values()):
        extra = next((name for name, value in stated.items() if value is not None), None)
        if extra is not None:
            both = Argument(extra), " is for a plan without a pilot, and there is one"
            raise OptionError(*both, argument=extra, remedy=f"leave out {extra} or the data")
        given = described(
            data, names=names, **named, positive=positive, unmatched=unmatched, missing=missing, repeats=repeats
        )  # fmt: skip
        basis = of_pilot(given, metric, chosen, threshold, asked, lower_is_better)
    elif between is not None or within is not None:
        _refuse_both(stated)
        basis = of_variances(between if between is not None else 0.0, within, metric, chosen)
    else:
        basis = of_scores(scores, agreement, metric, chosen, asked)
    basis = replace(basis, metric=basis.metric.directed(lower_is_better))
    settings = Settings(
        seed=streams.entropy, positive=basis.counts.positive if basis.counts else None, threshold=threshold, roles=tuple(r for r in named if r in (basis.counts or ())),
        about=basis.counts.about if basis.counts else {}, files=basis.counts.files if basis.counts else (), digest=basis.counts.digest() if basis.counts else "",
    )  # fmt: skip
    reference = None
    if basis.tally is not None:
        reference = ("A" if basis.counts is None else basis.counts.name("a"), float(basis.tally.observed()[0]))
    width = None if limit is None else limit.settle(str(basis.metric), basis.reach, reference, basis.shares)
    ask = Asked(basis.test, side, alpha, asked, width or 0.0, basis.metric.higher_is_better)
    if basis.tally is not None and basis.tally.crossing is not None:
        if runs is not None:
            raise OptionError(
                Argument("runs"), " is for one group; of two the plan says how many of each", argument="runs"
            )
        crossed = CrossedPlanner(basis, ask, aim, streams)
        return signed(crossed.plan(_difference(difference, basis), n, _sizes(sizes), settings), settings, _sizes(sizes))
    planner = Planner(basis, ask, aim, Measure(ask, streams), runs)
    return planner.plan(_difference(difference, basis), n, _sizes(sizes), settings)


def _power(given: Any, alpha: float) -> float:
    """Read the power to reach."""
    value = math.nan
    with suppress(TypeError, ValueError):
        value = float(given)
    if isinstance(given, bool) or not alpha < value < 1:
        remedy = f"write {value:g}% as {value / 100:g}" if 1 < value < 100 else None
        between = f" must lie between alpha ({alpha:g}) and 1; it is {given!r}"
        raise OptionError(Argument("power", bare=True), between, value=given, remedy=remedy)
    return value


def _difference(given: Any, basis: Basis) -> float | None:
    """Read a difference: a number, or a text such as "0.02" or "2pp", with a sign.

    Raises:
        OptionError: if it is none, or more than two scores can differ by.
    """
    if given is None:
        return None
    text = re.fullmatch(r"\s*([-+\u2212]?\s*\S*?)\s*(pp)?\s*", given, re.IGNORECASE) if isinstance(given, str) else None
    value = math.nan
    if text or (isinstance(given, int | float | np.number) and not isinstance(given, bool)):
        with suppress(ValueError):
            value = float(text[1].replace("\u2212", "-") if text else given)
    if not math.isfinite(value):
        raise OptionError(Argument("difference", bare=True), f"{NEEDED}; it is {str(given)[:40]!r}", value=given)
    points, in_points = Argument("difference", f"{value:g}pp"), bool(text and text[2])
    if in_points and not basis.shares:
        plain = f"difference {given} is in percentage points, but {basis.metric} is not measured in percent here"
        raise OptionError(
            plain, argument="difference", value=given, remedy="give a plain number in the unit of the scores"
        )
    value = value / 100 if in_points else value
    if basis.reach is not None and abs(value) >= basis.reach:
        most = f"two scores of {basis.metric} differ by less than {basis.reach:g}; difference is {given}"
        as_points = basis.shares and not in_points and abs(value) < 100 * basis.reach
        remedy = Message("for percentage points give ", points) if as_points else "give a smaller one"
        raise OptionError(most, argument="difference", value=given, remedy=remedy)
    return value


def _sizes(given: Any) -> list[int] | None:
    """Read the sizes of a curve."""
    if given is None:
        return None
    sizes = several(list(given) if isinstance(given, np.ndarray | range) else given, "sizes")
    for size in sizes:
        if not is_whole(int(size) if isinstance(size, np.integer) else size, 2):
            raise OptionError(
                Argument("sizes", bare=True), f" must be whole numbers, 2 or more; one is {size!r}", value=size
            )
    return sorted(map(int, sizes))


def _refuse_both(stated: dict[str, Any]) -> None:
    extra = next((name for name in ("scores", "agreement") if stated[name] is not None), None)
    if extra is not None:
        both = Argument(extra), " and variances are two ways to plan"
        raise OptionError(*both, argument=extra, remedy="leave one of them out")
