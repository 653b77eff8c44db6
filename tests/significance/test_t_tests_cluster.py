"""cluster-t: the anchor, brute force of its formulas, its edges, and how often its interval holds the truth."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtr

import referee
from referee.data.counts import Counts
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.significance.base import Test
from referee.significance.distributions import t_quantiles
from referee.significance.laws.pulls import Pulls
from referee.significance.rank_tally import tally_of
from referee.significance.score_intervals import score_intervals
from tests.bell_mccaffrey import by_matrices, degrees_of_freedom

TEST = resolve_test("cluster-t")
STREAMS = Streams.of(0)
CHANGES = [[1, 0, 1], [0, -1], [1, 1, 0, 1], [0]]


def of_changes(changes, stratum=None):
    b = [float(x) for group in changes for x in group]
    groups = [g for g, group in enumerate(changes) for _ in group]
    more = {} if stratum is None else {"stratum": [stratum[g] for g in groups]}
    return referee.count(a=[0.0] * len(b), b=b, group=groups, **more)


def mean_of(changes, stratum=None):
    return tally_of(of_changes(changes, stratum), resolve("mean"))


def parts(tally, test=TEST):
    return tuple(float(part[0]) for part in test.parts(tally, tally.multiplicities[None, :]))


def test_the_anchor():
    tally = mean_of(CHANGES)
    d, error, df = parts(tally)
    assert (d, error, df) == pytest.approx((0.4, 0.2899781, 2.333333), abs=1e-6)
    assert TEST.evaluate(tally, tally.multiplicities[None, :], "two-sided", STREAMS).p == pytest.approx(
        [0.2850789], abs=1e-7
    )
    interval = TEST.interval_of(tally, 0.95, STREAMS)
    assert (interval.low, interval.high) == pytest.approx((-0.6915133, 1.4915133), abs=1e-7)
    assert interval.method == "cluster-t"


def labelled(seed, n, groups, classes=2):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    a, b = (np.where(rng.random(n) < 0.6, truth, rng.integers(0, classes, n)) for _ in range(2))
    return {"truth": truth, "a": a, "b": b, "group": rng.integers(0, groups, n)}


@pytest.mark.parametrize("seed", range(4))
def test_f1_by_the_formula(seed):
    data = labelled(seed, 60, 7)
    psi, size = [], []
    cell = {
        role: (2 * ((data[role] == 1) & (data["truth"] == 1)), (data[role] == 1) * 1 + (data["truth"] == 1))
        for role in "ab"
    }
    total = {role: [part.sum() for part in cell[role]] for role in "ab"}
    for g in np.unique(data["group"]):
        inside = data["group"] == g
        own = {role: [part[inside].sum() for part in cell[role]] for role in "ab"}
        pull = {r: (own[r][0] - total[r][0] / total[r][1] * own[r][1]) / total[r][1] for r in "ab"}
        psi.append(pull["b"] - pull["a"])
        size.append(own["a"][1] + own["b"][1])
    h = np.array(size) / np.sum(size)
    d, error, df = parts(tally_of(Counts.of(data), resolve("f1")))
    assert d == pytest.approx(total["b"][0] / total["b"][1] - total["a"][0] / total["a"][1])
    assert error**2 == pytest.approx((np.array(psi) ** 2 / (1 - h)).sum())
    assert df == pytest.approx(1 / (h**2).sum() - 1)


@pytest.mark.parametrize("metric", ["mcc", "kappa"])
def test_metrics_without_one_denominator_by_differences(metric):
    data = labelled(1, 80, 6)
    tally = tally_of(Counts.of(data), resolve(metric))
    e = tally.multiplicities.astype(float)
    step = 1e-5
    moved = np.eye(len(e)) * step
    psi = (np.diff(tally.scores(e + moved)) - np.diff(tally.scores(e - moved)))[:, 0] / (2 * step)
    totals = tally.totals(e)
    slopes = np.empty_like(totals)
    for k in range(totals.shape[1]):
        shift = np.zeros(totals.shape[1])
        shift[k] = 1e-4
        slopes[:, k] = (tally.bound.formula.score(totals + shift) - tally.bound.formula.score(totals - shift)) / 2e-4
    bulk = np.einsum("sk,usk->u", np.abs(slopes), np.abs(tally.statistics))
    h = bulk / (e @ bulk)
    _, error, df = parts(tally)
    assert error**2 == pytest.approx(float(e @ (psi**2 / (1 - h))), rel=1e-5)
    assert df == pytest.approx(1 / float(e @ h**2) - 1, rel=1e-5)


def ranked(seed, n, groups):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    a, b = ((truth + rng.normal(size=n)).round(1) + 0.05 for _ in range(2))
    return {"truth": truth, "a": a, "b": b, "group": rng.integers(0, groups, n)}


def joined(psi, share, pooled):
    """Return error² and degrees of freedom of a sum of terms: [term, group] how far groups move it, and their shares of it."""
    fitted = psi / np.sqrt(1 - share)
    variances, known = (fitted**2).sum(axis=1), 1 / (share**2).sum(axis=1) - 1
    df = variances.sum() ** 2 / (variances**2 / known).sum()
    return (fitted.sum(axis=0) ** 2).sum(), min(df, 1 / (pooled**2).sum() - 1)


def by_group(data, values):
    return np.bincount(data["group"], values)


def test_balanced_accuracy_by_the_formula():
    data = labelled(1, 80, 6)
    right = {s: (data[s] == data["truth"]) * 1.0 for s in "ab"}
    psi, share = [], []
    for label in (0, 1):
        inside = data["truth"] == label
        gain = (right["b"] - right["a"]) * inside
        share.append(by_group(data, inside) / inside.sum())
        psi.append((by_group(data, gain) - gain.sum() * share[-1]) / inside.sum() / 2)
    tally = tally_of(Counts.of(data), resolve("balanced-accuracy"))
    _, error, df = parts(tally)
    # What a score is made of is a hit's and a member's part of it: |1/n| and |recall/n|.
    weights = 0.0
    for s in "ab":
        for label in (0, 1):
            inside = data["truth"] == label
            recall = right[s][inside].mean()
            weights = weights + by_group(data, inside * (right[s] + recall)) / inside.sum()
    variance, wanted = joined(np.array(psi), np.array(share), weights / weights.sum())
    assert (error**2, df) == (pytest.approx(variance), pytest.approx(wanted))


def test_macro_f1_by_the_formula():
    data = labelled(1, 80, 6, classes=3)
    psi, share = [], []
    for label in range(3):
        pulls, sizes = [], []
        for s in "ab":
            hits = 2.0 * ((data[s] == label) & (data["truth"] == label))
            whole = (data[s] == label) * 1.0 + (data["truth"] == label)
            f1 = hits.sum() / whole.sum()
            pulls.append(by_group(data, hits - f1 * whole) / whole.sum() / 3)
            sizes.append(by_group(data, whole))
        psi.append(pulls[1] - pulls[0])
        share.append(sum(sizes) / sum(sizes).sum())
    _, error, df = parts(tally_of(Counts.of(data), resolve("f1:average=macro")))
    variance, wanted = joined(np.array(psi), np.array(share), np.full(1, 1e-9))
    assert error**2 == pytest.approx(variance)
    assert df <= wanted * (1 + 1e-9)


def placements(data, s):
    """Return how far each example moves an AUC: the share of the other class that it is on the right side of, less the AUC."""
    above = data[s][:, None] - data[s][None, :]
    wins = np.where(above > 0, 1.0, np.where(above == 0, 0.5, 0.0))
    positive = data["truth"] == 1
    placed = np.where(positive, wins[:, ~positive].mean(axis=1), 1 - wins[:, positive].mean(axis=1))
    return placed - placed[positive].mean()


def test_auc_by_the_formula():
    data = ranked(2, 70, 6)
    tally = tally_of(Counts.of(data), resolve("auc"))
    psi, own, share = [], [], []
    for label in (0, 1):
        inside = (data["truth"] == label) * 1.0
        share.append(by_group(data, inside) / inside.sum())
        moves = [by_group(data, placements(data, s) * inside) / inside.sum() for s in "ab"]
        psi.append(moves[1] - moves[0])
        own.append(moves[1])
    h = np.mean(share, axis=0)
    d, error, df = parts(tally)
    assert d == pytest.approx(float(np.diff(tally.observed())[0]))
    variance, wanted = joined(np.array(psi), np.array(share), h)
    assert (error**2, df) == (pytest.approx(variance), pytest.approx(wanted))
    variance, df = joined(np.array(own), np.array(share), h)
    own = score_intervals(tally, 0.9, STREAMS)[1]
    half = t_quantiles(0.95, df) * np.sqrt(variance)
    assert own.low == pytest.approx(max(0.0, tally.observed()[1] - half), rel=1e-6)
    assert own.method == "cluster-t"


def test_own_scores_are_by_the_same_law():
    """A system beside one whose score never varies: its own interval is that of the difference."""
    tally = mean_of(CHANGES)
    own, between = score_intervals(tally, 0.9, STREAMS)[1], TEST.interval_of(tally, 0.9, STREAMS)
    assert (own.low, own.high, own.method) == pytest.approx((between.low, between.high, "cluster-t"))
    data = Counts.of(labelled(5, 60, 7))
    same = tally_of(data.put(a=np.zeros(len(data), int)), resolve("accuracy"))
    assert all(one.method == "cluster-t" for one in score_intervals(same, 0.9, STREAMS))


def test_equal_groups_are_the_paired_t_of_their_means():
    tally = mean_of([[1, 0], [0, -1], [1, 1], [0, 0], [0, 1]])
    own = resolve_test("paired-t")
    assert parts(tally) == pytest.approx(parts(tally, own))


def test_examples_without_groups_are_groups():
    b = [0.3, 0.1, 0.2, 0.9, 0.4, 0.1]
    alone = tally_of(referee.count(a=[0.0] * 6, b=b), resolve("mean"))
    assert parts(alone) == pytest.approx(parts(mean_of([[x] for x in b])))
    assert parts(alone) == pytest.approx(parts(alone, resolve_test("paired-t")))


def test_multiplicities_are_several_groups():
    twice = mean_of(CHANGES + CHANGES)
    once = mean_of(CHANGES)
    assert parts(twice) == pytest.approx(
        tuple(float(part[0]) for part in TEST.parts(once, once.multiplicities[None, :] * 2))
    )


def test_strata_by_the_formula():
    changes = [[1, 0, 1], [0, -1], [1, 1, 0, 1], [0], [2, 1], [-1, 0, 1, 0, 0]]
    strata = np.array([0, 0, 0, 1, 1, 1])
    n = np.array([len(c) for c in changes])
    mean = sum(map(sum, changes)) / n.sum()
    psi = np.array([sum(c) - mean * len(c) for c in changes]) / n.sum()
    variance, rest = 0.0, 0.0
    for s in (0, 1):
        inside = strata == s
        a = n[inside] / n[inside].sum()
        variance += ((psi[inside] - a * psi[inside].sum()) ** 2 / (1 - a)).sum()
        rest += (n[inside].sum() / n.sum()) ** 2 / (1 / (a**2).sum() - 1)
    d, error, df = parts(mean_of(changes, strata))
    assert (d, error**2, df) == pytest.approx((mean, variance, 1 / rest))
    assert parts(mean_of(changes, [3] * 6)) == pytest.approx(parts(mean_of(changes)))


def test_a_stratum_of_one_group_joins_another():
    groups = [[1, 0, 1], [0, -1], [1, 1, 0, 1]]
    r = referee.compare(of_changes(groups, [0, 0, 1]), metric="mean", test="cluster-t")
    plain = referee.compare(of_changes(groups), metric="mean", test="cluster-t")
    assert (r.p_value, r.interval) == (plain.p_value, plain.interval)
    assert any("one stratum has a single group" in w for w in r.warnings)


def test_one_group_says_nothing():
    r = referee.compare(of_changes([[1, 0, 1, 0, 0]]), metric="mean", test="cluster-t")
    assert (r.p_value, r.interval, r.b.interval) == (None, None, None)
    assert [w for w in r.warnings if "the data have only one group" in w]
    assert not [w for w in r.warnings if "standard error is 0" in w]
    # A second group in which the metric sees nothing changes nothing.
    data = {"truth": [1, 1, 1, 0], "a": [1, 0, 1, 0], "b": [1, 1, 1, 0], "group": [0, 0, 0, 1]}
    assert referee.compare(**data, metric="recall", test="cluster-t").p_value is None


def test_groups_that_agree_on_a_difference_say_nothing_of_its_error():
    r = referee.compare(of_changes([[1, 0], [0, 1], [1, 0]]), metric="mean", test="cluster-t")
    assert (r.difference, r.p_value, r.interval) == (0.5, None, None)
    r = referee.compare(of_changes([[1, -1], [-1, 1], [0.3, -0.3]]), metric="mean", test="cluster-t")
    assert (r.difference, r.p_value) == (0.0, 1.0)
    # On paper each group has the same mean; what is left is rounding.
    r = referee.compare(of_changes([[0.1, 0.2], [0.3, 0.0], [0.15, 0.15, 0.3, 0.0]]), metric="mean", test="cluster-t")
    assert r.p_value is None


def test_one_group_that_carries_nearly_everything():
    changes = [[1, 0] * 4000, [0], [1]]
    twice = [[2 * x for x in group] for group in changes]
    r = referee.compare(of_changes(twice), metric="mean", test="cluster-t")
    assert parts(mean_of(twice))[2] < 0.01
    assert r.p_value > 0.9
    marks = referee.compare(of_changes(changes), metric="mean", test="cluster-t")
    assert (marks.interval.low, marks.interval.high) == (-1.0, 1.0), "scores of 0 and 1 have ends"
    assert r.interval is None, "an interval without ends, of scores without ends"
    assert [w for w in r.warnings if "one group carries 100% of the data" in w]
    data = referee.count(
        truth=[1] * 8002, a=[0] * 8002, b=[x for group in changes for x in group], group=[0] * 8000 + [1, 2]
    )
    r = referee.compare(data, metric="accuracy", test="cluster-t")
    assert (r.interval.low, r.interval.high) == (-1.0, 1.0)
    assert (r.b.interval.low, r.b.interval.high) == (0.0, 1.0)


def test_groups_of_a_size_carry_no_warning_of_one_that_has_most():
    assert not TEST.cautions(mean_of(CHANGES))
    assert TEST.cautions(mean_of([[1, 0, 1, 0, 1, 1, 0], [0], [1]])) == (
        "one group carries 78% of the data, so the result rests on it",
    )


@given(st.floats(-3, 2), st.floats(1e-12, 0.49))
def test_quantiles_of_a_part_of_a_degree_of_freedom(log_df, tail):
    df = 10**log_df
    t = float(t_quantiles(1 - tail, df))
    assert t == -float(t_quantiles(tail, df)) or t == pytest.approx(-float(t_quantiles(1 - (1 - tail), df)), rel=1e-6)
    assert t > 0
    if t < 1e100:
        assert stdtr(df, -t) == pytest.approx(tail, rel=1e-6)
    else:
        assert stdtr(df, -1e100) > tail * (1 - 1e-6)


def test_quantiles_meet_those_of_the_normal_law():
    assert t_quantiles(0.975, [np.inf, 1e12]) == pytest.approx([1.959963985, 1.959963985])
    assert np.isnan(t_quantiles(0.975, [0.0, np.nan, -1.0])).all()


groups_of_numbers = st.lists(st.lists(st.integers(-3, 3), min_size=1, max_size=4), min_size=2, max_size=6)


@settings(max_examples=80, deadline=None)
@given(groups_of_numbers, st.floats(0.01, 0.4), st.floats(-2, 2))
def test_p_and_interval_are_one_law(changes, alpha, null):
    tally = mean_of(changes)
    interval = TEST.interval_of(tally, 1 - alpha, STREAMS)
    p = TEST.p_at(tally, null, "two-sided", STREAMS)
    if interval is None or interval.low == interval.high:
        return
    still = parts(tally)[:2] == (0.0, 0.0)
    if min(abs(null - interval.low), abs(null - interval.high)) > 1e-9:
        assert (p <= alpha) == (null not in interval)
    for alternative, end in (("greater", interval.low), ("less", interval.high)):
        assert TEST.p_at(tally, end, alternative, STREAMS) == pytest.approx(alpha / 2, rel=1e-6)
        # Groups that show no difference have p = 1 on either side of 0.
        assert (still and null == 0) or TEST.p_at(tally, null, alternative, STREAMS) == pytest.approx(
            Test.p_at(TEST, tally, null, alternative, STREAMS), abs=1e-7
        )
    measured = TEST.measure(tally, tally.multiplicities[None, :], "greater", STREAMS).p[0]
    assert TEST.p_at(tally, 0.0, "greater", STREAMS) == measured


def test_what_is_covered_in_batches_is_what_intervals_hold():
    tally = tally_of(Counts.of(labelled(3, 60, 9)), resolve("f1"))
    batch = np.random.default_rng(1).multinomial(
        9, np.full(len(tally.multiplicities), 1 / len(tally.multiplicities)), 12
    )
    levels = (0.5, 0.8, 0.95)
    for value in (0.0, 0.1):
        assert np.array_equal(
            TEST.covers(tally, batch, value, levels, STREAMS),
            Test.covers(TEST, tally, batch, value, levels, STREAMS),
            equal_nan=True,
        )


def test_a_hundred_thousand_groups_take_no_time():
    rng = np.random.default_rng(0)
    data = referee.count(a=rng.normal(size=200_000), b=rng.normal(size=200_000), group=np.arange(200_000) // 2)
    tally = tally_of(data, resolve("mean"))
    started = time.perf_counter()
    TEST.evaluate(tally, tally.multiplicities[None, :], "two-sided", STREAMS)
    TEST.interval_of(tally, 0.95, STREAMS)
    assert time.perf_counter() - started < 0.3


def test_bell_and_mccaffrey():
    for sizes in ([3, 2, 4, 1], [5, 5, 5], [1, 1, 20, 3]):
        assert degrees_of_freedom(sizes) == pytest.approx(by_matrices(sizes))
    assert degrees_of_freedom([7] * 9) == pytest.approx(8)


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=20))
def test_the_effective_number_is_never_above_bell_and_mccaffreys(sizes):
    h = np.array(sizes) / np.sum(sizes)
    assert 1 / (h**2).sum() - 1 <= degrees_of_freedom(sizes) * (1 + 1e-9)


SETS, THEIRS = 8000, 3000


def ratios(numerators, denominators):
    """Return d, error and df for [system, set, group] sums, by the law itself."""
    totals = denominators.sum(axis=2, keepdims=True)
    score = numerators.sum(axis=2, keepdims=True) / totals
    moves = np.diff((numerators - score * denominators) / totals, axis=0)[0]
    error, df = Pulls(moves, denominators.sum(axis=0), np.zeros(len(moves))).over(
        np.ones_like(moves), np.zeros(moves.shape[1], int)
    )
    return np.diff(score, axis=0)[0, :, 0], error, df


def f1_groups(rng, sets, groups, *, spread):
    """Groups of 20, or about 12 with log-normal sizes, in which the systems' skills vary."""
    sizes = (
        np.full((sets, groups), 20)
        if not spread
        else np.maximum(2, np.rint(rng.lognormal(np.log(12), spread, (sets, groups))))
    )
    positives = rng.binomial(sizes.astype(int), 0.3 if spread else 0.1)
    both = []
    for skill in (1.0, 1.3):
        found = rng.binomial(positives, 1 / (1 + np.exp(-rng.normal(skill, 0.4, sizes.shape))))
        false = rng.binomial(sizes.astype(int) - positives, 1 / (1 + np.exp(-rng.normal(-2.2, 0.4, sizes.shape))))
        both.append((2 * found, found + false + positives))
    return np.array([n for n, _ in both]), np.array([d for _, d in both])


