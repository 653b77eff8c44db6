"""The audit line of a comparison: how the very test that was used behaves on data like these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.data.counts import Counts
from referee.metrics.base import Metric
from referee.report.numbers import percent
from referee.report.phrases.method_names import the_test
from referee.results.comparison import Comparison
from referee.runtime.randomness import Streams
from referee.significance import Test
from referee.significance import resolve as resolve_test
from referee.significance.anytime import Anytime, Differences
from referee.significance.laws.score import ScoreLaw
from referee.significance.rank_tally import AnyTally, tally_of
from referee.significance.score_test import Score
from referee.significance.tally import Tally
from referee.significance.test_choice import choose
from referee.studies.auditing.grid import alike, binomial_error, sets_for
from referee.studies.auditing.population import TIE, Population, World, can_tilt

AUDIT = 9
"""The child of a result's streams that the audit draws from."""
SETS = 1000
QUICK, ALL = 0.1, 1.0
"""So many seconds one line may take where nobody asked for it, and all lines of several comparisons together."""
OUTCOME, OUTCOMES = 6.5e-7, 50
"""The score test takes so many seconds a set for each number of its table of outcomes, and for so many more."""
PACES = {
    **dict.fromkeys(("cluster-t", "skew-t", "paired-t"), (1e-5, 7e-7)),
    "mcnemar": (2e-4, 0.0),
    "bootstrap": (1e-3, 4e-5),
    "randomization": (5e-4, 6e-5),
    "wilcoxon": (5e-4, 1e-4),
    "bayes": (2e-3, 4e-5),
    "f1-posterior": (5e-3, 0.0),
}
"""How many seconds other tests take a set, and a set for each distinct unit."""
GROUP = 1.8e-7
"""Groups are drawn one by one, also where many are alike: so many seconds a set for each."""
OF_RANKS = {
    "bootstrap:interval=t": (0.0, 1.4e-3),
    "bootstrap": (0.0, 3e-5),
    "bayes": (0.0, 6e-5),
    "randomization": (0.0, 1e-4),
}
"""The same of metrics of ranks."""
USUAL, RANKED = (1e-4, 4e-6), (2e-3, 0.0)
"""What tests take that are not named, and what they take of ranks."""
BETS, MANY_SIDES = 3e-5, 4
"""What the anytime test takes for a set of bounded differences, and how many times as long as its base elsewhere: it asks that for
either side, and for intervals size by size."""
PILOT, HARD, HARDER = 25, 90, 10
"""Of how many sets it is seen how hard they are, how many rounds of a search are too many to go on unasked, and how many times
longer the line takes then."""
HALF = 0.5
"""What is added to each count to make a world of the data: outcomes that did not occur may occur."""
SLACK = 0.005
"""A test may err so much more often than it promises before a warning says so: McNemar's own test does, here and there."""
NOT_MEASURED = (
    "how often {} errs on data like these could not be measured: no distribution close to these data was found in which the "
    "null hypothesis holds"
)


NOT_OF_CROSSED = "the error rate of crossed groups is not measured on the data themselves; docs/evaluations.md has it from simulations"


@dataclass(frozen=True)
class Asked:
    """What a test was asked, and at which alpha."""

    test: Test
    alternative: str
    alpha: float
    question: str = "better"
    margin: float = 0.0
    higher_is_better: bool = True

    @classmethod
    def of(cls, result: Comparison, test: Test | None) -> Asked:
        """Return what a comparison asked; the test is what its result names unless it is given."""
        used, r = resolve_test(result.test) if test is None else test, result
        return cls(used, r.alternative, r.alpha, r.question, r.margin or 0.0, r.higher_is_better)

    @property
    def level(self) -> float:
        """The level of the interval that goes with it."""
        two_sided = self.question == "better" and self.alternative == "two-sided"
        return 1 - self.alpha if two_sided else 1 - 2 * self.alpha

    def null(self, difference: float) -> float:
        """Return the difference at which a yes is a false alarm: of two margins the one that is nearer to what was seen."""
        if self.question == "better":
            return 0.0
        if self.question == "no-worse":
            return -self.margin if self.higher_is_better else self.margin
        return -self.margin if difference < 0 else self.margin

    def yes(self, tally: AnyTally, batch: Ints, streams: Streams) -> Mask:
        """Say which rows of a batch the test answers with yes.

        A margin is passed where the interval of the matching level leaves it out, which is p at the margin.
        """
        if self.question == "better":
            return self.test.decide(tally, batch, (self.alpha,), self.alternative, streams)[:, 0]
        bounds = [self.null(0.0)] if self.question == "no-worse" else [-self.margin, self.margin]
        difference = np.diff(tally.scores(batch))[:, 0]
        passed = np.ones(len(batch), dtype=np.bool_)
        for bound in bounds:
            passed &= difference > bound if bound < 0 else difference < bound
            passed &= self.test.covers(tally, batch, bound, (self.level,), streams)[:, 0] == 0
        return passed


