"""Scores of classes: both systems on each class that is averaged, with a bar from one to the other."""

from __future__ import annotations

from collections.abc import Sequence

from referee.report import phrases
from referee.report.charts.canvas import MIDDLE, SMALL, WIDTH, Canvas, Figure, around, fitted_apart, span, spot
from referee.report.charts.theme import Theme
from referee.report.numbers import whole
from referee.results.comparison import Comparison
from referee.results.plot_data import ClassScores

NAMES, LAST = 132, 44
STEP, HEAD = 22, 48
SHOWN = 60
"""So many classes have a row."""
NAMED = 10
"""So many classes that have none are named."""
AVERAGES = ("macro-averaged ", "weighted ")


def dumbbells(r: Comparison, found: Sequence[ClassScores], theme: Theme) -> Figure:
    """Draw a row for each class, the largest gain of B first, and the average below them."""
    largest = sorted(found, key=lambda row: -row.n)[:SHOWN]
    rows = [row for row in found if row in largest]
    share = phrases.scale(r).unit == "share"
    low, high = around([*(end for row in rows for end in (row.a, row.b)), r.a.score, r.b.score])
    low, high = (max(low, 0.0), min(high, 1.0)) if share else (low, high)
    canvas = Canvas(theme, low, high, NAMES + 10, WIDTH - LAST - 4)
    canvas.ruler("", ticks=4, grid=True, unit="percent" if share else "")
    canvas.heading(HEAD - 18)
    _key(r, canvas)
    canvas.word(WIDTH, HEAD - 10, "n", theme.grey, align="right", fontSize=SMALL)
    ys = [HEAD + STEP * (i + 0.5) for i in range(len(rows))]
    names = [phrases.clean(row.label, phrases.LONG) or "(empty)" for row in rows]
    canvas.words(NAMES, ys, names, align="right", limit=NAMES)
    canvas.words(WIDTH, ys, [whole(row.n) for row in rows], theme.grey, align="right", fontSize=SMALL, limit=LAST)
    last = HEAD + STEP * (len(rows) + 0.5) + 6
    canvas.word(NAMES, last, "average", align="right", fontWeight="bold")
    pairs = [(row.a, row.b, y) for row, y in zip(rows, ys, strict=True)]
    pairs.append((r.a.score or 0.0, r.b.score or 0.0, last))
    canvas.rules([span(a, b, y, y, theme.grey) for a, b, y in pairs], strokeWidth=2.5)
    canvas.points([spot(a, y, theme.a) for a, _, y in pairs], size=90, stroke=theme.paper, strokeWidth=1)
    canvas.points([spot(b, y, theme.b, "square") for _, b, y in pairs], size=80, stroke=theme.paper, strokeWidth=1)
    return Figure("classes", f"{_own(r)} of each class", _told(r, found, rows), canvas.chart(last + 14))


def _key(r: Comparison, canvas: Canvas) -> None:
    a, b = fitted_apart(phrases.names(r), WIDTH / 2 - 34, MIDDLE)
    half = WIDTH / 2
    canvas.points([spot(canvas.at(8), 12, canvas.theme.a)], size=90)
    canvas.points([spot(canvas.at(half + 8), 12, canvas.theme.b, "square")], size=80)
    canvas.words([20, half + 20], [12, 12], [a, b])


def _own(r: Comparison) -> str:
    """Name what is averaged, as a title begins."""
    name = phrases.metric(r)
    for average in AVERAGES:
        name = name.removeprefix(average)
    name = "recall" if name == "balanced accuracy" else name
    return name[:1].upper() + name[1:]


def _told(r: Comparison, found: Sequence[ClassScores], rows: Sequence[ClassScores]) -> str:
    a, b = phrases.names(r)
    of_b, of_a = (sum(sign * (row.b - row.a) > 1e-12 for row in found) for sign in (1, -1))
    of_b, of_a = (of_b, of_a) if r.higher_is_better else (of_a, of_b)
    told = [f"{b} (square) does better on {whole(of_b)} of {whole(len(found))} classes, {a} (circle) on {whole(of_a)}."]
    if len(rows) < len(found):
        left = [phrases.clean(row.label, 40) or "(empty)" for row in found if row not in rows]
        more = f" and {whole(len(left) - NAMED)} more" if len(left) > NAMED else ""
        named = f"{', '.join(left[:NAMED])}{more}"
        told.append(f"The {whole(len(left))} smallest classes are not shown ({named}); the average has them.")
    return " ".join(told)
