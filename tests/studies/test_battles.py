"""rank() of battles: two models are a comparison of shares, bad battles are told, and models without a maximum still have ranks."""

import re

import numpy as np
import pytest

import referee
from referee.cli.main import main
from referee.errors import RefereeError
from referee.report.charts import figures
from referee.results.battles import POINTS

FAIR = [("A", "B", "a"), ("A", "B", "b"), ("B", "C", "a"), ("B", "C", "b"), ("A", "C", "tie")] * 10


def table(rows, **more):
    return {"model_a": [r[0] for r in rows], "model_b": [r[1] for r in rows], "winner": [r[2] for r in rows], **more}


def made(models=5, times=300, seed=1, judges=20):
    rng = np.random.default_rng(seed)
    first = rng.integers(models, size=times)
    second = (first + rng.integers(1, models, times)) % models
    won = rng.random(times) < 1 / (1 + 10 ** ((first - second) * 60 / POINTS))
    winner = np.where(rng.random(times) < 0.1, "tie", np.where(won, "model_b", "model_a"))
    sides = {"model_a": [f"m{i}" for i in first], "model_b": [f"m{i}" for i in second]}
    return {**sides, "winner": winner, "judge": rng.integers(judges, size=times)}


def ranked(data, **options):
    return referee.rank(data, winner="winner", **options)


@pytest.mark.parametrize("adjust", ["max-t", "bonferroni", "none"])
@pytest.mark.parametrize("group", [None, "judge"])
@pytest.mark.parametrize("models", [2, 4])
def test_verdicts_follow_from_the_law_of_the_intervals(models, group, adjust):
    r = ranked(made(models), group=group, adjust=adjust)
    for pair in r.pairs:
        apart = not pair.interval.low <= 0 <= pair.interval.high
        assert apart == (pair.p_adjusted <= r.alpha) == (pair.verdict != "too close to call")
        assert pair.p_adjusted >= pair.p_value
    battles = {one.name: one.battles for one in r.battles.models}
    mean = np.average([one.score for one in r.systems], weights=[battles[one.name] for one in r.systems])
    np.testing.assert_allclose(mean, 1000)
    scores = {one.name: one.score for one in r.systems}
    np.testing.assert_allclose([p.difference for p in r.pairs], [scores[p.b] - scores[p.a] for p in r.pairs])


def test_odd_names_are_pointed_out():
    rows = [("gpt-x" if a == "A" else a, "gpt-x" if b == "A" else b, won) for a, b, won in FAIR]
    r = ranked(table([*rows, ("gpt-x ", "B", "tie"), ("GPT-X", "C", "tie"), ("GPT-X", "B", "tie")]))
    assert {one.name for one in r.systems} == {"gpt-x", "B", "C", "GPT-X"}
    assert any("('gpt-x '); so 'gpt-x ' beside 'gpt-x' count as one model" in told for told in r.warnings)
    assert any(told.endswith("count as different models: 'GPT-X' beside 'gpt-x'") for told in r.warnings)
    assert not any("names of models" in told for told in ranked(table(FAIR)).warnings)


@pytest.mark.parametrize("group", [None, "judge"])
def test_a_newcomer_with_one_battle_hardly_moves_the_others(group):
    data = made(4, 600)
    before = ranked(data, group=group)
    more = {"model_a": "m0", "model_b": "typo", "winner": "tie", "judge": 3}
    after = ranked({key: [*column, more[key]] for key, column in data.items()}, group=group)
    were = {one.name: one for one in before.systems}
    for one in after.systems:
        if one.name == "typo":
            assert one.score is not None and one.interval is None
            continue
        assert abs(one.score - were[one.name].score) < 1
        assert abs(one.interval.low - were[one.name].interval.low) < 2
        assert abs(one.interval.high - were[one.name].interval.high) < 2
    assert any(told.startswith("no interval") and told.endswith("typo") for told in after.warnings)


def test_two_models_have_the_p_value_of_their_shares():
    r = ranked(table([("old", "new", "b")] * 30 + [("old", "new", "a")] * 15 + [("old", "new", "tie")] * 8))
    (pair,) = r.pairs
    share = (30 + 4) / 53
    assert (r.test, pair.a, pair.b) == ("score", "new", "old")
    np.testing.assert_allclose(pair.statistic, -(30 - 15) / np.sqrt(45))
    np.testing.assert_allclose(pair.difference, -POINTS * np.log10(share / (1 - share)))


