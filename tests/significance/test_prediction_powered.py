"""The statistics of a judge beside people's labels: against ppi-python, against brute force, and where nothing is to be gained."""

import re

import numpy as np
import pytest

import referee
from referee.data.counts import Counts
from referee.data.judged import labelled
from referee.errors import InputError
from referee.metrics import resolve
from referee.significance.prediction_powered import Assistance, label_weights

PLACES = np.arange(400)
N_LABELLED = 80
TRUTH = ((PLACES * 7) % 10 < 4).astype(int)
JUDGE = np.where((PLACES * 13) % 17 < 15, TRUTH, 1 - TRUTH)
A = np.where((PLACES * 11) % 9 < 7, TRUTH, 1 - TRUTH)
B = np.where((PLACES * 5) % 19 < 16, TRUTH, 1 - TRUTH)
SEEN = [int(label) if place < N_LABELLED else None for place, label in enumerate(TRUTH)]
# ppi-python 0.2.3: ppi_mean_pointestimate and ppi_mean_ci (alpha = 0.05) of (b right) - (a right), and of b right, with lam given.
# Its lam weighs the mean of the other examples, ours that of all: lam = weight * (N - n) / N.
PPI = {1.0: (0.025, -0.07901494, 0.12901494), 0.6: (0.04, -0.04853461, 0.12853461)}
PPI_TUNED, PPI_OWN = 0.04179298, (0.82, 0.75161432, 0.88838568)


def judged(**columns):
    return Counts.of({"truth": SEEN, "a": A, "b": B, "judge": JUDGE, **columns})


def assistance(metric="accuracy", counts=None):
    return Assistance.of(judged() if counts is None else counts, resolve(metric))


def at(weight, own, correction, moves, weights):
    """Return the corrected value and its standard error at a weight."""
    return own + weight * correction, float(np.sqrt(weights @ (moves[0] + weight * moves[1]) ** 2))


@pytest.mark.parametrize("lam", PPI)
def test_differences_and_errors_are_those_of_ppi_python(lam):
    made, weight = assistance(), lam * 400 / 320
    spread = made._spreads([np.diff(seen, axis=0)[0] for seen in made._both])
    found, error = at(weight, made.alone, np.diff(made.corrections)[0], (spread.moves, spread.help), spread.weights)
    estimate, low, high = PPI[lam]
    assert found == pytest.approx(estimate, abs=1e-12)
    assert error == pytest.approx((high - low) / 2 / 1.959963985, abs=1e-8)


def test_scores_are_those_of_ppi_python():
    made, weight = assistance(), 0.6 * 400 / 320
    spread = made._spreads([seen[1] for seen in made._both])
    found, error = at(weight, made.people.scores[1], made.corrections[1], (spread.moves, spread.help), spread.weights)
    assert found == pytest.approx(PPI_OWN[0], abs=1e-12)
    assert error == pytest.approx((PPI_OWN[2] - PPI_OWN[1]) / 2 / 1.959963985, abs=1e-8)


def test_the_weight_minimises_the_variance_but_for_the_prior():
    made = assistance()
    spread = made._spreads([np.diff(seen, axis=0)[0] for seen in made._both])
    best = made.weight * (1 + 2 / spread.many)

    def variance(weight):
        return spread.weights @ (spread.moves + weight * spread.help) ** 2

    assert variance(best) <= min(variance(best - 1e-4), variance(best + 1e-4))
    # A little less is taken of the judge's correction than ppi-python takes.
    assert abs(made.alone + made.weight * np.diff(made.corrections)[0] - PPI_TUNED) < 0.005


@pytest.mark.parametrize("metric", ["accuracy", "f1", "precision", "f1:average=macro", "mcc"])
def test_moves_are_derivatives(metric):
    counts, step = judged(), 1e-5
    made, metric = assistance(metric, counts), resolve(metric)
    inside = labelled(counts)

    def corrected(weights):
        """Return the corrected difference under other weights of the rows, by the metric alone."""

        def difference(truth, rows):
            scores = []
            for side in "ab":
                bound = metric.bind(Counts.of({"truth": TRUTH, "a": A, "b": B}))
                own = bound.statistics(truth[rows], counts[side][rows])
                scores.append(bound.formula.score((weights[rows] @ own)[None, None, :])[0, 0])
            return scores[1] - scores[0]

        people = np.array([0 if label is None else label for label in counts["truth"].tolist()])
        everywhere = np.ones(len(counts), bool)
        return difference(people, inside) + made.weight * (
            difference(counts["judge"], everywhere) - difference(counts["judge"], inside)
        )

    weights = counts.multiplicities.astype(float)
    own, help_ = (np.diff(seen, axis=0)[0] for seen in made._both)
    for place in range(len(counts)):
        more, less = weights.copy(), weights.copy()
        more[place] += step
        less[place] -= step
        slope = (corrected(more) - corrected(less)) / (2 * step)
        assert own[place] + made.weight * help_[place] == pytest.approx(slope, abs=1e-7)


def test_a_judge_who_knows_nothing_changes_next_to_nothing():
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 2, 400)
    people = referee.compare(truth=TRUTH[:N_LABELLED], a=A[:N_LABELLED], b=B[:N_LABELLED])
    r = referee.compare(truth=SEEN, a=A, b=B, judge=noise)
    assert r.judge.human.difference == pytest.approx(people.difference, abs=1e-12)
    assert r.judge.human.interval == people.interval
    assert 0.9 < r.judge.width <= 1
    assert abs(r.difference - people.difference) < 0.02


