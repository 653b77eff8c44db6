"""The experiment of the wine study: its classifiers, on its own splits and on others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from referee.errors import InputError, OptionError
from referee.results.algorithms import Standings
from referee.results.base import number
from referee.results.comparison import Comparison
from referee.runtime.parallel import run as run_cells
from referee.runtime.randomness import Streams
from referee.runtime.store import open_store
from referee.significance.fold_tests import Layout, resolve
from referee.significance.sign_tests import binomial_p, mid_p
from referee.studies.algorithms.algorithms import compare_algorithms
from referee.studies.algorithms.designs import Design, FiveByTwo, Holdout, Split

NAMES = ("XGB", "LR", "RF", "SVM")
PAIRS = tuple(combinations(NAMES, 2))
TESTS = {"holdout": "mcnemar:variant=midp", "5x2cv": "5x2cv-f"}
"""The test of each design, by name: no default of ours has a say in a paper's numbers."""
DESIGNS = tuple(TESTS)
HELD = 0.2
"""Of 178 wines 36 are tested."""
SPLIT, SEEDS = 42, (5, 13, 20, 42, 68)
"""What the authors' code (github.com/liyu10000/algorithms_testing) seeds its one split with, and its five runs of two."""
TREES = 20
BOOSTS = {"xgboost": "XGBoost", "scikit-learn": "scikit-learn's gradient boosting"}
LAYOUT = Layout("5x2cv", 5, 2, 1.0)

Run = dict[str, Any]
"""One run: the error and the seconds of each classifier under both designs, and what the tests say of each pair."""


@dataclass(frozen=True)
class Plan:
    """How often the experiment is run."""

    forests: int
    """Random forests on the authors' own splits: what they left to chance."""
    seeds: int
    """Other splits, each with everything fitted anew."""


FULL, FAST = Plan(20, 20), Plan(12, 2)


@dataclass(frozen=True, kw_only=True)
class OwnHoldout(Holdout):
    """The authors' own split into 142 and 36."""

    test: float = HELD

    def _run(self, y: Any, group: Any, stratify: bool, seed: int) -> Iterator[Split]:
        return super()._run(y, group, False, SPLIT)


@dataclass(frozen=True, kw_only=True)
class OwnHalves(FiveByTwo):
    """The authors' own ten folds, dealt as scikit-learn dealt them in 2019: later versions deal the same seed otherwise."""

    def splits(self, y: Any, group: Any, stratify: bool, streams: Streams) -> list[Split]:
        """Split every class by one stream of shuffles, the larger half first."""
        return [split for seed in SEEDS for split in _halves(np.asarray(y), seed)]


