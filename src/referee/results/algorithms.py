"""Standings: several algorithms on the same splits, every pair tested, and who is best. Frozen and complete."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

from referee.data.dataframe import frame_of
from referee.errors import unknown
from referee.results.comparison import Comparison, Interval, number
from referee.results.settings import Alternative, Settings, Verdict
from referee.results.test_info import MetricInfo, TestInfo


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """What one algorithm scored, and what it cost."""

    name: str
    score: float | None
    """The mean over the splits that it has a score on."""
    spread: float | None
    """The standard deviation from split to split."""
    scores: tuple[float | None, ...]
    """One a split; None where the fit failed."""
    fit_seconds: float | None = None
    """Mean seconds of a fit; None where nothing was fitted here."""
    predict_seconds: float | None = None
    """Mean seconds to predict the test examples of a split."""
    model: str = ""
    """What was fitted, as it prints itself."""

    def to_dict(self) -> dict[str, Any]:
        """Return the algorithm as the JSON contract has it."""
        return {
            "name": self.name,
            "score": number(self.score),
            "spread": number(self.spread),
            "scores": [number(score) for score in self.scores],
            "fit_seconds": number(self.fit_seconds),
            "predict_seconds": number(self.predict_seconds),
            "model": self.model,
        }


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two algorithms compared."""

    a: str
    b: str
    difference: float | None
    """score(b) - score(a), the mean over the splits."""
    interval: Interval | None
    test: str
    statistic: float | None
    p_value: float | None
    p_adjusted: float | None
    probabilities: dict[str, float] | None = None
    """Of a Bayesian test: that a is better, that they are practically equal, that b is better."""
    verdict: Verdict
    comparison: Comparison | None = None
    """The whole comparison on the one test set, where the design is a holdout."""
    test_info: TestInfo | None = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as the JSON contract has it."""
        return {
            "a": self.a,
            "b": self.b,
            "difference": number(self.difference),
            "interval": self.interval.to_dict() if self.interval else None,
            "test": self.test,
            "statistic": number(self.statistic),
            "p_value": number(self.p_value),
            "p_adjusted": number(self.p_adjusted),
            "probabilities": self.probabilities,
            "verdict": self.verdict,
            "comparison": self.comparison.to_dict() if self.comparison else None,
        }


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A fit that failed."""

    name: str
    split: int
    """Which split, counted from 1."""
    error: str

    def to_dict(self) -> dict[str, Any]:
        """Return the failure as the JSON contract has it."""
        return {"name": self.name, "split": self.split, "error": self.error}


@dataclass(frozen=True, kw_only=True)
class Standings:
    """Algorithms with their scores and costs, all pairs, and those that no other is significantly better than."""

    design: str
    metric: str
    higher_is_better: bool
    test: str
    reason: str
    alternative: Alternative
    alpha: float
    margin: float | None
    adjust: str
    fits: int
    """How many models were fitted: once a split for each algorithm."""
    splits: int
    n: int | None
    """How many examples there are; None where it is not known."""
    n_train: float | None
    """Training examples of a split, on average."""
    n_test: float | None
    algorithms: tuple[Algorithm, ...]
    """Best score first."""
    pairs: tuple[Pair, ...]
    best: tuple[str, ...]
    """Those that no other is significantly better than, best score first."""
    failures: tuple[Failure, ...] = ()
    seconds: float | None = None
    """What all fits and predictions took together."""
    warnings: tuple[str, ...] = ()
    signature: str = ""
    settings: Settings | None = field(default=None, repr=False, compare=False)
    test_info: TestInfo | None = field(default=None, repr=False, compare=False)
    """Of the test of all pairs, where there is one."""
    metric_info: MetricInfo | None = field(default=None, repr=False, compare=False)

    def pair(self, a: str, b: str) -> Pair:
        """Return the pair of two algorithms, in the order in which it was compared.

        Raises:
            NameUnknown: where there is no such pair.
        """
        for pair in self.pairs:
            if {pair.a, pair.b} == {a, b}:
                return pair
        raise unknown("pair", f"{a} and {b}", [f"{pair.a} and {pair.b}" for pair in self.pairs])

    def __getitem__(self, name: str) -> Algorithm:
        for algorithm in self.algorithms:
            if algorithm.name == name:
                return algorithm
        raise unknown("algorithm", name, [algorithm.name for algorithm in self.algorithms])

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract `referee.algorithms/1` has it."""
        return {
            "schema": "referee.algorithms/1",
            "design": self.design,
            "metric": self.metric,
            "higher_is_better": self.higher_is_better,
            "test": self.test,
            "reason": self.reason,
            "alternative": self.alternative,
            "alpha": self.alpha,
            "margin": self.margin,
            "adjust": self.adjust,
            "fits": self.fits,
            "splits": self.splits,
            "n": self.n,
            "n_train": number(self.n_train),
            "n_test": number(self.n_test),
            "systems": [algorithm.to_dict() for algorithm in self.algorithms],
            "pairs": [pair.to_dict() for pair in self.pairs],
            "best": list(self.best),
            "failures": [failure.to_dict() for failure in self.failures],
            "seconds": number(self.seconds),
            "warnings": list(self.warnings),
            "signature": self.signature,
        }

    def to_json(self) -> str:
        """Return the JSON text of the result."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)

    def to_frame(self, backend: Any = None) -> Any:
        """Return the pairs as a data frame, a row each; the backend is the first there is of pandas, polars and pyarrow if left out."""
        head = ("a", "b", "score_a", "score_b", "difference", "low", "high", "test", "p_value", "p_adjusted", "verdict")
        rows: list[dict[str, Any]] = [
            {
                "a": pair.a,
                "b": pair.b,
                "score_a": number(self[pair.a].score),
                "score_b": number(self[pair.b].score),
                "difference": number(pair.difference),
                "low": number(pair.interval.low) if pair.interval else None,
                "high": number(pair.interval.high) if pair.interval else None,
                "test": pair.test,
                "p_value": number(pair.p_value),
                "p_adjusted": number(pair.p_adjusted),
                "verdict": pair.verdict,
            }
            for pair in self.pairs
        ]
        return frame_of({key: [row[key] for row in rows] for key in head}, backend)

    def to_markdown(self) -> str:
        """Return the result as Markdown."""
        from referee.report import algorithms

        return algorithms.markdown(self)

    def to_latex(self) -> str:
        """Return the result as LaTeX tables with a sentence for the paper."""
        from referee.report import algorithms

        return algorithms.latex(self)

    def plot(self, theme: str = "light") -> Any:
        """Return charts of the fold scores and of all pairs (an altair chart; needs the extra `report`); the theme is light or dark."""
        from referee.report import charts

        return charts.plot(self, theme)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the report as one page that needs no other file and no network, and write it if a path is given."""
        from referee.report import html

        return html.report(self, path)

    def __str__(self) -> str:
        from referee.report import algorithms

        return algorithms.text(self)
