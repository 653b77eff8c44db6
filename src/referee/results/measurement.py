"""Measurements: one system's score, how sure it is, and whether it meets a target. Frozen and complete."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from referee.data.counts import Matched
from referee.errors import Argument, OptionError, unknown
from referee.results.base import HIDDEN, Reported, columns_of
from referee.results.comparison import Interval
from referee.results.settings import EXAMPLE, Settings, signature, signature_of_all
from referee.results.test_info import MetricInfo
from referee.results.weighting import Weighting

if TYPE_CHECKING:
    from referee.data.counts import Counts

Attainment: TypeAlias = Literal["meets it", "falls short", "can't tell"]
GATES: dict[Attainment, int] = {"meets it": 0, "falls short": 1, "can't tell": 3}
COLUMNS = ("task", "metric", "name", "score", "low", "high", "at_least", "at_most", "p_value", "verdict", "n", "units")
"""What a data frame of measurements holds."""


@dataclass(frozen=True, kw_only=True)
class Measurement(Reported):
    """One system's score with its interval, and the verdict on a target if there is one."""

    SCHEMA: ClassVar[str] = "referee.score/1"
    metric: str
    name: str
    score: float | None
    interval: Interval | None
    """At 1 - alpha; beside a target at 1 - 2·alpha, so that the verdict is read off its end."""
    reason: str
    alpha: float
    at_least: float | None = None
    at_most: float | None = None
    p_value: float | None
    """That of a score just at the target, against one that meets it; None without a target."""
    p_method: str
    verdict: Attainment | None
    higher_is_better: bool
    n: int
    units: int
    noun: str = EXAMPLE
    """What one of the examples is called."""
    weights: Weighting | None = None
    """How unequal the weights of the examples are; None if all count alike."""
    matched: Matched
    undefined: bool = False
    """Whether the score is 0/0, and counted as its declared value"""
    warnings: tuple[str, ...] = ()
    signature: str = ""
    task: str | None = field(default=None, metadata=HIDDEN)
    counts: Counts | None = field(default=None, metadata=HIDDEN)
    settings: Settings | None = field(default=None, repr=False, compare=False)
    metric_info: MetricInfo | None = field(default=None, repr=False, compare=False)

    @property
    def target(self) -> float | None:
        """The score to reach or not to exceed, if there is one."""
        return self.at_least if self.at_least is not None else self.at_most

    @property
    def gate(self) -> int:
        """The exit code of a release gate: 0 the target is met, 1 it is not, 3 the data can't tell.

        Raises:
            OptionError: if there is no target.
        """
        if self.verdict is None:
            raise OptionError("a gate needs a target: ", *ASKED, argument="at_least")
        return GATES[self.verdict]

    def signed(self, settings: Settings) -> Measurement:
        """Return the same result with these settings and their signature."""
        made = replace(self, settings=settings)
        return replace(made, signature=signature(settings, made.parts()))

    def parts(self) -> dict[str, str]:
        """Return what the signature is made of, by name."""
        settings = self.settings or Settings()
        parts = {
            "metric": self.metric,
            "positive": settings.positive,
            "law": self.interval.method if self.interval else None,
            "p": None if self.p_value is None else self.p_method,
            "alpha": f"{self.alpha:g}",
            "at_least": None if self.at_least is None else f"{self.at_least:g}",
            "at_most": None if self.at_most is None else f"{self.at_most:g}",
            **settings.on_the_way,
            "n": self.n,
            "units": self.units,
            "strata": settings.strata,
            "system": self.name,
            **{role: role for role in settings.roles},
            **settings.about,
            "data": settings.digest,
            "rng": settings.seed,
        }
        return {key: " ".join(str(one).replace("|", "/").split()) for key, one in parts.items() if one is not None}

    def _columns(self) -> dict[str, list[Any]]:
        return Measurements((self,))._columns()


ASKED = (Argument("at_least"), ", or ", Argument("at_most"), " if lower is better")


@dataclass(frozen=True)
class Measurements(Reported):
    """The scores of one system by several metrics, or in several slices."""

    SCHEMA: ClassVar[str] = "referee.scores/1"
    scores: tuple[Measurement, ...]

    def __len__(self) -> int:
        return len(self.scores)

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self.scores)

    def __getitem__(self, place: int | str) -> Measurement:
        if isinstance(place, int):
            return self.scores[place]
        for score in self.scores:
            if score.task == place:
                return score
        raise unknown("task", place, [score.task for score in self.scores])

    @property
    def noun(self) -> str:
        """What one of the examples is called."""
        return self.scores[0].noun if self.scores else EXAMPLE

    @property
    def signatures(self) -> tuple[str, ...]:
        """What it takes to get all these numbers again, on one line; of results that were read, a line each."""
        first = self.scores[0].settings if self.scores else None
        if first is None or any(one.settings is None for one in self.scores):
            return tuple(one.signature for one in self.scores)
        return (signature_of_all(first, [one.parts() for one in self.scores]),)

    @property
    def gate(self) -> int:
        """The worst of the exit codes: 1 before 3 before 0."""
        return min((score.gate for score in self.scores if score.gate), default=0)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as the JSON contract `referee.scores/1` has them."""
        return {"schema": self.SCHEMA, "scores": [{"task": one.task, **one.to_dict()} for one in self.scores]}

    def _columns(self) -> dict[str, list[Any]]:
        return columns_of(self.scores, COLUMNS)
