"""The check values that were computed beforehand, twice and independently of this code."""

import math
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from referee.data.counts import Counts, from_events
from referee.metrics import f1
from referee.significance import intervals
from referee.significance.rank_tally import tally_of
from referee.significance.sign_tests import signed_ranks
from tests.golden.figures import compare, exact_p, near, pairs

EVENTS = [61, 14, 9, 21, 6, 11, 5, 873]
TABLE = from_events(EVENTS)
YEH = from_events([19, 6, 28, 50, 5, 9, 43], open=True)
DCF = "dcf:cost_fn=10,cost_fp=1,p_target=0.01"
DIGITS = {"rel": 0, "abs": 5.1e-11}
"""Values printed with ten decimals."""


def table(metric, test, alternative="two-sided"):
    return compare(TABLE, metric=metric, test=test, alternative=alternative)


# --- One table, e1..e8 = 61 14 9 21 6 11 5 873


def test_f1_of_the_table():
    result = table("f1", "randomization")
    assert (result.a.score, result.b.score) == near((0.7526881720, 0.7614213198), **DIGITS)
    assert result.difference == near(0.0087331478, **DIGITS)
    assert result.n == 1000


def test_proportion_of_the_table():
    result = table("error", "proportion")
    assert (result.statistic, result.p_value) == near((0.1061935592, 0.9154287810), **DIGITS)
    assert table("accuracy", "proportion").statistic == near(-0.1061935592, **DIGITS)
    assert table("error", "two-proportions").statistic == near(0.1061935592, **DIGITS)


def test_disagreement_of_the_table():
    result = table("error", "disagreement")
    assert result.discordant == (20, 19)
    assert (result.statistic, result.p_value) == near((0.1601281538, 0.8727801238), **DIGITS)
    assert table("accuracy", "disagreement").statistic == near(-0.1601281538, **DIGITS)


@pytest.mark.parametrize("metric", ["accuracy", "error"])
def test_mcnemar_of_the_table(metric):
    corrected, plain = (table(metric, f"mcnemar:variant={v}") for v in ("corrected", "uncorrected"))
    assert (corrected.statistic, corrected.p_value) == (0, 1)
    assert (plain.statistic, plain.p_value) == near((0.0256410256, 0.8727801238), **DIGITS)
    assert table(metric, "mcnemar:variant=exact").p_value == 1
    assert table(metric, "mcnemar").p_value == near(0.8746293124, **DIGITS)


def test_tango_of_the_table():
    interval = table("accuracy", "mcnemar").interval
    assert (interval.low, interval.high) == near((-0.0138182669, 0.0117400744), **DIGITS)
    interval = table("error", "mcnemar").interval
    assert (interval.low, interval.high) == near((-0.0117400744, 0.0138182669), **DIGITS)


def test_paired_t_of_the_table():
    result = table("accuracy", "paired-t")
    assert (result.statistic, result.p_value) == near((-0.1600501, 0.8728739), rel=0, abs=5.1e-8)
    assert result.correlation == near(0.5602323, rel=0, abs=5.1e-8)
    assert table("recall", "paired-t").correlation == near(0.4919350, rel=0, abs=5.1e-8)


def test_recall_and_precision_of_the_table_as_if_independent():
    recall, precision = table("recall", "two-proportions"), table("precision", "chi2-precision")
    assert (recall.statistic, recall.p_value) == near((0.7463439, 0.4554597), rel=0, abs=5.1e-8)
    assert (precision.statistic, precision.p_value) == near((0.7617859, 0.3827702), rel=0, abs=5.1e-8)


@pytest.mark.parametrize(
    ("test", "sigma", "p"),
    [("dcf-proportion", 0.0086274010, 0.8279535550), ("dcf-paired", 0.0063591348, 0.7681113691)],
)
def test_detection_cost_of_the_table(test, sigma, p):
    result = table(DCF, test)
    assert (result.a.score, result.b.score) == near((0.0455009311, 0.0473758978), **DIGITS)
    assert result.difference / result.statistic == near(sigma, **DIGITS)
    assert result.p_value == near(p, **DIGITS)


