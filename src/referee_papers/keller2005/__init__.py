"""Keller, Bengio and Wong 2005, Benchmarking non-parametric statistical tests (NIPS)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.errors import OptionError, one_of
from referee.results.replication import Replication
from referee.studies.auditing.population import CORPORA
from referee_papers.keller2005 import figures, optimism, panels, statements
from referee_papers.keller2005 import posterior as posteriors
from referee_papers.keller2005.panels import FAST, FULL, Plan, Points, Populations

PAPER = "Keller, Bengio and Wong 2005, Benchmarking non-parametric statistical tests"


def run(
    *,
    corpus: str = "rcv1",
    fast: bool = False,
    sets: int | None = None,
    posterior: bool = False,
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
        posterior: make the comparison that the paper asks for in its conclusion instead: posteriors of F1 beside the
            bootstrap and the score test, on 24 categories of each panel with 100 sets each, if left out.
        charts: a folder for the figures and the tables.
        jobs: how many processes; neither this nor the cluster changes a number.
        dask: the address of a Dask scheduler.
        store: a file that keeps finished cells, so that a run that was stopped goes on.
    """
    one_of("corpus", corpus, CORPORA)
    plan = (posteriors.FAST if fast else posteriors.FULL) if posterior else FAST if fast else FULL
    if sets is not None:
        if isinstance(sets, bool) or not isinstance(sets, int) or sets < 2:
            raise OptionError(f"sets must be a whole number, 2 or more; it is {sets!r}")
        plan = replace(plan, sets=sets)
    if posterior:
        return compare_posteriors(
            panels.read_populations(corpus, plan), plan, corpus, charts=charts, jobs=jobs, dask=dask, store=store
        )
    return replicate(
        panels.read_populations(corpus, plan), plan, corpus, charts=charts, jobs=jobs, dask=dask, store=store
    )


def replicate(
    worlds: Populations, plan: Plan, corpus: str = "", *, charts: str | Path | None = None, **running: Any
) -> Replication:
    """Repeat the panels on these populations."""
    place = None if charts is None else figures.make_folder(charts)
    values = panels.measure(worlds, plan, **running)
    points, loose = panels.gather(worlds, plan, values), panels.gather_within(worlds, plan, values, panels.DF1)
    if place is not None:
        figures.draw(points, loose, place, corpus)
    return judge(points, loose, plan, corpus)


def compare_posteriors(
    worlds: Populations, plan: Plan, corpus: str = "", *, charts: str | Path | None = None, **running: Any
) -> Replication:
    """Compare posteriors with the bootstrap and the score test on these populations."""
    place = None if charts is None else figures.make_folder(charts)
    points, bands = posteriors.gather(worlds, plan, posteriors.measure(worlds, plan, **running))
    if place is not None:
        figures.draw_posteriors(points, bands, place, corpus)
    many = [len(categories) for categories in worlds.values()]
    most = "" if min(many) == max(many) else f" to {max(many)}"
    drawn = f"{min(many)}{most} categories a panel, {plan.sets} test sets of each at {len(plan.sizes)} sizes"
    return posteriors.judge(points, bands, plan, f"{CORPORA.get(corpus, 'made-up data')}, {drawn}", PAPER)


def judge(points: Points, loose: list[dict[str, Any]], plan: Plan, corpus: str = "") -> Replication:
    """Judge the points of all panels."""
    rows, verdicts = [statement.row(points) for statement in statements.STATEMENTS], statements.judge_by_null(points)
    agree, differ, unknown = ([row["agrees"] for row in rows].count(verdict) for verdict in (True, False, None))
    meanings = optimism.add_tolerances(points, loose)
    count = (
        f"Of {len(rows)} findings {agree} agree, {differ} differ and {unknown} cannot be "
        f"judged where H0 is true by construction; the other rows ask what the paper called H0. Findings that hold under "
        f"each null: {statements.say_how_many(verdicts)}. {statements.TIED}"
    )
    totals = [row["categories"] + row["different"] for row in loose]
    sets = f"{plan.sets} test sets of each at {len(plan.sizes)} sizes"
    drawn = f"{min(totals)} to {max(totals)} categories a panel, {sets}"
    where = f"{CORPORA.get(corpus, corpus)}, {drawn}" if corpus else drawn
    rows += [*statements.judge_absences(points), *optimism.judge_meanings(meanings)]
    tables = (statements.tabulate(verdicts), optimism.tabulate_tolerances(meanings, loose), *points.tables())
    conclusion = f"{count} {optimism.conclude(meanings)}"
    return Replication(f"{PAPER} (here: {where})", rows, conclusion=conclusion, tables=tables, things="rows")