@pytest.mark.parametrize(("metric", "why"), [("f1", "say nothing"), ("recall", "0/0")])
def test_a_constant_judge_gives_the_answer_of_the_human_labels(metric, why):
    people = referee.compare(truth=TRUTH[:N_LABELLED], a=A[:N_LABELLED], b=B[:N_LABELLED], metric=metric)
    r = referee.compare(truth=SEEN, a=A, b=B, judge=np.zeros(400, int), metric=metric)
    assert (r.judge.weight, r.judge.width) == (0, 1)
    assert r.difference == people.difference
    assert r.p_value == pytest.approx(people.p_value, rel=1e-9)
    assert (r.interval.low, r.interval.high) == pytest.approx((people.interval.low, people.interval.high), abs=1e-9)
    assert (r.judge.bias is None) == (metric == "recall")
    assert any(re.search(why, warning) for warning in r.warnings)
    assert any("never says 1" in warning for warning in r.warnings)


@pytest.mark.parametrize("metric", ["accuracy", "f1", "f1:average=macro"])
@pytest.mark.parametrize(
    "columns", [{}, {"group": PLACES % 25}, {"stratum": (PLACES >= 60).astype(int) + (PLACES >= 200)}]
)
def test_one_law(metric, columns):
    """The two-sided p is at most alpha exactly when the interval leaves out 0; and swapping the systems flips all signs."""
    counts = Counts.of(
        {"truth": [t if i % 5 < 2 else None for i, t in enumerate(TRUTH.tolist())], "a": A, "b": B, "judge": JUDGE}
        | columns
    )
    first = referee.compare(counts, metric=metric)
    for alpha in (first.p_value * 0.999, first.p_value * 1.001):
        if alpha < 0.5:
            r = referee.compare(counts, metric=metric, alpha=alpha)
            assert (r.p_value <= alpha) == (0 not in r.interval)
    turned = referee.compare(counts.swap(), metric=metric)
    assert turned.difference == -first.difference
    assert turned.p_value == first.p_value
    assert turned.interval == first.interval.flipped()
    assert (turned.a.score, turned.b.score) == (first.b.score, first.a.score)
    assert first.b.score - first.a.score == pytest.approx(first.difference, abs=1e-12)


def test_identical_systems_tie():
    r = referee.compare(truth=SEEN, a=A, b=A.copy(), judge=JUDGE)
    assert (r.difference, r.p_value, r.verdict) == (0, 1, "too close to call")
    assert r.judge.weight > 0  # it still serves their scores


def test_one_sided_questions_and_margins_ask_the_same_law():
    counts = judged()
    up, down = (referee.compare(counts, alternative=side) for side in ("greater", "less"))
    assert up.p_value + down.p_value == pytest.approx(1, abs=1e-9)
    two = referee.compare(counts)
    assert two.p_value == pytest.approx(2 * min(up.p_value, down.p_value), rel=1e-9)
    passed = referee.compare(counts, question="no-worse", margin=0.2)
    assert passed.verdict == "no worse"
    assert passed.p_value < 0.05 < referee.compare(counts, question="no-worse", margin=0.01).p_value
    turned = referee.compare(counts.swap(), question="equal", margin=0.1)
    assert turned.p_value == pytest.approx(referee.compare(counts, question="equal", margin=0.1).p_value, rel=1e-9)


def test_strata_that_people_saw_in_different_parts_are_weighted():
    stratum = (PLACES >= 100).astype(int)
    looked = np.where(stratum == 0, PLACES % 2 == 0, PLACES % 10 == 0)
    counts = Counts.of(
        {
            "truth": [t if seen else None for t, seen in zip(TRUTH.tolist(), looked, strict=True)],
            "a": A,
            "b": B,
            "judge": JUDGE,
            "stratum": stratum,
        }
    )
    r = referee.compare(counts)
    right = (TRUTH == B).astype(float) - (TRUTH == A)
    expected = 0.25 * right[looked & (stratum == 0)].mean() + 0.75 * right[looked & (stratum == 1)].mean()
    assert r.judge.human.difference == pytest.approx(expected, abs=1e-12)
    assert label_weights(counts) @ counts.multiplicities[labelled(counts)] == pytest.approx(80)


def test_a_stratum_without_labels_is_an_error():
    with pytest.raises(InputError, match="stratum 'b' has no human label"):
        referee.compare(judged(stratum=["a" if i < 200 else "b" for i in PLACES]))


def test_scores_of_outputs():
    rng = np.random.default_rng(3)
    quality = rng.normal(size=600)
    people = [np.clip(np.round(3 + up + quality + 0.5 * rng.normal(size=600)), 1, 5) for up in (0, 0.2)]
    judges = [own + 0.4 * rng.normal(size=600) + up for own, up in zip(people, (0, 0.3), strict=True)]
    a, b = (np.where(np.arange(600) < 100, own, np.nan) for own in people)
    r = referee.compare(a=a, b=b, judge_a=judges[0], judge_b=judges[1])
    change = judges[1] - judges[0]
    assert r.judge.human.difference == pytest.approx((people[1] - people[0])[:100].mean(), abs=1e-12)
    gain = change.mean() - change[:100].mean()
    assert r.difference == pytest.approx(r.judge.human.difference + r.judge.weight * gain, abs=1e-12)
    assert r.judge.width < 0.8
    assert r.judge.bias.difference == pytest.approx((change - (people[1] - people[0]))[:100].mean(), abs=1e-12)
    assert 0 not in r.judge.bias.interval
    assert r.judge.correlation > 0.8
    scaled = referee.compare(
        a=a, b=b, judge_a=judges[0], judge_b=judges[1], metric="mean:low=1,high=5,step=1"
    )  # the judge need not keep to the scale
    assert scaled.difference == pytest.approx(r.difference, abs=1e-9)