@dataclass(frozen=True, eq=False)
class Draws:
    """Test sets of a world in which a yes is a false alarm, and of one like the data, with its true difference."""

    null: str
    tallies: Sequence[AnyTally]
    sets: Sequence[Ints]
    """Of the one world, and of the other."""
    difference: float
    searched: bool = False
    """Whether nearest worlds are searched for"""

    @property
    def is_hard(self) -> bool:
        """Whether the searches take so many rounds that it takes much longer than its size tells."""
        if not self.searched or not isinstance(self.tallies[0], Tally):
            return False
        law = ScoreLaw(self.tallies[0])
        return any(law.distances(sets[:PILOT], 0.0).rounds > HARD for sets in self.sets)


def audited(
    results: Sequence[Comparison],
    data: Sequence[tuple[Counts, Metric]],
    test: Test | None,
    audit: bool | None,
    streams: Streams,
) -> list[Comparison]:
    """Give comparisons their line, and a warning where their test errs.

    Args:
        results: the comparisons.
        data: of each, its counts and its metric.
        test: the test that was asked for; None where it was chosen.
        audit: True for every line, None for those that take about a tenth of a second, False for none.
        streams: the source of randomness.
    """
    if audit is False:
        return list(results)
    if audit and any("crossed" in counts for counts, _ in data):
        results = [replace(one, warnings=(*one.warnings, NOT_OF_CROSSED)) for one in results]
    asked = [
        None if result.p_value is None or "crossed" in own[0] or _is_unknown(own, audit) else Asked.of(result, test)
        for result, own in zip(results, data, strict=True)
    ]
    costs = [0.0 if one is None else seconds(one, tally_of(*own)) for one, own in zip(asked, data, strict=True)]
    unasked = sum(cost for cost in costs if cost <= QUICK) <= ALL
    out = []
    for result, own, one, cost in zip(results, data, asked, costs, strict=True):
        if one is None:
            out.append(result)
            continue
        measured = audit or (unasked and cost <= QUICK)
        drawn = draws(*own, one, streams) if measured else None
        hard = drawn is not None and not audit and drawn.is_hard
        if hard or not measured:
            out.append(replace(result, audit_seconds=float(f"{HARDER * cost if hard else cost:.1g}")))
        elif drawn is None:
            out.append(replace(result, warnings=(*result.warnings, NOT_MEASURED.format(the_test(str(one.test))))))
        else:
            line = rates(drawn, one, streams)
            out.append(replace(result, audit=line, warnings=(*result.warnings, *errs(line, result))))
    return out


def _is_unknown(own: tuple[Counts, Metric], audit: bool | None) -> bool:
    """Say whether nobody asked for the line of two samples of which no world is known."""
    return not own[0].paired and not audit and Score().misfit(tally_of(*own)) is not None


def seconds(asked: Asked, tally: AnyTally) -> float:
    """Return about how many seconds a line takes, by the size of the problem alone: no clock decides what a result has."""
    of_outcomes = isinstance(tally, Tally) and Score().misfit(tally) is None
    return (SETS if of_outcomes else sets_for(tally)) * pace(asked, tally)


def pace(asked: Asked, tally: AnyTally) -> float:
    """Return about how many seconds a test takes for one test set."""
    test = asked.test
    if isinstance(test, Anytime):
        bets = Differences.of(tally) is not None
        return BETS if bets else MANY_SIDES * pace(replace(asked, test=choose(tally)[0]), tally)
    if not isinstance(tally, Tally):
        each, unit = OF_RANKS.get(str(test)) or OF_RANKS.get(test.name, RANKED)
        return each + unit * len(tally.multiplicities)
    if str(test) == "score" and Score().misfit(tally) is None:
        return OUTCOME * (OUTCOMES + int(np.prod(ScoreLaw(tally).space.both.shape)))
    each, unit = PACES.get(test.name, USUAL)
    drawing = GROUP * tally.units if tally.grouped else 0.0
    return each + unit * len(tally.multiplicities) + drawing


def draws(counts: Counts, metric: Metric, asked: Asked, streams: Streams) -> Draws | None:
    """Draw the test sets of a line; None where there is no world in which the test would be wrong.

    That world is the nearest one: the likeliest where the outcomes are known, else that of the least divergence; where there
    is none, the one in which the systems are exchangeable.
    """
    tally, own = tally_of(counts, metric), streams.child(AUDIT)
    drawn = None
    if isinstance(tally, Tally) and Score().misfit(tally) is None:
        drawn = _of_outcomes(tally, asked, own)
    if drawn is None and not tally.unpaired:
        drawn = _of_units(counts, metric, tally, asked, own)
    if drawn is None:
        return None
    scored = [sets[~tally.blank(sets)] for tally, sets in zip(drawn.tallies, drawn.sets, strict=True)]
    return replace(drawn, sets=scored) if all(map(len, scored)) else None


