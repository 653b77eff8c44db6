"""The wine study: Statistical testing for comparing machine learning algorithms (McNemar and 5x2cv)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from referee.results.replication import Replication
from referee_papers.wine import paper_tables as tables
from referee_papers.wine.runs import BOOSTS, FAST, FULL, Plan, Run, find_boosting, measure

PAPER = "Statistical testing for comparing machine learning algorithms (the wine study)"


def run(
    *, fast: bool = False, jobs: int | None = None, dask: str | None = None, store: str | Path | None = None
) -> Replication:
    """Repeat tables 4, 5 and 6 on the authors' own splits, and see on others what of them is luck.

    Args:
        fast: few forests and other splits: seconds in place of a minute or two.
        jobs: how many processes; neither this nor the cluster changes a number but the seconds.
        dask: the address of a Dask scheduler.
        store: a file that keeps finished splits, so that a run that was stopped goes on.
    """
    return replicate(FAST if fast else FULL, jobs=jobs, dask=dask, store=store)


def replicate(plan: Plan, **running: Any) -> Replication:
    """Repeat the tables with so many forests and other splits."""
    boosts = find_boosting()
    own, others = measure(plan, boosts, **running)
    return judge(own, others, boosts)


def judge(own: list[Run], others: list[Run], boosts: str) -> Replication:
    """Judge the paper's numbers by the runs on its own splits, and its findings by those on others too."""
    errors, table4 = tables.compare_errors(own, others, boosts)
    marks, table5 = tables.compare_marks(own, others)
    halves, table5_halves = tables.compare_halves(own, others)
    costs, table6 = tables.compare_costs(others)
    rows = [*errors, *marks, *halves, tables.judge_code(own), *tables.judge_findings(own, others), *costs]
    paper = PAPER if boosts == "xgboost" else f"{PAPER}; here with {BOOSTS[boosts]} in place of XGBoost"
    conclusion = tables.conclude(rows, own, others, boosts)
    return Replication(paper, rows, conclusion=conclusion, tables=(table4, table5, table5_halves, table6))
