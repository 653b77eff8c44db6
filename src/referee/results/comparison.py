"""Comparisons: scores, difference, p-value and verdict, with all that went into them. Frozen and complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from referee.data.counts import Matched
from referee.errors import RefereeError, unknown
from referee.results.base import BELIEVED, HIDDEN, Reported, Written, as_json, columns_of, number
from referee.results.judge import Judge
from referee.results.plot_data import PlotData
from referee.results.position import Position, Preferences
from referee.results.posterior import Posterior
from referee.results.settings import EXAMPLE, Alternative, Question, Settings, Verdict, signature, signature_of_all
from referee.results.test_info import MetricInfo, TestInfo
from referee.results.variance_parts import VarianceSplit
from referee.results.weighting import Weighting

if TYPE_CHECKING:
    from referee.data.counts import Counts
    from referee.data.examples import Example

GATES: dict[Verdict, int] = {
    "b better": 0,
    "practically equal": 0,
    "no worse": 0,
    "a better": 1,
    "too close to call": 3,
}

WHOLE = 1e-6
"""What is nearer than this to a whole number is one but for rounding."""
BEFORE = ("task", "metric", "test")
JUDGED = ("a", "b", "score_a", "score_b", "difference", "low", "high", "p_value", "p_adjusted", "verdict")
"""What a data frame of comparisons holds."""


@dataclass(frozen=True, kw_only=True)
class Interval(Written):
    """An interval with its level and the method that made it."""

    low: float
    high: float
    level: float
    method: str

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def flipped(self) -> Interval:
        """Return the interval of the opposite difference."""
        return replace(self, low=-self.high, high=-self.low)


@dataclass(frozen=True, kw_only=True)
class Score(Written):
    """One system's score."""

    name: str
    score: float | None
    interval: Interval | None = None
    undefined: bool = False
    """Whether it is 0/0, and counted as its declared value"""

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Score:
        """Read what `to_dict` wrote."""
        return cls(**{**content, "interval": _interval(content["interval"])})


