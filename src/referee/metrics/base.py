"""Metric: how (truth, prediction) becomes a few additive statistics, and how their sums become a score."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.data.judged import is_judged
from referee.data.weights import WEIGHT
from referee.errors import Argument, InputError, Message, Misfit, OptionError, RefereeError, one_of
from referee.metrics.binding import Bound, bind, bind_binary, rank_score, scale_of
from referee.metrics.formula import Range, Ratios
from referee.metrics.labels import seen_by
from referee.metrics.possible_answers import SCALE, Scale, check_scale
from referee.metrics.sums import Reads, Rows, check_kinds, numbers_needed, options_of
from referee.registry import Registry, convert, spell
from referee.results.test_info import MetricInfo, Unit

if TYPE_CHECKING:
    from referee.data.counts import Counts

CONFUSION = ("tp", "fp", "fn", "tn")
RANKED = ("positives", "negatives", "found", "answers")
AVERAGED = {
    "macro": "macro-averaged",
    "micro": "micro-averaged",
    "weighted": "class-weighted",
    "samples": "example-averaged",
}
PROPER = ("Matthews", "Cohen's", "Gorodkin's", "Jaccard", "Brier")
"""Names that a definition can begin with."""
OF_SCORES = ", or use a metric of scores (auc, average-precision) or of numbers (mse, mae)"
BRACKETS = str.maketrans("()", "[]")
AVERAGING = {"average": "binary", "labels": "truth"}
"""The options of every metric of two classes."""
CHOICES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    # An average runs over the labels of the truth, or over those of the systems too.
    "binary": {"average": ("binary", "macro", "micro", "weighted"), "labels": ("truth", "all")},
}
"""What the options of all metrics of a task can be."""
BETTER = ("lower", "higher")
"""What the option `better` can be."""

METRICS: Registry[Metric] = Registry("metric")


def definition_of(summary: str) -> str:
    """Return what the first sentence of a docstring says of a metric, to stand in parentheses in the middle of a sentence.

    >>> definition_of("Share of the examples (all)."), definition_of("Cohen's kappa"), definition_of("BLEU of a kind")
    ('share of the examples [all]', "Cohen's kappa", 'BLEU of a kind')
    """
    bare = re.split(r"\. (?=[A-Z])", summary)[0].rstrip(".").translate(BRACKETS)
    is_name = bare.split(" ")[0] in PROPER or not bare[1:2].islower()
    return bare if is_name else bare[:1].lower() + bare[1:]


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class Metric:
    """A metric as an object: call it with options to get a variant; `str()` gives its spelling.

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
    """The least and the greatest score, as declared, infinite on a side without a bound; what is made of shares need not declare them."""
    chance: Callable[..., float] | None = None
    """The score of answering blindly, by the number of classes and the options, if it has one."""
    summary: str = ""
    prose: str = ""
    """Its name in a paper, if different."""
    works: tuple[str, ...] = ()
    """Where it comes from: keys of the bibliography."""
    unit: Unit = "number"
    """Whether a score is a share of 1, shown as a percentage, or any other number."""
    steered: bool = False
    """Whether the definition leaves open which way is up, so that the option `better` says it."""
    statistics: Callable[..., Any] | None = None
    """What an example adds to the sums that the function takes, if the metric brings its own."""
    reads: Reads = "anything"
    """What the statistics are made of."""
    of_truth: tuple[str, ...] = ()
    """The sums that the truth alone decides."""
    signed: bool = False
    """Whether statistics can be negative."""

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
        merged = {**self.options, **convert("metric", self.name, options, self.defaults)}
        for key, allowed in CHOICES.get(self.task, {}).items():
            if merged.get(key) is not None:
                one_of(f"{self.name}:{key}", merged[key], allowed, "metric")
        higher, bounds, better = self.higher_is_better, self.bounds, merged.get("better") if self.steered else None
        if better is not None:
            one_of(f"{self.name}:better", better, BETTER, "metric")
            higher = better == "higher"
        if self.task == "binary" and "labels" in merged and merged.get("average", "binary") == "binary":
            if merged["labels"] != "truth":
                macro = f"{self.name}:average=macro,labels=all"
                raise OptionError(f"{self.name}:labels is for averages over classes, as in {macro}", argument="metric")
        elif self.task == "scores":
            merged |= check_scale(self.name, {key: merged.get(key) for key in SCALE})
            bounds = bounds if merged["low"] is None else (merged["low"], merged["high"])
        kept = {key: merged[key] for key in self.defaults if key in merged and merged[key] != self.defaults[key]}
        return replace(self, options=kept, higher_is_better=higher, bounds=bounds)

    def directed(self, lower_is_better: bool | None) -> Metric:
        """Return the metric with the direction that somebody asked for.

        Raises:
            OptionError: if it has the other.
        """
        if lower_is_better is None:
            return self
        if self.steered and self.option("better") is None:
            return self(better="lower" if lower_is_better else "higher")
        if lower_is_better == self.higher_is_better:
            way = f"of {self} {'higher' if self.higher_is_better else 'lower'} is better"
            out = Message("leave ", Argument("lower_is_better", lower_is_better), " out")
            raise OptionError(way, argument="lower_is_better", value=lower_is_better, remedy=out)
        return self

    def call(self, **totals: Any) -> Any:
        """Call the definition with the totals that it takes; an error in it is reported as the definition's own.

        Raises:
            Misfit: if the function fails.
        """
        return self._called(**{name: totals[name] for name in self.totals})

    def of_sums(self, *sums: Any) -> Any:
        """Call the definition with the sums of the statistics that the metric brings, in their order."""
        return self._called(*sums)

    def _called(self, *sums: Any, **totals: Any) -> Any:
        try:
            with np.errstate(all="ignore"):
                return self.function(*sums, **totals, **self.arguments)
        except RefereeError:
            raise
        except Exception as error:
            wrong = f"the metric {self} fails on arrays of totals: {type(error).__name__}: {error}"
            raise Misfit(wrong, argument="metric", value=str(self)) from error

    @property
    def info(self) -> MetricInfo:
        """What a result says about the metric."""
        named = self.arguments if self.task != "sums" else {k: v for k, v in self.options.items() if k != "average"}
        options = [f"{key} = {_shown(value)}" for key, value in named.items()]
        parts = [
            AVERAGED.get(self.option("average") or "", ""),
            self.prose or " ".join(self.name.split("-")),
            "over all labels" if self.averaged and self.option("labels") == "all" else "",
            f"with {' and '.join(filter(None, [', '.join(options[:-1]), options[-1]]))}" if options else "",
        ]
        own = {key: getattr(self, key) for key in ("works", "task", "undefined", "higher_is_better", "unit")}
        definition = "" if self.summary == self.function.__name__ else definition_of(self.summary)
        short, name = (" ".join(filter(None, some)) for some in (parts[:-1], parts))
        return MetricInfo(name=name, short=short, definition=definition, **own)

    def info_on(self, counts: Counts) -> MetricInfo:
        """Return what a result on these data says about the metric: the mean of scores that are right or wrong is a share."""
        if self.name != "mean":
            return self.info
        scale = scale_of(self, counts) or Scale(0.0, 1.0, 1.0)
        is_share = (scale.low, scale.high) == (0.0, 1.0) and all(scale.holds(counts[role]) for role in counts.systems)
        return replace(self.info, unit="share" if is_share else "number")

    def option(self, key: str) -> Any:
        """Return the value of an option, given or default."""
        return self.options.get(key, self.defaults.get(key))

    @property
    def arguments(self) -> dict[str, Any]:
        """The options that the function itself takes."""
        if self.task == "sums":
            return {key: self.option(key) for key in options_of(self.function)}
        ours = {"binary": (*AVERAGING,), "scores": (*SCALE,)}.get(self.task, ())
        ours = (*ours, "better") if self.steered else ours
        return {key: self.option(key) for key in self.defaults if key not in ours}

    @property
    def of_labels(self) -> bool:
        """Whether it takes labels, not scores or numbers."""
        return self.task in ("binary", "multiclass", "labels")

    @property
    def averaged(self) -> bool:
        """Whether it is an average over classes."""
        return self.task == "binary" and self.option("average") != "binary"

    @cached_property
    def known_rows(self) -> Rows:
        """The statistics of the rows of text that were looked at, so that each is looked at once."""
        return Rows(self)

    @cached_property
    def range(self) -> Range | None:
        """The lowest and the highest possible score; None if there is no bound."""
        if self.bounds is not None or self.task != "binary":
            return self.bounds if all(map(math.isfinite, self.ends)) else None
        # An average over classes lies where the score of one class does.
        formula = bind_binary(self, None).formula
        return formula.range if isinstance(formula, Ratios) else None

    @property
    def ends(self) -> Range:
        """The lowest and the highest possible score as far as declared; infinite where there is no bound."""
        return self.bounds or (-math.inf, math.inf)

    @property
    def scale(self) -> Scale | None:
        """The scale of the scores, if it was declared."""
        if self.task != "scores" or self.option("low") is None:
            return None
        return Scale(self.option("low"), self.option("high"), self.option("step"))

    @property
    def reach(self) -> float | None:
        """The largest possible difference of two scores; None if there is no bound."""
        return None if self.range is None else self.range[1] - self.range[0]

    @property
    def by_class(self) -> bool:
        """Whether it is a mean over classes of one ratio per class, in which a 0/0 is one value among others."""
        return self.truth_labels_only or (self.averaged and self.option("average") != "micro")

    @property
    def needs_negatives(self) -> bool:
        """Whether it counts true negatives, which sets of responses do not have."""
        return self.task in ("labels", "multiclass") or self.averaged or (self.task == "binary" and "tn" in self.totals)

    def bind(self, counts: Counts) -> Bound:
        """Fit the metric to data: find the labels, check that they fit, and build the formula.

        Raises:
            Misfit: if the data are of another kind than the metric needs.
        """
        self.check(counts)
        return bind(self, counts)

    def score(
        self, truth: Any, prediction: Any, *, positive: Any = None, threshold: float | None = None
    ) -> float | None:
        """Return the score of one system; None if it is undefined, such as recall without a positive example.

        It is, to the last digit, the score that a comparison of the system with itself gives.

        Args:
            truth: the right answers, one per example; None for the metric of scores alone, `mean`.
            prediction: what the system answered: labels, scores or numbers, as the metric needs them.
            positive: the positive label, if it is not obvious.
            threshold: scores of at least this value count as the positive label, for metrics of labels.

        Raises:
            RefereeError: if the data cannot be understood, or are not of the kind that the metric needs.

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
        name = None if truth is None else "truth"
        outcomes = Outcomes(source=columns, truth=name, a="prediction", b="prediction", positive=positive)
        counts = seen_by(self, outcomes.count(), threshold).without("b")
        if self.task == "ranking":
            self.check(counts)
            return rank_score(self, counts)
        return self.bind(counts).score(counts.get("truth"), counts["a"], counts.multiplicities)

    def check(self, counts: Counts) -> None:
        """Raise Misfit if the data are not of the kind that the metric needs."""
        if is_judged(counts):
            only = "these data have a judge's labels beside people's, and only compare uses both"
            raise InputError(
                only, argument="judge", remedy="count the examples that people labelled, without the judge"
            )
        if WEIGHT in counts and self.task == "ranking":
            problem = f"{self} is computed from ranks, which take no weights here"
            remedy = Message("use a metric of labels or numbers, or leave ", Argument(WEIGHT), " out")
            raise Misfit(problem, argument=WEIGHT, remedy=remedy)
        if counts.judged != (self.task == "preferences"):
            if counts.judged:
                whole = f"{self} scores answers, and these are judgements of which system is better"
                raise Misfit(whole, argument="metric", value=str(self), remedy="use win-rate, or leave the metric out")
            who = Message("name the column that says who won (", Argument("winner"), ")")
            raise Misfit(f"{self} needs judgements of which system is better", argument="winner", remedy=who)
        if counts.open and self.needs_negatives:
            problem = f"{self} counts true negatives, and these are response sets, which have none"
            raise Misfit(problem, argument="metric", remedy="use precision, recall, f1, fbeta or jaccard")
        if self.task == "sums":
            check_kinds(self, counts)
            return
        if self.task not in ("scores", "preferences") and "truth" not in counts:
            remedy = Message("name its column (", Argument("truth"), "), or use the metric mean on scores")
            raise Misfit(f"{self} needs the truth", argument="truth", remedy=remedy)
        for role in [*counts.systems, *(["truth"] if self.task == "numbers" else [])]:
            kind, name = counts[role].dtype.kind, counts.name(role)
            if self.of_labels and kind == "f":
                remedy = Message("give ", Argument("threshold"), OF_SCORES)
                raise Misfit(f"{self} needs labels, and {name} holds scores", argument="threshold", remedy=remedy)
            if not self.of_labels and kind == "O":
                raise numbers_needed(self, counts, role)
            outside = self.task == "probabilities" and counts[role][(counts[role] < 0) | (counts[role] > 1)]
            if outside is not False and len(outside):
                wrong = f"{self} needs probabilities from 0 to 1, and {name} holds {outside[0]:g}"
                raise Misfit(wrong, argument=role, remedy="turn scores into probabilities first, as a sigmoid does")
        if self.task == "scores" and "truth" in counts:
            other = " out, or use a metric that reads it (accuracy, mse, auc)"
            leave = Message("leave ", Argument("truth", bare=True), other)
            raise Misfit(f"{self} takes scores alone", argument="truth", remedy=leave)
