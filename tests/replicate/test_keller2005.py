"""The panels run as one grid, and each rule tells a made-up optimist from a pessimist."""

from __future__ import annotations

import csv
import json
import sqlite3
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from referee.data.counts import from_events
from referee.errors import OptionError, RefereeError
from referee.replicate import _claim, _figures, _findings, _panels, keller2005
from referee.replicate import _judging as rule
from referee.replicate._panels import DCERR, DF1, LINES, MCNEMAR, NOISE, PANELS, PROPORTIONS, Plan
from referee.replicate._tables import TIES, Points, gather, share, within
from referee.studies.auditing.population import Population

TINY = Plan(sizes=(100, 400), sets=6)
KEYS = {"what", "paper", "ours", "agrees", "note"}


def worlds():
    unlike = {"x": [300, 60, 60, 40, 30, 50, 50, 410], "y": [250, 30, 90, 30, 30, 60, 50, 460]}
    like = {"x": [380, 8, 8, 50, 30, 6, 6, 512], "y": [300, 9, 12, 30, 30, 8, 5, 606]}
    made = {
        name: {key: Population.of(from_events(e)) for key, e in kind.items()}
        for name, kind in (("u", unlike), ("l", like))
    }
    return {panel.key: made["u" if panel.unlike else "l"] for panel in PANELS}


@pytest.fixture(scope="module")
def measured():
    return worlds(), _panels.measure(worlds(), TINY, jobs=1)


def test_contract(measured):
    made, values = measured
    result = keller2005.judged(gather(made, TINY, values), within(made, TINY, values, DF1), TINY, "rcv1")
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert content["schema"] == "referee.replication/1"
    assert "2 to 2 categories a panel, 6 test sets" in content["paper"]
    assert all(set(row) == KEYS and row["agrees"] in (True, False, None) for row in content["rows"])
    assert content["conclusion"].startswith("Of 16 findings")
    titles = [table["title"] for table in content["tables"]]
    assert len(titles) == len(set(titles)) == 2 + 4 * len(PANELS)
    one = content["tables"][2]
    assert (one["panel"], one["null"], one["alpha"]) == ("a", "tilt", 0.05)
    assert {"line", "n", "alpha_true", "spread", "power", "categories"} <= set(one["rows"][0])
    for form in ("text", "markdown", "latex"):
        assert "Benchmarking" in result.to(form)
    said = str(result)
    assert "cannot be judged" in said and "[agrees]" in said and "bootstrap dF1" in said


def test_jobs_change_nothing(measured):
    made, values = measured
    some = {"b": made["b"]}
    assert _panels.measure(some, TINY, jobs=2) == {key: one for key, one in values.items() if key.startswith("b/")}


def test_a_stopped_run_goes_on(measured, tmp_path):
    made, values = measured
    small = {"a": made["a"]}
    file = tmp_path / "cells.sqlite"
    fresh = _panels.measure(small, TINY, jobs=1, store=file)
    with sqlite3.connect(file) as connection:
        connection.execute("DELETE FROM cells WHERE rowid % 2 = 0")
    assert _panels.measure(small, TINY, jobs=1, store=file) == fresh
    assert fresh == {key: value for key, value in values.items() if key.startswith("a/")}
    with pytest.raises(RefereeError, match="another grid"):
        _panels.measure(small, replace(TINY, sets=13), jobs=1, store=file)


def test_both_metrics_see_the_same_sets(measured):
    _, values = measured
    f1, error = values["a/f1/x/400"], values["a/error/x/400"]
    assert f1["range"][0] < f1["difference"] < f1["range"][1]
    assert error["range"][0] < error["difference"] < error["range"][1]


def test_figures(measured, tmp_path, monkeypatch):
    made, values = measured
    nowhere = {"alpha_true": None, "power": None}
    points = Points([row | (nowhere if row["null"] == "observed" else {}) for row in gather(made, TINY, values).rows])
    monkeypatch.setattr(_figures, "DRAWN", ("tilt", "observed"))
    monkeypatch.setattr(_figures, "ENDINGS", (".svg",))
    files = _figures.draw(points, within(made, TINY, values, DF1), tmp_path / "new", "made")
    names = {file.name for file in files}
    assert {"fig1-made-tilt.svg", "fig2-made-tilt.svg", "points-made.csv", "tolerance-made.csv"} <= names
    assert "fig1-made-observed.svg" not in names  # no category ties: nothing to draw
    for file in files:
        if file.suffix == ".svg":
            assert ElementTree.parse(file).getroot().tag.endswith("svg")
    with (tmp_path / "new" / "points-made.csv").open(encoding="utf-8") as source:
        assert len(list(csv.DictReader(source))) == len(points.rows)