@dataclass(frozen=True, kw_only=True)
class Comparison(Reported):
    """What was compared, how, and the result: all that a report needs, or anyone who wants the same numbers again."""

    SCHEMA: ClassVar[str] = "referee.comparison/1"
    metric: str
    test: str
    reason: str
    alternative: Alternative
    alpha: float
    question: Question = "better"
    """What p is the p-value of."""
    margin: float | None = None
    margin_interval: Interval | None = None
    """The 1 - 2·alpha interval that is held against the margin."""
    higher_is_better: bool
    a: Score
    b: Score
    difference: float | None
    interval: Interval | None
    statistic: float | None
    p_value: float | None
    p_method: str
    p_error: float | None
    mid_p: bool = False
    """Whether p counts what is just as extreme by half (McNemar's mid-p)."""
    verdict: Verdict
    detectable: float | None
    needed: dict[str, int] | None = None
    """How many examples (n) and units would confirm a difference this large 4 times in 5, if it is too close to call."""
    n: int
    units: int
    noun: str = EXAMPLE
    """What one of the examples is called."""
    paired: bool = True
    """Whether both systems answered the same examples; if not, `matched` has how many each did."""
    weights: Weighting | None = None
    """How unequal the weights of the examples are; None if all count alike."""
    matched: Matched
    discordant: tuple[int, int] | None = field(metadata={"names": ("a_only", "b_only")})
    preferences: Preferences | None = None
    """Of judgements of which system is better: how many B won, tied and lost."""
    position: Position | None = None
    """What being shown first did, if both orders occurred."""
    correlation: float | None
    inflation: float | None
    design_effect: float | None
    variance: VarianceSplit | None = None
    """Where the variance of the difference comes from, if there are groups of several rows."""
    undefined: float
    probability_b_better: float | None
    posterior: Posterior | None = None
    """What is believed of the difference after the data, if the test is a Bayesian one."""
    judge: Judge | None = None
    """What a judge added, if one labelled all examples and people some."""
    audit: dict[str, Any] | None = None
    """How often the very test errs on data like these, if that was measured."""
    audit_seconds: float | None = None
    """About how long measuring that would take, if it was too long to be done unasked."""
    solver: dict[str, Any] | None = None
    """How the search for nearest worlds went, if the test makes one."""
    warnings: tuple[str, ...] = ()
    signature: str = ""
    task: str | None = field(default=None, metadata=HIDDEN)
    p_adjusted: float | None = field(default=None, metadata=HIDDEN)
    interval_adjusted: Interval | None = field(default=None, metadata=HIDDEN)
    """Of one of several comparisons: simultaneous with those of the others, so that it leaves out 0 exactly if p_adjusted is at
    most alpha; None if the adjustment has none."""
    counts: Counts | None = field(default=None, metadata=HIDDEN)
    look: Callable[[], tuple[Example, ...]] | None = field(default=None, repr=False, compare=False)
    """Reads the first examples on which the systems differ, if the data have ids or texts; a report asks it."""
    plotted: Callable[[Comparison], PlotData] | None = field(default=None, repr=False, compare=False)
    """Computes what charts need beyond these numbers, when somebody looks."""
    settings: Settings | None = field(default=None, repr=False, compare=False)
    test_info: TestInfo | None = field(default=None, repr=False, compare=False)
    metric_info: MetricInfo | None = field(default=None, repr=False, compare=False)
    """If the result was read from a file, it follows from the metric's name; the other three are None."""

    @property
    def gate(self) -> int:
        """The exit code of a release gate: 0 pass, 1 worse, 3 the data can't tell."""
        return GATES[self.verdict]

    def signed(self, settings: Settings) -> Comparison:
        """Return the same result with these settings and their signature."""
        made = replace(self, settings=settings)
        return replace(made, signature=signature(settings, made.parts()))

    def parts(self) -> dict[str, str]:
        """Return the parts of the signature, by what they are about."""
        settings = self.settings or Settings()
        parts = {
            "metric": self.metric,
            "positive": settings.positive,
            "test": self.test,
            "p": self.p_method,
            "alternative": self.alternative,
            "alpha": f"{self.alpha:g}",
            "question": None if self.question == "better" else self.question,
            "margin": None if self.margin is None else f"{self.margin:g}",
            **settings.on_the_way,
            "n": self.n,
            "units": self.units,
            "paired": None if self.paired else "no",
            "strata": settings.strata,
            "a": self.a.name,
            "b": self.b.name,
            **{role: role for role in settings.roles},
            **settings.about,
            "data": settings.digest,
            "tasks": settings.tasks,
            "adjust": settings.adjust,
            "comparisons": settings.comparisons,
            "rng": settings.seed,
        }
        return {key: " ".join(str(one).replace("|", "/").split()) for key, one in parts.items() if one is not None}

    def plot_data(self) -> PlotData:
        """Compute what charts need beyond these numbers; nothing if the result was read from a file."""
        return PlotData() if self.plotted is None or self.difference is None else self.plotted(self)

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Comparison:
        """Read what `to_dict` wrote."""
        try:
            fields = {key: value for key, value in content.items() if key != "schema"}
            fields |= {key: _interval(fields.get(key)) for key in ("interval", "margin_interval")}
            fields |= {system: Score.from_dict(fields[system]) for system in ("a", "b")}
            weights = fields.get("weights")
            fields |= {"weights": Weighting(**weights) if weights else None}

            posterior = fields.get("posterior")
            fields |= {"posterior": Posterior(**posterior) if posterior else None}
            fields |= {"judge": Judge.from_dict(fields["judge"]) if fields.get("judge") else None}
            fields |= {"matched": Matched(**fields["matched"]), "warnings": tuple(fields["warnings"])}
            fields |= {"variance": VarianceSplit.from_dict(fields.get("variance"))}
            fields |= {
                "preferences": _preferences(fields.get("preferences")),
                "position": _position(fields.get("position")),
            }
            pair = fields["discordant"]
            read = cls(**{**fields, "discordant": (pair["a_only"], pair["b_only"]) if pair else None})
            return replace(read, metric_info=_info_of(read))
        except (KeyError, TypeError) as error:
            raise RefereeError(f"this is not a comparison: {type(error).__name__}: {error}") from error

    def _columns(self) -> dict[str, list[Any]]:
        return Comparisons((self,))._columns()

    def examples(self) -> tuple[Example, ...]:
        """Return the first examples on which the systems differ; none if the data have neither ids nor texts."""
        return self.look() if self.look is not None else ()


