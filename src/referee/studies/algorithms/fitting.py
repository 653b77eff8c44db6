"""Fitting: which algorithms are fitted on which splits of which data, and each fit, timed and scored."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any
from zlib import crc32

import numpy as np

from referee.data.columns import Ints, aligned, plain
from referee.errors import Argument, InputError, Message, Misfit, OptionError, RefereeError, not_installed
from referee.metrics.metric_names import SCIKIT
from referee.runtime.parallel import cores, fingerprint
from referee.runtime.randomness import Rng, Streams
from referee.studies.algorithms.designs import STANDARD, Design, Split
from referee.studies.algorithms.designs import resolve as resolve_design
from referee.studies.algorithms.estimators import algorithms_of
from referee.studies.algorithms.scoring import Scoring, as_truth
from referee.studies.algorithms.scoring import resolve as resolve_scoring
from referee.studies.algorithms.splitters import design_of_splits, draw, is_splits, is_splitter, spelt

SPLITTING, SEEDING, TESTING = 0, 1, 2
"""The children of the streams: for the splits, for what models leave to chance, and for tests that draw."""
CODED = ("xgboost",)
"""Packages whose classifiers take no labels but 0, 1, 2 ...: labels are translated for them, and back."""
LONGEST, SHORTER = 300, 120
"""How much of the text of an error is kept, and of a warning."""
_controllers: dict[int, Any] = {}


@dataclass(frozen=True)
class Cost:
    """What a comparison of algorithms costs."""

    fits: int
    seconds: float
    """From the first fit to the last."""
    jobs: int
    failed: tuple[str, ...] = ()
    """The algorithms whose first fit failed, with the error."""

    def __str__(self) -> str:
        where = f"{self.jobs} process{'' if self.jobs == 1 else 'es'}"
        cost = f"{self.fits:,} fits, about {duration(self.seconds)} on {where}"
        return "; ".join([cost, *(f"the first fit failed: {failure}" for failure in self.failed)])

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers."""
        return {**asdict(self), "failed": list(self.failed)}


def duration(seconds: float) -> str:
    """Write a rough duration.

    >>> duration(0.4), duration(75), duration(500), duration(9000)
    ('1 s', '75 s', '8 min', '2.5 h')
    """
    if seconds < 120:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


@dataclass(frozen=True, eq=False)
class FitPlan:
    """What is fitted on what; checked before anything is fitted."""

    models: dict[str, Any]
    features: Any
    truth: Any
    group: Any
    design: Design
    splits: list[Split]
    scoring: Scoring
    stratified: bool
    streams: Streams
    splitter: str | None = None
    """What made the splits, where it was not the design."""
    notes: tuple[str, ...] = ()
    """What was done to the data on the way, in sentences."""

    @classmethod
    def of(
        cls, algorithms: Any, features: Any, y: Any, *, design: Any = STANDARD, metric: Any = None, group: Any = None,
        stratify: bool | None = None, positive: Any = None, rng: Rng = 0,
    ) -> FitPlan:  # fmt: skip
        """Check what was asked, and split the examples; the arguments are those of `compare_algorithms`."""
        _check_installed()
        models = algorithms_of(algorithms)
        ready = is_splitter(design) or is_splits(design)
        chosen = None if ready else resolve_design(design)
        columns, notes = _same_rows({"X": features, "y": y} | ({} if group is None else {"group": group}))
        truth = np.asarray(columns["y"])
        scoring = _scoring(metric, truth, positive, models)
        if scoring.metric is not None and scoring.classes:
            truth = as_truth(truth, classes=True)
        if stratify and not scoring.classes:
            numbers = Argument("stratify", bare=True), " needs classes, and these are numbers"
            raise OptionError(*numbers, value=stratify, remedy="leave it out")
        stratified = scoring.classes if stratify is None else bool(stratify)
        streams = Streams.of(rng)
        if chosen is None and stratify is not None:
            remedy = Message("leave ", Argument("stratify", bare=True), " out")
            raise OptionError("the splits are made already", argument="stratify", value=stratify, remedy=remedy)
        if chosen is not None:
            splits = chosen.splits(truth, columns.get("group"), stratified, streams.child(SPLITTING))
        else:
            splits = draw(design, truth, columns.get("group"), streams.child(SPLITTING))
            chosen = resolve_design(design_of_splits(splits).spelled())
            stratified = "Stratified" in type(design).__name__
        if chosen.kind == "once" and scoring.metric is None:
            scoring = _by_predictions(scoring, truth, positive)
            truth = as_truth(truth, classes=True)
        groups = None if group is None else np.asarray(columns["group"])
        splitter = spelt(design) if ready else None
        return cls(models, columns["X"], truth, groups, chosen, splits, scoring, stratified, streams, splitter, notes)

    @property
    def common(self) -> tuple[Any, ...]:
        """The first arguments of all fits."""
        return self.features, self.truth, self.scoring, self.design.kind == "once"

    @property
    def groups(self) -> int:
        """How many groups there are; 0 where examples stand alone."""
        return 0 if self.group is None else len(np.unique(self.group))

    def tasks(self, places: Iterable[int]) -> dict[str, tuple[Any, ...]]:
        """Return the further arguments of the fits on some splits, by their keys."""
        seeds = {name: self.streams.child(SEEDING, crc32(name.encode())) for name in self.models}
        return {
            key(name, place): (model, self.splits[place], int(seeds[name].at(place).integers(2**31)))
            for place in places
            for name, model in self.models.items()
        }

    def describe(self) -> dict[str, Any]:
        """Return what tells one set of fits from another, for a store; how they are tested later is no part of it."""
        return {
            "algorithms": list(self.models), "models": fingerprint(self.models), "design": str(self.design),
            "splits": fingerprint([(split.train, split.test) for split in self.splits]),
            "metric": self.scoring.name, "positive": repr(self.scoring.positive), "stratified": self.stratified,
            "rng": str(self.streams.entropy), "data": fingerprint(self.features, self.truth, self.group),
        }  # fmt: skip

    def cost(self, first: Mapping[str, Any], jobs: int | None) -> Cost:
        """Estimate the cost of all fits from those on the first split."""
        own = {name: first[key(name, 0)] for name in self.models}
        fits = len(self.models) * len(self.splits)
        used = min(fits, jobs or cores())
        failed = tuple(f"{name}: {cell['error']}" for name, cell in own.items() if cell["error"])
        return Cost(fits, sum(map(seconds, own.values())) * len(self.splits) / used, used, failed)


