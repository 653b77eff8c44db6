"""How verdicts add up, and how shares are written."""

from __future__ import annotations

from referee_papers.claims import everywhere, mostly, percent, somewhere


def test_summing_up():
    assert everywhere([True, None]) is True
    assert everywhere([True, False]) is False
    assert everywhere([None]) is None
    assert mostly([True, True, False, None]) is True
    assert somewhere([False, True]) is True


def test_percent():
    assert percent(0.5, None) == "50.0"
