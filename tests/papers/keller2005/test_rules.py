"""Each rule tells a made-up optimist from a pessimist."""

from __future__ import annotations

from referee_papers.keller2005 import rules as rule
from tests.papers.keller2005.made_up import line


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


def test_agreement():
    assert rule.agree({"tilt": True, "swap": True}.get) is True
    assert rule.agree({"tilt": True, "swap": False}.get) is None
    assert rule.agree({"tilt": None, "swap": False}.get) is False