@dataclass(frozen=True)
class Comparisons(Reported):
    """Several comparisons, with p-values adjusted for multiple comparisons."""

    SCHEMA: ClassVar[str] = "referee.comparisons/1"
    comparisons: tuple[Comparison, ...]
    adjust: str = "holm"
    overall: tuple[Any, ...] = ()
    """One answer over all tasks of each metric (`results.overall.Overall`), if there are several: pooled, and their average."""

    def __len__(self) -> int:
        return len(self.comparisons)

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.comparisons)

    def __getitem__(self, place: int | str) -> Comparison:
        if isinstance(place, int):
            return self.comparisons[place]
        for comparison in self.comparisons:
            if comparison.task == place:
                return comparison
        raise unknown("task", place, [c.task for c in self.comparisons])

    @property
    def told(self) -> Comparisons:
        """The same for a reader: with the intervals that go with the verdicts, and with none if one would contradict its own.

        Adjustments step by step have no intervals, and those of single comparisons may leave out 0 where the verdict does not.
        """
        if any(c.interval_adjusted for c in self.comparisons):
            return replace(self, comparisons=tuple(replace(c, interval=c.interval_adjusted) for c in self.comparisons))
        open_ = [
            c
            for c in self.comparisons
            if c.verdict == "too close to call" and c.interval and c.alternative == "two-sided"
        ]
        if self.adjust == "none" or all(c.interval and 0.0 in c.interval for c in open_):
            return self
        return replace(self, comparisons=tuple(replace(c, interval=None) for c in self.comparisons))

    @property
    def noun(self) -> str:
        """What one of the examples is called."""
        return self.comparisons[0].noun if self.comparisons else EXAMPLE

    @property
    def signatures(self) -> tuple[str, ...]:
        """What it takes to get all these numbers again, on one line; of results that were read, a line each."""
        first = self.comparisons[0].settings if self.comparisons else None
        if first is None or any(c.settings is None for c in self.comparisons):
            return tuple(c.signature for c in self.comparisons)
        return (signature_of_all(first, [c.parts() for c in self.comparisons]),)

    @property
    def gate(self) -> int:
        """The worst of the exit codes: 1 before 3 before 0."""
        return min((comparison.gate for comparison in self.comparisons if comparison.gate), default=0)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as the JSON contract `referee.comparisons/1` has them."""
        rows = [
            {
                "task": c.task,
                "p_adjusted": number(c.p_adjusted),
                "interval_adjusted": as_json(c.interval_adjusted),
                **c.to_dict(),
            }
            for c in self.comparisons
        ]
        overall = [one.to_dict() for one in self.overall]
        return {"schema": self.SCHEMA, "adjust": self.adjust, "comparisons": rows, "overall": overall}

    def _columns(self) -> dict[str, list[Any]]:
        believed = BELIEVED if any(c.posterior for c in self.comparisons) else ()
        return columns_of(self.comparisons, (*BEFORE, *JUDGED, *believed, "n", "units"))


def _info_of(r: Comparison) -> MetricInfo | None:
    """Return what is told of the metric of a result that was read; None if it is not registered."""
    from referee.metrics.decorator import info_of

    info, scores = info_of(r.metric), [score.score for score in (r.a, r.b) if score.score is not None]
    # Means of right and wrong answers are shares: of all examples, a whole number is right.
    is_share = all(0 <= one <= 1 and abs(r.n * one - round(r.n * one)) < WHOLE for one in scores)
    return replace(info, unit="share") if info and r.metric == "mean" and is_share else info


def _preferences(content: dict[str, Any] | None) -> Preferences | None:
    return Preferences(**content) if content else None


def _position(content: dict[str, Any] | None) -> Position | None:
    return Position(**{**content, "interval": _interval(content["interval"])}) if content else None


def _interval(content: dict[str, Any] | None) -> Interval | None:
    return Interval(**content) if content else None
