"""Spreads: the differences of many groups as a swarm of dots, those of single examples as a raincloud."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from referee.report import phrases
from referee.report.charts.canvas import WIDTH, Canvas, Figure, Row, span, spot
from referee.report.charts.differences import axis, better, points, sides
from referee.report.charts.theme import Theme
from referee.report.numbers import known, percent, whole
from referee.results.comparison import Comparison
from referee.results.plot_data import Parts, Spread

LEFT, RIGHT, TOP = 10, WIDTH - 10, 24
SWARM, RAIN = 150, 56
"""Pixels for the dots of groups, and for those of examples."""
LARGEST, SMALLEST = 9.0, 2.5
"""How wide a dot is at most and at least."""
CLOUD, STEP = 64, 3
"""Pixels for the cloud, and how wide each of its slices is."""


def of_groups(r: Comparison, parts: Parts, theme: Theme) -> Figure:
    """Draw the difference in each of many groups as a dot, and that of all below them."""
    canvas = _canvas(r, parts.spread, theme)
    bottom = TOP + SWARM + 18
    _no_difference(canvas, bottom)
    _swarm(r, parts.spread, canvas, TOP, SWARM)
    _all_together(r, canvas, bottom)
    canvas.word(LEFT, bottom, "all together", theme.grey)
    return Figure("swarm", f"The difference in each {parts.by}", _groups_told(r, parts), canvas.chart(bottom + 12))


def of_examples(r: Comparison, spread: Spread, theme: Theme) -> Figure:
    """Draw the differences of single examples: their density as a cloud, a box, and a rain of dots."""
    canvas, base = _canvas(r, spread, theme), TOP + CLOUD
    heights = _density([canvas.pixel(value) for value in spread.values])
    slices = [
        span(canvas.at(x), canvas.at(x + STEP), base - CLOUD * height, base, theme.bar)
        for x, height in heights
        if CLOUD * height >= 0.3
    ]
    canvas.rects(slices)
    bottom = base + RAIN + 36
    _no_difference(canvas, bottom)
    low, middle, high = (spread.quantile(share) for share in (0.25, 0.5, 0.75))
    canvas.rects([span(low, high, base + 5, base + 15, theme.both)], stroke=theme.grey, strokeWidth=1)
    canvas.rules([span(middle, middle, base + 5, base + 15, theme.ink)], strokeWidth=2)
    _swarm(r, spread, canvas, base + 20, RAIN)
    _all_together(r, canvas, bottom)
    canvas.word(LEFT, bottom, "mean", theme.grey)
    return Figure("examples", "The difference on each example", _examples_told(r, spread), canvas.chart(bottom + 12))


def _canvas(r: Comparison, spread: Spread, theme: Theme) -> Canvas:
    """Return a canvas as wide as the differences and no difference, whose sides are named."""
    ends = [0.0, r.difference or 0.0, *spread.values[:1], *spread.values[-1:]]
    if r.interval:
        ends += [end for end in (r.interval.low, r.interval.high) if known(end)]
    reach = 1.06 * max(map(abs, ends)) or 1.0
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


def _swarm(r: Comparison, spread: Spread, canvas: Canvas, top: float, room: float) -> None:
    """Draw a dot for each difference, in the colour of whoever is better there, as large as there is room for."""
    pixels, size = [canvas.pixel(value) for value in spread.values], LARGEST
    while True:
        wanted = _blocks(pixels, size, room)
        places = beside_each_other(wanted, size, room / 2)
        if size <= SMALLEST or all(x == own for (x, _), own in zip(places, wanted, strict=True)):
            break
        size = max(0.8 * size, SMALLEST)
    theme, up = canvas.theme, 1 if r.higher_is_better else -1
    rows: list[Row] = []
    for (x, y), value in zip(places, spread.values, strict=True):
        fill = theme.grey if value == 0 else theme.b if up * value > 0 else theme.a
        rows.append(spot(canvas.at(x), round(top + room / 2 + y, 1), fill))
    # The size of a mark is its area.
    canvas.points(rows, size=round(0.6 * size * size, 1))


def _blocks(xs: Sequence[float], size: float, room: float) -> list[float]:
    """Put dots of one value beside each other where they are more than fit above it, and nothing else is near.

    >>> _blocks([0, 50, 50, 50, 50, 100], 10, 20)
    [0.0, 45.0, 45.0, 55.0, 55.0, 100.0]
    """
    runs = [(x, len(list(run))) for x, run in groupby(xs)]
    found: list[float] = []
    for place, (x, many) in enumerate(runs):
        gaps = [abs(x - runs[other][0]) for other in (place - 1, place + 1) if 0 <= other < len(runs)]
        high = max(int(room / size), 1)
        across = max(min(math.ceil(many / high), int(0.8 * min(gaps, default=RIGHT - LEFT) / size)), 1)
        found += [x + (column * across // many - (across - 1) / 2) * size for column in range(many)]
    return found


def beside_each_other(xs: Sequence[float], size: float, most: float = math.inf) -> list[tuple[float, float]]:
    """Put dots where they belong from left to right, as near to the middle as none lies on another.

    Args:
        xs: where they belong, in order.
        size: how far they are apart.
        most: how far from the middle they may lie; where there is no more room, a dot moves to the right.

    >>> beside_each_other([0, 0, 0, 5], 2.0)
    [(0, 0.0), (0, 2.0), (0, -2.0), (5, 0.0)]
    """
    placed: list[tuple[float, float]] = []
    columns: dict[int, list[tuple[float, float]]] = {}
    for x in xs:
        while True:
            column = int(x // size)
            near = [one for beside in (-1, 0, 1) for one in columns.get(column + beside, ()) if abs(x - one[0]) < size]
            # Which heights each of them takes.
            halves = [math.sqrt(size**2 - (x - other) ** 2) for other, _ in near]
            taken = sorted((high - half, high + half) for (_, high), half in zip(near, halves, strict=True))
            up, down = _free(taken), -_free([(-high, -low) for low, high in reversed(taken)])
            y = up if up <= -down else down
            if abs(y) <= most:
                break
            x += size
        placed.append((x, y))
        columns.setdefault(column, []).append((x, y))
    return placed


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


def _groups_told(r: Comparison, parts: Parts) -> str:
    things = "groups" if parts.by == "group" else "strata"
    dot = f"Each dot is a {parts.by}"
    if not parts.spread.whole:
        dot = f"The dots are {whole(len(parts.spread.values))} of {whole(parts.spread.total)} {things}, evenly apart by rank"
    told = [f"{dot}.", phrases.ahead(r, parts)]
    if parts.blank:
        told.append(f"In {whole(parts.blank)} {phrases.metric(r)} is undefined.")
    return " ".join([*told, f"The diamond is the difference over all examples{_level(r)}."])


def _examples_told(r: Comparison, spread: Spread) -> str:
    dot = f"Each dot is one of {whole(spread.total)} examples"
    if not spread.whole:
        dot = f"The dots are {whole(len(spread.values))} of {whole(spread.total)} examples, evenly apart by rank"
    box = "The cloud shows where they are dense, the box their middle half and their median"
    return f"{dot}. {box}; the diamond is the mean{_level(r)}."


def _level(r: Comparison) -> str:
    return f", with its {percent(r.interval.level)} interval" if r.interval else ""
