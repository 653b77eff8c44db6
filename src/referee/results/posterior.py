"""What is believed of a difference after the data: how probable it is that either system is better, and what a wrong choice costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from referee.results.base import Written

Kind: TypeAlias = Literal["outcomes", "examples", "groups", "systems"]
"""What has a share that is not known: the outcomes that are possible, with a prior; the examples, or groups, that were seen; or
what each system does, as if the two had nothing to do with each other."""


@dataclass(frozen=True, kw_only=True)
class Posterior(Written):
    """The posterior of a difference, from draws."""

    probability_b_better: float
    probability_a_better: float
    """Without ties, so that both may be less than 1 together."""
    probability_within_margin: float | None = None
    """That the two differ by less than the margin, if there is one."""
    probability_no_worse: float | None = None
    """That B is not worse than A by the margin, if there is one."""
    expected_loss_a: float
    """How much worse than B's the score of A is on average, where 0 counts if it is better: what choosing A is expected to cost."""
    expected_loss_b: float
    """The same of choosing B."""
    prior: float | None
    """As how many examples the prior weighs; None where there is none."""
    kind: Kind
    draws: int