def linked_groups(rng, sets, groups):
    """A fifth of the groups are ten times as large, and there B wins; elsewhere A does."""
    large = rng.random((sets, groups)) < 0.2
    sizes = np.where(large, 100.0, 10.0)
    change = np.where(large, 0.1, -0.1) + rng.normal(0, 0.1, sizes.shape)
    sums = rng.normal(change * sizes, 0.5 * np.sqrt(sizes))
    return np.array([np.zeros_like(sums), sums]), np.array([sizes, sizes])


WORLDS = {
    "equal": lambda rng, sets, groups: f1_groups(rng, sets, groups, spread=0),
    "unequal": lambda rng, sets, groups: f1_groups(rng, sets, groups, spread=1.0),
    "linked": linked_groups,
}


@pytest.mark.parametrize(
    ("world", "groups", "published"),
    [
        ("equal", 4, 0.968),
        ("equal", 10, 0.955),
        ("unequal", 4, 0.978),
        ("unequal", 10, 0.962),
        ("linked", 4, 0.909),
        ("linked", 10, 0.913),
    ],
)
def test_how_often_the_interval_holds_the_truth(world, groups, published):
    """The worlds are like those that the method was chosen on, of which only the shares covered are known."""
    numerators, denominators = WORLDS[world](np.random.default_rng(7), 20_000, 40)
    score = numerators.sum(axis=(1, 2)) / denominators.sum(axis=(1, 2))
    truth = score[1] - score[0]
    numerators, denominators = WORLDS[world](np.random.default_rng(groups), SETS, groups)
    # With one group that has anything to count there is no answer.
    known = ((denominators.sum(axis=0) > 0).sum(axis=1) > 1) & (denominators.sum(axis=2) > 0).all(axis=0)
    d, error, df = ratios(numerators[:, known], denominators[:, known])
    covered = np.abs(d - truth) <= t_quantiles(0.975, df) * error
    doubt = np.sqrt(published * (1 - published) * (1 / SETS + 1 / THEIRS))
    assert abs(covered.mean() - published) <= 3 * doubt
    if world != "equal":
        rival = np.abs(d - truth) <= t_quantiles(0.975, degrees_of_freedom(denominators[:, known].sum(axis=0))) * error
        assert rival.mean() <= covered.mean()


