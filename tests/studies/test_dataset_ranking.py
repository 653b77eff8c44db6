"""rank_datasets: tables of every shape, what is refused, and verdicts that agree with what is behind them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import referee
from referee.errors import InputError, NameUnknown, OptionError, RefereeError

NAMES = [f"d{i:02}" for i in range(12)]


def made(k=4, n=12, seed=0, step=0.05):
    draw = np.random.default_rng(seed)
    scores = (draw.uniform(0.4, 0.7, (n, 1)) + draw.normal(0, 0.03, (n, k)) + step * np.arange(k)).round(4)
    return {"dataset": NAMES[:n], **{f"m{i}": scores[:, i].tolist() for i in range(k)}}


WIDE = made()
LONG = [(d, s, WIDE[s][i]) for i, d in enumerate(NAMES) for s in ("m0", "m1", "m2", "m3")]


def long_table(rows=None, names=("dataset", "system", "score")):
    return dict(zip(names, map(list, zip(*(rows or LONG), strict=True)), strict=True))


@pytest.fixture(scope="module")
def expected():
    return referee.rank_datasets(WIDE)


def test_systems_come_by_average_rank(expected):
    ranks = [one.average_rank for one in expected.systems]
    assert ranks == sorted(ranks)
    assert sum(ranks) == pytest.approx(10)
    assert [one.name for one in expected.systems] == ["m3", "m2", "m1", "m0"]
    assert expected.best == ("m3",)
    assert expected.n == 12
    assert expected.adjust == "holm"


@pytest.mark.parametrize("kind", ["pandas", "polars", "index", "csv", "tsv", "parquet", "jsonl", "nested", "arrays"])
def test_every_source_gives_the_same(kind, expected, tmp_path):
    frame = pd.DataFrame(WIDE)
    path = tmp_path / f"scores.{kind}"
    match kind:
        case "pandas":
            given = frame
        case "polars":
            given = pl.DataFrame(WIDE)
        case "index":
            given = frame.set_index("dataset")
        case "csv" | "tsv":
            frame.to_csv(path, index=False, sep="," if kind == "csv" else "\t")
            given = path
        case "parquet":
            frame.to_parquet(path)
            given = str(path)
        case "jsonl":
            frame.to_json(path, orient="records", lines=True)
            given = path
        case "nested":
            given = {s: dict(zip(NAMES, WIDE[s], strict=True)) for s in ("m0", "m1", "m2", "m3")}
        case _:
            given = {name: np.array(values) for name, values in WIDE.items()}
    assert referee.rank_datasets(given).to_dict() == expected.to_dict()


@pytest.mark.parametrize("names", [("dataset", "system", "score"), ("Task", "Model", "value"), ("x", "y", "z")])
def test_long_tables(names, expected):
    asked = dict(zip(("dataset", "system", "score"), names, strict=True)) if names[0] == "x" else {}
    r = referee.rank_datasets(long_table(names=names), **asked)
    changed = {"metric": "score", "signature": expected.signature}
    assert {**r.to_dict(), **changed} == expected.to_dict()


def test_a_long_table_without_known_names_but_one_is_understood(expected):
    r = referee.rank_datasets(long_table(names=("dataset", "who", "acc")))
    assert r.metric == "acc"
    assert [one.name for one in r.systems] == [one.name for one in expected.systems]


def test_order_of_rows_and_columns_changes_nothing():
    order = np.random.default_rng(1).permutation(12)
    turned = {name: [WIDE[name][i] for i in order] for name in ("m2", "m0", "dataset", "m3", "m1")}
    for test in ("wilcoxon-holm", "nemenyi", "bayes"):
        one, other = referee.rank_datasets(WIDE, test=test), referee.rank_datasets(turned, test=test)
        assert one.pairs == other.pairs
        assert one.signature == other.signature


def test_lower_is_better_turns_all_of_it():
    up = referee.rank_datasets(WIDE)
    down = referee.rank_datasets(WIDE, lower_is_better=True)
    assert [one.name for one in down.systems] == [one.name for one in up.systems][::-1]
    assert down.pair("m0", "m3").p_value == up.pair("m0", "m3").p_value
    assert down.best == ("m0",)
    errors = {name: [1 - x for x in values] if name != "dataset" else values for name, values in WIDE.items()}
    by_metric = referee.rank_datasets(errors, metric="error")
    assert not by_metric.higher_is_better
    assert by_metric.best == up.best


@pytest.mark.parametrize("test", ["wilcoxon-holm", "nemenyi", "bayes"])
def test_verdicts_agree_with_what_is_behind_them(test):
    r = referee.rank_datasets(made(k=6, seed=3, step=0.02), test=test)
    for pair in r.pairs:
        gap = r[pair.b].average_rank - r[pair.a].average_rank
        if test == "bayes":
            most = max(pair.probabilities, key=pair.probabilities.get)
            sure = pair.probabilities[most] >= 0.95
            assert (pair.verdict != "too close to call") == sure
            assert pair.p_value is pair.p_adjusted is None
        else:
            assert (pair.verdict != "too close to call") == (pair.p_adjusted <= 0.05)
            assert pair.p_adjusted >= pair.p_value
        if test == "nemenyi":
            assert (abs(gap) > r.critical_difference) == (pair.verdict == "a better")
        assert sum(pair.wins) == r.n
    told = {frozenset((p.a, p.b)) for p in r.pairs if p.verdict in ("a better", "b better")}
    for group in r.together:
        assert not any(frozenset((a, b)) in told for a in group for b in group)


def test_against_a_baseline_there_are_fewer_comparisons():
    r = referee.rank_datasets(WIDE, baseline="m1")
    assert [(pair.a, pair.b) for pair in r.pairs] == [("m1", "m3"), ("m1", "m2"), ("m1", "m0")]
    assert r.best == r.together == ()
    whole = referee.rank_datasets(WIDE)
    assert all(pair.p_adjusted <= whole.pair(pair.a, pair.b).p_adjusted for pair in r.pairs)


def test_all_equal_is_too_close_to_call_and_says_nothing_else():
    same = {"dataset": NAMES, "x": [0.5] * 12, "y": [0.5] * 12, "z": [0.5] * 12}
    for test in ("wilcoxon-holm", "nemenyi"):
        r = referee.rank_datasets(same, test=test)
        assert {pair.verdict for pair in r.pairs} == {"too close to call"}
        assert {pair.p_adjusted for pair in r.pairs} == {1.0}
        assert r.friedman["statistic"] is None
        assert r.iman_davenport["p_value"] == 1.0
        assert r.warnings == ()
        assert "nothing tells them apart" in " ".join(str(r).split())
    assert {p.verdict for p in referee.rank_datasets(same, test="bayes").pairs} == {"practically equal"}
    assert {p.verdict for p in referee.rank_datasets(same, test="bayes", rope=0).pairs} == {"too close to call"}


def test_seeds_and_regions_of_the_bayesian_test():
    one, same, other = (referee.rank_datasets(WIDE, test="bayes", rng=seed) for seed in (0, 0, 1))
    assert one.to_dict() == same.to_dict()
    assert [pair.probabilities for pair in one.pairs] != [pair.probabilities for pair in other.pairs]
    assert one.rope == 0.01
    assert "rope:0.01" in one.signature
    assert "rng:0" in one.signature
    wide = referee.rank_datasets(WIDE, test="bayes", rope=0.4)
    assert {pair.verdict for pair in wide.pairs} == {"practically equal"}
    assert wide.best == ("m3", "m2", "m1", "m0")
    assert wide.together == (("m3", "m2", "m1", "m0"),)


def changed(**columns):
    return {**WIDE, **columns}


GAP = [*WIDE["m1"][:-1], None]
REFUSED = {
    "one system": ({"dataset": NAMES, "m0": WIDE["m0"]}, {}, OptionError, "needs two systems or more; there is only 'm0'"),
    "one dataset": (made(n=1), {}, InputError, "needs two datasets or more; there is only 'd00'"),
    "no rows": (made(n=0), {}, InputError, "the table of scores is empty"),
    "twice": (changed(dataset=["d00", *NAMES[:11]]), {}, InputError, "the dataset 'd00' occurs in rows 1 and 2"),
    "long twice": (long_table([*LONG, LONG[0]]), {}, InputError, "the dataset 'd00' has two scores of 'm0'"),
    "missing": (changed(m1=GAP), {}, InputError, "no score of 'm1' on the dataset 'd11'; missing='drop' leaves out"),
    "nan": (changed(m1=[*WIDE["m1"][:-1], float("nan")]), {}, InputError, "no score of 'm1' on the dataset 'd11'"),
    "long missing": (long_table(LONG[1:]), {}, InputError, "no score of 'm0' on the dataset 'd00'"),
    "infinite": (changed(m1=[*WIDE["m1"][:-1], float("inf")]), {}, InputError, "finite numbers; that of 'm1' on the dataset 'd11' is 'inf'"),
    "words": (changed(m1=["good"] * 12), {"dataset": "dataset"}, InputError, "'m1' has values that are not numbers; name the columns"),
    "some words": (changed(m1=["good"] * 12), {"systems": ["m0", "m1"], "dataset": "dataset"}, InputError, "scores are finite numbers"),
    "no such dataset": (WIDE, {"dataset": "datasets"}, NameUnknown, "there is no column 'datasets' (did you mean 'dataset'?)"),
    "no such system": (WIDE, {"systems": ["m0", "m9"]}, NameUnknown, "there is no column 'm9'"),
    "long, no such system": (long_table(), {"systems": ["m0", "m9"]}, NameUnknown, "there is no system 'm9'"),
    "no such baseline": (WIDE, {"baseline": "M1"}, NameUnknown, "there is no system 'M1' (did you mean 'm1'?)"),
    "no such test": (WIDE, {"test": "wilcoxon"}, OptionError, "test must be one of wilcoxon-holm, nemenyi, bayes; it is 'wilcoxon'"),
    "no such policy": (WIDE, {"missing": "wrong"}, OptionError, "missing must be one of error, drop"),
    "alpha": (WIDE, {"alpha": 5}, OptionError, "alpha must lie between 0 and 1"),
    "rope without bayes": (WIDE, {"rope": 0.01}, OptionError, "rope is for test='bayes'"),
    "negative rope": (WIDE, {"rope": -1, "test": "bayes"}, OptionError, "rope must be a number that is not negative"),
    "a rope for all": (WIDE, {"rope": 1, "test": "bayes"}, OptionError, "rope must be below 1"),
    "twice the same": (WIDE, {"systems": ["m0", "m0"]}, OptionError, "two systems are called 'm0'"),
    "direction": (WIDE, {"metric": "accuracy", "lower_is_better": True}, OptionError, "of accuracy higher is better"),
    "loss": (WIDE, {"metric": "loss"}, OptionError, "say whether more of loss is worse or better"),
    "an array": (np.ones((3, 3)), {}, InputError, "scores are a path, a dataframe, or a mapping of columns"),
    "empty name": (changed(dataset=["", *NAMES[1:]]), {}, InputError, "row 1 of the column 'dataset' is empty"),
    "which": ({"x": NAMES, "y": NAMES, "m": WIDE["m0"], "n": WIDE["m1"]}, {}, OptionError, "name the column of the datasets with dataset="),
    "drop all": (changed(m1=[None] * 12), {"missing": "drop"}, InputError, "there is none without a missing score, of 12"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_one_clear_line(case):
    given, asked, kind, words = REFUSED[case]
    with pytest.raises(RefereeError) as caught:
        referee.rank_datasets(given, **asked)
    assert isinstance(caught.value, kind), caught.value
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_region_is_asked_for_if_scores_are_no_shares():
    percent = {name: [100 * x for x in values] if name != "dataset" else values for name, values in WIDE.items()}
    with pytest.raises(OptionError, match="which differences don't matter with rope="):
        referee.rank_datasets(percent, test="bayes")
    assert referee.rank_datasets(percent, test="bayes", rope=1).rope == 1
    assert "%" not in referee.rank_datasets(percent, metric="accuracy").to_text().split("\n\n")[2]


def test_datasets_without_a_score_are_dropped_if_asked():
    r = referee.rank_datasets(changed(m1=GAP), missing="drop")
    assert (r.n, r.dropped, len(r.datasets)) == (11, 1, 11)
    assert r.warnings == ("1 dataset is left out because a score is missing: 'd11'",)
    assert "missing:drop" in r.signature
    assert "1 more left out" in str(r)


@pytest.mark.parametrize(("k", "n", "test", "words"), [
    (4, 5, "wilcoxon-holm", "with 5 datasets and 6 comparisons no pair can be significant"),
    (3, 2, "nemenyi", "with 2 datasets no pair can be significant"),
    (10, 9, "nemenyi", "there are more systems (10) than datasets (9)"),
    (4, 3, "bayes", "there are more systems (4) than datasets (3)"),
])  # fmt: skip
def test_too_few_datasets_are_told(k, n, test, words):
    assert any(words in one for one in referee.rank_datasets(made(k=k, n=n), test=test).warnings)


def test_the_number_of_datasets_that_it_takes_is_right():
    (told,) = [one for one in referee.rank_datasets(made(n=5)).warnings if "it takes" in one]
    needed = int(told.split("it takes ")[1].split()[0])
    best = {"dataset": list(range(needed)), **{f"m{i}": [i + 0.1 * i * j for j in range(needed)] for i in range(4)}}
    assert min(pair.p_adjusted for pair in referee.rank_datasets(best).pairs) <= 0.05


def test_a_verdict_against_the_mean_is_told():
    a = [0.5 + i / 1000 for i in range(12)]
    b = [x + 0.01 + i / 1e4 for i, x in enumerate(a[:-1])] + [0.1]
    r = referee.rank_datasets({"dataset": NAMES, "a": a, "b": b})
    assert (r.pairs[0].a, r.pairs[0].verdict) == ("b", "a better")
    assert r["b"].score < r["a"].score
    assert "'b' is better than 'a' on most datasets but has the worse mean score" in r.warnings[0]


def test_columns_that_are_not_named_are_told_if_some_are_left_out():
    r = referee.rank_datasets({"id": list(range(12)), **WIDE})
    assert len(r.systems) == 4
    assert r.warnings[0].startswith("4 columns are ranked as systems: 'm0', 'm1', 'm2', 'm3'; systems= names others")
    assert referee.rank_datasets({"id": list(range(12)), **WIDE}, systems=["m*"]).warnings == ()


def test_two_systems():
    r = referee.rank_datasets(WIDE, systems=["m0", "m3"])
    assert r.pairs[0].p_value == r.pairs[0].p_adjusted
    assert str(r).startswith('"m3" is better than "m0" over 12 datasets: better on ')


def test_json_and_frames():
    for test in ("wilcoxon-holm", "nemenyi", "bayes"):
        r = referee.rank_datasets(WIDE, test=test)
        content = json.loads(r.to_json())
        assert content["schema"] == "referee.dataset_ranking/1"
        assert content["p_method"] == {"wilcoxon-holm": "exact", "nemenyi": "asymptotic", "bayes": None}[test]
        assert set(content["pairs"][0]["wins"]) == {"a", "b", "ties"}
        assert len(content["systems"][0]["scores"]) == content["n"] == 12
        frame = r.to_frame("pandas")
        assert len(frame) == 6
        assert frame["rank_a"].tolist() == [r[a].average_rank for a in frame["a"]]
    assert r.pair("m0", "m1") is r.pair("m1", "m0")
    with pytest.raises(NameUnknown):
        r["m7"]
    with pytest.raises(NameUnknown):
        r.pair("m0", "m7")
