"""The score law within strata: small ones do not make everything look significant, and one alone changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from referee.data.counts import Counts, from_events
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance.laws.score import ScoreLaw
from referee.significance.rank_tally import tally_of
from referee.significance.score_test import Score

CELLS = np.array([(t, a, b) for t in (1, 0) for a in (1, 0) for b in (1, 0)])
SHARES = np.array([0.2, 0.08, 0.08, 0.05, 0.06, 0.07, 0.07, 0.39])
"""A and B are exchangeable."""


def table(strata, metric, drawn):
    truth, a, b = np.tile(CELLS, (strata, 1)).T
    columns = {"truth": truth, "a": a, "b": b, "stratum": np.repeat(np.arange(strata), len(CELLS))}
    counts = Counts.of(columns, positive=1)
    tally = tally_of(counts, resolve(metric))
    order = [
        k * len(CELLS) + 4 * (1 - t) + 2 * (1 - x) + 1 - y
        for k, t, x, y in zip(*(counts[role].tolist() for role in ("stratum", "truth", "a", "b")), strict=True)
    ]
    batch = np.zeros((len(drawn), len(tally.multiplicities)), dtype=np.int64)
    np.add.at(batch.T, tally.place, drawn[:, order].T)
    return tally, batch


@pytest.mark.parametrize("metric", ["error", "f1"])
@pytest.mark.parametrize("size", [2, 4, 20])
def test_small_strata_keep_their_false_alarms(metric, size):
    """Without the factor of n/(n - 1) strata of 2 have 15%, and strata of 4 have 10%."""
    sets, strata = 500, 80 // size
    drawn = np.random.default_rng(size).multinomial(size, SHARES, size=(sets, strata)).reshape(sets, -1)
    tally, batch = table(strata, metric, drawn)
    share = Score().decide(tally, batch, (0.05,), "two-sided", Streams.of(0)).mean()
    assert share <= 0.055 + 3 * np.sqrt(0.05 * 0.95 / sets)


def test_strata_of_one_size_shrink_the_distance_alike():
    """Of the error rate the variance of a stratum of m examples is m/(m - 1) times what it shows, less that of all."""
    drawn = np.random.default_rng(1).multinomial(3, SHARES, size=(1, 20)).reshape(1, -1)
    tally, batch = table(20, "error", drawn)
    law = ScoreLaw(tally)
    factor = law.easing(law.space.counts(batch))
    assert factor == pytest.approx(np.sqrt(2 / 3 * 60 / 59))


@pytest.mark.parametrize("metric", ["accuracy", "f1", "mcc"])
def test_one_stratum_is_none(metric):
    plain = from_events([61, 14, 9, 21, 6, 11, 5, 87])
    named = Counts.of({**plain.columns, "stratum": np.zeros(len(plain))}, plain.multiplicities)
    first, second = (tally_of(counts, resolve(metric)) for counts in (plain, named))
    score, streams = Score(), Streams.of(0)
    ends = [score.interval_of(tally, 0.95, streams) for tally in (first, second)]
    assert ends[0].low == pytest.approx(ends[1].low, abs=1e-10)
    assert ends[0].high == pytest.approx(ends[1].high, abs=1e-10)


@pytest.mark.parametrize("metric", ["error", "f1"])
def test_interval_and_p_value_agree_within_strata(metric):
    drawn = np.random.default_rng(4).multinomial(5, SHARES, size=(12, 8)).reshape(12, -1)
    tally, batch = table(8, metric, drawn)
    score, streams = Score(), Streams.of(0)
    for row in batch:
        own = tally.with_multiplicities(row)
        interval = score.interval_of(own, 0.95, streams)
        for end, side in ((interval.low, "greater"), (interval.high, "less")):
            if abs(end) < 1 - 1e-6:
                assert score.p_at(own, end, side, streams) == pytest.approx(0.025, abs=1e-5)


def test_each_row_can_be_held_against_a_value_of_its_own():
    tally = tally_of(from_events([61, 14, 9, 21, 6, 11, 5, 87]), resolve("f1"))
    batch = np.random.default_rng(2).multinomial(200, tally.multiplicities / tally.units, size=9)
    values = np.linspace(-0.2, 0.2, 9)
    law = ScoreLaw(tally)
    alone = [law.distances(row[None, :], float(value)).root[0] for row, value in zip(batch, values, strict=True)]
    assert law.distances(batch, values).root == pytest.approx(alone, abs=1e-9)
