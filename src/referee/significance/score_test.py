"""The score test: Tango's idea for any metric of counts, with one law for the p-value and the interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from referee.data.columns import Floats, Ints
from referee.results.comparison import Interval
from referee.results.test_info import Phrase, said
from referee.runtime.randomness import Streams
from referee.significance.base import Evidence, Test, test
from referee.significance.distributions import normal_p, z_quantile
from referee.significance.laws.exchange import reached
from referee.significance.laws.score import ScoreLaw, detectable
from referee.significance.laws.score_ends import ROUGHLY, ends_of
from referee.significance.laws.worlds import has_space, space_of
from referee.significance.null_distribution import Luck, curve
from referee.significance.rank_tally import AnyTally
from referee.significance.tally import Tally

NO_SCALE = "it needs to know which scores are possible; declare the scale, as in mean:low=1,high=5,step=1"
WORKS = ("rao1948", "tango1998", "miettinen1985", "owen2001")
FEW = 100
"""With so many kinds of outcomes worlds are found in milliseconds."""
SAMPLES = 5
"""The child of a result's streams that worlds are drawn from."""
NOT_FOUND = "the score test found no tie close to these data, so no p-value can be given"
NOT_SURE = "the numbers of the score test are accurate to only about three digits"
OWN_WIDER = "the interval of a score may be too wide: values that could not be tested count as inside it"
WIDER = "the interval of the difference may be too wide: values that could not be tested count as inside it"


