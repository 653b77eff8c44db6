"""Spreads: the differences of many groups as a swarm of dots, those of single examples as a raincloud; few values as bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby, pairwise

from referee.report import phrases
from referee.report.charts.canvas import SMALL, WIDTH, Canvas, Figure, span, spot
from referee.report.charts.differences import axis, better, points, sides
from referee.report.charts.theme import Theme
from referee.report.numbers import known, percent, whole
from referee.results.comparison import Comparison
from referee.results.plot_data import Parts, Spread

LEFT, RIGHT, TOP = 10, WIDTH - 10, 24
SWARM, RAIN = 150, 84
"""Pixels for the dots of groups, and for those of examples."""
LARGEST, SMALLEST = 9.0, 2.5
"""How wide a dot is at most and at least."""
FEW, OFTEN, BAR = 12, 12, 16
"""Up to so many different values are bars if one occurs more often than this, and so wide is a bar at most."""
CLOUD, STEP = 64, 3
"""Pixels for the cloud, and how wide each of its slices is."""


def of_groups(r: Comparison, parts: Parts, theme: Theme) -> Figure:
    """Draw the difference in each of many groups as a dot, and that of all below them."""
    canvas = _canvas(r, parts.spread, theme)
    bottom = TOP + SWARM + 18
    _no_difference(canvas, bottom)
    drawn = _drawn(r, parts.spread, canvas, TOP, SWARM)
    _all_together(r, canvas, bottom)
    canvas.word(LEFT, bottom, "all together", theme.grey)
    told = _groups_told(r, parts, drawn)
    return Figure("swarm", f"The difference in each {parts.by}", told, canvas.chart(bottom + 12))


def of_examples(r: Comparison, spread: Spread, theme: Theme) -> Figure:
    """Draw the differences of single examples: their density as a cloud, a box, and a rain of dots; or a bar for each of few values."""
    canvas, base = _canvas(r, spread, theme, 1.22), TOP + CLOUD
    bottom = base + RAIN + 36
    if few := _few(spread, canvas):
        _no_difference(canvas, bottom)
        _bars(r, spread, canvas, few, TOP, base + RAIN - TOP)
        drawn = 0
    else:
        heights = _density([canvas.pixel(value) for value in spread.values])
        slices = [
            span(canvas.at(x), canvas.at(x + STEP), base - CLOUD * height, base, theme.bar)
            for x, height in heights
            if CLOUD * height >= 0.3
        ]
        canvas.rects(slices)
        _no_difference(canvas, bottom)
        low, middle, high = (spread.quantile(share) for share in (0.25, 0.5, 0.75))
        canvas.rects([span(low, high, base + 5, base + 15, theme.both)], stroke=theme.grey, strokeWidth=1)
        canvas.rules([span(middle, middle, base + 5, base + 15, theme.ink)], strokeWidth=2)
        drawn = _drawn(r, spread, canvas, base + 20, RAIN)
    _all_together(r, canvas, bottom)
    canvas.word(LEFT, bottom, "mean", theme.grey)
    told = _examples_told(r, spread, drawn)
    return Figure("examples", "The difference on each example", told, canvas.chart(bottom + 12))


def _canvas(r: Comparison, spread: Spread, theme: Theme, room: float = 1.06) -> Canvas:
    """Return a canvas as wide as the differences and no difference, whose sides are named."""
    ends = [0.0, r.difference or 0.0, *spread.values[:1], *spread.values[-1:]]
    if r.interval:
        ends += [end for end in (r.interval.low, r.interval.high) if known(end)]
    reach = room * max(map(abs, ends)) or 1.0
    canvas = Canvas(theme, -reach, reach, LEFT, RIGHT)
    canvas.ruler(axis(r), unit=points(r))
    sides(canvas, better(r))
    return canvas


def _no_difference(canvas: Canvas, bottom: float) -> None:
    canvas.rules([span(0.0, 0.0, TOP - 6, bottom + 12, canvas.theme.ink)], strokeWidth=1)


def _all_together(r: Comparison, canvas: Canvas, y: float) -> None:
    """Draw the difference over all examples with its interval."""
    canvas.whiskers(r.interval, y, canvas.theme.ink)
    canvas.points([spot(r.difference or 0.0, y, canvas.theme.ink, "diamond")], size=80)


def _fill(r: Comparison, value: float, theme: Theme) -> str:
    """Return the colour of whoever is better at a difference."""
    up = value > 0 if r.higher_is_better else value < 0
    return theme.grey if value == 0 else theme.b if up else theme.a


def _few(spread: Spread, canvas: Canvas) -> list[tuple[float, int]]:
    """Return each value with how often it occurs, if they are few and one of them occurs often."""
    runs = [list(run) for _, run in groupby(spread.values, lambda value: round(canvas.pixel(value), 1))]
    found = [(run[0], len(run)) for run in runs]
    return found if len(found) <= FEW and max(many for _, many in found) > OFTEN else []


def _drawn(r: Comparison, spread: Spread, canvas: Canvas, top: float, room: float) -> int:
    """Draw the differences where they are, in the colour of whoever is better there, and return how many dots they are."""
    if few := _few(spread, canvas):
        _bars(r, spread, canvas, few, top, room)
        return 0
    shown, size, ys = swarm([canvas.pixel(value) for value in spread.values], room)
    values = [spread.values[place] for place in shown]
    rows = [spot(x, round(top + room / 2 + y, 1), _fill(r, x, canvas.theme)) for x, y in zip(values, ys, strict=True)]
    # The size of a mark is its area.
    canvas.points(rows, size=round(0.6 * size * size, 1))
    return len(rows)


def _bars(
    r: Comparison, spread: Spread, canvas: Canvas, few: Sequence[tuple[float, int]], top: float, room: float
) -> None:
    """Draw a bar for each value, with how often it occurs above it; of a sample, its share."""
    most, base, xs = max(many for _, many in few), top + room, [canvas.pixel(value) for value, _ in few]
    half = min([BAR, *(0.7 * (x2 - x) for x, x2 in pairwise(xs))]) / 2
    bars = [
        span(canvas.at(x - half), canvas.at(x + half), base - (room - 18) * many / most, base, _fill(r, value, canvas.theme))
        for x, (value, many) in zip(xs, few, strict=True)
    ]  # fmt: skip
    canvas.rects(bars)
    for bar, (value, many) in zip(bars, few, strict=True):
        told = whole(many) if spread.whole else percent(many / len(spread.values))
        canvas.rects(
            [
                span(
                    canvas.at(canvas.pixel(value) - 14),
                    canvas.at(canvas.pixel(value) + 14),
                    bar["y"] - 16,
                    bar["y"] - 2,
                    canvas.theme.paper,
                )
            ]
        )
        canvas.above(value, bar["y"] - 8, told, fontSize=SMALL)


def swarm(xs: Sequence[float], room: float) -> tuple[list[int], float, list[float]]:
    """Place dots above and below each other, each where it belongs from left to right.

    Args:
        xs: where they belong, in order.
        room: how high they may lie together.

    Returns:
        Which of them are drawn, how wide each is, and how high: as wide as there is room for, and where there is none
        even for small ones, as many as fit, evenly apart by rank.
    """
    size, shown = LARGEST, list(range(len(xs)))
    while True:
        ys = stacked([xs[place] for place in shown], size, (room - size) / 2)
        if ys is not None:
            return shown, size, ys
        if size > SMALLEST:
            size = max(0.85 * size, SMALLEST)
        else:
            many = int(0.9 * len(shown))
            shown = [round(i * (len(xs) - 1) / max(many - 1, 1)) for i in range(many)]


def stacked(xs: Sequence[float], size: float, most: float = math.inf) -> list[float] | None:
    """Return how far from the middle each dot lies, as near as none lies on another; None if one is further than `most`.

    >>> stacked([0, 0, 0, 5], 2.0), stacked([0, 0, 0], 2.0, 1.0)
    ([0.0, 2.0, -2.0, 0.0], None)
    """
    found: list[float] = []
    first = 0
    for place, x in enumerate(xs):
        while x - xs[first] >= size:
            first += 1
        # Which heights each of those beside it takes.
        near = [(found[other], math.sqrt(size**2 - (x - xs[other]) ** 2)) for other in range(first, place)]
        taken = sorted((high - half, high + half) for high, half in near)
        up, down = _free(taken), -_free([(-high, -low) for low, high in taken])
        y = up if up <= -down else down
        if abs(y) > most:
            return None
        found.append(y)
    return found


def _free(taken: Sequence[tuple[float, float]]) -> float:
    """Return the lowest height from 0 on that no interval holds inside it."""
    free = 0.0
    for low, high in sorted(taken):
        if low < free - 1e-9 and free + 1e-9 < high:
            free = high
    return free


def _density(pixels: Sequence[float]) -> list[tuple[float, float]]:
    """Return how dense points lie along the drawing, the densest place being 1."""
    mean = sum(pixels) / len(pixels)
    spread = math.sqrt(sum((x - mean) ** 2 for x in pixels) / len(pixels))
    # Silverman's rule.
    wide = max(1.06 * spread * len(pixels) ** -0.2, 2.0)
    places = range(LEFT, RIGHT, STEP)
    heights = [sum(math.exp(-0.5 * ((x + STEP / 2 - own) / wide) ** 2) for own in pixels) for x in places]
    return [(x, height / max(heights)) for x, height in zip(places, heights, strict=True)]


def _dots_told(spread: Spread, drawn: int, things: str, each: str) -> str:
    """Say what the dots are; or the bars, if there are no dots."""
    if not drawn:
        return f"Each bar shows {'how many' if spread.whole else 'what share of the'} {things} have this difference."
    if drawn == spread.total:
        return f"Each dot is {each}."
    return f"The dots are {whole(drawn)} of {whole(spread.total)} {things}, evenly apart by rank."


def _groups_told(r: Comparison, parts: Parts, drawn: int) -> str:
    things = "groups" if parts.by == "group" else "strata"
    told = [_dots_told(parts.spread, drawn, things, f"a {parts.by}"), phrases.ahead(r, parts)]
    if parts.blank:
        told.append(f"In {whole(parts.blank)} {phrases.metric(r)} is undefined.")
    return " ".join([*told, f"The diamond is the difference over all examples{_level(r)}."])


def _examples_told(r: Comparison, spread: Spread, drawn: int) -> str:
    dots = _dots_told(spread, drawn, "examples", f"one of {whole(spread.total)} examples")
    box = " The cloud shows where they are dense, the box their middle half and their median." if drawn else ""
    return f"{dots}{box} The diamond is the mean{_level(r)}."


def _level(r: Comparison) -> str:
    return f", with its {percent(r.interval.level)} interval" if r.interval else ""
