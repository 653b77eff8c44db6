"""The law of one system's own score: closed forms, brute force, one law for p and interval, and coverage."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from referee.data.counts import Counts, from_events
from referee.metrics import METRICS
from referee.metrics import resolve as metric
from referee.runtime.randomness import Streams
from referee.significance.own_laws import Share, Skewed, Student, Worlds, own_law
from referee.significance.rank_tally import tally_of
from referee.significance.score_intervals import score_intervals

STREAMS = Streams.of(0)
EVENTS = [61, 14, 9, 21, 6, 11, 5, 873]
Z = stats.norm.ppf(0.975)


def law_of(columns, name, times=None, mark=None):
    counts = Counts.of({**columns, "a": columns["b"]}, times)
    return own_law(tally_of(counts, metric(name)), 1, STREAMS, mark)


def binary(tp, fn, fp, tn):
    return {"truth": [1, 1, 0, 0], "b": [1, 0, 1, 0]}, [tp, fn, fp, tn]


@pytest.mark.parametrize(
    ("right", "n", "low", "high"), [(17, 20, 0.63958, 0.94763), (5, 5, 0.56552, 1.0), (0, 5, 0.0, 0.43448)]
)
def test_the_interval_of_a_share_is_wilsons(right, n, low, high):
    columns = {"truth": [1] * n, "b": [1] * right + [0] * (n - right)}
    law = law_of(columns, "accuracy")
    assert isinstance(law, Share)
    made = law.interval(0.95)
    assert (made.low, made.high) == pytest.approx((low, high), abs=5e-6)


@pytest.mark.parametrize("name", ["f1", "precision", "mcc", "kappa", "jaccard", "dcf", "balanced-accuracy", "recall"])
def test_it_is_what_compare_shows_of_the_same_system(name):
    pair = from_events(EVENTS)
    both = score_intervals(tally_of(pair, metric(name)), 0.95, STREAMS)
    for place, role in enumerate("ab"):
        alone = law_of({"truth": pair["truth"], "b": pair[role]}, name, pair.multiplicities).interval(0.95)
        assert (alone.low, alone.high) == pytest.approx((both[place].low, both[place].high), abs=2e-7)


def test_precision_is_wilsons_among_the_answers():
    """Of answers that are right or wrong nothing else matters, so the score law of precision is Wilson's."""
    law = law_of(*binary(17, 4, 3, 30)[:1], "precision", [17, 4, 3, 30])
    assert isinstance(law, Worlds)
    made = law.interval(0.95)
    assert (made.low, made.high) == pytest.approx((0.63958, 0.94763), abs=5e-6)


def f1_distance(cells, value):
    """Return the root of X² of F1 = value by brute force: over shares tp, fp + fn at the best, tn free."""
    tp, fn, fp, tn = cells
    n = sum(cells)
    # F1 = 2tp/(2tp + fn + fp): the constraint is one of tp against the errors; the two kinds of error keep their ratio.
    errors = fn + fp
    ratio = 2 * (1 - value) / value  # errors per true positive

    def loss(share):
        expected = np.array([share, share * ratio * fn / errors, share * ratio * fp / errors])
        rest = 1 - expected.sum()
        return -sum(c * math.log(p) for c, p in zip((tp, fn, fp, tn), (*expected, rest), strict=True) if c)

    from scipy.optimize import minimize_scalar

    share = minimize_scalar(loss, bounds=(1e-9, (1 - 1e-9) / (1 + ratio)), method="bounded", options={"xatol": 1e-13}).x
    expected = n * np.array([share, share * ratio * fn / errors, share * ratio * fp / errors, 1 - share * (1 + ratio)])
    return math.sqrt(((np.array(cells) - expected) ** 2 / expected).sum())


@pytest.mark.parametrize("cells", [(30, 5, 8, 57), (6, 2, 3, 9), (90, 1, 2, 7)])
def test_f1_against_brute_force(cells):
    law = law_of(*binary(*cells)[:1], "f1", list(cells))
    made = law.interval(0.9)
    for end in (made.low, made.high):
        assert f1_distance(cells, end) == pytest.approx(stats.norm.ppf(0.95), rel=1e-5)
    assert law.p_at(made.low, "greater") == pytest.approx(0.05, rel=1e-6)
    assert law.p_at(made.high, "less") == pytest.approx(0.05, rel=1e-6)


