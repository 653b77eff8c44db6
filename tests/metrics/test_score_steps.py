"""Rankings under other weights: steps of equal scores, whole numbers or shares, one draw or many."""

from __future__ import annotations

import numpy as np
import pytest

from referee.data.counts import Counts
from referee.metrics import METRICS, metric
from referee.metrics.score_steps import Ladder
from referee.significance.rank_tally import RankTally
from tests.oracles import auc, average_precision

ORACLES = {"auc": auc, "average-precision": average_precision}


def ranked(seed, n=40, decimals=1):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    truth[:2] = 0, 1
    a, b = (np.round(truth * 0.5 + rng.normal(size=n), decimals) + 0.25 for _ in range(2))
    return truth, a, b


@pytest.mark.parametrize("decimals", [0, 1, 6])
@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("seed", range(3))
def test_scores_equal_brute_force_on_repeated_rows(name, seed, decimals):
    truth, a, b = ranked(seed, decimals=decimals)
    tally = RankTally.of(Counts.of({"truth": truth, "a": a, "b": b}), METRICS[name])
    positive, rng = tally.positive.astype(int), np.random.default_rng(seed)
    keep = np.stack([tally.multiplicities, *rng.multinomial(40, np.full(len(positive), 1 / len(positive)), size=5)])
    for row, found in zip(keep, tally.scores(keep), strict=True):
        for system in (0, 1):
            repeated = np.repeat(positive, row), np.repeat(tally.values[:, system], row)
            assert found[system] == pytest.approx(ORACLES[name](*(x.tolist() for x in repeated)), abs=1e-12)
        # One draw alone, and shares in place of whole numbers, are the same question.
        assert tally.scores(row) == pytest.approx(found, abs=1e-12)
        assert tally.scores((row / row.sum())[None])[0] == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize("name", ORACLES)
def test_exchanged_rows_equal_brute_force(name):
    truth, a, b = ranked(5, n=20)
    tally = RankTally.of(Counts.of({"truth": truth, "a": a, "b": b}), METRICS[name])
    row = tally.multiplicities
    flip = np.random.default_rng(1).binomial(row, 0.5, size=(6, len(row)))
    for turned, found in zip(flip, tally.scores(row - flip, flip), strict=True):
        rows = np.repeat(np.arange(len(row)), row)
        which = np.concatenate([np.arange(n) < t for n, t in zip(row, turned, strict=True)])
        for system in (0, 1):
            scores = np.where(which, tally.values[rows, 1 - system], tally.values[rows, system])
            assert found[system] == pytest.approx(
                ORACLES[name](tally.positive[rows].astype(int).tolist(), scores.tolist())
            )


@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_negatives_between_positives_can_be_merged(decimals):
    truth, a, _ = ranked(2, n=60, decimals=decimals)
    plain, merged = (Ladder.of(a, truth == 1, merged=m) for m in (False, True))
    weights = np.random.default_rng(0).integers(0, 3, (5, 60))
    names = METRICS["average-precision"].totals
    found = [
        METRICS["average-precision"].function(**{n: ladder.climb(weights, names)[n] for n in names})
        for ladder in (plain, merged)
    ]
    assert found[1] == pytest.approx(found[0], abs=1e-12)
    steps = merged.climb(weights, names)["positives"].shape[1]
    assert steps <= len(np.unique(a[truth == 1])) + 1


def test_a_metric_of_ones_own_may_ask_for_what_lies_above():
    @metric(name="precision-at-half")
    def precision_at_half(positives, found, answers):
        """Precision at the highest score that finds half of the positives."""
        total = positives.sum(axis=-1, keepdims=True)
        enough = (found >= total / 2).sum(axis=-1, keepdims=True) - 1
        return (np.take_along_axis(found, enough, -1) / np.take_along_axis(answers, enough, -1))[..., 0]

    try:
        truth, a, b = ranked(1)
        tally = RankTally.of(Counts.of({"truth": truth, "a": a, "b": b}), precision_at_half)
        wanted = []
        for scores in (a, b):
            best = max(s for s in scores if (truth[scores >= s] == 1).sum() >= (truth == 1).sum() / 2)
            wanted.append(truth[scores >= best].mean())
        assert tally.observed() == pytest.approx(wanted)
        assert tally.scores(tally.multiplicities[None])[0] == pytest.approx(wanted)
    finally:
        METRICS.remove("precision-at-half")
