"""Keller, Bengio and others, Significance tests for bizarre measures in 2-class classification tasks (IDIAP)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from referee import parallel
from referee.auditing.cells import Design, run_cell
from referee.auditing.grid import Grid, binomial_error
from referee.auditing.shipped import CORPORA, shipped
from referee.errors import one_of
from referee.population import Population
from referee.replicate import _documents
from referee.replicate import _judging as rule
from referee.replicate._documents import SIZE, documents
from referee.replicate._panels import spaced
from referee.replicate._tables import share
from referee.results import Replication, Table
from referee.store import Store

PAPER = "Keller, Bengio and others, Significance tests for bizarre measures in 2-class classification tasks"
TABLE = {"X": (0.956, 0.924, "b"), "Y": (0.542, 0.691, "b"), "Z": (0.965, 0.825, "a")}
"""The bootstrap's confidence on the test set, the share among subsets of the truth, and who is ahead."""
TRUTH = 790_900
"""Documents of the paper's truth."""
AHEAD = 0.8
"""A model is ahead where it is above the other in so many subsets of the truth."""
COSTS = {"dcf-proportion": "eq. 8: as if the models erred independently", "dcf-paired": "eq. 9: disagreements only"}
ALPHA = 0.05
LUCK = (
    "the share among subsets is one draw of a random quantity too, and the bootstrap's confidence depends on the test set "
    "at hand"
)


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
    design = Design("dcf", tuple(COSTS), (ALPHA,), plan.sets, ("tilt",), coverage=False, rng=plan.documents.rng)
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
    seen = [Seen.of(name, value, plan.documents.tied) for name, value in found.items()]
    rows = [*(_set_row(one, names) for one in seen), *_summed(seen), *_cost_rows(costs)]
    where = f" (here: {CORPORA.get(corpus, corpus)})" if corpus else ""
    tables = (_confidences(seen, names), _cost_table(costs))
    return Replication(PAPER + where, rows, conclusion=_conclusion(seen), tables=tables, things="findings")


@dataclass(frozen=True)
class Seen:
    """What was found on a set of categories, for the model that its bootstrap favours."""

    name: str
    ahead: str
    confidence: float
    truth: float
    """The share among subsets of the truth."""
    others: tuple[float, ...]
    """The confidences of other test sets in the same model."""
    alarms: float | None
    alarms_error: float | None
    documents: int
    differences: tuple[float, float]
    """On the test set and on the truth, b - a."""

    @classmethod
    def of(cls, name: str, value: Mapping[str, Any], tied: int) -> Seen:
        """Read a cell."""
        b = value["confidence"] >= value["against"]
        alarms = None if value["alarms"] is None else value["alarms"][0]
        return cls(
            name=name,
            ahead="b" if b else "a",
            confidence=value["confidence" if b else "against"],
            truth=value["share" if b else "share_against"],
            others=tuple(one if b else 1 - one for one in value["others"]),
            alarms=alarms,
            alarms_error=None if alarms is None else binomial_error(alarms, tied),
            documents=value["documents"]["truth"],
            differences=(value["difference"]["test"], value["difference"]["truth"]),
        )

    @property
    def mean(self) -> float:
        """The mean confidence of other test sets."""
        return float(np.mean(self.others))

    @property
    def range(self) -> tuple[float, float]:
        """What confidences nine in ten of other test sets give."""
        low, high = np.quantile(self.others, [0.05, 0.95])
        return float(low), float(high)

    @property
    def calibrated(self) -> bool | None:
        """Whether the bootstrap raises no more false alarms than it may, up to chance, where the models tie."""
        if self.alarms is None or self.alarms_error is None:
            return None
        return self.alarms <= ALPHA * (1 + rule.SLACK) + rule.ERRORS * self.alarms_error


