"""Weights: scores are scikit-learn's, errors are CR2's (statsmodels' HC2 for equal shares), and what counts examples refuses them."""

import json

import numpy as np
import pytest
from scipy.special import stdtr, stdtrit
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef, mean_squared_error, recall_score

import referee
from referee.data.counts import Counts
from referee.errors import InputError, Misfit
from referee.results.comparison import Comparison


def table(n=120, seed=3, classes=2):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    a, b = (np.where(rng.random(n) < right, truth, rng.integers(0, classes, n)) for right in (0.7, 0.85))
    return {"truth": truth, "a": a, "b": b, "weight": rng.lognormal(0, 1, n)}


def weighted_error(values, weights, groups=None):
    """The standard error of a weighted mean by CR2, and its degrees of freedom, by the formula."""
    share = weights / weights.sum()
    groups = np.arange(len(values)) if groups is None else groups
    rest = np.bincount(groups, share * (values - share @ values))
    own = np.bincount(groups, share)
    return np.sqrt((rest**2 / (1 - own)).sum()), 1 / (own**2).sum() - 1


@pytest.mark.parametrize(
    ("metric", "peer"),
    [
        ("accuracy", accuracy_score),
        ("f1", f1_score),
        ("recall", recall_score),
        ("mcc", matthews_corrcoef),
    ],
)
def test_scores_are_those_of_scikit_learn(metric, peer):
    data = table()
    r = referee.compare(**data, metric=metric, audit=False)
    for score, answers in ((r.a, data["a"]), (r.b, data["b"])):
        assert score.score == pytest.approx(peer(data["truth"], answers, sample_weight=data["weight"]), abs=1e-12)
        assert score.interval.low < score.score < score.interval.high


def test_scores_over_classes_and_of_numbers_are_those_of_scikit_learn():
    data = table(classes=4)
    own = {"truth": data["truth"], "prediction": data["a"], "weight": data["weight"]}
    for average in ("macro", "micro", "weighted"):
        peer = f1_score(data["truth"], data["a"], average=average, sample_weight=data["weight"])
        assert referee.score(**own, metric=f"f1:average={average}").score == pytest.approx(peer, abs=1e-12)
    numbers = {name: np.asarray(values, float) for name, values in own.items()}
    peer = mean_squared_error(numbers["truth"], numbers["prediction"], sample_weight=numbers["weight"])
    assert referee.score(**numbers, metric="mse").score == pytest.approx(peer, abs=1e-12)


def test_the_error_of_a_weighted_mean_is_that_of_the_formula():
    data = table()
    values = (data["b"] == data["truth"]) * 1.0 - (data["a"] == data["truth"])
    error, df = weighted_error(values, data["weight"])
    r = referee.compare(**data, metric="accuracy", audit=False)
    assert r.test == "cluster-t"
    assert r.difference == pytest.approx(np.average(values, weights=data["weight"]), abs=1e-14)
    assert r.difference / r.statistic == pytest.approx(error, rel=1e-10)
    groups = np.arange(120) % 17
    grouped = referee.compare(**data, group=groups, metric="accuracy", audit=False)
    error, df = weighted_error(values, data["weight"], groups)
    half = (grouped.interval.high - grouped.interval.low) / 2
    assert half == pytest.approx(float(stdtrit(df, 0.975)) * error, rel=1e-9)


def test_the_error_is_that_of_hc2():
    # statsmodels 0.15: WLS(d, ones, weights=w).fit(cov_type="HC2").bse, d = b - a.
    a, b = [0.2, 0.5, 0.9, 0.4, 0.7, 0.1], [0.6, 0.4, 1.0, 0.9, 0.8, 0.3]
    r = referee.compare(a=a, b=b, weight=[1, 2, 0.5, 3, 1, 2.5], metric="mean", audit=False)
    assert r.difference == pytest.approx(0.235, abs=1e-12)
    assert r.difference / r.statistic == pytest.approx(0.12367385508294666, rel=1e-9)


