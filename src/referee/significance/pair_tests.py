"""Pair tests: one test on every pair of many systems; where outcomes are few kinds, on all pairs at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from referee.data.columns import Floats, Ints, Values, factorize
from referee.data.counts import Counts
from referee.metrics.base import Metric
from referee.results.comparison import Interval
from referee.runtime.progress import track
from referee.runtime.randomness import Streams
from referee.significance.base import Test, interval_at
from referee.significance.bootstrap import Bootstrap
from referee.significance.distributions import z_quantile
from referee.significance.laws.score import ScoreLaw
from referee.significance.laws.score_ends import ends_of_rows
from referee.significance.laws.shared_draws import SharedDraws, shared_draws
from referee.significance.rank_tally import AnyTally, canonical, tally_of
from referee.significance.score_test import Score
from referee.significance.tally import Tally

KINDS = 1000
"""Up to so many kinds of joint outcomes of two systems, one table serves all pairs."""
SURE = 0.95
"""The level of an interval that is made only to be thrown away."""


@dataclass(frozen=True, eq=False)
class Found:
    """What a test found of each pair, b being the second: NaN where it cannot be known."""

    difference: Floats
    p: Floats
    statistic: Floats
    notes: tuple[str, ...] = ()


class PairTests:
    """A test of every pair of systems of counts, by one metric."""

    test: Test

    def __init__(self, counts: Counts, metric: Metric, pairs: Sequence[tuple[str, str]], streams: Streams) -> None:
        self.counts, self.metric, self.pairs, self.streams = counts, metric, pairs, streams

    def example(self) -> AnyTally:
        """Return the tally of one pair, to choose a test by."""
        return tally_of(self.counts.pair(*self.pairs[0]), self.metric)

    def found(self) -> Found:
        """Run the test on every pair."""
        raise NotImplementedError

    def intervals(self, level: float) -> list[Interval | None]:
        """Return the interval of every difference."""
        raise NotImplementedError


class OneByOne(PairTests):
    """Each pair as `compare` has it."""

    def __init__(
        self, counts: Counts, metric: Metric, pairs: Sequence[tuple[str, str]], test: Test, streams: Streams
    ) -> None:
        super().__init__(counts, metric, pairs, streams)
        self.test, self._kept = test, dict[tuple[str, str], tuple[AnyTally, bool]]()

    def _tally(self, pair: tuple[str, str]) -> tuple[AnyTally, bool]:
        if pair not in self._kept:
            tally = tally_of(self.counts.pair(*pair), self.metric)
            self._kept[pair] = canonical(tally) if self.test.by_draws else (tally, False)
            if self._shared is not None:
                self._shared.give(
                    self._kept[pair][0], [self.counts.systems.index(one) for one in pair], self._kept[pair][1]
                )
        return self._kept[pair]

    @cached_property
    def _shared(self) -> SharedDraws | None:
        """The draws of a bootstrap that all pairs share."""
        if not isinstance(self.test, Bootstrap) or self.test.interval == "studentized":
            return None
        return shared_draws(self.counts, self.metric, self.test.replicates, self.streams)

    def found(self) -> Found:
        """Run the test on every pair."""
        out, notes = np.full((3, len(self.pairs)), np.nan), dict[str, None]()
        for place, pair in enumerate(track(self.pairs, len(self.pairs), "comparing pairs")):
            tally, flipped = self._tally(pair)
            a, b = tally.observed()[::-1] if flipped else tally.observed()
            if not np.isfinite([a, b]).all():
                continue
            evidence = self.test.evaluate(tally, tally.multiplicities[None, :], "two-sided", self.streams)
            statistic = np.nan if evidence.statistic is None else float(evidence.statistic[0])
            statistic = -statistic if flipped and self.test.signed else statistic
            out[:, place] = b - a, evidence.p[0], statistic
            notes |= dict.fromkeys((*evidence.notes, *self.test.cautions(tally)))
        return Found(out[0], out[1], out[2], tuple(notes))

    def intervals(self, level: float) -> list[Interval | None]:
        """Return the interval of every difference."""
        out: list[Interval | None] = []
        for pair in track(self.pairs, len(self.pairs), "making intervals"):
            tally, flipped = self._tally(pair)
            known = bool(np.isfinite(tally.observed()).all())
            interval = interval_at(self.test, tally, level, self.streams) if known else None
            out.append(interval.flipped() if interval is not None and flipped else interval)
        return out


class AtOnce(PairTests):
    """All pairs in one batch of counts of joint outcomes, by the score law."""

    def __init__(self, counts: Counts, metric: Metric, pairs: Sequence[tuple[str, str]], streams: Streams) -> None:
        super().__init__(counts, metric, pairs, streams)
        self.test = Score()
        self.tally, self.batch = _table_of(counts, metric, pairs)

    def found(self) -> Found:
        """Run the test on every pair."""
        scores = self.tally.scores(self.batch)
        evidence = self.test.evaluate(self.tally, self.batch, "two-sided", self.streams)
        statistic = np.zeros(len(self.pairs)) if evidence.statistic is None else evidence.statistic
        blank = self.tally.blank(self.batch)
        parts = scores[:, 1] - scores[:, 0], evidence.p, statistic
        difference, p, statistic = (np.where(blank, np.nan, part) for part in parts)
        return Found(difference, p, statistic, evidence.notes)

    def intervals(self, level: float) -> list[Interval | None]:
        """Return the interval of every difference."""
        law = ScoreLaw(self.tally)
        roots = law.distances(self.batch, 0.0).root
        low, high, _ = ends_of_rows(law, self.batch, z_quantile((1 + level) / 2), 0.0, roots)
        blank = self.tally.blank(self.batch)
        rows = zip(low.tolist(), high.tolist(), blank.tolist(), strict=True)
        return [None if no else Interval(low=l, high=h, level=level, method="score") for l, h, no in rows]  # noqa: E741


def pair_tests(
    counts: Counts, metric: Metric, pairs: Sequence[tuple[str, str]], test: Test, streams: Streams
) -> PairTests:
    """Return what tests all pairs: at once if the test is the score test and outcomes are of few kinds."""
    few = (
        not counts.open
        and not counts.judged
        and "group" not in counts
        and metric.task != "ranking"
        and _kinds(counts) <= KINDS
    )
    if few and test == Score():
        return AtOnce(counts, metric, pairs, streams)
    return OneByOne(counts, metric, pairs, test, streams)


def _kinds(counts: Counts) -> int:
    """Return how many kinds of joint outcomes of two systems there can be."""
    sides = [len(factorize(counts[role])[0]) for role in ("truth", "stratum") if role in counts]
    return int(np.prod(sides)) * len(_answers(counts)[0]) ** 2


def _answers(counts: Counts) -> tuple[list[object], list[Ints]]:
    """Return the answers of all systems, and those of each by their numbers."""
    every = [factorize(counts[role]) for role in counts.systems]
    known = {answer: None for levels, _ in every for answer in levels.tolist()}
    number = {answer: place for place, answer in enumerate(known)}
    coded = [np.array([number[answer] for answer in levels.tolist()], np.int64)[codes] for levels, codes in every]
    return list(known), coded


def _table_of(counts: Counts, metric: Metric, pairs: Sequence[tuple[str, str]]) -> tuple[Tally, Ints]:
    """Return a tally whose units are all joint outcomes of two systems, and [pair, unit] how often each occurred."""
    answers, coded = _answers(counts)
    sides = [role for role in ("truth", "stratum") if role in counts]
    levels = {role: factorize(counts[role]) for role in sides}
    cell = np.zeros(len(counts), np.int64)
    for role in sides:
        cell = cell * len(levels[role][0]) + levels[role][1]
    cells = int(np.prod([len(levels[role][0]) for role in sides]))
    size, place = len(answers), {role: i for i, role in enumerate(counts.systems)}
    first, second = (np.array([place[pair[side]] for pair in pairs]) for side in (0, 1))
    table = np.zeros((len(pairs), cells, size, size), np.int64)
    for one in range(cells):
        rows = np.flatnonzero(cell == one)
        marks = [np.stack([codes[rows] == answer for codes in coded], axis=1) for answer in range(size)]
        weights = counts.multiplicities[rows].astype(np.float64)[:, None]
        for left in range(size):
            for right in range(size):
                joint = (marks[left] * weights).T @ marks[right].astype(np.float64)
                table[:, one, left, right] = np.rint(joint[first, second])
    where = np.stack(np.unravel_index(np.arange(cells * size * size), (cells, size, size)), axis=1)
    names = np.empty(size, dtype=object)
    names[:] = answers
    kind = counts[counts.systems[0]].dtype
    typed = names if None in answers else names.astype(kind)
    columns = {"a": typed[where[:, 1]], "b": typed[where[:, 2]]}
    rest = where[:, 0]
    for role in reversed(sides):
        columns[role] = levels[role][0][rest % len(levels[role][0])]
        rest = rest // len(levels[role][0])
    roles = "truth", "a", "b", "stratum"
    ordered: dict[str, Values] = {role: columns[role] for role in roles if role in columns}
    whole = counts.pair(*pairs[0]).with_rows(ordered, np.arange(len(where)) + 1)
    # The multiplicities say where each row went.
    row = whole.multiplicities - 1
    whole = replace(whole, multiplicities=np.ones(len(row), np.int64))
    tally = Tally.of(whole, metric)
    into = np.zeros((len(row), len(tally.multiplicities)), np.int64)
    into[np.arange(len(row)), tally.place] = 1
    return tally, table.reshape(len(pairs), -1)[:, row] @ into
