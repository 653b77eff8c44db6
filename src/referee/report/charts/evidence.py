"""Evidence: what bets for either system have won so far, and how the interval of the difference has narrowed."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from referee.report.charts.canvas import SMALL, Figure, Row, fitted
from referee.report.charts.differences import axis, better, points
from referee.report.charts.estimate import estimate
from referee.report.charts.rates import HEIGHT, NARROW
from referee.report.charts.theme import Theme, altair
from referee.report.numbers import percent, whole
from referee.report.phrases import watch as words
from referee.results.watch import Watch

FEW = 12
"""So few looks are drawn one by one."""
EARLY = 0.15
"""So much of the way the interval is so wide that it may leave the drawing."""
BEYOND = 4.0
"""So many powers of ten the axis of odds goes beyond what is enough."""
ROOM = 0.15
"""So much of the axis lies beyond what is drawn, for words."""
ODDS = "format(pow(10, abs(datum.value)), abs(datum.value) > 6 ? '.0e' : ',d')"


def watched(r: Watch, theme: Theme) -> list[Figure]:
    """Draw the evidence, the interval look by look, and the scores as they are now."""
    if not r.looks or r.comparison.difference is None:
        return []
    panels = (odds(r, theme), narrowing(r, theme))
    told = " ".join(one.caption for one in panels)
    chart = altair().hconcat(*(one.chart for one in panels), spacing=28)
    return [Figure("evidence", "The evidence so far", told, chart, panels), estimate(r.so_far, theme)]


def _x(r: Watch) -> Any:
    alt = altair()
    numbers = alt.Axis(format=",d", grid=False, tickCount=4, labelFlush=False)
    return alt.X("n:Q", title="examples", scale=alt.Scale(domain=[0, _end(r)], nice=False), axis=numbers)


def _end(r: Watch) -> float:
    """Return where the axis of examples ends: behind the last look if looks are drawn one by one."""
    last = r.looks[-1].n
    return last if len(r.looks) > FEW else 1.06 * last


def odds(r: Watch, theme: Theme) -> Figure:
    """Draw the evidence for B upwards and that for A downwards, and where it is enough."""
    alt, x = altair(), _x(r)
    logs = [(look.n, look.log_evidence_b / math.log(10), look.log_evidence_a / math.log(10)) for look in r.looks]
    stop_b, stop_a = ((None if one is None else one / math.log(10)) for one in r.log_stop)
    high, low = _height(stop_b, [b for _, b, _ in logs]), -_height(stop_a, [a for _, _, a in logs])
    high, low = high + ROOM * (high - low), low - ROOM * (high - low)
    ticks = _decades(low, high)
    scale, labels = alt.Scale(domain=[low, high], nice=False), alt.Axis(values=ticks, labelExpr=ODDS, grid=True)
    y = {"title": "odds", "scale": scale, "axis": labels}
    layers = [_rule([{"at": 0.0}], theme.ink, 1.2).encode(y=alt.Y("at:Q", **y))]
    of_b, of_a = words.favours(r)
    told: list[Any] = []
    for colour, stop, side, of, column in ((theme.b, stop_b, 1, of_b, 1), (theme.a, stop_a, -1, of_a, 2)):
        rows = [{"n": one[0], "log": side * max(one[column], 0.0)} for one in logs]
        if len(rows) > 1:
            base = alt.Chart(alt.InlineData(values=_inside(rows, "log", low, high)))
            line = base.mark_line(strokeWidth=2, color=colour)
            layers.append(line.encode(x, alt.Y("log:Q", **y), alt.Detail("part:N")))
        if len(rows) <= FEW:
            near = [_short(row) for row in rows if low <= row["log"] <= high]
            base = alt.Chart(alt.InlineData(values=near))
            shape = "square" if side > 0 else "circle"
            dots = base.mark_point(filled=True, size=40, opacity=1, color=colour, shape=shape)
            layers.append(dots.encode(x, alt.Y("log:Q", **y)))
        if stop is not None:
            layers.append(_rule([{"at": side * stop}], theme.grey, 1.2, [5, 4]).encode(y=alt.Y("at:Q", **y)))
            enough = f"enough to stop: {words.odds(stop * math.log(10))} to 1"
        if stop is not None and (r.stopped_at is None or (side > 0) == (r.verdict == "a better")):
            told += _words({"n": 0, "log": side * stop, "text": enough}, theme, theme.grey, x, y, dx=6, dy=8 * side)
        named = {
            "n": 0,
            "log": high if side > 0 else low,
            "text": fitted(f"{'↑' if side > 0 else '↓'} {of}", NARROW - 20, SMALL),
        }
        told += _words(named, theme, colour, x, y, dx=6, dy=8 * side, fontWeight="bold")
    layers += [*told, *_crossing(r, theme, x, y)]
    chart = alt.layer(*layers, width=NARROW, height=HEIGHT)
    return Figure("odds", "Evidence for either", _told_odds(r), chart)


def _height(stop: float | None, logs: list[float]) -> float:
    """Return how far an axis goes: not much further than where it is enough, or this could no longer be seen."""
    enough = max(1.0, stop or 0.0)
    return max(enough, min(max(logs), enough + BEYOND))


def _decades(low: float, high: float) -> list[int]:
    """Return the powers of ten that the axis has numbers at, no more than fit."""
    step = max(1, math.ceil((high - low) / 9))
    return [tick for tick in range(math.ceil(low), math.floor(high) + 1) if tick % step == 0]


def _crossing(r: Watch, theme: Theme, x: Any, y: dict[str, Any]) -> list[Any]:
    """Mark where there was enough evidence, with words beside it that stay inside."""
    stopped, alt = r.stopped_at, altair()
    look = next((one for one in r.looks if stopped and one.n == stopped.n), None)
    if stopped is None or look is None:
        return []
    of_b = r.verdict != "a better"
    log = (look.log_evidence_b if of_b else -look.log_evidence_a) / math.log(10)
    right = stopped.n > r.looks[-1].n / 2
    place = _short({"n": stopped.n, "log": log, "text": f"stop: {words.when(r)}"})
    mark = alt.Chart(alt.InlineData(values=[place])).mark_point(
        filled=True, size=110, opacity=1, color=theme.ink, shape="diamond"
    )
    look_of = {"align": "right" if right else "left", "dx": -9 if right else 9, "dy": 14 if of_b else -14}
    text = _words(place, theme, theme.ink, x, y, fontWeight="bold", **look_of)
    return [mark.encode(x, alt.Y("log:Q", **y)), *text]


def _words(place: Row, theme: Theme, colour: str, x: Any, y: dict[str, Any], **look: Any) -> list[Any]:
    """Write words that are read before a line, too: they have a rim in the colour of the paper."""
    alt = altair()
    given = {"align": "left", "fontSize": SMALL, "clip": False, **look}
    base = alt.Chart(alt.InlineData(values=[place]))
    both = (
        base.mark_text(color=theme.paper, stroke=theme.paper, strokeWidth=4, **given),
        base.mark_text(color=colour, **given),
    )
    return [one.encode(x, alt.Y("log:Q", **y), alt.Text("text:N")) for one in both]


def _told_odds(r: Watch) -> str:
    of_b, of_a = words.favours(r)
    told = f"What a bet of 1 has grown to: upwards on “{of_b}”, downwards on “{of_a}”."
    told += " At the dashed line there is enough evidence to stop, however often one looks."
    if any(abs(max(look.log_evidence_b, look.log_evidence_a)) > math.log(10) * 6 for look in r.looks):
        told += " Where it is far more than enough the line leaves the drawing."
    return told + ("" if r.stopped_at is None else f" The diamond is where that was: {words.when(r)}.")


def narrowing(r: Watch, theme: Theme) -> Figure:
    """Draw the interval of each look, with 0 and the margin."""
    alt, x, c = altair(), _x(r), r.comparison
    size = 100 if points(c) else 1
    rows: list[Row] = [
        {"n": look.n, "difference": size * look.difference, "low": size * look.low, "high": size * look.high}
        for look in r.looks
        if look.difference is not None and look.low is not None and look.high is not None
    ]
    low, high = _reach(r, rows, size)
    labels = alt.Axis(grid=True, labelExpr="datum.value == 0 ? '0' : format(datum.value, '+~r')")
    y = {"title": fitted(axis(c), HEIGHT), "scale": alt.Scale(domain=[low, high], nice=False), "axis": labels}
    layers = []
    if r.margin is not None:
        band = [{"low": max(-size * r.margin, low), "high": min(size * r.margin, high), "n": 0, "text": "margin"}]
        base = alt.Chart(alt.InlineData(values=band))
        layers.append(base.mark_rect(color=theme.band).encode(alt.Y("low:Q", **y), alt.Y2("high:Q")))
    within = [{"n": row["n"], "low": max(row["low"], low), "high": min(row["high"], high)} for row in rows]
    base = alt.Chart(alt.InlineData(values=[_short(row) for row in within]))
    if len(rows) > FEW:
        area = base.mark_area(opacity=0.22, color=theme.ink)
        layers.append(area.encode(x, alt.Y("low:Q", **y), alt.Y2("high:Q")))
        lines = alt.Chart(alt.InlineData(values=_inside(rows, "difference", low, high)))
        line = lines.mark_line(strokeWidth=2, color=theme.ink)
        layers.append(line.encode(x, alt.Y("difference:Q", **y), alt.Detail("part:N")))
    else:
        bars = base.mark_rule(strokeWidth=2.4, color=theme.ink)
        layers.append(bars.encode(x, alt.Y("low:Q", **y), alt.Y2("high:Q")))
        near = [_short(row) for row in rows if low <= row["difference"] <= high]
        dots = alt.Chart(alt.InlineData(values=near)).mark_point(filled=True, size=50, opacity=1, color=theme.ink)
        layers.append(dots.encode(x, alt.Y("difference:Q", **y)))
    layers.append(_rule([{"at": 0.0}], theme.ink, 1.2).encode(y=alt.Y("at:Q", **y)))
    if r.stopped_at is not None:
        at = alt.Chart(alt.InlineData(values=[{"n": r.stopped_at.n}]))
        layers.append(at.mark_rule(color=theme.grey, strokeWidth=1.2, strokeDash=[5, 4]).encode(x))
    for name, side, end in zip(better(c), (-1, 1), (low, high), strict=True):
        place = {
            "n": _end(r),
            "log": end,
            "text": fitted(f"{'↑' if side > 0 else '↓'} {name} better", NARROW - 60, SMALL),
        }
        layers += _words(place, theme, theme.ink, x, y, align="right", dx=-5, dy=9 * side)
    chart = alt.layer(*layers, width=NARROW, height=HEIGHT)
    return Figure("narrowing", "The difference, look by look", _told_narrowing(r), chart)


def _reach(r: Watch, rows: list[Row], size: int) -> tuple[float, float]:
    """Return the ends of the axis: all but the widest intervals of the first looks, 0 and the margin."""
    late = [row for row in rows if row["n"] >= EARLY * r.looks[-1].n] or rows
    marks = [0.0] if r.margin is None else [0.0, -size * r.margin, size * r.margin]
    ends = [*marks, *(row[end] for row in late for end in ("low", "high"))]
    low, high = min(ends), max(ends)
    room = 0.12 * (high - low) or 1.0
    return low - room, high + room


def _told_narrowing(r: Watch) -> str:
    level = "" if r.interval is None else f" with its {percent(r.interval.level)} confidence sequence"
    told = f"The difference after so many examples{level}, up to {whole(r.n)}; it narrows as they arrive."
    return told + (" The band is the margin." if r.margin is not None else "")


def _rule(rows: list[Row], colour: str, width: float, dash: list[int] | None = None) -> Any:
    alt = altair()
    look = {"strokeDash": dash} if dash else {}
    return alt.Chart(alt.InlineData(values=rows)).mark_rule(color=colour, strokeWidth=width, **look)


def _short(row: Row) -> Row:
    """Return a row with six digits of each number: no eye sees more."""
    return {key: float(f"{value:.6g}") if isinstance(value, float) else value for key, value in row.items()}


def _inside(rows: list[Row], name: str, low: float, high: float) -> list[Row]:
    """Return the parts of a line that lie inside of a drawing, which end where it leaves this."""
    found: list[Row] = []
    for one, other in pairwise(rows):
        start, rise = one[name], other[name] - one[name]
        ends = sorted((end - start) / rise for end in (low, high)) if rise else [0.0, float(low <= start <= high)]
        first, last = max(ends[0], 0.0), min(ends[1], 1.0)
        if first >= last:
            continue
        piece = [
            _short({"n": one["n"] + at * (other["n"] - one["n"]), name: start + at * rise}) for at in (first, last)
        ]
        part = found[-1]["part"] if found else 0
        goes_on = bool(found) and {**piece[0], "part": part} == found[-1]
        found += [{**point, "part": part + (not goes_on)} for point in piece[goes_on:]]
    return found