NUMBERS = np.random.default_rng(3).lognormal(size=40)
LABELS = np.random.default_rng(4).integers(0, 2, 60)
SCORES = np.random.default_rng(5).random(60) + 0.6 * LABELS
LAWS = {
    "share": ({"truth": LABELS, "b": (SCORES > 0.7).astype(int)}, "accuracy"),
    "worlds": ({"truth": LABELS, "b": (SCORES > 0.7).astype(int)}, "f1"),
    "strata": ({"truth": LABELS, "b": (SCORES > 0.7).astype(int), "stratum": np.arange(60) % 3}, "accuracy"),
    "groups": ({"truth": LABELS, "b": (SCORES > 0.7).astype(int), "group": np.arange(60) // 4}, "f1"),
    "skewed": ({"b": NUMBERS}, "mean"),
    "scale": ({"b": np.random.default_rng(6).integers(1, 6, 50)}, "mean:low=1,high=5,step=1"),
    "area": ({"truth": LABELS, "b": SCORES}, "auc"),
    "ranks": ({"truth": LABELS, "b": SCORES}, "average-precision"),
    "areas of groups": ({"truth": LABELS, "b": SCORES, "group": np.arange(60) // 4}, "auc"),
    "rmse": ({"truth": NUMBERS, "b": NUMBERS + np.random.default_rng(7).normal(size=40)}, "rmse"),
}


@pytest.mark.parametrize("case", LAWS)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_one_law(case, level):
    """The p-value of an end of the interval is its tail, so that no verdict contradicts the interval."""
    columns, name = LAWS[case]
    law = law_of(columns, name)
    made = law.interval(level)
    tail = (1 - level) / 2
    step = 1e-6 * (made.high - made.low)
    assert law.p_at(made.low - step, "greater") < tail < law.p_at(made.low + step, "greater")
    if not (name in ("auc", "average-precision") and made.high == 1):  # cut at the end of the range
        assert law.p_at(made.high + step, "less") < tail < law.p_at(made.high - step, "less")
    assert made.method == law.method


def test_students_own_numbers():
    values = np.array([3.1, 2.7, 4.4, 5.0, 3.3, 2.9])
    law = law_of({"b": values}, "mean")
    assert isinstance(law, Skewed)
    assert float(law.moments.error[0]) == pytest.approx(stats.sem(values))
    # The hull holds Student's interval on at most n - 1 degrees of freedom.
    low, high = stats.t.interval(0.95, 5, values.mean(), stats.sem(values))
    made = law.interval(0.95)
    assert made.low <= low + 1e-12
    assert made.high >= high - 1e-12


def test_groups_against_the_formula():
    """ψ_g = Σ(x - mean)/N, CR2 by 1/(1 - share), on the effective number of groups less one."""
    values, group = np.array([1.0, 0, 1, 1, 0, 1, 0, 0, 1, 1]), np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 3])
    law = law_of({"b": values, "group": group}, "mean")
    sizes = np.bincount(group)
    psi = np.bincount(group, (values - values.mean()) / 10)
    share = sizes / 10
    assert law.error == pytest.approx(math.sqrt((psi**2 / (1 - share)).sum()))
    assert law.df == pytest.approx(1 / (share**2).sum() - 1)


@pytest.mark.parametrize("name", ["auc", "average-precision"])
def test_a_perfect_ranking_of_few_proves_little(name):
    law = law_of({"truth": [0, 0, 0, 1, 1, 1], "b": [0.1, 0.2, 0.3, 0.7, 0.8, 0.9]}, name)
    assert isinstance(law, Student)
    made = law.interval(0.9)
    assert made.high == 1
    assert made.low < 0.7
    assert law.p_at(0.9, "greater") > 0.05
    tail = law.p_at(made.low, "greater")
    assert tail == pytest.approx(0.05, rel=1e-6)


@pytest.mark.parametrize(
    ("columns", "name"),
    [({"b": [3.5, 3.5, 3.5]}, "mean"), ({"b": [3.5]}, "mean"), ({"truth": [1, 0], "b": [0.9, 0.1]}, "auc")],
)
def test_what_cannot_be_known_is_none(columns, name):
    law = law_of(columns, name)
    assert law.interval(0.95) is None
    assert law.p_at(0.5, "greater") is None


def test_groups_that_all_do_the_same():
    columns = {"truth": [1, 0] * 6, "b": [1, 0] * 6, "group": np.repeat(range(6), 2)}
    made = law_of(columns, "accuracy").interval(0.95)
    assert (made.low, made.high) == (pytest.approx(1 - Z**2 / (6 + Z**2)), 1)


def test_coverage_of_f1():
    """Every table of 12 examples at one population: the interval holds the true F1 about as often as it says."""
    shares, n, level = np.array([0.3, 0.12, 0.08, 0.5]), 12, 0.9
    true = 2 * 0.3 / (2 * 0.3 + 0.2)
    held = total = 0.0
    for cells in itertools.product(range(n + 1), repeat=3):
        if sum(cells) > n or cells == (0, 0, 0):
            continue
        table = (*cells, n - sum(cells))
        p = stats.multinomial.pmf(table, n, shares)
        if p < 3e-4:
            continue
        total += p
        law = law_of(*binary(*table)[:1], "f1", list(table))
        held += p * (min(law.p_at(true, "greater"), law.p_at(true, "less")) > (1 - level) / 2)
    assert 0.87 < held / total < 0.96


def test_every_metric_has_a_law():
    generator = np.random.default_rng(0)
    for name, one in METRICS.items():
        if one.task in ("sums", "preferences"):
            continue  # of texts, lists and judgements, whose laws are those of these here
        truth = generator.integers(0, 2, 40) if one.task != "numbers" else generator.normal(size=40)
        ranks = one.task in ("ranking", "numbers")
        guess = generator.random(40) if ranks else generator.integers(0, 2, 40)
        columns = {"b": guess} if one.task == "scores" else {"truth": truth, "b": guess}
        made = law_of(columns, name).interval(0.95)
        assert made is not None, name
        assert made.low < made.high, name
