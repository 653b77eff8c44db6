"""The line that a verdict carries: right about tests that err, measured where that is quick, and never by a clock."""

from dataclasses import dataclass

import numpy as np
import pytest

import referee
from referee.data.counts import Counts, from_events
from referee.metrics import resolve as resolve_metric
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.significance.base import Evidence, Test
from referee.significance.rank_tally import tally_of
from referee.studies.auditing.audit_line import ALL, QUICK, SETS, Asked, draws, errs, rates, seconds
from referee.studies.auditing.population import Population

EVENTS = from_events([61, 14, 9, 21, 6, 11, 5, 873])
RARE = from_events([9, 3, 2, 4, 3, 2, 5, 172])
SCORES = {"a": np.random.default_rng(1).random(80), "b": np.random.default_rng(2).random(80)}


def line_of(counts, metric, test="score", **asked):
    one = Asked(resolve_test(test), **{"alternative": "two-sided", "alpha": 0.05, **asked})
    return rates(draws(counts, resolve_metric(metric), one, Streams.of(0)), one, Streams.of(0))


@dataclass(frozen=True, kw_only=True)
class Coin(Test):
    """A test of no use, which rejects by the number of examples that B alone gets right."""

    odd: bool = True

    def misfit(self, tally):
        return None

    def measure(self, tally, batch, alternative, streams):
        return Evidence(p=np.where(batch[:, 1] % 2 == self.odd, 0.01, 0.99))

    def interval_of(self, tally, level, streams):
        return None


def test_a_test_that_errs_is_found_out():
    line = line_of(EVENTS, "f1", Coin())
    assert 0.4 < line["false_alarm"] < 0.6
    assert line["coverage"] is None
    assert 0.4 < line["power"] < 0.6
    optimistic = referee.compare(RARE, metric="accuracy", test="bootstrap:replicates=199", alpha=0.01, audit=True)
    assert optimistic.audit["coverage"] < 0.99
    shares = [1 if i < 4 else 0 for i in range(200)]
    few = referee.compare(
        truth=shares, a=[0] * 200, b=[1, 1, *([0] * 198)], metric="f1", test="bootstrap:replicates=199", audit=True
    )
    assert any(
        "of the bootstrap test (199 replicates) contains the true difference in only" in warning
        for warning in few.warnings
    )


@pytest.mark.parametrize(
    ("metric", "asked"),
    [
        ("f1", {}),
        ("accuracy", {"alternative": "greater"}),
        ("f1", {"alternative": "less", "alpha": 0.1}),
        ("f1", {"question": "no-worse", "margin": 0.05}),
        ("error", {"question": "no-worse", "margin": 0.01, "higher_is_better": False}),
        ("accuracy", {"question": "equal", "margin": 0.015}),
    ],
)
def test_the_rates_are_those_of_brute_force(metric, asked):
    """Draw sets by hand from the world that is meant, and ask compare() itself about each."""
    from referee.significance.laws.score import ScoreLaw

    line = line_of(EVENTS, metric, **asked)
    tally, one = tally_of(EVENTS, resolve_metric(metric)), Asked(resolve_test("score"), **{"alternative": "two-sided", "alpha": 0.05, **asked})  # fmt: skip
    law = ScoreLaw(tally)
    observed = float(law.centres(tally.multiplicities[None, :])[0])
    world = law.distances(tally.multiplicities[None, :], one.null(observed)).worlds.expected[0]
    rows = law.space.counts(tally.multiplicities[None, :])[0]
    whole, sets = law.whole(), 200
    scores = whole.scores(world)
    assert scores[1] - scores[0] == pytest.approx(one.null(observed), abs=1e-6)
    drawn = np.random.default_rng(7).multinomial(int(rows.sum()), world / world.sum(), size=sets)
    alarms = [one.yes(whole, row[None, :], Streams.of(0))[0] for row in drawn]
    # The question is the very one that compare() asks: p of a one-sided test at the margin, or of a tie.
    for row in drawn[:20]:
        own = whole.with_multiplicities(row)
        null, side = {"better": (0.0, one.alternative)}.get(
            one.question, (one.null(0.0), "greater" if one.null(0.0) < 0 else "less")
        )
        p = one.test.p_at(own, null, side, Streams.of(0))
        if one.question == "equal":
            p = max(p, one.test.p_at(own, -null, "greater", Streams.of(0)))
        assert (p <= one.alpha) == one.yes(whole, row[None, :], Streams.of(0))[0]
    error = (0.05 * 0.95 * (1 / sets + 1 / SETS)) ** 0.5
    assert line["false_alarm"] == pytest.approx(np.mean(alarms), abs=4 * error)
    assert line["level"] == pytest.approx(1 - one.alpha if asked == {} else 1 - 2 * one.alpha)
    assert line["coverage"] == pytest.approx(line["level"], abs=0.04)
    assert line["sets"] == SETS


