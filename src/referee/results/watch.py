"""Watches: what a comparison says while its examples still arrive, look by look, and whether to stop. Frozen and complete."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeAlias

from referee.results.base import HIDDEN, Reported, Written
from referee.results.comparison import GATES, Comparison, Interval, Score
from referee.results.settings import Alternative, Question, Settings, Verdict
from referee.results.test_info import MetricInfo, TestInfo

Decision: TypeAlias = Literal["stop", "keep going"]
COLUMNS = ("look", "n", "units", "log_evidence_b", "log_evidence_a", "difference", "low", "high", "p")
"""What a data frame of a watch holds: a row per look."""


@dataclass(frozen=True, kw_only=True)
class WatchLook(Written):
    """What the first so many examples said."""

    look: int
    """Which look read them, from 1 on; one look at a table in order goes through all its new rows."""
    n: int
    units: int
    log_evidence_b: float
    """The logarithm of the evidence for the answer that favours B: that it is better, or no worse or equal where that is asked."""
    log_evidence_a: float
    """That of the opposite."""
    difference: float | None
    low: float | None
    """The ends of the interval of these examples alone; None where only the evidence was computed."""
    high: float | None
    p: float
    """The p-value of these examples alone."""


@dataclass(frozen=True, kw_only=True)
class Stopped(Written):
    """When there was enough evidence to stop."""

    n: int
    look: int
    after: int
    """How many examples were known not to be enough; n - 1 if it is known exactly when it was."""


@dataclass(frozen=True, kw_only=True)
class Watch(Reported):
    """The present comparison, all evidence so far, and whether to stop."""

    SCHEMA: ClassVar[str] = "referee.watch/1"
    decision: Decision
    verdict: Verdict
    """That of when it stopped; before, "no worse" if all looks so far show that, else "too close to call"."""
    metric: str
    test: str
    alternative: Alternative
    alpha: float
    question: Question
    margin: float | None
    higher_is_better: bool
    p_value: float
    """The smallest so far: that is what may be held against alpha, however often one looks."""
    p_method: str
    interval: Interval | None
    """Where all intervals so far overlap: it leaves out 0 exactly if p is at most alpha. If they have nothing in common, the last."""
    margin_interval: Interval | None
    """The same at 1 - 2·alpha, which is held against the margin."""
    drift: bool
    """Whether what examples say has changed on the way: the intervals so far have nothing in common, or the examples, taken as one
    look, say now that the other system is better."""
    stopped_at: Stopped | None
    more: int | None
    """About how many more examples it would take if the difference stays as it is; None if it has stopped, or it would be more than
    20 times as many as there are."""
    log_stop: tuple[float | None, float | None] = field(metadata={"names": ("b", "a")})
    """The logarithm of the evidence for B and for A at which it stops; None if it does not stop for that alone."""
    n: int
    units: int
    waiting: int = 0
    """How many examples of the last group are left out, since more of its rows may come."""
    looked: int
    """How often somebody looked at other data than before."""
    only_looks: str
    """Why evidence was not computed example by example, but only once per look; nothing if it was."""
    looks: tuple[WatchLook, ...]
    """What was seen on the way, thinned out where that is much."""
    comparison: Comparison
    """All about the examples there are now, as one look at them."""
    kept: bool = field(metadata=HIDDEN)
    """Whether a state file goes on from here."""
    warnings: tuple[str, ...] = ()
    signature: str = ""

    @property
    def gate(self) -> int:
        """The exit code of a release gate, that of the verdict: 0 pass, 1 worse, 3 can't tell, also if what examples say has changed."""
        return GATES[self.so_far.verdict]

    @property
    def so_far(self) -> Comparison:
        """The comparison with the p-value, the interval and the verdict of all looks so far; no verdict if what examples say has changed."""
        verdict: Verdict = "too close to call" if self.drift else self.verdict
        return replace(
            self.comparison, interval=self.interval, margin_interval=self.margin_interval, verdict=verdict,
            p_value=self.p_value, needed=None, warnings=self.warnings, signature=self.signature,
        )  # fmt: skip

    @property
    def noun(self) -> str:
        """What one of the examples is called."""
        return self.comparison.noun

    @property
    def a(self) -> Score:
        """The score of A on all examples so far."""
        return self.comparison.a

    @property
    def b(self) -> Score:
        """The score of B."""
        return self.comparison.b

    @property
    def settings(self) -> Settings | None:
        """How the comparison came about."""
        return self.comparison.settings

    @property
    def metric_info(self) -> MetricInfo | None:
        """What is told of the metric."""
        return self.comparison.metric_info

    @property
    def test_info(self) -> TestInfo | None:
        """What is told of the test."""
        return self.comparison.test_info

    def _columns(self) -> dict[str, list[Any]]:
        return {name: [getattr(look, name) for look in self.looks] for name in COLUMNS}
