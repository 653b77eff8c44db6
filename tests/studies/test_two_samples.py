"""compare(paired=False): systems that answered different examples, two samples and the same law."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import referee
from referee.data.counts import Counts
from referee.data.samples import SharedExamples, side_by_side
from referee.errors import InputError, Misfit, OptionError
from referee.metrics import METRICS
from referee.runtime.randomness import Streams
from referee.significance.rank_tally import tally_of
from referee.significance.test_choice import choose

GENERATOR = np.random.default_rng(5)
Y = tuple(GENERATOR.integers(0, 2, n) for n in (90, 60))
S = tuple(GENERATOR.random(len(y)) + gain * y for y, gain in zip(Y, (0.4, 0.7), strict=True))
P = tuple((s > 0.7).astype(int) for s in S)
G = (np.arange(90) // 6, 1000 + np.arange(60) // 4)
G12, G30 = np.arange(60) // 5, 100 + np.arange(150) // 5
CASES = {
    "accuracy": {"truth": Y, "a": P[0], "b": P[1], "metric": "accuracy"},
    "f1": {"truth": Y, "a": P[0], "b": P[1], "metric": "f1"},
    "mcc": {"truth": Y, "a": P[0], "b": P[1], "metric": "mcc"},
    "error": {"truth": Y, "a": P[0], "b": P[1], "metric": "error"},
    "strata": {"truth": Y, "a": P[0], "b": P[1], "metric": "f1", "stratum": (np.arange(90) % 3, np.arange(60) % 3)},
    "groups": {"truth": Y, "a": P[0], "b": P[1], "metric": "f1", "group": G},
    "mean": {"a": S[0], "b": S[1], "metric": "mean"},
    "mean of groups": {"a": S[0], "b": S[1], "metric": "mean", "group": G},
    "scale": {"a": P[0] + 3, "b": P[1] + 3, "metric": "mean:low=1,high=5,step=1"},
    "auc": {"truth": Y, "a": S[0], "b": S[1], "metric": "auc"},
    "auc of groups": {"truth": Y, "a": S[0], "b": S[1], "metric": "auc", "group": G},
    "average precision": {"truth": Y, "a": S[0], "b": S[1], "metric": "average-precision"},
    "rmse": {"truth": (S[0], S[1]), "a": S[0] + P[0], "b": S[1] - P[1], "metric": "rmse"},
}


def swapped(case):
    turned = {name: value[::-1] if isinstance(value, tuple) else value for name, value in case.items()}
    return {**turned, "a": case["b"], "b": case["a"]}


def unpaired(case, **options):
    return referee.compare(**case, paired=False, audit=False, **options)


def shares(a, n_a, b, n_b, **options):
    truth, guess = ([1] * n_a, [1] * n_b), ([1] * a + [0] * (n_a - a), [1] * b + [0] * (n_b - b))
    return referee.compare(truth=truth, a=guess[0], b=guess[1], metric="accuracy", paired=False, audit=False, **options)


def farrington_manning(a, n_a, b, n_b, delta):
    """Return the score statistic of b - a = delta, by Farrington and Manning's closed form (1990)."""
    # p1 - p2 = delta with p1 of B; their cubic.
    p1, p2, theta = b / n_b, a / n_a, n_a / n_b
    one, two = 1 + theta, -(1 + theta + p1 + theta * p2 + delta * (theta + 2))
    three, four = delta**2 + delta * (2 * p1 + theta + 1) + p1 + theta * p2, -p1 * delta * (1 + delta)
    v = two**3 / (3 * one) ** 3 - two * three / (6 * one**2) + four / (2 * one)
    u = np.copysign(np.sqrt(max(two**2 / (3 * one) ** 2 - three / (3 * one), 0)), v)
    w = (np.pi + np.arccos(np.clip(v / u**3, -1, 1))) / 3
    first = 2 * u * np.cos(w) - two / (3 * one)
    second = first - delta
    return (p1 - p2 - delta) / np.sqrt(first * (1 - first) / n_b + second * (1 - second) / n_a)


