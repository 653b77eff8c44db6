"""The metrics against scikit-learn, and the tests against scipy, on random data."""

import warnings
from functools import partial

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

from referee.data.counts import Counts
from referee.metrics import resolve
from referee.significance import sign_tests
from referee.significance.rank_tally import tally_of
from tests.golden.figures import compare, near

SEEDS = range(3)
WORDS = {2: ["ham", "spam"], 3: ["cat", "dog", "eel"]}


def labelled(classes, seed, extra=False, n=150):
    """Truth and two systems, the second better; with `extra`, labels that the truth never has."""
    rng = np.random.default_rng([classes, seed])
    words = np.array(WORDS[classes] + (["yak", "zebu"] if extra else []), dtype=object)
    truth = rng.choice(classes, size=n, p=[0.6, 0.4] if classes == 2 else [0.6, 0.3, 0.1])
    systems = [np.where(rng.random(n) < right, truth, rng.integers(len(words), size=n)) for right in (0.5, 0.7)]
    return [words[values] for values in (truth, *systems)]


def scores(metric, truth, a, b, **about):
    counts = Counts.of({"truth": truth, "a": a, "b": b}, **about)
    return tally_of(counts, resolve(metric)).observed()


def check(metric, peer, truth, a, b, **about):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of labels that the truth never has
        expected = [peer(truth, a), peer(truth, b)]
    assert scores(metric, truth, a, b, **about) == near(expected, rel=1e-12, abs=1e-15)


# --- Labels

BINARY = {
    "precision": lambda t, p, **k: sk.precision_score(t, p, zero_division=0, **k),
    "recall": lambda t, p, **k: sk.recall_score(t, p, zero_division=0, **k),
    "f1": lambda t, p, **k: sk.f1_score(t, p, zero_division=0, **k),
    "fbeta:beta=2": lambda t, p, **k: sk.fbeta_score(t, p, beta=2, zero_division=0, **k),
    "fbeta:beta=0.5": lambda t, p, **k: sk.fbeta_score(t, p, beta=0.5, zero_division=0, **k),
    "jaccard": lambda t, p, **k: sk.jaccard_score(t, p, zero_division=0, **k),
}
MULTICLASS = {
    "accuracy": sk.accuracy_score,
    "error": sk.zero_one_loss,
    "mcc": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
    "balanced-accuracy": sk.balanced_accuracy_score,
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("metric", BINARY)
def test_binary_metrics(metric, seed):
    truth, a, b = labelled(2, seed)
    for positive in WORDS[2]:
        check(metric, lambda t, p, of=positive: BINARY[metric](t, p, pos_label=of), truth, a, b, positive=positive)


@pytest.mark.parametrize("metric", BINARY)
def test_binary_metrics_of_a_system_that_never_says_positive(metric):
    truth, a, _ = labelled(2, 0)
    never = np.array(["ham"] * len(truth), dtype=object)
    check(metric, lambda t, p: BINARY[metric](t, p, pos_label="spam"), truth, a, never, positive="spam")


@pytest.mark.parametrize("seed", SEEDS)
def test_specificity_and_half_total_error(seed):
    truth, a, b = labelled(2, seed)
    check("specificity", lambda t, p: sk.recall_score(t, p, pos_label="ham"), truth, a, b, positive="spam")
    check("hter", lambda t, p: 1 - sk.balanced_accuracy_score(t, p), truth, a, b, positive="spam")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("extra", [False, True], ids=["", "labels-truth-never-has"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("metric", MULTICLASS)
def test_metrics_of_any_number_of_classes(metric, classes, extra, seed):
    check(metric, MULTICLASS[metric], *labelled(classes, seed, extra))


@pytest.mark.parametrize("metric", MULTICLASS)
def test_degenerate_guesses(metric):
    # Always the same label: MCC and kappa are 0/0 or 0, which both call 0.
    truth, a, _ = labelled(3, 0)
    check(metric, MULTICLASS[metric], truth, a, np.array(["cat"] * len(truth), dtype=object))


def averages(metric, extra, average):
    for classes in (2, 3):
        for seed in range(2):
            truth, a, b = labelled(classes, seed, extra)
            of_truth, known = sorted(set(truth)), sorted(set(truth) | set(a) | set(b))
            assert len(known) == classes + 2 * extra
            spelt = f"{metric}{',' if ':' in metric else ':'}average={average}"
            # A micro average counts an answer whatever its label is; a mean over classes knows those of the truth.
            own = known if average == "micro" else of_truth
            yield spelt, partial(BINARY[metric], labels=own, average=average), truth, a, b
            yield f"{spelt},labels=all", partial(BINARY[metric], labels=known, average=average), truth, a, b


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("metric", BINARY)
def test_averages(metric, average):
    for case in averages(metric, False, average):
        check(*case)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("metric", BINARY)
def test_averages_with_labels_that_the_truth_never_has(metric, average):
    for case in averages(metric, True, average):
        check(*case)


# --- Scores


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("decimals", [0, 1, 6], ids=["many-ties", "ties", "no-ties"])
@pytest.mark.parametrize(
    ("metric", "peer"), [("auc", sk.roc_auc_score), ("average-precision", sk.average_precision_score)]
)
def test_ranking_metrics(metric, peer, decimals, seed):
    rng = np.random.default_rng(seed)
    truth = (rng.random(120) < 0.3).astype(int)
    a, b = (np.round(rng.normal(size=120) + truth * shift, decimals) + 0.25 for shift in (0.5, 1.0))
    assert (len(np.unique(a)) == 120) == (decimals == 6)
    check(metric, peer, truth, a, b)
    words = np.array(["ham", "spam"], dtype=object)[truth]
    check(metric, lambda t, p: peer((t == "spam").astype(int), p), words, a, b, positive="spam")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("metric", "peer"),
    [("mse", sk.mean_squared_error), ("rmse", sk.root_mean_squared_error), ("mae", sk.mean_absolute_error)],
)
def test_metrics_of_numbers(metric, peer, seed):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=80)
    check(metric, peer, truth, truth + rng.normal(size=80), truth + 0.5 * rng.normal(size=80))


# --- Tests

SCIPYS = ["two-sided", "greater", "less"]


def paired(seed, n=25, decimals=6):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n).round(decimals)
    return a, (a + rng.normal(0.3, 1, size=n)).round(decimals)


