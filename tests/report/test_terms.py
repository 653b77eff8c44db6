"""A posterior claims no p-value, no significance and no error rate, in any kind of result and any form; its prior is always told."""

from __future__ import annotations

import re

import numpy as np
import pytest

import referee

CLAIMS = re.compile(
    r"p-value|\bp\s*[=<]|significan|\d+% confidence|confidence interval of the diff|false alarm|false claim|one-sided tests|\bp adjusted|adj\. p"
)
FORMS = ("text", "markdown", "latex", "html")
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 300)


def system(accuracy):
    return np.where(RNG.random(300) < accuracy, TRUTH, 1 - TRUTH)


SYSTEMS = {"m1": system(0.7), "m2": system(0.75), "m3": system(0.9), "m4": system(0.89)}
PAIR = {"truth": TRUTH, "a": SYSTEMS["m1"], "b": SYSTEMS["m3"]}
MADE = {
    "one": lambda test: referee.compare(**PAIR, test=test),
    "margin": lambda test: referee.compare(**PAIR, test=test, margin=0.01),
    "metrics": lambda test: referee.compare(**PAIR, test=test, metric=["f1", "accuracy"]),
    "slices": lambda test: referee.compare(**PAIR, test=test, by=np.arange(300) % 3),
    "unadjusted": lambda test: referee.compare(**PAIR, test=test, by=np.arange(300) % 3, adjust="none"),
    "ranking": lambda test: referee.rank(truth=TRUTH, systems=SYSTEMS, test=test),
    "baseline": lambda test: referee.rank(truth=TRUTH, systems=SYSTEMS, test=test, baseline="m1"),
    "duel": lambda test: referee.rank(truth=TRUTH, systems=dict(list(SYSTEMS.items())[1:3]), test=test),
    "rankings": lambda test: referee.rank(truth=TRUTH, systems=SYSTEMS, test=test, by=np.arange(300) % 2),
    "none": lambda test: referee.compare(a=[1.5] * 3, b=[2.5] * 3, test=test),
}


def words(text):
    """Return what is read of a document: without markup, scripts, and the titles of works in its references."""
    text = re.sub(r"(?s)<(script|style)[^>]*>.*?</\1>|<h\d[^>]*>References.*?</ul>|<[^>]+>", " ", text)
    text = re.sub(r"(?s)@\w+\{.*?\n\}|[A-Z]\w+, [A-Z][^()]*\(\d{4}\)[^()]*\.", " ", text)
    return " ".join(re.sub(r"[~\xa0$]|&nbsp;|&#160;|\\", " ", text).split())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", MADE)
def test_a_posterior_claims_nothing_that_tests_do(name, form):
    text = words(MADE[name]("bayes").to(form))
    found = [text[max(0, one.start() - 60) : one.end() + 40] for one in CLAIMS.finditer(text)]
    assert not found


def test_tests_still_do():
    for name in MADE:
        assert CLAIMS.search(words(MADE[name](None).to("html")))


@pytest.mark.parametrize("form", FORMS)
def test_the_prior_is_always_told(form):
    assert "prior worth 4 examples" in words(MADE["one"]("bayes").to(form))
    assert "prior worth 20 examples" in words(MADE["one"]("bayes:prior=20").to(form))
    scores = referee.compare(a=np.linspace(0, 1, 40) ** 2, b=np.linspace(0, 1, 40), test="bayes")
    assert "no prior (Bayesian bootstrap of examples)" in words(scores.to(form))


def test_no_other_law_is_put_beside_it():
    """Cochran's Q and the average over tasks have p-values of one look."""
    for test in ("bayes", "anytime"):
        assert MADE["ranking"](test).overall is None
        slices = MADE["slices"](test)
        assert [one.kind for one in slices.overall] == ["pooled"]
        assert "in the average" not in str(slices)
    assert MADE["ranking"](None).overall is not None
    assert "not quite that of one comparison of all examples" in " ".join(str(MADE["slices"]("bayes")).split())


def test_a_frame_has_what_is_believed():
    r = MADE["margin"]("bayes")
    row = {name: values[0] for name, values in r._columns().items()}
    p = r.posterior
    assert row["probability_b_better"] == p.probability_b_better
    assert row["probability_within_margin"] == p.probability_within_margin
    assert (row["expected_loss_a"], row["expected_loss_b"]) == (p.expected_loss_a, p.expected_loss_b)
    assert "expected_loss_a" not in MADE["margin"](None)._columns()


def test_a_score_that_there_is_not_has_no_kind_of_p():
    r = referee.compare(truth=[1] * 9, a=list(range(9)), b=list(range(9)), metric="auc")
    assert (r.p_value, r.p_method) == (None, "none")
