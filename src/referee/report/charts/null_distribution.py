"""Luck: the null distribution, of which the p-value is a tail, with the observed value marked."""

from __future__ import annotations

from referee.report import phrases
from referee.report.charts.canvas import WIDTH, Canvas, Figure, around, fitted_apart, span
from referee.report.charts.differences import axis, points
from referee.report.charts.theme import Theme
from referee.report.numbers import p_equation, times_in_100
from referee.results.comparison import Comparison
from referee.results.plot_data import Histogram

TOP, BASE = 36, 176
"""Where the highest bar ends, and where all begin."""
LEFT = 40
WIDEST, NARROW = 26, 2
"""Bars are no wider than so many pixels; narrower ones are a spike."""
STEPS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005)
LAWS = {
    "exact": "every way of swapping their answers, all equally likely",
    "drawn": "answers swapped at random, many times",
    "normal": "the normal curve that this test uses as an approximation",
    "student": "Student's t curve, which this test uses as an approximation",
    "centred": "test sets resampled from this one, shifted so that their centre is 0",
}
RESAMPLED = {
    "redrawn": "",
    "mirrored": ", mirrored about the observed one, as the basic interval is",
    "pivoted": ", each divided by its own standard error and mirrored about the observed one",
}
SCALES = {
    "studentized": " Each is divided by its own standard error and multiplied by the observed one.",
    "wins": " The test counts wins, whatever their size.",
    "ranks": " The test adds up the signed ranks of the differences, not the differences themselves.",
    "z": " The test gives all groups the same weight, so its z is not a multiple of the difference.",
}
"""What a test looks at if that is not the plain difference."""
PLAIN = ("difference", "studentized")
"""The scales on which values are differences of scores."""


RARE = 0.01
"""What is rarer happens less than once in 100 times."""


def chance(r: Comparison) -> str:
    """Say how often luck would do as much, as a question and its answer."""
    p = r.p_value or 0.0
    many = times_in_100(p)
    often = f"About {many} times in 100" if many != 1 else "About once in 100 times"
    return f"Could luck do this? {often if p >= RARE else 'Less than once in 100 times'}."


def supposed(r: Comparison, law: Histogram) -> str:
    """Say what the law supposes."""
    a, b = phrases.names(r)
    if not law.null:
        return f"{a} and {b} were equally good"
    return (
        f"{f'{b} were worse than {a}' if r.question == 'no-worse' else f'{a} and {b} differed'} by exactly the margin"
    )


def luck(r: Comparison, law: Histogram, theme: Theme, folded: bool = False) -> Figure:
    """Draw the law as bars: those that make up p are dark.

    Args:
        r: the comparison.
        law: what p is a tail of.
        theme: the colours.
        folded: whether it is only for those who want to know more, as where dots show it.
    """
    null = "If the difference were just the margin" if law.null else "If the two were equally good"
    low, high = around([law.bars[0].low, law.bars[-1].high, law.observed, 0.0], 0.03)
    if not law.redrawn:
        low, high = min(low, 2 * law.null - high), max(high, 2 * law.null - low)
    canvas = Canvas(theme, low, high, LEFT, WIDTH - 6)
    canvas.ruler(axis_of_law(r, law), unit=unit_of(r, law))
    most = max(bar.share for bar in law.bars)
    tall = (BASE - TOP) / most
    wide = canvas.pixel(law.bars[0].high) - canvas.pixel(law.bars[0].low)
    # Few values are given slim bars; a law far narrower than the axis is a spike, and gets a line to be seen at all.
    trim, spike = max(0.0, wide - WIDEST) / 2 / wide, wide < NARROW
    for fill, part in ((theme.grey if spike else theme.bar, "share"), (theme.tail, "counted")):
        shares = [(bar, getattr(bar, part), trim * (bar.high - bar.low)) for bar in law.bars]
        bars = [
            span(bar.low + cut, bar.high - cut, BASE, BASE - tall * share, fill)
            for bar, share, cut in shares
            if share > 0
        ]
        canvas.rects(bars, stroke=fill if spike else theme.paper, strokeWidth=1.4 if spike else 0.6)
    _frequencies(canvas, most, tall)
    _marks(r, law, canvas, spike)
    title = "If the test set were drawn again" if law.redrawn and not law.null else null if folded else chance(r)
    return Figure("luck", title, _caption(r, law), canvas.chart(BASE), folded=folded)