@pytest.mark.parametrize(
    ("metric", "p"),
    [
        ("f1", 0.8206091865),
        ("precision", 0.2218512187),
        ("recall", 0.4048728943),
        ("accuracy", 1.0),
        ("mcc", 0.9666641245),
        (DCF, 0.7652953739),
    ],
)
def test_exact_randomization_of_the_table(metric, p):
    result = table(metric, "randomization")
    assert result.p_method == "exact"
    assert result.p_value == near(p, **DIGITS)


@pytest.mark.parametrize(
    ("metric", "greater", "less"), [("f1", 0.4103045933, 0.5961882638), ("precision", 0.8955672477, 0.1109256093)]
)
def test_exact_one_sided_randomization_of_the_table(metric, greater, less):
    assert table(metric, "randomization", "greater").p_value == near(greater, **DIGITS)
    assert table(metric, "randomization", "less").p_value == near(less, **DIGITS)


# --- The same by brute force, in fractions: every point of the grid, every metric that is rational


def rational(name, tp, fp, positives, negatives):
    if name == "f1":
        return Fraction(2 * tp, tp + fp + positives) if tp + fp + positives else Fraction(0)
    if name == "precision":
        return Fraction(tp, tp + fp) if tp + fp else Fraction(0)
    if name == "recall":
        return Fraction(tp, positives)
    if name == "accuracy":
        return Fraction(tp + negatives - fp, positives + negatives)
    if name == "jaccard":
        return Fraction(tp, positives + fp)
    return Fraction(1, 10) * Fraction(positives - tp, positives) + Fraction(99, 100) * Fraction(fp, negatives)


def grid_p(name, events, alternative="two-sided"):
    """P of the plain swap law: K ~ Binomial(e2+e3) positives and L ~ Binomial(e6+e7) negatives stand for B."""
    e1, e2, e3, e4, e5, e6, e7, e8 = events
    size, other = e2 + e3, e6 + e7
    positives, negatives = e1 + size + e4, e5 + other + e8

    def difference(k, m):
        b = rational(name, e1 + k, e5 + m, positives, negatives)
        return b - rational(name, e1 + size - k, e5 + other - m, positives, negatives)

    observed, ways = difference(e2, e6), 0
    for k in range(size + 1):
        for m in range(other + 1):
            d = difference(k, m)
            hit = {"two-sided": abs(d) >= abs(observed), "greater": d >= observed, "less": d <= observed}[alternative]
            ways += comb(size, k) * comb(other, m) * hit
    return float(Fraction(ways, 2 ** (size + other)))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("metric", ["f1", "precision", "recall", "accuracy", "jaccard", DCF])
def test_randomization_of_the_table_by_brute_force(metric, alternative):
    p = grid_p(metric, EVENTS, alternative)
    assert table(metric, "randomization", alternative).p_value == near(p, rel=1e-12)


def test_a_p_of_1e_26():
    events = [600, 40, 240, 100, 50, 70, 80, 8820]
    result = compare(from_events(events), metric="f1", test="randomization")
    assert result.p_value == near(1.5e-26, rel=0.04)
    assert result.p_method == "exact"
    assert result.p_value == near(grid_p("f1", events))


@pytest.mark.parametrize(
    "scores",
    [
        [(1, 0)] * 60,
        [(1.0, 0.5)] * 30 + [(0.5, 0.0)] * 10 + [(1.0, 0.0)] * 20,
        [(k / 10, 0.0) for k in range(1, 61)],
    ],
    ids=["0/1", "halves", "tenths"],
)
def test_60_examples_all_for_a(scores):
    a, b = zip(*scores, strict=True)
    result = compare(Counts.of({"a": a, "b": b}), metric="mean", test="randomization")
    assert result.p_method == "exact"
    assert result.p_value == near(2.0**-59, rel=1e-12)
    assert result.p_value == near(1.7e-18, rel=0.03)
    assert compare(Counts.of({"a": b, "b": a}), metric="mean", test="wilcoxon").p_value == near(2.0**-59, rel=1e-12)