AT_ONCE = 50


def grouped_sets(metric, groups, kind, rng):
    """Return the data of some test sets, one after the other, each with so many groups."""
    total = groups * AT_ONCE
    own = rng.normal(0, 0.5, total)
    sizes = {
        "equal": np.full(total, 20),
        "unequal": np.maximum(2, rng.lognormal(np.log(15), 1.2, total).astype(int)),
        "linked": np.maximum(2, (15 * np.exp(1.2 * own)).astype(int)),
    }[kind]
    group = np.repeat(np.arange(total), sizes)
    if metric == "mean":
        return {"a": np.zeros(len(group)), "b": own[group] + rng.normal(size=len(group)), "group": group}
    truth = rng.random(len(group)) < rng.beta(3, 4, total)[group]
    wrong = [rng.random(len(group)) < rng.beta(2, most, total)[group] for most in (8, 9)]
    return {"truth": truth * 1, "a": (truth ^ wrong[0]) * 1, "b": (truth ^ wrong[1]) * 1, "group": group}


def covered(metric, groups, kind, many=1500):
    """Return how often the interval holds the true difference, which very many groups show."""
    rng, held = np.random.default_rng(groups), []
    large = [tally_of(referee.count(**grouped_sets(metric, 400, kind, rng)), resolve(metric)) for _ in range(3)]
    scores = large[0].bound.formula.score(sum(one.totals(one.multiplicities) for one in large))
    for _ in range(many // AT_ONCE):
        tally = tally_of(referee.count(**grouped_sets(metric, groups, kind, rng)), resolve(metric))
        batch = np.zeros((AT_ONCE, len(tally.multiplicities)), dtype=np.int64)
        np.add.at(batch, (np.repeat(np.arange(AT_ONCE), groups), tally.place), 1)
        held.append(TEST.covers(tally, batch, float(scores[1] - scores[0]), (0.95,), STREAMS)[:, 0])
    return np.nanmean(np.concatenate(held))


@pytest.mark.parametrize("groups", [3, 6, 12, 40])
@pytest.mark.parametrize("metric", ["mean", "f1"])
@pytest.mark.parametrize("kind", ["equal", "unequal"])
def test_the_interval_holds_the_truth(metric, groups, kind):
    """93 in 100 at least, within two Monte Carlo errors."""
    assert covered(metric, groups, kind) >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / 1500)


