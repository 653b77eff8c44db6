"""The t test over two crossed groups against the analysis of variance, by hand, and in worlds whose truth is known."""

import itertools

import numpy as np
import pytest
from scipy import stats

import referee
from referee.data.counts import Counts
from referee.errors import Misfit
from referee.metrics import METRICS
from referee.significance.crossed_t import CrossedT, difference_over
from referee.significance.rank_tally import tally_of


def table(first=30, second=5, rng=0, effects=(1.0, 0.5, 0.7)):
    """Return differences of questions x seeds, and their columns as counts have them."""
    draw = np.random.default_rng(rng)
    y = 0.3 + draw.normal(0, effects[0], (first, 1)) + draw.normal(0, effects[1], (1, second))
    y = y + draw.normal(0, effects[2], (first, second))
    question, seed = (axis.ravel() for axis in np.indices(y.shape))
    return y, {"a": np.zeros(y.size), "b": y.ravel(), "group": question, "crossed": seed}


def anova(y):
    """Return the mean squares of rows, columns and the rest."""
    first, second = y.shape
    rows, columns, mean = y.mean(axis=1), y.mean(axis=0), y.mean()
    rest = y - rows[:, None] - columns[None, :] + mean
    return (
        second * ((rows - mean) ** 2).sum() / (first - 1),
        first * ((columns - mean) ** 2).sum() / (second - 1),
        (rest**2).sum() / ((first - 1) * (second - 1)),
    )


def binary(questions=25, seeds=4, rng=1):
    draw = np.random.default_rng(rng)
    truth = np.repeat(draw.integers(0, 2, questions), seeds)
    question, seed = (axis.ravel() for axis in np.indices((questions, seeds)))
    a, b = (np.where(draw.random(truth.size) < share, truth, 1 - truth) for share in (0.7, 0.8))
    return {"truth": truth, "a": a, "b": b, "group": question, "crossed": seed}


@pytest.mark.parametrize("rng", range(4))
def test_with_all_cells_it_is_the_analysis_of_variance(rng):
    y, columns = table(rng=rng)
    tally = tally_of(Counts.of(columns), METRICS["mean"])
    found, (rows, columns_, rest) = difference_over(tally, tally.multiplicities[None, :]), anova(y)
    assert np.allclose([*found.over, found.cells], np.array([[rows], [columns_], [rest]]) / y.size)
    if rest < min(rows, columns_):  # Cornfield and Tukey's: E(MS rows) + E(MS columns) - E(MS rest)
        assert np.isclose(found.variance[0], (rows + columns_ - rest) / y.size)
    assert np.allclose(found.dfs, [[29], [4]])


def test_a_component_that_would_be_negative_is_none():
    y, columns = table(effects=(1.0, 0.0, 2.0), rng=2)
    rows, seeds, rest = anova(y)
    assert seeds < rest < rows
    tally = tally_of(Counts.of(columns), METRICS["mean"])
    assert np.isclose(difference_over(tally, tally.multiplicities[None, :]).variance[0], rows / y.size)


def test_p_and_interval_are_one_law():
    for rng, level in itertools.product(range(3), (0.8, 0.95, 0.999)):
        _, columns = table(rng=rng)
        counts = Counts.of(columns)
        r = referee.compare(counts, alpha=1 - level)
        at = referee.compare(counts, alpha=r.p_value)
        assert (r.p_value <= 1 - level) == (0 not in r.interval)
        assert min(abs(at.interval.low), abs(at.interval.high)) < 1e-9


def test_interval_is_t_on_the_degrees_of_freedom():
    y, columns = table(rng=5)
    tally = tally_of(Counts.of(columns), METRICS["mean"])
    found = difference_over(tally, tally.multiplicities[None, :])
    r = referee.compare(Counts.of(columns))
    half = stats.t.ppf(0.975, found.df[0]) * np.sqrt(found.variance[0])
    assert np.allclose([r.interval.low, r.interval.high], [y.mean() - half, y.mean() + half])
    assert r.interval.method == "crossed-t"
    assert r.test == "crossed-t"