@pytest.mark.parametrize("group", [None, "judge"])
@pytest.mark.parametrize("seed", range(3))
def test_two_models_are_a_comparison(seed, group):
    data = made(2, 60, seed)
    r, (pair,) = ranked(data, group=group), ranked(data, group=group).pairs
    shares = referee.compare(data, winner="winner", a=pair.a, b=pair.b, group=group, audit=False)
    assert (r.test, pair.p_value, pair.verdict) == (shares.test, shares.p_value, shares.verdict)
    points = [
        POINTS * np.log10((1 + d) / (1 - d)) for d in (shares.interval.low, shares.interval.high, shares.difference)
    ]
    np.testing.assert_allclose([pair.interval.low, pair.interval.high, pair.difference], points, rtol=1e-6)


def test_nothing_depends_on_the_order_of_rows_or_on_who_is_first():
    data = made()
    order = np.random.default_rng(5).permutation(len(data["winner"]))
    mixed = {name: np.array(column)[order] for name, column in data.items()}
    assert ranked(data, group="judge").to_dict() == ranked(mixed, group="judge").to_dict()
    swap = {"model_a": "model_b", "model_b": "model_a"}
    turned = {**data, "model_a": data["model_b"], "model_b": data["model_a"]}
    turned["winner"] = [swap.get(one, one) for one in data["winner"].tolist()]
    here, there = ranked(data), ranked(turned)
    np.testing.assert_allclose([s.score for s in here.systems], [s.score for s in there.systems])
    np.testing.assert_allclose(here.battles.first_place.points, -there.battles.first_place.points, atol=1e-6)


def test_models_that_never_differ_are_too_close_to_call():
    r = ranked(table(FAIR))
    assert {p.verdict for p in r.pairs} == {"too close to call"} and {p.p_value for p in r.pairs} == {1.0}
    assert {s.score for s in r.systems} == {1000.0} and r.battles.agreement.p_value > 0.9


def test_a_model_that_won_all_has_no_rating_but_ranks():
    r = ranked(table([*FAIR, *[("D", "A", "a"), ("B", "D", "b")] * 6]))
    new = r["D"]
    assert (new.score, new.rank, new.rank_low, new.rank_high) == (None, None, 1, 1) and r.best == ("D",)
    assert any("D has no rating: it won all of its 12 battles" in one for one in r.warnings)
    assert all(p.difference is None and p.verdict == "b better" for p in r.pairs if p.b == "D")
    assert {one.name: one.unrated for one in r.battles.models}["D"] == "won all"


def test_a_model_without_a_rating_that_is_surely_better_takes_one_place_and_no_rank_occurs_twice():
    rows = [("D", "A", "a")] * 12 + [("A", "B", "a"), ("B", "C", "a")] * 7 + [("A", "B", "b"), ("B", "C", "b")] * 5
    r = ranked(table(rows))
    assert [(one.name, one.rank) for one in r.systems] == [("D", None), ("A", 2), ("B", 3), ("C", 4)]
    weak = ranked(table([("D", "A", "a"), *FAIR[:-1], ("A", "B", "a")]))
    assert weak["D"].rank is None and weak["D"].rank_high == 4
    assert [one.rank for one in weak.systems if one.rank is not None] == [1, 2, 3]


def test_models_that_never_met_the_others_are_not_ranked_against_them():
    r = ranked(table([*FAIR, ("D", "E", "a"), ("D", "E", "b")]))
    assert [r[name].score for name in "DE"] == [None, None] and (r["D"].rank_low, r["D"].rank_high) == (1, 5)
    assert r.pair("A", "D").p_value is None
    assert any("no battles connect them" in one for one in r.warnings)


def test_if_nobody_has_a_rating_the_score_test_still_tells_them_apart():
    r = ranked(table([("A", "B", "a")] * 12 + [("B", "C", "a")] * 12))
    assert [s.name for s in r.systems] == ["A", "B", "C"] and r.best == ("A",)
    assert ranked(table([("A", "B", "a")])).pairs[0].verdict == "too close to call"


def test_columns_can_be_named_and_winners_be_models():
    rows = [("x", "y", "x"), ("x", "y", "y"), ("y", "x", "both")] * 5
    sides = {"left": [r[0] for r in rows], "right": [r[1] for r in rows]}
    own = referee.rank({**sides, "won": [r[2] for r in rows]}, winner="won", a="left", b="right")
    arrays = referee.rank(winner=[r[2] for r in rows], a=sides["left"], b=sides["right"])
    assert own.pairs == arrays.pairs and own.n == 15


