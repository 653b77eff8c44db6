"""Win rates: how often each model beats each of the others, as a map of cells."""

from __future__ import annotations

from referee.report.charts.canvas import SMALL, WIDTH, Canvas, Figure, span
from referee.report.charts.theme import Theme
from referee.report.numbers import whole
from referee.report.phrases import battles as words
from referee.report.phrases import ranking as rankings
from referee.results.ranking import Ranking

NAMES, NUMBERS, TOP = 140, 28, 20.0
SHOWN = 40
"""So many models have a row."""
TOLD = 12
"""Up to so many models, the cells have the win rates in them, and the rows names."""
STEPS = ((0.05, 0.12), (0.15, 0.35), (0.25, 0.6), (0.5, 1.0))
"""Up to so far from one half, a cell is so strong in colour."""


def win_rates(r: Ranking, theme: Theme) -> list[Figure]:
    """Draw the win rate of each row against each column, in the order of the leaderboard; pairs that never met stay empty."""
    names = [one.name for one in r.systems][:SHOWN]
    found = words.cells(r, names)
    if len(names) < 3 or not found:
        return []
    place, canvas = {name: i for i, name in enumerate(names)}, Canvas(theme)
    left = NAMES if len(names) <= TOLD else NUMBERS
    side = (WIDTH - left) / len(names)
    tall = min(side, 34.0)
    for step, (most, strength) in enumerate(STEPS):
        least = STEPS[step - 1][0] if step else -1.0
        boxes = [
            span(
                left + side * place[column], left + side * (place[column] + 1), TOP + tall * place[row], TOP + tall * (place[row] + 1),
                theme.a if rate >= 0.5 else theme.b,
            )
            for (row, column), (rate, *_) in found.items()
            if least < round(abs(rate - 0.5), 9) <= most
        ]  # fmt: skip
        canvas.rects(boxes, stroke=theme.paper, strokeWidth=1.0, fillOpacity=strength)
    if len(names) <= TOLD:
        cells = [(place[row], place[column], rate) for (row, column), (rate, *_) in found.items()]
        inks = [
            theme.ink if abs(rate - 0.5) <= STEPS[-2][0] else theme.on_a if rate > 0.5 else theme.on_b
            for *_, rate in cells
        ]
        xs, ys = [left + side * (j + 0.5) for _, j, _ in cells], [TOP + tall * (i + 0.5) for i, *_ in cells]
        canvas.words(xs, ys, [f"{100 * rate:.0f}" for *_, rate in cells], inks, align="center", fontSize=SMALL)
    every = 1 if len(names) <= TOLD else 5
    ticks = [i for i in range(len(names)) if i == 0 or (i + 1) % every == 0]
    canvas.words(
        [left + side * (i + 0.5) for i in ticks],
        [10.0] * len(ticks),
        [str(i + 1) for i in ticks],
        align="center",
        fontSize=SMALL,
    )
    if len(names) <= TOLD:
        texts = [f"{i}  {rankings.label(r, name)}" for i, name in enumerate(names, 1)]
        canvas.words(0, [TOP + tall * (i + 0.5) for i in range(len(names))], texts, limit=NAMES - 8)
    else:
        ys = [TOP + tall * (i + 0.5) for i in ticks]
        canvas.words(left - 6, ys, [str(i + 1) for i in ticks], align="right", fontSize=SMALL)
    told = "How often the row beats the column, in percent, in the order of the leaderboard: blue more often than not, orange less often; "
    told += "the stronger the colour, the further from 50%. Pairs that never met stay empty."
    more = f" Only the first {whole(len(names))} are shown." if len(r.systems) > len(names) else ""
    return [Figure("win-rates", "Win rates", told + more, canvas.chart(TOP + tall * len(names)))]