@pytest.mark.parametrize("metric", ["accuracy", "f1", "mcc", "f1:average=macro", "recall"])
def test_swapping_reverses_the_sign_and_nothing_else(metric):
    counts = Counts.of(binary(), positive=1)
    r, s = referee.compare(counts, metric=metric), referee.compare(counts.swap(), metric=metric)
    assert r.difference == -s.difference
    assert r.p_value == s.p_value
    assert (r.interval.low, r.interval.high) == (-s.interval.high, -s.interval.low)


def test_order_of_groups_and_rows_does_not_matter():
    columns = binary()
    turned = {**columns, "group": columns["crossed"], "crossed": columns["group"]}
    order = np.random.default_rng(0).permutation(len(columns["a"]))
    r, s, t = (
        referee.compare(Counts.of(one), metric="f1", audit=False)
        for one in (columns, turned, {role: values[order] for role, values in columns.items()})
    )
    assert r.to_dict() == t.to_dict()
    assert np.isclose(r.p_value, s.p_value, rtol=1e-12)


def test_identical_systems_are_a_tie():
    columns = binary()
    r = referee.compare(Counts.of({**columns, "b": columns["a"]}), metric="f1")
    assert (r.difference, r.p_value, r.verdict) == (0.0, 1.0, "too close to call")
    assert r.interval.low < 0 < r.interval.high


def test_auc_over_crossed_groups():
    columns = binary(questions=40)
    draw = np.random.default_rng(3)
    columns |= {role: np.round(columns["truth"] + draw.normal(0, 1, len(columns["a"])), 2) for role in "ab"}
    r = referee.compare(Counts.of(columns), metric="auc")
    s = referee.compare(Counts.of(columns).swap(), metric="auc")
    assert r.test == "crossed-t"
    assert (r.p_value <= 0.05) == (0 not in r.interval)
    assert np.isclose(r.p_value, s.p_value, rtol=1e-9)


def test_seeds_that_all_do_the_same_leave_the_law_of_questions():
    _, columns = table(second=1, rng=7)
    y = columns["b"]
    same = {
        "a": np.zeros(90), "b": np.tile(y, 3), "group": np.tile(np.arange(30), 3), "crossed": np.repeat([0, 1, 2], 30)
    }  # fmt: skip
    r = referee.compare(Counts.of(same))
    one = stats.ttest_1samp(y, 0)
    assert np.isclose(r.p_value, one.pvalue)


def test_missing_cells_and_uneven_ones():
    _, columns = table(first=40, rng=8)
    keep = np.random.default_rng(1).random(200) < 0.85
    times = np.random.default_rng(2).integers(1, 4, keep.sum())
    counts = Counts.of({role: values[keep] for role, values in columns.items()}, times)
    r = referee.compare(counts)
    assert (r.p_value <= 0.05) == (0 not in r.interval)
    alone = [referee.compare(counts.without(role).put(**kept)) for role, kept in (
        ("crossed", {}), ("crossed", {"group": np.arange(keep.sum())}))]  # fmt: skip
    assert r.interval.high - r.interval.low > alone[1].interval.high - alone[1].interval.low


def test_tests_without_a_form_for_crossed_groups_refuse_them():
    counts = Counts.of(binary())
    for name in ("cluster-t", "mcnemar", "bootstrap", "randomization", "score"):
        with pytest.raises(Misfit, match=r"crossed groups.*the tests that fit: crossed-t"):
            referee.compare(counts, test=name, metric="accuracy")
    with pytest.raises(Misfit, match="needs two crossed groups"):
        referee.compare(counts.without("crossed"), test="crossed-t", metric="accuracy")
    with pytest.raises(Misfit, match="crossed"):
        referee.compare(counts.put(a=counts["a"] + 0.5, b=counts["b"] * 1.0), metric="average-precision")


def test_no_p_where_the_systems_differ_alike_everywhere():
    r = referee.compare(a=[0] * 4, b=[1] * 4, group=[[1, 1, 2, 2], [1, 2, 1, 2]])
    assert (r.p_value, r.interval, r.verdict) == (None, None, "too close to call")
    assert any("gives no p-value" in warning for warning in r.warnings)
    assert not any("randomization" in warning for warning in r.warnings)