def test_slices_are_ranked_one_by_one():
    data = made()
    rs = ranked({**data, "part": np.where(np.arange(300) < 150, "x", "y")}, by="part")
    assert [r.slice for r in rs] == ["x", "y"] and [r.n for r in rs] == [150, 150]


def test_counted_battles_are_battles():
    one = ranked(table(FAIR))
    many = ranked(table(FAIR[:5], times=[10] * 5), multiplicity="times")
    assert one.systems == many.systems and many.n == 50


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "junit", "_repr_html_"])
def test_every_form_has_the_ratings(form):
    r = ranked(made(), group="judge")
    text = r._repr_html_() if form == "_repr_html_" else r.to(form)
    assert "m4" in text and not re.search(r"\b(inf|nan)\b", text)
    assert r.to_dict()["battles"]["head_to_head"][0].keys() == {"a", "b", "battles", "win_rate", "expected"}


def test_the_charts_have_the_win_rates():
    found = {one.key: one for one in figures(ranked(made()))}
    assert list(found) == ["ranks", "win-rates", "pairs"]


BAD = {
    "itself": ([("A", "A", "a"), ("A", "B", "a")], {}, "a model meets itself"),
    "nobody": ([("A", "B", "zebra"), ("A", "B", "a")], {}, "neither system"),
    "missing": ([("A", "B", None), ("A", "B", "a")], {}, "missing in 1 battle: winner 1"),
    "none": ([], {}, "no battles"),
    "metric": (FAIR, {"metric": "f1"}, "metric is not for battles"),
    "truth": (FAIR, {"truth": "winner"}, "truth is not for battles"),
    "column": (FAIR, {"a": "nope"}, "no column 'nope'"),
    "groups": (FAIR, {"group": ["winner", "model_a"]}, "no crossed groups yet"),
    "policy": (FAIR, {"missing": "wrong"}, "missing must be one of error, drop"),
    "systems": (FAIR, {"systems": ["A", "Z"]}, "no model 'Z'"),
    "one": (FAIR, {"systems": ["A"]}, "two models or more"),
    "baseline": (FAIR, {"baseline": "Z"}, "no system 'Z'"),
}


@pytest.mark.parametrize(("rows", "options", "told"), BAD.values(), ids=BAD)
def test_bad_battles_are_told(rows, options, told):
    with pytest.raises(RefereeError, match=told):
        ranked(table(rows), **options)


def test_bad_battles_can_be_left_out_and_are_counted():
    r = ranked(table([*FAIR, ("A", "A", "a"), ("A", "B", None), (None, "B", "a")]), missing="drop")
    assert (r.n, r.dropped) == (50, 3)
    assert any("1 battle of a model with itself" in one for one in r.warnings)


def test_a_side_without_a_winner_is_refused():
    with pytest.raises(RefereeError, match="which need winner="):
        referee.rank(table(FAIR), a="model_a")
    with pytest.raises(RefereeError, match="look like battles of two models; name the column of who won with winner="):
        referee.rank(table(FAIR))
    with pytest.raises(RefereeError, match="name the columns of the two models"):
        referee.rank({"x": ["A"], "y": ["B"], "winner": ["a"]}, winner="winner")


def test_the_command_line_ranks_battles(tmp_path, capsys):
    rows = table(FAIR)
    lines = zip(*rows.values(), strict=True)
    (tmp_path / "battles.csv").write_text("\n".join([",".join(rows), *map(",".join, lines)]) + "\n")
    assert main(["rank", str(tmp_path / "battles.csv"), "--winner", "winner"]) == 0
    assert "50 battles" in capsys.readouterr().out
    assert main(["rank", str(tmp_path / "battles.csv"), "--winner", "model_a"]) == 2
    assert capsys.readouterr().err.startswith("referee: ")
    assert main(["rank", *[str(tmp_path / "battles.csv")] * 2, "--winner", "winner"]) == 2


def test_a_model_that_won_every_battle_leads_though_it_has_no_rating():
    rows = ["xy", "xz", "xu"] * 15 + ["yz", "zy", "zu", "uz", "yu", "uy"] * 5
    data = {"model_a": [r[0] for r in rows], "model_b": [r[1] for r in rows], "winner": ["model_a"] * len(rows)}
    r = referee.rank(data, winner="winner")
    assert r.systems[0].name == "x"
    assert r.systems[0].score is None
    assert r.best == ("x",)
    for one in r.systems:
        assert one.rank is None or one.rank_low <= one.rank <= one.rank_high
    assert str(r).startswith('Only "x" can\'t be ruled out as best; it has no rating.')
