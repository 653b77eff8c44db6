"""Lines: panels of shares against the size of the test set, or by test where there is one size."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.errors import OptionError
from referee.report import phrases
from referee.report.charts.canvas import Row
from referee.report.charts.theme import LIGHT, Theme, altair, dressed
from referee.report.numbers import known

DASHES = ((1, 0), (7, 3), (2, 2), (8, 3, 2, 3), (12, 4))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
ERRORS = 2
"""How many Monte-Carlo errors either way are drawn."""
WIDTH, HEIGHT, STEP = 330, 230, 30
LABEL = 48
"""How many pixels the number of a size takes on its axis."""
LONGEST = 90


@dataclass(frozen=True)
class Panel:
    """What a panel shows: points of named lines, on an axis of shares."""

    points: Sequence[Row]
    names: Sequence[str]
    title: str
    axis: str
    shares: Sequence[float]
    sizes: Sequence[int]
    rule: float | None = None
    width: float = WIDTH


def figure(
    rows: Iterable[Mapping[str, Any]], title: str, y_title: str, rule: float | None = None, columns: int = 2
) -> Any:
    """Draw panels of lines against the size of the test set, as papers on significance tests do.

    Args:
        rows: a point each: "panel" and "line" (what they are called), "n", "value" (a share, or None where there is
            none) and "error" (its Monte-Carlo error, or None).
        title: of the whole.
        y_title: what the values are.
        rule: a share to hold the lines against, such as alpha.
        columns: how many panels stand beside each other.

    Returns:
        An altair chart; the panels have one scale and one legend.

    Raises:
        OptionError: where altair is not there, or there is no row.
    """
    found = [point(row["line"], row["n"], row["value"], row["error"]) | {"panel": str(row["panel"])} for row in rows]
    if not found:
        raise OptionError("a figure needs rows; there are none")
    names = tuple(dict.fromkeys(one["line"] for one in found))
    reach, sizes = shares(found, rule), sizes_of(found)
    panels = []
    for name in dict.fromkeys(one["panel"] for one in found):
        mine = [one for one in found if one["panel"] == name]
        panels.append(
            lines(Panel(mine, names, phrases.clean(name, LONGEST), phrases.clean(y_title), reach, sizes, rule), LIGHT)
        )
    return dressed(arrange(panels, columns, phrases.clean(title, 120)), "light")


def point(line: object, n: int, value: float | None, error: float | None) -> Row:
    """Return a point with its band of errors."""
    if value is None or not known(value):
        return {"line": phrases.clean(line, LONGEST), "n": n, "value": None, "low": None, "high": None}
    half = ERRORS * error if error is not None and known(error) else 0.0
    low, high = max(value - half, 0.0), min(value + half, 1.0)
    return {"line": phrases.clean(line, LONGEST), "n": n, "value": value, "low": low, "high": high}


def lines(panel: Panel, theme: Theme) -> Any:
    """Draw a line for each test against size, in the band of its errors."""
    alt = altair()
    places = range(len(panel.names))
    longest = max(map(len, panel.names))
    columns = max(1, int(panel.width // (8 * longest + 40)))
    legend = alt.Legend(title=None, symbolOpacity=1, symbolStrokeWidth=0, columns=columns)
    colours = theme.lines
    colour = alt.Color("line:N", scale=_scale(panel.names, [colours[i % len(colours)] for i in places]), legend=legend)
    shape = alt.Shape("line:N", scale=_scale(panel.names, [SHAPES[i % len(SHAPES)] for i in places]), legend=legend)
    dash = alt.StrokeDash("line:N", scale=_scale(panel.names, [DASHES[i % len(DASHES)] for i in places]), legend=None)
    x, axis = _size_axis(panel), share_axis(panel)
    base = alt.Chart(alt.InlineData(values=list(panel.points)))
    band = base.mark_area(opacity=0.13).encode(x=x, y=alt.Y("low:Q", **axis), y2=alt.Y2("high:Q"), color=colour)
    line = base.mark_line(strokeWidth=2).encode(x=x, y=alt.Y("value:Q", **axis), color=colour, strokeDash=dash)
    dots = base.mark_point(filled=True, size=48, opacity=1).encode(
        x=x, y=alt.Y("value:Q", **axis), color=colour, shape=shape
    )
    held = [] if panel.rule is None else [rule_at(panel.rule, theme.ink).encode(y=alt.Y("rule:Q", **axis))]
    return alt.layer(band, *held, line, dots, width=panel.width, height=HEIGHT, title=panel.title)


def rule_at(share: float, colour: str) -> Any:
    """Draw the share that tests are held against."""
    alt = altair()
    return alt.Chart(alt.InlineData(values=[{"rule": share}])).mark_rule(color=colour, strokeWidth=1.5)


def _scale(domain: Sequence[str], values: Sequence[Any]) -> Any:
    return altair().Scale(domain=list(domain), range=[list(v) if isinstance(v, tuple) else v for v in values])


def shares(points: Sequence[Row], rule: float | None) -> list[float]:
    """Return round shares for an axis that ends a little above all that is drawn."""
    highest = max([one["high"] for one in points if one["high"] is not None] + [1.5 * (rule or 0.0), 0.001])
    size = 10.0 ** math.floor(math.log10(highest))
    step = next(size * part for part in (0.2, 0.5, 1, 2) if highest <= 8 * size * part)
    return [min(round(i * step, 9), 1.0) for i in range(math.ceil(highest / step - 1e-9) + 1) if (i - 1) * step < 1]


def share_axis(panel: Panel) -> dict[str, Any]:
    """Return the axis of shares."""
    alt = altair()
    axis = alt.Axis(values=list(panel.shares), format="~%", labelFlush=False, grid=True)
    return {"title": panel.axis, "scale": alt.Scale(domain=[0, panel.shares[-1]], nice=False), "axis": axis}


def sizes_of(points: Sequence[Row]) -> list[int]:
    """Return the sizes that there are, in order."""
    return sorted({one["n"] for one in points})


def _size_axis(panel: Panel) -> Any:
    """Return the axis of sizes, a number at each that has room for it, the largest first."""
    alt, sizes = altair(), panel.sizes
    low, high = (sizes[0], sizes[-1]) if len(sizes) > 1 else (sizes[0] / 2, sizes[0] * 2)
    gap = LABEL / panel.width * math.log(high / low)
    ticks: list[int] = []
    for n in reversed(sizes):
        if not ticks or math.log(ticks[-1] / n) >= gap:
            ticks.append(n)
    return alt.X(
        "n:Q",
        title="examples in the test set",
        scale=alt.Scale(type="log", domain=[low, high], nice=False, padding=12),
        axis=alt.Axis(values=ticks[::-1], format=",d", grid=False, labelOverlap=False, labelFlush=False),
    )


def arrange(panels: Sequence[Any], columns: int, title: str, under: str = "") -> Any:
    """Put panels beside each other under a title."""
    alt = altair()
    head = alt.TitleParams(title, subtitle=under, offset=16, fontSize=17, subtitleFontSize=13, subtitlePadding=6)
    return alt.concat(*panels, columns=columns, title=head, spacing=34)
