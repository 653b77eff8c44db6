"""The verbs compare_algorithms() and compare_scores(): which learning algorithm is better, when the training set varies too."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from referee.data.engines.files import called_files
from referee.errors import InputError
from referee.metrics.base import Metric
from referee.metrics.decorator import info_of
from referee.results.algorithms import Algorithm, Failure, Pair, Standings
from referee.results.settings import Settings, signature
from referee.runtime.arguments import fitting
from referee.runtime.parallel import run
from referee.runtime.randomness import Rng
from referee.runtime.store import open_store
from referee.significance import Test
from referee.significance.fold_tests import FoldTest
from referee.studies.algorithms.designs import DESIGNS, STANDARD, Design, FiveByTwo
from referee.studies.algorithms.fitting import TESTING, Cost, FitPlan, fit_split, key, seconds, take
from referee.studies.algorithms.folds import Folds, folds_of
from referee.studies.algorithms.pairs import Judging, best_of, compare_folds, doubted, pairs_of, ranks_of
from referee.studies.algorithms.scoring import as_truth, direction, reach_of
from referee.studies.comparison import compare_counts
from referee.studies.margins import Margin
from referee.studies.prepare import odd_labels

FEW = 20
"""Below so many groups answers are shaky."""
QUICK = 6.0
"""Seconds of fitting that are done before processes for them have started."""
Cells = Mapping[str, list[dict[str, Any]]]
"""What every fit gave, by algorithm and split."""


@fitting
def compare_algorithms(
    algorithms: Mapping[str, Any] | Sequence[tuple[str, Any]],
    X: Any,  # noqa: N803 - the name that estimators know
    y: Any,
    *,
    design: str | Design | Any = STANDARD,
    metric: str | Metric | Any = None,
    test: str | FoldTest | Test | None = None,
    group: Any = None,
    stratify: bool | None = None,
    positive: Any = None,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    margin: float | str | None = None,
    adjust: str = "holm",
    rng: Rng = 0,
    jobs: int | None = None,
    dask: str | None = None,
    store: str | Path | None = None,
) -> Standings:
    """Test which learning algorithm is better when the training set varies too.

    Every algorithm is fitted once per split, and its scores serve all the pairs that it is in.

    Args:
        algorithms: estimators by name, with scikit-learn's interface: pipelines, searches, xgboost, lightgbm.
        X: the features, one row per example: an array, a sparse matrix, a dataframe, or a list of texts.
        y: the truth, one class or number per example.
        design: the name of a design, which `referee list designs` lists, with options as in "kfold:folds=5"; or a
            scikit-learn splitter, or a list of splits (train, test), which are used as they are.
        metric: one of referee's metrics, or a scikit-learn scorer or its name; by default accuracy.
        test: by default that of the design; for a holdout, any test of `compare`.
        group: examples of one group are never split between training and test.
        stratify: whether splits keep the proportions of the classes; by default, if y holds classes.
        positive: the positive label, if the metric needs one.
        alternative: "two-sided", "greater" (b - a > 0) or "less", for every pair.
        alpha: the significance level: the false-alarm rate that you accept.
        margin: differences smaller than this don't matter: a number in the metric's unit, or "1pp".
        adjust: how p-values are adjusted for the number of pairs.
        rng: a seed, a SeedSequence, a Generator, or None for a fresh seed; it also seeds models that have no seed of their own.
        jobs: how many processes; neither this nor the cluster changes a score.
        dask: the address of a Dask scheduler.
        store: a file that keeps finished fits, so that an interrupted run can resume.

    Returns:
        Standings: scores and costs, all pairs, and those that no other beats significantly.

    Raises:
        RefereeError: if the question or the data cannot be understood. A fit that fails raises nothing: the result names
            its split and its error, and keeps the others.

    >>> from sklearn.datasets import load_wine
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_wine(return_X_y=True)
    >>> r = compare_algorithms({"bayes": GaussianNB(), "most": DummyClassifier()}, X, y)
    >>> r.best, r.fits
    (('bayes',), 60)
    """
    plan = FitPlan.of(
        algorithms, X, y, design=design, metric=metric, group=group, stratify=stratify, positive=positive, rng=rng
    )
    scoring, layout = plan.scoring, plan.design.layout(plan.splits)
    judging = Judging.of(
        layout, scoring.name, scoring.metric.reach if scoring.metric else None, scoring.higher_is_better,
        test=test, alternative=alternative, alpha=alpha, margin=margin, adjust=adjust,
    )  # fmt: skip
    values, _ = _fit(plan, len(plan.splits), jobs, dask, store)
    cells = {name: [values[key(name, place)] for place in range(len(plan.splits))] for name in plan.models}
    failures = tuple(
        Failure(name=name, split=place, error=cell["error"])
        for name, own in cells.items()
        for place, cell in enumerate(own, 1)
        if cell["error"]
    )
    if len(failures) == len(values):
        raise InputError(f"every fit failed; the first said: {failures[0].error}")
    folds = Folds(
        scores={name: [cell["score"] for cell in own] for name, own in cells.items()}, layout=layout, design=str(plan.design),
        n_train=float(np.mean([len(split.train) for split in plan.splits])),
        n_test=float(np.mean([len(split.test) for split in plan.splits])),
        seconds={name: cost for name, own in cells.items() if (cost := _costs(own)) is not None},
        warnings=(*plan.notes, *_heard(cells), *_neighbours(plan), *_few_groups(plan)),
    )  # fmt: skip
    about = {
        "splitter": plan.splitter, "positive": scoring.positive, "stratified": str(plan.stratified).lower(),
        "groups": plan.groups or None, "rng": plan.streams.entropy,
    }  # fmt: skip
    standings = _standings(
        folds, judging, scoring.name, len(plan.truth),
        _on_one_set(plan, judging, cells) if plan.design.kind == "once" else None, about,
        {name: " ".join(str(model).split()) for name, model in plan.models.items()},
    )  # fmt: skip
    return replace(standings, fits=len(values), failures=failures, seconds=sum(map(seconds, values.values())))


@fitting
def estimate(
    algorithms: Mapping[str, Any] | Sequence[tuple[str, Any]],
    X: Any,  # noqa: N803 - the name that estimators know
    y: Any,
    *,
    jobs: int | None = None,
    dask: str | None = None,
    store: str | Path | None = None,
    **options: Any,
) -> Cost:
    """Say what a comparison of algorithms will cost, from one fit of each.

    Args:
        algorithms: as in `compare_algorithms`.
        X: as in `compare_algorithms`.
        y: as in `compare_algorithms`.
        jobs: how many processes the comparison will have.
        dask: the address of a Dask scheduler.
        store: a file that keeps these fits for the comparison itself.
        options: what else `compare_algorithms` is told of the data and the design.
    """
    return _fit(FitPlan.of(algorithms, X, y, **options), 1, jobs, dask, store)[1]


def _fit(
    plan: FitPlan, splits: int, jobs: int | None, dask: str | None, store: str | Path | None
) -> tuple[dict[str, Any], Cost]:
    """Fit on the first splits, after the very first of which it is known what the others will cost."""
    with open_store(store, plan.describe) as kept:
        where: dict[str, Any] = {"jobs": jobs, "dask": dask, "store": kept, "common": plan.common}
        values = run(fit_split, plan.tasks([0]), what="first fits", **where)
        cost = plan.cost(values, jobs)
        if jobs is None and dask is None and cost.seconds * cost.jobs < QUICK:
            where["jobs"] = 1
        if splits > 1:
            values |= run(fit_split, plan.tasks(range(1, splits)), what=f"fitting ({cost})", **where)
    return values, cost


@fitting
def compare_scores(
    scores: Any,
    *,
    design: str | Design | Any = None,
    test: str | FoldTest | None = None,
    n_train: Any = None,
    n_test: Any = None,
    metric: str = "score",
    lower_is_better: bool | None = None,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    margin: float | str | None = None,
    adjust: str = "holm",
) -> Standings:
    """Compare algorithms by fold scores that you already have.

    Args:
        scores: a path or a dataframe (one row per split, one column per algorithm, with n_train and n_test, maybe run and
            fold), a mapping of names to scores or to what `cross_validate` returned, or a search or its `cv_results_`.
        design: how the splits were made: a design as in `compare_algorithms`, scikit-learn's `cv` object, or the splits
            themselves. If left out, it is inferred from what comes with the scores (splits, sizes, runs); 20 bare scores or
            fewer are taken for one k-fold, which the result says, and more are an error that asks for the design.
        test: by default that of the design.
        n_train: how many examples a split trains on, if the scores do not say: a number, or one per split.
        n_test: how many examples a split tests.
        metric: what the scores are; which scorer, if there are several.
        lower_is_better: whether a lower score is better; by default as the metric says, otherwise not; an unknown metric
            that is called a loss or an error needs an answer.
        alternative: as in `compare_algorithms`.
        alpha: as in `compare_algorithms`.
        margin: as in `compare_algorithms`.
        adjust: as in `compare_algorithms`.

    >>> d = [.02, .01, .03, 0, .02, .01, .02, .03, .01, .02]
    >>> r = compare_scores({"old": [0.8] * 10, "new": [0.8 + x for x in d]}, design="kfold")
    >>> round(r.pairs[0].p_value, 6), r.best
    (0.003619, ('new',))
    """
    folds = folds_of(scores, design=design, n_train=n_train, n_test=n_test, metric=metric)
    better, reach = direction(metric, lower_is_better, folds.scores), reach_of(metric, folds.scores)
    judged = partial(
        Judging.of, metric=metric, reach=reach, higher_is_better=better, test=test, alternative=alternative, alpha=alpha,
        margin=margin, adjust=adjust,
    )  # fmt: skip
    n = None if folds.n_train is None or folds.n_test is None else round(folds.n_train + folds.n_test)
    folds = replace(folds, warnings=(*folds.warnings, *doubted(folds, judged)))
    made = _standings(folds, judged(folds.layout), metric, n)
    return replace(made, settings=replace(made.settings or Settings(), files=called_files([scores])))


def _on_one_set(plan: FitPlan, judging: Judging, cells: Cells) -> tuple[list[Pair], list[str]]:
    """Compare all pairs on the one test set of a holdout, by what the models predict."""
    scoring, rows = plan.scoring, plan.splits[0].test
    if scoring.metric is None or isinstance(judging.test, FoldTest):
        raise InputError("a holdout is tested on its predictions")
    truth = as_truth(take(plan.truth, rows), scoring.classes)
    group = None if plan.group is None else plan.group[rows]
    predicted = {name: own[0].get("predictions") for name, own in cells.items()}
    margin = Margin.of(judging.margin, judging.alpha)
    comparisons = []
    for place, (a, b) in enumerate(combinations(cells, 2)):
        if predicted[a] is None or predicted[b] is None:
            continue
        counts = scoring.counts(truth, np.array(predicted[a]), np.array(predicted[b]), group, (a, b))
        streams = plan.streams.child(TESTING, place)
        one = compare_counts(counts, scoring.metric, judging.test, judging.alternative, judging.alpha, margin, streams)
        comparisons.append(replace(one, warnings=(*odd_labels(counts, scoring.metric), *one.warnings)))
    return pairs_of(comparisons, judging.adjust)


def _costs(own: Sequence[Mapping[str, Any]]) -> tuple[float, float] | None:
    """Return the mean seconds of fit and prediction over the splits that did not fail."""
    done = [(cell["fit_seconds"], cell["predict_seconds"]) for cell in own if not cell["error"]]
    return tuple(np.mean(done, axis=0).tolist()) if done else None


def _heard(cells: Cells) -> list[str]:
    """Say what the fits warned of, once for each algorithm."""
    warned = {name: [cell["warned"] for cell in own if cell["warned"]] for name, own in cells.items()}
    told = "{}: {} of {} fits warned; the first: {}"
    return [told.format(name, len(own), len(cells[name]), own[0]) for name, own in warned.items() if own]


def _few_groups(plan: FitPlan) -> list[str]:
    """Warn where groups are so few that splits are much alike."""
    if not 0 < plan.groups < FEW:
        return []
    return [
        f"there are only {plan.groups} groups, so the splits are much alike; results from fewer than {FEW} are unreliable"
    ]


def _neighbours(plan: FitPlan) -> list[str]:
    """Warn of learners that answer by single examples, whose two folds of a run agree more than the test allows for."""
    neighbours = [name for name, model in plan.models.items() if "Neighbors" in str(model)]
    if not isinstance(plan.design, FiveByTwo) or not neighbours:
        return []
    return [
        f"with nearest neighbours ({', '.join(neighbours)}) the 5x2cv tests raised twice as many false alarms as alpha allows; "
        f"resampled:number=10 costs the same and did not"
    ]


def _standings(
    folds: Folds,
    judging: Judging,
    metric: str,
    n: int | None,
    given: tuple[list[Pair], list[str]] | None = None,
    about: Mapping[str, Any] = MappingProxyType({}),
    models: Mapping[str, str] = MappingProxyType({}),
) -> Standings:
    """Test the pairs, unless they come tested, and put the algorithms into order.

    Args:
        folds: the scores.
        judging: how pairs are judged.
        metric: what the scores are called.
        n: how many examples there are, if that is known.
        given: the pairs that come tested, and what is to be said of them.
        about: what else the signature tells.
        models: what was fitted, as it prints itself.
    """
    if given is None and isinstance(judging.test, FoldTest):
        given = compare_folds(folds, judging, judging.test)
    pairs, warned = given or ([], [])
    sign = -1.0 if judging.higher_is_better else 1.0
    algorithms = sorted(
        (_algorithm(name, folds, models.get(name, "")) for name in folds.scores),
        key=lambda algorithm: math.inf if algorithm.score is None else sign * algorithm.score,
    )
    complete = [algorithm.name for algorithm in algorithms if None not in algorithm.scores]
    ranks = ranks_of(complete, pairs, len(algorithms))
    algorithms = [
        replace(one, rank_low=ranks[one.name][0], rank_high=ranks[one.name][1]) if one.name in ranks else one
        for one in algorithms
    ]
    test = str(judging.test or ", ".join(dict.fromkeys(pair.test for pair in pairs)))
    reasons = dict.fromkeys(pair.comparison.reason for pair in pairs if pair.comparison is not None)
    settings = Settings(seed=about.get("rng"))
    parts = {
        "design": folds.design, "metric": metric, "test": test, "alternative": judging.alternative,
        "alpha": f"{judging.alpha:g}", "margin": None if judging.margin is None else f"{judging.margin:g}",
        "adjust": judging.adjust, "splits": folds.layout.splits, "ratio": f"{folds.layout.ratio:.4g}", "n": n, **about,
    }  # fmt: skip
    return Standings(
        design=folds.design, metric=metric, higher_is_better=judging.higher_is_better, test=test, fits=0, n=n,
        reason=judging.reason or "; ".join(reasons), alternative=judging.alternative, alpha=judging.alpha,
        margin=judging.margin, adjust=judging.adjust, splits=folds.layout.splits, n_train=folds.n_train, n_test=folds.n_test,
        algorithms=tuple(algorithms), pairs=tuple(pairs), best=best_of(complete, pairs), settings=settings,
        warnings=tuple(dict.fromkeys([*_incomplete(folds), *folds.warnings, *warned])), signature=signature(settings, parts),
        test_info=judging.test.info() if judging.test else None, metric_info=info_of(metric),
        procedure=DESIGNS[folds.layout.design].procedure,
    )  # fmt: skip


def _algorithm(name: str, folds: Folds, model: str) -> Algorithm:
    known = [score for score in folds.scores[name] if score is not None]
    fit, predict = folds.seconds.get(name, (None, None))
    # Scores that are equal on paper differ by rounding: that is no spread.
    spread = float(np.std(known, ddof=1)) if len(known) > 1 else None
    if spread is not None and spread <= 1e-12 * np.abs(known).max():
        spread = 0.0
    return Algorithm(
        name=name, score=float(np.mean(known)) if known else None, spread=spread, scores=tuple(folds.scores[name]),
        fit_seconds=fit, predict_seconds=predict, model=model,
    )  # fmt: skip


def _incomplete(folds: Folds) -> list[str]:
    """Say which algorithms lack scores, and what that means."""
    return [
        f"{name} has no score on {lacking} of {len(scores)} splits, so its pairs are not tested and it cannot be best"
        for name, scores in folds.scores.items()
        if (lacking := scores.count(None))
    ]