# --- Yeh's example: counts of response sets, no true negatives


def yeh(metric, test="randomization", alternative="two-sided"):
    return compare(YEH, metric=metric, test=test, alternative=alternative)


@pytest.mark.parametrize("metric", ["recall", "f1", "precision"])
def test_yehs_correlation(metric):
    assert yeh(metric).correlation == near(0.345181, rel=0, abs=5.1e-7)


def test_yehs_chi_square_of_precision():
    result = yeh("precision", "chi2-precision")
    assert (result.statistic, result.p_value) == near((2.380077, 0.122892), rel=0, abs=5.1e-7)


@pytest.mark.parametrize(
    ("metric", "alternative", "p", "hits", "errors_away"),
    [
        ("recall", "less", 9.756279e-05, 96, -0.6),
        ("f1", "less", 0.0147756858, 14794, -5.7),
        ("precision", "greater", 0.0199942896, 25770, 33.5),
    ],
)
def test_yehs_exact_one_sided_p(metric, alternative, p, hits, errors_away):
    result = yeh(metric, alternative=alternative)
    assert result.p_method == "exact"
    assert result.p_value == near(p, rel=1e-7, abs=5.1e-11)
    # What the paper's 2^20 trials would have had to find, and by how many standard errors its hits are away.
    trials = 2**20
    error = math.sqrt(trials * p * (1 - p))
    assert (hits - trials * result.p_value) / error == near(errors_away, rel=0, abs=0.051)


@pytest.mark.parametrize(
    ("metric", "plain", "studentized"),
    [
        ("precision", 0.0399885791, 0.0580110),
        ("f1", 0.0295513715, 0.0293026),
        ("recall", 0.000195125584, 0.000195126),
    ],
)
def test_yehs_two_sided_p(metric, plain, studentized):
    assert yeh(metric).p_value == near(plain, rel=1e-8, abs=5.1e-11)
    result = yeh(metric, "randomization:studentized=true")
    assert result.p_method == "exact"
    assert result.p_value == near(studentized, rel=3e-6, abs=5.1e-8 if metric != "recall" else 0)


def test_yehs_difference_is_two_minus_one():
    assert yeh("recall").difference == near((19 + 6 - 19 - 28) / 103)
    assert yeh("precision").difference == near(25 / 39 - 47 / 95)


@pytest.mark.parametrize(("r", "spread", "inflation"), [(38, 0.787, 1.27), (50, 0.707, 1.41), (80, 0.447, 2.24)])
def test_yehs_table_of_correlations(r, spread, inflation):
    # Two coins that agree so often that their correlation is r %.
    result = compare(pairs(100 + r, 100 - r, 100 - r, 100 + r), metric="mean", test="paired-t")
    assert result.correlation == near(r / 100, rel=1e-12)
    assert result.inflation == near(inflation, rel=0, abs=0.0051)
    assert 1 / result.inflation == near(spread, rel=0, abs=0.00051)


# --- Other anchors


@pytest.mark.parametrize(
    ("n12", "n21", "uncorrected", "corrected", "exact", "midp", "rel"),
    [
        (1, 7, 0.033895, 0.077100, 0.0703125, 0.0390625, 1.5e-5),
        (121, 59, 3.81514e-6, 5.45009e-6, 4.43445e-6, 3.26665e-6, 2e-6),
        (5, 5, 1.0, 1.0, 1.0, 0.876953, 1e-6),
    ],
)
def test_mcnemar_anchors(n12, n21, uncorrected, corrected, exact, midp, rel):
    expected = {"uncorrected": uncorrected, "corrected": corrected, "exact": exact, "midp": midp}
    for variant, p in expected.items():
        result = compare(pairs(30, n12, n21, 30), metric="mean", test=f"mcnemar:variant={variant}")
        assert result.p_value == near(p, rel=rel), variant