def test_options():
    with pytest.raises(RefereeError, match="corpus"):
        keller2005.run(corpus="wordnets")
    with pytest.raises(OptionError, match="sets"):
        keller2005.run(sets=1)


# --- the rules, on made-up points ---


def line(*rates, n=(100, 500, 2000), error=0.005, spread=0.01, power=None, **more):
    powers = power or [0.5] * len(rates)
    return [
        {"n": size, "alpha": 0.05, "alpha_true": rate, "error": error, "spread": spread, "power": p, **more}
        for size, rate, p in zip(n, rates, powers, strict=True)
    ]


def test_optimism_and_pessimism():
    assert rule.on_average_optimistic(line(0.08, 0.07, 0.09)) is True
    assert rule.on_average_optimistic(line(0.055, 0.055, 0.055)) is False
    assert rule.on_average_optimistic(line(0.01, 0.3, 0.01)) is False  # one size alone
    assert rule.on_average_optimistic(line(None, None, None)) is None
    assert rule.always_pessimistic(line(0.01, 0.03, 0.05)) is True
    assert rule.always_pessimistic(line(0.01, 0.01, 0.09)) is False
    assert rule.always_pessimistic(line(0.055, 0.055, 0.055)) is False
    assert rule.always_pessimistic(line(0.049, 0.049, 0.049)) is False  # within two errors of alpha
    assert rule.ever_optimistic(line(0.01, 0.09, 0.01), 500) is True
    assert rule.ever_optimistic(line(0.01, 0.01, 0.09), 500) is False


def test_like_and_unlike_models_are_judged_by_one_rule():
    """What counts as optimistic for unlike models is not called pessimistic for like ones, however small the excess."""
    for rate in (0.052, 0.054, 0.056, 0.06):
        points = line(0.01, 0.01, rate, error=0.0009)
        assert rule.ever_optimistic(points, 2000) is True
        assert rule.always_pessimistic(points) is False
    assert rule.always_pessimistic(line(0.01, 0.01, 0.0517, error=0.0009)) is True  # not by chance takes two errors


def test_trends():
    assert rule.approaches(line(0.01, 0.03, 0.045)) is True
    assert rule.approaches(line(0.05, 0.03, 0.01)) is False
    assert rule.reaches(line(0.0, 0.0, 0.04)) is True
    assert rule.reaches(line(0.05, 0.05, 0.01)) is False
    wide, narrow = line(0.05, spread=0.04, n=(100,)), line(0.05, spread=0.01, n=(2000,))
    assert rule.narrows([*wide, *narrow]) is True
    assert rule.narrows([*narrow, *wide]) is False
    assert rule.mostly_within_spread(line(0.055, 0.055, 0.2)) is True
    assert rule.mostly_within_spread(line(0.055, 0.2, 0.2)) is False
    assert rule.low_at_largest(line(0.05, 0.05, 0.05, power=[0.9, 0.9, 0.4])) is True


def test_pairs_of_lines():
    assert rule.alike(line(0.03, 0.04, 0.05), line(0.04, 0.05, 0.05)) is True
    assert rule.alike(line(0.0, 0.0, 0.0), line(0.05, 0.05, 0.05)) is False
    assert rule.alike(line(None, None, None), line(0.05, 0.05, 0.05)) is None
    strong, weak = line(0.05, 0.05, 0.05, power=[0.5, 0.6, 0.9]), line(0.05, 0.05, 0.05, power=[0.1, 0.2, 0.8])
    assert rule.higher(strong, weak, "power") is True
    assert rule.higher(weak, strong, "power") is False


def test_summing_up():
    assert rule.everywhere([True, None]) is True
    assert rule.everywhere([True, False]) is False
    assert rule.everywhere([None]) is None
    assert rule.mostly([True, True, False, None]) is True
    assert rule.somewhere([False, True]) is True
    assert rule.agreed({"tilt": True, "swap": True}.get) is True
    assert rule.agreed({"tilt": True, "swap": False}.get) is None
    assert rule.agreed({"tilt": None, "swap": False}.get) is False


