"""Plans: how large a test set must be, what it would detect, and what that rests on. Frozen and complete."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from referee.results.base import Reported, transposed
from referee.results.settings import EXAMPLE, Alternative, Question, Settings
from referee.results.test_info import MetricInfo, TestInfo

Solved: TypeAlias = Literal["n", "difference", "power"]
Source: TypeAlias = Literal["pilot", "scores", "variances", "nothing"]


@dataclass(frozen=True, kw_only=True)
class Plan(Reported):
    """How many examples it takes to detect a difference, or what so many would detect, with the power at other sizes."""

    SCHEMA: ClassVar[str] = "referee.plan/1"
    metric: str
    test: str
    reason: str
    alternative: Alternative
    alpha: float
    question: Question = "better"
    margin: float | None = None
    higher_is_better: bool = True
    solved: Solved
    """Which of n, difference and power was looked for; the other two were given."""
    n: int
    """How many examples the test set has."""
    units: int
    """How many groups it has if examples come in groups; otherwise the same as n."""
    unit: Literal["example", "group"] = "example"
    noun: str = EXAMPLE
    """What one of the examples is called."""
    power: float
    power_error: float | None = None
    """Its Monte Carlo error, if the power was looked for."""
    difference: float
    """The true difference b - a that is assumed."""
    scores: tuple[float, float] | None = field(default=None, metadata={"names": ("a", "b")})
    """The true scores that are assumed."""
    agreement: float | None = None
    """How often both systems are right or both wrong, if answers are just that."""
    curve: tuple[dict[str, Any], ...]
    """The power at several sizes: n, units, power and its Monte Carlo error."""
    method: Literal["simulation", "normal"]
    """Whether power was measured on drawn test sets, or computed by the normal law."""
    sets: int = 0
    """How many test sets were drawn at each size."""
    source: Source
    """What the plan was made from."""
    pilot: dict[str, Any] | None = None
    """The pilot: n, units, difference, interval, and the power at its size."""
    scenarios: tuple[dict[str, Any], ...] = ()
    """What n would be if the systems agreed more often than is assumed."""
    variances: dict[str, float] | None = None
    """The variance of the difference between examples, and within them: from run to run, both systems together."""
    runs: float | None = None
    """How often each example is answered, if that matters."""
    repeats: tuple[dict[str, Any], ...] = ()
    """What n would be with other numbers of runs; None stands for as many as one likes."""
    levels: tuple[dict[str, Any], ...] = ()
    """What two crossed groups are called, and how many of each the plan has."""
    trade: tuple[dict[str, Any], ...] = ()
    """The power with one, two and four times the pilot's levels of two crossed groups."""
    gains: tuple[dict[str, Any], ...] = ()
    """By what share twice as many of either would cut the standard error; without a name, of the rows of each group."""
    names: tuple[str, str] = field(default=("A", "B"), metadata={"names": ("a", "b")})
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    signature: str = ""
    settings: Settings | None = field(default=None, repr=False, compare=False)
    test_info: TestInfo | None = field(default=None, repr=False, compare=False)
    metric_info: MetricInfo | None = field(default=None, repr=False, compare=False)

    def _columns(self) -> dict[str, list[Any]]:
        return transposed(self.curve)