def test_scale_and_order_change_nothing():
    data = table()
    r = referee.compare(**data, metric="f1", audit=False)
    scaled = referee.compare(**{**data, "weight": data["weight"] * 1e-9}, metric="f1", audit=False)
    turned = referee.compare(**{name: values[::-1] for name, values in data.items()}, metric="f1", audit=False)
    assert (turned.p_value, turned.interval) == (r.p_value, r.interval)
    assert scaled.p_value == pytest.approx(r.p_value, rel=1e-9)
    assert scaled.weights.effective == pytest.approx(data["weight"].sum() ** 2 / (data["weight"] ** 2).sum())


def test_equal_weights_are_no_weights():
    data = table()
    plain = {name: values for name, values in data.items() if name != "weight"}
    for metric in ("f1", "accuracy"):
        equal = referee.compare(**plain, weight=np.full(120, 0.1), metric=metric, audit=False)
        alone = referee.compare(**plain, metric=metric, audit=False)
        assert (equal.test, equal.p_value, equal.interval) == (alone.test, alone.p_value, alone.interval)
        assert equal.weights is None
        assert any("all weights are equal" in warning for warning in equal.warnings)


def test_nearly_equal_weights_give_about_the_cluster_t_of_examples():
    data = table()
    plain = {name: values for name, values in data.items() if name != "weight"}
    weight = np.where(np.arange(120) == 0, 1 + 1e-9, 1.0)
    for metric in ("f1", "accuracy"):
        equal = referee.compare(**plain, weight=weight, metric=metric, audit=False)
        alone = referee.compare(**plain, metric=metric, test="cluster-t", audit=False)
        assert equal.p_value == pytest.approx(alone.p_value, rel=1e-6)
        assert equal.interval.low == pytest.approx(alone.interval.low, abs=1e-8)


def test_a_system_does_not_differ_from_itself_by_rounding():
    rng = np.random.default_rng(1)
    for metric in ("mcc", "kappa", "balanced-accuracy", "f1:average=macro"):
        for _ in range(5):
            answers = rng.integers(0, 3, 20)
            data = {"truth": rng.integers(0, 3, 20), "a": answers, "b": answers, "weight": rng.lognormal(size=20)}
            r = referee.compare(**data, metric=metric, audit=False)
            assert (r.difference, r.p_value) == (0.0, 1.0)


def test_swapping_turns_the_sign_and_one_law_holds():
    data = table(seed=8)
    r = referee.compare(**data, metric="f1", audit=False)
    swapped = referee.compare(**{**data, "a": data["b"], "b": data["a"]}, metric="f1", audit=False)
    assert (swapped.difference, swapped.p_value) == (-r.difference, r.p_value)
    assert (r.p_value <= 0.05) == (0.0 not in r.interval)
    same = referee.compare(**{**data, "b": data["a"]}, metric="f1", audit=False)
    assert (same.difference, same.p_value, same.verdict) == (0.0, 1.0, "too close to call")


def test_counts_stay_whole_and_keep_weights_apart():
    counts = referee.count(truth=[1, 1, 1], a=[1, 1, 1], b=[0, 0, 0], weight=[1, 1, 2.5])
    assert counts.multiplicities.tolist() == [2, 1]
    assert counts["weight"].tolist() == [1.0, 2.5]
    assert Counts.from_json(counts.to_json()) == counts
    data = table()
    whole = referee.compare(**data, metric="f1", audit=False)
    kept = referee.compare(Counts.from_json(referee.count(**data).to_json()), metric="f1", audit=False)
    assert (kept.p_value, kept.interval) == (whole.p_value, whole.interval)


@pytest.mark.parametrize("test", ["mcnemar", "score", "sign", "wilcoxon", "randomization", "skew-t", "proportion"])
def test_tests_that_count_examples_refuse(test):
    with pytest.raises(
        Misfit, match=r"it counts examples, and these have weights.*that fit: bootstrap, cluster-t, paired-t"
    ):
        referee.compare(**table(), test=test)


