"""Plans: the size that is found has the power that was asked for, and what cannot be planned is refused."""

import json

import numpy as np
import pytest

import referee
from referee.data.counts import Counts, from_events
from referee.errors import InputError, Misfit, NameUnknown, OptionError
from referee.significance.rank_tally import tally_of
from referee.studies.auditing.population import Population
from referee.studies.planning.assumed_world import independent, near_pilot, of_answers
from tests.conformance.cases import counts, metric_names

PILOT = from_events([61, 24, 9, 21, 6, 4, 11, 264])


def messages(seed=3, groups=40, size=8):
    """Return a pilot in groups, each of which suits one system more."""
    draw = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), size)
    truth = (draw.random(len(group)) < 0.4).astype(int)
    bent = draw.normal(0, 0.1, groups)[group]
    a = np.where(draw.random(len(group)) < 0.75, truth, 1 - truth)
    b = np.where(draw.random(len(group)) < 0.5, a, np.where(draw.random(len(group)) < 0.85 + bent, truth, 1 - truth))
    return Counts.of({"truth": truth, "a": a, "b": b, "group": group})


def scores(seed=4, n=200):
    draw = np.random.default_rng(seed)
    a = draw.normal(size=n)
    return Counts.of({"a": a, "b": a + draw.normal(0.2, 1.0, n)})


@pytest.mark.parametrize(
    ("data", "metric"),
    [(PILOT, "accuracy"), (PILOT, "f1"), (scores(), "mean"), (messages(), "f1")],
    ids=["accuracy", "f1", "mean", "grouped f1"],
)
def test_the_size_has_the_power_in_a_simulation_of_its_own(data, metric):
    made = referee.plan(data, metric=metric)
    measured = referee.audit(
        data, metric=metric, test=made.test, sizes=[made.n], sets=3000, coverage=False, rng=77, jobs=1
    )
    assert 0.77 < measured.row()["power"] < 0.83
    assert [row["power"] for row in made.curve] == sorted(row["power"] for row in made.curve)


def test_a_bounded_mean_and_stated_scores_are_the_same_plan():
    stated = referee.plan(scores=(0.80, 0.83), agreement=0.9)
    cells = Counts.of({"a": [1, 1, 0, 0], "b": [1, 0, 1, 0]}, [765, 35, 65, 135])
    assert referee.plan(cells).n == pytest.approx(stated.n, rel=0.04)
    assert stated.agreement == pytest.approx(0.9)
    assert stated.scores == pytest.approx((0.80, 0.83))
    error = referee.plan(scores=(0.20, 0.17), agreement=0.9, metric="error")
    assert error.n == pytest.approx(stated.n, rel=0.03)
    assert error.difference == pytest.approx(-0.03)


def test_miller_2024_has_the_same_numbers():
    made = referee.plan(difference=0.03, between=1 / 9, within=1 / 6)
    assert {row["runs"]: row["n"] for row in made.repeats} == {1: 3876, 2: 2423, 5: 1551, 10: 1260, None: 969}
    assert (made.n, made.method) == (3876, "normal")
    assert referee.plan(difference=0.03, between=1 / 9, within=(1 / 6, 1 / 6), runs=10).n == 1260
    back = referee.plan(n=1260, between=1 / 9, within=1 / 6, runs=10)
    assert (back.solved, round(back.difference, 4)) == ("difference", 0.03)
    assert referee.plan(n=1260, difference=0.03, between=1 / 9, within=1 / 6, runs=10).power == pytest.approx(
        0.8, abs=1e-3
    )


