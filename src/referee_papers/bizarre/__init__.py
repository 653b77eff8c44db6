"""Keller, Bengio and others, Significance tests for bizarre measures in 2-class classification tasks (IDIAP)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from referee.errors import one_of
from referee.results.replication import Replication
from referee.runtime import parallel
from referee.runtime.store import open_store
from referee.studies.auditing.grid import AuditPlan, Grid, run_cell
from referee.studies.auditing.population import CORPORA, Population
from referee_papers.bizarre import confidence, whole_documents
from referee_papers.bizarre.confidence import ALPHA, CategorySet
from referee_papers.bizarre.whole_documents import Plan as Drawing
from referee_papers.keller2005.panels import sample

PAPER = "Keller, Bengio and others, Significance tests for bizarre measures in 2-class classification tasks"


@dataclass(frozen=True)
class Plan:
    """How much is run."""

    documents: Drawing = whole_documents.FULL
    sizes: tuple[int, ...] = (100, 500, 2000, 6000)
    sets: int = 500
    categories: int | None = 25
    """So many unions of categories, evenly spaced."""


FULL = Plan()
FAST = Plan(whole_documents.FAST, sets=100, categories=8)


def run(
    *,
    corpus: str = "rcv1",
    fast: bool = False,
    jobs: int | None = None,
    dask: str | None = None,
    store: str | Path | None = None,
) -> Replication:
    """Repeat table 3, and see how the two adapted tests of detection costs behave.

    Args:
        corpus: "rcv1", the paper's own, or "wordnet".
        fast: fewer test sets.
        jobs: how many processes; neither this nor the cluster changes a number.
        dask: the address of a Dask scheduler.
        store: a file that keeps finished cells, so that a run that was stopped goes on.
    """
    one_of("corpus", corpus, CORPORA)
    plan = FAST if fast else FULL
    worlds = sample(f"{corpus}-linear-mlp-balanced", plan.categories)
    return replicate(whole_documents.read(corpus), worlds, plan, corpus, jobs=jobs, dask=dask, store=store)


def replicate(
    shipped: Mapping[str, Any],
    worlds: Mapping[str | None, Population],
    plan: Plan,
    corpus: str = "",
    *,
    store: str | Path | None = None,
    **running: Any,
) -> Replication:
    """Repeat table 3 on these documents, and the tests of detection costs on these populations."""
    sets, tests = shipped["sets"], tuple(confidence.COSTS)
    design = AuditPlan("dcf", tests, (ALPHA,), plan.sets, ("tilt",), coverage=False, rng=plan.documents.rng)
    grid = Grid(design, worlds, plan.sizes, name="dcf")
    tasks: dict[str, tuple[Any, ...]] = {
        f"documents/{name}": ("documents", part, name, plan.documents) for name, part in sets.items()
    }
    tasks |= {key: ("cost", *task) for key, task in grid.tasks().items()}
    digest = hashlib.sha256(json.dumps(sets, sort_keys=True).encode()).hexdigest()[:16]
    about = {"replication": "bizarre", "documents": digest, **asdict(plan.documents), "dcf": grid.describe()}
    with open_store(store, lambda: about) as kept:
        values = parallel.run(measure_cell, tasks, store=kept, what="replicating", **running)
    measured = {name: values[f"documents/{name}"] for name in sets}
    return judge(measured, grid.rows(values), plan, corpus, (str(shipped["a"]), str(shipped["b"])))


def measure_cell(kind: str, *arguments: Any) -> dict[str, Any]:
    """Run a cell: a set of categories, or a population at a size."""
    return whole_documents.measure_cell(*arguments) if kind == "documents" else run_cell(*arguments)


def judge(
    measured: Mapping[str, Mapping[str, Any]],
    costs: list[dict[str, Any]],
    plan: Plan,
    corpus: str = "",
    names: tuple[str, str] = ("a", "b"),
) -> Replication:
    """Hold what was measured against the paper."""
    sets = [CategorySet(name, value, plan.documents.tied, names) for name, value in measured.items()]
    where = f" (here: {CORPORA.get(corpus, corpus)})" if corpus else ""
    return Replication(
        PAPER + where,
        [*map(confidence.judge_set, sets), *confidence.judge_table(sets), *confidence.judge_costs(costs)],
        conclusion=confidence.conclude(sets),
        tables=(confidence.tabulate(sets), confidence.tabulate_costs(costs)),
        things="findings",
    )
