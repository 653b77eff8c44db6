"""The points of a line."""

from __future__ import annotations

from referee_papers.keller2005.panels import DCERR, MCNEMAR
from tests.papers.keller2005.made_up import papers_world, table


def test_lines_of_a_point():
    points = table(papers_world)
    assert [row["alpha_true"] for row in points.of("a", "tilt", DCERR)] == [0.03, 0.035, 0.045]
    assert points.of("a", "tilt", MCNEMAR, alpha=0.5) == []