def ours(a, b, test, alternative="two-sided", metric="mean", **more):
    return compare(Counts.of({"a": a, "b": b, **more}), metric=metric, test=test, alternative=alternative)


@pytest.mark.parametrize("alternative", SCIPYS)
@pytest.mark.parametrize("seed", SEEDS)
def test_t_tests(seed, alternative):
    a, b = paired(seed)
    result, peer = ours(a, b, "paired-t", alternative), stats.ttest_rel(b, a, alternative=alternative)
    assert (result.statistic, result.p_value) == near((peer.statistic, peer.pvalue))
    if alternative == "two-sided":
        expected = peer.confidence_interval(0.95)
        assert (result.interval.low, result.interval.high) == near((expected.low, expected.high))
    result, peer = ours(a, b, "two-sample-t", alternative), stats.ttest_ind(b, a, alternative=alternative)
    assert (result.statistic, result.p_value) == near((peer.statistic, peer.pvalue))


@pytest.mark.parametrize("alternative", SCIPYS)
@pytest.mark.parametrize("seed", SEEDS)
def test_wilcoxon_without_ties(seed, alternative):
    a, b = paired(seed)
    peer = stats.wilcoxon(b, a, alternative=alternative, method="exact")
    result = ours(a, b, "wilcoxon", alternative)
    assert result.p_value == near(peer.pvalue)
    if alternative == "two-sided":
        total = len(a) * (len(a) + 1) / 2
        assert (total - abs(result.statistic)) / 2 == near(peer.statistic)


@pytest.mark.parametrize("alternative", SCIPYS)
@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
@pytest.mark.parametrize("seed", SEEDS)
def test_wilcoxon_with_ties_and_zeros(seed, zeros, alternative, monkeypatch):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 5, size=(2, 40))
    assert (a == b).any()
    monkeypatch.setattr(sign_tests, "EXACT", 0)
    peer = stats.wilcoxon(b, a, zero_method=zeros, alternative=alternative, method="asymptotic", correction=False)
    assert ours(a, b, f"wilcoxon:zeros={zeros}", alternative).p_value == near(peer.pvalue)


@pytest.mark.parametrize("alternative", SCIPYS)
@pytest.mark.parametrize("seed", SEEDS)
def test_sign_and_mcnemar(seed, alternative):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, size=(2, 60))
    peer = stats.binomtest(int((b > a).sum()), int((a != b).sum()), alternative=alternative)
    for test in ("sign", "mcnemar:variant=exact", "randomization"):
        assert ours(a, b, test, alternative).p_value == near(peer.pvalue), test