def test_by_default_it_is_there_where_it_is_quick():
    for options in ({"metric": "f1"}, {"metric": "mcc"}, {"metric": "accuracy", "test": "paired-t"}):
        r = referee.compare(EVENTS, **options)
        assert 0.01 < r.audit["false_alarm"] < 0.09
        assert 0.9 < r.audit["coverage"] < 0.99
        assert r.audit_seconds is None
    assert referee.compare(**SCORES).audit is not None
    assert referee.compare(EVENTS, metric="f1", audit=False).audit is None
    assert referee.compare(EVENTS, metric="f1", audit=False).audit_seconds is None


def test_what_takes_long_is_left_out_and_says_how_long():
    slow = referee.compare(EVENTS, metric="f1", test="bootstrap:replicates=199")
    assert (slow.audit, slow.audit_seconds) == (None, 1.0)
    assert referee.compare(EVENTS, metric="f1", test="bootstrap:replicates=199", audit=True).audit is not None
    labels = np.arange(300) % 3
    macro = referee.compare(truth=labels, a=np.roll(labels, 1), b=labels[::-1], metric="f1:average=macro")
    assert macro.audit is None
    assert macro.audit_seconds > QUICK


@pytest.mark.parametrize("test", ["bootstrap:interval=t", "bootstrap", "delong:law=t", "cluster-t", "randomization"])
def test_the_estimate_is_of_ranks_too(test):
    truth = np.arange(400) % 2
    counts = Counts.of({"truth": truth, "a": SCORES["a"].repeat(5), "b": SCORES["b"].repeat(5)})
    metric = resolve_metric("average-precision" if test == "bootstrap:interval=t" else "auc")
    asked = Asked(resolve_test(test), "two-sided", 0.05)
    assert seconds(asked, tally_of(counts, metric)) > QUICK


def test_many_comparisons_are_not_made_slow():
    """Ten lines and more are left out together: which of them are there must not depend on their order."""
    table = {"y": [1, 0] * 200, "a": [1, 0, 0, 1] * 100, "b": [1, 0, 1, 1] * 100}
    for parts, there in ((5, True), (40, False)):
        slices = [str(i % parts) for i in range(400)]
        rs = referee.compare({**table, "part": slices}, truth="y", a="a", b="b", by="part", metric="f1")
        assert {r.audit is not None for r in rs} == {there}
        assert {r.audit_seconds is None for r in rs} == {there}
        asked = [Asked.of(r, None) for r in rs]
        total = sum(seconds(one, tally_of(r.counts, resolve_metric("f1"))) for one, r in zip(asked, rs, strict=True))
        assert (total <= ALL) == there
    forced = referee.compare({**table, "part": slices}, truth="y", a="a", b="b", by="part", audit=True)
    assert all(r.audit is not None for r in forced)


def test_a_line_does_not_change_the_rest():
    plain, audited = (referee.compare(EVENTS, metric="f1", audit=audit).to_dict() for audit in (False, True))
    for content in (plain, audited):
        content.pop("audit")
    assert plain == audited


def test_the_same_seed_gives_the_same_line_and_another_another():
    one, same, other = (referee.compare(EVENTS, metric="f1", rng=rng).audit for rng in (3, 3, 4))
    assert one == same
    assert one != other


