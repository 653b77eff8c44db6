"""Trials of the tests of learning algorithms: the verb audit_algorithms() and what it finds."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from referee.errors import Misfit, OptionError
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
from referee.studies.algorithms.designs import DESIGNS
from referee.studies.algorithms.designs import resolve as resolve_design
from referee.studies.algorithms.error_rates import (
    BLOCK,
    FEWEST,
    LEARNERS,
    ON_HOLDOUT,
    SHIFT,
    STEP,
    Trial,
    TwoViews,
    check_size,
    match,
    run_block,
    trained,
    tried_on,
)
from referee.studies.auditing.grid import advised, binomial_error, check_sets, several

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
    """Say how often the tests of learning algorithms raise a false alarm, and how much they see.

    After Dietterich (1998): data sets are drawn from a simulated world, and in each of them two learners are trained and
    tested as the design says. In one world the learners tie, and every rejection is a false alarm; in another the second
    sees more, and a rejection is a difference that was found. Each learner is set against itself on exchangeable halves
    of the features, an exact tie at every size of the training set; and unlike learners against each other, with the
    second one's features made so much more telling that the two tie at the size that the design trains on.

    Args:
        n: how many examples a data set has; one size or several.
        learners: "centroid", "neighbour", "linear", or several of them.
        designs: one or several designs; all if left out.
        tests: one or several tests; all that fit the design if left out.
        sets: how many data sets are drawn of each world.
        alpha: the false-alarm rates that are asked for.
        rng: a seed, a SeedSequence, a Generator, or None for a fresh seed.
        jobs: how many processes; neither this nor the cluster changes a number.
        dask: the address of a Dask scheduler.
        store: a file that keeps finished cells, so that a run that was stopped goes on.

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
        check_size(resolve_design(trial.design), trial.n)
    with open_store(store, lambda: {"trials": _digest(trials), "sets": sets}) as kept:
        unlike = {_matched(trial): (trial,) for trial in trials if trial.learners[0] != trial.learners[1]}
        shifts = run(match, unlike, jobs=jobs, dask=dask, store=kept, what="making unlike learners tie")
        cells = {key: call for trial in trials for key, call in _cells(trial, shifts, sets)}
        values = run(run_block, cells, jobs=jobs, dask=dask, store=kept, what="trying the tests")
    rows = [row for trial in trials for row in _rows(trial, values, sets)]
    asked_alpha = advised(alphas)
    keeping, breaking = _sorted_out([row for row in rows if row["alpha"] == asked_alpha])
    return Trials(
        rows=tuple(rows), alpha=asked_alpha, keeping=keeping, breaking=breaking, signature=_signature(trials, sets, streams)
    )  # fmt: skip


def _sizes(given: Any) -> tuple[int, ...]:
    sizes = several(given, "n")
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, int) or size < FEWEST:
            raise OptionError(f"n must be a whole number, {FEWEST} or more; it is {size!r}")
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
            raise Misfit(f"the test {one} fits none of the designs {', '.join(designs)}; the tests that do: {fitting}")
    return {design: fitting for design, fitting in found.items() if fitting}


def _label(trial: Trial) -> str:
    return " against ".join(trial.learners)


def _matched(trial: Trial) -> str:
    """Return the name of the calibration of a trial: designs that train on as much share it."""
    return f"match/{_label(trial)}/{trial.n}/{trained(resolve_design(trial.design), trial.n):g}"


def _key(trial: Trial, world: str, block: int) -> str:
    return f"{_label(trial)}/{trial.n}/{trial.design}/{world}/{block}"


def _cells(trial: Trial, shifts: Mapping[str, Any], sets: int) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the cells of a trial: both worlds, in blocks of data sets."""
    shift = shifts[_matched(trial)]["shift"] if _matched(trial) in shifts else SHIFT
    for world, b in zip(WORLDS, (shift, shift + STEP), strict=True):
        for block in range(math.ceil(sets / BLOCK)):
            yield _key(trial, world, block), (trial, TwoViews(b=b), block, min(BLOCK, sets - block * BLOCK))


def _rows(trial: Trial, values: Mapping[str, Any], sets: int) -> Iterator[Row]:
    cells = {world: [values[_key(trial, world, i)] for i in range(math.ceil(sets / BLOCK))] for world in WORLDS}
    design = resolve_design(trial.design)
    gaps = {world: _mean(found, sets) for world, found in cells.items()}
    for test in trial.tests:
        for i, alpha in enumerate(trial.alphas):
            share = {w: sum(cell["rejected"][test][i] for cell in found) / sets for w, found in cells.items()}
            yield {
                "world": "symmetric" if trial.learners[0] == trial.learners[1] else "matched",
                "learners": _label(trial),
                "design": trial.design,
                "test": test,
                "n": trial.n,
                "alpha": alpha,
                "false_alarm": share["tie"],
                "false_alarm_error": binomial_error(share["tie"], sets),
                "power": share["differ"],
                "power_error": binomial_error(share["differ"], sets),
                "tie": gaps["tie"][0],
                "tie_error": number(gaps["tie"][1]),
                "difference": gaps["differ"][0],
                "difference_error": number(gaps["differ"][1]),
                "sets": sets,
                "fits": 2 * math.prod(design.shape),
                "trained": trained(design, trial.n),
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
    enough = {
        key: all(row["false_alarm_error"] <= PRECISE * row["alpha"] for row in mine) for key, mine in found.items()
    }
    kept = {
        key: None if not enough[key] and all(map(_keeps, mine)) else all(map(_keeps, mine))
        for key, mine in found.items()
    }

    def most(column: str, which: bool) -> tuple[tuple[str, str], ...]:
        mine = [key for key in found if kept[key] is which]
        return tuple(sorted(mine, key=lambda key: -math.fsum(row[column] for row in found[key])))

    return most("power", True), most("false_alarm", False)


def _keeps(row: Row) -> bool:
    return alarm_verdict(row) != "too many"


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
