"""The Bayesian test: its prior, its posterior against closed forms and brute force, and what a result says of it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import integrate
from scipy.stats import beta, binom, ks_2samp, kstest

import referee
from referee.data.counts import Counts, from_events
from referee.errors import Misfit, OptionError
from referee.metrics import resolve
from referee.results.comparison import Comparison
from referee.runtime.randomness import Streams
from referee.significance.base import interval_at
from referee.significance.bayes import Bayes
from referee.significance.f1_posterior import F1Posterior
from referee.significance.laws.dirichlet import Support, Weights, posterior
from referee.significance.rank_tally import tally_of

EVENTS = [61, 14, 9, 21, 6, 11, 5, 873]


def drawn(counts, metric, prior=4.0, draws=9999, seed=0):
    return posterior(tally_of(counts, resolve(metric)), prior, draws, Streams.of(seed))


def three_classes(n=60, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    a, b = (np.where(rng.random(n) < 0.7, truth, rng.integers(0, 3, n)) for _ in range(2))
    return Counts.of({"truth": truth, "a": a, "b": b})


def test_of_two_classes_the_prior_is_that_of_jeffreys():
    support = Support.of(tally_of(from_events([3, 0, 1, 0, 0, 2, 0, 9]), resolve("f1")), 4.0)
    assert support.kind == "outcomes"
    assert support.prior.tolist() == [0.5] * 8
    assert sorted(support.counts(support.tally.multiplicities[None, :4] * 0 + 1)[0].tolist()) == [0] * 4 + [1] * 4


@pytest.mark.parametrize("counts", [from_events(EVENTS), three_classes()])
def test_the_prior_is_the_same_whatever_the_metric_and_however_many_classes(counts):
    """Both right, only A, only B and neither have a quarter each, and A's score has the same law in every disguise."""
    support = Support.of(tally_of(counts, resolve("accuracy")), 4.0)
    assert support.prior.tolist() == [1.0] * 4
    macro = Support.of(tally_of(counts, resolve("f1:average=macro")), 4.0)
    assert macro.prior.sum() == pytest.approx(4)
    right = {role: counts[role] == counts["truth"] for role in "ab"}
    scores = Counts.of({role: right[role].astype(float) for role in "ab"}, counts.multiplicities)
    assert (drawn(scores, "mean").scores == drawn(counts, "accuracy").scores).all()


def test_wrong_answers_share_what_is_theirs():
    counts = three_classes()
    tally = tally_of(counts, resolve("f1:average=macro"))
    support = Support.of(tally, 12.0)  # 4 for each class, 1 for each of the four cells
    halves = np.split(support.tally.both, 2, axis=1)
    right = [half[:, :3].sum(axis=1) for half in halves]  # the first three statistics are the hits of each class
    assert len(support.prior) == 27
    for a, b, share in ((1, 1, 1.0), (1, 0, 1 / 2), (0, 1, 1 / 2), (0, 0, 1 / 4)):
        assert support.prior[(right[0] == a) & (right[1] == b)] == pytest.approx(share)


def test_of_a_scale_all_pairs_are_equal():
    rng = np.random.default_rng(1)
    counts = Counts.of({"a": rng.integers(1, 6, 40).astype(float), "b": rng.integers(1, 6, 40).astype(float)})
    support = Support.of(tally_of(counts, resolve("mean:low=1,high=5,step=1")), 4.0)
    assert len(support.prior) == 25
    assert support.prior == pytest.approx(4 / 25)


def test_two_samples_are_two_posteriors():
    r = referee.compare(
        truth=([1] * 20 + [0] * 20, [1] * 10 + [0] * 5), a=[1] * 15 + [0] * 25, b=[1] * 10 + [0] * 5, metric="accuracy",
        test="bayes", paired=False, audit=False,
    )  # fmt: skip
    assert r.posterior.kind == "outcomes"
    # Half of the prior each, half of that for right and for wrong: Beta(35 + 1, 5 + 1) against Beta(15 + 1, 1).
    a, b = beta(36, 6), beta(16, 1)
    wins = integrate.quad(lambda x: b.pdf(x) * a.cdf(x), 0, 1)[0]
    assert r.posterior.probability_b_better == pytest.approx(wins, abs=0.012)


