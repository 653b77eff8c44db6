"""The wine study: Statistical testing for comparing machine learning algorithms (McNemar and 5x2cv)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from referee.replicate._wine_runs import BOOSTS, DESIGNS, FAST, FULL, NAMES, PAIRS, Plan, Run, boosting, measure
from referee.replicate._wine_tables import (
    ALPHA,
    ERRORS,
    MARKS,
    SECONDS,
    errors,
    marked,
    rejections,
    seconds,
    tables,
    typical,
    within,
)
from referee.report.numbers import p_value
from referee.results.replication import Replication
from referee.significance.multiplicity import adjust

PAPER = "Statistical testing for comparing machine learning algorithms (the wine study)"
Row = dict[str, Any]
ENOUGH = 10
"""Fewer splits do not tell how stable an error is."""
OWN = (
    "ours is on the authors' own splits, by the seeds in their public code and the defaults of their packages in 2019; "
    "it agrees when it rounds to the paper's"
)
CHANCE = (
    "the paper does not seed its forest: it agrees when the paper's number lies in our range over {forests} forests"
)
ABSENT = "xgboost is not installed, and {boosts} stands in for it: pip install 'referee[boost]'"
CODE = (
    "the authors' code hands McNemar's test the table of the two classifiers' answers, 3 x 3, in place of right and "
    "wrong; of that the test reads the cells of classes 1 and 2, and where they are empty 1/0 = ∞ is beyond 3.841"
)
NOTHING = (
    "no wine is decided differently: the printed formula is 1/0, and ∞ became a rejection. Nothing differs, so p = 1"
)
ONE = (
    "one error against none of 36 cannot be significant: it is one toss of a coin, exact p 1, mid-p .5, and the printed "
    "formula gives (|1 - 0| - 1)²/1 = 0. To reject takes five such errors and none of the other's (six by the exact p)"
)
TWO_SIDED = "the paper's t > t.05 would be one-sided; two-sided, only |t| >= 2.571 counts, which is what its code asks"
FOREST = (
    "whether t rejects hangs on the forest, which the paper does not seed: it agrees when any of ours gives its mark. "
    "The combined F test, which uses all ten folds, is in the table below"
)
MACHINES = "seconds are of two machines; it agrees when 5x2cv is the dearer in both"
BEST = "best is whom no other beats. By the paper's own marks that holds of XGB and LR as well as of RF: only SVM is beaten"


def run(
    *,
    fast: bool = False,
    jobs: int | None = None,
    dask: str | None = None,
    store: str | Path | None = None,
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
    boosts = boosting()
    own, others = measure(plan, boosts, **running)
    return judged(own, others, boosts)


def judged(own: list[Run], others: list[Run], boosts: str) -> Replication:
    """Judge the paper's numbers by the runs on its own splits, and its findings by those on others too."""
    rows = [*_table4(own, boosts), *_table5(own), _code(own), *_findings(own, others), *_table6(others)]
    told = PAPER if boosts == "xgboost" else f"{PAPER}; here with {BOOSTS[boosts]} in place of XGBoost"
    return Replication(told, rows, conclusion=_conclusion(rows, own, others, boosts), tables=tables(own, others))


def _row(what: str, paper: Any, ours: Any, agrees: bool | None, note: str = "") -> Row:
    return {"what": what, "paper": paper, "ours": ours, "agrees": agrees, "note": note}


def _table4(own: list[Run], boosts: str) -> list[Row]:
    rows = []
    for name in NAMES:
        for design, paper in zip(DESIGNS, ERRORS[name], strict=True):
            values = errors(own, name, design)
            agrees = round(min(values), 3) <= paper <= round(max(values), 3)
            note = CHANCE.format(forests=len(own)) if name == "RF" else OWN
            if name == "XGB" and boosts != "xgboost":
                note = ABSENT.format(boosts=BOOSTS[boosts])
            ours = within(values) if name == "RF" else round(values[0], 4)
            rows.append(_row(f"table 4: error of {name}, {design}", paper, ours, agrees, note))
    return rows


def _table5(own: list[Run]) -> list[Row]:
    rows = []
    for pair, (paper, _) in MARKS.items():
        one = typical(own)["pairs"][pair]
        mark = one["mid_p"] <= ALPHA
        ours = f"{mark}: mid-p {p_value(one['mid_p'])}, exact {p_value(one['exact_p'])} ({one['n01']} : {one['n10']})"
        rows.append(_row(f"table 5: {pair}, McNemar", str(paper), ours, mark == paper, _why(one, mark == paper)))
    for pair, (_, paper) in MARKS.items():
        rejected = rejections(own, pair, "t_p")
        sizes = within([abs(run["pairs"][pair]["t"] or 0.0) for run in own], 2)
        seeded = "RF" not in pair
        agrees = rejected > 0 if paper else rejected < len(own)
        ours = f"{rejected > 0}: |t| {sizes}" if seeded else f"True with {rejected} of {len(own)} forests: |t| {sizes}"
        note = TWO_SIDED if seeded else FOREST
        rows.append(_row(f"table 5: {pair}, 5x2cv t", str(paper), ours, agrees, note))
    return rows


def _why(one: Row, agrees: bool) -> str:
    """Say why a mark of McNemar's test cannot be."""
    if agrees:
        return ""
    if one["n01"] + one["n10"] == 0:
        return NOTHING
    return ONE if one["n01"] + one["n10"] == 1 else CODE


