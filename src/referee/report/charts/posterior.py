"""The posterior: how probable each difference is after the data, on either side of 0, with the credible interval below it."""

from __future__ import annotations

from referee.report import phrases
from referee.report.charts.canvas import SMALL, WIDTH, Canvas, Figure, around, fitted_apart, span, width
from referee.report.charts.differences import axis, better, points
from referee.report.charts.theme import Theme
from referee.report.numbers import known, percent
from referee.report.phrases.posterior import chance
from referee.results.comparison import Comparison
from referee.results.plot_data import Histogram
from referee.results.posterior import Posterior

TOP, BASE, UNDER = 44, 168, 178
"""Where the highest bar ends, where all begin, and where the interval is drawn."""


def density(r: Comparison, p: Posterior, law: Histogram, theme: Theme) -> Figure:
    """Draw the draws of the difference as bars: those on the side of B in its colour, those on the side of A in that of A.

    Args:
        r: the comparison.
        p: what is believed of it.
        law: the draws of the difference.
        theme: the colours.
    """
    ends = [law.bars[0].low, law.bars[-1].high, 0.0, *((r.interval.low, r.interval.high) if r.interval else ())]
    low, high = around(ends, 0.03)
    canvas = Canvas(theme, low, high, 6, WIDTH - 6)
    canvas.ruler(axis(r), unit=points(r))
    margin = r.margin if known(r.margin) else None
    if margin is not None:
        canvas.rects([span(max(-margin, low), min(margin, high), TOP - 8, BASE, theme.band)])
    tall = (BASE - TOP) / max(bar.share for bar in law.bars)
    left, right = (theme.a, theme.b) if r.higher_is_better else (theme.b, theme.a)
    bars = [
        span(bar.low, bar.high, BASE, BASE - tall * bar.share, left if bar.low + bar.high < 0 else right)
        for bar in law.bars
    ]
    canvas.rects(bars, stroke=theme.paper, strokeWidth=0.6)
    if margin is not None:
        edges = [span(end, end, TOP - 8, BASE, theme.grey) for end in (-margin, margin) if low < end < high]
        canvas.rules(edges, strokeWidth=1, strokeDash=[4, 3])
    canvas.rules([span(0.0, 0.0, TOP - 8, UNDER + 5, theme.ink)], strokeWidth=1.4)
    canvas.whiskers(r.interval, UNDER, theme.ink, 4)
    _named(r, p, canvas)
    return Figure("posterior", _title(r, p), _caption(r, p), canvas.chart(UNDER + 8))


def _named(r: Comparison, p: Posterior, canvas: Canvas) -> None:
    """Say above either side of 0 who is better there, and how probable that is."""
    shares = (p.probability_a_better, p.probability_b_better)
    shares = shares if r.higher_is_better else shares[::-1]
    texts = [f" better: {chance(share)}" for share in shares]
    room = (WIDTH - 24) / 2 - max(width(text, SMALL) for text in texts)
    left, right = fitted_apart(better(r), room, SMALL)
    canvas.word(8, 8, f"← {left}{texts[0]}", align="left", fontSize=SMALL, limit=WIDTH)
    canvas.word(WIDTH - 6, 8, f"{right}{texts[1]} →", align="right", fontSize=SMALL, limit=WIDTH)
    if r.interval is not None:
        canvas.above(
            (r.interval.low + r.interval.high) / 2, 25, f"line below: {percent(r.interval.level)} credible interval",
            fill=canvas.theme.grey, fontSize=SMALL,
        )  # fmt: skip


def _title(r: Comparison, p: Posterior) -> str:
    a, b = phrases.names(r)
    ahead = max((p.probability_b_better, b), (p.probability_a_better, a), key=lambda one: one[0])
    return f"How probable is it that {ahead[1]} is better? {chance(ahead[0]).capitalize()}."


def _caption(r: Comparison, p: Posterior) -> str:
    """Say what is seen."""
    prior = " and the prior" if p.kind == "outcomes" else ""
    told = f"The posterior of the difference: how probable each difference in {phrases.metric(r)} is, given these data{prior}."
    told += " Each side of 0 has the colour of the system that is better there."
    if r.interval is not None:
        told += f" The line below is the {percent(r.interval.level)} credible interval."
    if known(r.margin) and known(p.probability_within_margin):
        told += f" The margin is shaded; the difference is inside with a probability of {chance(p.probability_within_margin)}."
    return told
