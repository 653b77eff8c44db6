"""The power curve: how often a difference would be detected, by size of the test set, with the plan and the pilot marked."""

from __future__ import annotations

import math
from typing import Any

from referee.report import phrases
from referee.report.charts.canvas import SMALL, Figure, Row
from referee.report.charts.rates import ERRORS, HEIGHT, NARROW, Panel
from referee.report.charts.theme import Theme, altair
from referee.report.numbers import known, percent, whole
from referee.report.phrases import plan as said
from referee.results.plan import Plan

SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def power(r: Plan, theme: Theme) -> list[Figure]:
    """Draw the curve."""
    points = [_point(row) for row in r.curve]
    if not points:
        return []
    here = None if r.pilot is None else {"n": r.pilot["n"], "value": r.pilot["power"]}
    planned = {"n": r.n, "value": r.power}
    sizes = sorted({point["n"] for point in points} | {r.n} | ({here["n"]} if here else set()))
    aim = r.power if r.solved != "power" else None
    panel = Panel(points, ["power"], "", "test sets in which it is detected", SHARES, sizes, aim, NARROW)
    if r.question != "better":
        panel = Panel(points, ["power"], "", "test sets in which it is shown", SHARES, sizes, aim, NARROW)
    return [Figure("power-curve", "Power by size of the test set", _caption(r), _drawn(panel, planned, here, theme))]


def _point(row: dict[str, Any]) -> Row:
    half = ERRORS * row["error"] if known(row["error"]) else 0.0
    return {
        "n": row["n"],
        "value": row["power"],
        "low": max(row["power"] - half, 0.0),
        "high": min(row["power"] + half, 1.0),
    }


def _caption(r: Plan) -> str:
    """Say what is seen."""
    what = "How often the difference would be detected, by size of the test set"
    if r.question != "better":
        what = f"How often {'it is shown that B is no worse' if r.question == 'no-worse' else 'equality is shown'}, by size of the test set"
    target = "" if r.solved == "power" else f"; the plain line is a power of {percent(r.power)}"
    pilot = "" if r.pilot is None else f", the square the pilot ({whole(r.pilot['n'])} examples)"
    bands = f" The band is ±{ERRORS} Monte Carlo standard errors." if r.sets else ""
    return f"{phrases.full(f'{what}{target}')} The diamond is the plan ({said.sized(r, exact=True)}){pilot}.{bands}"


def _drawn(panel: Panel, planned: Row, here: Row | None, theme: Theme) -> Any:
    alt = altair()
    x, axis = panel.size_axis(), panel.share_axis()
    base = alt.Chart(alt.InlineData(values=list(panel.points)))
    band = base.mark_area(opacity=0.13, color=theme.a).encode(x, alt.Y("low:Q", **axis), alt.Y2("high:Q"))
    line = base.mark_line(strokeWidth=2, color=theme.a).encode(x, alt.Y("value:Q", **axis))
    dots = base.mark_point(filled=True, size=36, opacity=1, color=theme.a).encode(x, alt.Y("value:Q", **axis))
    layers = [band]
    if panel.rule is not None:
        rule = alt.Chart(alt.InlineData(values=[{"rule": panel.rule}])).mark_rule(color=theme.ink, strokeWidth=1.5)
        layers.append(rule.encode(y=alt.Y("rule:Q", **axis)))
    layers += [
        line,
        dots,
        *_mark(planned, f"plan: {whole(planned['n'])}", "diamond", theme.b, True, panel, axis, theme),
    ]
    if here is not None:
        layers += _mark(here, f"pilot: {whole(here['n'])}", "square", theme.ink, False, panel, axis, theme)
    return alt.layer(*layers, width=panel.width, height=HEIGHT)


def _mark(
    spot: Row, text: str, shape: str, colour: str, above: bool, panel: Panel, axis: dict[str, Any], theme: Theme
) -> list[Any]:
    """Mark a place on the curve, with words above or below it that stay inside."""
    alt, x = altair(), panel.size_axis()
    base = alt.Chart(alt.InlineData(values=[{**spot, "text": text}]))
    low, high = panel.sizes[0], panel.sizes[-1]
    part = math.log(spot["n"] / low) / math.log(high / low) if high > low else 0.5
    # The curve rises: above it there is room to the left, below it to the right, and near an end on its own side.
    align = "left" if (part < 0.35 if above else part < 0.75) else "right"
    look = {
        "align": align,
        "dx": 10 if align == "left" else -10,
        "dy": -14 if above else 20,
    }
    point = base.mark_point(filled=True, size=110, opacity=1, color=colour, shape=shape)
    behind = base.mark_text(fontSize=SMALL, color=theme.paper, stroke=theme.paper, strokeWidth=4, clip=False, **look)
    words = base.mark_text(fontSize=SMALL, color=colour, fontWeight="bold", clip=False, **look)
    y = alt.Y("value:Q", **axis)
    return [one.encode(x, y, alt.Text("text:N")) for one in (behind, words)] + [point.encode(x, y)]