def test_scores_have_the_marginals_of_the_dirichlet():
    both, only_a, only_b, neither = 12, 5, 9, 4
    counts = from_events([both, only_b, only_a, neither, 0, 0, 0, 0])
    scores = drawn(counts, "accuracy", prior=2.0).scores
    assert kstest(scores[:, 0], beta(both + only_a + 1, only_b + neither + 1).cdf).pvalue > 0.01
    assert kstest(scores[:, 1], beta(both + only_b + 1, only_a + neither + 1).cdf).pvalue > 0.01


def test_many_unseen_outcomes_are_drawn_together_as_one_by_one():
    rng, alone, size = np.random.default_rng(4), 3, 400
    counts = np.concatenate([[50, 20, 5], np.zeros(size, int)])
    prior = np.concatenate([[0.5, 0.5, 0.5], np.full(size, 0.002)])
    everyone = [np.arange(len(counts))]
    weights = Weights(counts, prior, everyone, Streams.of(1))
    (crowd,) = weights.crowds
    assert (len(crowd.places), len(weights.there)) == (size, alone)
    assert 2 * crowd.pieces < size
    made = weights.take(6000)
    other = rng.standard_gamma(counts + prior, (6000, len(counts)))
    other *= counts.sum() / other.sum(axis=1, keepdims=True)
    assert made.sum(axis=1) == pytest.approx(counts.sum())
    for of in (
        lambda w: w[:, alone:].max(axis=1),
        lambda w: np.sort(w[:, alone:], axis=1)[:, -3],
        lambda w: w[:, alone : alone + 100].sum(axis=1),
        lambda w: (w[:, alone:] ** 2).sum(axis=1),
        lambda w: w[:, 0],
    ):
        assert ks_2samp(of(made), of(other)).pvalue > 0.001
    # However few are taken at a time, the draws are the same.
    again = Weights(counts, prior, everyone, Streams.of(1))
    assert np.array_equal(made[:500], np.concatenate([again.take(1), again.take(130), again.take(369)]))


@pytest.mark.parametrize("prior", [4.0, 0.8])
def test_the_difference_agrees_with_quadrature(prior):
    only_a, only_b, rest = 3, 7, 10
    counts = from_events([6, only_b, only_a, 4, 0, 0, 0, 0])
    shape_a, shape_b, other = only_a + prior / 4, only_b + prior / 4, rest + prior / 2
    # B alone is right in a share s·u of the examples and A alone in s·(1 − u): s and u are independent.
    s, u = beta(shape_a + shape_b, other), beta(shape_b, shape_a)
    r = referee.compare(counts, metric="accuracy", test=Bayes(prior=prior), margin=0.1, audit=False)
    p = r.posterior

    def above(x):
        return integrate.quad(lambda t: s.pdf(t) * u.sf(min(max((1 + x / t) / 2, 0), 1)), 1e-9, 1, limit=200)[0]

    assert p.probability_b_better == pytest.approx(u.sf(0.5), abs=0.012)
    assert p.probability_no_worse == pytest.approx(above(-0.1), abs=0.012)
    assert p.probability_within_margin == pytest.approx(above(-0.1) - above(0.1), abs=0.015)
    gain = integrate.dblquad(lambda v, t: max(t * (2 * v - 1), 0) * s.pdf(t) * u.pdf(v), 0, 1, 0, 1, epsabs=1e-5)[0]
    assert p.expected_loss_a == pytest.approx(gain, abs=0.003)
    assert p.expected_loss_a - p.expected_loss_b == pytest.approx(s.mean() * (2 * u.mean() - 1), abs=0.004)
    assert above(r.interval.low) == pytest.approx(0.975, abs=0.006)
    assert above(r.interval.high) == pytest.approx(0.025, abs=0.006)


def test_simulation_from_the_prior_is_calibrated():
    """Of worlds drawn from the prior, and data from the worlds, the true difference is as likely at every rank."""
    rng, ranks = np.random.default_rng(8), []
    tally = tally_of(from_events([1] * 8), resolve("f1"))
    support, draws = Support.of(tally, 4.0), 199
    for number in range(400):
        world = rng.dirichlet(support.prior)
        data = rng.multinomial(rng.integers(1, 60), world)
        true = float(support.tally.differences(world * data.sum()))
        made = posterior(tally.with_multiplicities(data), 4.0, draws, Streams.of(number))
        ranks.append(float((made.differences < true).mean()))
    tenths = np.histogram(ranks, np.linspace(0, 1, 11))[0]
    assert (np.abs(tenths - 40) <= binom(400, 0.1).std() * 3.3).all(), tenths


