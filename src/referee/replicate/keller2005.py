"""Keller, Bengio and Wong 2005, Benchmarking non-parametric statistical tests (NIPS)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.errors import OptionError, one_of
from referee.replicate import _claim
from referee.replicate._figures import draw, folder
from referee.replicate._findings import TIED, absences, by_null, counted, findings, verdicts
from referee.replicate._panels import DF1, FAST, FULL, Plan, Populations, measure, populations
from referee.replicate._tables import Points, gather, within
from referee.results.replication import Replication
from referee.studies.auditing.shipped import CORPORA

PAPER = "Keller, Bengio and Wong 2005, Benchmarking non-parametric statistical tests"


def run(
    *,
    corpus: str = "rcv1",
    fast: bool = False,
    sets: int | None = None,
    charts: str | Path | None = None,
    jobs: int | None = None,
    dask: str | None = None,
    store: str | Path | None = None,
) -> Replication:
    """Repeat the eight panels of figures 1 and 2, and judge what the paper says of them.

    Args:
        corpus: "rcv1", the paper's own, or "wordnet".
        fast: few sizes, categories and sets: a minute in place of an hour.
        sets: test sets of each category and size; 500 as in the paper, 100 with `fast`, if left out.
        charts: a folder for the figures and the tables.
        jobs: how many processes; neither this nor the cluster changes a number.
        dask: the address of a Dask scheduler.
        store: a file that keeps finished cells, so that a run that was stopped goes on.
    """
    one_of("corpus", corpus, CORPORA)
    plan = FAST if fast else FULL
    if sets is not None:
        if isinstance(sets, bool) or not isinstance(sets, int) or sets < 2:
            raise OptionError(f"sets must be a whole number, 2 or more; it is {sets!r}")
        plan = replace(plan, sets=sets)
    return replicate(populations(corpus, plan), plan, corpus, charts=charts, jobs=jobs, dask=dask, store=store)


def replicate(
    worlds: Populations, plan: Plan, corpus: str = "", *, charts: str | Path | None = None, **running: Any
) -> Replication:
    """Repeat the panels on these populations."""
    place = None if charts is None else folder(charts)
    values = measure(worlds, plan, **running)
    points, loose = gather(worlds, plan, values), within(worlds, plan, values, DF1)
    made = judged(points, loose, plan, corpus)
    if place is not None:
        draw(points, loose, place, corpus)
    return made


def judged(points: Points, loose: list[dict[str, Any]], plan: Plan, corpus: str = "") -> Replication:
    """Judge the points of all panels."""
    found, each = findings(points), verdicts(points)
    rows = [*found, *absences(points), *_claim.rows(points, loose)]
    told = [row["agrees"] for row in found]
    count = (
        f"Of {len(told)} findings {told.count(True)} agree, {told.count(False)} differ and {told.count(None)} cannot be "
        f"judged where H0 is true by construction; the other rows ask what the paper called H0. Findings that hold under "
        f"each null: {counted(each)}. {TIED}"
    )
    totals = [row["categories"] + row["different"] for row in loose]
    drawn = (
        f"{min(totals)} to {max(totals)} categories a panel, {plan.sets} test sets of each at {len(plan.sizes)} sizes"
    )
    where = f" (here: {CORPORA.get(corpus, corpus)}, {drawn})" if corpus else f" (here: {drawn})"
    return Replication(
        PAPER + where,
        rows,
        conclusion=f"{count} {_claim.conclusion(points, loose)}",
        tables=(by_null(each), _claim.sweep(loose), *points.tables()),
        things="rows",
    )