def test_runs_of_a_pilot_tell_how_much_more_of_them_help():
    draw = np.random.default_rng(1)
    ease = np.repeat(draw.uniform(0.2, 0.9, 300), 4)
    gain = np.repeat(draw.normal(0.05, 0.1, 300), 4)
    table = {
        "id": np.repeat([f"q{i}" for i in range(300)], 4),
        "a": (draw.random(1200) < ease).astype(float),
        "b": (draw.random(1200) < np.clip(ease + gain, 0, 1)).astype(float),
    }
    made = referee.plan(**table, repeats="group", difference=0.05)
    assert made.runs == 4
    assert made.variances["within"] == pytest.approx(2 * np.mean(ease * (1 - ease)), rel=0.1)
    assert made.variances["between"] == pytest.approx(0.01, abs=0.02)
    needs = {row["runs"]: row["n"] for row in made.repeats}
    assert needs[4] == made.n == made.units
    ratio = (made.variances["between"] + made.variances["within"]) / (
        made.variances["between"] + made.variances["within"] / 4
    )
    assert needs[1] == pytest.approx(ratio * made.n, rel=0.01)
    assert needs[1] > needs[4] > needs[10] > needs[None]
    assert "each answered 4 times" in " ".join(str(made).split())
    assert "no number of answers gets below" in " ".join(str(made).split())
    noise = {**table, "b": (draw.random(1200) < ease).astype(float)}
    alike = referee.plan(**noise, repeats="group", difference=0.05)
    assert (alike.variances["between"] == 0) == (None not in {row["runs"] for row in alike.repeats})
    once = referee.plan(**table, repeats="group", difference=0.05, runs=1)
    assert once.n == pytest.approx(needs[1], rel=0.02)


def test_size_difference_and_power_are_three_views_of_one_thing():
    by_size = referee.plan(PILOT, metric="f1", difference=0.08)
    by_difference = referee.plan(PILOT, metric="f1", n=by_size.n)
    by_power = referee.plan(PILOT, metric="f1", n=by_size.n, difference="8pp")
    assert (by_size.solved, by_difference.solved, by_power.solved) == ("n", "difference", "power")
    assert by_difference.difference == pytest.approx(0.08, rel=0.04)
    assert by_power.power == pytest.approx(0.8, abs=0.025)
    assert by_power.power_error < 0.01


def test_margins_are_planned_with_systems_that_tie():
    no_worse = referee.plan(PILOT, metric="accuracy", question="no-worse", margin="2pp", sizes=500)
    equal = referee.plan(PILOT, metric="accuracy", question="equal", margin="2pp", sizes=500)
    assert no_worse.difference == equal.difference == 0
    assert equal.n > no_worse.n
    worse = referee.plan(PILOT, metric="error", question="no-worse", margin=0.02, difference=0.01, sizes=500)
    better = referee.plan(PILOT, metric="error", question="no-worse", margin=0.02, difference=-0.01, sizes=500)
    assert worse.n > no_worse.n > better.n
    assert "practically" not in str(equal)
    assert '"A" and "B" are equal in accuracy, within a margin of 2' in str(equal).replace("\n", " ").replace(
        "\xa0", " "
    )


def test_nothing_but_a_difference_states_what_it_assumes():
    made = referee.plan(difference="3pp")
    assert made.source == "nothing"
    assert made.n == pytest.approx((1.959964 + 0.841621) ** 2 * (1 - made.agreement - 0.0009) / 0.0009, rel=0.03)
    assert "err independently of each other: a cautious assumption" in " ".join(made.assumptions)
    at_90 = next(row["n"] for row in made.scenarios if row["agreement"] == 0.9)
    assert at_90 == pytest.approx(referee.plan(difference=0.03, agreement=0.9).n, rel=0.03)
    assert referee.plan(difference=0.03, scores=0.9).n < made.n


def test_the_worlds_have_the_difference_and_the_agreement():
    world = of_answers((0.8, 0.83), 0.9, referee.metrics.METRICS["accuracy"])
    assert world.scores == pytest.approx((0.8, 0.83))
    assert world.agreement == pytest.approx(0.9)
    assert world.spread == pytest.approx((0.1 - 0.03**2) ** 0.5)
    assert independent((0.5, 0.5)) == 0.5
    for metric in ("f1", "mcc"):
        assert near_pilot(PILOT, referee.metrics.METRICS[metric], 0.07).difference == pytest.approx(0.07, abs=1e-5)
    grouped = near_pilot(messages(), referee.metrics.METRICS["f1"], 0.07)
    assert grouped.difference == pytest.approx(0.07, abs=1e-5)
    assert grouped.size == pytest.approx(8, rel=0.05)