@pytest.mark.parametrize("stratum", [False, True])
def test_the_bayesian_bootstrap_is_brute_force_with_dirichlet_weights(stratum):
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=15), rng.normal(size=15)
    columns = {"a": a, "b": b} | ({"stratum": np.arange(15) % 2} if stratum else {})
    tally = tally_of(Counts.of(columns), resolve("mean"))
    assert Support.of(tally, 4.0).kind == "examples"
    made = posterior(tally, 4.0, 9999, Streams.of(0))
    gains, parts = b - a, [np.arange(15)[np.arange(15) % 2 == s] for s in (0, 1)] if stratum else [np.arange(15)]
    plain = np.zeros(20_000)
    for part in parts:
        weights = rng.exponential(size=(20_000, len(part)))
        plain += weights @ gains[part] / weights.sum(axis=1) * len(part) / 15
    # Rubin's variance of a mean: the mean square about it, over one more than there are.
    variance = sum((len(part) / 15) ** 2 * gains[part].var() / (len(part) + 1) for part in parts)
    assert made.differences.var() == pytest.approx(variance, rel=0.06)
    assert np.quantile(made.differences, [0.025, 0.5, 0.975]) == pytest.approx(
        np.quantile(plain, [0.025, 0.5, 0.975]), abs=0.04
    )


def test_groups_have_one_weight_each():
    rng = np.random.default_rng(5)
    group, truth = rng.integers(0, 6, 50), rng.integers(0, 2, 50)
    a, b = (np.where(rng.random(50) < 0.7, truth, 1 - truth) for _ in range(2))
    counts = Counts.of({"truth": truth, "a": a, "b": b, "group": group})
    tally = tally_of(counts, resolve("f1"))
    made = posterior(tally, 4.0, 500, Streams.of(0))
    weights = Weights(tally.multiplicities, np.zeros(6), [np.arange(6)], Streams.of(0)).take(500)
    assert weights.sum(axis=1) == pytest.approx(6)
    rows = {role: np.repeat(counts[role], counts.multiplicities) for role in ("truth", "a", "b", "group")}
    # Units stand in canonical order: find the weight of each group by what it sums to.
    units = {tuple(row): place for place, row in enumerate(tally.both.tolist())}
    for draw in (0, 7, 499):
        for system, role in enumerate("ab"):
            w = np.zeros(50)
            for name in range(6):
                inside = rows["group"] == name
                sums = [
                    [((rows[r] == guess) & (rows["truth"] == true) & inside).sum() for true, guess in ((1, 1), (0, 1), (1, 0))]
                    for r in "ab"
                ]  # fmt: skip
                w[inside] = weights[draw, units[tuple(float(x) for part in sums for x in part)]]
            tp, fp, fn = (w[(rows[role] == g) & (rows["truth"] == t)].sum() for t, g in ((1, 1), (0, 1), (1, 0)))
            assert made.scores[draw, system] == pytest.approx(2 * tp / (2 * tp + fp + fn))


def test_a_ranking_metric_is_weighted():
    truth, a = np.array([1, 0, 1, 0, 0]), np.array([0.9, 0.8, 0.4, 0.3, 0.1])
    counts = Counts.of({"truth": truth, "a": a, "b": a[[1, 0, 2, 3, 4]]})
    tally = tally_of(counts, resolve("auc"))
    made = posterior(tally, 4.0, 50, Streams.of(0))
    weights = Weights(tally.multiplicities, np.zeros(5), [np.arange(5)], Streams.of(0)).take(50)
    for system in (0, 1):
        own, positive = tally.values[:, system], tally.positive
        above = (own[positive][:, None] > own[~positive]) + 0.5 * (own[positive][:, None] == own[~positive])
        for w, scores in zip(weights, made.scores, strict=True):
            pairs = np.outer(w[positive], w[~positive])
            assert scores[system] == pytest.approx((pairs * above).sum() / pairs.sum())


