"""Systems: the two scores, and the difference between them, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

from referee.report import phrases
from referee.report.charts.canvas import (
    MIDDLE,
    SMALL,
    WIDTH,
    Canvas,
    Figure,
    around,
    fitted,
    fitted_apart,
    level,
    minus,
    span,
    spot,
    upright,
    width,
)
from referee.report.charts.theme import Theme
from referee.report.numbers import known, number, percent
from referee.results.comparison import Comparison, Interval

NAMES = 104
"""How many pixels the names have."""


def better(r: Comparison) -> tuple[str, str]:
    """Return who is better where the difference is negative, and where it is positive."""
    a, b = phrases.names(r)
    return (a, b) if r.higher_is_better else (b, a)


def sides(canvas: Canvas, left: str, right: str, y: float = 8, end: float = WIDTH) -> None:
    """Name the sides of no difference; the words go no further than `end`."""
    grey, middle = canvas.theme.grey, (canvas.left + canvas.right) / 2
    room = min(middle, end - middle) - 8
    first, second = fitted_apart([left, right], room - 66, MIDDLE)
    canvas.word(middle - 8, y, f"← {first} better", grey, align="right")
    canvas.word(middle + 8, y, f"{second} better →", grey)


def axis(r: Comparison, names: Sequence[str] | None = None) -> str:
    """Say what stands along an axis of differences."""
    a, b = fitted_apart(names or phrases.names(r), 84, MIDDLE)
    return f"difference in {fitted(phrases.metric(r), 110, MIDDLE)} ({b} − {a})"


def difference(r: Comparison, theme: Theme) -> Figure:
    """Draw the difference as a point in its interval, with the margin behind it."""
    i, d = r.interval, r.difference or 0.0
    ends = [d, *_ends(i), r.margin, r.detectable, *_ends(r.margin_interval)]
    reach = max([abs(end) for end in ends if end is not None and known(end)] or [1.0]) * 1.12 or 1.0
    canvas, line = Canvas(theme, -reach, reach, 14, WIDTH - 14), 62
    canvas.ruler(axis(r))
    if r.margin is not None and known(r.margin):
        canvas.rects([span(-r.margin, r.margin, 18, 96, theme.band)])
        edges = [upright(end, 18, 96, theme.grey) for end in (-r.margin, r.margin)]
        canvas.rules(edges, strokeWidth=1, strokeDash=[4, 3])
        if canvas.pixel(r.margin) - canvas.pixel(0.0) > 24:
            canvas.word(canvas.pixel(-r.margin) + 4, 26, "margin", theme.grey, fontSize=SMALL)
    canvas.rules([upright(0.0, 54, 96, theme.ink)], strokeWidth=1.2)
    sides(canvas, *better(r))
    whiskers(canvas, i, line, theme.ink)
    if r.margin_interval is not None and r.margin_interval != i:
        canvas.rules([level(r.margin_interval.low, r.margin_interval.high, line, theme.ink)], strokeWidth=6)
    canvas.points([spot(d, line, theme.ink)], size=110)
    _beside(canvas, d, line - 19, _with_interval(d, i, phrases.places(r)))
    if r.detectable is not None and known(r.detectable):
        marks = [spot(x, 91, theme.grey, "triangle-down") for x in (-r.detectable, r.detectable)]
        canvas.points(marks, size=55)
    return Figure("difference", "The difference", _told(r), canvas.chart(96))


def _with_interval(value: float, interval: Interval | None, digits: int) -> str:
    return number(value, digits) + (f"  {phrases.bracket(interval, digits)}" if interval else "")


def _told(r: Comparison) -> str:
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
    canvas, digits = Canvas(theme, *around(ends), NAMES + 8, WIDTH - 8), phrases.places(r)
    canvas.ruler(phrases.clean(r.metric, 40), grid=True)
    canvas.column(NAMES, (32, 78), phrases.names(r), align="right", limit=NAMES)
    for one, fill, shape, y in ((r.a, theme.a, "circle", 32), (r.b, theme.b, "square", 78)):
        if one.score is None:
            continue
        whiskers(canvas, one.interval, y, fill)
        canvas.points([spot(one.score, y, fill, shape)], size=110)
        _beside(canvas, one.score, y - 17, _with_interval(one.score, one.interval, digits))
    return Figure("scores", "Both scores", _scored(r), canvas.chart(100))


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


def whiskers(canvas: Canvas, interval: Interval | None, y: float, fill: str, tall: float = 5) -> None:
    """Draw an interval as a bar with ends."""
    if interval is None or not (known(interval.low) and known(interval.high)):
        return
    canvas.rules([level(interval.low, interval.high, y, fill)], strokeWidth=2.4)
    canvas.rules([upright(end, y - tall, y + tall, fill) for end in _ends(interval)], strokeWidth=1.6)


def _beside(canvas: Canvas, value: float, y: float, text: str) -> None:
    """Write above a point, inside the drawing."""
    half = width(text, MIDDLE) / 2
    inside = min(max(canvas.pixel(value), half), WIDTH - half)
    canvas.word(inside, y, minus(text), align="center")