def test_the_bootstrap_and_ranks():
    data = table()
    drawn = referee.compare(**data, metric="accuracy", test="bootstrap:replicates=1999", audit=False)
    known = referee.compare(**data, metric="accuracy", audit=False)
    wide, own = (r.interval.high - r.interval.low for r in (drawn, known))
    assert 0.8 < wide / own < 1.1
    with pytest.raises(Misfit, match="auc is computed from ranks, which take no weights here"):
        referee.compare(**{**data, "a": data["a"] / 2, "b": data["b"] / 3}, metric="auc")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -2, 1, 1], "a weight cannot be negative; the smallest is -2"),
        ([1, float("nan"), 1, 1], "weight is missing in 1 example"),
        ([1, float("inf"), 1, 1], "weight has infinite values"),
        ([0, 0, 0, 0], "all weights are 0, so no example counts"),
        (["a", "b", "c", "d"], "weights must be numbers; they are text"),
        ([True, True, False, True], "weights must be numbers; they are true/false"),
    ],
)
def test_bad_weights(weights, message):
    with pytest.raises(InputError, match=message):
        referee.compare(truth=[1, 0, 1, 0], a=[1, 1, 1, 0], b=[1, 0, 1, 0], weight=weights)


def test_weight_0_leaves_an_example_out_and_says_so():
    data = table()
    weights = data["weight"].copy()
    weights[:3] = 0
    r = referee.compare(**{**data, "weight": weights}, metric="f1", audit=False)
    rest = referee.compare(**{name: values[3:] for name, values in data.items()}, metric="f1", audit=False)
    assert (r.n, r.matched.both, r.difference, r.interval) == (117, 117, rest.difference, rest.interval)
    assert "3 examples have weight 0 and are left out of the scores" in r.warnings


def test_one_heavy_example_is_pointed_out():
    data = table()
    data["weight"][7] = 100.0
    r = referee.compare(**data, audit=False)
    assert any("of the total weight, so its answers move the scores more" in warning for warning in r.warnings)
    assert any("weighted examples carry about as much information as" in warning for warning in r.warnings)
    assert r.weights.largest == pytest.approx(100 / data["weight"].sum())


def test_every_form_of_a_result():
    data = table()
    r = referee.compare(**data, group=np.arange(120) % 30, margin="1pp", audit=False)
    again = Comparison.from_dict(json.loads(r.to_json()))
    assert again.weights == r.weights and again.to_dict() == r.to_dict()
    assert "30 groups, weighted)" in r.to("latex")
    for form in ("text", "markdown"):
        assert "equal weight" in " ".join(r.to(form).split()), form
    assert "<testsuite" in r.to("junit") and "equal weight" in r.to_html()
    assert "each stands for as many as its weight says" in r.to_html()
    assert "|weight:weight|" in r.signature


def test_slices_and_rankings():
    data = table()
    tasks = np.where(np.arange(120) % 2, "x", "y")
    rs = referee.compare(**data, by=tasks, metric="accuracy")
    alone = referee.compare(**{name: values[tasks == "x"] for name, values in data.items()}, audit=False)
    assert rs["x"].difference == pytest.approx(alone.difference, abs=1e-14)
    average = rs.overall[1]
    assert average.difference == pytest.approx(np.mean([r.difference for r in rs]), abs=1e-14)
    values = (data["b"] == data["truth"]) * 1.0 - (data["a"] == data["truth"])
    errors = [weighted_error(values[tasks == task], data["weight"][tasks == task])[0] for task in ("x", "y")]
    df = sum(e**2 for e in errors) ** 2 / sum(
        e**4 / weighted_error(values[tasks == task], data["weight"][tasks == task])[1]
        for e, task in zip(errors, ("x", "y"), strict=True)
    )
    p = 2 * float(stdtr(df, -abs(average.difference) / (np.hypot(*errors) / 2)))
    assert average.p_value == pytest.approx(p, rel=1e-9)
    ranking = referee.rank(truth=data["truth"], systems={"one": data["a"], "two": data["b"]}, weight=data["weight"])
    pair = referee.compare(**data, audit=False)
    assert ranking.pairs[0].p_value == pytest.approx(pair.p_value, rel=1e-9)
    assert ranking.weights == pair.weights