def key(name: str, place: int) -> str:
    """Return the key of a fit."""
    return f"{name}/{place + 1}"


def seconds(cell: Mapping[str, Any]) -> float:
    """Return what a fit and its predictions took; 0 where it failed."""
    return float((cell["fit_seconds"] or 0.0) + (cell["predict_seconds"] or 0.0))


def _check_installed() -> None:
    try:
        import sklearn  # noqa: F401 - to see whether it is there
    except ImportError as error:
        raise not_installed("comparing algorithms needs scikit-learn", install="'referee[learn]'") from error


def _asked(question: Callable[[Any], bool], model: Any) -> bool | None:
    """Ask scikit-learn of what kind a model is; None of one that is not of its family."""
    try:
        return bool(question(model))
    except (AttributeError, TypeError):
        return None


def _check_classifiers(models: Mapping[str, Any]) -> None:
    """Refuse models that do not learn classes, where y is made of them and all others do."""
    from sklearn.base import is_clusterer, is_regressor

    clusterers = [name for name, model in models.items() if _asked(is_clusterer, model)]
    odd = [name for name, model in models.items() if name in clusterers or _asked(is_regressor, model)]
    if odd and (len(odd) < len(models) or odd[0] in clusterers):
        kind = "clusterer" if odd[0] in clusterers else "regressor"
        mixed = f"{odd[0]} is a {kind}, and y is made of classes"
        raise Misfit(mixed, argument="algorithms", value=odd[0], remedy="give a classifier")


def _classifies(model: Any) -> bool:
    """Say whether a model is a classifier; one that is silent about its kind is told by what it can do."""
    from sklearn.base import is_classifier

    kind = _asked(is_classifier, model)
    return kind if kind is not None else hasattr(model, "predict_proba") or hasattr(model, "decision_function")


