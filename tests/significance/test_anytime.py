"""The anytime test: one law for p and interval, exact on counts, nothing before the burn-in, and no alarm from peeking."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from benchmarks.anytime import of_precision

import referee
from referee.data.counts import Counts, from_events
from referee.errors import RefereeError
from referee.metrics import resolve
from referee.report.methods import paragraph
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.significance.anytime import Anytime, Differences
from referee.significance.rank_tally import tally_of
from referee.studies.auditing.population import Population, World
from tests.conformance.cases import counts as made
from tests.conformance.test_one_law import agree

STREAMS = Streams.of(0)
EVENTS = [61, 40, 9, 21, 6, 19, 45, 873]
"""A and B differ on 113 examples, so that everything has begun."""


def pairs(wins, losses, ties=0):
    """Return right and wrong answers of which B wins and loses so many."""
    return Counts.of({"truth": [1, 1, 1], "a": [0, 1, 1], "b": [1, 0, 1]}, [wins, losses, ties])


def ratings(a, b, **scale):
    options = ",".join(f"{name}={value}" for name, value in scale.items())
    return tally_of(Counts.of({"a": a, "b": b}), resolve(f"mean:{options}"))


def measured(data, metric, alternative="two-sided", test="anytime"):
    return referee.compare(data, metric=metric, test=test, alternative=alternative, audit=False)


def test_every_sequence_of_right_and_wrong_answers():
    """Of all 3^8 ways in which eight examples can come, few enough ever have a small p, whatever the share of ties."""
    tally = tally_of(pairs(1, 1, 1), resolve("accuracy"))
    change = np.diff(tally.scores(np.eye(3, dtype=np.int64))).ravel()
    steps = np.array(list(product(range(3), repeat=8)))
    looks = (steps[:, :, None] == np.arange(3)).cumsum(axis=1)
    alike, place = np.unique(looks.reshape(-1, 3), axis=0, return_inverse=True)
    for side in ("two-sided", "greater", "less"):
        p = Anytime().evaluate(tally, alike, side, STREAMS).p[place.ravel()].reshape(looks.shape[:2])
        for ties in (0.0, 0.4):
            chance = np.where(change == 0, ties, (1 - ties) / 2)[steps].prod(axis=1)
            assert chance.sum() == pytest.approx(1)
            for alpha in (0.02, 0.05, 0.1, 0.3, 0.6):
                assert chance @ (p.min(axis=1) <= alpha) <= alpha


def test_ties_change_nothing_and_recall_bets_on_positives():
    few, many = (measured(pairs(20, 4, ties), "accuracy") for ties in (0, 10_000))
    assert few.p_value == many.p_value
    assert few.interval != many.interval
    both = from_events(EVENTS)
    positives = from_events([*EVENTS[:4], 0, 0, 0, 0])
    recall, accuracy = measured(both, "recall"), measured(positives, "accuracy")
    assert (recall.p_value, recall.interval) == (accuracy.p_value, accuracy.interval)
    assert measured(both, "error").p_value == pytest.approx(measured(both, "accuracy").p_value, rel=1e-9)


def test_p_of_pairs_is_the_mixture_of_binomials():
    from referee.significance.laws.bets import SHARES, WEIGHTS

    wins, losses = 18, 5
    up = math.fsum((WEIGHTS * (1 + SHARES) ** wins * (1 - SHARES) ** losses).tolist())
    assert measured(pairs(wins, losses), "accuracy").p_value == pytest.approx(2 / up, rel=1e-12)
    assert measured(pairs(wins, losses), "accuracy", "greater").p_value == pytest.approx(1 / up, rel=1e-12)
    assert measured(pairs(wins, losses), "accuracy", "less").p_value == 1


SMALL = [
    (from_events(EVENTS), "accuracy"),
    (from_events([50, 3, 9, 21, 6, 2, 11, 80]), "recall"),
    (from_events(EVENTS), "f1"),
    (from_events(EVENTS), "mcc"),
    (Counts.of({"a": np.arange(60) % 5 + 1, "b": (np.arange(60) * 7) % 5 + 1}), "mean:low=1,high=5"),
    (Counts.of({"a": np.linspace(-1, 1, 40), "b": np.linspace(-0.6, 1, 40)}), "mean:low=-1,high=1"),
    (Counts.of({"a": np.linspace(-1, 1, 80) ** 3, "b": np.linspace(-0.8, 1, 80)}), "mean"),
    (made("auc", 120, seed=1), "auc"),
    (made("f1", 400, seed=1, group=70), "f1"),
    (made("win-rate", 90, seed=3), "win-rate"),
    (made("brier", 90, seed=3), "brier"),
    (made("accuracy", 300, seed=3, stratum=3), "accuracy"),
    (pairs(1, 0), "accuracy"),
    (pairs(0, 1, 5), "accuracy"),
]


@pytest.mark.parametrize(("data", "metric"), SMALL, ids=[f"{m} {c.n}" for c, m in SMALL])
def test_p_and_interval_are_one_law(data, metric):
    tally, test = tally_of(data, resolve(metric)), Anytime()
    for alpha in (0.01, 0.05, 0.2):
        for null in (0.0, 0.03, -0.2):
            agree(tally, test, alpha, null)
    interval = test.interval_of(tally, 0.95, STREAMS)
    for end in (interval.low, interval.high):
        if tally.reach is None or abs(end) < tally.reach - 1e-9:
            assert test.p_at(tally, end, "two-sided", STREAMS) == pytest.approx(0.05, rel=1e-4)
    held = test.covers(tally, tally.multiplicities[None, :], interval.high - 1e-6, [0.95], STREAMS)
    beyond = test.covers(tally, tally.multiplicities[None, :], interval.high + 1e-6, [0.95], STREAMS)
    assert held[0, 0] == 1
    assert beyond[0, 0] == 0 or interval.high >= tally.reach


@pytest.mark.parametrize(("data", "metric"), SMALL, ids=[f"{m} {c.n}" for c, m in SMALL])
def test_p_falls_on_either_side_of_the_difference(data, metric):
    tally, test = tally_of(data, resolve(metric)), Anytime()
    away = np.linspace(-0.5, 0.5, 15)
    for side, sign in (("greater", 1), ("less", -1)):
        p = [test.p_at(tally, null, side, STREAMS) for null in away]
        assert (np.diff(p) * sign >= -1e-12).all()
        assert min(p) > 0 or metric == "accuracy"


def test_one_example_and_none_that_differ():
    one = measured(pairs(1, 0), "accuracy")
    assert one.p_value > 0.5
    assert one.verdict == "too close to call"
    assert (one.interval.high, one.interval.low < 0) == (1.0, True)
    same = measured(pairs(0, 0, 50), "accuracy")
    assert (same.p_value, same.difference, same.warnings) == (1.0, 0.0, ())
    assert same.interval.low == -same.interval.high
    assert 0 < same.interval.high < 0.3


def test_bets_against_what_cannot_be():
    """The ends of the range are ruled out by any example that is not at them, and by no other."""
    tally, test = tally_of(pairs(3, 0, 2), resolve("accuracy")), Anytime()
    assert test.p_at(tally, -1.0, "greater", STREAMS) == pytest.approx(0, abs=1e-300)
    assert test.p_at(tally, 1.0, "less", STREAMS) == pytest.approx(0, abs=1e-300)
    best = tally_of(pairs(4, 0), resolve("accuracy"))
    assert test.p_at(best, 1.0, "less", STREAMS) == 1
    assert test.interval_of(best, 0.95, STREAMS).high == 1


def test_p_is_small_but_never_zero():
    r = measured(pairs(100_000, 0), "accuracy")
    assert 0 < r.p_value < 1e-300
    assert r.verdict == "b better"
    huge = measured(pairs(10**9 + 10**6, 10**9, 10**9), "accuracy")
    assert 0 < huge.p_value < 1e-80
    assert huge.interval.low > 0
    assert huge.interval.high < 1e-3


@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_swapping(metric):
    data = from_events(EVENTS)
    r, s = measured(data, metric), measured(data.swap(), metric)
    assert r.p_value == pytest.approx(s.p_value, rel=1e-9)
    assert (r.interval.low, r.statistic) == (pytest.approx(-s.interval.high), pytest.approx(-s.statistic))
    assert measured(data, metric, "greater").p_value == pytest.approx(measured(data.swap(), metric, "less").p_value)


def test_a_lattice_of_ratings_and_a_range_below_zero():
    rng = np.random.default_rng(4)
    a, b = rng.integers(1, 6, 300), rng.integers(1, 6, 300)
    wide, scaled = ratings(a, b, low=1, high=5), ratings((a - 3) / 2, (b - 3) / 2, low=-1, high=1)
    one, two = (Anytime().interval_of(tally, 0.95, STREAMS) for tally in (wide, scaled))
    assert (one.low / 2, one.high / 2) == (pytest.approx(two.low), pytest.approx(two.high))
    assert Differences.of(wide).reach == 4


def test_many_kinds_of_differences_go_on_a_grid_that_costs_next_to_nothing(monkeypatch):
    rng = np.random.default_rng(5)
    a, b = rng.random(400), rng.random(400) ** 0.8
    exact, fine = Anytime().interval_of(ratings(a, b, low=0, high=1), 0.95, STREAMS), ratings(a, b, low=0, high=1)
    logs = np.array(Differences.of(fine).log_evidence(fine.multiplicities[None, :], 0.01))
    for kinds, most in ((64, 0.05), (256, 0.004)):
        monkeypatch.setattr("referee.significance.anytime.KINDS", kinds)
        rough = ratings(a, b, low=0, high=1)
        bets, own = Differences.of(rough), rough.multiplicities[None, :]
        assert len(bets.above) <= 2 * kinds
        assert bets.counts(own).sum() == pytest.approx(400)
        assert bets.counts(own)[0] @ bets.above == pytest.approx((b - a + 1).sum())
        # Never more evidence than there is, for either side, and hardly less.
        lost = logs - np.array(bets.log_evidence(own, 0.01))
        assert (lost >= 0).all()
        assert (lost < most).all()
        wider = Anytime().interval_of(rough, 0.95, STREAMS)
        assert wider.low <= exact.low < exact.high <= wider.high
        assert wider.high - wider.low < (1 + most) * (exact.high - exact.low)
        turned = Anytime().interval_of(ratings(b, a, low=0, high=1), 0.95, STREAMS)
        assert (turned.low, turned.high) == (pytest.approx(-wider.high), pytest.approx(-wider.low))


def test_one_more_kind_of_difference_than_are_kept_apart_is_no_jump():
    rng = np.random.default_rng(6)
    a = rng.random(8193)
    b = np.clip(a + rng.normal(0.011, 0.25, 8193), 0, 1)
    above, all_but_one = (measured(Counts.of({"a": a[:n], "b": b[:n]}), "mean:low=0,high=1") for n in (8193, 8192))
    assert above.p_value == pytest.approx(all_but_one.p_value, rel=0.05)
    assert above.p_value < 0.5


def test_scores_of_which_only_0_and_1_were_seen_name_what_is_assumed():
    said = "the exact evidence assumes that no others can occur"
    a, b = np.zeros(150, int), (np.arange(150) % 10 == 0).astype(int)
    r = measured(Counts.of({"a": a, "b": b}), "mean")
    assert (r.p_method, sum(said in one for one in r.warnings)) == ("exact", 1)
    assert "metric='mean:low=0,high=1'" in next(one for one in r.warnings if said in one)
    for a_, b_, metric in ((a, b, "mean:low=0,high=1"), (a == 1, b == 1, "mean"), (a, b + 0.5, "mean")):
        assert not any(said in one for one in measured(Counts.of({"a": a_, "b": b_}), metric).warnings)
    assert not any(said in one for one in measured(pairs(20, 4), "accuracy").warnings)
    # An asymptotic sequence assumes nothing of the kind, and neither do tests of one look.
    grouped = Counts.of({"a": a, "b": b, "group": np.arange(150) // 3})
    assert not any(said in one for one in measured(grouped, "mean").warnings)
    assert not any(said in one for one in measured(Counts.of({"a": a, "b": b}), "mean", test="mcnemar").warnings)


def test_a_batch_is_its_rows():
    tally = tally_of(from_events(EVENTS), resolve("f1"))
    rng = np.random.default_rng(6)
    batch = rng.multinomial(1500, tally.multiplicities / tally.units, 6)
    batch[0] = rng.multinomial(100, tally.multiplicities / tally.units)
    together = Anytime().evaluate(tally, batch, "two-sided", STREAMS).p
    held = Anytime().covers(tally, batch, 0.1, [0.9, 0.99], STREAMS)
    for place, row in enumerate(batch):
        own = tally.with_multiplicities(row)
        assert Anytime().evaluate(own, row[None, :], "two-sided", STREAMS).p[0] == pytest.approx(together[place])
        for level, known in zip((0.9, 0.99), held[place], strict=True):
            interval = Anytime().interval_of(own, level, STREAMS)
            assert np.isnan(known) if interval is None else known == (0.1 in interval)


def test_nothing_before_the_burn_in():
    few = measured(from_events([61, 7, 4, 21, 6, 2, 4, 873]), "f1")
    assert (few.p_value, few.interval, few.verdict) == (1.0, None, "too close to call")
    said = "the asymptotic confidence sequence starts at 20 examples on which the systems differ; there are 17"
    assert [one for one in few.warnings if "confidence sequence" in one] == [said]
    assert measured(from_events([61, 7, 4, 21, 6, 2, 4, 873]), "f1", test="anytime:burn_in=17").interval is not None
    assert measured(from_events([61, 7, 4, 21, 6, 2, 4, 873]), "f1", test="anytime:burn_in=18").interval is None
    # A t test estimates its variance from the data, and starts at twice as many.
    groups = measured(made("f1", 400, seed=1, group=30), "f1")
    assert any("starts at 40 groups on which the systems differ; there are" in one for one in groups.warnings)


def test_nothing_before_some_units_carry_the_difference():
    """Both have a precision of 0.97, but A says yes to 2% and B to 40%: all hangs on the few mistakes of A."""
    rows = {"truth": [1, 1, 1, 1, 0, 0, 0, 0], "a": [1, 0, 1, 0, 1, 0, 1, 0], "b": [1, 1, 0, 0, 1, 1, 0, 0]}
    world = Population.from_weights(rows, of_precision(0.97, 0.02, 0.4))
    tally = World.of(world, resolve("precision")).tally
    rng, steps = np.random.default_rng(8), np.diff(np.unique(np.geomspace(25, 3000, 30).astype(int)), prepend=0)
    drawn = np.stack([rng.multinomial(step, world.shares(tally), 400) for step in steps], axis=1)
    batch = drawn.cumsum(axis=1).reshape(-1, drawn.shape[-1])
    seen = np.flatnonzero(~tally.blank(batch))
    alarms = {}
    for name, quarter in (("as it is", 4), ("by the count alone", math.inf)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("referee.significance.anytime.QUARTER", quarter)
            p = np.ones(len(batch))
            p[seen] = Anytime().evaluate(tally, batch[seen], "two-sided", STREAMS).p
        alarms[name] = (p.reshape(400, -1).min(axis=1) <= 0.05).mean()
    assert alarms["as it is"] < 0.03
    assert alarms["by the count alone"] > 0.05
    early = measured(from_events([9, 80, 1, 50, 0, 3, 1, 90]), "precision")
    assert (early.p_value, early.interval) == (1.0, None)
    assert any("starts once the difference rests on 5 examples or more" in one for one in early.warnings)
    # Units that carry it are not few where A errs as often as can be.
    assert measured(from_events([1, 99, 0, 0, 0, 0, 0, 100]), "f1").verdict == "b better"


def test_it_is_wider_than_one_look_and_narrower_with_data():
    for metric in ("accuracy", "f1"):
        r, once = measured(from_events(EVENTS), metric), measured(from_events(EVENTS), metric, test="score")
        more = measured(from_events([100 * one for one in EVENTS]), metric)
        assert r.interval.low < once.interval.low < once.interval.high < r.interval.high
        assert r.interval.high - r.interval.low < 1.8 * (once.interval.high - once.interval.low)
        assert more.interval.high - more.interval.low < (r.interval.high - r.interval.low) / 5
        assert r.p_value > once.p_value


def test_a_mean_on_a_declared_range_is_refused_outside_of_it():
    outside = Counts.of({"a": [1, 5, 3], "b": [2, 6, 1]})
    with pytest.raises(RefereeError, match="6"):
        measured(outside, "mean:low=1,high=5")


@pytest.mark.parametrize("burn_in", [0, -3, 2.5, True, "many"])
def test_a_burn_in_is_a_whole_number(burn_in):
    with pytest.raises(RefereeError, match="burn_in"):
        resolve_test(f"anytime:burn_in={burn_in}") if not isinstance(burn_in, bool) else Anytime(burn_in=burn_in)


def test_peeking_raises_no_more_false_alarms():
    """At every one of 400 examples, of which the systems differ on a quarter."""
    rng, tally = np.random.default_rng(7), tally_of(pairs(1, 1, 1), resolve("accuracy"))
    order = np.argsort(np.diff(tally.scores(np.eye(3, dtype=np.int64))).ravel())
    share = np.empty(3)
    share[order] = 0.125, 0.75, 0.125
    looks = rng.multinomial(1, share, size=(600, 400)).cumsum(axis=1)[:, 9:]
    alike, place = np.unique(looks.reshape(-1, 3), axis=0, return_inverse=True)
    alarms = {}
    for name in ("anytime", "mcnemar"):
        p = resolve_test(name).evaluate(tally, alike, "two-sided", STREAMS).p[place.ravel()].reshape(looks.shape[:2])
        alarms[name] = (p.min(axis=1) <= 0.05).mean()
    assert alarms["anytime"] < 0.05 < 0.2 < alarms["mcnemar"]


def test_the_words_are_those_of_a_test_that_may_be_looked_at():
    r = measured(from_events(EVENTS), "accuracy")
    text = " ".join(str(r).replace("\xa0", " ").split())
    assert "anytime-valid p " in text
    assert "95% confidence sequence of the difference" in text
    assert "however often you look" in text
    assert "would occur by chance" not in text
    told = paragraph.paragraph(r)
    assert "Ville, 1939" in told
    assert "anytime-valid: a bound" in told
    assert "Waudby-Smith et al., 2024" not in told
    assert "Waudby-Smith et al., 2024" in paragraph.paragraph(measured(from_events(EVENTS), "f1"))
    assert r.plot_data().luck is None


def systems(n=500):
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, n)
    return truth, {f"m{i}": np.where(rng.random(n) < 0.7 + 0.06 * i, truth, 1 - truth) for i in range(3)}


def test_several_comparisons_are_adjusted_by_what_holds_at_all_looks():
    """The law of the largest statistic is of one look, and so is that of an average over tasks."""
    truth, answers = systems()
    ranking = referee.rank(truth=truth, systems=answers, test="anytime")
    assert ranking.adjust == "bonferroni"
    assert any("over all looks" in one for one in ranking.warnings)
    for pair in ranking.pairs:
        alone = referee.compare(truth=truth, a=answers[pair.a], b=answers[pair.b], test="anytime", audit=False)
        assert pair.p_value == pytest.approx(alone.p_value, rel=1e-9)
        assert pair.p_adjusted == pytest.approx(min(1.0, 3 * alone.p_value), rel=1e-9)
        if pair.interval is not None:
            assert (0.0 not in pair.interval) == (pair.p_adjusted <= 0.05)
    slices = np.where(np.arange(500) % 2, "odd", "even")
    several = referee.compare(truth=truth, a=answers["m0"], b=answers["m2"], by=slices, test="anytime", audit=False)
    assert several.adjust == "bonferroni"
    assert [one.kind for one in several.overall] == ["pooled"]
    for one in several:
        assert (0.0 not in one.interval_adjusted) == (one.p_adjusted <= 0.05)


def test_where_it_does_not_fit_it_says_so():
    truth, answers = systems(60)
    with pytest.raises(RefereeError, match="not for battles"):
        referee.rank(a=["x", "y"] * 9, b=["y", "x"] * 9, winner=["a", "b", "tie"] * 6, test="anytime")
    some = np.where(np.arange(60) < 30, truth.astype(float), np.nan)
    with pytest.raises(RefereeError, match="prediction-powered, not anytime"):
        referee.compare(truth=some, judge=truth, a=answers["m0"], b=answers["m2"], test="anytime", missing="drop")


@pytest.mark.parametrize("question", ["no-worse", "equal"])
def test_a_margin_is_asked_about_at_all_looks_too(question):
    r = referee.compare(
        from_events([9 * one for one in EVENTS]), question=question, margin=0.12, test="anytime", metric="accuracy"
    )
    assert (
        (r.p_value <= 0.05)
        == (r.verdict in ("no worse", "practically equal"))
        == (r.interval.high < 0.12 or question == "no-worse")
    )
    assert "would ever turn up" in " ".join(str(r).replace("\xa0", " ").split())
