"""The verb audit(): read the data, lay out the grid, run it, say what came of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.data.counts import Counts
from referee.errors import OptionError, one_of
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
from referee.studies.auditing.advice import advise
from referee.studies.auditing.grid import IGNORING, AuditPlan, Grid, advised, check_sets, run_cell, sets_for, several
from referee.studies.auditing.null_worlds import NULLS, TIE, can_tilt, check
from referee.studies.auditing.population import Population
from referee.studies.auditing.shipped import is_shipped, shipped
from referee.studies.prepare import metrics_of, read
from referee.studies.test_choice import choose

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
    test: str | Test | Sequence[str | Test] | None = None,
    group: Any = None,
    stratum: Any = None,
    category: Any = None,
    id: Any = None,  # noqa: A002 - the word users know
    positive: Any = None,
    threshold: float | None = None,
    sizes: int | Sequence[int] | None = None,
    alpha: float | Sequence[float] = 0.05,
    alternative: str = "two-sided",
    null: str | Sequence[str] | None = None,
    sets: int | None = None,
    tie: float = TIE,
    coverage: bool = True,
    rng: Rng = 0,
    jobs: int | None = None,
    dask: str | None = None,
    store: str | Path | None = None,
    unmatched: str = "error",
    missing: str = "error",
    repeats: str = "error",
) -> Audit:
    """Say how often tests raise a false alarm, and how much they see, on data like these.

    Test sets are drawn from the data taken as the truth: under a null hypothesis, where every rejection is a false
    alarm, and as they are, where a rejection is a difference that was seen.

    Args:
        data: as in `compare`; also a Population, a mapping of categories to Populations, or the name of a shipped one.
        truth: the right answers.
        a: the predictions or scores of the one system.
        b: the predictions or scores of the other.
        metric: what to compare.
        test: one or several tests; all that fit if left out.
        group: examples of one group may depend on each other; groups are drawn whole, and the tests that ignore them
            are shown beside those that do not.
        stratum: examples are resampled within strata.
        category: a column; each of its values is a population of its own, and rates are averaged over them.
        id: a column that tells examples apart.
        positive: the positive label.
        threshold: scores of at least this much are the positive label, for metrics of labels.
        sizes: how many examples a test set has; the size of the data if left out.
        alpha: the false-alarm rates that are asked for.
        alternative: "two-sided", "greater" or "less".
        null: "tilt" (the nearest world in which the systems tie), "swap" (they are exchangeable) or "observed" (the
            categories in which they tie as they are); or several of them. If left out: tilt, or swap where the metric
            has no known slope to tilt along (average precision).
        sets: how many test sets are drawn. If left out: 1,000 for one population, 500 for each of several, 200 where there
            are more than 64 kinds of units (scores), 100 where scores are ranked.
        tie: within what difference systems tie in a population.
        coverage: whether to see how often intervals hold the true difference.
        rng: a seed, a SeedSequence, a Generator, or None for a fresh seed.
        jobs: how many processes; neither this nor the cluster changes a number.
        dask: the address of a Dask scheduler.
        store: a file that keeps finished cells, so that a run that was stopped goes on.
        unmatched: as in `compare`.
        missing: as in `compare`.
        repeats: as in `compare`.

    Returns:
        An Audit.

    >>> from referee.data.counts import from_events
    >>> r = audit(from_events([61, 14, 9, 21, 6, 11, 5, 873]), metric="error", test="mcnemar", sets=200)
    >>> r.row()["false_alarm"] < 0.1
    True
    """
    check_alternative(alternative)
    alphas = tuple(check_alpha(one) for one in several(alpha, "alpha"))
    roles = {"truth": truth, "a": a, "b": b, "group": group, "stratum": stratum, "id": id}
    policies = {"unmatched": unmatched, "missing": missing, "repeats": repeats}
    worlds, name, whole, chosen_metric = populations(data, metric, roles, category, positive, threshold, policies)
    first = next(iter(worlds.values()))
    nulls = _nulls(null, chosen_metric)
    for label, world in worlds.items():
        check(world, chosen_metric, label)
    tally = tally_of(first.counts, chosen_metric)
    own, _ = choose(tally)
    tests = tuple(dict.fromkeys(_tests(test, tally, own, min(alphas))))
    asked = _sizes(sizes, worlds, whole)
    if sets is None:
        sets = sets_for(tally, len(worlds))
    check_sets(sets)
    if not tie >= 0:
        raise OptionError(f"tie must not be negative; it is {tie!r}")
    streams = Streams.of(rng)
    plan = AuditPlan(
        metric=sendable(chosen_metric), tests=tests, alphas=alphas, sets=sets, nulls=nulls,
        alternative=alternative, coverage=bool(coverage), rng=streams.entropy,
    )  # fmt: skip
    grid = Grid(plan, worlds, asked, tie=float(tie))
    with open_store(store, grid.describe) as kept:
        values = run(run_cell, grid.tasks(), jobs=jobs, dask=dask, store=kept, what="auditing")
    rows = grid.rows(values)
    preferred, advice = advise(rows, str(own), advised(alphas))
    if not any(differing(tally_of(world.counts, chosen_metric)).any() for world in worlds.values()):
        preferred, advice = None, "The two systems never differ on these data: there is nothing that a test could see."
    settings, of_groups = Settings(seed=streams.entropy), {row["test"] for row in rows if row["groups"] == "whole"}
    return Audit(
        metric=str(chosen_metric),
        rows=tuple(rows),
        each=tuple(row for label in worlds for row in grid.rows_of(values, label)) if len(worlds) > 1 else (),
        advice=advice,
        chosen=str(own),
        preferred=preferred,
        alpha=advised(alphas),
        null=", ".join(nulls),
        categories=len(worlds),
        difference=values[grid.key(next(iter(worlds)), asked[0])]["difference"] if len(worlds) == 1 else None,
        names=(first.counts.name("a"), first.counts.name("b")),
        population=name,
        n=whole,
        warnings=tuple(_warnings(grid, values, whole)),
        signature=_signature(grid, settings, streams),
        settings=settings,
        test_info={
            name: resolve_test(name).info(name in of_groups) for name in dict.fromkeys(row["test"] for row in rows)
        },
        metric_info=chosen_metric.info_on(first.counts),
    )


def populations(
    data: Any,
    metric: Any,
    roles: Mapping[str, Any],
    category: Any = None,
    positive: Any = None,
    threshold: float | None = None,
    policies: Mapping[str, Any] | None = None,
) -> tuple[dict[str | None, Population], str, int | None, Metric]:
    """Return the populations by category (None where there is one), their name, how many examples they hold, and the metric."""
    made = data.values() if isinstance(data, Mapping) else (data,)
    if threshold is not None and any(isinstance(one, Population) for one in made):
        raise OptionError(
            "threshold= cuts scores as they are read, and a Population is made already; cut its scores first"
        )
    if isinstance(data, Population):
        return {None: data}, "a population", data.size, one_metric(metric, data.counts)
    if isinstance(data, Mapping) and data and all(isinstance(one, Population) for one in data.values()):
        given: dict[str | None, Population] = {str(key): one for key, one in data.items()}
        return given, "populations", _largest(given), one_metric(metric, next(iter(given.values())).counts)
    name = Path(data).name if isinstance(data, str | Path) else "the data"
    if is_shipped(data):
        data = shipped(data)
    counts = read(data, by=category, positive=positive, **roles, **(policies or {}))
    chosen = one_metric(metric, counts, threshold)
    counts = seen_by(chosen, counts, threshold)
    if "slice" not in counts:
        return {None: Population.of(counts)}, name, counts.n, chosen
    parts: dict[str | None, Population] = {str(value): Population.of(part) for value, part in counts.slices()}
    return parts, name, _largest(parts), chosen


def _largest(worlds: Mapping[str | None, Population]) -> int | None:
    """Return the size of the largest population; None where one is made up, and has none."""
    sizes = [world.size for world in worlds.values()]
    known = [size for size in sizes if size is not None]
    return max(known) if len(known) == len(sizes) else None


def one_metric(metric: Any, counts: Counts, threshold: float | None = None) -> Metric:
    """Return the metric that is meant; an audit has one."""
    found = metrics_of(metric, counts, threshold)
    if len(found) > 1:
        raise OptionError(f"an audit is of one metric; these are {len(found)}: {', '.join(map(str, found))}")
    return found[0]


def sendable(metric: Metric) -> str | Metric:
    """Return what a worker can find the metric by: its spelling, or itself where a user made it."""
    return str(metric) if metric.function.__module__.startswith("referee.") else metric


def default_tests(tally: AnyTally, own: Test, alpha: float) -> list[str]:
    """Return the test that compare takes, then all that fit, with the studentized exchange where it differs.

    The bootstrap has 50/alpha replicates, the least that are advised (Davison and Hinkley 1997): more make its p-value
    finer, and do not change its false alarms.
    """
    quicker = {"bootstrap": str(Bootstrap(replicates=math.ceil(50 / alpha) - 1))}
    found = [str(own), *(quicker.get(name, name) for name in fitting_tests(tally))]
    if isinstance(tally, Tally) and not tally.bound.formula.fixed:
        found.append("randomization:studentized=true")
    return list(dict.fromkeys(found))


def _tests(given: Any, tally: AnyTally, own: Test, alpha: float) -> list[str]:
    if given is None:
        tests = default_tests(tally, own, alpha)
    else:
        asked = [resolve_test(one) for one in several(given, "test")]
        for one in asked:
            one.check(tally)
        tests = [str(one) for one in asked]
    return [*tests, *(name + IGNORING for name in tests if tally.grouped)]


def _nulls(given: Any, metric: Metric) -> tuple[str, ...]:
    if given is None:
        return ("tilt" if can_tilt(metric) else "swap",)
    nulls = several(given, "null")
    for one in nulls:
        one_of("null", one, NULLS)
    if "tilt" in nulls and not can_tilt(metric):
        raise OptionError(f"the null 'tilt' has no form for {metric}; use null='swap'")
    return nulls


def _sizes(given: Any, worlds: Mapping[str | None, Population], whole: int | None) -> tuple[int, ...]:
    if given is None:
        if whole is None and len(worlds) == 1:
            raise OptionError("a population that was made up has no size of its own; say sizes=")
        return (whole,) if len(worlds) == 1 and whole is not None else SIZES
    sizes = several(given, "sizes")
    for one in sizes:
        if isinstance(one, bool) or not isinstance(one, int) or one < 2:
            raise OptionError(f"sizes are whole numbers, 2 or more; one is {one!r}")
    return tuple(sorted(sizes))


def _warnings(grid: Grid, values: Mapping[str, Any], whole: int | None) -> list[str]:
    found = []
    large = [n for n in grid.sizes if whole is not None and n > whole]
    if large:
        shown = ", ".join(f"{n:,}" for n in large)
        found.append(
            f"test sets of {shown} examples are drawn from a population of {whole:,}: they repeat its examples, and "
            f"speak for no more than it holds"
        )
    cells = {c or "the population": values[grid.key(c, grid.sizes[0])] for c in grid.populations}
    for null in grid.plan.nulls:
        lost = [name for name, cell in cells.items() if grid.alarms(cell, grid.plan.tests[0], null) is None]
        if lost:
            found.append(_lost(null, lost, len(cells), grid.tie))
    return found


def _lost(null: str, lost: list[str], total: int, tie: float) -> str:
    """Say in how many categories a null does not hold, and why."""
    why = "a tie would need an outcome never to happen"
    if null == "observed":
        why = f"the systems do not tie within {tie:g}"
    if len(lost) == total:
        return f"no false alarm can be measured under the null {null!r}: it holds nowhere ({why}); use null='swap'"
    few = ", ".join(lost[:3]) + (f" and {len(lost) - 3} more" if len(lost) > 3 else "")
    return f"no false alarms from {len(lost)} of {total} categories under the null {null!r}: {why} ({few})"


def _signature(grid: Grid, settings: Settings, streams: Streams) -> str:
    told = grid.describe()
    parts = {
        "metric": told["metric"], "null": ",".join(told["nulls"]), "sets": told["sets"], "sizes": ",".join(map(str, grid.sizes)),
        "alpha": ",".join(f"{alpha:g}" for alpha in grid.plan.alphas), "alternative": grid.plan.alternative,
        "categories": len(grid.populations), "population": told["population"], "rng": streams.label,
    }  # fmt: skip
    return signature(settings, parts)
