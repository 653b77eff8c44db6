"""Systems: the two scores, and the difference between them, with their intervals."""

from __future__ import annotations

from referee.report import phrases
from referee.report.charts.canvas import MIDDLE, SMALL, WIDTH, Row, Sheet, around, minus
from referee.report.charts.figure import Figure
from referee.report.charts.null_distribution import axis
from referee.report.charts.theme import Theme
from referee.report.charts.widths import fitted_apart, width
from referee.report.numbers import known, number, percent
from referee.results.comparison import Comparison, Interval

NAMES = 104
"""How many pixels the names have."""


def better(r: Comparison) -> tuple[str, str]:
    """Return who is better where the difference is negative, and where it is positive."""
    a, b = phrases.names(r)
    return (a, b) if r.higher_is_better else (b, a)


def sides(sheet: Sheet, left: str, right: str, y: float = 8, end: float = WIDTH) -> None:
    """Name the sides of no difference; the words go no further than `end`."""
    grey, middle = sheet.theme.grey, (sheet.left + sheet.right) / 2
    room = min(middle, end - middle) - 8
    first, second = fitted_apart([left, right], room - 66, MIDDLE)
    start = {"x": sheet.at(middle - 8), "y": y, "text": f"← {first} better", "fill": grey}
    stop = {"x": sheet.at(middle + 8), "y": y, "text": f"{second} better →", "fill": grey}
    sheet.words([start], align="right")
    sheet.words([stop], align="left")


def difference(r: Comparison, theme: Theme) -> Figure:
    """Draw the difference as a point in its interval, with the margin behind it."""
    i, d = r.interval, r.difference or 0.0
    ends = [d, *_ends(i), r.margin, r.detectable, *_ends(r.margin_interval)]
    reach = max([abs(end) for end in ends if end is not None and known(end)] or [1.0]) * 1.12 or 1.0
    sheet, line = Sheet(theme, -reach, reach, 14, WIDTH - 14), 62
    sheet.ruler(axis(r, "difference"))
    if r.margin is not None and known(r.margin):
        sheet.rects([{"x": -r.margin, "x2": r.margin, "y": 18, "y2": 96, "fill": theme.band}])
        edges = [{"x": end, "x2": end, "y": 18, "y2": 96, "fill": theme.grey} for end in (-r.margin, r.margin)]
        sheet.rules(edges, strokeWidth=1, strokeDash=[4, 3])
        if sheet.pixel(r.margin) - sheet.pixel(0.0) > 24:
            label = {"x": sheet.at(sheet.pixel(-r.margin) + 4), "y": 26, "text": "margin", "fill": theme.grey}
            sheet.words([label], fontSize=SMALL)
    sheet.rules([{"x": 0.0, "x2": 0.0, "y": 54, "y2": 96, "fill": theme.ink}], strokeWidth=1.2)
    sides(sheet, *better(r))
    whiskers(sheet, i, line, theme.ink)
    if r.margin_interval is not None and r.margin_interval != i:
        inner = {"x": r.margin_interval.low, "x2": r.margin_interval.high, "y": line, "y2": line, "fill": theme.ink}
        sheet.rules([inner], strokeWidth=6)
    sheet.points([{"x": d, "y": line, "fill": theme.ink, "shape": "circle"}], size=110)
    digits = phrases.places(r)
    said = number(d, digits) + (f"  {phrases.bracket(i, digits)}" if i else "")
    _beside(sheet, d, line - 19, said)
    if r.detectable is not None and known(r.detectable):
        spots = [{"x": x, "y": 91, "fill": theme.grey, "shape": "triangle-down"} for x in (-r.detectable, r.detectable)]
        sheet.points(spots, size=55)
    return Figure("difference", "The difference", _told(r, said), sheet.chart(96))


