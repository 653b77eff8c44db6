"""Prediction-powered comparison: people's labels on some examples, and a judge's on all of them.

The difference that people see in n examples is corrected by what the judge says of all N (Angelopoulos et al. 2023):
d = d_people(n) + λ·(d_judge(N) − d_judge(n)), for any metric of totals, through the pull of each example on each of the three
(predict-then-debias, Kluger et al. 2025). λ makes its variance least (PPI++, Angelopoulos, Duchi and Zrnic 2023); a judge that knows
nothing gets a λ near 0, and then the answer is that of the human labels alone.

The law is that of the human labels alone, moved to the corrected difference, and narrower by the ratio of the two standard
errors. Thus p-value and interval come from one law, and a law that is made for few examples remains one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from referee.data.columns import Floats, Ints, Mask, factorize
from referee.data.counts import Counts
from referee.data.judged import labelled, seen_by_judge, seen_by_people
from referee.data.weights import WEIGHT
from referee.errors import InputError, Misfit
from referee.metrics import METRICS
from referee.metrics.base import Metric
from referee.metrics.binding import Bound
from referee.metrics.formula import Range
from referee.results.comparison import Interval
from referee.results.test_info import said
from referee.runtime.randomness import Streams
from referee.significance.base import Evidence, Test, interval_at, test
from referee.significance.laws.binomial_grid import TINIEST
from referee.significance.null_distribution import Luck
from referee.significance.rank_tally import AnyTally
from referee.significance.strata import stratum_sums
from referee.significance.tally import Tally, statistics_of

PRIOR = 2.0
"""λ and the narrowing are fitted as if there were so many labelled examples more, on which the judge knows nothing. Without them
ten examples on which the systems differ, and the judge happens to be right, would make it infallible."""
EDGE = 1e-6
"""An interval that comes so near to the end of the range rules nothing out on that side."""
DUST = 1e-24
NEEDS = "it needs the labels or scores of a judge beside those of people"


@test(
    "prediction-powered",
    fits="metrics of totals, if a judge labels all examples and people some",
    reference="Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023; Angelopoulos, Duchi and Zrnic 2023; Kluger, Lu, Zrnic, Wang and Bates 2025",
    assumes=(
        "The examples that people labelled are a random part of all (of each stratum), not chosen for what the judge or the systems "
        "say. Enough of them carry information for the corrected difference to be about normal; the judge may be wrong in any way."
    ),
    procedure=said(
        "a prediction-powered test, which corrects the difference in the human labels by what a judge says of all examples, as far "
        "as that lowers its variance",
        "angelopoulos2023", "angelopoulos2023ppi", "kluger2025",
    ),
    takes_groups=True,
)  # fmt: skip
class PredictionPowered(Test):
    """People's labels on some examples, made more precise by a judge's labels on all."""

    one_law: ClassVar[bool] = True

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit: of people's labels alone it never does."""
        return NEEDS

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Refuse: what a tally has is not enough; `Moved` has the law."""
        raise Misfit(f"the test {self.name} does not fit {tally.metric} here: {NEEDS}", argument="test")


@dataclass(frozen=True, eq=False)
class Moved(Test):
    """The law of people's labels alone, moved to another difference and narrower."""

    name: ClassVar[str] = PredictionPowered.name
    base: Test
    alone: float
    """The difference that people see."""
    corrected: float
    narrower: float
    """The ratio of the standard errors."""

    def p_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> float | None:
        """Return the p-value of "b - a equals null": that of the difference which is as far from what people see, by their error."""
        p = self.base.p_at(tally, self._place(tally, null), alternative, streams)
        return None if p is None else max(p, TINIEST)

    def _place(self, tally: AnyTally, null: float) -> float:
        """Return which difference is as far from what people see as a null value is from the corrected one, by their errors."""
        place, most = self.alone + (null - self.corrected) / self.narrower, tally.reach
        # At the end of the range it is as sure as it can be.
        return place if most is None else min(max(place, -most * (1 - EDGE)), most * (1 - EDGE))

    def luck_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> Luck | None:
        """Return the law of people's labels, narrower."""
        law, n = self.base.luck_at(tally, self._place(tally, null), alternative, streams), self.narrower
        return law and replace(law, values=n * law.values, observed=n * law.observed, edge=n * law.edge)

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return the interval of people's labels, moved and narrower; an end at the end of the range stays there."""
        most = tally.reach
        return self.moved(interval_at(self.base, tally, level, streams), None if most is None else (-most, most))

    def moved(self, interval: Interval | None, ends: Range | None) -> Interval | None:
        """Return an interval moved, and cut at the ends."""
        return interval and moved(interval, self.alone, self.corrected, self.narrower, ends)


