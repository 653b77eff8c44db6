"""watch(): what several looks come to, by brute force on comparisons of every prefix; and that a look changes nothing."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import referee
from referee.errors import NotReady, OptionError, RefereeError
from referee.metrics import resolve as metric_of
from referee.runtime.randomness import Streams
from referee.significance.anytime import Anytime, Differences, p_of
from referee.significance.rank_tally import tally_of
from referee.studies import arrivals, watch_progress
from referee.studies.watch_evidence import Asked

SIDES = {"truth": "label", "a": "old", "b": "new"}


def table(n=200, old=0.75, new=0.9, seed=0):
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, n)
    answers = {name: np.where(rng.random(n) < right, label, 1 - label) for name, right in (("old", old), ("new", new))}
    return pd.DataFrame({"label": label, **answers})


def ps(data, metric, sizes, **sides):
    """Return the p-value of prefixes, each counted by itself."""
    found = {}
    for n in sizes:
        tally = tally_of(
            referee.count(data[:n], **{**SIDES, **sides}, positive=sides.get("positive", 1)), metric_of(metric)
        )
        if not tally.blank(tally.multiplicities):
            found[n] = float(Anytime().evaluate(tally, tally.multiplicities[None, :], "two-sided", Streams.of(0)).p[0])
    return found


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"metric": "error"},
        {"alternative": "greater"},
        {"alternative": "less"},
        {"question": "no-worse", "margin": 0.1},
        {"question": "equal", "margin": 0.3},
        {"margin": 0.3},
        {"margin": 0.3, "metric": "error"},
        {"question": "no-worse", "margin": 0.1, "metric": "error"},
    ],
    ids=str,
)
def test_every_prefix_of_a_table_is_a_look(asked):
    data = table(45, 0.5, 0.98)
    r = referee.watch(data, **SIDES, **asked)
    each = {n: referee.compare(data[:n], **SIDES, test="anytime", audit=False, **asked) for n in range(1, 46)}
    assert r.p_value == pytest.approx(min(one.p_value for one in each.values()), rel=1e-9)
    open_ = ("too close to call", "no worse") if asked.get("question") != "no-worse" else ("too close to call",)
    # Of one look "practically equal" needs both ends inside at once; of several each end at any of them.
    low = high = None
    stops = None
    for n, one in each.items():
        held = one.margin_interval if "margin" in asked and "question" not in asked else None
        low = held.low if held and low is None else max(low, held.low) if held else None
        high = held.high if held and high is None else min(high, held.high) if held else None
        equal = held is not None and -asked["margin"] < low and high < asked["margin"]
        if stops is None and (equal or one.verdict not in open_):
            stops = n, "practically equal" if equal else one.verdict
    assert (r.stopped_at and r.stopped_at.n, r.verdict if r.stopped_at else None) == (stops or (None, None))
    assert r.stopped_at is None or r.stopped_at.after == r.stopped_at.n - 1
    assert r.comparison.to_dict() == each[45].to_dict()
    if "question" not in asked:
        ruled_out = {"greater": r.interval.low > 0, "less": r.interval.high < 0}
        assert (r.p_value <= 0.05) == ruled_out.get(asked.get("alternative"), 0.0 not in r.interval)


@pytest.mark.parametrize("metric", ["f1", "mcc"])
def test_evidence_of_other_metrics_is_that_of_every_prefix(metric):
    data = table(200, 0.6, 0.9)
    r = referee.watch(data, **SIDES, metric=metric)
    least = min(r.looks, key=lambda look: look.p).n
    each = ps(data, metric, sorted({*range(60, 200, 10), least, r.stopped_at.n - 1, r.stopped_at.n}))
    assert (r.p_method, r.interval.method) == ("asymptotic", "anytime-asymptotic")
    assert r.p_value == pytest.approx(min(each.values()), rel=1e-6) == each[least]
    assert r.stopped_at.n == next(n for n, p in each.items() if p <= 0.05)
    assert (r.stopped_at.after, each[r.stopped_at.n - 1] > 0.05) == (r.stopped_at.n - 1, True)
    shown = {look.n: look.p for look in r.looks if look.n in each}
    assert shown == pytest.approx({n: each[n] for n in shown})


def test_asymptotic_evidence_against_a_margin_is_computed_in_few_steps():
    data = table(300, 0.6, 0.9)
    r = referee.watch(data, **SIDES, metric="f1", margin=0.05, question="no-worse")
    assert len(r.looks) == arrivals.FEW
    each = {look.n: look.p for look in r.looks}
    for n in (r.stopped_at.after, r.stopped_at.n):
        one = referee.compare(
            data[:n], **SIDES, metric="f1", margin=0.05, question="no-worse", test="anytime", audit=False
        )
        assert each[n] == pytest.approx(one.p_value, rel=1e-6)
        assert (one.p_value <= 0.05) == (n == r.stopped_at.n)


@pytest.mark.parametrize("cuts", [(40, 90, 200), (1, 2, 57, 58, 200), (199, 200)], ids=str)
@pytest.mark.parametrize("asked", [{}, {"metric": "f1"}], ids=str)
def test_looks_add_up(tmp_path, cuts, asked):
    data, state = table(), tmp_path / "watch.json"
    whole = referee.watch(data, **SIDES, **asked)
    for n in cuts:
        r = referee.watch(data[:n], **SIDES, **asked, state=state)
    assert r.stopped_at.n == whole.stopped_at.n
    assert r.stopped_at.look == 1 + sum(cut < r.stopped_at.n for cut in cuts)
    assert (r.verdict, r.p_value) == (whole.verdict, pytest.approx(whole.p_value))
    assert r.looked == len(cuts)
    # Intervals are computed at other examples, so these only overlap.
    assert max(r.interval.low, whole.interval.low) < min(r.interval.high, whole.interval.high)
    assert 0.0 not in r.interval


def test_p_and_the_interval_agree_whatever_the_order_and_the_looks(tmp_path):
    decided = set()
    for seed in range(5):
        data, state = table(150, 0.7, 0.82, seed), tmp_path / f"{seed}.json"
        for n in (30, 150):
            r = referee.watch(data[:n], **SIDES, state=state)
            assert (r.p_value <= r.alpha) == (0.0 not in r.interval) == (r.decision == "stop")
        decided.add(r.decision)
    assert decided == {"stop", "keep going"}


def test_a_crossing_is_final(tmp_path):
    good, bad = table(80, 0.5, 0.95), table(400, 0.9, 0.5, 1)
    r = referee.watch(good, **SIDES, state=tmp_path / "s.json")
    later = referee.watch(pd.concat([good, bad]), **SIDES, state=tmp_path / "s.json")
    assert (r.decision, r.verdict, later.decision, later.verdict) == ("stop", "b better", "stop", "b better")
    assert later.stopped_at == r.stopped_at
    assert later.comparison.difference < 0
    assert later.drift
    assert later.interval == later.comparison.interval
    assert any("changed on the way" in warning for warning in later.warnings)
    assert "changed on the way" in str(later)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", ["table", "counts"])
def test_the_gate_of_a_look_is_that_of_a_comparison(seed, kind):
    data = table(150 + 50 * seed, 0.8, 0.78 + 0.01 * seed, seed)
    given, sides = (data, SIDES) if kind == "table" else (referee.count(data, **SIDES), {})
    for margin in (0.02, 0.05, 0.1):
        r = referee.watch(given, **sides, margin=margin)
        one = referee.compare(data, **SIDES, margin=margin, test="anytime", audit=False)
        if kind == "counts":
            assert (r.gate, r.verdict) == (one.gate, one.verdict)
        elif one.gate == 0:  # what one look shows all looks show
            assert r.gate == 0 or r.drift


def test_a_look_at_the_same_data_is_no_look(tmp_path):
    data, state = table(60), tmp_path / "s.json"
    first = referee.watch(data, **SIDES, state=state)
    before = state.read_bytes()
    again = referee.watch(data, **SIDES, state=state)
    assert state.read_bytes() == before
    assert again.to_json() == first.to_json()


def test_without_a_state_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    r = referee.watch(table(60), **SIDES)
    assert list(tmp_path.iterdir()) == []
    assert "this look stands alone" in str(r)
    assert "this look stands alone" not in str(referee.watch(table(60), **SIDES, state="s.json"))


def test_exchanging_the_systems_turns_the_answer():
    data = table(200, 0.8, 0.9)
    r, turned = (referee.watch(data, truth="label", a=a, b=b) for a, b in (("old", "new"), ("new", "old")))
    assert (r.verdict, turned.verdict) == ("b better", "a better")
    assert (r.p_value, r.stopped_at) == (turned.p_value, turned.stopped_at)
    assert turned.interval.low == pytest.approx(-r.interval.high)
    assert [one.log_evidence_b for one in r.looks] == pytest.approx([one.log_evidence_a for one in turned.looks])
    assert "(example" in str(turned).partition("\n")[0]
    assert str(turned).startswith('Stop: "old" is worse than "new" (')
    assert ("+" in str(r).partition("points")[0], "−" in str(turned).partition("points")[0]) == (True, True)


def test_losses_turn_the_sides():
    data = table(200, 0.8, 0.9)
    r, loss = (referee.watch(data, **SIDES, metric=metric) for metric in ("accuracy", "error"))
    assert (loss.verdict, loss.stopped_at) == (r.verdict, r.stopped_at)
    assert loss.interval.high == pytest.approx(-r.interval.low)
    assert loss.looks[-1].log_evidence_b == pytest.approx(r.looks[-1].log_evidence_b)
    assert "lower is better" in str(loss)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "polars", "arrays"])
def test_every_table_in_order_is_gone_through(tmp_path, kind):
    data, path = table(), tmp_path / f"t.{kind}"
    given, sides = path, SIDES
    match kind:
        case "csv":
            data.to_csv(path, index=False)
        case "jsonl":
            data.to_json(path, orient="records", lines=True)
        case "parquet":
            data.to_parquet(path)
        case "polars":
            given = pl.from_pandas(data)
        case "arrays":
            given, sides = None, {role: data[name].to_numpy() for role, name in SIDES.items()}
    names = {"names": ("old", "new")} if kind == "arrays" else {}
    r, expected = referee.watch(given, **sides, **names), referee.watch(data, **SIDES)
    assert r.only_looks == ""
    assert (r.stopped_at, r.looks, r.interval) == (expected.stopped_at, expected.looks, expected.interval)


@pytest.mark.parametrize("kind", ["counts", "lazy", "spread groups", "crossed", "ids averaged"])
def test_what_has_no_order_is_looked_at_as_a_whole(kind):
    data, more = table(), {}
    given = data
    match kind:
        case "counts":
            given, sides = referee.count(data, **SIDES), {}
        case "lazy":
            given, sides = pl.from_pandas(data).lazy(), SIDES
        case "spread groups":
            given, sides = data.assign(g=np.arange(200) % 50), {**SIDES, "group": "g"}
        case "crossed":
            given, sides = data.assign(g=np.arange(200) % 20, h=np.arange(200) // 20), {**SIDES, "group": ["g", "h"]}
        case "ids averaged":
            given = pd.DataFrame({"a": data["old"], "b": data["new"], "id": np.arange(200) // 2})
            sides, more = {"a": "a", "b": "b"}, {"id": "id", "repeats": "mean"}
    r = referee.watch(given, **sides, **more)
    assert "once per look" in r.only_looks
    assert [look.n for look in r.looks] == [r.n]
    assert r.p_value == pytest.approx(r.comparison.p_value)
    assert r.interval == r.comparison.interval
    assert r.stopped_at is None or r.stopped_at.after == 0


def test_groups_come_in_when_they_are_complete():
    data = table(400, 0.7, 0.9).assign(doc=np.repeat(np.arange(100), 4))
    r = referee.watch(data, **SIDES, group="doc")
    each = ps(data, "accuracy", range(8, 397, 4), group="doc")
    assert (r.n, r.comparison.n, r.units, r.waiting, r.looks[-1].n) == (396, 396, 99, 4, 396)
    assert r.p_value == pytest.approx(min(each.values()), rel=1e-6)
    assert r.stopped_at.n == next(n for n, p in each.items() if p <= 0.05)
    assert {look.n % 4 for look in r.looks} == {0}
    assert all(look.units == look.n // 4 for look in r.looks)


@pytest.mark.parametrize("kind", ["arrays", "csv"])
def test_a_group_comes_in_when_another_begins_however_often_one_looks(tmp_path, kind):
    data = table(240, 0.7, 0.9).assign(doc=[f"d{n:02}" for n in np.repeat(np.arange(60), 4)])

    def look(n, **more):
        data[:n].to_csv(tmp_path / "t.csv", index=False)
        return referee.watch(data[:n] if kind == "arrays" else tmp_path / "t.csv", **SIDES, group="doc", **more)

    state, whole = tmp_path / "s.json", look(240)
    for n in (33, 34, 36, 37, 50, 239, 240):
        r = look(n, state=state)
        assert (r.n, r.waiting) == ((n - 1) // 4 * 4, n - (n - 1) // 4 * 4)
        assert r.n == max(one.n for one in r.looks)
    assert r.looked == 4  # looks at 34, 36 and 240 see no other complete group
    assert (r.p_value, r.stopped_at.n) == (pytest.approx(whole.p_value), whole.stopped_at.n)
    assert "4 examples of the last group, until another one begins" in " ".join(str(r).split())
    with pytest.raises(RefereeError, match="no longer those of the last look"):
        changed = data.assign(new=np.where(np.arange(240) == 238, 1 - data["new"], data["new"]))
        referee.watch(pd.concat([changed, data]), **SIDES, group="doc", state=state)


def test_what_is_left_out_of_groups():
    data = table(40).astype(float).assign(doc=np.arange(40) // 10)
    data.loc[[38, 39], "new"] = np.nan  # of the last group 8 are left
    r = referee.watch(data, **SIDES, group="doc", missing="drop")
    assert (r.n, r.waiting) == (30, 8)
    spread = referee.watch(data.assign(doc=np.arange(40) % 10), **SIDES, group="doc", missing="drop")
    assert (spread.n, spread.waiting) == (38, 0)
    counts = referee.count(data.dropna(), **SIDES, group="doc")
    assert referee.watch(counts).waiting == 0
    with pytest.raises(NotReady, match="there is one group so far, and more of its rows may come"):
        referee.watch(data[:10], **SIDES, group="doc")


def test_many_examples_are_gone_through_in_steps():
    data = table(9_000, 0.8, 0.82)
    r = referee.watch(data, **SIDES)
    assert r.stopped_at is not None
    assert r.stopped_at.n - r.stopped_at.after == 5
    before, at = (referee.watch(data[:n], **SIDES) for n in (r.stopped_at.after, r.stopped_at.n))
    assert at.p_value <= 0.05
    assert len(r.looks) <= watch_progress.MOST_LOOKS + 10
    assert r.stopped_at.n in [look.n for look in r.looks]
    assert before.stopped_at is None or before.stopped_at.n < r.stopped_at.n


def test_missing_rows_are_no_looks(tmp_path):
    data = table(120).astype(float)
    data.loc[[3, 50, 51, 90], "new"] = np.nan
    whole = referee.watch(data.dropna(), **SIDES)
    state = tmp_path / "s.json"
    for n in (52, 120):
        r = referee.watch(data[:n], **SIDES, missing="drop", state=state)
    assert (r.stopped_at.n, r.n, r.p_value) == (whole.stopped_at.n, 116, pytest.approx(whole.p_value))


def test_how_many_more_is_where_expected_evidence_is_enough():
    counts = referee.count(table(300, 0.76, 0.84, 2), **SIDES)
    r = referee.watch(counts)
    assert r.decision == "keep going"
    assert r.more is not None

    tally = tally_of(counts, metric_of("accuracy"))

    def p(k):
        up, down = Differences.of(tally).log_evidence(k * tally.multiplicities[None, :], 0.0)
        return float(p_of(up, down, "two-sided")[0])

    assert p(1 + r.more / 300) <= 0.05 < p(1 + (r.more - 2) / 300)
    doubled = referee.Counts.of(dict(counts.columns), 2 * counts.multiplicities)
    assert (referee.watch(doubled).decision == "stop") == (r.more <= 300)


def test_how_many_more_of_other_metrics_follows_the_normal_law():
    counts = referee.count(table(400, 0.76, 0.84, 5), **SIDES)
    r = referee.watch(counts, metric="f1")
    assert r.more is not None
    k = 1 + r.more / 400
    grown = referee.Counts.of(dict(counts.columns), np.round(k * counts.multiplicities).astype(int))
    assert referee.compare(grown, metric="f1", test="anytime", audit=False).p_value == pytest.approx(0.05, rel=0.15)


def test_no_end_in_sight():
    r = referee.watch(referee.count(table(300, 0.8, 0.8, 2), **SIDES), alternative="less")
    assert r.more is None
    assert str(r).startswith("Keep going: not shown yet after 300 examples; no end in sight.")


def test_identical_systems_never_stop():
    data = table(100, 0.8, 0.8)
    r = referee.watch(truth=data["label"], a=data["old"], b=data["old"].to_numpy(), names=("x", "y"))
    assert (r.decision, r.p_value, r.more, r.comparison.difference) == ("keep going", 1.0, None, 0.0)


def test_a_metric_that_is_not_defined_yet_waits():
    label = np.r_[np.zeros(30, int), np.tile([0, 1], 60)]
    new = label.copy()
    old = np.where(np.arange(150) % 3 == 0, 1 - label, label)
    r = referee.watch(truth=label, a=old, b=new, metric="recall", positive=1)
    assert r.decision == "stop"
    assert [look.difference for look in r.looks if look.n <= 30] == [None] * sum(look.n <= 30 for look in r.looks)
    assert all(look.p == 1.0 for look in r.looks if look.n <= 30)


def test_scores_on_a_scale_are_bet_on():
    rng = np.random.default_rng(0)
    a = rng.integers(1, 6, 150)
    b = np.clip(a + rng.integers(0, 3, 150), 1, 5)
    r = referee.watch(a=a, b=b, metric="mean:low=1,high=5")
    assert r.p_method == "exact"
    last = referee.compare(
        a=a[: r.stopped_at.n], b=b[: r.stopped_at.n], metric="mean:low=1,high=5", test="anytime", audit=False
    )
    assert last.p_value <= 0.05
    assert (
        referee.watch(a=a[: r.stopped_at.n - 1], b=b[: r.stopped_at.n - 1], metric="mean:low=1,high=5").decision
        == "keep going"
    )
    with pytest.raises(RefereeError, match="7"):
        referee.watch(a=np.r_[a, 7], b=np.r_[b, 5], metric="mean:low=1,high=5")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"test": "mcnemar"}, "mcnemar must not be looked at again and again"),
        ({"metric": ["f1", "accuracy"]}, "a watch follows one metric"),
        ({"margin": 0}, "margin must be a number above 0"),
        ({"margin": -0.1}, "margin must be a number above 0"),
        ({"question": "equal"}, "needs margin="),
        ({"alpha": 1.5}, "alpha"),
        ({"alternative": "more"}, "alternative"),
    ],
)
def test_what_is_refused(changes, told, tmp_path):
    with pytest.raises(OptionError, match=told):
        referee.watch(table(50), **SIDES, **changes, state=tmp_path / "s.json")
    assert list(tmp_path.iterdir()) == []


def test_slices_are_refused():
    counts = referee.count(table(50).assign(lang=["de", "en"] * 25), **SIDES, by="lang")
    with pytest.raises(RefereeError, match="these data have slices"):
        referee.watch(counts)


def test_two_samples_are_watched():
    first, second = table(300, 0.6, 0.6), table(300, 0.95, 0.95, 1)
    sides = {"truth": (first["label"], second["label"]), "a": first["old"], "b": second["new"]}
    r = referee.watch(**sides, paired=False)
    assert (r.decision, r.verdict, r.comparison.paired) == ("stop", "b better", False)


def test_what_is_kept_for_a_picture_is_bounded_and_even():
    asked = Asked(question="better", alternative="two-sided", alpha=0.05, margin=None, up=True)
    stopped = referee.watch(table(), **SIDES).stopped_at
    (one,) = referee.watch(referee.count(table(5), **SIDES)).looks
    made = [replace(one, n=n, low=None if n % 3 else 0.0) for n in range(1, 1000)]
    kept = watch_progress.thinned(made, stopped)
    sizes = [look.n for look in kept]
    assert sizes == sorted(sizes)
    assert {1, 999, stopped.n} <= set(sizes)
    assert len(kept) <= watch_progress.MOST_LOOKS + 3
    assert max(np.diff(sizes)) < 30
    assert asked.level == 0.95


def test_the_json_has_what_it_says(tmp_path):
    r = referee.watch(table(), **SIDES, state=tmp_path / "s.json")
    content = json.loads(r.to_json())
    assert content["schema"] == "referee.watch/1"
    assert (content["decision"], content["stopped_at"]["n"]) == ("stop", r.stopped_at.n)
    assert content["comparison"]["schema"] == "referee.comparison/1"
    assert str(tmp_path) not in r.to_json()
    assert math.isclose(content["log_stop"]["b"], math.log(40))
    assert set(content["looks"][0]) >= {
        "n",
        "units",
        "log_evidence_b",
        "log_evidence_a",
        "difference",
        "low",
        "high",
        "p",
    }
    assert len(r.to_frame("pandas")) == len(r.looks)
    assert r.gate == 0
