"""The randomization test: its interval is its own inversion."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import referee
from referee.data.counts import Counts, from_events
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.significance.base import interval_at
from referee.significance.laws.exchange import Shift
from referee.significance.rank_tally import tally_of
from tests import oracles, studentized
from tests.conformance.cases import columns, counts, metric_names

LEVELS = (0.6, 0.9, 0.95, 0.98)
SIDES = ("two-sided", "greater", "less")
MEANS = ("mean", "accuracy", "error", "recall", "specificity", "mse", "mae", "f1:average=micro")


def farthest(drawn, tail, tie=1e-12):
    """Return the farthest value that at least so large a share of all exchanges reach, by trying each."""
    sizes = np.abs(drawn)
    return max(x for x in sizes if np.mean(sizes >= x - tie) > tail)


def of(data, metric):
    return tally_of(Counts.of(data), resolve(metric))


@pytest.mark.parametrize("metric", [name for name in metric_names() if name not in (*MEANS, "win-rate")])
@pytest.mark.parametrize("groups", [None, 8])
def test_an_interval_holds_what_is_no_farther_off_than_exchanges_are(metric, groups):
    """Every exchange of 10 examples, or of 8 groups: d ± the farthest difference that is not too rare."""
    n = 24 if groups else 10
    data = columns(metric, n, 3, similar=0.3)
    lists = {role: values.tolist() for role, values in data.items()}
    own = {} if groups is None else {"group": np.arange(n) % groups}
    drawn = np.array(oracles.swaps(metric, lists.get("truth"), lists["a"], lists["b"], own.get("group")))
    tally = of({**data, **own}, metric)
    if getattr(tally, "is_mean", False):
        pytest.skip("of means the interval inverts the test")
    d = float(np.diff(tally.observed())[0])
    for level in LEVELS:
        made = resolve_test("randomization").interval_of(tally, level, Streams.of(0))
        reach = farthest(drawn, 1 - level)
        assert made.method == "randomization"
        assert (made.low, made.high) == pytest.approx((d - reach, d + reach), abs=1e-8)


@pytest.mark.parametrize("metric", ["f1", "precision", "mcc", "kappa", "dcf"])
def test_a_studentized_interval_is_in_standard_errors(metric):
    data = {role: values.tolist() for role, values in columns(metric, 10, 3, similar=0.3).items()}
    tally = of(data, metric)
    d, error = float(np.diff(tally.observed())[0]), float(tally.standard_errors(tally.multiplicities))
    drawn = studentized.sizes(metric, **data)
    for level in LEVELS:
        reach = farthest(np.array(drawn), 1 - level, tie=1e-9)
        made = resolve_test("randomization:studentized=true").interval_of(tally, level, Streams.of(0))
        if np.isinf(reach):
            assert np.isinf([made.low, made.high]).all()
        else:
            assert (made.low, made.high) == pytest.approx((d - reach * error, d + reach * error), abs=1e-8)


@pytest.mark.parametrize("weights", [np.ones(10), np.array([1, 4, 2, 9, 1, 1, 3, 2, 5, 2])])
@pytest.mark.parametrize("shift", [0.0, 0.6, -2.0])
def test_means_are_exchanged_less_the_difference_in_question(weights, shift):
    """By definition: the exchanges of x, spread as those of x - δw are, against d - δ."""
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(10), weights.astype(int))
    values = rng.normal(size=10)[group] + shift + 0.3 * rng.normal(size=len(group))
    tally = of({"a": np.zeros(len(group)), "b": values, "group": group}, "mean")
    x, total = np.bincount(group, values), weights.sum()
    d = x.sum() / total
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=10)))
    drawn = np.abs(signs @ x) / total

    def p(null):
        spread = np.sqrt(((x - null * weights) ** 2).sum() / (x**2).sum())
        return np.mean(drawn * spread >= abs(d - null) - 1e-12)

    test = resolve_test("randomization")
    for level in LEVELS:
        made = test.interval_of(tally, level, Streams.of(0))
        for end, outward in ((made.low, -1e-6), (made.high, 1e-6)):
            if np.isfinite(end):
                assert p(end + outward) <= 1 - level < p(end - outward)
    for null in (0.0, d / 2, d + 0.1, d - 0.3):
        assert test.p_at(tally, null, "two-sided", Streams.of(0)) == pytest.approx(p(null), abs=1e-9)


def test_means_come_close_to_exchanging_shifted_differences():
    """The interval of all exchanges of x - δ is that of means of subsets (Hartigan 1969); ours has the same shape."""
    rng = np.random.default_rng(5)
    subsets = np.array(list(itertools.product((0.0, 1.0), repeat=12)))[1:]
    apart = []
    for shift in (0.0, 1.0, 3.0):
        for _ in range(4):
            x = rng.normal(size=12) + shift
            ordered = np.sort(subsets @ x / subsets.sum(axis=1))
            place = int(0.025 * 2**12)
            low, high = ordered[place - 1], ordered[-place]
            made = resolve_test("randomization").interval_of(
                of({"a": np.zeros(12), "b": x}, "mean"), 0.95, Streams.of(0)
            )
            apart += [(made.low - low) / (high - low), (made.high - high) / (high - low)]
    assert np.abs(apart).max() < 0.08
    assert np.abs(np.mean(apart)) < 0.02


def agree(tally, test, alpha, streams=None):
    """Hold the p-value of each side against the interval of the level that goes with it."""
    streams = streams or Streams.of(0)
    own = tally.multiplicities[None, :]
    p = {side: float(test.evaluate(tally, own, side, streams).p[0]) for side in SIDES}
    wide, narrow = (interval_at(test, tally, level, streams) for level in (1 - alpha, 1 - 2 * alpha))
    if wide is not None:
        assert (p["two-sided"] <= alpha) == (0.0 not in wide)
    if narrow is not None:
        assert (p["greater"] <= alpha) == (narrow.low > 0)
        assert (p["less"] <= alpha) == (narrow.high < 0)
    for null in (0.03, -0.2):
        # On an end itself rounding decides whether the interval holds it.
        held = None if wide is None or min(abs(null - wide.low), abs(null - wide.high)) < 1e-9 else null in wide
        found = test.p_at(tally, null, "two-sided", streams)
        clear = found is not None and abs(found - alpha) > 1e-6
        if held is not None and clear and found > 1e-300:
            assert (found <= alpha) == (not held)


TESTS = st.sampled_from(
    ["randomization", "randomization:studentized=true", "randomization:method=monte-carlo,trials=199"]
)


@settings(max_examples=120, deadline=None)
@given(
    cells=st.lists(st.one_of(st.integers(0, 6), st.integers(0, 60)), min_size=8, max_size=8),
    metric=st.sampled_from(["accuracy", "f1", "precision", "recall", "mcc", "kappa", "dcf", "balanced-accuracy"]),
    test=TESTS,
    alpha=st.sampled_from([0.01, 0.05, 0.1, 0.2]),
)
def test_two_classes_never_contradict_themselves(cells, metric, test, alpha):
    if not sum(cells):
        return
    tally = tally_of(from_events(cells), resolve(metric))
    if np.isfinite(tally.observed()).all():
        agree(tally, resolve_test(test), alpha)


def test_an_interval_of_nothing_but_0_is_found_in_the_end():
    agree(
        tally_of(from_events([0, 0, 0, 4, 0, 5, 0, 0]), resolve("precision")),
        resolve_test("randomization:studentized=true"),
        0.1,
    )


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 60),
    metric=st.sampled_from(["mean", "mse", "rmse", "auc", "f1:average=macro", "average-precision"]),
    group=st.sampled_from([None, 3, 9]),
    alpha=st.sampled_from([0.05, 0.1]),
    test=TESTS,
)
def test_nothing_contradicts_itself(seed, n, metric, group, alpha, test):
    n = max(n, 4)
    tally = tally_of(counts(metric, n, seed=seed, group=group), resolve(metric))
    chosen = resolve_test(test)
    if np.isfinite(tally.observed()).all() and chosen.misfit(tally) is None:
        agree(tally, chosen, alpha)


@pytest.mark.parametrize(
    "test", ["randomization", "randomization:studentized=true", "randomization:method=monte-carlo,trials=999"]
)
@pytest.mark.parametrize("metric", ["mean", "f1", "accuracy", "f1:average=macro", "auc"])
def test_covering_is_what_the_interval_says(metric, test):
    tally = tally_of(counts(metric, 40, seed=31), resolve(metric))
    chosen = resolve_test(test)
    if chosen.misfit(tally) is not None:
        pytest.skip("does not fit")
    batch = np.random.default_rng(3).multinomial(30, tally.multiplicities / tally.units, 6)
    batch = batch[~tally.blank(batch)]
    # Of more than two kinds of units a batch is drawn, and may differ where p is near the level.
    slack = 1e-6 if metric in ("f1", "accuracy") and "carlo" not in test else 0.04
    for value in (0.0, 0.05, -0.2):
        held = chosen.covers(tally, batch, value, LEVELS, Streams.of(2))
        for place, row in enumerate(batch):
            own = tally.with_multiplicities(row)
            p = chosen.p_at(own, value, "two-sided", Streams.of(2).child(place))
            for i, level in enumerate(LEVELS):
                made = interval_at(chosen, own, level, Streams.of(2).child(place))
                if made is not None and p is not None and abs(p - (1 - level)) > slack:
                    assert held[place, i] == (value in made)


def test_sides_of_drawn_exchanges_add_up():
    """Each draw stands for its mirror image too: the sides are the two halves of one law."""
    data = counts("f1", 60, seed=4, similar=0.5)
    found = {
        side: referee.compare(data, metric="f1", test="randomization:method=monte-carlo,trials=499", alternative=side)
        for side in SIDES
    }
    near, far = sorted([found["greater"].p_value, found["less"].p_value])
    assert near == pytest.approx(found["two-sided"].p_value / 2)
    assert near + far >= 1
    exact = referee.compare(data, metric="f1", test="randomization", alternative="greater")
    drawn = found["greater"]
    assert abs(drawn.p_value - exact.p_value) <= 4 * drawn.p_error


def test_an_interval_of_means_holds_the_truth():
    """Normal differences far from 0: 95 in 100, within four standard errors of so many sets."""
    rng, test, held = np.random.default_rng(1), resolve_test("randomization"), []
    for number in range(300):
        tally = of({"a": np.zeros(12), "b": rng.normal(size=12) + 2.0}, "mean")
        held.append(test.covers(tally, tally.multiplicities[None, :], 2.0, (0.95,), Streams.of(number))[0, 0])
    assert abs(np.mean(held) - 0.955) < 4 * np.sqrt(0.95 * 0.05 / 300)


def test_what_all_units_agree_on_rules_out_nothing_or_has_no_width():
    same = of({"a": np.zeros(20), "b": np.ones(20)}, "mean")
    assert interval_at(resolve_test("randomization"), same, 0.95, Streams.of(0)) is None
    few = of({"truth": [1, 1, 1], "a": [0, 0, 0], "b": [1, 1, 1]}, "accuracy")
    made = interval_at(resolve_test("randomization"), few, 0.95, Streams.of(0))
    assert (made.low, made.high) == (-1.0, 1.0)
    unbounded = of({"a": np.zeros(3), "b": np.full(3, 2.0)}, "mean")
    assert interval_at(resolve_test("randomization"), unbounded, 0.95, Streams.of(0)) is None
    alike = of({"truth": [1, 0, 1], "a": [1, 0, 0], "b": [1, 0, 0]}, "f1")
    made = interval_at(resolve_test("randomization"), alike, 0.95, Streams.of(0))
    assert (made.low, made.high) == (0.0, 0.0)


def test_too_few_draws_rule_out_nothing():
    data = counts("f1", 60, seed=4, similar=0.5)
    made = referee.compare(data, metric="f1", test="randomization:method=monte-carlo,trials=99", alpha=0.005)
    assert (made.interval.low, made.interval.high) == (-1.0, 1.0)


def test_one_large_group_turns_the_distance_back():
    """Where one group has nearly all the weight, no difference far off is any farther than one nearer by."""
    tally = of({"a": np.zeros(43), "b": [1.0] * 40 + [0.0, 3.0, 2.0], "group": [0] * 40 + [1, 2, 3]}, "mean")
    shift = Shift.of(tally, tally.multiplicities[None, :], False)
    places = [float(shift.at(null)[0]) for null in np.linspace(2, 50, 30)]
    assert (np.diff(np.abs(places)) >= -1e-12).all()