@pytest.mark.parametrize("metric", metric_names())
def test_every_metric_can_be_planned(metric):
    data = counts(metric, 60, seed=5)
    tally = tally_of(data, referee.metrics.resolve(metric))
    seen = Population.of(data).difference(referee.metrics.resolve(metric))
    if not seen or not np.isfinite(tally.observed()).all():
        pytest.skip("the systems tie here")
    made = referee.plan(data, metric=metric, n=60, difference=seen, sizes=60)
    assert 0 <= made.power <= 1
    assert json.loads(made.to_json())["schema"] == "referee.plan/1"
    assert made.test == referee.compare(data, metric=metric, audit=False).test
    assert str(made).startswith("With 60 judgements" if metric == "win-rate" else "With 60 examples")


@pytest.mark.parametrize(
    "test", ["mcnemar", "bootstrap:replicates=199", "randomization", "paired-t", "sign", "wilcoxon"]
)
def test_any_test_that_fits_can_be_planned(test):
    labels = np.random.default_rng(2).integers(0, 3, (3, 90))
    data = Counts.of(dict(zip(("truth", "a", "b"), labels, strict=True)))
    made = referee.plan(data, metric="accuracy", test=test, difference=0.1, n=400, sizes=400)
    assert made.power == pytest.approx(0.8, abs=0.2)


def test_strata_and_one_side():
    strata = Counts.of({**PILOT.columns, "stratum": np.arange(len(PILOT)) % 2}, PILOT.multiplicities)
    both = referee.plan(strata, metric="accuracy", n=300, difference=0.05, sizes=300)
    one = referee.plan(strata, metric="accuracy", n=300, difference=0.05, sizes=300, alternative="greater")
    assert one.power > both.power


def test_the_same_seed_gives_the_same_plan_and_another_nearly_so():
    first, again, other = (referee.plan(scores=(0.7, 0.75), agreement=0.8, rng=seed, sizes=100) for seed in (1, 1, 2))
    assert first == again
    assert other.n == pytest.approx(first.n, rel=0.05)


def test_a_plan_prints_the_assumption_and_the_pilot():
    text = str(referee.plan(PILOT, metric="f1", sizes=400))
    assert "If it is half as large" in text
    assert "A test set as large as the pilot, 400 examples" in text
    grouped = str(referee.plan(messages(), metric="f1", difference=0.1, sizes=400))
    assert "groups (" in grouped.splitlines()[0]


