"""The figures and tables as files."""

from __future__ import annotations

import csv
from xml.etree import ElementTree

from referee_papers.keller2005 import figures
from referee_papers.keller2005.panels import DF1, Points, gather, gather_within
from tests.papers.keller2005.made_up import TINY


def test_figures(measured, tmp_path, monkeypatch):
    made, values = measured
    nowhere = {"alpha_true": None, "power": None}
    points = Points([row | (nowhere if row["null"] == "observed" else {}) for row in gather(made, TINY, values).rows])
    monkeypatch.setattr(figures, "WORLDS", {"tilt": "H0: a tie", "observed": "H0: a true tie"})
    monkeypatch.setattr(figures, "ENDINGS", (".svg",))
    files = figures.draw(points, gather_within(made, TINY, values, DF1), tmp_path / "new", "made")
    names = {file.name for file in files}
    assert {"fig1-made-tilt.svg", "fig2-made-tilt.svg", "points-made.csv", "tolerance-made.csv"} <= names
    assert "fig1-made-observed.svg" not in names  # no category ties: nothing to draw
    for file in files:
        if file.suffix == ".svg":
            assert ElementTree.parse(file).getroot().tag.endswith("svg")
    with (tmp_path / "new" / "points-made.csv").open(encoding="utf-8") as source:
        assert len(list(csv.DictReader(source))) == len(points.rows)