def _set_row(one: Seen, names: tuple[str, str]) -> dict[str, Any]:
    paper = TABLE.get(one.name)
    told = "" if paper is None else f"{100 * paper[0]:.1f} % sure of {paper[2]}, {100 * paper[1]:.1f} % of subsets"
    low, high = one.range
    model = names[1] if one.ahead == "b" else names[0]
    ours = f"{share(one.confidence)} % sure of {one.ahead} ({model}), {share(one.truth)} % of subsets"
    note = (
        f"other categories and {one.documents:,} documents of truth, where the paper has {TRUTH:,}, so the numbers are "
        f"not held against each other; {len(one.others)} other test sets of the same size would have been {share(one.mean)} % "
        f"sure on average, nine in ten of them {share(low)} to {share(high)} %; {LUCK}"
    )
    return _row(
        f"table 3, {one.name}: confidence of one bootstrap, share among subsets of the truth", told, ours, None, note
    )


def _summed(seen: list[Seen]) -> list[dict[str, Any]]:
    """Judge what the paper says of its table."""
    ahead = [one for one in seen if one.truth >= AHEAD]
    behind = [one for one in seen if one.truth < AHEAD]
    over = "; ".join(f"{one.name} {share(one.confidence)} against {share(one.truth)} %" for one in seen)
    bias = "; ".join(
        f"{one.name} {share(one.mean)} % on average against {share(one.truth)} % of subsets, false alarms where the "
        f"models tie {share(one.alarms)} % at alpha 5 %"
        for one in seen
    )
    return [
        _row(
            "where one model is ahead, the bootstrap on one test set is over-confident",
            "X and Z: it seems to over-estimate this confidence; over-optimistic as compared to the truth",
            over,
            rule.everywhere([one.confidence > one.truth for one in ahead]),
            f"rule: in every set in which a model is above the other in at least {AHEAD:.0%} of subsets: "
            f"{', '.join(one.name for one in ahead) or 'none, so it cannot be judged'}; {LUCK}",
        ),
        _row(
            "where neither is ahead, it is less confident than the truth",
            "Y: it gives a smaller level of confidence than the estimate over the truth",
            over,
            rule.everywhere([one.confidence < one.truth for one in behind]),
            f"rule: in every other set: {', '.join(one.name for one in behind) or 'none, so it cannot be judged'}; {LUCK}",
        ),
        _row(
            "whether the estimate includes an intrinsic bias",
            "it is important to verify; this will be verified in future experiments",
            bias,
            None,
            "the paper leaves it open; " + _bias(seen),
        ),
    ]


def _bias(seen: list[Seen]) -> str:
    """Say whether the bootstrap is over-confident when one looks at many test sets."""
    lower = [one.name for one in seen if one.mean < one.truth]
    told = [one.calibrated for one in seen if one.calibrated is not None]
    kept = f"false alarms are kept in {sum(told)} of {len(told)} sets" if told else "no tie could be made"
    where = f"below the share among subsets in {', '.join(lower)}" if lower else "nowhere below the share among subsets"
    return f"over many test sets its mean confidence is {where}, and {kept}"


def _conclusion(seen: list[Seen]) -> str:
    wide = "; ".join(f"{one.name}: {share(one.range[0])} to {share(one.range[1])} %" for one in seen)
    outside = [one.name for one in seen if not one.range[0] <= one.confidence <= one.range[1]]
    within = "lies within that range in every set" if not outside else f"lies outside it in {', '.join(outside)}"
    higher = sum(one.mean > one.truth for one in seen)
    verdict = (
        "So no intrinsic over-confidence: one table of one test set cannot tell it from luck."
        if higher <= len(seen) / 2 and all(one.calibrated is not False for one in seen)
        else "So some of it may be intrinsic: "
        + "; ".join(f"{one.name} raises {share(one.alarms)} % false alarms" for one in seen if one.calibrated is False)
        if any(one.calibrated is False for one in seen)
        else "So the mean confidence over test sets is above the share among subsets in most sets."
    )
    return (
        f"The confidence of a bootstrap varies from test set to test set: nine in ten sets of {SIZE:,} documents would have "
        f"given {wide}; that of the test set at hand {within}. Averaged over test sets it is above the share among "
        f"subsets in {higher} of {len(seen)} sets. {verdict}"
    )