WRONG = {
    "no difference": ({"data": PILOT, "difference": 0}, OptionError, "a difference of 0 cannot be detected"),
    "nothing at all": ({}, OptionError, "a plan needs a difference to detect"),
    "power 1": ({"difference": 0.1, "power": 1}, OptionError, "power must lie between alpha (0.05) and 1; it is 1"),
    "power in percent": ({"difference": 0.1, "power": 80}, OptionError, "write 80% as 0.8"),
    "power below alpha": ({"difference": 0.1, "power": 0.05}, OptionError, "power must lie between alpha"),
    "one example": ({"a": [1.0], "b": [0.0]}, InputError, "a pilot of one example shows nothing"),
    "one group": ({"a": [1, 0], "b": [0, 1], "group": [1, 1]}, InputError, "a pilot of one group shows nothing"),
    "no disagreement": ({"a": [1, 0, 1], "b": [1, 0, 1]}, InputError, "agree on every example of the pilot"),
    "a tied pilot": ({"a": [1, 0, 1, 1], "b": [0, 1, 1, 1]}, InputError, "score the same on the pilot"),
    "agreement too high": ({"scores": (0.8, 0.9), "agreement": 0.95}, OptionError, "it can be from 0.7 to 0.9"),
    "agreement too low": ({"scores": (0.8, 0.9), "agreement": 0.5}, OptionError, "cannot agree on 50% of examples"),
    "agreement in percent": ({"difference": 0.1, "agreement": 90}, OptionError, "write 90% as 0.9"),
    "agreement and difference": ({"difference": 0.2, "agreement": 0.9}, OptionError, "cannot differ by 0.2"),
    "scores in percent": ({"scores": (80, 83)}, OptionError, "scores must lie between 0 and 1; it is 80"),
    "three scores": ({"scores": (0.1, 0.2, 0.3)}, OptionError, "must be two scores"),
    "scores that tie": ({"scores": (0.8, 0.8)}, OptionError, "a difference of 0 cannot be detected"),
    "scores and another difference": ({"scores": (0.8, 0.9), "difference": 0.2}, OptionError, "leave one of them out"),
    "f1 without a pilot": ({"difference": 0.1, "metric": "f1"}, Misfit, "f1 needs a pilot"),
    "a mean without a pilot": ({"difference": 0.1, "metric": "mean"}, Misfit, "the variance"),
    "two metrics": ({"data": PILOT, "metric": ["f1", "mcc"]}, OptionError, "a plan takes one metric"),
    "an unknown metric": ({"difference": 0.1, "metric": "f2"}, NameUnknown, "there is no metric 'f2'"),
    "an unknown test": ({"difference": 0.1, "test": "mcnemer"}, NameUnknown, "did you mean 'mcnemar'"),
    "a test that misfits": ({"data": PILOT, "metric": "f1", "test": "mcnemar"}, Misfit, "does not fit f1"),
    "a test of variances": ({"difference": 0.1, "between": 1, "test": "mcnemar"}, Misfit, "paired-t"),
    "a negative margin": ({"question": "equal", "margin": -0.01}, OptionError, "margin must be a number above 0"),
    "a margin without a question": ({"difference": 0.1, "margin": 0.1}, OptionError, "question='no-worse'"),
    "a question without a margin": ({"question": "equal"}, OptionError, "margin="),
    "beyond the margin": (
        {"question": "equal", "margin": 0.01, "difference": 0.02},
        OptionError,
        "not equal within a margin",
    ),
    "worse than the margin": ({"question": "no-worse", "margin": 0.01, "difference": -0.01}, OptionError, "or more"),
    "the other side": ({"difference": -0.1, "alternative": "greater"}, OptionError, "alternative='less'"),
    "points as numbers": ({"difference": 3}, OptionError, "difference='3pp'"),
    "points of what is no share": ({"data": scores(), "difference": "3pp"}, OptionError, "not measured in percent"),
    "no number": ({"difference": "much"}, OptionError, "difference must be a number in the metric's unit"),
    "no whole n": ({"n": 10.5}, OptionError, "n must be a whole number"),
    "n of one": ({"n": 1}, OptionError, "n must be a whole number, 2 or more"),
    "n too small": ({"n": 3, "agreement": 0.9}, OptionError, "3 examples are too few"),
    "runs of nothing": ({"difference": 0.1, "runs": 5}, OptionError, "runs= needs the variances"),
    "no runs": ({"difference": 0.1, "between": 1, "runs": 0}, OptionError, "runs must be a whole number, 1 or more"),
    "a negative variance": ({"difference": 0.1, "between": -1}, OptionError, "between must be a variance"),
    "no variance": ({"difference": 0.1, "between": 0}, OptionError, "are both 0"),
    "three variances": ({"difference": 0.1, "within": (1, 2, 3)}, OptionError, "within must be one variance"),
    "scores and a pilot": ({"data": PILOT, "scores": (0.8, 0.9)}, OptionError, "without a pilot, and there is one"),
    "scores and variances": ({"scores": (0.8, 0.9), "between": 1}, OptionError, "two ways to plan"),
    "sizes that are none": ({"difference": 0.1, "sizes": [0]}, OptionError, "sizes must be whole numbers"),
    "a difference out of reach": ({"scores": 0.95, "difference": 0.1}, OptionError, "leads out of the range"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_planned_is_refused(case):
    given, kind, said = WRONG[case]
    with pytest.raises(kind) as caught:
        referee.plan(given.get("data"), **{name: value for name, value in given.items() if name != "data"})
    assert said in str(caught.value)


def test_few_disagreements_are_pointed_out():
    made = referee.plan(from_events([30, 6, 1, 5, 3, 1, 2, 152]), metric="f1", n=200, difference=0.1, sizes=200)
    assert any("only 10 examples of the pilot: the plan is rough" in warning for warning in made.warnings)
