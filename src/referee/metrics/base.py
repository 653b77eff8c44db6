"""Metric: how (truth, prediction) becomes a few additive statistics, and how their sums become a score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.data.columns import Floats, Ints, Values, comma_hint
from referee.errors import InputError, Misfit, OptionError, RefereeError, one_of
from referee.metrics.class_averages import OWN, Formula, classwise, micro, one_against_others
from referee.metrics.formula import General, Range, Ratios, Share, from_share
from referee.metrics.labels import Labels, codes, seen_by
from referee.metrics.matrices import Matrix, beside, distinct_units, halves, ones_at, times
from referee.metrics.possible_answers import MOST, Possible, answers_of, crossed, scale_answers
from referee.metrics.scale import SCALE, Scale, check_scale
from referee.metrics.score_steps import score_of_steps, steps_of
from referee.registry import Registry, convert, spell

if TYPE_CHECKING:
    from referee.data.counts import Counts

CONFUSION = ("tp", "fp", "fn", "tn")
CLASSWISE = ("hits", "guesses", "actual")
DIRECTIONS = ("lower", "higher")
RANKED = ("positives", "negatives", "found", "answers")
AVERAGES = ("binary", "macro", "micro", "weighted")
CLASSES = ("truth", "all")
"""Which labels an average runs over: those of the truth, or those of the systems too."""

METRICS: Registry[Metric] = Registry("metric")


@dataclass(frozen=True)
class Metric:
    """A score as a value: call it with options to get a variant, `str()` it to get its spelling.

    >>> from referee.metrics import fbeta
    >>> str(fbeta(beta=2))
    'fbeta:beta=2'
    """

    name: str
    function: Callable[..., Any]
    task: str
    totals: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    higher_is_better: bool = True
    undefined: float = 0.0
    monotone: bool = False
    then: Callable[[Any], Any] | None = None
    truth_labels_only: bool = False
    at_positives: bool = False
    gradient: Callable[..., Any] | None = None
    bounds: Range | None = None
    """The least and the greatest score, as declared; what is made of shares need not declare them."""
    chance: Callable[..., float] | None = None
    """The score of answering blindly, by the number of classes and the options, where it has one."""
    summary: str = ""

    def __str__(self) -> str:
        return spell(self.name, self.options)

    def __repr__(self) -> str:
        return f"<metric {self}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric) and str(self) == str(other) and self.function is other.function

    def __hash__(self) -> int:
        return hash(str(self))

    def __call__(self, **options: Any) -> Metric:
        """Return the metric with these options."""
        merged = {**self.options, **convert(self.name, options, self.defaults)}
        if "average" in merged:
            one_of(f"{self.name}:average", merged["average"], AVERAGES)
        higher = self.higher_is_better
        if merged.get("better") is not None:
            one_of(f"{self.name}:better", merged["better"], DIRECTIONS)
            higher = merged["better"] == "higher"
        if "labels" in merged and self.task == "binary":
            one_of(f"{self.name}:labels", merged["labels"], CLASSES)
            if merged["labels"] != CLASSES[0] and merged.get("average", AVERAGES[0]) == AVERAGES[0]:
                raise OptionError(f"labels= is for averages over classes, as in {self.name}:average=macro,labels=all")
        bounds = self.bounds
        if self.task == "scores":
            merged |= check_scale(self.name, {key: merged.get(key) for key in SCALE})
            if merged["low"] is not None:
                bounds = merged["low"], merged["high"]
        kept = {key: merged[key] for key in self.defaults if key in merged and merged[key] != self.defaults[key]}
        return replace(self, options=kept, higher_is_better=higher, bounds=bounds)

    def call(self, **totals: Any) -> Any:
        """Call the definition; what goes wrong in it is told as the metric's own fault.

        Raises:
            Misfit: where the function fails.
        """
        try:
            return self.function(**totals, **self.arguments)
        except RefereeError:
            raise
        except Exception as error:
            raise Misfit(f"the metric {self} fails on arrays of totals: {type(error).__name__}: {error}") from error

    def option(self, key: str) -> Any:
        """Return the value of an option, given or default."""
        return self.options.get(key, self.defaults.get(key))

    @property
    def arguments(self) -> dict[str, Any]:
        """The options that the function itself takes."""
        ours = {"binary": ("average", "labels"), "scores": ("better", *SCALE)}.get(self.task, ())
        return {key: self.option(key) for key in self.defaults if key not in ours}

    @property
    def of_labels(self) -> bool:
        """Whether it reads labels, and not scores or numbers."""
        return self.task in ("binary", "multiclass", "labels")

    @property
    def averaged(self) -> bool:
        """Whether it is an average over classes."""
        return self.task == "binary" and self.option("average") != "binary"

    @cached_property
    def range(self) -> Range | None:
        """The least and the greatest score on any data; None where there is no bound."""
        if self.bounds is not None or self.task != "binary":
            return self.bounds
        # An average over classes lies where the score of one class does.
        formula = self._bind_binary(None).formula
        return formula.range if isinstance(formula, Ratios) else None

    @property
    def scale(self) -> Scale | None:
        """The scale of the scores, where it was declared."""
        if self.task != "scores" or self.option("low") is None:
            return None
        return Scale(self.option("low"), self.option("high"), self.option("step"))

    @property
    def reach(self) -> float | None:
        """The most that two scores can differ by; None where there is no bound."""
        return None if self.range is None else self.range[1] - self.range[0]

    @property
    def by_class(self) -> bool:
        """Whether it is the mean of a ratio of each class, whose 0/0 is then one value among others."""
        return self.truth_labels_only or (self.averaged and self.option("average") != "micro")

    @property
    def needs_negatives(self) -> bool:
        """Whether it counts what neither system mentioned: response sets cannot tell that."""
        return self.task in ("labels", "multiclass") or self.averaged or (self.task == "binary" and "tn" in self.totals)

    def bind(self, counts: Counts) -> Bound:
        """Fit the metric to data: find the labels, check that they suit, and build the formula.

        Raises:
            Misfit: where the data are of another kind than the metric needs.
        """
        self.check(counts)
        if self.task in ("scores", "numbers", "labels"):
            return self._bind_example(counts)
        labels = Labels.of(counts)
        if self.task == "binary" and not self.averaged:
            positive = labels.find_positive(counts.positive, str(self))
            return self._bind_binary(positive, open_=counts.open)
        return self._bind_classes(labels, counts)

    def score(
        self, truth: Any, prediction: Any, *, positive: Any = None, threshold: float | None = None
    ) -> float | None:
        """Return the score of one system; None where the data cannot have one, as recall without a positive example.

        It is, to the last digit, the score that a comparison of the system with itself gives.

        Args:
            truth: the right answers, one an example; None for the metric of scores alone, `mean`.
            prediction: what the system answered: labels, scores or numbers, as the metric needs them.
            positive: the positive label, where it is not obvious.
            threshold: scores of at least this much are the positive label, for metrics of labels.

        Raises:
            RefereeError: where the data cannot be understood, or are of another kind than the metric needs.

        >>> from referee.metrics import auc, f1, rmse
        >>> f1.score([1, 1, 0, 0], [1, 0, 0, 1])
        0.5
        >>> f1.score(["spam", "ham", "spam"], [0.9, 0.2, 0.4], positive="spam", threshold=0.5)
        0.6666666666666666
        >>> auc.score([1, 1, 0, 0], [0.9, 0.4, 0.5, 0.1]), rmse.score([1.0, 2.0], [1.0, 4.0])
        (0.75, 1.4142135623730951)
        """
        from referee.data.outcomes import Outcomes

        columns = {"prediction": prediction} if truth is None else {"truth": truth, "prediction": prediction}
        outcomes = Outcomes(
            source=columns,
            truth="truth" if "truth" in columns else None,
            a="prediction",
            b="prediction",
            positive=positive,
        )
        counts = seen_by(self, outcomes.count(), threshold).without("b")
        if self.task == "ranking":
            return self._rank_score(counts)
        return self.bind(counts).score(counts.get("truth"), counts["a"], counts.multiplicities)

    def _rank_score(self, counts: Counts) -> float | None:
        self.check(counts)
        label = Labels.of_truth(counts).find_positive(counts.positive, str(self))
        positive, weights = np.asarray(counts["truth"] == label, dtype=np.bool_), counts.multiplicities
        values, place = np.unique(counts["a"].astype(np.float64), return_inverse=True)
        negatives, positives = (np.bincount(place, weights * (positive == side), len(values)) for side in (False, True))
        if not (positives.any() and negatives.any()):
            return None
        score = float(score_of_steps(self, steps_of(positives, negatives)))
        return score if np.isfinite(score) else self.undefined

    def check(self, counts: Counts) -> None:
        """Raise Misfit where the data are of another kind than the metric needs."""
        if counts.open and self.needs_negatives:
            raise Misfit(
                f"{self} counts true negatives, and these are response sets, which have none; use precision, recall, f1, fbeta or jaccard"
            )
        if self.task != "scores" and "truth" not in counts:
            raise Misfit(f"{self} needs the truth; name its column (truth=), or use the metric mean on scores")
        if self.of_labels:
            for role in counts.systems:
                if counts[role].dtype.kind == "f":
                    raise Misfit(
                        f"{self} needs labels, and {counts.name(role)} holds scores; give threshold=, or use a metric of scores (auc, average-precision) or of numbers (mse, mae)"
                    )
        if self.task in ("scores", "numbers", "ranking"):
            for role in [*counts.systems, *(["truth"] if self.task == "numbers" else [])]:
                if counts[role].dtype.kind == "O":
                    raise Misfit(f"{self} needs numbers, and {counts.name(role)} holds text{comma_hint(counts[role])}")
        if self.task == "scores" and "truth" in counts:
            raise Misfit(
                f"{self} is of scores alone; leave truth out, or use a metric that reads it (accuracy, mse, auc)"
            )

    def _bind_example(self, counts: Counts) -> Bound:
        scale = self._scale_of(counts)

        def statistics(truth: Values | None, prediction: Values) -> Floats:
            value = self._values(truth, prediction)
            value = value if scale is None else scale.held(value, str(self))
            return np.stack([value, np.ones(len(value))], axis=1)

        moves = np.array([[1.0, 0.0]])
        formula: Formula = from_share(
            Share(((1.0, np.array([1.0, 0.0]), np.array([0.0, 1.0])),)), self.undefined, moves
        )
        if self.then is not None:
            then = self.then
            formula = General(lambda totals: then(totals[..., 0] / totals[..., 1]), 2, self.undefined)
        return Bound(self, formula, statistics, possible=self._possible_values(counts, statistics, scale))

    def _scale_of(self, counts: Counts) -> Scale | None:
        """Return the scale of the scores: as declared, or that of means of runs that were each right or wrong."""
        if self.scale is not None or counts.runs is None or self.name != "mean":
            return self.scale
        made = Scale(0.0, 1.0, 1 / counts.runs)
        return made if all(made.holds(counts[role]) for role in counts.systems) else None

    def _possible_values(
        self, counts: Counts, statistics: Callable[[Values | None, Values], Floats], scale: Scale | None
    ) -> Callable[[], Possible] | None:
        """Return the values that an example can have, where that is known: of labels, of 0/1, and on a known scale."""
        if self.task == "labels":
            labels = Labels.of(counts)
            if self.bounds is None and len(labels.all) ** 3 <= MOST:
                return lambda: answers_of(labels, labels.all, counts, statistics)
            return lambda: scale_answers(np.union1d(self._seen(counts, statistics), self.bounds or ()))
        if scale is not None and scale.step is not None:
            return lambda: scale_answers(scale.values)
        if self.then is not None or self.task != "scores" or scale is not None:
            return None
        seen = (statistics(counts.get("truth"), counts[role])[:, 0] for role in counts.systems)
        marks = all(bool(((values == 0) | (values == 1)).all()) for values in seen)
        return (lambda: scale_answers(np.array([0.0, 1.0]))) if marks else None

    def _seen(self, counts: Counts, statistics: Callable[[Values | None, Values], Floats]) -> Floats:
        return np.unique([statistics(counts.get("truth"), counts[role])[:, 0] for role in counts.systems])

    def _values(self, truth: Values | None, prediction: Values) -> Floats:
        known = {"truth": truth, "prediction": prediction}
        given = {name: known[name] for name in self.totals}
        try:
            values = np.asarray(self.function(**given, **self.arguments), dtype=np.float64)
            if values.shape != prediction.shape:
                raise ValueError("not one value an example")
        except (TypeError, ValueError):
            rows = zip(*(column.tolist() for column in given.values() if column is not None), strict=True)
            try:
                values = np.array([float(self.function(*row, **self.arguments)) for row in rows], dtype=np.float64)
            except (TypeError, ValueError) as error:
                raise Misfit(f"{self} does not give a number for each example: {error}") from error
        if not np.isfinite(values).all():
            raise InputError(
                f"{self} gives values that are not finite for {int((~np.isfinite(values)).sum())} distinct examples"
            )
        return values

    def _bind_binary(self, positive: Any, *, open_: bool = False) -> Bound:
        def statistics(truth: Values | None, prediction: Values) -> Floats:
            is_true, is_found = _equals(truth, positive), _equals(prediction, positive)
            cells = {
                "tp": is_true & is_found,
                "fp": ~is_true & is_found,
                "fn": is_true & ~is_found,
                "tn": ~is_true & ~is_found,
            }
            return np.stack([cells[name] for name in self.totals], axis=1).astype(np.float64)

        unit = np.eye(len(self.totals))
        place = {name: unit[i] for i, name in enumerate(self.totals)}
        nothing = np.zeros(len(self.totals))
        moves = np.array(
            [place.get("tp", nothing) - place.get("fn", nothing), place.get("fp", nothing) - place.get("tn", nothing)]
        )

        def possible() -> Possible:
            truth, answer = crossed(2, 2)
            labels = np.array([positive, None], dtype=object)
            return Possible(statistics(labels[truth], labels[answer]), truth, truth == answer, open_)

        return Bound(self, self._formula(place, moves), statistics, positive, self.monotone, possible=possible)

    def _formula(self, place: Mapping[str, Any], moves: Floats) -> Formula:
        """Build the formula: by matrices if the definition is made of shares, else by calling it."""
        with np.errstate(all="ignore"):
            made = self.call(**{name: place[name] for name in self.totals})
        if isinstance(made, Share):
            return from_share(made, self.undefined, moves)
        names = self.totals

        def score(totals: Any) -> Any:
            return self.call(**{name: totals[..., i] for i, name in enumerate(names)})

        return General(score, moves.shape[1], self.undefined)

    def _bind_classes(self, labels: Labels, counts: Counts) -> Bound:
        of_truth = self.truth_labels_only or (self.averaged and self.option("labels") == "truth")
        levels, strays = (labels.truth, labels.strays) if of_truth else (labels.all, [])
        # An answer that is no class is wrong, and still an answer where answers are counted whatever their class.
        counted = bool(strays) and self.averaged and not self.by_class

        def statistics(truth: Values | None, prediction: Values) -> Matrix:
            size, actual, guess = len(levels), codes(truth, levels), codes(prediction, levels)
            hits = np.where(actual == guess, actual, -1)
            columns = [np.where(code >= 0, code + i * size, -1) for i, code in enumerate((hits, guess, actual))]
            if counted:
                columns.append(np.where(codes(prediction, strays) >= 0, 3 * size, -1))
            return ones_at(columns, 3 * size + counted)

        # With three classes a swap can also exchange two wrong answers, and nothing says which way the score then goes.
        monotone = self.monotone and len(labels.all) <= 2 and not labels.gaps
        formula = self._class_formula(len(levels), gaps=labels.gaps, strays=bool(strays))

        def possible() -> Possible:
            # A truth that the data never have is not to be expected, unless they have one alone.
            truths = labels.truth if len(labels.truth) > 1 else labels.all
            return answers_of(labels, truths, counts, statistics)

        return Bound(self, formula, statistics, monotone=monotone, strays=bool(strays), possible=possible)

    def _class_formula(self, size: int, *, gaps: bool, strays: bool) -> Formula:
        if self.task == "multiclass":
            return self._multiclass_formula(size, partial=gaps or strays)
        average = self.option("average")
        hits, guesses, actual, last = OWN
        if average == "micro":
            # Summed over the classes, and with answers that are no class beside the guesses.
            cells = one_against_others(hits, guesses, actual, size * actual)
            cells["fp"] = cells["fp"] + last
        else:
            cells = one_against_others(hits, guesses, actual, last)
        with np.errstate(all="ignore"):
            made = self.call(**_pick(self.totals, **cells))
        if not isinstance(made, Share):
            width = 3 * size + (average == "micro" and strays)
            return General(lambda totals: self._averaged(totals, size, average), width, self.undefined)
        if average == "micro":
            return micro(made, self.undefined, size, gaps=gaps, strays=strays)
        return classwise(made, self.undefined, size, weighted=average == "weighted", partial=gaps or strays)

    def _multiclass_formula(self, size: int, *, partial: bool) -> Formula:
        if self.truth_labels_only:
            with np.errstate(all="ignore"):
                made = self.call(**_pick(self.totals, hits=OWN[:1], guesses=OWN[1:2], actual=OWN[2:3]))
            if isinstance(made, Share):
                return classwise(made, self.undefined, size, weighted=False, partial=partial)
        names, gradient = self.totals, self.gradient
        slope = None
        if gradient is not None:
            slope = lambda t: np.concatenate(gradient(**_classes(t, size)), axis=-1)  # noqa: E731
        return General(lambda t: self.call(**_pick(names, **_classes(t, size))), 3 * size, self.undefined, slope=slope)

    def _averaged(self, totals: Any, size: int, average: str) -> Any:
        classes = _classes(totals, size)
        cells = one_against_others(**classes, n=classes["actual"].sum(axis=-1, keepdims=True))
        if average == "micro":
            cells = {name: cell.sum(axis=-1) for name, cell in cells.items()}
            cells["fp"] = cells["fp"] + totals[..., 3 * size :].sum(axis=-1)
        made = self.call(**_pick(self.totals, **cells))
        if average == "micro":
            return made
        value = np.where(np.isfinite(made), made, self.undefined)
        weight = classes["actual"] if average == "weighted" else np.ones(size)
        return (value * weight).sum(axis=-1) / weight.sum(axis=-1)


@dataclass(frozen=True)
class Bound:
    """A metric fitted to data: statistics of rows, and the formula of their sums."""

    metric: Metric
    formula: Formula
    statistics: Callable[[Values | None, Values], Matrix]
    positive: Any = None
    monotone: bool = False
    """Whether, on these labels, an answer that turns from wrong to right never lowers the score."""
    strays: bool = False
    """Whether there are answers that are none of the classes."""
    possible: Callable[[], Possible] | None = None
    """The answers that a system could have given, where that is known."""

    @property
    def needs_examples(self) -> bool:
        """Whether there are data that cannot have a score, whatever a system does, as recall without a positive."""
        return self.formula.fixed and not self.metric.by_class

    def score(self, truth: Values | None, prediction: Values, multiplicities: Ints) -> float | None:
        """Return the score of one system on rows that occurred so often; None where the data cannot have one."""
        own = self.statistics(truth, prediction)
        order, starts = distinct_units(own)
        units, weights = own[order[starts]], np.add.reduceat(multiplicities[order], starts)
        if self.needs_examples and self.formula.vague(times(weights, units)):
            return None
        # Summed beside itself, as in a comparison: how a sum is rounded depends on how many are made at once.
        return float(self.scores(beside([units, units]), weights)[0])

    def scores(self, both: Matrix, weights: Any) -> Floats:
        """Return the scores [..., system] of units [unit, statistic], those of A before those of B, under these weights."""
        if isinstance(self.formula, Ratios):
            return self.scores_at(self.coordinates(both), weights)
        return self.formula.score(paired(times(weights, both)))

    def scores_at(self, coordinates: Floats, weights: Any) -> Floats:
        """Return the scores of units by their coordinates: what a ratio depends on is summed at once, not its parts first."""
        return self.formula.score_at(paired(np.asarray(weights, dtype=np.float64) @ coordinates))

    def coordinates(self, both: Matrix) -> Floats:
        """Return [unit, coordinate]: what the score of a sum of units depends on, for A and then for B."""
        return np.concatenate([self.formula.place(half) for half in halves(both)], axis=1)


def paired(sums: Floats) -> Floats:
    """Return [..., system, sum] of [..., those of A and then those of B]."""
    return sums.reshape(*sums.shape[:-1], 2, sums.shape[-1] // 2)


def _equals(values: Values | None, label: Any) -> Any:
    if values is None:
        raise Misfit("the truth is missing")
    return np.asarray(values == label, dtype=np.bool_)


def _pick(names: tuple[str, ...], **values: Any) -> dict[str, Any]:
    return {name: values[name] for name in names}


def _classes(totals: Any, size: int) -> dict[str, Any]:
    parts = [totals[..., i * size : (i + 1) * size] for i in range(3)]
    return dict(zip(CLASSWISE, parts, strict=True))
