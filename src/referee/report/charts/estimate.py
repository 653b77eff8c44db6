"""The estimate: both scores with their intervals, and beside them their difference with its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.report import phrases
from referee.report.charts.canvas import (
    LEADING,
    MIDDLE,
    SMALL,
    WIDTH,
    Canvas,
    Figure,
    around,
    fitted,
    fitted_apart,
    in_lines,
    span,
    spot,
    width,
)
from referee.report.charts.differences import better
from referee.report.charts.theme import Theme, altair
from referee.report.numbers import MINUS, known, percent
from referee.results.comparison import Comparison, Interval

NAMES, GAP = 124, 10
"""Pixels for the names, and between them and the scores."""
TOP, BASE = 18, 124
ROWS, LINE = (50, 98), 68
"""Where the two scores are, and where the difference is."""
SIDE = 0.3
"""So much of the axis lies on either side of no difference, so that it can be named."""
LEAST = {"share": 0.05}
"""How far the axis of a difference goes at least, where all is 0."""


def estimate(r: Comparison, theme: Theme) -> Figure:
    """Draw both scores, and their difference."""
    panels = (scores(r, theme), difference(r, theme))
    told = " ".join(one.caption for one in panels)
    chart = altair().hconcat(*(one.chart for one in panels), spacing=28)
    return Figure("estimate", "The scores and their difference", told, chart, panels)


def _ends(interval: Interval | None) -> tuple[float, ...]:
    """Return the ends of an interval that are finite: one that is open ends with the drawing."""
    return tuple(end for end in (interval.low, interval.high) if known(end)) if interval else ()


def scores(r: Comparison, theme: Theme) -> Figure:
    """Draw both systems' scores with their intervals, each with its name and its number."""
    ends = [end for one in (r.a, r.b) for end in (one.score, *_ends(one.interval))]
    there, shown = [end for end in ends if known(end)], phrases.scale(r)
    low, high = around(there)
    if shown.unit == "share" and min(there) >= 0 and max(there) <= 1:
        low, high = max(low, 0.0), min(high, 1.0)
    canvas = Canvas(theme, low, high, NAMES + GAP, WIDTH - 12)
    canvas.ruler("", ticks=4, grid=True, unit="percent" if shown.unit == "share" else "")
    canvas.heading(TOP)
    way = "" if r.higher_is_better else "; lower is better"
    canvas.word(0, 6, fitted(f"{phrases.clean(phrases.metric(r), 60)} of each{way}", WIDTH), theme.grey)
    rows = ((r.a, theme.a, "circle", ROWS[0]), (r.b, theme.b, "square", ROWS[1]))
    for (one, fill, shape, y), lines in zip(rows, in_lines(phrases.names(r), NAMES - 4, most=3), strict=True):
        for line, text in enumerate(lines):
            canvas.word(NAMES, y + LEADING * (line - (len(lines) - 1) / 2), text, align="right", limit=NAMES + 1)
        if one.score is not None:
            _bar(canvas, one.interval, y, fill, 5)
            canvas.points([spot(one.score, y, fill, shape)], size=120, stroke=theme.paper, strokeWidth=1)
            canvas.above(one.score, y - 16, shown.score(one.score), fontWeight="bold")
    return Figure("scores", "Both scores", _scored(r), canvas.chart(BASE))


def _bar(canvas: Canvas, interval: Interval | None, y: float, fill: str, thick: float) -> None:
    """Draw an interval; an end that is open is the end of the drawing, with an arrow."""
    if interval is None:
        return
    low = interval.low if known(interval.low) else canvas.low
    high = interval.high if known(interval.high) else canvas.high
    canvas.rules([span(low, high, y, y, fill)], strokeWidth=thick, strokeCap="round")
    arrows = [("triangle-left", low, interval.low), ("triangle-right", high, interval.high)]
    canvas.points([spot(at, y, fill, shape) for shape, at, end in arrows if not known(end)], size=90)


def difference(r: Comparison, theme: Theme) -> Figure:
    """Draw the difference with its interval, on the side of whoever is better; and the margin behind it."""
    d, shown = r.difference or 0.0, phrases.scale(r)
    canvas = Canvas(theme, *_reach(r), 8, WIDTH - 12)
    canvas.ruler("", ticks=5, unit="points" if shown.unit == "share" else "")
    a, b = fitted_apart(phrases.names(r), 100)
    unit = ", in points" if shown.unit == "share" else ""
    canvas.word(8, 6, f"difference, {b} {MINUS} {a}{unit}", theme.grey)
    side = (0.0, canvas.high) if r.higher_is_better else (canvas.low, 0.0)
    canvas.rects([span(*side, TOP, BASE, theme.better)])
    number = shown.difference(d)
    inside = f"{percent(r.interval.level)}: {_told_interval(r, r.interval)}" if r.interval else ""
    texts = [text for text in (number, inside) if text]
    _margin(canvas, r, texts)
    _sides(canvas, r)
    held = r.margin_interval if r.margin_interval != r.interval else None
    _bar(canvas, r.interval, LINE, theme.ink, 2.5 if held else 5)
    _bar(canvas, held, LINE, theme.ink, 7)
    canvas.points([spot(d, LINE, theme.ink)], size=150, stroke=theme.paper, strokeWidth=1)
    if inside:
        canvas.above(d, LINE + 20, inside, fill=theme.ink, fontSize=SMALL)
    canvas.above(d, LINE - 19, number, fontWeight="bold")
    _line(canvas, 0.0, near=_near(canvas, d, texts, 0.0))
    return Figure("difference", "The difference", _told(r), canvas.chart(BASE))


