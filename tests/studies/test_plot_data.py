"""Portraits: the bars that make up p add up to p, they are where brute force puts them, and a mirror turns them."""

import pickle
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import referee
from referee.data.counts import Counts, from_events
from referee.metrics import resolve as resolve_metric
from referee.results.comparison import Comparison
from referee.results.plot_data import Joint
from referee.significance.base import TESTS
from referee.significance.bayes import PosteriorTest
from referee.significance.null_distribution import FEWEST, Luck, bars, curve, fewer
from referee.studies.plot_data import CLASSES, GROUPS

EVENTS = from_events([61, 14, 9, 21, 6, 11, 4, 173], a="old", b="new")


def compare(*data, **options):
    """Compare without measuring how often the test errs, which no picture here shows."""
    return referee.compare(*data, audit=False, **options)


def drawn(seed, n):
    return np.random.default_rng(seed).normal(size=n)


def labels(n=900, classes="abcd", seed=3, **columns):
    rng = np.random.default_rng(seed)
    truth = rng.choice(list(classes), n)
    a, b = (np.where(rng.random(n) < share, truth, rng.choice(list(classes), n)) for share in (0.7, 0.76))
    return Counts.of({"truth": truth, "a": a, "b": b, **columns})


GROUPED = labels(group=np.random.default_rng(5).integers(0, 40, 900))
CROSSED = labels(group=np.arange(900) // 9, crossed=np.arange(900) % 9)
SCORES = Counts.of({"a": drawn(1, 60), "b": drawn(2, 60) + 0.3})
RANKED = Counts.of({"truth": np.arange(80) % 2, "a": drawn(1, 80), "b": drawn(2, 80) + np.arange(80) % 2})
LAWS = [
    (EVENTS, "accuracy", "mcnemar"),
    (EVENTS, "error", "mcnemar:variant=exact"),
    (EVENTS, "recall", "mcnemar:variant=corrected"),
    (EVENTS, "accuracy", "mcnemar:variant=uncorrected"),
    (GROUPED, "accuracy", "mcnemar"),
    (GROUPED, "accuracy", "mcnemar:clustered=durkalski"),
    (EVENTS, "accuracy", "two-proportions"),
    (EVENTS, "accuracy", "proportion"),
    (EVENTS, "accuracy", "disagreement"),
    (EVENTS, "precision", "chi2-precision"),
    (EVENTS, "dcf", "dcf-proportion"),
    (EVENTS, "dcf", "dcf-paired"),
    (EVENTS, "f1", "randomization"),
    (EVENTS, "f1", "randomization:studentized=true"),
    (EVENTS, "accuracy", "sign"),
    (SCORES, "mean", "paired-t"),
    (SCORES, "mean", "two-sample-t"),
    (SCORES, "mean", "skew-t"),
    (GROUPED, "f1:average=macro", "cluster-t"),
    (CROSSED, "f1:average=macro", "crossed-t"),
    (RANKED, "auc", "delong"),
    (RANKED, "auc", "delong:law=t"),
    (RANKED, "average-precision", "bootstrap:replicates=999,interval=t"),
    (EVENTS, "f1", "score"),
    (EVENTS, "error", "score"),
    (labels(), "f1:average=macro", "score"),
]
AT_A_MARGIN = [
    (EVENTS, "f1", "score"),
    (EVENTS, "error", "score"),
    (labels(), "f1:average=macro", "score"),
    (SCORES, "mean", "paired-t"),
    (SCORES, "mean", "skew-t"),
    (SCORES, "mean:better=lower", "skew-t"),
    (GROUPED, "f1:average=macro", "cluster-t"),
    (RANKED, "auc", "delong:law=t"),
    (RANKED, "average-precision", "bootstrap:replicates=999,interval=t"),
]
DRAWN = [
    (labels(), "f1:average=macro", "randomization:studentized=true,trials=999"),
    (RANKED, "auc", "randomization:trials=999"),
    (EVENTS, "f1", "bootstrap:replicates=999"),
    (EVENTS, "f1", "bootstrap:replicates=999,interval=basic"),
    (EVENTS, "f1", "bootstrap:replicates=999,interval=studentized"),
    (EVENTS, "f1", "bootstrap:replicates=999,interval=centered"),
    (GROUPED, "accuracy", "bootstrap:replicates=999"),
]


def luck(counts, metric, test, alternative="two-sided", **options):
    r = compare(counts, metric=metric, test=test, alternative=alternative, **options)
    return r, r.plot_data().luck


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(("counts", "metric", "test"), LAWS, ids=[f"{m} {t}" for _, m, t in LAWS])
def test_the_shaded_part_is_p(counts, metric, test, alternative):
    r, found = luck(counts, metric, test, alternative)
    assert found.counted * found.times == pytest.approx(r.p_value, rel=1e-9)
    assert sum(bar.share for bar in found.bars) == pytest.approx(1, abs=1e-9)
    if found.scale in ("difference", "studentized"):
        assert found.observed == pytest.approx(r.difference, rel=1e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(("counts", "metric", "test"), DRAWN, ids=[f"{m} {t}" for _, m, t in DRAWN])
def test_the_same_draws_make_p(counts, metric, test, alternative):
    r, found = luck(counts, metric, test, alternative, rng=7)
    # Of exchanges each draw stands for its mirror image too, and so do the data: one-sided there are twice as many.
    paired = test.startswith("randomization") and alternative != "two-sided"
    draws = 1998 if paired else 999
    own = 2 if paired and (r.difference > 0) != (alternative == "greater") else 1
    hits = found.counted * draws
    doubled = 2 if found.times == 2 else 1
    hows = {"centered": "centred", "basic": "mirrored", "studentized": "pivoted"}
    kind = test.partition("interval=")[2].partition(",")[0]
    assert found.how == ("drawn" if test.startswith("randomization") else hows.get(kind, "redrawn"))
    assert min(1.0, doubled * (hits + own) / (2000 if paired else 1000)) == pytest.approx(r.p_value, rel=1e-9)


@pytest.mark.parametrize("question", ["no-worse", "equal"])
@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize(("counts", "metric", "test"), AT_A_MARGIN, ids=[f"{m} {t}" for _, m, t in AT_A_MARGIN])
def test_the_shaded_part_is_the_p_of_the_question(counts, metric, test, question, mirrored):
    r, found = luck(counts.swap() if mirrored else counts, metric, test, question=question, margin=0.1)
    assert abs(found.null) == pytest.approx(0.1)
    assert found.counted == pytest.approx(r.p_value, rel=1e-9)
    assert found.observed == pytest.approx(r.difference, rel=1e-9)
    if question == "no-worse":
        assert (found.null < 0) == r.higher_is_better
    else:  # of both margins the one that is harder to rule out
        assert (found.null > 0) == (r.difference > 0)
    middle = sum((bar.low + bar.high) / 2 * bar.share for bar in found.bars)
    assert middle == pytest.approx(found.null, abs=0.02)


@pytest.mark.parametrize(
    "test", ["mcnemar", "bootstrap:replicates=99", "randomization", "sign", "score:law=sampled,trials=99"]
)
def test_a_question_is_not_given_the_law_of_a_tie(test):
    assert luck(EVENTS, "accuracy", test)[1] is not None or test.startswith("score")
    assert luck(EVENTS, "accuracy", test, question="no-worse", margin=0.05)[1] is None


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize(
    ("counts", "metric"), [(EVENTS, "f1"), (EVENTS, "error"), (SCORES, "mean"), (GROUPED, "f1:average=macro")]
)
def test_a_posterior_is_drawn_instead_of_luck(counts, metric, mirrored):
    r = referee.compare(counts.swap() if mirrored else counts, metric=metric, test="bayes", audit=False)
    data = r.plot_data()
    assert data.luck is None
    below = sum(bar.share for bar in data.posterior.bars if bar.high <= 1e-12)
    lower = r.posterior.probability_a_better if r.higher_is_better else r.posterior.probability_b_better
    assert below == pytest.approx(lower, abs=1e-9)
    assert sum(bar.share for bar in data.posterior.bars) == pytest.approx(1)
    assert r.interval.low < data.posterior.observed < r.interval.high


def test_every_test_has_its_law():
    covered = {test.partition(":")[0] for _, _, test in (*LAWS, *DRAWN)} | {"anytime", "wilcoxon", "prediction-powered"}
    covered |= {test for test in TESTS if issubclass(TESTS[test], PosteriorTest)}
    assert covered == set(TESTS)


@pytest.mark.parametrize("n", [60, 2000])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_wilcoxon_draws_its_ranks(n, alternative):
    counts = Counts.of({"a": drawn(1, n), "b": drawn(2, n) + 0.05})
    r, found = luck(counts, "mean", "wilcoxon", alternative)
    assert found.scale == "ranks"
    assert found.observed == r.statistic
    slack = 5 * (r.p_value * (1 - r.p_value) / 9999) ** 0.5 if found.how == "drawn" else 1e-9
    assert found.counted == pytest.approx(r.p_value, abs=slack)


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_test_sets_drawn_again_lie_around_the_difference(interval):
    r, found = luck(EVENTS, "precision", f"bootstrap:interval={interval}")
    middle = sum((bar.low + bar.high) / 2 * bar.share for bar in found.bars)
    assert found.redrawn
    assert found.edge == 0
    assert middle == pytest.approx(r.difference, abs=0.005)
    assert found.corrected == (interval == "bca")
    assert r.difference < 0
    assert all(bar.counted == 0 for bar in found.bars if bar.high < 0)
    assert all(bar.counted == bar.share for bar in found.bars if bar.low > 0)


@pytest.mark.parametrize("metric", ["f1", "precision", "accuracy"])
def test_bars_hold_what_every_exchange_gives(metric):
    events = [5, 4, 1, 2, 1, 0, 2, 6]
    r, found = luck(from_events(events), metric, "randomization")
    cells = [(1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 1), (0, 0, 1), (0, 1, 0), (0, 0, 0)]
    rows = np.array([cell for cell, times in zip(cells, events, strict=True) for _ in range(times)])
    apart = np.flatnonzero(rows[:, 1] != rows[:, 2])
    differences = []
    for turned in product((False, True), repeat=len(apart)):
        own = rows.copy()
        flip = apart[list(turned)]
        own[flip, 1], own[flip, 2] = rows[flip, 2], rows[flip, 1]
        differences.append(score(metric, own[:, 0], own[:, 2]) - score(metric, own[:, 0], own[:, 1]))
    everything = np.array(differences)
    # A value on a cut goes outwards.
    outwards = everything * (1 + 1e-9)
    inside = [((outwards > bar.low) & (outwards < bar.high)).mean() for bar in found.bars]
    assert inside == pytest.approx([bar.share for bar in found.bars], abs=1e-12)
    assert found.counted == pytest.approx((np.abs(everything) >= abs(r.difference) - 1e-12).mean(), abs=1e-12)


def score(metric, truth, answers):
    tp, fp, fn = (int(((truth == t) & (answers == a)).sum()) for t, a in ((1, 1), (0, 1), (1, 0)))
    if metric == "accuracy":
        return float((truth == answers).mean())
    return tp / (tp + fp) if metric == "precision" else 2 * tp / (2 * tp + fp + fn)


@pytest.mark.parametrize(("counts", "metric", "test"), [*LAWS, *DRAWN], ids=lambda one: str(one)[:30])
def test_bars_stand_side_by_side(counts, metric, test):
    _, found = luck(counts, metric, test)
    assert 1 < len(found.bars) <= 60
    assert all(one.high <= other.low + 1e-9 for one, other in zip(found.bars, found.bars[1:], strict=False))
    assert len({round((bar.high - bar.low) / (found.bars[0].high - found.bars[0].low), 6) for bar in found.bars}) == 1
    assert all(0 <= bar.counted <= bar.share for bar in found.bars)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize(("counts", "metric", "test"), [*LAWS, *DRAWN], ids=[f"{m} {t}" for _, m, t in [*LAWS, *DRAWN]])
def test_a_mirror_turns_the_law(counts, metric, test, alternative):
    _, found = luck(counts, metric, test, alternative)
    other = {"greater": "less"}.get(alternative, alternative)
    _, turned = luck(counts.swap(), metric, test, other)
    assert turned.flipped().observed == found.observed
    for one, two in zip(turned.flipped().bars, found.bars, strict=True):
        assert (one.low, one.high) == pytest.approx((two.low, two.high), rel=1e-9, abs=1e-15)
        assert (one.share, one.counted) == pytest.approx((two.share, two.counted), abs=1e-12)


def test_the_seed_is_that_of_the_result():
    (_, one), (_, same), (_, other) = (luck(EVENTS, "f1", "bootstrap", rng=rng) for rng in (3, 3, 4))
    assert one == same
    assert one != other


def test_identical_systems_leave_nothing_to_luck():
    same = Counts.of({"truth": [1, 1, 0], "a": [1, 0, 0], "b": [1, 0, 0]}, [5, 5, 5])
    for test in ("score", "randomization", "mcnemar", "paired-t", "sign"):
        r, found = luck(same, "accuracy", test)
        assert r.p_value == 1
        assert found is None
    assert compare(same, metric="accuracy").plot_data().outcomes is not None


def test_one_example_apart():
    _, found = luck(from_events([10, 1, 0, 5, 3, 0, 0, 7]), "f1", "randomization:studentized=true")
    assert [bar.share for bar in found.bars] == [0.5, 0.5]
    assert found.counted == 1


@pytest.mark.parametrize(
    ("metric", "test"),
    [("f1", None), ("accuracy", None), ("f1", "randomization:studentized=true"), ("accuracy", "mcnemar")],
)
def test_a_thousand_million_examples(metric, test):
    r, found = luck(from_events([10**9, 10**6, 999_000, 10**8, 10**7, 10**5, 10**5, 10**9]), metric, test)
    assert r.n > 2 * 10**9
    assert found.counted == pytest.approx(r.p_value, abs=0.02)
    assert len(found.bars) <= 60


def test_pictures_take_few_draws_where_each_is_costly():
    assert fewer(9999, 10) == 9999
    assert fewer(2**20, 10) == 9999
    assert fewer(9999, 10**9) == FEWEST


def test_a_curve_without_an_error_is_none():
    assert curve(0.1, 0.0, "two-sided") is None
    assert curve(0.1, float("nan"), "two-sided") is None
    assert curve(0.1, 1.0, "two-sided", df=0) is None
    far = curve(8.0, 1.0, "greater")
    assert far.p == pytest.approx(6.22096e-16, rel=1e-5)


def test_a_heavy_tail_joins_the_last_bars():
    found = bars(curve(3.0, 1.0, "two-sided", df=1))
    assert sum(bar.share for bar in found) == pytest.approx(1)
    assert sum(bar.counted for bar in found) == pytest.approx(0.2048327, rel=1e-6)


def test_draws_without_a_finite_value_join_the_last_bars():
    values = np.array([-np.inf, -1.0, 0.0, 0.5, 1.0, np.inf])
    law = Luck(values, np.full(6, 1 / 6), (np.abs(values) >= 1).astype(float), 1.0, 1.0)
    found = bars(law)
    assert sum(bar.share for bar in found) == pytest.approx(1)
    assert sum(bar.counted for bar in found) == pytest.approx(4 / 6)


def test_joint_outcomes_of_two_classes():
    found = compare(EVENTS, metric="f1").plot_data().outcomes
    assert found.kind == "labels"
    assert found.classes == (
        Joint(label="0", both=173, only_a=11, only_b=4, neither=6),
        Joint(label="1", both=61, only_a=9, only_b=14, neither=21),
    )


def test_many_classes_are_merged_and_none_is_lost():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 40, 3000)
    counts = Counts.of({"truth": truth, "a": rng.integers(0, 40, 3000), "b": truth})
    found = compare(counts, metric="accuracy").plot_data().outcomes
    assert len(found.classes) == CLASSES
    assert found.merged == 40 - CLASSES + 1
    assert found.classes[-1].label == f"{found.merged} others"
    assert sum(row.n for row in found.classes) == 3000
    sizes = [row.n for row in found.classes[:-1]]
    assert sizes == sorted(sizes, reverse=True)


def test_response_sets_have_no_true_negatives():
    found = compare(from_events([30, 5, 4, 9, 3, 6, 2], open=True), metric="f1").plot_data().outcomes
    assert found.kind == "open"
    assert found.classes == (
        Joint(label="in the truth", both=30, only_a=4, only_b=5, neither=9),
        Joint(label="spurious", both=0, only_a=6, only_b=2, neither=3),
    )


def test_scores_say_who_does_better():
    found = compare(a=[1.5, 2.5, 3.5, 4.5], b=[1.5, 3.5, 2.5, 5.5], metric="mean").plot_data().outcomes
    assert (found.kind, found.classes) == ("scores", (Joint(label="all", both=1, only_a=1, only_b=2, neither=0),))
    lower = compare(truth=[1.5, 2.5], a=[1.5, 2.5], b=[1.6, 2.5], metric="mse").plot_data().outcomes
    assert lower.classes == (Joint(label="all", both=1, only_a=1, only_b=0, neither=0),)
    right = compare(a=[1, 1, 0, 0, 0], b=[1, 0, 1, 1, 0], metric="mean").plot_data().outcomes
    assert (right.kind, right.classes) == ("labels", (Joint(label="all", both=1, only_a=1, only_b=2, neither=1),))
    assert compare(RANKED, metric="auc").plot_data().outcomes is None


def test_groups_one_by_one():
    r = compare(GROUPED, metric="accuracy")
    found = r.plot_data().parts
    own = {}
    for group in range(40):
        part = GROUPED.where(GROUPED["group"] == group).without("group")
        alone = compare(part, metric="accuracy")
        own[str(group)] = (pytest.approx(alone.difference), part.n)
    assert found.by == "group"
    assert (found.total, found.rows, found.spread.total) == (40, (), 40)
    every = sorted(difference.expected for difference, _ in own.values())
    assert found.spread.values == pytest.approx(every)
    assert found.higher == sum(difference > 0 for difference in every)
    assert found.lower == sum(difference < 0 for difference in every)


def test_few_groups_are_named():
    few = GROUPED.where(GROUPED["group"] < GROUPS)
    found = compare(few, metric="accuracy").plot_data().parts
    assert len(found.rows) == GROUPS
    for row in found.rows:
        alone = compare(few.where(few["group"] == int(row.label)).without("group"), metric="accuracy")
        assert (row.difference, row.n, row.interval) == (pytest.approx(alone.difference), alone.n, alone.interval)
    assert [row.difference for row in found.rows] == sorted(row.difference for row in found.rows)


def test_groups_without_a_score_are_counted_and_small_ones_have_no_interval():
    rows = {"truth": [1, 1, 0, 0], "a": [1, 0, 0, 0], "b": [1, 1, 1, 0], "group": ["x", "x", "x", "y"]}
    found = compare(Counts.of(rows, [2, 1, 1, 90]), metric="f1").plot_data().parts
    assert (found.total, found.blank, [row.label for row in found.rows]) == (2, 1, ["x"])
    assert found.rows[0].interval is None


def test_strata_where_there_are_no_groups():
    counts = labels(stratum=np.repeat(["s", "t", "u"], 300))
    found = compare(counts, metric="f1:average=macro").plot_data().parts
    assert (found.by, found.total, len(found.rows)) == ("stratum", 3, 3)
    assert all(row.interval is not None and row.difference in row.interval for row in found.rows)


@pytest.mark.parametrize("metric", ["accuracy", "f1:average=macro"])
def test_a_mirror_turns_classes_and_groups(metric):
    one = compare(GROUPED, metric=metric).plot_data()
    two = compare(GROUPED.swap(), metric=metric).plot_data()
    assert two.outcomes.classes == tuple(
        replace(row, only_a=row.only_b, only_b=row.only_a) for row in one.outcomes.classes
    )
    assert (two.parts.higher, two.parts.lower) == (one.parts.lower, one.parts.higher)
    assert one.parts.spread.flipped().values == pytest.approx(two.parts.spread.values, abs=1e-15)
    assert [(row.label, row.a, row.b) for row in one.classes] == [
        (row.label, row.b, row.a) for row in reversed(two.classes)
    ]
    few = GROUPED.where(GROUPED["group"] < 9)
    one, two = (compare(counts, metric=metric).plot_data() for counts in (few, few.swap()))
    turned = {row.label: row for row in two.parts.rows}
    for row in one.parts.rows:
        assert turned[row.label].difference == pytest.approx(-row.difference, abs=1e-15)
        assert turned[row.label].interval.low == pytest.approx(-row.interval.high, abs=1e-12)


def test_without_counts_there_is_nothing_to_draw_from():
    r = compare(EVENTS, metric="f1")
    read = Comparison.from_dict(r.to_dict())
    assert read.plot_data().luck is read.plot_data().outcomes is read.plot_data().parts is None


def test_what_cannot_be_known_is_left_out():
    nothing = compare(truth=[0, 0, 0], a=[0, 1, 0], b=[0, 0, 1], metric="recall", positive=1)
    assert nothing.difference is None
    assert nothing.plot_data().luck is None


def test_a_metric_that_goes_by_no_name_still_has_outcomes():
    lift = replace(resolve_metric("accuracy"), name="of my own")
    r = compare(EVENTS, metric=lift)
    assert r.plot_data().luck == compare(EVENTS, metric="accuracy").plot_data().luck
    # Where it was sent to, nobody knows the metric.
    found = pickle.loads(pickle.dumps(r)).plot_data()
    assert found.luck is None
    assert sum(row.n for row in found.outcomes.classes) == EVENTS.n
    known = compare(EVENTS, metric="accuracy")
    assert pickle.loads(pickle.dumps(known)).plot_data() == known.plot_data()


@pytest.mark.parametrize("metric", ["f1:average=macro", "recall:average=macro", "f1:average=weighted", "accuracy"])
def test_a_group_is_scored_by_itself(metric):
    rng = np.random.default_rng(8)
    group = np.repeat([0, 1, 2], [150, 40, 60])
    truth = np.where(group == 1, rng.integers(0, 2, 250), rng.integers(0, 9, 250))
    a, b = (np.where(rng.random(250) < right, truth, rng.integers(0, 9, 250)) for right in (0.6, 0.8))
    r = compare(truth=truth, a=a, b=b, group=group, metric=metric)
    rows = {row.label: row for row in r.plot_data().parts.rows}
    for one in (0, 1, 2):
        inside = group == one
        alone = compare(truth=truth[inside], a=a[inside], b=b[inside], metric=metric)
        assert rows[str(one)].difference == pytest.approx(alone.difference)
        assert (rows[str(one)].interval is None) == (alone.interval is None)
        assert rows[str(one)].interval is None or rows[str(one)].difference in rows[str(one)].interval
