"""Trials of the tests of learning algorithms: the verb audit_algorithms() and what it finds."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from referee.errors import Misfit, refusal
from referee.results.audit import PRECISE, alarm_verdict
from referee.results.base import number
from referee.results.settings import Settings, signature
from referee.results.trials import Row, Trials
from referee.runtime.arguments import fitting
from referee.runtime.parallel import run
from referee.runtime.randomness import Rng, Streams
from referee.runtime.store import open_store
from referee.significance.distributions import check_alpha
from referee.significance.fold_tests import resolve as resolve_test
from referee.studies.algorithms import error_rates
from referee.studies.algorithms.designs import DESIGNS
from referee.studies.algorithms.designs import resolve as resolve_design
from referee.studies.algorithms.error_rates import FEWEST, LEARNERS, ON_HOLDOUT, Trial, match, run_block, tried_on
from referee.studies.auditing.grid import advised, binomial_error, check_sets, is_whole, several

WORLDS = ("tie", "differ")


@fitting
def audit_algorithms(
    *,
    n: int | Sequence[int] = 300,
    learners: str | Sequence[str] = ("centroid", "neighbour"),
    designs: str | Sequence[str] | None = None,
    tests: str | Sequence[str] | None = None,
    sets: int = 1000,
    alpha: float | Sequence[float] = 0.05,
    rng: Rng = 0,
    jobs: int | None = None,
    dask: str | None = None,
    store: str | Path | None = None,
) -> Trials:
    """Measure how often the tests of learning algorithms raise a false alarm, and their power.

    After Dietterich (1998): data sets are drawn from a simulated world, and in each of them two learners are trained and
    tested as the design says. In one world the learners tie, so every rejection is a false alarm; in another the second
    has more informative features, so a rejection is a true detection. Each learner is compared with itself on exchangeable
    halves of the features, an exact tie for every size of the training set; and unlike learners are compared with each
    other, the features of the second being more informative by just as much as makes the two tie at the size that the
    design trains on.

    Args:
        n: how many examples a data set has; one size or several.
        learners: "centroid", "neighbour", "linear", or several of them.
        designs: one or several designs; all if left out.
        tests: one or several tests; all that fit the design if left out.
        sets: how many data sets to draw per world.
        alpha: the significance levels to measure.
        rng: a seed, a SeedSequence, a Generator, or None for a fresh seed.
        jobs: how many processes; neither this nor the cluster changes a number.
        dask: the address of a Dask scheduler.
        store: a file that keeps finished cells, so that an interrupted run can resume.

    Returns:
        Trials.

    >>> r = audit_algorithms(n=100, learners="centroid", designs="resampled", sets=200)
    >>> r.breaking
    (('resampled', 't'),)
    """
    alphas = tuple(check_alpha(one) for one in several(alpha, "alpha"))
    check_sets(sets)
    asked = [str(resolve_design(one)) for one in several(list(DESIGNS) if designs is None else designs, "designs")]
    streams = Streams.of(rng)
    trials = [
        Trial(pair, design, size, chosen, alphas, streams.entropy)
        for size in _sizes(n)
        for pair in _pairs(several(learners, "learners"))
        for design, chosen in _chosen(asked, tests).items()
    ]
    for trial in trials:
        error_rates.check_size(resolve_design(trial.design), trial.n)
    with open_store(store, lambda: {"trials": _digest(trials), "sets": sets}) as kept:
        unlike = {trial.matched: (trial,) for trial in trials if trial.learners[0] != trial.learners[1]}
        shifts = run(match, unlike, jobs=jobs, dask=dask, store=kept, what="making unlike learners tie")
        cells = {
            key: call
            for trial in trials
            for world in _worlds(trial, shifts, sets).values()
            for key, call in world.items()
        }
        values = run(run_block, cells, jobs=jobs, dask=dask, store=kept, what="trying the tests")
    rows = [row for trial in trials for row in _rows(trial, values, sets)]
    keeping, breaking = _sorted_out([row for row in rows if row["alpha"] == advised(alphas)])
    line = _signature(trials, sets, streams)
    return Trials(rows=tuple(rows), alpha=advised(alphas), keeping=keeping, breaking=breaking, signature=line)


def _sizes(given: Any) -> tuple[int, ...]:
    sizes = several(given, "n")
    for size in sizes:
        if not is_whole(size, FEWEST):
            raise refusal("n", f"must be a whole number, {FEWEST} or more", size)
    return sizes


def _pairs(learners: Sequence[str]) -> list[tuple[str, str]]:
    """Return each learner against itself, then all unlike ones."""
    for name in learners:
        LEARNERS[name]
    return [*((one, one) for one in learners), *combinations(learners, 2)]


def _chosen(designs: Sequence[str], tests: Any) -> dict[str, tuple[str, ...]]:
    """Return the tests of each design that has one."""
    if tests is None:
        return {design: tuple(tried_on(design)) for design in designs}
    given = [one if one in ON_HOLDOUT else str(resolve_test(one)) for one in several(tests, "tests")]
    found = {design: tuple(one for one in given if one.split(":")[0] in tried_on(design)) for design in designs}
    for one in given:
        if not any(one in fitting for fitting in found.values()):
            fitting = ", ".join(dict.fromkeys(name for design in designs for name in tried_on(design)))
            unfit = f"the test {one} fits none of the designs {', '.join(designs)}"
            raise Misfit(unfit, argument="tests", value=one, remedy=f"the tests that do: {fitting}")
    return {design: fitting for design, fitting in found.items() if fitting}


def _worlds(trial: Trial, shifts: Mapping[str, Any], sets: int) -> dict[str, dict[str, tuple[Any, ...]]]:
    """Return the cells of a trial in both worlds."""
    shift = shifts[trial.matched]["shift"] if trial.matched in shifts else error_rates.SHIFT
    shifted = zip(WORLDS, (shift, shift + error_rates.STEP), strict=True)
    return {world: trial.cells(world, sets, b) for world, b in shifted}


def _rows(trial: Trial, values: Mapping[str, Any], sets: int) -> Iterator[Row]:
    cells = {world: [values[key] for key in trial.cells(world, sets)] for world in WORLDS}
    design = resolve_design(trial.design)
    (tie, tie_error), (gap, gap_error) = (_mean(cells[world], sets) for world in WORLDS)
    for test in trial.tests:
        for i, alpha in enumerate(trial.alphas):
            alarms, power = (sum(cell["rejected"][test][i] for cell in cells[world]) / sets for world in WORLDS)
            yield {
                "world": "symmetric" if trial.learners[0] == trial.learners[1] else "matched",
                "learners": str(trial),
                "design": trial.design,
                "test": test,
                "n": trial.n,
                "alpha": alpha,
                "false_alarm": alarms,
                "false_alarm_error": binomial_error(alarms, sets),
                "power": power,
                "power_error": binomial_error(power, sets),
                "tie": tie,
                "tie_error": number(tie_error),
                "difference": gap,
                "difference_error": number(gap_error),
                "sets": sets,
                "fits": 2 * math.prod(design.shape),
                "trained": error_rates.trained(design, trial.n),
            }


def _mean(cells: Sequence[Mapping[str, Any]], sets: int) -> tuple[float, float | None]:
    """Return the mean difference b - a over the data sets, and its standard error."""
    mean, squares = (math.fsum(cell[key] for cell in cells) / sets for key in ("sum", "squares"))
    return mean, math.sqrt(max(squares - mean**2, 0.0) / (sets - 1)) if sets > 1 else None


def _sorted_out(rows: Sequence[Row]) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """Return the tests that keep their false alarms everywhere, and those that do not."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row["design"], row["test"]), []).append(row)
    breaking = [key for key, own in found.items() if any(alarm_verdict(row) == "too many" for row in own)]
    sure = [key for key, own in found.items() if all(row["false_alarm_error"] <= PRECISE * row["alpha"] for row in own)]

    def most(column: str, keys: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        return tuple(sorted(keys, key=lambda key: -math.fsum(row[column] for row in found[key])))

    return most("power", [key for key in sure if key not in breaking]), most("false_alarm", breaking)


def _digest(trials: Sequence[Trial]) -> str:
    told = json.dumps([trial.describe() for trial in trials], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _signature(trials: Sequence[Trial], sets: int, streams: Streams) -> str:
    def told(values: Iterator[Any]) -> str:
        return ",".join(dict.fromkeys(str(value) for value in values))

    parts = {
        "designs": told(trial.design for trial in trials),
        "learners": told(name for trial in trials for name in trial.learners),
        "n": told(trial.n for trial in trials),
        "alpha": told(f"{alpha:g}" for trial in trials for alpha in trial.alphas),
        "sets": sets,
        "rng": streams.label,
    }
    return signature(Settings(), parts)