def grouped():
    """Return examples of 20 groups, in each of which a system is right on all or wrong on all."""
    truth, group, rng = np.arange(400) % 2, np.arange(400) // 20, np.random.default_rng(5)
    a, b = (np.where(rng.random(20)[group] < share, 1 - truth, truth) for share in (0.4, 0.3))
    return {"truth": truth, "a": a, "b": b, "group": group}


def test_groups_are_drawn_whole():
    r = referee.compare(**grouped(), metric="accuracy")
    assert (r.audit["null"], r.test) == ("tilt", "cluster-t")
    assert r.audit["false_alarm"] < 0.1


@pytest.mark.parametrize("question", ["no-worse", "equal"])
def test_margins_over_groups_are_audited_at_the_margin(question):
    data, asked = grouped(), {"question": question, "margin": 0.02, "metric": "accuracy"}
    line = referee.compare(**data, **asked).audit
    assert line["null"] == "tilt"
    population = Population.of(Counts.of({role: np.asarray(values) for role, values in data.items()}))
    worse = population.tilt(resolve_metric("accuracy"), -0.02)
    assert worse.difference(resolve_metric("accuracy")) == pytest.approx(-0.02, abs=1e-10)
    assert line["false_alarm"] <= 0.2


def test_what_cannot_be_measured_is_said():
    data = {**grouped(), "b": grouped()["truth"]}  # no group in which B does worse
    r = referee.compare(**data, question="no-worse", margin=0.02, metric="accuracy")
    assert r.audit is None
    assert any(
        "could not be measured: no distribution close to these data was found" in warning for warning in r.warnings
    )


def test_a_rate_beyond_half_a_point_and_three_errors_is_warned_of():
    line = {"false_alarm": 0.086, "false_alarm_error": 0.0089, "coverage": 0.95, "level": 0.95, "sets": 1000}
    r = referee.compare(EVENTS, metric="f1", audit=False)
    assert any("raises a false alarm in 8.6%" in said for said in errs(line, r))
    assert not errs({**line, "false_alarm": 0.075, "false_alarm_error": 0.0083}, r)


def test_alpha_beyond_one_half_has_no_interval_to_cover_with():
    r = referee.compare(EVENTS, metric="f1", alternative="greater", alpha=0.6)
    assert r.interval is None
    assert r.audit["coverage"] is None
    assert 0.5 < r.audit["false_alarm"] < 0.7


def test_identical_systems_and_odd_data_have_a_line_or_none():
    same = referee.compare(truth=[1, 0] * 40, a=[1, 0] * 40, b=[1, 0] * 40, metric="f1")
    assert same.audit["false_alarm"] == 0
    assert same.audit["coverage"] > 0.98
    assert same.audit["power"] is None
    for options in (
        {"truth": [1], "a": [1], "b": [0]},
        {"truth": [0, 0, 0], "a": [0, 1, 0], "b": [0, 0, 1], "metric": "f1", "positive": 1},
        {"truth": [1, 1], "a": [1, 1], "b": [0, 0], "metric": "precision", "positive": 1},
        {"a": [0.5], "b": [0.25]},
        {"a": [0.5, 0.5], "b": [0.25, 0.25]},
        {"truth": [1, 0, 1], "a": [1, 0, 1], "b": [0, 0, 1], "group": ["x", "x", "x"]},
    ):
        r = referee.compare(**options)
        assert r.audit is None or 0 <= r.audit["false_alarm"] <= 1


def test_power_is_that_of_more_sets_of_a_population():
    counts = from_events([300, 60, 30, 60, 40, 30, 20, 460])
    line = referee.compare(counts, metric="accuracy").audit
    world, hits = Population.of(counts), 0
    for seed in range(200):
        hits += referee.compare(world.draw(counts.n, rng=seed), metric="accuracy", audit=False).p_value <= 0.05
    assert line["power"] == pytest.approx(hits / 200, abs=0.12)
