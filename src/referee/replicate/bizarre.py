"""Keller, Bengio and others, Significance tests for bizarre measures in 2-class classification tasks (IDIAP)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from referee.errors import one_of
from referee.replicate import _confidence, _costs, _documents
from referee.replicate._documents import documents
from referee.replicate._panels import spaced
from referee.results.replication import Replication
from referee.runtime import parallel
from referee.runtime.store import Store
from referee.studies.auditing.cells import Design, run_cell
from referee.studies.auditing.grid import Grid
from referee.studies.auditing.population import Population
from referee.studies.auditing.shipped import CORPORA, shipped

PAPER = "Keller, Bengio and others, Significance tests for bizarre measures in 2-class classification tasks"
ALPHA = 0.05


@dataclass(frozen=True)
class Plan:
    """How much is run."""

    documents: _documents.Plan = field(default_factory=_documents.Plan)
    sizes: tuple[int, ...] = (100, 500, 2000, 6000)
    sets: int = 500
    categories: int | None = 25
    """So many unions of categories, evenly spaced."""


FULL = Plan()
FAST = Plan(_documents.FAST, sets=100, categories=8)


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
    parts = list(shipped(f"{corpus}-linear-mlp-balanced").slices())
    kept = [parts[i] for i in spaced(len(parts), plan.categories)]
    worlds: dict[str | None, Population] = {str(name): Population.of(part) for name, part in kept}
    return replicate(documents(corpus), worlds, plan, corpus, jobs=jobs, dask=dask, store=store)


def replicate(
    given: Mapping[str, Any],
    worlds: Mapping[str | None, Population],
    plan: Plan,
    corpus: str = "",
    *,
    jobs: int | None = None,
    dask: str | None = None,
    store: str | Path | None = None,
) -> Replication:
    """Repeat table 3 on these documents, and the tests of detection costs on these populations."""
    design = Design("dcf", tuple(_costs.COSTS), (ALPHA,), plan.sets, ("tilt",), coverage=False, rng=plan.documents.rng)
    grid = Grid(design, worlds, plan.sizes, name="dcf")
    tasks: dict[str, tuple[Any, ...]] = {
        f"documents/{name}": ("documents", part, name, plan.documents) for name, part in given["sets"].items()
    }
    tasks |= {key: ("cost", *task) for key, task in grid.tasks().items()}
    digest = hashlib.sha256(json.dumps(given["sets"], sort_keys=True).encode()).hexdigest()[:16]
    told = {"replication": "bizarre", "documents": digest, **asdict(plan.documents), "dcf": grid.describe()}
    with Store(store, told) if store is not None else nullcontext() as kept:
        values = parallel.run(cell, tasks, jobs=jobs, dask=dask, store=kept, what="replicating")
    found = {name: values[f"documents/{name}"] for name in given["sets"]}
    return judged(found, grid.rows(values), plan, corpus, (str(given["a"]), str(given["b"])))


def cell(kind: str, *arguments: Any) -> dict[str, Any]:
    """Run a cell: a set of categories, or a population at a size."""
    return _documents.cell(*arguments) if kind == "documents" else run_cell(*arguments)


def judged(
    found: Mapping[str, Mapping[str, Any]],
    costs: list[dict[str, Any]],
    plan: Plan,
    corpus: str = "",
    names: tuple[str, str] = ("a", "b"),
) -> Replication:
    """Hold what was measured against the paper."""
    seen = [_confidence.Seen.of(name, value, plan.documents.tied) for name, value in found.items()]
    rows = [*(_confidence.of_set(one, names) for one in seen), *_confidence.of_table(seen), *_costs.rows(costs)]
    where = f" (here: {CORPORA.get(corpus, corpus)})" if corpus else ""
    tables = (_confidence.table(seen, names), _costs.table(costs))
    return Replication(PAPER + where, rows, conclusion=_confidence.conclusion(seen), tables=tables, things="findings")
