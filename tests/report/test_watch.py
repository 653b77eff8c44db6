"""A watch in words: what is said first in every case, and what is behind it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import referee
from referee.data.counts import from_events
from referee.report.document import plain
from referee.report.documents import document_of
from referee.report.methods import paragraph
from referee.report.phrases import watch as words
from referee.results.comparison import Interval
from referee.results.watch import Stopped

BASE = referee.watch(from_events([61, 20, 9, 21, 6, 11, 11, 861], a="old", b="new"))
HALF = Interval(low=0.004, high=0.059, level=0.95, method="anytime")
FOUND = {
    "decision": "stop",
    "verdict": "b better",
    "interval": HALF,
    "p_value": 0.012,
    "more": None,
    "stopped_at": Stopped(n=870, look=3, after=869),
    "only_looks": "",
    "looked": 5,
}


def first_line(**changes):
    return plain(words.headline(replace(BASE, **changes))).replace("\xa0", " ")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"more": 912},
            "Keep going: too close to call after 1,000 examples; about 912 more at this difference.",
        ),
        ({"more": None}, "Keep going: too close to call after 1,000 examples; no end in sight."),
        (
            {"more": None, "alternative": "greater"},
            "Keep going: not shown yet after 1,000 examples; no end in sight.",
        ),
        (
            FOUND,
            'Stop: "new" is better than "old" (example 870; +1.1 points, 95% confidence sequence +0.4 to +5.9 points).',
        ),
        (
            {**FOUND, "verdict": "a better", "interval": HALF.flipped()},
            'Stop: "new" is worse than "old" (example 870; +1.1 points, 95% confidence sequence −5.9 to −0.4 points).',
        ),
        (
            {**FOUND, "stopped_at": Stopped(n=870, look=3, after=860)},
            'Stop: "new" is better than "old" (by example 870; +1.1 points, 95% confidence sequence +0.4 to +5.9 points).',
        ),
        (
            {**FOUND, "stopped_at": Stopped(n=870, look=3, after=400), "only_looks": "no order"},
            'Stop: "new" is better than "old" (after 870 examples; +1.1 points, 95% confidence sequence +0.4 to +5.9 points).',
        ),
        (
            {**FOUND, "higher_is_better": False},
            'Stop: "new" is better than "old" (example 870; +1.1 points, 95% confidence sequence +0.4 to +5.9 points, '
            "lower is better).",
        ),
    ],
    ids=["more", "no end", "one-sided", "stop", "worse", "steps", "looks", "losses"],
)
def test_what_is_said_first(changes, said):
    assert first_line(**changes) == said


def test_a_margin_is_told_where_it_decided():
    r = referee.watch(from_events([400, 2, 2, 40, 2, 9, 8, 537], a="old", b="new"), margin="3pp")
    assert r.verdict == "practically equal"
    said = plain(words.headline(r)).replace("\xa0", " ")
    assert said.startswith('Stop: "new" and "old" are practically equal (after 1,000 examples; ')
    assert "90% confidence sequence" in said
    assert said.endswith(", margin 3 points).")


def test_details_say_what_holds_however_often_one_looks():
    kept, stopped = str(BASE), str(replace(BASE, **FOUND))
    assert "run the same again; look as often as you like." in " ".join(kept.split())
    assert (
        "The false-alarm rate is at most 5% however often you looked. What came later does not change that."
        in " ".join(stopped.split())
    )
    assert "Over all looks p = 0.012." in " ".join(stopped.split())
    at_once = replace(BASE, **{**FOUND, "stopped_at": Stopped(n=1000, look=3, after=999)})
    assert "What came later" not in str(at_once)


def test_the_table_of_looks_has_the_crossing():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 900)
    old, new = (np.where(rng.random(900) < right, truth, 1 - truth) for right in (0.8, 0.9))
    r = referee.watch(truth=truth, a=old, b=new, names=("old", "new"))
    text = r.to_text(verbose=True)
    assert "As examples came in: the odds for B (new is better) and for A (old is better):" in " ".join(text.split())
    rows = [
        line.split() for line in text.partition("As examples came in")[2].splitlines() if line.strip()[:1].isdigit()
    ]
    assert str(r.stopped_at.n) in [row[0] for row in rows]
    assert rows[-1][0] == "900"
    assert len(rows) <= 25
    # One interval, one number: the last row ends where the verdict does, and no row is wider than those before.
    low, high = (float(end.strip("[],").replace("−", "-").replace("+", "")) for end in rows[-1][2:4])
    assert (round(100 * r.interval.low, 1), round(100 * r.interval.high, 1)) == (low, high)
    lows = [float(row[2].strip("[],").replace("−", "-").replace("+", "")) for row in rows]
    assert lows == sorted(lows)
    assert "40 to 1 is enough" in " ".join(text.split())


@pytest.mark.parametrize("cuts", [(400,), (200, 400)], ids=["one look", "several"])
def test_a_look_is_one_line_however_large_the_odds(tmp_path, cuts):
    b = np.r_[np.ones(100), np.zeros(300)]
    for n in cuts:
        r = referee.watch(a=1 - b[:n], b=b[:n], names=("old", "new"), state=tmp_path / "w.json")
    _, table = r.to_text(verbose=True).split("As examples came in")
    rows = [line.split() for line in table.splitlines() if line.strip()[:1].isdigit()]
    assert "for B" in table
    assert sum("1M" in row for row in rows) > 5
    assert {len(row) - row.count("over") - row.count("<") for row in rows} == {7 if len(cuts) == 1 else 8}


def test_a_stop_that_later_examples_contradict_is_told_and_passes_no_gate():
    b = np.r_[np.ones(100), np.zeros(300)]
    r = referee.watch(a=1 - b, b=b, names=("old", "new"))
    assert (r.decision, r.verdict, r.stopped_at.n, r.drift, r.gate) == ("stop", "b better", 9, True, 3)
    said = plain(words.headline(r)).replace("\xa0", " ")
    assert said == (
        'Stop: "new" is better than "old" on the evidence at example 9, but what the examples say has changed since '
        "(now −50.0 points, 95% confidence sequence −63.7 to −35.0 points)."
    )
    document = document_of(r)
    assert (document.verdict.tone, document.verdict.badge) == ("open", "stop: the examples have changed")
    assert "What came later does not change that" not in str(r)
    (case,) = document.cases()
    assert not case.passed
    told = paragraph.paragraph(r).replace("\xa0", " ")
    assert "new is significantly worse than old" in told
    assert "and over all looks p < 0.0001, which holds" in told
    tied = referee.watch(a=1 - b[:180], b=b[:180])
    assert (tied.drift, tied.gate) == (True, 3)
    assert "opposite way" not in paragraph.paragraph(tied)
    steady = referee.watch(a=1 - b[:100], b=b[:100])
    assert (steady.drift, steady.gate) == (False, 0)
    turned = referee.watch(a=b, b=1 - b)
    assert (turned.verdict, turned.gate) == ("a better", 3)


def test_no_worse_is_told_while_better_is_open():
    counts = from_events([401, 40, 40, 80, 41, 20, 36, 342], a="old", b="new")
    r = referee.watch(counts, margin="3pp")
    assert (r.decision, r.verdict) == ("keep going", "no worse")
    assert (
        plain(words.headline(r))
        .replace("\xa0", " ")
        .startswith('Keep going: "new" is no worse than "old" (margin 3 points), and may be better (1,000 examples); ')
    )


def test_odds_are_what_a_bet_has_grown_to():
    assert [words.odds(np.log(value)) for value in (1.0, 0.14, 3.21, 40.0, 2237.4, 3e7)] == [
        "1", "0.14", "3.2", "40", "2,237", "over 1,000,000",
    ]  # fmt: skip


def test_the_paper_is_told_of_the_looks():
    r = replace(BASE, **FOUND)
    told = paragraph.paragraph(r)
    assert "Evidence was computed as the examples came in, and the p-value is the smallest so far" in told
    assert "at 5 looks" in paragraph.paragraph(replace(r, only_looks="no order"))
    assert "95% confidence sequence [+0.4, +5.9]" in told
    assert r.signature in told
    assert any("before the first look" in line for line in paragraph.assumptions(r))
    assert {"Ville", "Waudby-Smith"} <= {name.split(",")[0] for name in paragraph.references(r)}


def test_it_is_told_in_two_lines_and_as_a_case():
    assert repr(BASE).startswith("<Watch: Keep going: too close to call after 1,000 examples;")
    (case,) = document_of(replace(BASE, **FOUND)).cases()
    assert case.passed
    (case,) = document_of(BASE).cases()
    assert (case.passed, case.kind) == (False, "keep going")


def test_queries_are_called_queries():
    counts = referee.Counts.of({"a": [0.0, 1.0, 1.0] * 9, "b": [1.0] * 27}, about={"noun": "query"})
    said = str(referee.watch(counts))
    assert "queries" in said
    assert "example" not in said
