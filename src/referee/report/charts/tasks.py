"""Tasks: the table of a page as one drawing, with each difference and its intervals in its row."""

from __future__ import annotations

from typing import Any

from referee.report import phrases
from referee.report.charts.canvas import SMALL, Canvas, Figure, fitted_apart, span, spot, width
from referee.report.charts.theme import Theme, altair
from referee.report.comparisons import drawn
from referee.report.document import Drawn, Table, plain
from referee.report.phrases import comparisons as summary
from referee.results.comparison import Comparisons

WIDE = 640
"""Pixels across."""
NAMES, NUMBERS, LEFT, RIGHT = 186, (236, 286, 334, 384), 402, 556
"""Where the names end, where the numbers end, and where the intervals begin and end."""
STEP, BROKEN, HEAD = 24.0, 34.0, 22
"""Pixels of a row, of one whose name is broken, and above the rows."""
SHOWN = 40
"""So many tasks are drawn."""


def of_tasks(rs: Comparisons, theme: Theme) -> list[Figure]:
    """Draw the rows of a page; metrics that have no common unit have panels of their own."""
    tables = [table for table in drawn(rs, rs.told, SHOWN) if any(cell.value is not None for cell in _cells(table))]
    if not tables:
        return []
    panels = [_panel(rs, table, len(tables) > 1, theme) for table in tables]
    chart = panels[0] if len(panels) == 1 else altair().vconcat(*panels, spacing=18)
    told = " ".join(dict.fromkeys(table.note for table in tables))
    return [Figure("forest", "All differences", told, chart, wide=WIDE)]


def _cells(table: Table) -> list[Drawn]:
    return [cell for row in table.rows for cell in row if isinstance(cell, Drawn)]


def _tones(theme: Theme) -> dict[str, str]:
    """Return the colours of verdicts, which are those of a page."""
    return {"good": theme.on_better, "bad": theme.tail, "equal": theme.a, "open": theme.grey}


def _panel(rs: Comparisons, table: Table, several: bool, theme: Theme) -> Any:
    axis, tones = table.axis, _tones(theme)
    assert axis is not None
    canvas = Canvas(theme, axis.low, axis.high, LEFT, RIGHT, wide=WIDE)
    top = _who(rs, table.title if several else "", canvas)
    names = [plain(row[0]) for row in table.rows]
    step = BROKEN if any(width(name, 12) > NAMES for name in names) else STEP
    ys = [top + HEAD + step * (i + 0.5) for i in range(len(names))]
    bottom = top + HEAD + step * len(names)
    edges = [top + HEAD + step * i for i in range(len(names) + 1)]
    canvas.rules([span(canvas.at(0), canvas.at(WIDE), y, y, theme.grid) for y in edges], strokeWidth=1)
    canvas.word(0, top + 11, table.columns[0].name, theme.grey, fontSize=SMALL)
    canvas.names(0, ys, names, most=2, limit=NAMES, align="left")
    for place, at in enumerate(NUMBERS, 1):
        canvas.word(at, top + 11, table.columns[place].name, theme.grey, align="right", fontSize=SMALL)
        weight = "bold" if place == len(NUMBERS) else "normal"
        canvas.words(at, ys, [plain(row[place]) for row in table.rows], align="right", unique=False, fontWeight=weight)
    for value, word in axis.ticks:
        if LEFT + 8 <= canvas.pixel(value) <= RIGHT - 8:
            canvas.word(canvas.pixel(value), top + 11, word, theme.grey, align="center", fontSize=SMALL)
    canvas.rules([span(0.0, 0.0, top + HEAD, bottom, theme.ink)], strokeWidth=1)
    fills = [tones[tone] for tone in table.tones]
    cells = _cells(table)
    rows = list(zip(cells, ys, fills, strict=True))
    for part, thick in (("far", 1.4), ("near", 4.0)):
        ends = [(getattr(cell, part), y, fill) for cell, y, fill in rows if getattr(cell, part)]
        bars = [span(max(low, axis.low), min(high, axis.high), y, y, fill) for (low, high), y, fill in ends]
        canvas.rules(bars, strokeWidth=thick)
    dots = [
        spot(min(max(cell.value, axis.low), axis.high), y, fill) for cell, y, fill in rows if cell.value is not None
    ]
    canvas.points(dots, size=60, stroke=theme.paper, strokeWidth=1)
    canvas.word(RIGHT + 14, top + 11, table.columns[-1].name, theme.grey, fontSize=SMALL)
    canvas.words(RIGHT + 14, ys, [plain(row[-1]) for row in table.rows], fills, unique=False)
    if any(cell.far for cell in cells):
        told = f"Thick: the interval of the {summary.noun(rs)} alone; thin: widened for {phrases.several(len(rs), summary.noun(rs))}."
        canvas.word(0, bottom + 14, told, theme.grey, fontSize=SMALL)
    return canvas.chart(bottom + 20)


def _who(rs: Comparisons, title: str, canvas: Canvas) -> float:
    """Say who A and B are if they are the same everywhere, and return where that ends."""
    pairs = list(dict.fromkeys(phrases.names(r) for r in rs))
    a, b = fitted_apart(pairs[0], WIDE - 30) if len(pairs) == 1 else ("", "")
    lines = [line for line in (title, f"A  {a}" if a else "", f"B  {b}" if b else "") if line]
    canvas.words(0, [8.0 + 16 * i for i in range(len(lines))], lines, limit=WIDE)
    return 16.0 * len(lines)
