"""Systems over datasets, against Demšar's example and against scikit-posthocs, statsmodels, autorank and baycomp."""

from collections import defaultdict
from functools import cache

import pytest

import referee
from tests.golden.figures import DATA, near, rows

ROPE = 0.01033
CASES = ("demsar", "small", "wide", "long", "ties")


@cache
def table(case):
    scores = defaultdict(dict)
    for row in rows("dataset_scores.csv"):
        if row["case"] == case:
            scores[row["system"]][row["dataset"]] = float(row["score"])
    return dict(scores)


@cache
def ranked(case, test):
    return referee.rank_datasets(table(case), test=test, **({"rope": ROPE} if test == "bayes" else {}))


def oracle(case, source, *what):
    found = [row for row in rows("dataset_oracles.csv") if (row["case"], row["source"]) == (case, source)]
    return [(row["what"], row["a"], row["b"], float(row["value"])) for row in found if not what or row["what"] in what]


def test_demsars_example():
    r = referee.rank_datasets(DATA / "demsar2006.csv", test="nemenyi")
    ranks = {one.name: round(one.average_rank, 3) for one in r.systems}
    assert ranks == {"C4.5+m+cf": 1.964, "C4.5+m": 2.0, "C4.5+cf": 2.893, "C4.5": 3.143}
    # The paper does not correct for ties; we do, and give both.
    assert round(r.friedman["uncorrected"], 2) == 9.28
    assert r.friedman["statistic"] > r.friedman["uncorrected"]
    assert round(r.critical_difference, 2) == 1.25
    assert r.together == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)  # not powerful enough to detect any difference
    f = 13 * r.friedman["uncorrected"] / (14 * 3 - r.friedman["uncorrected"])
    assert round(f, 2) == 3.69


def test_demsars_two_groups_at_10_percent():
    r = referee.rank_datasets(DATA / "demsar2006.csv", test="nemenyi", alpha=0.10)
    assert round(r.critical_difference, 2) == 1.12
    assert r.together == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))


def test_demsars_control():
    r = referee.rank_datasets(DATA / "demsar2006.csv", test="nemenyi", baseline="C4.5")
    assert r.critical_difference == pytest.approx(2.394 * 0.488, abs=2e-3)  # as the paper's tables have it
    assert {pair.b: pair.verdict for pair in r.pairs} == {
        "C4.5+m+cf": "b better",
        "C4.5+m": "too close to call",
        "C4.5+cf": "too close to call",
    }
    assert [round(pair.p_value, 3) for pair in r.pairs] == [0.016, 0.019, 0.608]  # the paper: .016, .019, .607
    assert [pair.statistic for pair in r.pairs] == pytest.approx([2.416, 2.342, 0.512], abs=2e-3)


@pytest.mark.parametrize("case", CASES)
def test_nemenyi_is_that_of_scikit_posthocs(case):
    r, found = ranked(case, "nemenyi"), oracle(case, "scikit-posthocs", "nemenyi")
    assert len(found) == len(r.pairs) >= 3
    for _, a, b, p in found:
        assert r.pair(a, b).p_adjusted == pytest.approx(p, abs=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_ranks_and_critical_differences_are_those_of_autorank(case):
    r = ranked(case, "nemenyi")
    for what, a, _, value in oracle(case, "autorank"):
        if what == "rank":
            assert r[a].average_rank == near(value)
        elif what == "critical difference":
            assert r.critical_difference == near(value, rel=2e-5)  # its q is an approximation
        else:
            assert r.friedman["p_value"] == near(value, rel=1e-8)


@pytest.mark.parametrize("case", ["small", "wide", "long"])
def test_wilcoxon_and_holm_are_those_of_scipy_and_statsmodels(case):
    r = ranked(case, "wilcoxon-holm")  # nothing ties here: of ties SciPy has no exact p-value
    found = [*oracle(case, "scipy"), *oracle(case, "statsmodels")]
    assert len(found) == 2 * len(r.pairs)
    for what, a, b, p in found:
        assert getattr(r.pair(a, b), "p_value" if what == "wilcoxon" else "p_adjusted") == near(p)


@pytest.mark.parametrize("case", CASES)
def test_bayesian_signed_ranks_are_those_of_baycomp(case):
    r, found = ranked(case, "bayes"), oracle(case, "baycomp")
    assert len(found) == 3 * len(r.pairs)
    for what, a, b, chance in found:
        pair = r.pair(a, b)
        side = what if pair.a == a else {"a": "b", "b": "a"}.get(what, what)
        assert pair.probabilities[side] == pytest.approx(chance, abs=0.012)  # both are drawn: 4 standard errors