@pytest.mark.parametrize("groups", [4, 10, 40])
def test_the_interval_holds_the_truth_where_winners_are_large(groups):
    assert covered("mean", groups, "linked") >= 0.88 - 2 * np.sqrt(0.88 * 0.12 / 1500)


def pure(positive, groups=40, size=10, seed=0):
    """Return groups whose examples are all of one class, positive in the first few."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), size)
    truth = (group < positive).astype(int)
    said = [1.2 * truth + 0.6 * rng.normal(size=groups)[group] + rng.normal(size=len(group)) for _ in "ab"]
    return {"truth": truth, "a": said[0], "b": said[1], "group": group}


def by_class(data, metric):
    """Return the degrees of freedom by Satterthwaite from the two classes, as a mean of recalls has them by hand."""
    variances, known = [], []
    right = [(data[s] > 0.6).astype(int) == data["truth"] for s in "ab"]
    for label in (0, 1):
        groups = np.unique(data["group"][data["truth"] == label])
        own = [(right[1][data["group"] == g] * 1.0 - right[0][data["group"] == g]).mean() for g in groups]
        variances.append(np.var(own, ddof=1) / len(groups) / 4)
        known.append(len(groups) - 1)
    return sum(variances) ** 2 / sum(v**2 / df for v, df in zip(variances, known, strict=True)), np.sqrt(sum(variances))


@pytest.mark.parametrize("metric", ["balanced-accuracy", "hter"])
@pytest.mark.parametrize("positive", [3, 5, 20])
def test_a_class_in_few_groups_leaves_few_degrees_of_freedom(metric, positive):
    data = pure(positive)
    cut = {**data, "a": (data["a"] > 0.6) * 1, "b": (data["b"] > 0.6) * 1}
    tally = tally_of(referee.count(**cut), resolve(metric))
    _, error, df = TEST.parts(tally, tally.multiplicities[None, :])
    wanted, spread = by_class(data, metric)
    assert error[0] == pytest.approx(spread, rel=1e-9)
    whole = 1 / (0.25 / positive + 0.25 / (40 - positive)) - 1
    assert df[0] == pytest.approx(min(wanted, whole), rel=1e-9)


def test_positives_in_few_groups_raise_few_false_alarms():
    """13.8% when all groups counted alike (800 sets); a standard error over three groups is no better than this."""
    p = [referee.compare(**pure(3, seed=seed), metric="auc", audit=False).p_value for seed in range(300)]
    assert np.mean(np.array(p) <= 0.05) <= 0.085 + 2 * np.sqrt(0.085 * 0.915 / 300)


@pytest.mark.parametrize("metric", ["auc", "balanced-accuracy", "dcf"])
def test_a_class_in_one_group_shows_nothing_of_how_it_varies(metric):
    data = pure(1)
    cut = data if metric == "auc" else {**data, "a": (data["a"] > 0.6) * 1, "b": (data["b"] > 0.6) * 1}
    r = referee.compare(**cut, metric=metric, audit=False)
    assert (r.p_value, r.verdict, r.interval) == (None, "too close to call", None)
    assert r.warnings


def test_many_groups_that_say_as_little_as_few_are_pointed_out():
    r = referee.compare(**pure(3), metric="auc", audit=False)
    assert any("the 40 groups carry about as much information as" in warning for warning in r.warnings)
    cells = np.zeros((2, 400), dtype=int)
    cells[1, :30] = 1
    rare = referee.compare(truth=np.zeros(400, int), a=cells[0], b=cells[1], group=np.arange(400) // 10, audit=False)
    assert any("differ in only 3 of 40 groups" in warning for warning in rare.warnings)


@pytest.mark.parametrize("groups", [10, 40])
def test_groups_without_a_difference_leave_room_for_one(groups):
    """As far as Wilson's interval of none out of so many groups; of single examples that is Tango's."""
    truth = np.arange(4 * groups) % 2
    data = {"truth": truth, "a": truth, "b": truth, "group": np.arange(4 * groups) // 4}
    r = referee.compare(**data, audit=False)
    z = 1.959963984540054
    assert r.interval.high == -r.interval.low == pytest.approx(z**2 / (groups + z**2))
    assert r.a.interval.low == pytest.approx(groups / (groups + z**2))
    alone = referee.compare(**{**data, "group": np.arange(4 * groups)}, audit=False)
    tango = referee.compare(truth=truth, a=truth, b=truth, audit=False)
    assert alone.interval.high == pytest.approx(tango.interval.high, abs=1e-7)
    asked = referee.compare(**data, question="no-worse", margin=0.1, audit=False)
    assert (asked.p_value <= 0.05) == (asked.interval.low > -0.1) == (asked.verdict == "no worse")