def _halves(y: Any, seed: int) -> list[Split]:
    shuffling = np.random.RandomState(seed)
    later = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        order = shuffling.permutation(len(members))
        later[members[order[(len(members) + 1) // 2 :]]] = True
    first, second = np.flatnonzero(~later), np.flatnonzero(later)
    return [Split(second, first), Split(first, second)]


def find_boosting() -> str:
    """Return which package boosts trees here."""
    return "xgboost" if find_spec("xgboost") else "scikit-learn"


def make_classifiers(boosts: str, forests: int = 1) -> dict[str, Any]:
    """Return the classifiers of the authors' code, as their packages made them in 2019; forests are numbered.

    Theirs also gives the SVM probabilities, which takes more fits inside and changes no answer.

    Raises:
        OptionError: if scikit-learn is not installed.
    """
    try:
        from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.multiclass import OneVsRestClassifier
        from sklearn.svm import SVC
    except ImportError as error:
        raise OptionError("the wine study needs scikit-learn; install it: pip install 'referee[learn]'") from error
    sizes: dict[str, Any] = {"n_estimators": 100, "max_depth": 3, "learning_rate": 0.1}
    if boosts == "xgboost":
        from xgboost import XGBClassifier

        boosted: Any = XGBClassifier(tree_method="exact", n_jobs=1, **sizes)
    else:
        boosted = GradientBoostingClassifier(**sizes)
    return {
        "XGB": boosted,
        "LR": OneVsRestClassifier(LogisticRegression(solver="liblinear")),
        "SVM": SVC(kernel="linear"),
        **{f"RF {i}": RandomForestClassifier(TREES) for i in range(1, forests + 1)},
    }


def measure(plan: Plan, boosts: str, store: str | Path | None = None, **running: Any) -> tuple[list[Run], list[Run]]:
    """Return the runs on the authors' own splits, one for each forest, and those on other splits.

    Args:
        plan: how often.
        boosts: which package boosts trees.
        store: a file that keeps finished cells.
        running: jobs and dask, as in `referee.parallel.run`.
    """
    own = f"own/{plan.forests}"
    tasks: dict[str, tuple[Any, ...]] = {own: (True, 0, plan.forests, boosts)}
    tasks |= {f"seed/{seed}": (False, seed, 1, boosts) for seed in range(1, plan.seeds + 1)}
    # How many are asked for is no part of the grid: a full run goes on from a fast one.
    with open_store(store, lambda: {"replication": "wine", "boosts": boosts}) as kept:
        cells = run_cells(run_experiment, tasks, store=kept, what="wine: splits", **running)
    return cells[own], [run for key, runs in cells.items() if key != own for run in runs]


def run_experiment(own: bool, seed: int, forests: int, boosts: str) -> list[Run]:
    """Fit all classifiers under both designs; return a run for each forest."""
    from sklearn.datasets import load_wine

    features, truth = load_wine(return_X_y=True)
    models = make_classifiers(boosts, forests)
    designs: dict[str, str | Design] = {"holdout": f"holdout:test={HELD}", "5x2cv": "5x2cv"}
    if own:
        designs = {"holdout": OwnHoldout(), "5x2cv": OwnHalves()}
    settings: dict[str, Any] = {"metric": "error", "adjust": "holm", "rng": seed, "jobs": 1}
    standings = {
        name: compare_algorithms(
            models, features, truth, design=design, test=TESTS[name], stratify=name == "5x2cv", **settings
        )
        for name, design in designs.items()
    }
    if failures := [failure for one in standings.values() for failure in one.failures]:
        failure = failures[0]
        raise InputError(f"{failure.name} could not be fitted on split {failure.split}: {failure.error}")
    return [_run(standings, f"RF {i}") for i in range(1, forests + 1)]


def _run(standings: Mapping[str, Standings], forest: str) -> Run:
    """Return the run with one of the forests."""
    known = {name: forest if name == "RF" else name for name in NAMES}
    pairs = {}
    for a, b in PAIRS:
        compared = standings["holdout"].pair(known[a], known[b]).comparison
        if compared is None:
            raise InputError(f"{a} and {b} were not compared on one test set")
        first, second = (np.array(standings["5x2cv"][known[name]].scores, dtype=np.float64) for name in (a, b))
        pairs[f"{a} vs. {b}"] = count_errors(compared, compared.a.name != known[a]) | _fold_tests(second - first)
    return {
        "error": {name: {design: standings[design][known[name]].score for design in DESIGNS} for name in NAMES},
        "seconds": {name: {design: _seconds(standings[design], known[name]) for design in DESIGNS} for name in NAMES},
        "pairs": pairs,
    }


def count_errors(compared: Comparison, turned: bool) -> dict[str, Any]:
    """Return the errors that only one of the two makes, McNemar's p-values, and what the authors' code counts.

    Args:
        compared: the two on one test set.
        turned: whether the second of the pair is A there.
    """
    if compared.counts is None or compared.discordant is None:
        raise InputError("the comparison keeps no counts")
    step = -1 if turned else 1
    n10, n01 = compared.discordant[::step]
    one, other = (np.asarray(compared.counts[role]).astype(int) for role in "ab"[::step])
    times = compared.counts.multiplicities
    up, down = np.array([float(n01)]), np.array([float(n10)])
    return {
        "n01": n01,
        "n10": n10,
        "corner": [int(times[(one == x) & (other == 1 - x)].sum()) for x in (0, 1)],
        "exact_p": float(binomial_p(up, down, "two-sided")[0]),
        "mid_p": float(mid_p(up, down, "two-sided")[0]),
    }


def _fold_tests(differences: Any) -> dict[str, Any]:
    """Return the 5x2cv statistics; None where the folds do not tell."""
    t, f = (resolve(test).evaluate(differences, LAYOUT) for test in ("5x2cv-t", "5x2cv-f"))
    return {"t": number(float(t.statistic)), "t_p": number(float(t.p)), "f_p": number(float(f.p))}


def _seconds(standings: Standings, name: str) -> float:
    one = standings[name]
    return standings.splits * ((one.fit_seconds or 0.0) + (one.predict_seconds or 0.0))


def chi_square(n01: int, n10: int) -> float:
    """Return McNemar's χ² as the paper prints it; a division by 0 gives ∞, as it does in numpy.

    >>> chi_square(1, 0), chi_square(0, 0), chi_square(5, 5)
    (0.0, inf, 0.1)
    """
    over = float((abs(n01 - n10) - 1) ** 2)
    return over / (n01 + n10) if n01 + n10 else np.inf
