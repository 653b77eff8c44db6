"""What other packages get wrong, each seen by running them: ours has to be right here."""

import copy
import math
import tracemalloc

import numpy as np
import pytest

from referee import adjust
from referee.data.counts import Counts, from_events
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance import fitting_tests
from referee.significance.laws.resample import bootstrap
from referee.significance.rank_tally import tally_of
from tests.golden.figures import compare, exact_p, mid_p, near, pairs

ALTERNATIVES = ["two-sided", "greater", "less"]
RNG = np.random.default_rng(7)
LABELS = (RNG.random(40) < 0.5).astype(int)
GUESSES = np.where(RNG.random(40) < 0.8, LABELS, 1 - LABELS)
SCORES = (LABELS + RNG.normal(size=40)).round(2)
TWINS = {
    "accuracy": Counts.of({"truth": LABELS, "a": GUESSES, "b": GUESSES}),
    "recall": Counts.of({"truth": LABELS, "a": GUESSES, "b": GUESSES}),
    "f1": Counts.of({"truth": LABELS, "a": GUESSES, "b": GUESSES}),
    "precision": Counts.of({"truth": LABELS, "a": GUESSES, "b": GUESSES}),
    "dcf": Counts.of({"truth": LABELS, "a": GUESSES, "b": GUESSES}),
    "auc": Counts.of({"truth": LABELS, "a": SCORES, "b": SCORES}),
    "mean": Counts.of({"a": SCORES, "b": SCORES}),
}
EACH = [(metric, test) for metric, counts in TWINS.items() for test in fitting_tests(tally_of(counts, resolve(metric)))]
EACH += [("accuracy", f"mcnemar:variant={v}") for v in ("exact", "corrected", "uncorrected")]
EACH += [("accuracy", f"bootstrap:interval={i}") for i in ("centered", "basic", "bca", "studentized")]
EACH += [("mean", f"wilcoxon:zeros={z}") for z in ("pratt", "zsplit")]
EACH += [("f1", "randomization:method=monte-carlo"), ("f1", "randomization:studentized=true")]


def test_there_is_something_to_try():
    assert {"mcnemar", "randomization", "bootstrap", "delong", "wilcoxon", "paired-t", "sign"} <= {t for _, t in EACH}


@pytest.mark.parametrize(("metric", "test"), EACH)
def test_identical_systems_have_p_1(metric, test):
    # mlxtend and statsmodels: χ² = inf, p = 0; MLstatkit's DeLong: p = 0; sacrebleu: 1/(n+1); scipy: nan.
    for alternative in ALTERNATIVES:
        result = compare(TWINS[metric], metric=metric, test=test, alternative=alternative)
        assert (result.p_value, result.difference) == (1, 0)
        assert result.statistic in (0, None)
        assert result.verdict == "too close to call"
        assert result.interval is None or (0 in result.interval and math.isfinite(result.interval.high))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("variant", ["midp", "exact", "corrected", "uncorrected"])
def test_systems_that_always_agree_but_are_not_perfect(variant, alternative):
    result = compare(pairs(70, 0, 0, 30), metric="mean", test=f"mcnemar:variant={variant}", alternative=alternative)
    assert result.p_value == 1
    assert result.statistic in (0, None)


@pytest.mark.parametrize("each", [1, 5, 300])
def test_as_many_wins_as_losses(each):
    # mlxtend and statsmodels: χ² = 0.1 and p = 0.752 at 5 and 5, since |b − c| − 1 isn't held at 0.
    result = compare(pairs(20, each, each, 20), metric="mean", test="mcnemar:variant=corrected")
    assert (result.statistic, result.p_value) == (0, 1)
    assert compare(pairs(20, each, each, 20), metric="mean", test="mcnemar:variant=exact").p_value == 1


def test_two_proportions_are_two_sided():
    # mlxtend: 0.977, or 0.0228 with the arguments exchanged: one-sided, whichever way.
    for n12, n21 in ((10, 0), (0, 10)):
        result = compare(pairs(80, n12, n21, 10), metric="mean", test="proportion")
        z = 0.1 / math.sqrt(2 * 0.85 * 0.15 / 100)
        assert result.p_value == near(math.erfc(z / math.sqrt(2)), rel=1e-12)


def test_the_off_diagonal_speaks():
    # hypothetical: 2.88, from the diagonal.
    result = compare(pairs(59, 6, 16, 80), metric="mean", test="mcnemar:variant=corrected")
    assert result.statistic == near(81 / 22, rel=1e-12)


def test_one_discordant_pair():
    # HF's documentation prints p = .317.
    result = compare(pairs(4, 0, 1, 3), metric="mean", test="mcnemar:variant=exact")
    assert result.p_value == 1
    assert compare(pairs(4, 0, 1, 3), metric="mean", test="mcnemar").p_value == 0.5