def moved(interval: Interval, alone: float, corrected: float, narrower: float, ends: Range | None) -> Interval:
    """Return an interval around one value as an interval around another, narrower; an end of the range stays where it is."""
    low, high = (corrected + narrower * (end - alone) for end in (interval.low, interval.high))
    if ends is not None:
        slack = EDGE * (ends[1] - ends[0])
        low = ends[0] if interval.low <= ends[0] + slack else max(low, ends[0])
        high = ends[1] if interval.high >= ends[1] - slack else min(high, ends[1])
    return replace(interval, low=min(low, high), high=max(low, high), method=PredictionPowered.name)


@dataclass(frozen=True, eq=False)
class Seen:
    """The scores of both systems on some rows, and how far one more of each row moves them."""

    scores: Floats
    """[system]"""
    moves: Floats
    """[system, row], 0 where the row is not among them; NaN where there is no slope, as at 0/0."""

    @classmethod
    def of(cls, bound: Bound, seen: Counts, inside: Mask) -> Seen:
        """See rows through a metric that is already bound; `inside` says which of all rows they are."""
        tally = Tally(bound, statistics_of(bound, seen), seen.multiplicities, np.zeros(len(seen), np.int64))
        moves = np.zeros((2, len(inside)))
        if bool(tally.vague(tally.multiplicities)):
            return cls(tally.observed(), np.full_like(moves, np.nan))
        slope = bound.formula.gradient(tally.totals(tally.multiplicities.astype(np.float64)))
        moves[:, inside] = np.stack(tally.pulls(slope))
        return cls(tally.observed(), moves)


@dataclass(frozen=True, eq=False)
class Assistance:
    """What a judge adds to people's labels."""

    counts: Counts
    people: Seen
    on_labelled: Seen
    """What the judge says of the examples that people labelled."""
    on_all: Seen

    @classmethod
    def of(cls, counts: Counts, metric: Metric) -> Assistance:
        """See judged counts through a metric, bound to what people say.

        Raises:
            InputError: if people looked at no example of a stratum.
        """
        inside = labelled(counts)
        everywhere = np.ones(len(counts), np.bool_)
        people, judge = weighed(seen_by_people(counts), counts), seen_by_judge(counts)
        bound = metric.bind(people)
        # A judge need not keep to the scale that people use.
        free = METRICS["mean"].bind(people) if metric.name == "mean" else bound
        return cls(
            counts,
            Seen.of(bound, people, inside),
            Seen.of(free, weighed(judge.where(inside), counts), inside),
            Seen.of(free, judge, everywhere),
        )

    @property
    def alone(self) -> float:
        """The difference that people see."""
        return float(self.people.scores[1] - self.people.scores[0])

    @cached_property
    def corrections(self) -> Floats:
        """By how much the judge's score of all examples exceeds that of the labelled ones, for each system."""
        return self.on_all.scores - self.on_labelled.scores

    @cached_property
    def known(self) -> bool:
        """Whether what the judge says has a score and a slope."""
        return all(bool(np.isfinite(seen.moves).all()) for seen in (self.people, self.on_labelled, self.on_all))

    @cached_property
    def weight(self) -> float:
        """λ: how much of the judge's correction is taken; 0 if it does not narrow the interval."""
        if not self.known:
            return 0.0
        own = self._spreads([np.diff(seen, axis=0)[0] for seen in self._both])
        if own.nothing:
            # Systems that are one: then λ serves their scores.
            if not bool((self.counts["a"] == self.counts["b"]).all()) or "judge_a" in self.counts:
                return 0.0
            own = self._spreads([seen[0] for seen in self._both])
        return own.best if own.ratio(own.best) < 1 else 0.0

    @cached_property
    def ratio(self) -> float:
        """By how much the variance of the difference shrinks."""
        return self._spreads([np.diff(seen, axis=0)[0] for seen in self._both]).ratio(self.weight)

    @cached_property
    def ratios(self) -> tuple[float, float]:
        """By how much the variances of both scores shrink; they may grow, since λ serves the difference."""
        a, b = (self._spreads([seen[side] for seen in self._both]).ratio(self.weight) for side in (0, 1))
        return a, b

    @property
    def scores(self) -> tuple[float, float]:
        """The corrected scores."""
        a, b = (self.people.scores + self.weight * np.where(self.weight, self.corrections, 0.0)).tolist()
        return a, b

    @property
    def _both(self) -> tuple[Floats, Floats]:
        return self.people.moves, self.on_all.moves - self.on_labelled.moves

    @property
    def moves(self) -> Floats:
        """[row]: how far one more of each row moves the corrected difference, as much as its standard error says."""
        own, help_ = (np.diff(seen, axis=0)[0] for seen in self._both)
        spread, out = self._spreads([own, help_]), own + (self.weight * help_ if self.weight else 0.0)
        varies = self._spreads([out, out]).own
        return np.asarray(out * np.sqrt(spread.own * self.ratio / varies) if varies > 0 else out)

    def bias(self) -> tuple[float, float, float]:
        """Return by how much the judge's difference exceeds people's on the labelled examples, its standard error and how many vary."""
        off = self.on_labelled.moves - self.people.moves
        spread = self._spreads([np.diff(off, axis=0)[0]] * 2)
        gap = float(np.diff(self.on_labelled.scores - self.people.scores)[0])
        return gap, float(np.sqrt(spread.own)), spread.many

    def _spreads(self, parts: list[Floats]) -> Spread:
        """Return how people's pulls and the judge's vary together, over examples, or groups, within strata."""
        counts, weights = self.counts, self.counts.multiplicities.astype(np.float64)
        cells = factorize(counts["stratum"])[1] if "stratum" in counts else np.zeros(len(counts), np.int64)
        if "group" in counts:
            units = factorize(counts["group"])[1]
            parts = [np.bincount(units, weights * part).astype(np.float64) for part in parts]
            of_unit = np.zeros(len(parts[0]), np.int64)
            of_unit[units] = cells
            cells, weights = of_unit, np.ones(len(of_unit))
        else:
            cells = 2 * cells + labelled(counts)
        cells = np.unique(cells, return_inverse=True)[1]
        sizes = stratum_sums(weights, cells)
        own, help_ = (part - (stratum_sums(weights * part, cells) / sizes)[cells] for part in parts)
        return Spread(own, help_, weights, float(weights @ parts[0] ** 2))


