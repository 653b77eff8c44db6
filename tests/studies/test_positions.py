"""Preferences of two systems: the law of the win rate against closed forms, position bias, tables of battles, and bad input."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

import referee
from referee.errors import InputError, OptionError, RefereeError
from referee.results.comparison import Comparison
from referee.significance.intervals import wilson


def normal_tail(z):
    return math.erfc(abs(z) / math.sqrt(2))


def winners(wins, ties, losses):
    return ["b"] * wins + ["tie"] * ties + ["a"] * losses


def judge(rng, n, bias=0.0, better=0.0):
    """Return winners and who was shown first, every second time A."""
    first = np.array(["a", "b"] * (n // 2))
    to_b = better + np.where(first == "b", bias, -bias) + rng.normal(size=n)
    return np.where(to_b > 0.3, "b", np.where(to_b < -0.3, "a", "tie")), first


@pytest.mark.parametrize(("wins", "losses"), [(58, 42), (3, 1), (0, 6), (500, 500)])
def test_without_ties_it_is_the_binomial_score_test_and_wilson_s_interval(wins, losses):
    r, n = referee.compare(winner=winners(wins, 0, losses), audit=False), wins + losses
    assert (r.metric, r.test) == ("win-rate", "score")
    assert r.b.score == pytest.approx(wins / n)
    assert r.p_value == pytest.approx(normal_tail((wins - losses) / math.sqrt(n)), abs=1e-8)
    expected = wilson(wins, n, 0.95)
    assert (r.b.interval.low, r.b.interval.high) == pytest.approx((expected.low, expected.high), abs=1e-6)
    assert (r.a.interval.low, r.a.interval.high) == pytest.approx((1 - r.b.interval.high, 1 - r.b.interval.low))


@pytest.mark.parametrize(("wins", "ties", "losses"), [(50, 40, 30), (9, 100, 1), (1, 3, 2)])
def test_with_ties_it_is_the_trinomial_score_test(wins, ties, losses):
    """At a tie, shares are the ties' own and half of the rest each, so Pearson's X² is (w - l)²/(w + l)."""
    r = referee.compare(winner=winners(wins, ties, losses), audit=False)
    assert r.p_value == pytest.approx(normal_tail((wins - losses) / math.sqrt(wins + losses)), abs=1e-7)
    assert r.b.score == pytest.approx((wins + ties / 2) / (wins + ties + losses))
    assert r.preferences.to_dict() == {"wins": wins, "ties": ties, "losses": losses}


def brute_interval(counts, shares, levels=2000):
    """Return the win rates whose nearest world is not too far: found on a grid of worlds of three outcomes."""
    n, inside = sum(counts), []
    for value in np.linspace(0.3, 0.9, 601):
        # Shares p of wins, q of losses with p - q = 2·value - 1, and ties 1 - p - q.
        gap = 2 * value - 1
        q = np.linspace(max(0, -gap), (1 - gap) / 2, levels)[1:-1]
        p, tie = q + gap, 1 - 2 * q - gap
        ok = (p > 0) & (tie > 0)
        world = np.stack([p, tie, q])[:, ok]
        fit = (np.array(counts)[:, None] * np.log(world)).sum(axis=0)
        best = n * world[:, fit.argmax()]
        inside.append(((np.array(counts) - best) ** 2 / best).sum() <= 1.959964**2)
    values = np.linspace(0.3, 0.9, 601)[inside]
    return values.min(), values.max()


def test_the_interval_is_that_of_the_nearest_worlds():
    r = referee.compare(winner=winners(50, 40, 30), audit=False)
    assert (r.b.interval.low, r.b.interval.high) == pytest.approx(brute_interval((50, 40, 30), None), abs=0.0015)


def test_both_orders_count_half_and_position_is_the_same_question():
    winner = winners(30, 0, 10) + winners(20, 4, 36)
    first = ["b"] * 40 + ["a"] * 60
    r = referee.compare(winner=winner, first=first, a="old", b="new", audit=False)
    assert r.b.score == pytest.approx((30 / 40 + 22 / 60) / 2)
    place = r.position
    assert (place.a_first, place.b_first) == (60, 40)
    assert (place.rate_a_first, place.rate_b_first) == pytest.approx((22 / 60, 30 / 40))
    assert place.first_wins == pytest.approx((30 / 40 + 38 / 60) / 2)
    assert place.pooled == pytest.approx(52 / 100)
    assert place.p_value < 0.05 < r.p_value
    assert any("both orders count half" in warning for warning in r.warnings)
    # With the places as the systems it is the other way round, to the last digit.
    turned = ["b" if w == f else "tie" if w == "tie" else "a" for w, f in zip(winner, first, strict=True)]
    again = referee.compare(winner=turned, first=first, audit=False)
    assert (again.b.score, again.p_value) == pytest.approx((place.first_wins, place.p_value))


def test_within_orders_bias_is_no_noise():
    rng = np.random.default_rng(0)
    winner, first = judge(rng, 400, bias=2.0)
    pooled, balanced = (referee.compare(winner=winner, first=f, audit=False) for f in (None, first))
    assert balanced.b.score == pytest.approx(pooled.b.score)
    width = balanced.interval.high - balanced.interval.low
    assert width < 0.6 * (pooled.interval.high - pooled.interval.low)


def test_swapping_the_systems_only_turns_signs():
    winner, first = judge(np.random.default_rng(1), 80, bias=0.5, better=0.3)
    counts = referee.count(winner=winner, first=first, a="old", b="new")
    r, s = referee.compare(counts, audit=False), referee.compare(counts.swap(), audit=False)
    assert (r.difference, r.p_value) == (-s.difference, s.p_value)
    assert r.position.first_wins == pytest.approx(s.position.first_wins)
    assert (s.position.a_first, s.position.rate_a_first) == pytest.approx(
        (r.position.b_first, 1 - r.position.rate_b_first)
    )


@pytest.mark.parametrize("group", [None, True])
def test_one_law(group):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        winner, first = judge(rng, 60, bias=0.4, better=rng.normal() * 0.3)
        groups = rng.integers(0, 12, 60) if group else None
        r = referee.compare(winner=winner, first=first, group=groups, audit=False)
        assert (r.p_value <= 0.05) == (0.0 not in r.interval) == (0.5 not in r.b.interval)
        assert (r.position.p_value <= 0.05) == (0.5 not in r.position.interval)


def test_the_same_prompt_in_both_orders_is_a_group():
    table = {"prompt": [1, 1, 2, 2, 3, 3, 4, 4], "first": ["old", "new"] * 4}
    table["won"] = ["new", "new", "old", "new", "tie", "tie", "old", "old"]
    r = referee.compare(table, winner="won", a="old", b="new", first="first", id="prompt", audit=False)
    assert (r.n, r.units, r.test) == (8, 4, "cluster-t")
    assert (r.position.pairs, r.position.consistent) == (4, 3)
    with pytest.raises(InputError, match="4 ids occur in more than one row"):
        referee.compare(table, winner="won", a="old", b="new", id="prompt")


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({}, "some ids have several judgements in the same order"),
        ({"group": "topic"}, "some groups have several in the same order"),
    ],
)
def test_why_the_consistency_is_not_known_is_told(more, why):
    table = {"prompt": np.repeat(range(6), 4), "topic": np.repeat(range(3), 8), "order": ["old", "new"] * 12}
    table["won"] = ["old", "new", "new", "tie"] * 6
    r = referee.compare(table, winner="won", a="old", b="new", first="order", id="prompt", **more, audit=False)
    assert r.position.pairs is None
    assert [why in told for told in r.warnings].count(True) == 1
    table["won"] = ["old", "new"] * 12
    r = referee.compare(table, winner="won", a="old", b="new", first="order", id="prompt", audit=False)
    assert "wins 100.0%: whether that is luck can't be tested" in " ".join(r.to("text").split())
    once = {key: list(column[:2]) + list(column[4:6]) for key, column in table.items()}
    r = referee.compare(once, winner="won", a="old", b="new", first="order", id="prompt", audit=False)
    assert r.position.pairs == 2 and not any("keeps its choice" in told for told in r.warnings)


def battles():
    rng = np.random.default_rng(2)
    left = rng.choice(["old", "new"], 60)
    return {
        "model_a": left,
        "model_b": np.where(left == "old", "new", "old"),
        "winner": rng.choice(["model_a", "model_b", "tie (bothbad)"], 60),
    }


def test_battles_of_two_systems_are_preferences_with_an_order():
    table = battles()
    r = referee.compare(table, winner="winner", a="old", b="new", audit=False)
    same = referee.compare(table, winner="winner", a="model_a", b="model_b", audit=False)
    assert (same.a.name, same.b.name) == ("new", "old")
    assert (r.difference, r.p_value) == (-same.difference, same.p_value)
    won = (table["winner"] == "model_b") == (table["model_b"] == "new")
    share = np.where(table["winner"] == "tie (bothbad)", 0.5, won)
    orders = [share[table["model_a"] == name].mean() for name in ("old", "new")]
    assert r.b.score == pytest.approx(np.mean(orders))
    assert r.position is not None
    arrays = {"winner": table["winner"], "a": table["model_a"], "b": table["model_b"]}
    assert referee.compare(**arrays, audit=False).p_value == same.p_value


def test_battles_of_more_systems_ask_which():
    table = {
        "model_a": ["x", "y", "z", "x"],
        "model_b": ["y", "z", "x", "y"],
        "winner": ["model_a", "tie", "model_b", "model_b"],
    }
    with pytest.raises(OptionError, match=r"there are 3: x, y, z; name two, or rank them all with referee rank"):
        referee.compare(table, winner="winner")
    r = referee.compare(table, winner="winner", a="x", b="y", audit=False)
    assert (r.n, r.b.score) == (2, 0.5)
    assert any("2 battles of other systems were left out" in warning for warning in r.warnings)
    with pytest.raises(InputError, match="no battle has a system called 'w'"):
        referee.compare(table, winner="winner", a="x", b="w")


def test_counts_add_and_come_back():
    monday, tuesday = ({"won": w, "first": f} for w, f in (judge(np.random.default_rng(s), 60) for s in (3, 4)))
    both = {key: np.concatenate([monday[key], tuesday[key]]) for key in monday}
    columns = {"winner": "won", "first": "first", "a": "old", "b": "new"}
    added = referee.count(monday, **columns) + referee.count(tuesday, **columns)
    back = referee.Counts.from_json(added.to_json())
    whole = referee.compare(both, **columns, audit=False)
    assert referee.compare(back, audit=False).p_value == whole.p_value
    assert len(added) <= 6


@pytest.mark.parametrize("form", ["text", "markdown", "junit", "json"])
def test_every_format_tells_the_win_rate(form):
    winner, first = judge(np.random.default_rng(5), 200, bias=0.5, better=0.5)
    r = referee.compare(winner=winner, first=first, a="old", b="new", audit=False)
    told = r.to_json() if form == "json" else r.to(form)
    assert "wins" in told
    assert ("position" in told) or form == "junit"
    back = Comparison.from_dict(json.loads(r.to_json()))
    assert back.to_dict() == r.to_dict()
    assert "wins" in back.to("text")


def test_headlines_speak_of_the_win_rate():
    names = {"a": "old", "b": "new"}
    won = referee.compare(winner=winners(120, 30, 60), **names, audit=False)
    assert str(won).startswith('"new" is better than "old": it wins 64.3% (95% interval')
    lost = referee.compare(winner=winners(60, 30, 120), **names, audit=False)
    assert str(lost).startswith('"new" is worse than "old": it wins 35.7% (95% interval')
    even = referee.compare(winner=winners(51, 0, 49), **names, audit=False)
    assert str(even).startswith('Too close to call: "new" wins 51.0% (95% interval')
    within = referee.compare(winner=winners(500, 10, 500), **names, margin="10pp", audit=False)
    assert "practically equal" in str(within)
    assert "45.0%" in " ".join(str(within).split())
    worse = referee.compare(winner=winners(500, 10, 490), **names, margin="10pp", question="no-worse", audit=False)
    assert worse.verdict == "no worse"


def test_slices_strata_and_gates():
    winner, first = judge(np.random.default_rng(6), 120, better=0.8)
    slices = np.repeat(["code", "math", "prose"], 40)
    rs = referee.compare(winner=winner, first=first, by=slices, audit=False)
    assert (len(rs), rs.gate) == (3, min(r.gate for r in rs if r.gate))
    assert all(r.position is not None for r in rs)
    strata = referee.compare(winner=winner, stratum=slices, audit=False)
    assert strata.gate == 0
    assert referee.compare(winner=winners(3, 0, 3), audit=False).gate == 3


def test_one_order_alone_is_a_warning():
    r = referee.compare(winner=winners(5, 1, 3), first=["a"] * 9, a="old", b="new", audit=False)
    assert r.position is None
    assert any("old was always shown first" in warning for warning in r.warnings)


def test_ties_alone_and_one_judgement():
    tied = referee.compare(winner=["tie"] * 9, audit=False)
    assert (tied.difference, tied.p_value, tied.verdict, tied.b.score) == (0.0, 1.0, "too close to call", 0.5)
    assert 0.0 in tied.interval
    one = referee.compare(winner=["b"], audit=False)
    assert one.verdict == "too close to call"


WIN = ["a", "b", "tie", "b"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"winner": ["a", None, "b", "a"]}, "values are missing: 1 of winner"),
        ({"winner": ["a", None, "b", "a"], "missing": "wrong"}, "neither right nor wrong"),
        ({"winner": [None, None], "missing": "drop"}, "no judgement is left"),
        ({"winner": []}, "no judgements"),
        ({"winner": WIN, "truth": [1, 0, 1, 0]}, "truth has no effect beside winner"),
        ({"winner": WIN, "judge": WIN}, "judge goes with labels and scores of people, not with winner"),
        ({"winner": WIN, "judge_a": WIN, "judge_b": WIN}, "judge_a goes with labels and scores of people"),
        ({"winner": WIN, "positive": 1}, "no positive label"),
        ({"winner": WIN, "metric": "f1"}, "judgements of which system is better"),
        ({"winner": WIN, "metric": "mean"}, "judgements of which system is better"),
        ({"winner": WIN, "a": "old"}, "name both systems"),
        ({"winner": WIN, "a": "old", "b": "old"}, "a and b are both 'old'"),
        ({"winner": WIN, "first": ["a", "tie", "b", "a"]}, "which system was shown first"),
        ({"winner": WIN, "first": ["a", "b"]}, "same length"),
        ({"winner": ["old", "new", "tie"]}, "if these are the systems, name them"),
        ({"winner": WIN, "paired": False}, "judgements, which compare both"),
        ({"winner": WIN, "id": [1, 1, 2, 2], "repeats": "mean"}, "aren't averaged"),
        ({"winner": [-2, 3]}, "beyond the scale"),
        ({"first": WIN}, "needs winner="),
        ({"a": [1, 0], "b": [0, 1], "metric": "win-rate"}, "judgements of which system is better"),
    ],
)  # fmt: skip
def test_refused(arguments, said):
    with pytest.raises(RefereeError, match=said):
        referee.compare(**arguments)


def test_counts_of_judgements_are_scored_and_not_ranked():
    counts = referee.count(winner=winners(70, 0, 30), a="old", b="new")
    r = referee.score(counts, prediction="new", at_least=0.5)
    assert (r.score, r.verdict) == (pytest.approx(0.7), "meets it")
    with pytest.raises(InputError, match="compared, not ranked"):
        referee.rank(counts)


def test_missing_judgements_can_be_dropped():
    r = referee.compare(winner=["a", None, "b", "b"], missing="drop", audit=False)
    assert (r.n, r.matched.dropped) == (3, 1)


def test_exact_flips_by_name():
    """The randomization test exchanges the systems' names in each judgement, and with them who was shown first."""
    winner = judge(np.random.default_rng(7), 10, better=0.6)[0]
    r = referee.compare(winner=winner, test="randomization", audit=False)
    share = np.array([{"a": 0.0, "tie": 0.5, "b": 1.0}[w] for w in winner]) - 0.5
    sums = [abs(share @ signs) for signs in itertools.product((-1, 1), repeat=10)]
    assert r.p_value == pytest.approx(np.mean(np.array(sums) >= abs(share.sum()) - 1e-9))


def test_charts_show_the_win_rate_against_a_half():
    pytest.importorskip("altair")
    from referee.report.charts import figures

    winner, first = judge(np.random.default_rng(8), 40, better=0.5)
    drawn = figures(referee.compare(winner=winner, first=first, a="old", b="new", audit=False))
    assert [figure.key for figure in drawn] == ["win-rate", "dots", "luck", "outcomes"]
    assert "shown first" in drawn[0].caption


def test_the_methods_paragraph_tells_wins_and_position():
    from referee.report.methods.comparison import comparison as sentences

    winner, first = judge(np.random.default_rng(9), 60, bias=1.0)
    r = referee.compare(winner=winner, first=first, a="old", b="new", audit=False)
    told = str(sentences(r))
    assert "by " in told
    assert "judgements new won" in told
    assert "The win rate is the mean of both orders of presentation; the one shown first wins" in told
