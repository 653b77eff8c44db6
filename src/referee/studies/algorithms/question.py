"""Question: which algorithms are fitted on which splits of which data; checked before anything is fitted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import numpy as np

from referee.data.columns import aligned
from referee.errors import InputError, Misfit, OptionError
from referee.metrics.scorer_names import SCIKIT
from referee.runtime.parallel import cores, fingerprint
from referee.runtime.randomness import Rng, Streams
from referee.studies.algorithms.designs import STANDARD, Design, Split
from referee.studies.algorithms.designs import resolve as resolve_design
from referee.studies.algorithms.fitting import algorithms_of, length
from referee.studies.algorithms.scoring import Scoring, as_truth
from referee.studies.algorithms.scoring import resolve as resolve_scoring
from referee.studies.algorithms.splitters import draw, is_splits, is_splitter, plan_of_splits, spelt

SPLITTING, SEEDING, TESTING = 0, 1, 2
"""The children of the streams: for the splits, for what models leave to chance, and for tests that draw."""


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
        told = (
            f"{self.fits:,} fits, about {duration(self.seconds)} on {self.jobs} process{'' if self.jobs == 1 else 'es'}"
        )
        return "; ".join([told, *(f"the first fit failed: {one}" for one in self.failed)])

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers."""
        return {"fits": self.fits, "seconds": self.seconds, "jobs": self.jobs, "failed": list(self.failed)}


def duration(seconds: float) -> str:
    """Write a rough duration.

    >>> duration(0.4), duration(75), duration(500), duration(9000)
    ('1 s', '75 s', '8 min', '2.5 h')
    """
    if seconds < 120:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


@dataclass(frozen=True, eq=False)
class Question:
    """What is fitted on what."""

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
        cls,
        algorithms: Any,
        features: Any,
        y: Any,
        *,
        design: Any = STANDARD,
        metric: Any = None,
        group: Any = None,
        stratify: bool | None = None,
        positive: Any = None,
        rng: Rng = 0,
    ) -> Question:
        """Check what was asked, and split the examples; the arguments are those of `compare_algorithms`."""
        _check_installed()
        models = algorithms_of(algorithms)
        own = is_splitter(design) or is_splits(design)
        if not own:
            design = resolve_design(design)
        given = {"X": features, "y": y} | ({} if group is None else {"group": group})
        if getattr(features, "format", None) in ("coo", "dia", "bsr") and hasattr(features, "tocsr"):
            # Of these sparse forms no rows can be taken.
            features = given["X"] = features.tocsr()
        rows = {what: length(values, what) for what, values in given.items()}
        if len(set(rows.values())) > 1:
            shown = ", ".join(f"{what} has {count:,}" for what, count in rows.items())
            raise InputError(f"there must be a row for each example in all of them: {shown}")
        if not rows["y"]:
            raise InputError("there are no examples")
        given, notes = aligned(given)
        features, group, truth = given["X"], given.get("group"), np.asarray(given["y"])
        scoring = resolve_scoring(metric, truth, positive)
        if scoring.metric is None and positive is not None:
            raise OptionError(f"the scorer {scoring.name} has a positive label of its own; leave positive out")
        if scoring.classes:
            _check_classifiers(models)
        if scoring.metric is None:
            scoring = replace(scoring, classes=scoring.classes and _classify(models))
        elif scoring.classes:
            truth = as_truth(truth, classes=True)
        if stratify and not scoring.classes:
            raise OptionError("stratify is for classes, and these are numbers; leave it out")
        stratified = scoring.classes if stratify is None else bool(stratify)
        streams = Streams.of(rng)
        if own:
            if stratify is not None:
                raise OptionError("the splits are made already; leave stratify out")
            splits = draw(design, truth, group, streams.child(SPLITTING))
            chosen, stratified = resolve_design(str(plan_of_splits(splits))), "Stratified" in type(design).__name__
        else:
            chosen, splits = design, design.splits(truth, group, stratified, streams.child(SPLITTING))
        if chosen.name == "holdout" and scoring.metric is None and scoring.name in SCIKIT:
            scoring = resolve_scoring(SCIKIT[scoring.name], truth, positive)
            truth = as_truth(truth, classes=True)
        if chosen.name == "holdout" and scoring.metric is None:
            raise Misfit(
                f"a holdout is tested on its predictions, which the scorer {scoring.name} keeps to itself; "
                f"use a metric of referee, or a design of several splits"
            )
        groups = None if group is None else np.asarray(group)
        made = spelt(design) if own else None
        return cls(models, features, truth, groups, chosen, splits, scoring, stratified, streams, made, notes)

    @property
    def common(self) -> tuple[Any, ...]:
        """The first arguments of all fits."""
        return self.features, self.truth, self.scoring, self.design.name == "holdout"

    def tasks(self, places: Iterable[int]) -> dict[str, tuple[Any, ...]]:
        """Return the further arguments of the fits on some splits, by their keys."""
        found = {}
        for place in places:
            for name, model in self.models.items():
                seed = int(self.streams.child(SEEDING, crc32(name.encode())).at(place).integers(2**31))
                found[key(name, place)] = (model, self.splits[place], seed)
        return found

    def describe(self) -> dict[str, Any]:
        """Return what tells one set of fits from another, for a store; how they are tested later is no part of it."""
        return {
            "algorithms": list(self.models),
            "models": fingerprint(self.models),
            "design": str(self.design),
            "splits": fingerprint([(split.train, split.test) for split in self.splits]),
            "metric": self.scoring.name,
            "positive": repr(self.scoring.positive),
            "stratified": self.stratified,
            "rng": str(self.streams.entropy),
            "data": fingerprint(self.features, self.truth, self.group),
        }

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
        raise OptionError(
            "comparing algorithms needs scikit-learn; install it: pip install 'referee[learn]'"
        ) from error


def _check_classifiers(models: Mapping[str, Any]) -> None:
    """Refuse models that do not learn classes, where y is made of them and all others do."""
    from sklearn.base import is_clusterer, is_regressor

    kinds = {}
    for name, model in models.items():
        try:
            kinds[name] = "a regressor" if is_regressor(model) else "a clusterer" if is_clusterer(model) else ""
        except (AttributeError, TypeError):
            kinds[name] = ""
    odd = [name for name, kind in kinds.items() if kind]
    if odd and (len(odd) < len(models) or kinds[odd[0]] == "a clusterer"):
        raise Misfit(f"{odd[0]} is {kinds[odd[0]]}, and y is made of classes; give a classifier")


def _classify(models: Mapping[str, Any]) -> bool:
    """Say whether any of the models is a classifier."""
    from sklearn.base import is_classifier

    for model in models.values():
        try:
            if is_classifier(model):
                return True
        except (AttributeError, TypeError):
            # Not of scikit-learn's family, and silent about its kind.
            if hasattr(model, "predict_proba") or hasattr(model, "decision_function"):
                return True
    return False
