"""Results: frozen, complete, and able to say how they came about."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from referee.data.counts import Matched
from referee.data.dataframe import frame_of
from referee.errors import RefereeError
from referee.results.plot_data import PlotData
from referee.results.settings import Alternative, Question, Settings, Verdict, signature
from referee.results.test_info import MetricInfo, TestInfo

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


@dataclass(frozen=True, kw_only=True)
class Interval:
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

    def to_dict(self) -> dict[str, Any]:
        """Return the interval as the JSON contract has it."""
        return {"low": number(self.low), "high": number(self.high), "level": self.level, "method": self.method}


@dataclass(frozen=True, kw_only=True)
class Score:
    """One system's score."""

    name: str
    score: float | None
    interval: Interval | None = None
    undefined: bool = False
    """Whether it is 0/0, and counted as its declared value"""

    def to_dict(self) -> dict[str, Any]:
        """Return the score as the JSON contract has it."""
        interval = self.interval.to_dict() if self.interval else None
        return {"name": self.name, "score": number(self.score), "interval": interval, "undefined": self.undefined}

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Score:
        """Read what `to_dict` wrote."""
        undefined = content.get("undefined", False)
        return cls(
            name=content["name"], score=content["score"], interval=_interval(content["interval"]), undefined=undefined
        )


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What was compared, how, and what came of it. Everything that a report or a repetition needs."""

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
    n: int
    units: int
    matched: Matched
    discordant: tuple[int, int] | None
    correlation: float | None
    inflation: float | None
    design_effect: float | None
    undefined: float
    probability_b_better: float | None
    audit: dict[str, Any] | None = None
    """How often the very test errs on data like these, where that was measured."""
    audit_seconds: float | None = None
    """About how long measuring that would take, where it was too long to be done unasked."""
    solver: dict[str, Any] | None = None
    """How the search for nearest worlds went, where the test makes one."""
    warnings: tuple[str, ...] = ()
    signature: str = ""
    task: str | None = None
    p_adjusted: float | None = None
    counts: Counts | None = None
    look: Callable[[], tuple[Example, ...]] | None = field(default=None, repr=False, compare=False)
    """Reads the first examples on which the systems differ, where the data have ids or texts; a report asks it."""
    plotted: Callable[[Comparison], PlotData] | None = field(default=None, repr=False, compare=False)
    """Computes what charts need beyond these numbers, when somebody looks."""
    settings: Settings | None = field(default=None, repr=False, compare=False)
    test_info: TestInfo | None = field(default=None, repr=False, compare=False)
    metric_info: MetricInfo | None = field(default=None, repr=False, compare=False)
    """None, as the other three, where the result was read from a file."""

    @property
    def gate(self) -> int:
        """The exit code of a release gate: 0 go, 1 worse, 3 the data cannot tell."""
        return GATES[self.verdict]

    def signed(self, settings: Settings) -> Comparison:
        """Return the same with these settings, and with the line that tells them."""
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
            "strata": settings.strata,
            "a": self.a.name,
            "b": self.b.name,
            **{role: role for role in settings.roles},
            **settings.about,
            "data": settings.digest,
            "adjust": settings.adjust,
            "comparisons": settings.comparisons,
            "rng": settings.seed,
        }
        flat = {
            key: " ".join(str(value).replace("|", "/").split()) for key, value in parts.items() if value is not None
        }
        return replace(self, settings=settings, signature=signature(settings, flat))

    def plot_data(self) -> PlotData:
        """Compute what charts need beyond these numbers; nothing where the result was read from a file."""
        return PlotData() if self.plotted is None or self.difference is None else self.plotted(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract `referee.comparison/1` has it."""
        return {
            "schema": "referee.comparison/1",
            "metric": self.metric,
            "test": self.test,
            "reason": self.reason,
            "alternative": self.alternative,
            "alpha": self.alpha,
            "question": self.question,
            "margin": self.margin,
            "margin_interval": self.margin_interval.to_dict() if self.margin_interval else None,
            "higher_is_better": self.higher_is_better,
            "a": self.a.to_dict(),
            "b": self.b.to_dict(),
            "difference": number(self.difference),
            "interval": self.interval.to_dict() if self.interval else None,
            "statistic": number(self.statistic),
            "p_value": number(self.p_value),
            "p_method": self.p_method,
            "p_error": number(self.p_error),
            "mid_p": self.mid_p,
            "verdict": self.verdict,
            "detectable": number(self.detectable),
            "n": self.n,
            "units": self.units,
            "matched": self.matched.to_dict(),
            "discordant": {"a_only": self.discordant[0], "b_only": self.discordant[1]} if self.discordant else None,
            "correlation": number(self.correlation),
            "inflation": number(self.inflation),
            "design_effect": number(self.design_effect),
            "undefined": number(self.undefined),
            "probability_b_better": number(self.probability_b_better),
            "audit": self.audit,
            "audit_seconds": number(self.audit_seconds),
            "solver": self.solver,
            "warnings": list(self.warnings),
            "signature": self.signature,
        }

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Comparison:
        """Read what `to_dict` wrote."""
        try:
            fields = {key: value for key, value in content.items() if key not in ("schema", "task", "p_adjusted")}
            for system in ("a", "b"):
                fields[system] = Score.from_dict(fields[system])
            fields["interval"] = _interval(fields["interval"])
            fields["margin_interval"] = _interval(fields.get("margin_interval"))
            fields["matched"] = Matched(**fields["matched"])
            pair = fields["discordant"]
            fields["discordant"] = (pair["a_only"], pair["b_only"]) if pair else None
            fields["warnings"] = tuple(fields["warnings"])
            return cls(**fields, task=content.get("task"), p_adjusted=content.get("p_adjusted"))
        except (KeyError, TypeError) as error:
            raise RefereeError(f"this is not a comparison: {type(error).__name__}: {error}") from error

    def to_json(self) -> str:
        """Return the JSON text of the result."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)

    def to_frame(self, backend: Any = None) -> Any:
        """Return the result as a data frame of one row; the backend is the first there is of pandas, polars and pyarrow if left out."""
        return Comparisons((self,)).to_frame(backend)

    def to_markdown(self) -> str:
        """Return the result as Markdown."""
        from referee.report import markdown

        return markdown.comparison(self)

    def to_latex(self) -> str:
        """Return the result as a LaTeX table with a sentence for the paper."""
        from referee.report import latex

        return latex.comparison(self)

    def examples(self) -> tuple[Example, ...]:
        """Return the first examples on which the systems differ; none where the data have neither ids nor texts."""
        return self.look() if self.look is not None else ()

    def plot(self, theme: str = "light") -> Any:
        """Return charts of the result (an altair chart; needs the extra `report`); the theme is light or dark."""
        from referee.report import charts

        return charts.plot(self, theme)

    def to_html(self, path: str | os.PathLike[str] | None = None, *, examples: bool = True) -> str:
        """Return the report as one page that needs no other file and no network.

        Args:
            path: where to write it, whole or not at all; nowhere if left out.
            examples: whether to list the examples on which the systems differ, where the data have ids or texts.
        """
        from referee.report import html

        return html.report(self, path, examples=examples)

    def to_junit(self) -> str:
        """Return the result as JUnit's XML: a test case that passes where a release gate would."""
        from referee.report import junit

        return junit.comparison(self)

    def __str__(self) -> str:
        from referee.report import text

        return text.comparison(self)


