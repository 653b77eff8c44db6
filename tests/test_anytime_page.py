"""The page about looking as data arrive: its tables and its chart are those of the stored numbers, and the bars hold."""

from __future__ import annotations

from benchmarks.anytime import BURN_INS, _page, stored

from referee.report.charts.theme import THEMES

NUMBERS = stored()
IMPOSSIBLE = "rare large losses: mean"
"""A loss that has not been seen yet cannot be known of."""


def test_the_page_and_its_chart_are_made_of_the_stored_numbers():
    text = _page.PAGE.read_text(encoding="utf-8")
    assert set(_page.TABLES) == {name for _, name, _ in _page.MARK.findall(text)}
    assert _page.page(text, NUMBERS) == text
    for look, theme in THEMES.items():
        drawn = (_page.CHARTS / f"anytime-{look}.svg").read_text(encoding="utf-8")
        assert drawn == _page.chart(NUMBERS["over time"], theme)


def test_no_more_than_alpha_where_others_exceed_it():
    for row in NUMBERS["peeking"]:
        assert row["rate"] <= 0.05 if row["test"] == "anytime" else row["rate"] > 0.25
    assert {row["rate"] <= 0.05 for row in NUMBERS["ratings"] if row["test"] == "anytime"} == {True}
    for row in NUMBERS["routes"]:
        start = BURN_INS.index(20 if row["base"] == "score" else 40)
        assert (row["anytime"][start] <= 0.05) == (row["scene"] != IMPOSSIBLE)
    for row in NUMBERS["carried"]:
        assert row["5"] <= 0.05 < row["0"]
        assert row["runs"] >= 1000


def test_it_stops_soon_enough():
    assert all(row["falling"] <= 1.6 for row in NUMBERS["stopping"])
    assert all(row["coverage"] >= 0.95 for row in NUMBERS["coverage"] if row["test"] == "anytime")