def _code(own: list[Run]) -> Row:
    """Compare the six marks of McNemar's test with what the authors' code gives."""
    pairs = typical(own)["pairs"]
    paper, ours = [marks[0] for marks in MARKS.values()], [marked(pairs[pair]["corner"]) for pair in MARKS]
    told = "table 5: all six marks of McNemar, by the authors' code"
    return _row(told, ", ".join(map(str, paper)), ", ".join(map(str, ours)), ours == paper, CODE)


def _findings(own: list[Run], others: list[Run]) -> list[Row]:
    order, paper = _order(own), sorted(NAMES, key=lambda name: ERRORS[name][1])
    first = sum(_order([run])[0] == "RF" for run in others)
    same = sum(_order([run]) == paper for run in others)
    elsewhere = f"on {len(others)} other splits RF is first {first} times, and the whole order is this {same} times"
    alone = sum(_unbeaten(run) == {"RF"} for run in own)
    everybody = sum(_unbeaten(run) == set(NAMES) for run in own)
    ours = f"RF alone with {alone} of {len(own)} forests, all four with {everybody}"
    return [
        _row("order of the errors by 5x2cv, best first", " ".join(paper), " ".join(order), order == paper, elsewhere),
        _row("the best by 5x2cv, adjusted for six pairs", "RF", ours, alone > 0, BEST),
        _steady(others),
    ]


def _order(runs: list[Run]) -> list[str]:
    return sorted(NAMES, key=lambda name: float(np.mean(errors(runs, name, "5x2cv"))))


def _unbeaten(run: Run) -> set[str]:
    """Return those that no other is significantly better than, by the 5x2cv t test with Holm's adjustment."""
    found = [run["pairs"][" vs. ".join(pair)]["t_p"] for pair in PAIRS]
    adjusted = adjust([np.nan if p is None else p for p in found], "holm")
    beaten = {
        max(pair, key=lambda name: run["error"][name]["5x2cv"])
        for pair, p in zip(PAIRS, adjusted.tolist(), strict=True)
        if p <= ALPHA
    }
    return set(NAMES) - beaten


def _steady(others: list[Run]) -> Row:
    spread = [[float(np.std(errors(others, name, design))) for name in NAMES] for design in DESIGNS]
    ours = " against ".join(f"{min(values):.3f} to {max(values):.3f}" for values in reversed(spread))
    steadier = all(ten < one for one, ten in zip(*spread, strict=True)) if len(others) >= ENOUGH else None
    note = f"standard deviations of the four errors over {len(others)} other splits: 5x2cv against a holdout"
    return _row("errors are more stable under 5x2cv", "yes", ours, steadier, note)


def _table6(others: list[Run]) -> list[Row]:
    rows = []
    for pair in PAIRS:
        name = " vs. ".join(pair)
        one, ten = (seconds(others, pair, design) for design in DESIGNS)
        paper = f"{SECONDS[name][0]:.2f} and {SECONDS[name][1]:.2f} s"
        rows.append(_row(f"table 6: {name}", paper, f"{one:.2f} and {ten:.2f} s", ten > one, MACHINES))
    return rows


def _conclusion(rows: list[Row], own: list[Run], others: list[Run], boosts: str) -> str:
    def hold(part: str) -> bool | None:
        found = [row["agrees"] for row in rows if part in row["what"]]
        return None if None in found else all(found)

    apart = [name for name in NAMES if not hold(f"error of {name},")]
    pairs = typical(own)["pairs"]
    rejected = sum(pairs[pair]["mid_p"] <= ALPHA for pair in MARKS)
    t, f = (rejections(own, "RF vs. SVM", key) for key in ("t_p", "f_p"))
    everybody = sum(_unbeaten(run) == set(NAMES) for run in own)
    first = sum(_order([run])[0] == "RF" for run in others)
    said = [
        f"The table of errors {'holds' if not apart else 'holds but for ' + ', '.join(apart)}: the authors' own splits "
        f"give the paper's numbers, and only its forest was left to chance.",
        f"McNemar's three rejections do not hold: errors counted, {rejected or 'none'} of the six pairs "
        f"{'is' if rejected < 2 else 'are'} significant. RF and SVM, with no error on either side, have p = 1, and one "
        f"error against none has mid-p .5. The authors' code counts answers in place of errors and takes 1/0 for ∞, "
        f"which {'gives all six' if hold('all six marks') else 'does not give all'} of the paper's marks.",
        f"That 5x2cv tells RF from SVM is luck of the forest: {t} of {len(own)} forests reject by t, {f} by the combined "
        f"F test, and adjusted for six pairs nobody is beaten with {everybody} of {len(own)}.",
        f"That RF has the lowest error holds on {first} of {len(others)} other splits; that it alone is the best does "
        f"not follow from the paper's own marks.",
        f"That a holdout is cheaper than 5x2cv {_held(hold('table 6'))}, and that it is less stable "
        f"{_held(hold('more stable'))}.",
    ]
    if boosts != "xgboost":
        said.append(f"Mind that {ABSENT.format(boosts=BOOSTS[boosts])}.")
    return " ".join(said)


def _held(holds: bool | None) -> str:
    if holds is None:
        return "cannot be told from so few splits"
    return "holds" if holds else "does not hold here"
