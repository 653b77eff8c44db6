"""Learning algorithms: all six pairs of the four wine classifiers by 5x2cv, on two cores.

The peer is called once per pair and fits both classifiers again each time: 120 fits, one after the other. Its libraries are
limited to one thread, which is faster for it here than two. referee fits every classifier once per split, 40 fits, and
starts processes when that pays; their start and imports are part of its time: they are shut down before every round. Fits
are counted by the same wrapper for both. The classifiers are those of the wine study, as their packages make them today,
with 5,000 steps for logistic regression, with which it converges, and with its default of 100, with which it does not; and
as the packages made them in 2019. In the last two, all 40 fits take a second or two: too little to start a process, so a
third of the fits is all there is to gain.
"""

import warnings
from collections.abc import Iterator
from itertools import combinations
from typing import Any, ClassVar

from joblib.externals.loky import get_reusable_executor
from mlxtend.evaluate import paired_ttest_5x2cv
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_wine
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import referee
from benchmarks.measure import race
from benchmarks.rows import Row

try:
    from xgboost import XGBClassifier
except ImportError:
    XGBClassifier = None

X, Y = load_wine(return_X_y=True)


def referee_pairs(models: dict[str, Any], jobs: int | None = None) -> Any:
    get_reusable_executor().shutdown(wait=True)
    return referee.compare_algorithms(models, X, Y, design="5x2cv", test="5x2cv-t", jobs=jobs)


def mlxtend_pairs(models: dict[str, Any]) -> Any:
    with threadpool_limits(1):
        return [paired_ttest_5x2cv(models[a], models[b], X, Y, random_seed=0) for a, b in combinations(models, 2)]


TIMED = (referee_pairs, mlxtend_pairs)


def of_2019() -> dict[str, Any]:
    trees: dict[str, Any] = {"n_estimators": 100, "max_depth": 3, "learning_rate": 0.1}
    return {
        "XGB": XGBClassifier(tree_method="exact", n_jobs=1, **trees)
        if XGBClassifier
        else GradientBoostingClassifier(**trees),
        "LR": OneVsRestClassifier(LogisticRegression(solver="liblinear")),
        "RF": RandomForestClassifier(20),
        "SVM": SVC(kernel="linear"),
    }


def of_today(steps: int = 100) -> dict[str, Any]:
    return {
        "XGB": XGBClassifier(n_jobs=1) if XGBClassifier else GradientBoostingClassifier(),
        "LR": LogisticRegression(max_iter=steps),
        "RF": RandomForestClassifier(),
        "SVM": SVC(kernel="linear"),
    }


class Counted(ClassifierMixin, BaseEstimator):
    """A classifier that counts how often it and its copies are fitted."""

    fits: ClassVar[int] = 0

    def __init__(self, model: Any = None) -> None:
        self.model = model

    def fit(self, features: Any, y: Any) -> Any:
        type(self).fits += 1
        self.model_ = clone(self.model).fit(features, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, features: Any) -> Any:
        return self.model_.predict(features)


def counted() -> dict[str, int]:
    """Count the fits of both; which model is fitted does not matter to the count."""
    models = {f"bayes {i}": Counted(GaussianNB(var_smoothing=10.0**-i)) for i in range(1, 5)}
    found = {}
    for name, function in (
        ("referee", lambda: referee_pairs(models, jobs=1)),
        ("mlxtend", lambda: mlxtend_pairs(models)),
    ):
        Counted.fits = 0
        function()
        found[name] = Counted.fits
    return found


def run(quick: bool) -> Iterator[Row]:
    # On unscaled wines logistic regression stops before it has converged, and says so at every fit.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from rows(quick)


def rows(quick: bool) -> Iterator[Row]:
    fits = counted()
    boosts = "XGBoost" if XGBClassifier else "scikit-learn's gradient boosting in place of XGBoost"
    peer = "mlxtend.evaluate.paired_ttest_5x2cv"
    yield Row(
        what="fits for six pairs, four algorithms",
        ours=fits["referee"],
        unit=" fits",
        peer=peer,
        theirs=fits["mlxtend"],
        factor=3,
        note="counted in one process",
    )
    kinds = {
        # On unscaled wines logistic regression needs so many steps to converge.
        "as made today, converged": (of_today(5000), 3),
        "as made today": (of_today(), 3),
        "as made in 2019": (of_2019(), None),
    }
    for kind, (models, factor) in kinds.items():
        timed = race(
            {"ours": lambda m=models: referee_pairs(m), peer: lambda m=models: mlxtend_pairs(m)}, 1 if quick else 3
        )
        ours = timed["ours"]
        yield Row(
            what=f"six pairs of the wine classifiers, {kind}",
            ours=ours.seconds,
            peer=peer,
            theirs=timed[peer].seconds,
            factor=factor,
            note=f"{boosts}; fits and predictions of referee {ours.answer.seconds:.2f} s in all",
        )