def _cost_rows(costs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Judge the two tests of detection costs."""
    points = {test: [_as_point(row) for row in costs if row["test"] == test] for test in COSTS}
    shown = {
        test: ", ".join(f"{share(p['alpha_true'])} % at {p['n']:,}" for p in rows) for test, rows in points.items()
    }
    power = {test: ", ".join(f"{share(p['power'])}" for p in rows) for test, rows in points.items()}
    independent, paired = COSTS
    return [
        _row(
            "detection cost, eq. 8: the proportion test as if models were independent",
            "assuming (wrongly) independence between the two costs",
            f"false alarms {shown[independent]}; power {power[independent]} %",
            rule.higher(points[paired], points[independent], "alpha_true"),
            "rule: what is wrong shows as fewer false alarms than eq. 9 in the mean over sizes; under the null tilt, alpha 5 %",
        ),
        _row(
            "detection cost, eq. 9: only what the models decide differently",
            "for measures such as DCF it is possible to modify classical statistical tests: a correct test",
            f"false alarms {shown[paired]}; power {power[paired]} %",
            rule.everywhere([rule.reaches(points[paired])]),
            "rule: within 30 % of alpha at the largest size; under the null tilt, alpha 5 %",
        ),
    ]


def _as_point(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "n": row["n"],
        "alpha": row["alpha"],
        "alpha_true": row["false_alarm"],
        "error": row["false_alarm_error"],
        "spread": row["spread"],
        "power": row["power"],
    }


def _confidences(seen: list[Seen], names: tuple[str, str]) -> Table:
    rows, body = [], []
    for one in seen:
        low, high = one.range
        paper = TABLE.get(one.name, (None, None, None))
        rows.append(
            {
                "set": one.name,
                "ahead": names[1] if one.ahead == "b" else names[0],
                "confidence": one.confidence,
                "share": one.truth,
                "others_mean": round(one.mean, 5),
                "others_low": round(low, 5),
                "others_high": round(high, 5),
                "tie_false_alarm": one.alarms,
                "difference_test": round(one.differences[0], 6),
                "difference_truth": round(one.differences[1], 6),
                "truth_documents": one.documents,
                "paper_confidence": paper[0],
                "paper_share": paper[1],
                "paper_truth_documents": TRUTH,
            }
        )
        body.append(
            (
                one.name, f"{share(paper[0])} / {share(paper[1])}", f"{share(one.confidence)} / {share(one.truth)}",
                f"{share(one.mean)} ({share(low)} to {share(high)})", share(one.alarms),
            )
        )  # fmt: skip
    head = ("set", "paper: bootstrap / subsets", "ours", "other test sets", "false alarms at a tie")
    return Table("Table 3: the confidence that one model's F1 is above the other's, %", rows, head, body)


def _cost_table(costs: list[dict[str, Any]]) -> Table:
    keys = (
        "test",
        "null",
        "n",
        "alpha",
        "false_alarm",
        "false_alarm_error",
        "spread",
        "power",
        "power_spread",
        "sets",
        "categories",
    )
    rows = [{key: round(row[key], 5) if isinstance(row[key], float) else row[key] for key in keys} for row in costs]
    sizes = sorted({row["n"] for row in costs})
    body = [
        (
            words,
            *(
                f"{share(row['false_alarm'], row['spread'])} {share(row['power'])}"
                for n in sizes
                for row in costs
                if (row["test"], row["n"]) == (test, n)
            ),
        )
        for test, words in COSTS.items()
    ]
    title = "Detection cost (cost_fn 10, cost_fp 1, p_target .01), linear SVM vs MLP, unions of categories near balance, null tilt: false alarms ± spread and power at alpha .05, %"
    return Table(title, rows, ("test", *(f"{n:,}" for n in sizes)), body)


def _row(what: str, paper: str, ours: str, agrees: bool | None, note: str) -> dict[str, Any]:
    return {"what": what, "paper": paper, "ours": ours, "agrees": agrees, "note": note}