def test_published_intervals():
    """Newcombe 1998 (Statistics in Medicine 17, 873-890), table II, Mee's method: 56/70 - 48/80 and others."""
    for (b, n_b, a, n_a), ends in {
        (56, 70, 48, 80): (0.0533, 0.3377),
        (9, 10, 3, 10): (0.1821, 0.8370),
    }.items():
        r = shares(a, n_a, b, n_b)
        assert (r.interval.low, r.interval.high) == pytest.approx(ends, abs=6e-5)


@pytest.mark.parametrize("table", [(48, 80, 56, 70), (3, 10, 9, 10), (5, 56, 2, 29), (90, 100, 40, 50)])
def test_shares_are_farrington_and_mannings(table):
    r = shares(*table)
    a, n_a, b, n_b = table
    chi2, p, _, _ = stats.chi2_contingency([[a, n_a - a], [b, n_b - b]], correction=False)
    assert r.statistic**2 == pytest.approx(chi2, rel=1e-8)
    assert r.p_value == pytest.approx(p, rel=1e-8)
    for end, z in ((r.interval.low, 1), (r.interval.high, -1)):
        assert farrington_manning(*table, end) == pytest.approx(z * stats.norm.ppf(0.975), rel=1e-6)
    margin = 0.1
    no_worse = shares(*table, question="no-worse", margin=margin)
    assert no_worse.p_value == pytest.approx(stats.norm.sf(farrington_manning(*table, -margin)), rel=1e-6)


def test_means_are_welchs_and_never_bolder():
    r = unpaired(CASES["mean"])
    assert r.test == "skew-t"
    welch = stats.ttest_ind(S[1], S[0], equal_var=False)
    assert r.statistic == pytest.approx(welch.statistic, rel=1e-9)
    assert r.p_value >= welch.pvalue - 1e-3  # it has no more degrees of freedom, but for the kurtosis of each
    few = referee.compare(a=GENERATOR.normal(size=4), b=GENERATOR.normal(size=400), paired=False, audit=False)
    assert few.interval.high - few.interval.low > 0.5  # four examples decide


def test_areas_add_their_variances():
    r, alone = (
        unpaired(CASES["auc"]),
        [referee.score(truth=y, prediction=s, metric="auc") for y, s in zip(Y, S, strict=True)],
    )
    assert r.test == "delong:law=t"
    error = abs(r.difference / r.statistic)
    assert error > max((one.interval.high - one.interval.low) / 4.2 for one in alone)
    assert r.difference == pytest.approx(alone[1].score - alone[0].score)


