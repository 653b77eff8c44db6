"""Win rates: that of B against a half, in either order of presentation, and that of whoever is shown first."""

from __future__ import annotations

from referee.report import phrases
from referee.report.charts.canvas import SMALL, WIDTH, Canvas, Figure, around, span, spot
from referee.report.charts.theme import Theme
from referee.report.numbers import Scale, percent, whole
from referee.report.phrases.wins import EVEN, of_rate, rate_scale
from referee.results.comparison import Comparison, Interval

NAMES, LAST, STEP, HEAD = 134, 46, 30, 26


def win_rate(r: Comparison, theme: Theme) -> Figure:
    """Draw B's win rate with its interval, and below it what the order of presentation does to it."""
    b, own = phrases.names(r)[1], None if r.interval is None else of_rate(r.interval)
    rows: list[tuple[str, float | None, Interval | None, str]] = [(f"{b} wins", r.b.score, own, "square")]
    if r.position is not None:
        rows += [
            (f"{b} first ({whole(r.position.b_first)})", r.position.rate_b_first, None, "circle"),
            (f"{b} second ({whole(r.position.a_first)})", r.position.rate_a_first, None, "circle"),
            ("the first wins", r.position.first_wins, r.position.interval, "diamond"),
        ]
    ends = [end for _, rate, i, _ in rows for end in (rate, *((i.low, i.high) if i else ()))]
    canvas, height = Canvas(theme, *around([EVEN, *ends]), NAMES + 8, WIDTH - LAST - 8), HEAD + STEP * len(rows) - 8
    canvas.ruler("share of the judgements won, ties counting half", grid=True, unit="percent")
    canvas.rules([span(EVEN, EVEN, 8, height, theme.ink)], strokeWidth=1.2)
    for place, (label, rate, interval, shape) in enumerate(rows):
        if rate is None:
            continue
        y = HEAD + STEP * place
        canvas.names(NAMES, [y], [label], most=2)
        fill = theme.b if place == 0 else theme.grey
        canvas.whiskers(interval, y, fill)
        canvas.points([spot(rate, y, fill, shape)], size=110 if place == 0 else 60)
        shown = rate_scale(r) if place == 0 else Scale.fitting("share", [rate, EVEN])
        canvas.word(
            WIDTH, y, shown.score(rate), align="right", fontSize=SMALL, fontWeight="normal" if place else "bold"
        )
    return Figure("win-rate", "The win rate", _told(r, b), canvas.chart(height))


def _told(r: Comparison, b: str) -> str:
    told = f"The square is the share of the judgements that {b} wins, ties counting half"
    if r.interval is not None:
        around_half = "includes" if 0.0 in r.interval else "excludes"
        told += f", with its {percent(r.interval.level)} interval, which {around_half} 50%"
    if r.position is None:
        return f"{told}."
    return f"{told}; below it when {b} is shown first and second, and how often whoever is shown first wins."
