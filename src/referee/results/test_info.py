"""What a result says about its test and its metric: what they do, what they assume, where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias


class Cited(NamedTuple):
    """Words, and the keys of the works that are cited behind them."""

    text: str
    works: tuple[str, ...] = ()


Phrase: TypeAlias = tuple[Cited, ...]
Unit: TypeAlias = Literal["share", "number"]
"""Whether a score is a share of 1, which people read as a percentage, or any other number."""


def said(text: str, *works: str) -> Phrase:
    """Return words with the works that they come from, by their keys in the bibliography."""
    return (Cited(text, works),)


P_FROM = {
    "exact": said("The p-value is exact"),
    "monte-carlo": said("The p-value was obtained from random draws"),
    "asymptotic": said("The p-value is asymptotic"),
}
"""What is told of a p-value where nobody knows more, by how it came about."""


@dataclass(frozen=True, kw_only=True)
class TestInfo:
    """A test as it was used here."""

    __test__ = False  # not a test case of this project's own tests

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """All its options, given or default."""
    summary: str = ""
    reference: str = ""
    """Where it comes from, as its author wrote it."""
    procedure: Phrase = ()
    """Which test it is, a noun phrase; empty if the summary and the reference have to do."""
    assumes: tuple[str, ...] = ()
    """What it takes for granted beyond a random sample, in full sentences."""
    needs_many: bool = False
    """Whether an asymptotic p-value of it takes many examples for granted, which `assumes` does not say."""
    any_dependence: bool = True
    """Whether the examples of a group may depend on each other in any way."""
    one_law: bool = False
    """Whether its p-value of any difference comes from the law that its p-value of a tie comes from."""
    p_from: Mapping[str, Phrase] = field(default_factory=lambda: P_FROM)
    """Where the p-value comes from, by how it came about: sentences without a full stop."""
    of_folds: bool = False
    """Whether it is of fold scores, and not of one test set."""
    anytime: bool = False
    """Whether its p-value holds however often one looks while data arrive."""
    posterior: bool = False
    """Whether what takes the place of a p-value is a tail of a posterior."""


@dataclass(frozen=True, kw_only=True)
class MetricInfo:
    """A metric as a paper names it."""

    name: str
    """With its averaging and its options: "macro-averaged F1"."""
    short: str = ""
    """The same without its options, for a headline."""
    definition: str = ""
    """What it is, to stand in the middle of a sentence."""
    works: tuple[str, ...] = ()
    """The keys of the works that it comes from."""
    task: str = ""
    """What it is of: "binary", "multiclass", "labels", "ranking", "scores", "numbers", "probabilities" or "sums"."""
    undefined: float | None = None
    """The declared value of 0/0."""
    higher_is_better: bool = True
    unit: Unit = "number"

    @property
    def of_labels(self) -> bool:
        """Whether it reads labels, and not scores or numbers."""
        return self.task in ("binary", "multiclass", "labels")
