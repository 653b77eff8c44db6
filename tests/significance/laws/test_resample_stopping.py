"""Decisions that settle early: the bound on their risk, exactly, and against all the draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

from referee.data.counts import from_events
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.significance.laws.resample import (
    BOOTSTRAP,
    COVERING,
    RISK,
    Drawing,
    allowed_hits,
    bootstrap,
    looks,
    members,
    settle,
)
from referee.significance.rank_tally import tally_of

EVENTS = (61, 14, 9, 21, 6, 11, 5, 873)
ALPHAS = (0.01, 0.05, 0.1)


def chance_of_stopping(total, plan, hits, wrong):
    """Walk over all orders of the draws: the probability that a look settles the question wrongly."""
    states, drawn, lost = {0: 1.0}, 0, 0.0
    for look in plan[:-1]:
        following = {}
        for so_far, probability in states.items():
            law = hypergeom(total - drawn, hits - so_far, look.drawn - drawn)
            low, high = law.support()
            for more, share in zip(range(low, high + 1), law.pmf(np.arange(low, high + 1)), strict=True):
                now = so_far + more
                if wrong(now, look):
                    lost += probability * share
                elif not (now <= look.few or now >= look.many):
                    following[now] = following.get(now, 0.0) + probability * share
        states, drawn = following, look.drawn
    return lost


@pytest.mark.parametrize(("total", "allowed"), [(999, 24), (999, 4), (4999, 124), (9999, 249)])
@pytest.mark.parametrize("sides", [1, 2])
def test_the_risk_of_another_decision_is_bounded(total, allowed, sides):
    plan = looks(total, allowed, sides)
    falsely_few = chance_of_stopping(total, plan, allowed + 1, lambda k, look: k <= look.few)
    falsely_many = chance_of_stopping(total, plan, allowed, lambda k, look: k >= look.many)
    assert falsely_few <= RISK / sides
    assert falsely_many <= RISK / sides
    if allowed > 4:
        assert max(falsely_few, falsely_many) > 0, "nothing ever stops early"


def test_what_is_certain_is_settled_and_nothing_else_at_the_end():
    plan = looks(99, 4, 2)
    assert plan[-1].drawn == 99
    assert (plan[-1].few, plan[-1].many) == (4, 5)
    assert all(look.few < look.many for look in plan)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.024, 0.026, 0.3, 1.0])
def test_settle_says_what_all_the_draws_say(share):
    rows, total, allowed = 400, 999, [4, 24, 49]
    draws = np.random.default_rng(7).random((rows, total, 1)) < share
    asked = []

    def hits(active, start, stop):
        asked.append(len(active) * (stop - start))
        return draws[active, start:stop].sum(axis=1)

    found = settle(hits, rows, 1, total, allowed)
    full = draws.sum(axis=1)[:, :, None] <= np.array(allowed)
    assert (found != full).sum() <= 1  # 1,200 decisions at a risk of 1e-4 each
    assert sum(asked) <= rows * total
    if share in (0.3, 1.0):
        assert sum(asked) < rows * total / 5


def test_no_alpha_below_what_the_draws_can_reach_rejects():
    assert allowed_hits(0.001, 99, 2) == -1
    assert not settle(lambda rows, start, stop: np.zeros((len(rows), 1), np.int64), 3, 1, 99, [-1]).any()


@pytest.mark.parametrize("total", [99, 999, 4999, 5000, 9999])
@pytest.mark.parametrize("tails", [1, 2])
def test_allowed_hits_are_those_whose_p_is_within_alpha(total, tails):
    for alpha in (0.001, 0.01, 0.02, 0.05, 0.1, 0.5):
        p = tails * (np.arange(total + 1) + 1) / (total + 1)
        assert allowed_hits(alpha, total, tails) == (p <= alpha).sum() - 1


@pytest.mark.parametrize("weights", [(3, 1, 400, 9), (1,) * 40, (2, 0, 1, 1) * 12])
def test_draws_taken_piecemeal_are_those_taken_at_once(weights):
    weights = np.array(weights)
    strata = np.arange(len(weights)) % 2
    streams = Streams.of(4).child(1)
    pieces = Drawing(weights, members(strata), streams)
    at_once = Drawing(weights, members(strata), streams).take(9000)
    assert np.array_equal(np.concatenate([pieces.take(k) for k in (64, 64, 128, 4000, 4744)]), at_once)
    for stratum in (0, 1):
        assert at_once[:, strata == stratum].sum(axis=1) == pytest.approx(weights[strata == stratum].sum(), rel=1e-12)
    assert at_once.mean(axis=0) == pytest.approx(weights, abs=0.5)
    assert (at_once[:, weights == 0] == 0).all()


def test_settled_draws_are_those_of_the_bootstrap():
    tally = tally_of(from_events(EVENTS), resolve("f1"))
    streams = Streams.of(3).child(17, BOOTSTRAP)
    all_of_them = bootstrap(tally, 500, streams).scores
    some = Drawing(tally.multiplicities, members(tally.strata), streams).take(500)
    assert np.array_equal(tally.scores(some), all_of_them)


CASES = [
    ("f1", "bootstrap:replicates=5000"),
    ("error", "bootstrap:replicates=999,interval=basic"),
    ("f1", "bootstrap:replicates=999,interval=basic"),
    ("precision", "bootstrap:replicates=999,interval=studentized"),
    ("f1", "bootstrap:replicates=199,interval=bca"),
    ("f1", "bootstrap:replicates=199,interval=centered"),
]


@pytest.mark.parametrize(("metric", "test"), CASES)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_decisions_are_those_of_all_replicates(metric, test, alternative):
    tally = tally_of(from_events(EVENTS), resolve(metric))
    shares = tally.multiplicities / tally.units
    batch = np.concatenate([np.random.default_rng(n).multinomial(n, shares, size=60) for n in (30, 300, 2000)])
    chosen = resolve_test(test)
    early = chosen.decide(tally, batch, ALPHAS, alternative, Streams.of(5))
    full = chosen.evaluate(tally, batch, alternative, Streams.of(5)).p[:, None] <= np.array(ALPHAS)
    assert early.any()
    assert (early != full).sum() <= 1  # 540 decisions at a risk of 1e-4 each


def test_coverage_is_that_of_the_interval():
    tally = tally_of(from_events(EVENTS), resolve("f1"))
    batch = np.random.default_rng(2).multinomial(300, tally.multiplicities / tally.units, size=60)
    test, value = resolve_test(f"bootstrap:replicates={COVERING}"), 0.06
    early = test.covers(tally, batch, value, (0.9, 0.95), Streams.of(5))
    for place, row in enumerate(batch):
        own = tally.with_multiplicities(row)
        for i, level in enumerate((0.9, 0.95)):
            assert early[place, i] == (value in test.interval_of(own, level, Streams.of(5).child(place)))
    assert 0 < early.mean() < 1