@pytest.mark.parametrize("alpha", [0.05, 0.0333, 0.1234, 0.5, 0.02])
@pytest.mark.parametrize("draws", [99, 999, 1234])
def test_the_interval_leaves_out_what_the_tail_rejects(alpha, draws):
    rng = np.random.default_rng(int(1e4 * alpha) + draws)
    for _ in range(8):
        tally = tally_of(from_events(rng.integers(0, 12, 8)), resolve("f1"))
        test, streams = Bayes(draws=draws), Streams.of(0)
        interval = interval_at(test, tally, 1 - alpha, streams)
        for null in (0.0, 0.1, -0.2):
            p = test.p_at(tally, null, "two-sided", streams)
            assert (p <= alpha) == (null not in interval)


def test_a_result_has_its_posterior_and_says_it_in_words():
    r = referee.compare(from_events([610, 60, 22, 60, 6, 11, 5, 873]), metric="f1", test="bayes", names=("old", "new"))
    p = r.posterior
    assert (p.kind, p.prior, p.draws) == ("outcomes", 4.0, 9999)
    assert p.probability_b_better + p.probability_a_better == pytest.approx(1)
    assert r.probability_b_better == p.probability_b_better
    assert r.verdict == "b better"
    assert p.expected_loss_b < 1e-5 < p.expected_loss_a
    assert Comparison.from_dict(json.loads(r.to_json())).posterior == p
    forms = [r.to(form) for form in ("text", "markdown", "latex", "html", "junit")]
    for text in (*forms, r._repr_html_(), repr(r)):
        assert "probability" in text
        assert "p-value" not in text
        assert "significant" not in text
        assert not [sign for sign in ("p = 0", "p\xa0=\xa00") if sign in text]
    for text in (forms[0], forms[1], forms[3]):
        assert "The expected loss is under 0.01 points" in " ".join(text.split()).replace("\xa0", " ")
    assert {figure.key for figure in referee.report.charts.figures(r)} >= {"posterior", "estimate"}


def test_lower_is_better_and_margins_are_seen_from_b():
    counts = from_events([80, 2, 22, 6, 4, 13, 5, 200])  # A is better
    r = referee.compare(counts, metric="error", test="bayes", margin=0.2, audit=False)
    s = referee.compare(counts.swap(), metric="error", test="bayes", margin=0.2, audit=False)
    assert r.posterior.probability_a_better > 0.99
    assert r.posterior.expected_loss_b > r.posterior.expected_loss_a
    assert r.posterior.probability_no_worse == s.posterior.probability_within_margin == 1
    assert (s.posterior.probability_b_better, s.posterior.expected_loss_a) == (
        r.posterior.probability_a_better,
        r.posterior.expected_loss_b,
    )


@pytest.mark.parametrize(
    ("columns", "kind"),
    [
        ({"a": [0.1, 0.4, 0.8], "b": [0.3, 0.3, 0.9]}, "examples"),
        ({"a": [1, 0], "b": [0, 1], "group": [1, 2]}, "groups"),
    ],
)
def test_without_a_prior_the_result_says_so(columns, kind):
    r = referee.compare(
        Counts.of({role: np.array(values) for role, values in columns.items()}), metric="mean", test="bayes"
    )
    assert (r.posterior.kind, r.posterior.prior) == (kind, None)
    assert "without a prior" in r.to_text(verbose=True)


@pytest.mark.parametrize(
    "columns",
    [
        {"truth": [0, 1] * 20, "a": [0, 1] * 20, "b": [1, 1] * 20, "group": [1] * 20 + [2] * 20},
        {"a": [1.5] * 3, "b": [2.5] * 3},
        {"a": [1.1, 2.3, 0.7, 5.9], "b": [2.1, 3.3, 1.7, 6.9]},
        {"truth": [0] * 5 + [1] * 5, "a": list(range(10)), "b": list(range(9, -1, -1))},
    ],
)
def test_no_verdict_from_units_that_show_no_spread(columns):
    metric = "auc" if len(columns) == 3 else None
    r = referee.compare(**columns, metric=metric, test="bayes")
    assert (r.verdict, r.gate, r.p_value, r.interval, r.posterior) == ("too close to call", 3, None, None, None)
    assert any("shows nothing of how much it varies" in one for one in r.warnings)
    counts = Counts.of(columns)
    tally = tally_of(counts, resolve(metric or r.metric))
    own = tally.multiplicities[None, :]
    assert not Bayes().decide(tally, own, [0.05, 0.5], "two-sided", Streams.of(0)).any()
    assert np.isnan(Bayes().covers(tally, own, 0.0, [0.95], Streams.of(0))).all()