def _same_rows(given: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return features, truth and groups with their rows in one order, and what was done to them, in sentences.

    Raises:
        InputError: if they have no rows, or not the same number.
    """
    if getattr(given["X"], "format", None) in ("coo", "dia", "bsr") and hasattr(given["X"], "tocsr"):
        # Of these sparse forms no rows can be taken.
        given["X"] = given["X"].tocsr()
    rows = {what: length(values, what) for what, values in given.items()}
    if len(set(rows.values())) > 1:
        shown = ", ".join(f"{what} has {count:,}" for what, count in rows.items())
        raise InputError(f"all of them need one row per example: {shown}")
    if not rows["y"]:
        raise InputError("there are no examples")
    return aligned(given)


def _scoring(metric: Any, truth: Any, positive: Any, models: Mapping[str, Any]) -> Scoring:
    """Find what is meant by a metric, for these models."""
    scoring = resolve_scoring(metric, truth, positive)
    if scoring.metric is None and positive is not None:
        out = Message("leave ", Argument("positive", bare=True), " out")
        own = f"the scorer {scoring.name} has its own positive label"
        raise OptionError(own, argument="positive", value=positive, remedy=out)
    if scoring.classes:
        _check_classifiers(models)
    if scoring.metric is not None:
        return scoring
    return replace(scoring, classes=scoring.classes and any(map(_classifies, models.values())))


def _by_predictions(scoring: Scoring, truth: Any, positive: Any) -> Scoring:
    """Return the metric that a scorer is known to be, since a holdout is tested on predictions."""
    if scoring.name not in SCIKIT:
        hidden = f"a holdout is tested on its predictions, which the scorer {scoring.name} doesn't reveal"
        raise Misfit(hidden, argument="metric", remedy="use a metric of referee, or a design with several splits")
    return resolve_scoring(SCIKIT[scoring.name], truth, positive)


def take(values: Any, rows: Ints) -> Any:
    """Return some rows of an array, a sparse matrix, a dataframe or a list.

    >>> take(["a", "b", "c"], np.array([0, 2]))
    ['a', 'c']
    """
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "shape"):
        return values[rows]
    return [values[row] for row in rows.tolist()]


def length(values: Any, what: str) -> int:
    """Return how many rows there are.

    Raises:
        InputError: if there are none to count.
    """
    try:
        return int((getattr(values, "shape", ()) or (len(values),))[0])
    except TypeError:
        raise InputError(f"{what} must have one row per example; it is {type(values).__name__}") from None


def fit_split(
    features: Any, truth: Any, scoring: Scoring, keep: bool, model: Any, split: Split, seed: int
) -> dict[str, Any]:
    """Fit a fresh copy of a model on the training examples of a split, and score it on the others.

    Libraries compute with one thread each, so that numbers do not depend on how many processes there are.

    Args:
        features: of all examples.
        truth: of all examples.
        scoring: how the model is scored.
        keep: whether its predictions are kept.
        model: an estimator, which is left as it is.
        split: the examples to train on and to test.
        seed: what the model's own randomness is seeded with, where the user left that open.

    Returns:
        The score, the seconds of fit and prediction, the predictions, and what went wrong or was warned of.
    """
    from sklearn.base import clone

    cell: dict[str, Any] = {"score": None, "fit_seconds": None, "predict_seconds": None, "error": None}
    with warnings.catch_warnings(record=True) as heard, _one_thread():
        warnings.simplefilter("always")
        try:
            fresh = seeded(clone(model), seed)
            levels = _levels(fresh, truth, scoring)
            answers = truth if levels is None else np.searchsorted(levels, truth)
            start = time.perf_counter()
            fresh.fit(take(features, split.train), take(answers, split.train))
            fitted, tested = time.perf_counter(), take(features, split.test)
            if scoring.metric is None:
                score, predicted = scoring.ask(fresh, tested, take(answers, split.test)), None
            else:
                predicted = scoring.predict(fresh, tested, levels)
            done = time.perf_counter()
            if predicted is not None:
                if len(predicted) != len(split.test):
                    raise InputError(f"the model predicts {len(predicted)} values for {len(split.test)} examples")
                score = scoring.score(as_truth(take(truth, split.test), scoring.classes), predicted)
            cell |= {"score": score, "fit_seconds": fitted - start, "predict_seconds": done - fitted}
            if keep and predicted is not None:
                cell["predictions"] = [plain(value) for value in np.asarray(predicted).tolist()]
        except (Exception, SystemExit) as error:
            # Whatever a stranger's model raises, the other fits go on.
            text = str(error) if isinstance(error, RefereeError) else f"{type(error).__name__}: {error}"
            cell["error"] = " ".join(text.split())[:LONGEST]
    cell["warned"] = " ".join(str(heard[0].message).split())[:SHORTER] if heard else None
    return cell


def _one_thread() -> Any:
    """Hold libraries to one thread; which there are is looked up again only when modules have been imported."""
    from threadpoolctl import ThreadpoolController

    modules = len(sys.modules)
    if modules not in _controllers:
        _controllers.clear()
        _controllers[modules] = ThreadpoolController()
    return _controllers[modules].limit(limits=1)


def _levels(model: Any, truth: Any, scoring: Scoring) -> Any:
    """Return the labels in order where the model takes only their places, else None."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    coded = type(last).__module__.partition(".")[0] in CODED and hasattr(last, "predict_proba")
    if not scoring.classes or not coded:
        return None
    levels = np.unique(np.asarray(truth))
    return None if np.array_equal(levels, np.arange(len(levels))) else levels


def seeded(model: Any, seed: int) -> Any:
    """Seed what a model leaves to chance: every random_state that is None, also of its parts.

    A seed that the user gave stays.
    """
    parameters = model.get_params(deep=True)
    open_ones = [key for key in sorted(parameters) if key.split("__")[-1] == "random_state" and parameters[key] is None]
    if open_ones:
        model.set_params(**{key: (seed + place) % 2**31 for place, key in enumerate(open_ones)})
    return model
