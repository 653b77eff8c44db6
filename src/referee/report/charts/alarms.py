"""Alarms: an audit's false alarms and power, against the size of the test set or test by test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.report import phrases
from referee.report.charts import lines
from referee.report.charts.canvas import SMALL, WIDTH, Canvas, Figure, level, spot, upright
from referee.report.charts.lines import ERRORS, STEP, Panel
from referee.report.charts.theme import Theme, altair
from referee.report.numbers import known, percent, whole
from referee.report.phrases import audit as said
from referee.results.audit import Audit, alarm_verdict

PANELS = {
    "false_alarm": ("False alarms", "test sets with a false alarm"),
    "power": ("Power", "test sets in which the difference is seen"),
}
KEYS = {"false_alarm": "false-alarms", "power": "power"}
SHAPES = {"keeps": "circle", "cautious": "square", "too many": "triangle-up", "unknown": "diamond"}
NARROW = 294
"""How wide a panel is in a column of a page, its axis beside it."""


def kinds(theme: Theme) -> dict[str, tuple[str, str]]:
    """Return the colour and the shape of each verdict."""
    colours = {"keeps": theme.a, "cautious": theme.series[4], "too many": theme.series[0], "unknown": theme.grey}
    return {kind: (colours[kind], shape) for kind, shape in SHAPES.items()}


def audit(r: Audit, theme: Theme) -> Any:
    """Draw an audit as one chart: a row of two panels for each alpha."""
    one_size, wanted = _one_size(r), _wanted(r)
    panels = [(what, _panel(r, what, alpha)) for alpha in _alphas(r) for what in wanted]
    a, b = said.names(r)
    head = f"Tests of {phrases.clean(r.metric)}: {a} against {b}"
    drawn = [
        _dots(r, panel, theme, labels=what == wanted[0], rule=what == "false_alarm")
        if one_size
        else lines.lines(panel, theme)
        for what, panel in panels
    ]
    return lines.arrange(drawn, len(wanted), head, _drawn(r, wanted))


def audited(r: Audit, theme: Theme) -> list[Figure]:
    """Draw false alarms and power as figures of their own."""
    found = []
    for what in _wanted(r):
        panels = []
        for alpha in _alphas(r):
            panel = _panel(r, what, alpha, NARROW)
            panels.append(_rows(r, panel, theme) if _one_size(r) else lines.lines(panel, theme))
        chart = panels[0] if len(panels) == 1 else altair().vconcat(*panels, spacing=24)
        found.append(Figure(KEYS[what], PANELS[what][0], f"{_told(r, what)} {phrases.full(_drawn(r, [what]))}", chart))
    return found


def _told(r: Audit, what: str) -> str:
    a, b = said.names(r)
    over = "for each test" if _one_size(r) else "for each test by the size of the test set"
    if what == "power":
        return f"How often {a} and {b} are told apart where they differ as they do, {over}."
    return f"How often a difference in {phrases.clean(r.metric)} is claimed where there is none, {over}."


def _drawn(r: Audit, wanted: Sequence[str]) -> str:
    sets, n = whole(r.rows[0]["sets"]), whole(r.rows[0]["n"])
    drawn = f"{sets} test sets of {n} examples; bars" if _one_size(r) else f"{sets} test sets at each size; bands"
    under = f"{drawn} are {ERRORS} Monte-Carlo errors either way"
    return under + (", the plain line is alpha" if "false_alarm" in wanted else "")


def _one_size(r: Audit) -> bool:
    return len({row["n"] for row in r.rows}) == 1


def _alphas(r: Audit) -> list[float]:
    return list(dict.fromkeys(row["alpha"] for row in r.rows))


def _wanted(r: Audit) -> list[str]:
    return [what for what in PANELS if any(known(row[what]) for row in r.rows)] or list(PANELS)


def _panel(r: Audit, what: str, alpha: float, width: float = lines.WIDTH) -> Panel:
    """Return the panel of false alarms or of power at an alpha; groups ignored come last."""
    ordered = sorted(r.rows, key=lambda row: row["groups"] == "ignored")
    points = [
        lines.point(said.label(row), row["n"], row[what], row[f"{what}_error"]) | {"kind": alarm_verdict(row)}
        for row in ordered
        if row["alpha"] == alpha
    ]
    names = list(dict.fromkeys(one["line"] for one in points))
    rule = alpha if what == "false_alarm" else None
    title, axis = f"{PANELS[what][0]} at alpha {percent(alpha)}", PANELS[what][1]
    return Panel(points, names, title, axis, lines.shares(points, rule), lines.sizes_of(points), rule, width)


def _dots(r: Audit, panel: Panel, theme: Theme, labels: bool, rule: bool) -> Any:
    """Draw a point for each test, with a bar of its errors."""
    alt, looks = altair(), kinds(theme)
    there = [kind for kind in looks if any(alarm_verdict(row) == kind for row in r.rows)]
    legend = alt.Legend(title="false alarms:", titleOrient="left", columns=len(looks))
    colour = alt.Color("kind:N", scale=alt.Scale(domain=there, range=[looks[kind][0] for kind in there]), legend=legend)
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=there, range=[looks[kind][1] for kind in there]), legend=legend)
    names = alt.Axis(labelLimit=0, grid=True, domain=False, ticks=False, labelPadding=8, labels=labels)
    y, axis = alt.Y("line:N", sort=list(panel.names), title=None, axis=names), lines.share_axis(panel)
    base = alt.Chart(alt.InlineData(values=list(panel.points)))
    bars = base.mark_rule(strokeWidth=2.5).encode(x=alt.X("low:Q", **axis), x2=alt.X2("high:Q"), y=y, color=colour)
    dots = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=alt.X("value:Q", **axis), y=y, color=colour, shape=shape
    )
    # A rule makes a panel a little taller: one on the grid's first line keeps the titles of neighbours level.
    shade = theme.ink if rule else theme.grid
    held = lines.rule_at(panel.rule or 0.0, shade).encode(x=alt.X("rule:Q", **axis))
    return alt.layer(held, bars, dots, width=panel.width, height={"step": STEP}, title=panel.title)


def _rows(r: Audit, panel: Panel, theme: Theme) -> Any:
    """Draw a row for each test in a narrow column: its name above, its point with a bar of errors below."""
    looks, step, top = kinds(theme), 36, 26
    canvas = Canvas(theme, 0.0, panel.shares[-1], 6, WIDTH - 20)
    canvas.ruler(panel.axis, shares=panel.shares)
    canvas.word(0, 8, panel.title, fontWeight="bold")
    rows = [(one, top + step * i + 24, *looks[one["kind"]]) for i, one in enumerate(panel.points)]
    if panel.rule is not None:
        canvas.rules([upright(panel.rule, y - 9, y + 9, theme.ink) for _, y, *_ in rows], strokeWidth=1.6)
    measured = [row for row in rows if row[0]["value"] is not None]
    canvas.rules([level(one["low"], one["high"], y, fill) for one, y, fill, _ in measured], strokeWidth=2.5)
    canvas.points([spot(one["value"], y, fill, shape) for one, y, fill, shape in measured], size=90)
    told = ("too many", "cautious") if panel.rule else ()
    names = [f"{one['line']} ({one['kind']})" if one["kind"] in told else one["line"] for one in panel.points]
    canvas.column(0, [y - 15 for _, y, *_ in rows], names, fontSize=SMALL, limit=WIDTH - 24)
    return canvas.chart(top + step * len(panel.points))