def test_a_million_examples_and_a_p_of_1e_118():
    # evalci: 0, since 1 − cdf has no digits below 1e-16.
    n12, n21 = 17930, 22584
    million = pairs(700_000, n12, n21, 1_000_000 - 700_000 - n12 - n21)
    assert million.n == 1_000_000
    corrected = compare(million, metric="mean", test="mcnemar:variant=corrected")
    assert corrected.statistic == near(534.39, rel=0, abs=0.005)
    assert corrected.p_value == near(3.1e-118, rel=0.02)
    assert corrected.p_value == near(math.erfc(math.sqrt((n21 - n12 - 1) ** 2 / (n12 + n21) / 2)), rel=1e-10)
    for variant, true, printed in (("exact", exact_p, 1.73e-118), ("midp", mid_p, 1.55e-118)):
        p = compare(million, metric="mean", test=f"mcnemar:variant={variant}").p_value
        assert p == near(float(true(n21, n12)))
        assert p == near(printed, rel=0.004)
    # The swap law of accuracy is the same binomial, through another road.
    swap = compare(million, metric="mean", test="randomization")
    assert (swap.p_method, swap.p_value) == ("exact", near(float(exact_p(n21, n12))))


def test_near_ties_are_not_ties():
    # mlxtend counts |d*| within 1e-5 of |d| as reached: .031337 on Yeh's table.
    counts = from_events([19, 6, 28, 50, 5, 9, 43], open=True)
    p = compare(counts, metric="f1", test="randomization").p_value
    assert p == near(0.029551, rel=0, abs=5.1e-7)
    drawn = compare(counts, metric="f1", test="randomization:method=monte-carlo,trials=199999")
    assert drawn.p_error == near(math.sqrt(p * (1 - p) / 199_999), rel=0.05)
    assert drawn.p_value == near(p, rel=0, abs=4 * drawn.p_error)
    assert abs(drawn.p_value - 0.031337) > 4 * drawn.p_error


def test_true_ties_are_ties():
    # .1 + .2 − .3 is 0 on paper, and not in doubles.
    counts = Counts.of({"a": [0.0, 0.0, 0.0], "b": [0.1, 0.2, -0.3]})
    for alternative, p in (("two-sided", 1), ("greater", 5 / 8), ("less", 5 / 8)):
        assert compare(counts, metric="mean", test="randomization", alternative=alternative).p_value == p


def test_true_ties_of_mcc_are_ties():
    # Both MCC are 0, and 12 of the 2^5 exchanges give 0 again: counted in fractions, P(d* >= 0) is 22/32.
    counts = Counts.of(
        {
            "truth": [2, 2, 1, 1, 0, 0, 0, 2, 1],
            "a": [2, 1, 1, 1, 2, 1, 2, 1, 0],
            "b": [2, 1, 2, 2, 0, 0, 2, 0, 0],
            "group": [2, 2, 3, 4, 2, 1, 2, 0, 0],
        }
    )
    for alternative in ("greater", "less"):
        assert compare(counts, metric="mcc", test="randomization", alternative=alternative).p_value == 22 / 32


def test_scores_of_very_different_sizes():
    # Nobody's mistake but ours: all seven for B, so that p is 2/2^7.
    b = [6.56104878e-10, 1.65634543e-9, 2.50932569e-6, 4.52611003e-6, 4.30485746e-3, 1.14345302e-2, 2.42849907e-2]
    result = compare(Counts.of({"a": [0.0] * 7, "b": b}), metric="mean", test="randomization")
    assert result.p_value == near(2 / 2**7, rel=1e-12)


@pytest.mark.parametrize(
    "test",
    [
        "randomization:method=monte-carlo,trials=999",
        "randomization:method=monte-carlo,studentized=true,trials=999",
        "bootstrap:replicates=999",
        "bootstrap:interval=basic,replicates=999",
        "bootstrap:interval=centered,replicates=999",
    ],
)
def test_a_drawn_p_is_never_0(test):
    # MLstatkit, ranx, deepsig, CompStats: 0, without the +1.
    counts = from_events([0, 200, 0, 0, 0, 0, 200, 100])
    result = compare(counts, metric="f1", test=test)
    assert result.p_method == "monte-carlo"
    assert 1 / 1000 <= result.p_value <= 2 / 1000


def test_the_bootstrap_is_paired():
    # deepsig resamples the two score lists independently and finds nothing.
    rng = np.random.default_rng(0)
    a = rng.normal(size=50) * 10
    b = a + 0.3 + 0.1 * rng.normal(size=50)
    result = compare(Counts.of({"a": a, "b": b}), metric="mean", test="bootstrap")
    assert result.p_value < 0.001
    assert result.verdict == "b better"
    # Unpaired, nothing is to be seen.
    assert compare(Counts.of({"a": a, "b": b}), metric="mean", test="two-sample-t").p_value > 0.8