def test_coverage_where_the_truth_is_known():
    hits = 0
    for rng in range(200):
        _, columns = table(first=20, second=6, rng=1000 + rng, effects=(1.0, 0.6, 1.0))
        tally = tally_of(Counts.of(columns), METRICS["mean"])
        interval = CrossedT().interval_of(tally, 0.95, None)
        hits += 0.3 in interval
    assert 180 <= hits <= 199


def test_without_a_difference_no_more_is_known_than_over_either_group():
    items, seeds = 6, 5
    answers = [1, 0] * 15
    data = {
        "truth": [1] * 30, "a": answers, "b": answers,
        "item": [i for i in range(items) for _ in range(seeds)], "seed": [s for _ in range(items) for s in range(seeds)],
    }  # fmt: skip
    asked = {
        "truth": "truth",
        "a": "a",
        "b": "b",
        "metric": "accuracy",
        "question": "equal",
        "margin": 0.25,
        "audit": False,
    }
    alone = [referee.compare(data, group=group, **asked) for group in ("item", "seed")]
    both = referee.compare(data, group=["item", "seed"], **asked)
    assert both.p_value >= max(r.p_value for r in alone) - 1e-12
    assert both.interval.high >= max(r.interval.high for r in alone) - 1e-12
    assert both.verdict == "too close to call"


def test_means_of_rights_and_wrongs_stay_within_what_is_possible():
    data = {
        "a": [1, 0, 1, 0, 1, 0, 0, 1], "b": [1, 1, 0, 0, 0, 1, 0, 0],
        "item": [1, 1, 2, 2, 3, 3, 4, 4], "seed": [1, 2] * 4,
    }  # fmt: skip
    r = referee.compare(data, a="a", b="b", group=["item", "seed"], audit=False)
    assert -1 <= r.interval.low <= r.interval.high <= 1
    assert all(0 <= score.interval.low <= score.interval.high <= 1 for score in (r.a, r.b))


def test_a_slice_whose_groups_are_nested_is_answered_as_it_is_alone():
    rng = np.random.default_rng(3)
    rows = [("x", i, f"x{i}{s}") for i in range(4) for s in range(3)] + [
        ("y", i, s) for i in range(4) for s in range(3)
    ]
    columns = dict(zip(("slice", "item", "seed"), map(list, zip(*rows, strict=True)), strict=True))
    columns = {name: [str(value) for value in values] for name, values in columns.items()}
    data = {**columns, "a": rng.integers(0, 2, 24).tolist(), "b": rng.integers(0, 2, 24).tolist()}
    parts = referee.compare(data, a="a", b="b", group=["item", "seed"], by="slice", audit=False)
    alone = {name: values[:12] for name, values in data.items() if name != "slice"}
    own = referee.compare(alone, a="a", b="b", group=["item", "seed"], audit=False)
    assert (parts["x"].test, parts["x"].p_value) == (own.test, own.p_value)
    assert parts["y"].test == "crossed-t"


def test_json_holds_plain_values_whatever_the_data():
    rng = np.random.default_rng(5)
    for _ in range(6):
        data = {"truth": rng.integers(0, 2, 120), "a": rng.integers(0, 2, 120), "b": rng.integers(0, 2, 120)}
        data |= {"item": rng.integers(0, 15, 120), "seed": rng.integers(0, 4, 120)}
        r = referee.compare(data, truth="truth", a="a", b="b", group=["item", "seed"], audit=False)
        assert '"variance"' in r.to_json()


def test_a_ranking_of_two_systems_needs_no_word_about_adjustment():
    rows = [(q, s) for q in range(8) for s in range(4)]
    table = {"q": [q for q, _ in rows], "s": [s for _, s in rows], "x": np.arange(32) % 5, "y": np.arange(32) % 7}
    r = referee.rank(table, systems=["x", "y"], group=["q", "s"])
    assert not any("vary together" in told for told in r.warnings)
