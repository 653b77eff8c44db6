"""Systems over datasets in words and as a diagram: who ranks best, who can't be ruled out, who is worse."""

from __future__ import annotations

import numpy as np
import pytest
from made_results import NASTY

import referee
from referee.report import charts
from referee.report.charts import critical_difference
from referee.report.documents import document_of
from referee.report.methods import paragraph as methods
from referee.report.phrases import dataset_ranking as words

DEMSAR = {
    "C4.5": [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.940, 0.619, 0.972, 0.957],
    "C4.5+m": [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981, 0.978],
    "C4.5+cf": [0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1.0, 0.965, 0.614, 0.9752, 0.946],
    "C4.5+m+cf": [0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1.0, 0.962, 0.669, 0.975, 0.970],
}


def ladder(k=3, n=12):
    """Systems that differ on every dataset in the same way, by other amounts."""
    return {f"m{i}": [0.5 + 0.1 * i / k + 0.001 * j * (i + 1) for j in range(n)] for i in range(k)}


def said(r):
    return " ".join(" ".join(words.sentences(r)).replace("\u00a0", " ").split())


def test_the_best_is_named_and_the_others_are_sorted():
    told = said(referee.rank_datasets(DEMSAR))
    assert told.startswith('"C4.5+m+cf" ranks best over 14 datasets (average rank 1.96).')
    assert '"C4.5+m" and "C4.5+cf" can\'t be ruled out as its equal; ' in told
    assert '"C4.5" can\'t be ruled out as its equal, but is significantly worse than another.' in told
    assert "The ranks differ more than chance explains (Iman and Davenport's form of the Friedman test, p = 0.0" in told


def test_a_clear_winner():
    told = said(referee.rank_datasets(ladder()))
    assert told.startswith(
        '"m2" is best over 12 datasets: average rank 1.00, and significantly better than every other.'
    )


def test_nobody_stands_out():
    told = said(referee.rank_datasets(DEMSAR, test="nemenyi"))
    assert told.startswith("None of the four systems is significantly better than another over 14 datasets;")


def test_worse_ones_are_told_with_the_adjustment():
    scores = ladder(4)
    scores["m3"] = [x + (0.002 if j % 2 else -0.002) for j, x in enumerate(scores["m2"])]
    told = said(referee.rank_datasets(scores))
    assert "can't be ruled out as its equal; " in told
    assert "are significantly worse after adjusting for 6 comparisons (Holm)." in told


def test_two_systems():
    pair = referee.rank_datasets({name: DEMSAR[name] for name in ("C4.5", "C4.5+m")}, metric="auc")
    told = said(pair)
    assert told.startswith(
        '"C4.5+m" is better than "C4.5" over 14 datasets: better on 10, worse on 2, equal on 2 (p = 0.0073).'
    )
    assert "Mean AUC: C4.5+m 82.0%, C4.5 80.5%." in told
    close = said(referee.rank_datasets({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.1, 0.4]}))
    assert close.startswith('Too close to call over 3 datasets: "b" is better on 2, "a" on 1 (p = ')


def test_against_a_baseline():
    r = referee.rank_datasets(DEMSAR, test="nemenyi", baseline="C4.5")
    told = said(r)
    assert told.startswith(
        'Compared with "C4.5" over 14 datasets: "C4.5+m+cf" is significantly better; "C4.5+m" and "C4.5+cf" can\'t'
    )
    assert "Bonferroni-Dunn" in str(r)
    assert document_of(r).verdict.badge == "1 of 3 better"


def test_probabilities_take_the_place_of_p_values():
    r = referee.rank_datasets(DEMSAR, test="bayes", metric="auc")
    assert "worse with a probability of 95% or more" in said(r)
    assert "differences within ±1\u00a0point don't matter" in r.to_text()
    two = said(referee.rank_datasets({name: DEMSAR[name] for name in ("C4.5", "C4.5+m")}, test="bayes", rope=0.1))
    assert two.startswith('"C4.5" and "C4.5+m" are practically equal over 14 datasets (probability 100%).')


@pytest.mark.parametrize("test", ["wilcoxon-holm", "nemenyi", "bayes"])
@pytest.mark.parametrize("baseline", [None, "C4.5"])
def test_every_form_can_be_made(test, baseline):
    r = referee.rank_datasets(DEMSAR, test=test, baseline=baseline)
    for text in (r.to_text(verbose=True), r.to_markdown(), r.to_latex(), r.to_junit(), r.to_html(), r._repr_html_()):
        assert "C4.5" in text
        assert "nan" not in text.lower().replace("nanum", "")
    paragraph, works = methods.paragraph(r), methods.bibtex(r)
    assert "Friedman's test, corrected for ties (Friedman, 1937)" in paragraph
    assert "demsar2006" in works
    assert {"wilcoxon-holm": "holm1979", "nemenyi": "dunn1961" if baseline else "nemenyi1963", "bayes": "benavoli2014"}[
        test
    ] in works
    assert len(methods.assumptions(r)) >= 5


def layers(figure):
    """The marks of a drawing, each with its rows."""
    drawn = figure.chart.to_dict()
    data = drawn.get("datasets", {})
    return [(one["mark"], one["data"].get("values") or data[one["data"]["name"]]) for one in drawn["layer"]]


def bars(figure):
    return [(row["x"], row["x2"]) for mark, rows in layers(figure) if mark.get("strokeWidth") == 4 for row in rows]


def test_the_diagram_has_names_ranks_and_the_critical_difference():
    r = referee.rank_datasets(DEMSAR, test="nemenyi", alpha=0.1)
    (figure,) = charts.figures(r)
    shown = [row["text"] for _, rows in layers(figure) for row in rows if "text" in row]
    assert {"C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf", "1.96", "3.14", "critical difference 1.12"} <= set(shown)
    assert len(bars(figure)) == 2  # as in the paper's figure 1 (a)
    (first, second) = bars(figure)
    assert first[0] < 1.965 < 2.89 < first[1] < second[1]
    assert second[0] < 2.893 < 3.142 < second[1]
    assert figure.caption.startswith("Average ranks over 14 datasets; 1 is the best. Bars join systems")


def test_bars_that_overlap_do_not_touch():
    assert critical_difference._lanes([(1, 2), (1.5, 3), (2.5, 4), (3.5, 5)]) == [0, 1, 0, 1]
    assert critical_difference._lanes([]) == []


@pytest.mark.parametrize("k", [2, 3, 17, 40])
def test_diagrams_of_any_size(k):
    scores = {f"a system with a long name, number {i}": np.random.default_rng(i).random(6).tolist() for i in range(k)}
    for test in ("nemenyi", "wilcoxon-holm"):
        r = referee.rank_datasets(scores, test=test)
        (figure,) = charts.figures(r, "dark")
        assert ("not shown" in figure.caption) == (k == 40)
        assert r.plot().to_dict()


def test_junit_has_a_case_per_system_or_per_pair_with_the_baseline():
    every, one = referee.rank_datasets(ladder()).to_junit(), referee.rank_datasets(ladder(), baseline="m1").to_junit()
    assert 'tests="3" failures="2"' in every
    assert 'tests="2" failures="1"' in one


def test_hostile_names_stay_names():
    r = referee.rank_datasets({NASTY: [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.1], "": [0.4, 0.1, 0.2]}, metric="x<b>")
    assert "\x1b" not in str(r)
    assert "<script>" not in r.to_html()
    assert charts.figures(r)