def _told(r: Comparison, said: str) -> str:
    (a, b), digits = phrases.names(r), phrases.places(r)
    caption = f"The dot is the difference in {phrases.metric(r)}, {b} minus {a}: {number(r.difference, digits)}."
    if r.interval:
        where = "is what is held against the margin" if r.question != "better" else _zero(r.interval)
        ends = f"{number(r.interval.low, digits)} to {number(r.interval.high, digits)}"
        caption += f" The bar is its {percent(r.interval.level)} interval, {ends}, which {where}."
    if not r.higher_is_better:
        caption += " Lower is better."
    if r.margin is not None and known(r.margin):
        caption += f" Inside the band, {phrases.margin(r)} either way, a difference does not matter."
        if r.margin_interval is not None and r.margin_interval != r.interval:
            caption += f" The thick part of the bar, the {percent(r.margin_interval.level)} interval, is what is held against it."
    if r.detectable is not None and known(r.detectable):
        caption += f" The triangles mark the smallest true difference that would be found 4 times in 5, {number(r.detectable, digits)}."
    return caption


def _zero(interval: Interval) -> str:
    return "holds 0" if 0.0 in interval else "leaves out 0"


def scores(r: Comparison, theme: Theme) -> Figure:
    """Draw both systems' scores with their intervals."""
    ends = [end for one in (r.a, r.b) for end in (one.score, *_ends(one.interval))]
    sheet, digits = Sheet(theme, *around(ends), NAMES + 8, WIDTH - 8), phrases.places(r)
    sheet.ruler(phrases.clean(r.metric, 40), grid=True)
    looks = ((r.a, theme.a, "circle", 32), (r.b, theme.b, "square", 78))
    names = zip(looks, phrases.names(r), strict=True)
    labels = [{"x": sheet.at(NAMES), "y": y, "text": name, "fill": theme.ink} for (*_, y), name in names]
    sheet.words(labels, align="right", limit=NAMES)
    for one, fill, shape, y in looks:
        if one.score is None:
            continue
        whiskers(sheet, one.interval, y, fill)
        sheet.points([{"x": one.score, "y": y, "fill": fill, "shape": shape}], size=110)
        said = number(one.score, digits) + (f"  {phrases.bracket(one.interval, digits)}" if one.interval else "")
        _beside(sheet, one.score, y - 17, said)
    return Figure("scores", "Both scores", _scored(r), sheet.chart(100))


def _scored(r: Comparison) -> str:
    digits, what = phrases.places(r), phrases.metric(r)
    said = [
        f"{name} scores {number(one.score, digits)}"
        + (f" ({percent(one.interval.level)} interval {number(one.interval.low, digits)} to {number(one.interval.high, digits)})" if one.interval else "")
        for name, one in zip(phrases.names(r), (r.a, r.b), strict=True)
    ]  # fmt: skip
    lower = "" if r.higher_is_better else "; lower is better"
    first, second = _ends(r.a.interval), _ends(r.b.interval)
    overlap = first and second and max(first[0], second[0]) <= min(first[1], second[1])
    hint = (
        " They saw the same examples, so overlapping intervals here do not mean that there is no difference."
        if overlap
        else ""
    )
    return f"The {what} of both systems: {' and '.join(said)}{lower}.{hint}"


def _ends(interval: Interval | None) -> tuple[float, ...]:
    return (interval.low, interval.high) if interval else ()


def whiskers(sheet: Sheet, interval: Interval | None, y: float, fill: str, tall: float = 5) -> None:
    """Draw an interval as a bar with ends."""
    if interval is None or not (known(interval.low) and known(interval.high)):
        return
    rows: list[Row] = [{"x": interval.low, "x2": interval.high, "y": y, "y2": y, "fill": fill}]
    sheet.rules(rows, strokeWidth=2.4)
    ends = [{"x": end, "x2": end, "y": y - tall, "y2": y + tall, "fill": fill} for end in _ends(interval)]
    sheet.rules(ends, strokeWidth=1.6)


def _beside(sheet: Sheet, value: float, y: float, said: str) -> None:
    """Write above a point, inside the drawing."""
    half = width(said, MIDDLE) / 2
    inside = min(max(sheet.pixel(value), half), WIDTH - half)
    sheet.words([{"x": sheet.at(inside), "y": y, "text": minus(said), "fill": sheet.theme.ink}], align="center")