@pytest.mark.parametrize("name", CASES)
def test_exchanging_the_systems(name):
    r, q = unpaired(CASES[name]), unpaired(swapped(CASES[name]))
    assert r.difference == -q.difference
    assert (r.interval.low, r.interval.high) == pytest.approx((-q.interval.high, -q.interval.low), abs=1e-12)
    assert r.p_value == pytest.approx(q.p_value, rel=1e-12)
    one, other = unpaired(CASES[name], alternative="greater"), unpaired(swapped(CASES[name]), alternative="less")
    assert one.p_value == pytest.approx(other.p_value, rel=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_one_law(name):
    for alpha in (0.01, 0.05, 0.3, 0.7):
        r = unpaired(CASES[name], alpha=alpha)
        assert (r.p_value <= alpha) == (0.0 not in r.interval), alpha


@pytest.mark.parametrize("name", CASES)
def test_samples_that_say_the_same(name):
    case = CASES[name]
    same = {key: (value[0], value[0]) if isinstance(value, tuple) else value for key, value in case.items()}
    same |= {"b": case["a"]} | ({"group": (G[0], G[0] + 5000)} if "group" in case else {})
    r = unpaired(same)
    assert (r.difference, r.verdict) == (0, "too close to call")
    assert r.p_value == pytest.approx(1, abs=1e-9)
    assert r.interval.low < 0 < r.interval.high


@pytest.mark.parametrize("name", CASES)
def test_each_score_is_that_of_its_own_sample(name):
    case, r = CASES[name], unpaired(CASES[name])
    for place, own in enumerate((r.a, r.b)):
        columns = {key: case[key][place] for key in ("truth", "group", "stratum") if key in case}
        alone = referee.score(prediction=case["ab"[place]], metric=case["metric"], **columns)
        assert own.score == pytest.approx(alone.score, rel=1e-12)
        assert own.interval == alone.interval


def test_it_is_said_loudly():
    r = unpaired(CASES["f1"])
    assert (r.paired, r.discordant, r.correlation, r.inflation) == (False, None, None, None)
    assert r.matched.to_dict() == {"both": 0, "a_only": 90, "b_only": 60, "dropped": 0}
    assert "|paired:no|" in r.signature
    assert json.loads(r.to_json())["paired"] is False
    assert any("answered different examples" in warning for warning in r.warnings)
    told = str(r)
    assert "not paired: A answered 90 examples, B 60 others" in told
    page = r.to_html()
    assert "the same examples, so overlapping" not in page
    assert "different examples" in page
    assert "on the same" not in r.to_latex()


@pytest.mark.parametrize("test", ["mcnemar", "randomization", "paired-t", "wilcoxon", "sign", "disagreement"])
def test_what_needs_pairs_is_refused(test):
    with pytest.raises(Misfit, match=r"needs both systems' answers to the same examples.*the tests that fit: "):
        unpaired(CASES["accuracy"], test=test)


def test_tables_arrays_and_counts_agree(tmp_path):
    frames = [pd.DataFrame({"label": y, "answer": p, "item": np.arange(len(y)) + shift})
              for y, p, shift in zip(Y, P, (0, 500), strict=True)]  # fmt: skip
    paths = [tmp_path / "old.csv", tmp_path / "new.csv"]
    for frame, path in zip(frames, paths, strict=True):
        frame.to_csv(path, index=False)
    long = pd.concat([frame.assign(system=name) for frame, name in zip(frames, ("old", "new"), strict=True)])
    long.to_csv(tmp_path / "long.csv", index=False)
    first = unpaired(CASES["f1"])
    named = {"truth": "label", "metric": "f1", "audit": False}
    read = referee.read(*paths, truth="label", prediction="answer", id="item", paired=False)
    counts = read.count()
    counts.save(tmp_path / "both.json")
    of_long = referee.read(
        tmp_path / "long.csv", system="system", a="old", b="new", truth="label", prediction="answer", paired=False
    )
    alone = [
        Counts.of({"truth": y, "a": p, "b": p}, names={"a": n, "b": n}) for y, p, n in zip(Y, P, "xy", strict=True)
    ]
    for other in (
        referee.compare(tuple(frames), a="answer", b="answer", paired=False, id="item", **named),
        referee.compare(tuple(paths), a="answer", paired=False, **named),
        referee.compare(read, metric="f1", audit=False),
        referee.compare(of_long, metric="f1", audit=False),
        referee.compare(counts, metric="f1", audit=False),
        referee.compare(tmp_path / "both.json", metric="f1", audit=False),
        referee.compare(alone, metric="f1", paired=False, audit=False),
    ):
        assert (other.difference, other.p_value, other.n, other.paired) == (first.difference, first.p_value, 150, False)
    assert (read.first.a, referee.compare(read, metric="f1", audit=False).a.name) == ("answer", "old")
    assert Counts.load(tmp_path / "both.json") == counts
    assert counts.swap().swap() == counts
    assert referee.score(counts, prediction="new", metric="f1").n == 60


def test_slices():
    r = unpaired({**CASES["accuracy"], "by": (np.arange(90) % 2, np.arange(60) % 2)})
    assert [one.n for one in r] == [75, 75]
    assert r.adjust == "bonferroni"
    assert [one.p_adjusted for one in r] == pytest.approx([min(1, 2 * one.p_value) for one in r])
    assert r[0].matched.to_dict() == {"both": 0, "a_only": 45, "b_only": 30, "dropped": 0}


def test_ids_in_both_suggest_pairs(tmp_path):
    ids = np.arange(90), np.arange(60) + 85
    with pytest.raises(SharedExamples, match=r"5 ids are in both samples, such as '85'.*leave out paired=False"):
        unpaired({**CASES["accuracy"], "id": ids})
    for name, y, p, own in zip(("a.csv", "b.csv"), Y, P, ids, strict=True):
        pd.DataFrame({"id": own, "label": y, "answer": p}).to_csv(tmp_path / name, index=False)
    read = referee.read(
        tmp_path / "a.csv", tmp_path / "b.csv", truth="label", prediction="answer", id="id", paired=False
    )
    with pytest.raises(SharedExamples):
        # Most of the rows that meet have another truth; where none does, they are pairs.
        pd.DataFrame({"id": ids[0], "label": Y[0], "answer": P[0]}).to_csv(tmp_path / "b.csv", index=False)
        read.count()


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"truth": Y[0]}, OptionError, "truth must be a pair of arrays"),
        ({"group": G[0]}, OptionError, "group must be a pair of arrays"),
        ({"group": (G[0], G[0][:60])}, InputError, "groups are in both samples"),
        ({"a": []}, InputError, "length|no examples"),
        ({"truth": ([], Y[1]), "a": []}, InputError, "no examples"),
        ({"b": None}, InputError, "prediction="),
        ({"truth": (["x"] * 90, Y[1]), "a": ["x"] * 90}, InputError, "not the same labels"),
        ({"id": (np.zeros(90), np.arange(60) + 9)}, InputError, "1 id occurs"),
        ({"data": pd.DataFrame({"x": [1]})}, OptionError, "two samples are two tables"),
        ({"unmatched": "drop"}, OptionError, "unmatched has no meaning for two samples"),
    ],
)
def test_bad_samples(change, error, words):
    with pytest.raises(error, match=words):
        unpaired({**CASES["accuracy"], **change})