def _near(canvas: Canvas, d: float, texts: Sequence[str], at: float) -> bool:
    """Say whether a line would go through one of the texts above and below a difference, which stay inside the drawing."""
    halves = [width(text, MIDDLE) / 2 for text in texts]
    middles = [min(max(canvas.pixel(d), half), WIDTH - half) for half in halves]
    return any(abs(middle - canvas.pixel(at)) < half + 8 for middle, half in zip(middles, halves, strict=True))


def _line(canvas: Canvas, at: float, near: bool, top: float = TOP, **look: Any) -> None:
    """Draw a line down the drawing, with gaps for numbers that are near it."""
    parts = [(top, TOP + 18), (LINE - 9, LINE + 11), (LINE + 29, BASE)] if near else [(top, BASE)]
    fill = look.pop("fill", canvas.theme.ink)
    lines = [span(at, at, start, end, fill) for start, end in parts if start < end]
    canvas.rules(lines, **{"strokeWidth": 1.2, **look})


def _told_interval(r: Comparison, interval: Interval) -> str:
    shown = phrases.scale(r)
    low, high = shown.plain(interval.low, sign=True), shown.plain(interval.high, sign=True)
    if known(interval.low) and known(interval.high):
        return f"{low} to {high}"
    return f"at least {low}" if known(interval.low) else f"at most {high}" if known(interval.high) else "any"


def _reach(r: Comparison) -> tuple[float, float]:
    """Return the ends of the axis: it holds all that is drawn and 0, with room on either side of it."""
    margins = (-r.margin, r.margin) if known(r.margin) else ()
    ends = [0.0, r.difference or 0.0, *_ends(r.interval), *_ends(r.margin_interval), *margins]
    low, high = 1.1 * min(ends), 1.1 * max(ends)
    if low == high:
        least = LEAST.get(phrases.scale(r).unit, 1.0)
        return -least, least
    least = SIDE / (1 - SIDE)
    return min(low, -least * high), max(high, -least * low)


def _margin(canvas: Canvas, r: Comparison, texts: Sequence[str]) -> None:
    """Draw the margin on either side of 0; if only what is lost matters, on the side of A."""
    if not known(r.margin):
        return
    low, high = -r.margin, r.margin
    if r.question == "no-worse":
        low, high = (low, 0.0) if r.higher_is_better else (0.0, high)
    canvas.rects([span(low, high, TOP, BASE, canvas.theme.band)])
    for edge in (low, high):
        if edge:
            near = _near(canvas, r.difference or 0.0, texts, edge)
            _line(canvas, edge, near, TOP + 18, fill=canvas.theme.grey, strokeWidth=1, strokeDash=[4, 3])
    room = canvas.pixel(r.margin) - canvas.pixel(0.0)
    text = "margin" if room > width("margin", SMALL) + 8 else ""
    canvas.word(canvas.pixel(low) + 4, BASE - 9, text, canvas.theme.grey, fontSize=SMALL)


def _sides(canvas: Canvas, r: Comparison) -> None:
    """Name the sides of no difference, that of B in the colour of what is behind it."""
    zero = canvas.pixel(0.0)
    rooms = [room - 16 - width("← better ", SMALL) for room in (zero - canvas.left, canvas.right - zero)]
    of_b, wide = (1 if r.higher_is_better else 0), rooms.index(max(rooms))
    named = better(r)
    texts = [f"← {named[0]} better", f"{named[1]} better →"]
    if any(fitted(name, room, SMALL) != name for name, room in zip(named, rooms, strict=True)):
        # Where the names are too long, the side that has more room says enough.
        name = fitted_apart(named, rooms[wide], SMALL)[wide]
        texts = ["", f"{name} better →"] if wide else [f"← {name} better", ""]
    places = ((zero - 6, "right"), (zero + 6, "left"))
    for place, (text, (at, align)) in enumerate(zip(texts, places, strict=True)):
        behind = known(r.margin) and place == of_b
        fill = canvas.theme.ink if behind else canvas.theme.on_better if place == of_b else canvas.theme.grey
        canvas.word(at, TOP + 9, text, fill, align=align, fontSize=SMALL)


def _told(r: Comparison) -> str:
    a, b = phrases.names(r)
    told = [f"The dot is the difference in {phrases.metric(r)}, {b} minus {a}; on the shaded side {b} is better."]
    if r.interval:
        zero = "includes 0" if 0.0 in r.interval else "excludes 0"
        reads = zero if r.question == "better" else "is compared with the margin"
        told.append(f"The bar is its {percent(r.interval.level)} {phrases.kind_of(r.interval)}, which {reads}.")
    if not r.higher_is_better:
        told.append("Lower is better.")
    if known(r.margin):
        told.append("Differences inside the band of the margin don't matter.")
    if known(r.margin) and r.margin_interval is not None and r.margin_interval != r.interval:
        level = percent(r.margin_interval.level)
        told.append(f"The thick part of the bar, the {level} interval, is what is compared with the margin.")
    return " ".join(told)


def _scored(r: Comparison) -> str:
    intervals = [one.interval for one in (r.a, r.b) if one.interval]
    level = f" with its {percent(intervals[0].level)} interval" if intervals else ""
    told = f"The {phrases.metric(r)} of each system{level}{'' if r.higher_is_better else '; lower is better'}."
    whole = [one for one in intervals if known(one.low) and known(one.high)]
    if r.paired and len(whole) == 2 and max(one.low for one in whole) <= min(one.high for one in whole):
        told += " Both answered the same examples, so overlapping intervals don't mean that there is no difference."
    return told