def test_a_prior_of_less_than_an_example_is_a_warning():
    r = referee.compare(from_events(EVENTS), metric="f1", test="bayes:prior=0.5")
    assert any("a single example can decide" in warning for warning in r.warnings)
    assert not referee.compare(from_events(EVENTS), metric="f1", test="bayes").warnings


def test_a_prior_that_has_no_effect_is_a_warning():
    counts = Counts.of({"a": np.linspace(0, 1, 30), "b": np.linspace(0.1, 1, 30)})
    r = referee.compare(counts, metric="mean", test="bayes:prior=8")
    assert any("has no effect here" in warning for warning in r.warnings)


@pytest.mark.parametrize(
    ("spelling", "words"),
    [
        ("f1-posterior:prior=0", "prior must be at least 0.01"),
        ("bayes:prior=0", "prior must be at least 0.01"),
        ("bayes:prior=1e-9", "prior must be at least 0.01"),
        ("bayes:prior=-1", "prior must be at least 0.01"),
        ("bayes:prior=much", "prior must be a number"),
        ("bayes:prior=inf", "prior must be a finite number"),
        ("bayes:draws=98", "draws must be at least 99"),
        ("bayes:replicates=999", "no option 'replicates'"),
    ],
)
def test_bad_options_are_refused(spelling, words):
    with pytest.raises(OptionError, match=words):
        referee.compare(from_events(EVENTS), metric="f1", test=spelling)


def test_too_few_draws_for_alpha_are_a_warning():
    r = referee.compare(from_events([5, 90, 1, 1, 1, 1, 1, 1]), metric="f1", test="bayes:draws=99", alpha=0.001)
    assert r.verdict == "too close to call"
    assert any("99 draws are too few for a 99.9% credible interval" in warning for warning in r.warnings)


@pytest.mark.parametrize("metric", ["f1", "fbeta:beta=2"])
@pytest.mark.parametrize("prior", [0.5, 1.0])
def test_the_f1_posterior_is_that_of_goutte_and_gaussier(metric, prior):
    """Their F = U/(U + V), and the same from precision and recall: brute force, and numbers by quadrature."""
    counts, weight = from_events(EVENTS), 4.0 if "2" in metric else 1.0
    made = F1Posterior(prior=prior).drawn(tally_of(counts, resolve(metric)), Streams.of(0)).scores
    rng, draws = np.random.default_rng(4), 60_000
    for system, (tp, fp, fn) in enumerate([(61 + 9, 6 + 5, 14 + 21), (61 + 14, 6 + 11, 9 + 21)]):
        u = (1 + weight) * rng.gamma(tp + prior, size=draws)
        v = rng.gamma(fp + prior, size=draws) + weight * rng.gamma(fn + prior, size=draws)
        assert ks_2samp(made[:, system], u / (u + v)).pvalue > 0.01
        if weight == 1:  # 2x/(2x + y) with Beta(tp + λ, fp + fn + 2λ) for x = U/2 of the whole
            share = beta(tp + prior, fp + fn + 2 * prior)
            assert kstest(made[:, system], lambda f, share=share: share.cdf(f / (2 - f))).pvalue > 0.01
    assert abs(np.corrcoef(made.T)[0, 1]) < 0.04


def test_the_f1_posterior_forgets_that_the_test_set_is_shared():
    alike = from_events([200, 12, 4, 30, 20, 4, 2, 500])
    own, shared = (referee.compare(alike, metric="f1", test=test, audit=False) for test in ("f1-posterior", "bayes"))
    assert own.interval.high - own.interval.low > 1.5 * (shared.interval.high - shared.interval.low)
    assert any("independently of each other" in warning for warning in own.warnings)
    assert own.posterior.kind == "systems"
    assert own.detectable > 1.5 * shared.detectable
    with pytest.raises(Misfit, match="it is of f1 and fbeta, of two classes"):
        referee.compare(alike, metric="accuracy", test="f1-posterior")