def test_paired_data_are_not_called_unpaired():
    counts = referee.count(truth=Y[0], a=P[0], b=1 - P[0])
    with pytest.raises(OptionError, match="these data are paired"):
        referee.compare(counts, paired=False)


def test_two_samples_are_no_ranking():
    both = side_by_side(*(Counts.of({"truth": y, "a": p, "b": p}) for y, p in zip(Y, P, strict=True)))
    with pytest.raises(InputError, match="a ranking needs all systems"):
        referee.rank(both)


def test_a_class_that_one_sample_lacks():
    r = referee.compare(truth=([0, 0, 0], [1, 0, 1]), a=[0, 1, 0], b=[1, 0, 0], metric="recall", paired=False)
    assert (r.difference, r.p_value, r.verdict) == (None, None, "too close to call")


def test_false_alarms():
    """Under a tie two samples of unequal size are called different about as often as alpha says."""
    for metric in ("accuracy", "f1"):
        measured = referee.compare(**{**CASES[metric], "metric": metric}, paired=False, audit=True).audit
        assert measured["false_alarm"] < 0.08
        assert 0.92 < measured["coverage"] < 0.98
    generator, sets, streams = np.random.default_rng(8), 400, Streams.of(0)
    alarms = {"mean": 0, "groups": 0}
    for _ in range(sets):
        few, many = generator.normal(size=8), 0.3 * generator.normal(size=80)
        shifts = [np.repeat(generator.normal(size=n), 5) for n in (12, 30)]
        noisy = [shift + generator.normal(size=len(shift)) for shift in shifts]
        samples = {
            "mean": [{"b": few}, {"b": many}],
            "groups": [{"b": noisy[0], "group": G12}, {"b": noisy[1], "group": G30}],
        }
        for name, (first, second) in samples.items():
            both = side_by_side(*(Counts.of({**one, "a": one["b"]}) for one in (first, second)))
            tally = tally_of(both, METRICS["mean"])
            test, _ = choose(tally)
            alarms[name] += test.evaluate(tally, tally.multiplicities[None, :], "two-sided", streams).p[0] <= 0.05
    assert {name: times / sets for name, times in alarms.items() if times / sets > 0.085} == {}