def rates(drawn: Draws, asked: Asked, streams: Streams) -> dict[str, Any]:
    """Return how often the test is wrong on the sets that were drawn."""
    own = streams.child(AUDIT)
    (tied, times), (like, often) = map(alike, drawn.sets)
    false = float(times @ asked.yes(drawn.tallies[0], tied, own.child(2)) / times.sum())
    power = float(often @ asked.yes(drawn.tallies[1], like, own.child(3)) / often.sum())
    coverage = None
    if asked.level > 0:
        held = asked.test.covers(drawn.tallies[1], like, drawn.difference, (asked.level,), own.child(4))[:, 0]
        known = np.isfinite(held)
        coverage = float(often[known] @ held[known] / often[known].sum()) if known.any() else None
    return {
        "false_alarm": false,
        "false_alarm_error": binomial_error(false, len(drawn.sets[0])),
        "coverage": coverage,
        "level": asked.level,
        "difference": drawn.difference,
        "power": power if asked.question != "better" or abs(drawn.difference) > TIE else None,
        "null": drawn.null,
        "sets": len(drawn.sets[0]),
    }


def _of_outcomes(tally: Tally, asked: Asked, streams: Streams) -> Draws | None:
    """Draw test sets of the nearest world in which a yes is wrong, and of the data with a little more of everything."""
    law = ScoreLaw(tally)
    observed = float(law.centres(tally.multiplicities[None, :])[0])
    near = law.distances(tally.multiplicities[None, :], asked.null(observed))
    if not near.found[0]:
        return None
    whole, counts = law.whole(), law.space.counts(tally.multiplicities[None, :])[0]
    like = counts + HALF
    for stratum in np.unique(law.space.strata):
        inside = law.space.strata == stratum
        like[inside] *= counts[inside].sum() / like[inside].sum()
    scores = whole.scores(like)
    worlds = (near.worlds.expected[0], like)
    sets = [_drawn(expected, law.space.strata, streams.child(place)) for place, expected in enumerate(worlds)]
    null = "nearest tie" if asked.question == "better" else "nearest margin"
    return Draws(null, [whole] * 2, sets, float(scores[1] - scores[0]), isinstance(asked.test, Score))


def _drawn(expected: Floats, strata: Ints, streams: Streams) -> Ints:
    out = np.zeros((SETS, len(expected)), dtype=np.int64)
    for stratum in np.unique(strata):
        inside = np.flatnonzero(strata == stratum)
        share = expected[inside] / expected[inside].sum()
        out[:, inside] = streams.child(int(stratum)).at(0).multinomial(round(expected[inside].sum()), share, size=SETS)
    return out


def _of_units(counts: Counts, metric: Metric, tally: AnyTally, asked: Asked, streams: Streams) -> Draws | None:
    """Draw test sets of the units themselves, and of the nearest world that they allow in which a yes is wrong."""
    sets, population = sets_for(tally), Population.of(counts)
    null = asked.null(population.difference(metric))
    tied = population.tilt(metric, null) if can_tilt(metric) else None
    if tied is None and (null or metric.task == "scores"):
        # Scores that were never seen may be what a tie needs, and an exchange of those that were seen says nothing of them.
        return None
    worlds = [World.of(one, metric) for one in (tied or population.swap(), population)]
    drawn = [world.batch(counts.n, sets, streams.child(place)) for place, world in enumerate(worlds)]
    tallies = [world.tally for world in worlds]
    return Draws("swap" if tied is None else "tilt", tallies, drawn, population.difference(metric))


def errs(line: dict[str, Any], result: Comparison) -> list[str]:
    """Warn where the test errs on data like these: more false alarms than allowed, or intervals that miss too often."""
    found, alpha = [], result.alpha
    if line["false_alarm"] - 3 * line["false_alarm_error"] > alpha + SLACK:
        alarms = f"raises a false alarm in {percent(line['false_alarm'])} of test sets; alpha allows {percent(alpha)}"
        found.append(f"on data like these {the_test(result.test)} {alarms}")
    coverage, level = None if result.interval is None else line["coverage"], line["level"]
    if coverage is not None and coverage + 3 * binomial_error(coverage, line["sets"]) < level - SLACK:
        interval = f"the {percent(level)} interval of {the_test(result.test)}"
        found.append(
            f"on data like these {interval} contains the true difference in only {percent(coverage)} of test sets"
        )
    return found