def test_bonferroni_keeps_the_order():
    # deepsig: [.03, .04, .03].
    assert adjust([0.01, 0.02, 0.03], "bonferroni") == near([0.03, 0.06, 0.09])
    assert adjust([0.03, 0.01, 0.02], "bonferroni") == near([0.09, 0.03, 0.06])


@pytest.mark.parametrize("test", ["bootstrap", "randomization:method=monte-carlo", "bootstrap:interval=bca"])
def test_the_same_seed_gives_the_same_p(test):
    # ranx: 0.001, 0, 0.001, 0, 0 in five calls with one seed; sacrebleu: seed 0 means unseeded.
    counts = from_events([30, 14, 9, 21, 6, 11, 5, 40])
    found = [compare(counts, metric="f1", test=test, rng=0) for _ in range(3)]
    assert len({(one.p_value, one.interval.low, one.interval.high) for one in found}) == 1
    assert compare(counts, metric="f1", test=test, rng=1).interval != found[0].interval


@pytest.mark.parametrize(
    "test", ["bootstrap", "randomization:method=monte-carlo", "randomization", "randomization:studentized=true"]
)
def test_which_system_comes_first_changes_signs_only(test):
    # testSignificanceNLP: the bootstrap takes it that A won, the permutation test that B did.
    counts = from_events([30, 14, 9, 21, 6, 11, 5, 40])
    own, turned = (
        compare(c, metric="f1", test=test, alternative=alternative)
        for c, alternative in ((counts, "greater"), (counts.swap(), "less"))
    )
    assert own.p_value == turned.p_value
    assert own.difference == -turned.difference
    assert own.interval == turned.interval.flipped()


def test_nothing_grows_with_examples_times_replicates():
    # Five peers ask for 74.5 GiB here.
    counts = from_events([61_000, 14_000, 9_000, 21_000, 6_000, 11_000, 5_000, 873_000])
    tracemalloc.start()
    result = compare(counts, metric="f1", test="bootstrap")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.n == 1_000_000
    assert peak < 50e6


def test_the_callers_lists_stay_as_they_are():
    # testSignificanceNLP's permutation test exchanges them in place.
    given = {"truth": [1, 0, 1, 1, 0, 1], "a": [0, 0, 1, 0, 1, 1], "b": [1, 0, 1, 1, 0, 0]}
    before = copy.deepcopy(given)
    for test in ("randomization", "randomization:method=monte-carlo", "bootstrap"):
        compare(**given, metric="f1", test=test)
    assert given == before


@pytest.mark.parametrize(
    "counts",
    [
        Counts.of({"a": [0.25], "b": [0.75]}),
        Counts.of({"a": [0.25, 0.5, 1.0], "b": [0.75, 0.0, 1.5], "group": ["x", "x", "x"]}),
    ],
    ids=["one-example", "one-group"],
)
def test_ignorance_is_not_certainty(counts):
    # inspect: a standard error of 0 for one item or one cluster.
    result = compare(counts, metric="mean", test="paired-t")
    assert result.difference != 0
    assert result.p_value is None
    assert result.interval is None
    assert result.a.interval is None
    assert result.verdict == "too close to call"


CONSTANT = Counts.of({"a": [0.5] * 20, "b": [0.75] * 20})


def test_constant_differences_have_no_t():
    # scipy: inf and p = 0. A shift that is the same everywhere has no variance to estimate.
    result = compare(CONSTANT, metric="mean", test="paired-t")
    assert (result.p_value, result.statistic) == (None, None)
    assert result.warnings


@pytest.mark.parametrize("kind", ["bca", "studentized"])
def test_constant_differences_have_no_such_bootstrap(kind):
    # scipy: nan.
    result = compare(CONSTANT, metric="mean", test=f"bootstrap:interval={kind}")
    assert result.interval is None
    assert result.warnings


@pytest.mark.parametrize("kind", ["bca", "studentized"])
def test_constant_differences_have_no_p_of_such_a_bootstrap(kind):
    assert compare(CONSTANT, metric="mean", test=f"bootstrap:interval={kind}").p_value is None


def test_an_undefined_f1_in_a_resample_is_0_and_reported():
    # Peers let a NaN reach the quantile.
    counts = from_events([1, 1, 0, 0, 0, 0, 0, 6])
    result = compare(counts, metric="f1", test="bootstrap")
    assert math.isfinite(result.interval.low)
    assert math.isfinite(result.interval.high)
    drawn = bootstrap(tally_of(counts, resolve("f1")), 999, Streams.of(0)).scores
    assert np.isfinite(drawn).all()
    assert drawn.min() == 0
    # F1 is 0/0 in a draw without any positive example, which is 6/8 for each of the eight.
    assert result.undefined == near((6 / 8) ** 8, rel=0, abs=4 * math.sqrt(0.1 * 0.9 / 9999))