@dataclass(frozen=True)
class Comparisons:
    """Several comparisons, their p-values adjusted for being several."""

    comparisons: tuple[Comparison, ...]
    adjust: str = "holm"

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
        from referee.errors import unknown

        raise unknown("task", place, [c.task for c in self.comparisons])

    @property
    def gate(self) -> int:
        """The worst of the exit codes: 1 before 3 before 0."""
        codes = {comparison.gate for comparison in self.comparisons}
        return next((code for code in (1, 3) if code in codes), 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as the JSON contract `referee.comparisons/1` has them."""
        rows = [{"task": c.task, "p_adjusted": number(c.p_adjusted), **c.to_dict()} for c in self.comparisons]
        return {"schema": "referee.comparisons/1", "adjust": self.adjust, "comparisons": rows}

    def to_json(self) -> str:
        """Return the JSON text of the results."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)

    def to_frame(self, backend: Any = None) -> Any:
        """Return the results as a data frame of one row a comparison; the backend is the first there is of pandas, polars and pyarrow if left out."""
        rows = [_flat(comparison) for comparison in self.comparisons]
        columns = {key: [row[key] for row in rows] for key in rows[0]}
        return frame_of(columns, backend)

    def to_markdown(self) -> str:
        """Return the results as Markdown."""
        from referee.report import markdown

        return markdown.comparisons(self)

    def to_latex(self) -> str:
        """Return the results as a LaTeX table."""
        from referee.report import latex

        return latex.comparisons(self)

    def plot(self, theme: str = "light") -> Any:
        """Return a chart of all differences (an altair chart; needs the extra `report`); the theme is light or dark."""
        from referee.report import charts

        return charts.plot(self, theme)

    def to_html(self, path: str | os.PathLike[str] | None = None, *, examples: bool = True) -> str:
        """Return the report as one page that needs no other file and no network.

        Args:
            path: where to write it, whole or not at all; nowhere if left out.
            examples: whether to list the examples on which the systems differ, where the data have ids or texts.
        """
        from referee.report import html

        return html.report(self, path, examples=examples)

    def to_junit(self) -> str:
        """Return the results as JUnit's XML, a test case each."""
        from referee.report import junit

        return junit.comparisons(self)

    def __str__(self) -> str:
        from referee.report import text

        return text.comparisons(self)


def number(value: float | None) -> float | None:
    """Return a finite number or None: what cannot be known is null."""
    if value is None or not math.isfinite(value):
        return None
    return value if isinstance(value, int) else float(value)


def _interval(content: dict[str, Any] | None) -> Interval | None:
    return Interval(**content) if content else None


def _flat(comparison: Comparison) -> dict[str, Any]:
    interval = comparison.interval
    return {
        "task": comparison.task,
        "metric": comparison.metric,
        "test": comparison.test,
        "a": comparison.a.name,
        "b": comparison.b.name,
        "score_a": number(comparison.a.score),
        "score_b": number(comparison.b.score),
        "difference": number(comparison.difference),
        "low": number(interval.low) if interval else None,
        "high": number(interval.high) if interval else None,
        "p_value": number(comparison.p_value),
        "p_adjusted": number(comparison.p_adjusted),
        "verdict": comparison.verdict,
        "n": comparison.n,
        "units": comparison.units,
    }
