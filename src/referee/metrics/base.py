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
from referee.metrics.labels import Labels, codes
from referee.metrics.matrices import Matrix, ones_at
from referee.metrics.possible_answers import MOST, Possible, crossed
from referee.metrics.scale import SCALE, Scale, check_scale
from referee.registry import Registry, convert, spell
from referee.results.test_info import MetricInfo

if TYPE_CHECKING:
    from referee.data.counts import Counts

CONFUSION = ("tp", "fp", "fn", "tn")
CLASSWISE = ("hits", "guesses", "actual")
DIRECTIONS = ("lower", "higher")
RANKED = ("positives", "negatives", "found", "answers")
AVERAGES = ("binary", "macro", "micro", "weighted")
AVERAGED = {"macro": "macro-averaged", "micro": "micro-averaged", "weighted": "class-weighted"}
PROPER = ("Matthews", "Cohen's", "Gorodkin's", "Jaccard", "Brier")
"""Names that a definition can begin with."""
BRACKETS = str.maketrans("()", "[]")
PAIRS = 20_000
"""Up to so many pairs of a truth and an answer are all taken for possible; of more, about so many that no system gave."""
CLASSES = ("truth", "all")
"""Which labels an average runs over: those of the truth, or those of the systems too."""

METRICS: Registry[Metric] = Registry("metric")


def definition_of(summary: str) -> str:
    """Return what a docstring says of a metric, to stand in parentheses in the middle of a sentence.

    >>> definition_of("Share of the examples (all)."), definition_of("Cohen's kappa"), definition_of("BLEU of a kind")
    ('share of the examples [all]', "Cohen's kappa", 'BLEU of a kind')
    """
    bare = summary.rstrip(".").translate(BRACKETS)
    is_name = bare.split(" ")[0] in PROPER or not bare[1:2].islower()
    return bare if is_name else bare[:1].lower() + bare[1:]


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


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
    prose: str = ""
    """How a paper names it, where that is not its own name."""
    works: tuple[str, ...] = ()
    """Where it comes from: keys of the bibliography."""

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

    @property
    def info(self) -> MetricInfo:
        """What a result tells of the metric."""
        options = [f"{key} = {_shown(value)}" for key, value in self.arguments.items()]
        parts = [
            AVERAGED.get(self.option("average") or "", ""),
            self.prose or " ".join(self.name.split("-")),
            "over all labels" if self.averaged and self.option("labels") == "all" else "",
            f"with {' and '.join(filter(None, [', '.join(options[:-1]), options[-1]]))}" if options else "",
        ]
        return MetricInfo(
            name=" ".join(filter(None, parts)),
            definition="" if self.summary == self.function.__name__ else definition_of(self.summary),
            works=self.works,
            task=self.task,
            undefined=self.undefined,
            higher_is_better=self.higher_is_better,
        )

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
                return lambda: _answers(labels, labels.all, counts, statistics)
            return lambda: _scale(np.union1d(self._seen(counts, statistics), self.bounds or ()))
        if scale is not None and scale.step is not None:
            return lambda: _scale(scale.values)
        if self.then is not None or self.task != "scores" or scale is not None:
            return None
        seen = (statistics(counts.get("truth"), counts[role])[:, 0] for role in counts.systems)
        marks = all(bool(((values == 0) | (values == 1)).all()) for values in seen)
        return (lambda: _scale(np.array([0.0, 1.0]))) if marks else None

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
            return _answers(labels, truths, counts, statistics)

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


def _answers(
    labels: Labels, truths: list[Any], counts: Counts, statistics: Callable[[Values | None, Values], Matrix]
) -> Possible:
    """Return every answer to every truth; of very many labels, the right ones, those that some system gave, and rare ones."""
    answers = [*labels.all, *([None] if labels.gaps else [])]
    if len(truths) * len(answers) <= PAIRS:
        truth, answer = crossed(len(truths), len(answers))
    else:
        given = [
            codes(counts["truth"], truths) * len(answers) + codes(counts[role], answers) for role in counts.systems
        ]
        own = np.arange(len(truths)) * len(answers) + codes(_objects(truths), answers)
        often = np.bincount(codes(counts["truth"], truths), counts.multiplicities, len(truths))
        rare = _rare_pairs(np.argsort(often, kind="stable"), own % len(answers), len(answers))
        pairs = np.unique(np.concatenate([own, *given, rare]))
        truth, answer = pairs // len(answers), pairs % len(answers)
    actual, guess = _objects(truths)[truth], _objects(answers)[answer]
    return Possible(statistics(actual, guess), truth, np.asarray(actual == guess, dtype=np.bool_))


def _rare_pairs(order: Ints, own: Ints, answers: int) -> Ints:
    """Return pairs, as truth x answers + answer, among which a world finds what it needs about as near as among all.

    What changes an average over classes most is a mistake that concerns rare ones: so every truth with the rarest answers, every
    answer with the rarest truths, and each truth with those that are about as rare, lest few classes bear it all.

    Args:
        order: the truths, the rarest first.
        own: the answer that is right for each truth.
        answers: how many there are.
    """
    share = PAIRS // (3 * answers) + 1
    rarest, everyone, away = order[:share], np.arange(len(order)), np.arange(1, share + 1)
    near = own[order[(everyone[:, None] + away) % len(order)]]
    return np.concatenate(
        [
            np.add.outer(everyone * answers, own[rarest]).ravel(),
            np.add.outer(rarest * answers, np.arange(answers)).ravel(),
            (order[:, None] * answers + near).ravel(),
        ]
    )


def _scale(values: Floats) -> Possible:
    """Return the answers that are values alone, whatever the truth."""
    ends = np.isin(np.arange(len(values)), (0, len(values) - 1))
    return Possible(np.stack([values, np.ones(len(values))], axis=1), np.zeros(len(values), np.int64), ends)


def _objects(values: list[Any]) -> Values:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def _equals(values: Values | None, label: Any) -> Any:
    if values is None:
        raise Misfit("the truth is missing")
    return np.asarray(values == label, dtype=np.bool_)


def _pick(names: tuple[str, ...], **values: Any) -> dict[str, Any]:
    return {name: values[name] for name in names}


def _classes(totals: Any, size: int) -> dict[str, Any]:
    parts = [totals[..., i * size : (i + 1) * size] for i in range(3)]
    return dict(zip(CLASSWISE, parts, strict=True))
