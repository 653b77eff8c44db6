"""Goutte and Gaussier's posterior of F1: each system's own, from its hits, false alarms and misses, as if they had separate test sets."""

from __future__ import annotations

from typing import cast

import numpy as np

from referee.results.posterior import Kind
from referee.results.test_info import said
from referee.runtime.randomness import Streams, blocks
from referee.significance.base import INDEPENDENCE, test
from referee.significance.bayes import DRAWS, PosteriorTest, check_prior
from referee.significance.description import INDEPENDENTLY
from referee.significance.laws.dirichlet import POSTERIOR, evened
from referee.significance.laws.resample import Resamples
from referee.significance.rank_tally import AnyTally
from referee.significance.tally import Tally

METRICS = ("f1", "fbeta")
BLOCK = 4096
"""How many draws share a stream."""


@test(
    "f1-posterior",
    fits="f1 and fbeta of two classes; not grouped",
    reference="Goutte and Gaussier 2005",
    assumes="Precision and recall have the prior that is stated, and the systems err independently of each other.",
    procedure=said(f"the posterior of F1 from Gamma variates, {INDEPENDENTLY}", "goutte2005"),
    caution=INDEPENDENCE,
    calibrated=False,
    takes_samples=True,
    draws=True,
)
class F1Posterior(PosteriorTest):
    """Posterior of each system's own F1 from Gamma variates; it treats the systems as independent."""

    prior: float = 0.5
    """λ, which is added to tp, to fp and to fn."""
    draws: int = DRAWS

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        check_prior(self.name, self.prior)

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        metric = tally.metric
        if metric.name not in METRICS or metric.averaged:
            return "it is of f1 and fbeta, of two classes"
        return "it counts examples, not whole groups" if tally.grouped else None

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn that the systems share their test set, if they do."""
        return () if tally.unpaired else super().cautions(tally)

    def basis(self, tally: AnyTally) -> tuple[Kind, float | None]:
        """Return what has shares that are drawn, and as how many examples of each system its prior weighs."""
        return "systems", 3 * self.prior

    def detects(self, tally: AnyTally, error: float, tail: float, power: float, side: float) -> float | None:
        """Return how large a true difference must be, by the spread of the draws, which is that of independent systems."""
        made = next((known for key, known in tally.memory.items() if key[0] == self.name), None)
        return None if made is None else super().detects(tally, float(made.differences.std()), tail, power, side)

    def drawn(self, tally: AnyTally, streams: Streams) -> Resamples | None:
        """Return draws of both scores: those of totals that are independent gamma variates, F = U/(U + V) of the paper."""
        key = (self.name, self.prior, self.draws, streams.key)
        if key not in tally.memory:
            assert isinstance(tally, Tally)
            shapes, source = tally.totals(tally.multiplicities) + self.prior, streams.child(POSTERIOR)
            parts = [
                tally.bound.formula.score(source.at(number).standard_gamma(shapes, (count, *shapes.shape)))
                for number, count in blocks(self.draws, BLOCK, "drawing from the posterior")
            ]
            tally.memory[key] = Resamples(np.concatenate(evened(tally, parts)), None, 0.0)
        return cast("Resamples", tally.memory[key])