def f1_difference(b_found, a_found, truth, axis=-1):
    found = [2 * (x & truth).sum(axis=axis) / (x.sum(axis=axis) + truth.sum(axis=axis)) for x in (b_found, a_found)]
    return found[0] - found[1]


@pytest.mark.parametrize("alternative", SCIPYS)
@pytest.mark.parametrize("seed", SEEDS)
def test_exact_randomization_of_f1(seed, alternative):
    rng = np.random.default_rng(seed)
    truth, a, b = rng.random((3, 12)) < 0.5
    truth[0] = a[1] = b[1] = True
    peer = stats.permutation_test(
        (b, a),
        lambda x, y, axis: f1_difference(x, y, np.broadcast_to(truth, x.shape), axis),
        permutation_type="samples", n_resamples=np.inf, alternative=alternative, vectorized=True,
    )  # fmt: skip
    result = ours(a, b, "randomization", alternative, "f1", truth=truth)
    assert result.p_method == "exact"
    # scipy calls the smaller tail doubled two-sided, which is the same for a symmetric law unless the difference is 0.
    assert result.p_value == near(min(1.0, peer.pvalue))


@pytest.mark.parametrize("alternative", SCIPYS)
@pytest.mark.parametrize("seed", range(2))
def test_exact_randomization_of_macro_f1(seed, alternative):
    rng = np.random.default_rng(seed)
    truth, a, b = rng.integers(0, 3, size=(3, 10))

    def macro(x, y, axis=-1):
        hit = [[((z == k) & (truth == k)).sum(axis=axis) for k in range(3)] for z in (x, y)]
        size = [[(z == k).sum(axis=axis) + (truth == k).sum() for k in range(3)] for z in (x, y)]
        f1 = [
            sum(2 * h / np.maximum(n, 1) for h, n in zip(*one, strict=True)) / 3 for one in zip(hit, size, strict=True)
        ]
        return np.round(f1[0] - f1[1], 12)

    assert macro(b, a) == near(
        sk.f1_score(truth, b, average="macro") - sk.f1_score(truth, a, average="macro"), rel=0, abs=1e-11
    )
    peer = stats.permutation_test(
        (b, a), macro, permutation_type="samples", n_resamples=np.inf, alternative=alternative, vectorized=True
    )
    result = ours(a, b, "randomization", alternative, "f1:average=macro", truth=truth)
    assert result.p_method == "exact"
    assert result.p_value == near(min(1.0, peer.pvalue))


MONTE_CARLO = 0.0267 * np.sqrt(2) * 4
"""Four standard errors of the difference of two 2.5 % quantiles of 9999 normal draws, in standard deviations."""


@pytest.mark.parametrize("seed", range(2))
def test_percentile_bootstrap_of_the_mean(seed):
    a, b = paired(seed, n=60)
    peer = stats.bootstrap((b - a,), np.mean, method="percentile", n_resamples=9999, rng=np.random.default_rng(seed))
    result = ours(a, b, "bootstrap")
    slack = MONTE_CARLO * peer.standard_error
    assert result.interval.low == near(peer.confidence_interval.low, rel=0, abs=slack)
    assert result.interval.high == near(peer.confidence_interval.high, rel=0, abs=slack)
    for kind, method in (("basic", "basic"), ("bca", "BCa")):
        peer = stats.bootstrap((b - a,), np.mean, method=method, n_resamples=9999, rng=np.random.default_rng(seed))
        interval = ours(a, b, f"bootstrap:interval={kind}").interval
        assert interval.low == near(peer.confidence_interval.low, rel=0, abs=1.2 * slack), kind
        assert interval.high == near(peer.confidence_interval.high, rel=0, abs=1.2 * slack), kind


def test_percentile_bootstrap_of_f1():
    rng = np.random.default_rng(5)
    truth = rng.random(300) < 0.4
    a, b = (np.where(rng.random(300) < right, truth, rng.random(300) < 0.5) for right in (0.4, 0.6))
    peer = stats.bootstrap(
        (b, a, truth), f1_difference, paired=True, vectorized=True, method="percentile", n_resamples=9999, rng=rng
    )
    result = ours(a, b, "bootstrap", metric="f1", truth=truth)
    slack = MONTE_CARLO * peer.standard_error
    assert result.difference == near(f1_difference(b, a, truth), rel=1e-12)
    assert result.interval.low == near(peer.confidence_interval.low, rel=0, abs=slack)
    assert result.interval.high == near(peer.confidence_interval.high, rel=0, abs=slack)