def _frequencies(canvas: Canvas, most: float, tall: float) -> None:
    """Put an axis of shares on the left: it begins at none, and names the highest round share."""
    step = next((one for one in STEPS if one <= most), STEPS[-1])
    shares = [i * step for i in range(int(most / step + 1e-9) + 1)]
    shares = shares if len(shares) <= 4 else shares[:: -(-len(shares) // 4)]
    ys = [BASE - tall * share for share in shares]
    ticks = [span(canvas.at(LEFT - 4), canvas.at(LEFT), y, y, canvas.theme.grey) for y in ys]
    canvas.rules(ticks, strokeWidth=1)
    canvas.words(LEFT - 7, ys, [f"{100 * share:.3g}%" for share in shares], align="right", fontSize=11)
    canvas.word(0, 6, "how often")


def seen(r: Comparison, law: Histogram) -> str:
    """Write the value observed."""
    if law.scale in PLAIN:
        return phrases.scale(r).difference(law.observed)
    return f"{law.observed:,.0f}" if law.scale in ("wins", "ranks") else f"{law.observed:,.3g}"


def _marks(r: Comparison, law: Histogram, canvas: Canvas, spike: bool) -> None:
    theme = canvas.theme
    if not spike:
        canvas.rules([span(law.null, law.null, TOP, BASE + 4, theme.grey)], strokeWidth=1, strokeDash=[2, 2])
    if not law.redrawn and r.alternative == "two-sided" and law.observed and not law.null:
        canvas.rules([span(-law.edge, -law.edge, TOP, BASE, theme.ink)], strokeWidth=1.2, strokeDash=[5, 3])
    canvas.rules([span(law.observed, law.observed, TOP - 6, BASE, theme.ink)], strokeWidth=1.8)
    label = f"{'centre of the draws' if law.how == 'centred' else 'observed'} {seen(r, law)}"
    canvas.above(law.observed, TOP - 14, label, room=4, fontWeight="bold")
    p, twice = p_equation(r.p_value, r.alpha), "twice the " if law.times == 2 else ""
    shaded = f"{p}, corrected from {twice or 'the '}shaded" if law.corrected else f"{twice}shaded: {p}"
    canvas.word(WIDTH - 4, 6, shaded, theme.tail, align="right")


def unit_of(r: Comparison, law: Histogram) -> str:
    """Say in what the axis is written."""
    return points(r) if law.scale in PLAIN else ""


def axis_of_law(r: Comparison, law: Histogram) -> str:
    """Say what stands along the axis."""
    a, b = fitted_apart(phrases.names(r), 84)
    other = {"wins": f"examples where {b} scores higher − lower", "ranks": f"signed rank sum ({b} − {a})", "z": "z"}
    return other.get(law.scale) or axis(r)


def _caption(r: Comparison, law: Histogram) -> str:
    if law.redrawn:
        p = f"{'twice their share' if law.times == 2 else 'their share'}{', corrected for bias and skew' if law.corrected else ''}"
        differences = f"Differences in {phrases.metric(r)} on test sets resampled from this one{RESAMPLED[law.how]}."
        return f"{differences} Those on the other side of 0 are shaded: p is {p}."
    if law.null:
        side = "high" if law.null < 0 else "low"
        vary = f"How the difference would vary if {supposed(r, law)}: {LAWS[law.how]}."
        return f"{vary} The shaded part, at least as {side} as observed, is p."
    what = "wins minus losses" if law.scale == "wins" else "the difference"
    vary = f"How {what} would vary if {supposed(r, law)}: {LAWS[law.how]}.{SCALES.get(law.scale, '')}"
    sides = {"two-sided": "at least as far from 0", "greater": "at least as high", "less": "at least as low"}
    shaded = f"{vary} The shaded part, {sides[r.alternative]} as"
    if law.how == "drawn" and r.p_method == "exact":
        return f"{shaded} observed, shows p, which is itself summed over all swaps."
    half = ", ties counted half" if r.mid_p else ""
    if r.test_info is not None and r.test_info.options.get("variant") == "corrected":
        half = " less the continuity correction"
    if r.test_info is not None and r.test_info.name == "skew-t" and law.edge != law.observed:
        half = " less the correction for skewness"
    return f"{shaded} {'their own centre' if law.how == 'centred' else 'observed'}{half}, is p."