def table(rates, ties=lambda panel, null: 10, different=lambda panel, null: 10):
    """All points, with the rates that a function gives for (panel, null, line)."""
    rows = []
    for panel in PANELS:
        for null in ("tilt", "swap", "observed", NOISE):
            for name in LINES:
                more = {"panel": panel.key, "null": null, "line": name}
                counts = {"categories": ties(panel.key, null), "different": different(panel.key, null)}
                rows += line(*rates(panel.key, null, name), power_error=0.01, power_spread=0.1, **more, **counts)
    return Points(rows)


def loose(rate):
    return [
        {"tie": tie, **row}
        for panel in PANELS
        for tie in TIES
        for row in line(*rate(tie), panel=panel.key, null="observed", line=DF1, categories=3, different=7)
    ]


def papers_world(panel, null, name):
    """The paper as it tells itself."""
    if name == DF1:
        return (0.12, 0.08, 0.07) if panel in "ab" else (0.02, 0.03, 0.04)
    if name == PROPORTIONS:
        return (0.09, 0.01, 0.01) if panel == "d" else (0.0, 0.005, 0.01)
    return (0.03, 0.035, 0.045)


def calm_world(panel, null, name):
    """Tests keep their rates, but where small differences are called none."""
    return (0.09, 0.2, 0.3) if null == NOISE and name == DF1 and panel in "ab" else (0.01, 0.03, 0.045)


def agrees(points):
    return {row["what"]: row["agrees"] for row in _findings.findings(points)}


def test_findings():
    optimistic = "the bootstrap on dF1 is on average always optimistic for unlike models"
    small = "but not for close models on small unbalanced sets (figure 1d)"
    told = agrees(table(papers_world))
    assert told[optimistic] is True and told[small] is True
    assert told["McNemar and the bootstrap on dCerr are always pessimistic"] is True
    assert told["the bootstrap on dF1 is pessimistic for like models"] is True
    told = agrees(table(calm_world))
    assert told[optimistic] is False and told[small] is False
    torn = table(lambda panel, null, name: papers_world(panel, null, name) if null == "tilt" else (0.01, 0.03, 0.045))
    row = next(row for row in _findings.findings(torn) if row["what"] == optimistic)
    assert row["agrees"] is None and "contradict" in row["note"]


def test_findings_by_null():
    """The bootstrap on dF1 as the paper has it under noise, calm under the others; observed tells nothing."""

    def rates(panel, null, name):
        return (None, None, None) if null == "observed" else calm_world(panel, null, name)

    told = _findings.verdicts(table(rates))
    assert len(told) == 16
    optimistic = next(row for row in told if "on average always optimistic" in row["finding"])
    assert [optimistic[null] for null in ("tilt", "swap", "observed", NOISE)] == [False, False, None, True]
    made = _findings.by_null(told)
    held = [str(sum(row[null] is True for row in told)) for null in ("tilt", "swap", "observed", NOISE)]
    assert list(made.body[-1]) == ["hold, of 16", *held] and len(made.body) == 17
    counted = f"tilt {held[0]}, swap {held[1]}, observed {held[2]} (10 cannot be judged), noise {held[3]}"
    assert _findings.counted(told) == counted


def test_conclusion():
    made = _claim.conclusion(table(calm_world), loose(lambda tie: (0.02, 0.03 + 20 * tie, 0.04 + 40 * tie)))
    assert (
        "above alpha at 0 of 12 points, of like models at 0 of 12" in made
        and "mostly a matter of what is called H0" in made
        and "it grows with n" in made
    )
    assert "noise (a), noise (b)" in made and "does not say" in made
    made = _claim.conclusion(table(papers_world), loose(lambda tie: (0.02, 0.02, 0.02)))
    assert "even where H0 is exactly true: tilt (a), tilt (b), swap (a), swap (b)" in made
    calm = table(lambda *_: (0.01, 0.03, 0.045))
    assert "does not appear here" in _claim.conclusion(calm, loose(lambda tie: (0.02, 0.02, 0.02)))


def test_absences():
    found = table(calm_world, lambda p, null: 0 if null == NOISE else 3, lambda p, null: 0 if null == NOISE else 9)
    assert [row["agrees"] for row in _findings.absences(found)] == [False, True, False, True]


def test_lines_of_a_point():
    points = table(papers_world)
    assert [row["alpha_true"] for row in points.of("a", "tilt", DCERR)] == [0.03, 0.035, 0.045]
    assert points.of("a", "tilt", MCNEMAR, alpha=0.5) == []
    assert share(0.5, None) == "50.0"
