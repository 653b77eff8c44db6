"""The verb audit(): read the data, lay out the grid, run it, and report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.data.counts import Counts
from referee.errors import Argument, Message, OptionError, one_of, refusal
from referee.metrics.base import Metric
from referee.metrics.labels import seen_by
from referee.results.audit import Audit
from referee.results.settings import Settings, signature
from referee.runtime.arguments import fitting
from referee.runtime.parallel import run
from referee.runtime.randomness import Rng, Streams
from referee.runtime.store import open_store
from referee.significance import Test
from referee.significance import resolve as resolve_test
from referee.significance.base import fitting_tests
from referee.significance.bootstrap import Bootstrap
from referee.significance.distributions import check_alpha, check_alternative
from referee.significance.rank_tally import AnyTally, differing, tally_of
from referee.significance.tally import Tally
from referee.significance.test_choice import choose
from referee.studies.auditing.advice import advise
from referee.studies.auditing.grid import (
    IGNORING,
    AuditPlan,
    Grid,
    advised,
    check_peeks,
    check_sets,
    is_whole,
    run_cell,
    sets_for,
    several,
)
from referee.studies.auditing.population import NULLS, TIE, Population, World, can_tilt, check, is_shipped, shipped
from referee.studies.prepare import metrics_of, read, slices_of

WHEN_PEEKING = ("anytime", "mcnemar", "score")
"""What is tried, beside the default, if tests look more than once."""
SIZES = (100, 250, 500, 1000, 2000, 4000, 6000)
"""The sizes of test sets where the data are a population and not one test set."""


@fitting
def audit(
    data: Any = None,
    *,
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    metric: str | Metric | None = None,
    lower_is_better: bool | None = None,
    test: str | Test | Sequence[str | Test] | None = None,
    group: Any = None,
    stratum: Any = None,
    weight: Any = None,
    category: Any = None,
    id: Any = None,  # noqa: A002 - the word users know
    positive: Any = None,
    threshold: float | None = None,
    sizes: int | Sequence[int] | None = None,
    alpha: float | Sequence[float] = 0.05,
    alternative: str = "two-sided",
    null: str | Sequence[str] | None = None,
    sets: int | None = None,
    peeks: int = 1,
    tie: float = TIE,
    coverage: bool = True,
    rng: Rng = 0,
    jobs: int | None = None,
    dask: str | None = None,
    store: str | Path | None = None,
    unmatched: str = "error",
    missing: str = "error",
    repeats: str = "error",
    names: Sequence[str] | None = None,
) -> Audit:
    """Measure how often tests raise a false alarm on data like these, and their power.

    Test sets are drawn from the data, which are taken as the truth: under a null hypothesis, so that every rejection is a
    false alarm, and as they are, so that a rejection is a true detection.

    Args:
        data: as in `compare`; also a Population, a mapping of categories to Populations, or the name of a shipped one.
        truth: the right answers.
        a: the predictions or scores of the first system.
        b: the predictions or scores of the second.
        metric: what to compare.
        lower_is_better: which way is up for scores, and for metrics that don't say it: True for losses and costs. What a metric
            declares can't be turned.
        test: one or several tests; by default all that fit.
        group: examples of one group may depend on each other (clustered data); whole groups are drawn, and tests that ignore
            them are shown beside those that do not.
        stratum: examples are resampled within strata.
        weight: how much each example counts in the scores.
        category: a column; each of its values is a population, and rates are averaged over these.
        id: a column that identifies examples.
        positive: the positive label.
        threshold: scores of at least this value count as the positive label, for metrics of labels.
        sizes: how many examples a test set has; the size of the data if left out.
        alpha: the significance levels to measure.
        alternative: "two-sided", "greater" or "less".
        null: "tilt" (the nearest world in which the systems tie), "swap" (they are exchangeable) or "observed" (the
            categories in which they tie as they are); or several of them. If left out: tilt, or swap if the metric has no
            known slope to tilt along (average precision).
        sets: how many test sets are drawn. If left out: 1,000 for one population, 500 for each of several, 200 if there
            are more than 64 kinds of units (scores), 100 if scores are ranked.
        peeks: in how many equal batches the examples of a test set arrive; every test looks after each of them, a false alarm
            is one at any look, and an interval contains the true difference if it does at every look.
        tie: systems whose true difference is at most this count as tied.
        coverage: whether to measure how often intervals contain the true difference.
        rng: a seed, a SeedSequence, a Generator, or None for a fresh seed.
        jobs: how many processes; neither this nor the cluster changes a number.
        dask: the address of a Dask scheduler.
        store: a file that keeps finished cells, so that an interrupted run can resume.
        unmatched: as in `compare`.
        missing: as in `compare`.
        repeats: as in `compare`.
        names: what to call A and B in the result.

    Returns:
        An Audit.

    >>> from referee.data.counts import from_events
    >>> r = audit(from_events([61, 14, 9, 21, 6, 11, 5, 873]), metric="error", test="mcnemar", sets=200)
    >>> r.row()["false_alarm"] < 0.1
    True
    """
    check_alternative(alternative)
    alphas = tuple(check_alpha(one) for one in several(alpha, "alpha"))
    roles = {
        "truth": truth,
        "a": a,
        "b": b,
        "group": group,
        "stratum": stratum,
        "weight": weight,
        "id": id,
        "by": category,
    }
    roles |= {"positive": positive, "unmatched": unmatched, "missing": missing, "repeats": repeats, "names": names}
    worlds, name, chosen_metric = populations(data, metric, threshold, roles, lower_is_better)
    sizes_known = [world.size for world in worlds.values() if world.size is not None]
    whole = max(sizes_known) if len(sizes_known) == len(worlds) else None
    first = next(iter(worlds.values()))
    nulls = _nulls(null, chosen_metric)
    for label, world in worlds.items():
        check(world, chosen_metric, label)
    tally = tally_of(first.counts, chosen_metric)
    own, _ = choose(tally)
    check_peeks(peeks)
    tests = tuple(dict.fromkeys(_tests(test, tally, own, min(alphas), peeks)))
    asked = _sizes(sizes, len(worlds), whole)
    sets = sets_for(tally, len(worlds)) if sets is None else sets
    check_sets(sets)
    for world in worlds.values():
        World.of(world, chosen_metric).check_peeks(asked[0], peeks)
    if not tie >= 0:
        raise refusal("tie", "must not be negative", tie)
    streams = Streams.of(rng)
    plan = AuditPlan(
        sendable(chosen_metric),
        tests,
        alphas,
        sets,
        nulls,
        alternative,
        coverage=bool(coverage),
        rng=streams.entropy,
        peeks=peeks,
    )
    grid = Grid(plan, worlds, asked, tie=float(tie))
    with open_store(store, grid.describe) as kept:
        values = run(run_cell, grid.tasks(), jobs=jobs, dask=dask, store=kept, what="auditing")
    rows = grid.rows(values)
    preferred, advice = advise(rows, str(own), advised(alphas))
    if not any(differing(tally_of(world.counts, chosen_metric)).any() for world in worlds.values()):
        preferred, advice = (
            None,
            "The two systems never differ on these data, so there is nothing for a test to detect.",
        )
    one, settings = len(worlds) == 1, Settings(seed=streams.entropy, about=first.counts.about, files=first.counts.files)
    of_groups = {row["test"] for row in rows if row["groups"] == "whole"}
    return Audit(
        metric=str(chosen_metric), rows=tuple(rows), advice=advice, chosen=str(own), preferred=preferred, alpha=advised(alphas),
        each=() if one else tuple(row for label in worlds for row in grid.rows(values, label)),
        null=", ".join(nulls), categories=len(worlds), names=(first.counts.name("a"), first.counts.name("b")),
        difference=values[grid.key(next(iter(worlds)), asked[0])]["difference"] if one else None,
        population=name, n=whole, noun=first.counts.noun, warnings=tuple(_warnings(grid, values, whole)),
        signature=_signature(grid, settings, streams), settings=settings, metric_info=chosen_metric.info_on(first.counts),
        test_info={test: resolve_test(test).info(test in of_groups) for test in dict.fromkeys(row["test"] for row in rows)},
    )  # fmt: skip


def populations(
    data: Any, metric: Any, threshold: float | None, roles: Mapping[str, Any], lower_is_better: bool | None = None
) -> tuple[dict[str | None, Population], str, Metric]:
    """Return the populations by category (None where there is one), their name, and the metric."""
    given: dict[Any, Any] = dict(data) if isinstance(data, Mapping) else {None: data}
    if threshold is not None and any(isinstance(one, Population) for one in given.values()):
        cuts = Argument("threshold"), " cuts scores as they are read, and a Population has been read already"
        raise OptionError(*cuts, argument="threshold", value=threshold, remedy="cut its scores first")
    if given and all(isinstance(one, Population) for one in given.values()):
        if roles.get("names") is not None:
            raise OptionError("a Population has names of its own", argument="names", remedy="leave them out")
        name = "populations" if isinstance(data, Mapping) else "a population"
        worlds = {None if key is None else str(key): one for key, one in given.items()}
        return worlds, name, one_metric(metric, next(iter(given.values())).counts, None, lower_is_better)
    name = Path(data).name if isinstance(data, str | Path) else "the data"
    counts = read(shipped(data) if is_shipped(data) else data, **roles)
    if "crossed" in counts:
        two = "an audit draws test sets from one group's levels, and two are crossed here"
        raise OptionError(
            two, argument="group", remedy="name one group; docs/evaluations.md has the error rates of crossed ones"
        )
    chosen = one_metric(metric, counts, threshold, lower_is_better)
    counts = seen_by(chosen, counts, threshold)
    return {label: Population.of(part) for label, part in slices_of(counts)}, name, chosen


def one_metric(
    metric: Any, counts: Counts, threshold: float | None = None, lower_is_better: bool | None = None
) -> Metric:
    """Return the metric that is meant; an audit has one."""
    found = metrics_of(metric, counts, threshold, lower_is_better)
    if len(found) > 1:
        several = f"an audit takes one metric; these are {len(found)}: {', '.join(map(str, found))}"
        raise OptionError(several, argument="metric", value=metric)
    return found[0]


def sendable(metric: Metric) -> str | Metric:
    """Return what a worker can find the metric by: its spelling, or itself where a user made it."""
    return str(metric) if metric.function.__module__.startswith("referee.") else metric


def default_tests(tally: AnyTally, own: Test, alpha: float, peeks: int = 1) -> list[str]:
    """Return the test that compare takes, then all that fit, with the studentized exchange where it differs.

    The anytime test is for looking more than once; it is then held against the usual ones alone, since each look takes its time. The bootstrap has 50/alpha replicates, the least that are advised (Davison and Hinkley 1997): more make its p-value
    finer, and do not change its false alarms.
    """
    fitting = fitting_tests(tally)
    if peeks > 1:
        return list(dict.fromkeys([str(own), *(name for name in WHEN_PEEKING if name in fitting)]))
    quicker = {"bootstrap": str(Bootstrap(replicates=math.ceil(50 / alpha) - 1))}
    found = [str(own), *(quicker.get(name, name) for name in fitting if name != "anytime")]
    if isinstance(tally, Tally) and not tally.bound.formula.fixed:
        found.append("randomization:studentized=true")
    return list(dict.fromkeys(found))


def _tests(given: Any, tally: AnyTally, own: Test, alpha: float, peeks: int) -> list[str]:
    asked = [] if given is None else [resolve_test(one) for one in several(given, "test")]
    for one in asked:
        one.check(tally)
    tests = list(map(str, asked)) or default_tests(tally, own, alpha, peeks)
    return [*tests, *(name + IGNORING for name in tests if tally.grouped)]


def _nulls(given: Any, metric: Metric) -> tuple[str, ...]:
    if given is None:
        return ("tilt" if can_tilt(metric) else "swap",)
    nulls = several(given, "null")
    for one in nulls:
        one_of("null", one, NULLS)
    if "tilt" in nulls and not can_tilt(metric):
        remedy = Message("use ", Argument("null", "swap"))
        raise OptionError(f"the null 'tilt' has no form for {metric}", argument="null", value=given, remedy=remedy)
    return nulls


def _sizes(given: Any, categories: int, whole: int | None) -> tuple[int, ...]:
    if given is None and (categories > 1 or whole is not None):
        return SIZES if whole is None or categories > 1 else (whole,)
    if given is None:
        say = Message("give ", Argument("sizes"))
        raise OptionError("a population that was made up has no size of its own", argument="sizes", remedy=say)
    sizes = several(given, "sizes")
    for size in sizes:
        if not is_whole(size, 2):
            wrong = f" must be whole numbers, 2 or more; one is {size!r}"
            raise OptionError(Argument("sizes", bare=True), wrong, value=size)
    return tuple(sorted(sizes))


def _warnings(grid: Grid, values: Mapping[str, Any], whole: int | None) -> list[str]:
    found = []
    large = ", ".join(f"{n:,}" for n in grid.sizes if whole is not None and n > whole)
    if large:
        drawn = f"test sets of {large} examples are drawn from a population of {whole:,}"
        found.append(f"{drawn}: they repeat its examples and show no more than it holds")
    cells = {c or "the population": values[grid.key(c, grid.sizes[0])] for c in grid.populations}
    for null in grid.plan.nulls:
        lost = [name for name, cell in cells.items() if grid.alarms(cell, grid.plan.tests[0], null) is None]
        if lost:
            found.append(_lost(null, lost, len(cells), grid.tie))
    return found


def _lost(null: str, lost: list[str], total: int, tie: float) -> str:
    """Say in how many categories a null does not hold, and why."""
    observed = f"the systems do not tie within {tie:g}"
    why = observed if null == "observed" else "a tie would need an outcome never to happen"
    if len(lost) == total:
        nowhere = f"no false alarm can be measured under the null {null!r}: it holds nowhere ({why}); use "
        return Message(nowhere, Argument("null", "swap"))
    few = ", ".join(lost[:3]) + (f" and {len(lost) - 3} more" if len(lost) > 3 else "")
    return f"no false alarms from {len(lost)} of {total} categories under the null {null!r}: {why} ({few})"


def _signature(grid: Grid, settings: Settings, streams: Streams) -> str:
    about = grid.describe()
    parts = {
        "metric": about["metric"], "null": ",".join(about["nulls"]), "sets": about["sets"], "sizes": ",".join(map(str, grid.sizes)),
        "alpha": ",".join(f"{alpha:g}" for alpha in grid.plan.alphas), "alternative": grid.plan.alternative,
        "peeks": grid.plan.peeks if grid.plan.peeks > 1 else None,
        "categories": len(grid.populations), "population": about["population"], "rng": streams.label,
    }  # fmt: skip
    return signature(settings, parts)