def test_no_discordant_example():
    result = compare(pairs(600, 0, 0, 400), metric="mean", test="mcnemar")
    assert (result.interval.low, result.interval.high) == near((-0.0038267585, 0.0038267585), **DIGITS)
    for variant in ("midp", "exact", "corrected", "uncorrected"):
        for alternative in ("two-sided", "greater", "less"):
            test = f"mcnemar:variant={variant}"
            assert compare(pairs(600, 0, 0, 400), metric="mean", test=test, alternative=alternative).p_value == 1


@pytest.mark.parametrize(("right", "n", "low", "high"), [(17, 20, 0.63958, 0.94763), (5, 5, 0.56552, 1.0)])
def test_wilson(right, n, low, high):
    interval = intervals.wilson(right, n, 0.95)
    assert (interval.low, interval.high) == near((low, high), rel=0, abs=5.1e-6)
    own = compare(pairs(right, 0, 0, n - right), metric="mean").a.interval
    assert (own.low, own.high) == near((low, high), rel=0, abs=5.1e-6)


DEMSAR_A = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1, 0.940, 0.619, 0.972, 0.957]
DEMSAR_B = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1, 0.962, 0.666, 0.981, 0.978]


@pytest.mark.parametrize(
    ("zeros", "plus", "minus", "p"),
    [("zsplit", 93, 12, None), ("pratt", 91.5, 10.5, 0.0078125), ("wilcox", 71.5, 6.5, 0.00732421875)],
)
def test_demsars_signed_ranks(zeros, plus, minus, p):
    changes = np.array(DEMSAR_B) - np.array(DEMSAR_A)
    ranks, sizes = signed_ranks(changes, np.ones(len(changes), dtype=np.int64), zeros)
    split = (
        1.5 if zeros == "zsplit" else 0.0
    )  # the two differences of 0 have the ranks 1 and 2, half of them on either side
    assert (ranks * sizes)[ranks > 0].sum() + split == near(plus, rel=1e-12)
    assert -(ranks * sizes)[ranks < 0].sum() + split == near(minus, rel=1e-12)
    result = compare(Counts.of({"a": DEMSAR_A, "b": DEMSAR_B}), metric="mean", test=f"wilcoxon:zeros={zeros}")
    assert result.statistic == near(plus - minus, rel=1e-12)
    if p is not None:
        assert (result.p_value, result.p_method) == (near(p, rel=1e-12), "exact")


def test_the_studentized_error_is_the_written_formula():
    # se² = Σ e·g² − (Σ e·g)²/N with g = (n_B − F_B·d_B)/D_B − (n_A − F_A·d_A)/D_A, F1 being Σn/Σd.
    cells = [(1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 1), (0, 0, 1), (0, 1, 0), (0, 0, 0)]
    weights = np.array(EVENTS, dtype=float)
    own = []
    for system in (1, 2):
        numerator = np.array([2.0 * cell[0] * cell[system] for cell in cells])
        denominator = np.array([float(cell[0] + cell[system]) for cell in cells])
        total = weights @ denominator
        own.append((numerator - weights @ numerator / total * denominator) / total)
    g = own[1] - own[0]
    error = math.sqrt(weights @ g**2 - (weights @ g) ** 2 / weights.sum())
    tally = tally_of(TABLE, f1)
    assert float(tally.standard_errors(tally.multiplicities)) == near(error, rel=1e-12)
    result = table("f1", "randomization:studentized=true")
    assert result.statistic == near(result.difference / error, rel=1e-12)
    assert result.detectable == near((1.959963984540054 + 0.8416212335729143) * error)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_recall_is_a_binomial(alternative):
    # With a fixed denominator the swap law of recall is the exact McNemar test of the positives.
    p = float(exact_p(14, 9, alternative))
    assert table("recall", "randomization", alternative).p_value == near(p, rel=1e-12)
    assert table("recall", "mcnemar:variant=exact", alternative).p_value == near(p, rel=1e-12)
