"""Made-up data that the tests of this folder share."""

from __future__ import annotations

from referee.data.counts import from_events
from referee.studies.auditing.population import Population
from referee_papers.keller2005 import optimism
from referee_papers.keller2005.panels import DF1, LINES, NOISE, PANELS, PROPORTIONS, TIES, UNLIKE, Plan, Points

TINY = Plan(sizes=(100, 400), sets=6)


def worlds():
    unlike = {"x": [300, 60, 60, 40, 30, 50, 50, 410], "y": [250, 30, 90, 30, 30, 60, 50, 460]}
    like = {"x": [380, 8, 8, 50, 30, 6, 6, 512], "y": [300, 9, 12, 30, 30, 8, 5, 606]}
    made = {
        name: {key: Population.of(from_events(e)) for key, e in kind.items()}
        for name, kind in (("u", unlike), ("l", like))
    }
    return {panel: made["u" if panel in UNLIKE else "l"] for panel in PANELS}


def line(*rates, n=(100, 500, 2000), error=0.005, spread=0.01, power=None, **more):
    powers = power or [0.5] * len(rates)
    return [
        {"n": size, "alpha": 0.05, "alpha_true": rate, "error": error, "spread": spread, "power": p, **more}
        for size, rate, p in zip(n, rates, powers, strict=True)
    ]


def table(rates, ties=lambda panel, null: 10, different=lambda panel, null: 10):
    """All points, with the rates that a function gives for (panel, null, line)."""
    rows = []
    for panel in PANELS:
        for null in ("tilt", "swap", "observed", NOISE):
            for name in LINES:
                more = {"panel": panel, "null": null, "line": name}
                counts = {"categories": ties(panel, null), "different": different(panel, null)}
                rows += line(*rates(panel, null, name), power_error=0.01, power_spread=0.1, **more, **counts)
    return Points(rows)


def with_loose(points, rate):
    rows = [
        {"tie": tie, **row}
        for panel in PANELS
        for tie in TIES
        for row in line(*rate(tie), panel=panel, null="observed", line=DF1, categories=3, different=7)
    ]
    return optimism.add_tolerances(points, rows)


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