@dataclass(frozen=True, eq=False)
class Spread:
    """How the pulls of people's labels and the judge's correction vary over units."""

    moves: Floats
    help: Floats
    weights: Floats
    size: float
    """The sum of squares before anything cancelled, against which dust is told from what varies."""

    @cached_property
    def own(self) -> float:
        """The variance without the judge."""
        return float(self.weights @ self.moves**2)

    @cached_property
    def _judged(self) -> float:
        return float(self.weights @ self.help**2)

    @property
    def nothing(self) -> bool:
        """Whether no unit moves what people see."""
        return not self.own > DUST * max(self.size, 1.0)

    @cached_property
    def many(self) -> float:
        """How many units carry the variance, in effect."""
        return self.own**2 / float(self.weights @ self.moves**4) if self.own > 0 else 0.0

    @property
    def best(self) -> float:
        """λ, by least squares, with the prior's examples."""
        if self.nothing or not self._judged > DUST * self.own:
            return 0.0
        return -float(self.weights @ (self.moves * self.help)) / (self._judged * (1 + PRIOR / self.many))

    def ratio(self, weight: float) -> float:
        """Return the variance with the judge over that without it; residuals as if each unit had been left out of the fit (HC3)."""
        if weight == 0 or self.nothing or not self._judged > 0:
            return 1.0
        leverage = np.minimum(self.help**2 / self._judged, 1 - EDGE)
        rest = np.where(self.moves != 0, 1 / (1 - leverage), 1.0) * (self.moves + weight * self.help)
        prior = PRIOR / self.many
        left = float(self.weights @ rest**2) + prior * (self.own + weight**2 * self._judged)
        return left / (1 + prior) / self.own


def label_weights(counts: Counts) -> Floats:
    """Return how many examples each labelled row stands for, 1 on average: more in strata of which people saw a smaller part.

    Raises:
        InputError: if they saw none of a stratum.
    """
    inside = labelled(counts)
    if "stratum" not in counts:
        return np.ones(int(inside.sum()))
    levels, strata = factorize(counts["stratum"])
    every = np.bincount(strata, counts.multiplicities, len(levels))
    seen = np.bincount(strata[inside], counts.multiplicities[inside], len(levels))
    if (seen == 0).any():
        lacking = [str(level) for level, many in zip(levels.tolist(), seen.tolist(), strict=True) if not many]
        what = (
            f"stratum {lacking[0]!r} has" if len(lacking) == 1 else f"{len(lacking)} strata ({lacking[0]!r}, ...) have"
        )
        raise InputError(
            f"{what} no human label, so nothing shows how far the judge is off there",
            argument="stratum",
            remedy="have some examples of each stratum labelled, or leave those out",
        )
    if np.array_equal(every * seen.sum(), seen * every.sum()):
        return np.ones(int(inside.sum()))
    return np.asarray((every / seen * seen.sum() / every.sum())[strata[inside]])


def weighed(seen: Counts, counts: Counts) -> Counts:
    """Return the labelled rows with weights for the examples that they stand for, if people saw different parts of the strata."""
    more = label_weights(counts)
    if (more == 1).all():
        return seen
    own = seen.get(WEIGHT)
    return replace(seen, columns={**seen.columns, WEIGHT: more if own is None else own * more})


def people_tally(counts: Counts, metric: Metric) -> Tally:
    """Return the tally of people's labels."""
    people = weighed(seen_by_people(counts), counts)
    return Tally.of(people.with_rows(people.columns, people.multiplicities), metric)
