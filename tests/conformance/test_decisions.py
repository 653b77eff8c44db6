"""What an audit asks of every test: decisions on batches agree with p-values, whatever else is asked for."""

from __future__ import annotations

import numpy as np

from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.significance.rank_tally import tally_of
from tests.conformance.cases import PAIRS, counts, each

ALPHAS = (0.05, 0.2, 0.5)


def drawn(metric, group=None):
    tally = tally_of(counts(metric, 40, seed=31, group=group, similar=0.5), resolve(metric))
    batch = np.random.default_rng(3).multinomial(
        30 if group is None else tally.units, tally.multiplicities / tally.units, 5
    )
    return tally, batch


@each(PAIRS)
def test_decisions_are_those_of_the_p_values(metric, test):
    tally, batch = drawn(metric)
    chosen = resolve_test(test)
    decided = chosen.decide(tally, batch, ALPHAS, "two-sided", Streams.of(2))
    evidence = chosen.evaluate(tally, batch, "two-sided", Streams.of(2))
    assert decided.shape == (5, 3)
    assert decided.dtype == np.bool_
    trials = getattr(chosen, "trials", getattr(chosen, "replicates", None))
    for i, alpha in enumerate(ALPHAS):
        # Two samples of one law, or a sample and the law, may differ where p is near alpha.
        slack = 5 * np.sqrt(2 * alpha * (1 - alpha) / trials) if trials else 1e-9
        clear = np.abs(np.nan_to_num(evidence.p, nan=2.0) - alpha) > slack
        assert (decided[clear, i] == (evidence.p[clear] <= alpha)).all()
    assert (decided[:, 0] <= decided[:, 1]).all()
    assert (decided[:, 1] <= decided[:, 2]).all()


@each(PAIRS)
def test_a_decision_depends_on_its_row_alone(metric, test):
    tally, batch = drawn(metric)
    chosen = resolve_test(test)
    many = chosen.decide(tally, batch, ALPHAS, "greater", Streams.of(2))
    few = chosen.decide(tally, batch[:2], ALPHAS[:1], "greater", Streams.of(2))
    assert (many[:2, :1] == few).all()


@each(PAIRS)
def test_intervals_cover_or_not(metric, test):
    tally, batch = drawn(metric)
    held = resolve_test(test).covers(tally, batch[:2], 0.0, (0.5, 0.9), Streams.of(2))
    assert held.shape == (2, 2)
    known = held[np.isfinite(held)]
    assert np.isin(known, (0.0, 1.0)).all()
    both = np.isfinite(held).all(axis=1)
    assert (held[both, 0] <= held[both, 1]).all(), "a wider interval holds what a narrower one does"


@each(PAIRS)
def test_tiny_sets_are_no_trouble(metric, test):
    """Sets of one unit, sets with one class: warnings would be errors here."""
    tally, _ = drawn(metric)
    batch = np.concatenate([np.eye(len(tally.multiplicities), dtype=np.int64)[:6], drawn(metric)[1][:1] * 0 + 1])
    batch = batch[~tally.blank(batch)]
    chosen = resolve_test(test)
    decided = chosen.decide(tally, batch, (0.05, 0.5), "two-sided", Streams.of(1))
    assert decided.shape == (len(batch), 2)
    assert chosen.covers(tally, batch, 0.0, (0.9,), Streams.of(1)).shape == (len(batch), 1)