@test(
    "score",
    fits="metrics of labels, and means on a known scale (0/1, or low=, high=, step=); not grouped",
    reference="Rao 1948; Tango 1998; Miettinen and Nurminen 1985; Owen 2001, on maximum likelihood under a constraint",
    assumes="There are enough examples for the distance from the null hypothesis, in standard errors, to be about normal.",
    procedure=said(
        "the score test, which compares the counts, by Pearson's chi-squared, with those expected under the null "
        "hypothesis, fitted by maximum likelihood",
        *WORKS,
    ),
    takes_samples=True,
    draws=True,
    choices={"law": ("normal", "sampled")},
)
class Score(Test):
    """Compares the data with what would be expected if the systems tied, or differed by the margin."""

    law: str = "normal"
    trials: int = 1999

    one_law: ClassVar[bool] = True
    drawn_words: ClassVar[Phrase] = said(
        " of test sets under the null hypothesis, as (hits + 1)/(draws + 1)", "phipson2010"
    )

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        if not isinstance(tally, Tally):
            return "it needs a metric of totals; ranks have no table of outcomes"
        if tally.grouped:
            return "it has no form for groups of examples; the clustered t test (cluster-t) has"
        if tally.weighted:
            return "it counts examples, and these have weights"
        if not has_space(tally):
            return NO_SCALE if tally.metric.name == "mean" else "it needs labels, or scores on a known scale"
        if len(np.unique(tally.strata)) > 1 and space_of(tally).is_wide:
            return "with strata it is for up to some tens of classes"
        return None

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence."""
        return self._against(tally, batch, 0.0, alternative, streams)

    def _against(self, tally: AnyTally, batch: Ints, null: float, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence against a value of the difference."""
        assert isinstance(tally, Tally)
        found = ScoreLaw(tally).distances(batch, null)
        p, error = normal_p(found.root, np.ones(len(batch)), alternative), None
        if self.law == "sampled":
            p, error = self._sampled(tally, batch, null, alternative, streams)
        sure, method = bool(found.worlds.sure.all()), "asymptotic" if self.law == "normal" else "monte-carlo"
        notes = (NOT_FOUND,) if not found.found.all() else () if sure else (NOT_SURE,)
        solver = {"converged": sure, "rounds": found.rounds}
        return Evidence(p, found.root, method, error, notes=notes, solver=solver)

    def _sampled(
        self, tally: Tally, batch: Ints, null: float, alternative: str, streams: Streams
    ) -> tuple[Floats, Floats]:
        """Return p as the share of test sets from the nearest world that are as far from it, and its standard error."""
        law = ScoreLaw(tally)
        observed = law.distances(batch, null)
        p = np.full(len(batch), np.nan)
        for row in np.flatnonzero(observed.found):
            drawn = law.drawn(observed.worlds.expected[row], self.trials, null, streams.child(int(row), SAMPLES))
            root = float(observed.root[row])
            hits = reached(drawn, root, 1e-9 * max(abs(root), 1.0), alternative).sum()
            p[row] = (int(hits) + 1) / (self.trials + 1)
        return p, np.sqrt(p * (1 - p) / self.trials)

    def p_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> float | None:
        """Return the p-value of "b - a equals null" against an alternative; None where it is unknown."""
        p = float(self._against(tally, tally.multiplicities[None, :], null, alternative, streams).p[0])
        return p if np.isfinite(p) else None

    def luck_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> Luck | None:
        """Return the normal curve around a null value, as wide as the nearest world with that value has it."""
        assert isinstance(tally, Tally)
        law, own = ScoreLaw(tally), tally.multiplicities[None, :]
        away, root = float(law.centres(own)[0]) - null, float(law.distances(own, null).root[0])
        return curve(away, away / root, alternative) if self.law == "normal" and away and root else None

    def detects(self, tally: AnyTally, error: float, tail: float, power: float, side: float) -> float | None:
        """Return how large a true difference must be: the nearest worlds are asked, or the standard error where they are many."""
        guess = super().detects(tally, error, tail, power, side)
        if not isinstance(tally, Tally) or space_of(tally).both.shape[0] > FEW or guess is None:
            return guess
        quantiles = z_quantile(tail), z_quantile(power)
        return detectable(ScoreLaw(tally), tally.multiplicities, *quantiles, side, guess)

    def covers(
        self, tally: AnyTally, batch: Ints, value: float | Floats, levels: Sequence[float], streams: Streams
    ) -> Floats:
        """Say for each row and level whether the interval holds the value (or the row's own); one without a world is held."""
        if self.law == "sampled":
            return super().covers(tally, batch, float(value), levels, streams)
        assert isinstance(tally, Tally)
        root = np.abs(ScoreLaw(tally).distances(batch, value).root)
        limits = np.array([z_quantile((1 + level) / 2) for level in levels])
        return (~(root[:, None] >= limits)).astype(np.float64)

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return the differences that are not too far from the data."""
        assert isinstance(tally, Tally)
        if self.law == "sampled":
            return self._sampled_interval(tally, level, streams)
        low, high, certain, _ = ends_of([ScoreLaw(tally)], tally.multiplicities, z_quantile((1 + level) / 2), 0.0)[0]
        if not certain:
            tally.memory[WIDER] = True
        return Interval(low=low, high=high, level=level, method="score")

    def doubts(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn where the ends of an interval could not be found for certain, or not to the last digits."""
        return tuple(note for note in (WIDER, OWN_WIDER, ROUGHLY) if note in tally.memory)

    def _sampled_interval(self, tally: Tally, level: float, streams: Streams) -> Interval | None:
        """Return the differences of which draws from their nearest worlds say that they are not too far, by halving."""
        law, tail = ScoreLaw(tally), (1 - level) / 2
        centre = float(law.centres(tally.multiplicities[None, :])[0])
        guess = ends_of([law], tally.multiplicities, z_quantile((1 + level) / 2), 0.0)[0]

        def excluded(value: float, side: str) -> bool:
            p = self.p_at(tally, value, side, streams)
            return p is not None and p <= tail

        ends = []
        for sign, side, first in ((-1.0, "greater", guess[0]), (1.0, "less", guess[1])):
            edge, near, far = law.range[0] if sign < 0 else law.range[1], centre, None
            step = max(abs(first - centre), 1e-9)
            stops = [0.0] if sign * (0.0 - centre) > 0 else []
            stops += [centre + sign * step * factor for factor in (1.0, 1.5, 2.5, 4.0)]
            for stop in sorted((s for s in stops if sign * (edge - s) > 0), key=lambda s: sign * s):
                if excluded(stop, side):
                    far = stop
                    break
                near = stop
            if far is None:
                ends.append(edge)
                continue
            for _ in range(12):
                middle = (near + far) / 2
                near, far = (near, middle) if excluded(middle, side) else (middle, far)
            ends.append((near + far) / 2)
        made = Interval(low=ends[0], high=ends[1], level=level, method="score-sampled")
        return made if np.isfinite(ends).all() else None
