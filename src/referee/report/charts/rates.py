"""Rates: the false alarms and the power of tests, against the size of the test set, or test by test at one size."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from referee.errors import OptionError
from referee.report import phrases
from referee.report.charts.canvas import SMALL, WIDTH, Canvas, Figure, Row, span, spot
from referee.report.charts.rates_by_size import NAMED, lines
from referee.report.charts.theme import LIGHT, Theme, altair, dressed
from referee.report.numbers import known, percent, whole
from referee.report.phrases import audit as said
from referee.results.audit import Audit, alarm_verdict
from referee.results.trials import Trials

DASHES = ((1, 0), (7, 3), (2, 2), (8, 3, 2, 3), (12, 4))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
ERRORS = 2
"""How many Monte Carlo errors either way are drawn."""
PANEL, HEIGHT, STEP = 330, 230, 30
NARROW = 294
"""How wide a panel is in a column of a page, its axis beside it."""
LABEL = 48
"""How many pixels the number of a size takes on its axis."""
LONGEST = 90
PANELS = {
    "false_alarm": ("false-alarms", "False alarms", "test sets with a false alarm"),
    "power": ("power", "Power", "test sets in which the difference is detected"),
}
"""What each panel is called in an address, its title, and what its shares are."""
CAPTIONS = {
    "false-alarms": "How often each test reports a difference between two learners that tie; the plain line is alpha.",
    "power": "How often each test detects that the second learner is better.",
}


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
    width: float = PANEL

    def share_axis(self) -> dict[str, Any]:
        """Return the axis of shares."""
        alt = altair()
        axis = alt.Axis(values=list(self.shares), format="~%", labelFlush=False, grid=True)
        return {"title": self.axis, "scale": alt.Scale(domain=[0, self.shares[-1]], nice=False), "axis": axis}

    def size_axis(self) -> Any:
        """Return the axis of sizes, a number at each that has room for it, the largest first."""
        alt, sizes = altair(), self.sizes
        low, high = (sizes[0], sizes[-1]) if len(sizes) > 1 else (sizes[0] / 2, sizes[0] * 2)
        gap = LABEL / self.width * math.log(high / low)
        ticks: list[int] = []
        for n in reversed(sizes):
            if not ticks or math.log(ticks[-1] / n) >= gap:
                ticks.append(n)
        scale = alt.Scale(type="log", domain=[low, high], nice=False, padding=12)
        axis = alt.Axis(values=ticks[::-1], format=",d", grid=False, labelOverlap=False, labelFlush=False)
        return alt.X("n:Q", title="examples in the test set", scale=scale, axis=axis)


def figure(
    rows: Iterable[Mapping[str, Any]], title: str, y_title: str, rule: float | None = None, columns: int = 2
) -> Any:
    """Draw panels of lines against the size of the test set, as papers on significance tests do.

    Args:
        rows: a point each: "panel" and "line" (what they are called), "n", "value" (a share, or None where there is
            none) and "error" (its Monte Carlo error, or None).
        title: of the whole.
        y_title: what the values are.
        rule: a share to hold the lines against, such as alpha.
        columns: how many panels stand beside each other.

    Returns:
        An altair chart; the panels have one scale and one legend.

    Raises:
        OptionError: if altair is not there, or there is no row.
    """
    panels: dict[str, list[Row]] = {}
    for row in rows:
        point = _point(row["line"], row["n"], row["value"], row["error"])
        panels.setdefault(str(row["panel"]), []).append(point)
    if not panels:
        raise OptionError("a figure needs rows; there are none", argument="rows")
    every, axis = list(chain.from_iterable(panels.values())), phrases.clean(y_title)
    names, reach, sizes = _names(every), shares(every, rule), _sizes(every)
    drawn = [
        _lines(Panel(points, names, phrases.clean(name, LONGEST), axis, reach, sizes, rule), LIGHT)
        for name, points in panels.items()
    ]
    return dressed(arrange(drawn, columns, phrases.clean(title, 120)), "light")


def _point(line: object, n: int, value: float | None, error: float | None) -> Row:
    """Return a point with its band of errors."""
    point: Row = {"line": phrases.clean(line, LONGEST), "n": n, "value": None, "low": None, "high": None}
    if not known(value):
        return point
    half = ERRORS * error if known(error) else 0.0
    return point | {"value": value, "low": max(value - half, 0.0), "high": min(value + half, 1.0)}


def _names(points: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(point["line"] for point in points))


def _sizes(points: Sequence[Row]) -> list[int]:
    return sorted({point["n"] for point in points})


def shares(points: Sequence[Row], rule: float | None) -> list[float]:
    """Return round shares for an axis that ends a little above all that is drawn."""
    highest = max([one["high"] for one in points if one["high"] is not None] + [1.5 * (rule or 0.0), 0.001])
    size = 10.0 ** math.floor(math.log10(highest))
    step = next(size * part for part in (0.2, 0.5, 1, 2) if highest <= 8 * size * part)
    return [min(round(i * step, 9), 1.0) for i in range(math.ceil(highest / step - 1e-9) + 1) if (i - 1) * step < 1]


def _lines(panel: Panel, theme: Theme) -> Any:
    """Draw a line for each test against size, in the band of its errors."""
    alt, names = altair(), list(panel.names)
    columns = max(1, int(panel.width // (8 * max(map(len, names)) + 40)))
    legend = alt.Legend(title=None, symbolOpacity=1, symbolStrokeWidth=0, columns=columns)

    def told_apart(channel: Any, looks: Sequence[Any], legend: Any) -> Any:
        used = [looks[i % len(looks)] for i in range(len(names))]
        return channel("line:N", scale=alt.Scale(domain=names, range=used), legend=legend)

    colour = told_apart(alt.Color, theme.lines, legend)
    shape = told_apart(alt.Shape, SHAPES, legend)
    dash = told_apart(alt.StrokeDash, [list(dash) for dash in DASHES], None)
    x, axis = panel.size_axis(), panel.share_axis()
    value, base = alt.Y("value:Q", **axis), alt.Chart(alt.InlineData(values=list(panel.points)))
    band = base.mark_area(opacity=0.13).encode(x, alt.Y("low:Q", **axis), alt.Y2("high:Q"), colour)
    line = base.mark_line(strokeWidth=2).encode(x, value, colour, dash)
    dots = base.mark_point(filled=True, size=48, opacity=1).encode(x, value, colour, shape)
    held = [] if panel.rule is None else [_rule_at(panel.rule, theme.ink).encode(y=alt.Y("rule:Q", **axis))]
    return alt.layer(band, *held, line, dots, width=panel.width, height=HEIGHT, title=panel.title)


def _rule_at(share: float, colour: str) -> Any:
    """Draw the share that tests are held against."""
    alt = altair()
    return alt.Chart(alt.InlineData(values=[{"rule": share}])).mark_rule(color=colour, strokeWidth=1.5)


def arrange(panels: Sequence[Any], columns: int, title: str, under: str = "") -> Any:
    """Put panels beside each other under a title."""
    alt = altair()
    head = alt.TitleParams(title, subtitle=under, offset=16, fontSize=17, subtitleFontSize=13, subtitlePadding=6)
    return alt.concat(*panels, columns=columns, title=head, spacing=34)


def audit(r: Audit, theme: Theme) -> Any:
    """Draw an audit as one chart: a row of two panels for each alpha."""
    wanted, drawn = _wanted(r), []
    for alpha in _alphas(r):
        for what in wanted:
            panel = _panel(r, what, alpha)
            drawn.append(_dots(panel, theme, labels=what == wanted[0]) if _one_size(r) else _by_size(panel, r, theme))
    a, b = said.names(r)
    looks = f", {said.looking(r)}" if r.peeks > 1 else ""
    title = f"Tests of {phrases.metric_name(r.metric, r.metric_info)}: {a} against {b}{looks}"
    return arrange(drawn, len(wanted), title, _drawn(r, wanted))


def audited(r: Audit, theme: Theme) -> list[Figure]:
    """Draw false alarms and power as figures of their own."""
    figures = []
    for what in _wanted(r):
        own = [_panel(r, what, alpha) for alpha in _alphas(r)]
        panels = [_rows(panel, theme) if _one_size(r) else _by_size(panel, r, theme) for panel in own]
        chart = panels[0] if len(panels) == 1 else altair().vconcat(*panels, spacing=24)
        key, title, _ = PANELS[what]
        figures.append(Figure(key, title, f"{_told(r, what)} {phrases.full(_drawn(r, [what]))}{_unnamed(r)}", chart))
    return figures


def _by_size(panel: Panel, r: Audit, theme: Theme) -> Any:
    return lines(panel.points, panel.shares, panel.rule, panel.title, _lead(r), theme)


def _lead(r: Audit) -> str:
    """Return the line of the test that compare takes."""
    return phrases.clean(said.label(r.row(alpha=r.alpha)), LONGEST) if r.chosen else ""


def _unnamed(r: Audit) -> str:
    """Say which lines have no name."""
    tests: dict[str, set[str]] = {}
    for row in r.rows:
        tests.setdefault(said.label(row), set()).add(alarm_verdict(row))
    named = [name for name, kinds in tests.items() if name == _lead(r) or "too many" in kinds]
    if _one_size(r) or len(tests) <= NAMED:
        return ""
    over = " and those with too many false alarms" if len(named) > 1 else ""
    return (
        f" Named are the test that compare takes{over}; the thin grey lines are the {len(tests) - len(named)} others."
    )


def tried(r: Trials, theme: Theme) -> list[Figure]:
    """Draw two figures for each world and pair of learners, as those of an audit."""
    worlds: dict[str, list[Row]] = {}
    for row in r.rows:
        named = {**row, "test": said.trial_name(row["design"], row["test"]), "groups": None}
        worlds.setdefault(f"{row['learners']} ({row['world']})", []).append(named)
    figures: list[Figure] = []
    empty: dict[str, Any] = {"metric": "accuracy", "advice": "", "chosen": "", "preferred": None, "null": ""}
    for place, (world, rows) in enumerate(worlds.items(), 1):
        drawn = f"{whole(rows[0]['sets'])} data sets, with ±{ERRORS} Monte Carlo standard errors."
        for one in audited(Audit(rows=tuple(rows), alpha=r.alpha, difference=None, **empty), theme):
            caption = f"{CAPTIONS[one.key]} {drawn}"
            figures.append(replace(one, key=f"{one.key}-{place}", title=f"{one.title}: {world}", caption=caption))
    return figures


def _told(r: Audit, what: str) -> str:
    a, b = said.names(r)
    by_size = "" if _one_size(r) else ", by size of the test set"
    looks = f", {said.looking(r)}" if r.peeks > 1 else ""
    if what == "power":
        return f"How often each test detects the difference between {a} and {b}{looks}{by_size}."
    metric = phrases.metric_name(r.metric, r.metric_info)
    return f"How often each test reports a difference in {metric} when there is none{looks}{by_size}."


def _drawn(r: Audit, wanted: Sequence[str]) -> str:
    sets, n = whole(r.rows[0]["sets"]), whole(r.rows[0]["n"])
    drawn = f"{sets} test sets of {n} examples" if _one_size(r) else f"{sets} test sets per size"
    under = f"{drawn}; bars are ±{ERRORS} Monte Carlo standard errors"
    return under + (", the plain line is alpha" if "false_alarm" in wanted else "")


def _one_size(r: Audit) -> bool:
    return len({row["n"] for row in r.rows}) == 1


def _alphas(r: Audit) -> list[float]:
    return list(dict.fromkeys(row["alpha"] for row in r.rows))


def _wanted(r: Audit) -> list[str]:
    return [what for what in PANELS if any(known(row[what]) for row in r.rows)] or list(PANELS)


def _panel(r: Audit, what: str, alpha: float, width: float = PANEL) -> Panel:
    """Return the panel of false alarms or of power at an alpha; groups ignored come last."""
    rows = [row for row in sorted(r.rows, key=lambda row: row["groups"] == "ignored") if row["alpha"] == alpha]
    points = [
        _point(said.label(row), row["n"], row[what], row[f"{what}_error"]) | {"kind": alarm_verdict(row)}
        for row in rows
    ]
    rule, (_, title, axis) = alpha if what == "false_alarm" else None, PANELS[what]
    heading = f"{title} at alpha {percent(alpha)}"
    return Panel(points, _names(points), heading, axis, shares(points, rule), _sizes(points), rule, width)


def _kinds(theme: Theme) -> dict[str, tuple[str, str]]:
    """Return the colour and the shape of each verdict."""
    grey = (theme.grey, "diamond")
    poor = {"too many": (theme.series[0], "triangle-up"), "too few sets": grey, "unknown": grey}
    return {"keeps": (theme.a, "circle"), "cautious": (theme.series[4], "square"), **poor}


def _dots(panel: Panel, theme: Theme, labels: bool) -> Any:
    """Draw a point for each test, with a bar of its errors."""
    alt, looks, used = altair(), _kinds(theme), {point["kind"] for point in panel.points}
    there = [kind for kind in looks if kind in used]
    colours, shapes = zip(*(looks[kind] for kind in there), strict=True)
    legend = alt.Legend(title="false alarms:", titleOrient="left", columns=len(looks))
    colour = alt.Color("kind:N", scale=alt.Scale(domain=there, range=list(colours)), legend=legend)
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=there, range=list(shapes)), legend=legend)
    names = alt.Axis(labelLimit=0, grid=True, domain=False, ticks=False, labelPadding=8, labels=labels)
    y, axis = alt.Y("line:N", sort=list(panel.names), title=None, axis=names), panel.share_axis()
    base = alt.Chart(alt.InlineData(values=list(panel.points)))
    bars = base.mark_rule(strokeWidth=2.5).encode(alt.X("low:Q", **axis), alt.X2("high:Q"), y, colour)
    dots = base.mark_point(filled=True, size=90, opacity=1).encode(alt.X("value:Q", **axis), y, colour, shape)
    # A rule makes a panel a little taller: one on the grid's first line keeps the titles of neighbours level.
    shade = theme.grid if panel.rule is None else theme.ink
    held = _rule_at(panel.rule or 0.0, shade).encode(x=alt.X("rule:Q", **axis))
    return alt.layer(held, bars, dots, width=panel.width, height={"step": STEP}, title=panel.title)


def _rows(panel: Panel, theme: Theme) -> Any:
    """Draw a row for each test in a narrow column: its name above, its point with a bar of errors below."""
    looks, step, top = _kinds(theme), 36, 26
    canvas = Canvas(theme, 0.0, panel.shares[-1], 6, WIDTH - 20)
    canvas.ruler(panel.axis, shares=panel.shares)
    canvas.word(0, 8, panel.title, fontWeight="bold")
    rows = [(one, top + step * i + 24, *looks[one["kind"]]) for i, one in enumerate(panel.points)]
    if panel.rule is not None:
        canvas.rules([span(panel.rule, panel.rule, y - 9, y + 9, theme.ink) for _, y, *_ in rows], strokeWidth=1.6)
    measured = [row for row in rows if row[0]["value"] is not None]
    canvas.rules([span(one["low"], one["high"], y, y, fill) for one, y, fill, _ in measured], strokeWidth=2.5)
    canvas.points([spot(one["value"], y, fill, shape) for one, y, fill, shape in measured], size=90)
    told = ("too many", "cautious") if panel.rule else ()
    names = [f"{one['line']} ({one['kind']})" if one["kind"] in told else one["line"] for one in panel.points]
    canvas.words(0, [y - 15 for _, y, *_ in rows], names, fontSize=SMALL, limit=WIDTH - 24)
    return canvas.chart(top + step * len(panel.points))
