"""Luck: the law that the p-value is a tail of, with the value observed on it."""

from __future__ import annotations

from referee.report import phrases
from referee.report.charts.canvas import WIDTH, Canvas, Figure, around, fitted_apart, span
from referee.report.charts.differences import axis
from referee.report.charts.theme import Theme
from referee.report.numbers import p_equation
from referee.results.comparison import Comparison
from referee.results.plot_data import Histogram

TOP, BASE = 36, 176
"""Where the highest bar ends, and where all begin."""
LEFT = 40
WIDEST, NARROW = 26, 2
"""Bars are no wider than so many pixels; narrower ones are a spike."""
STEPS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005)
LAWS = {
    "exact": "every way of exchanging their answers, each as likely",
    "drawn": "answers exchanged at random many times",
    "normal": "a normal curve, which this test takes for it",
    "student": "Student's t curve, which this test takes for it",
    "centred": "test sets drawn again from this one, moved so that their middle is 0",
}
DRAWN_AGAIN = {
    "redrawn": "on test sets drawn again from this one",
    "mirrored": "on test sets drawn again from this one, mirrored about the difference seen, as the basic interval is",
    "pivoted": "on test sets drawn again from this one, each by its own standard error, turned about the difference seen",
}


def luck(r: Comparison, law: Histogram, theme: Theme) -> Figure:
    """Draw the law as bars: those that make up p are dark."""
    title = "If the test set were drawn again" if law.redrawn else "What luck alone would give"
    low, high = around([law.bars[0].low, law.bars[-1].high, law.observed, 0.0], 0.03)
    if not law.redrawn:
        low, high = min(low, 2 * law.null - high), max(high, 2 * law.null - low)
    canvas = Canvas(theme, low, high, LEFT, WIDTH - 6)
    canvas.ruler(_axis(r, law.scale))
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
    return Figure("luck", f"{title} at the margin" if law.null else title, _caption(r, law), canvas.chart(BASE))


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


def _marks(r: Comparison, law: Histogram, canvas: Canvas, spike: bool) -> None:
    theme, whole = canvas.theme, law.scale in ("wins", "ranks")
    seen = f"{law.observed:,.0f}" if whole else f"{law.observed:,.3g}"
    if law.scale in ("difference", "studentized"):
        seen = phrases.scale(r).difference(law.observed)
    if not spike:
        canvas.rules([span(law.null, law.null, TOP, BASE + 4, theme.grey)], strokeWidth=1, strokeDash=[2, 2])
    if not law.redrawn and r.alternative == "two-sided" and law.observed and not law.null:
        canvas.rules([span(-law.edge, -law.edge, TOP, BASE, theme.ink)], strokeWidth=1.2, strokeDash=[5, 3])
    canvas.rules([span(law.observed, law.observed, TOP - 6, BASE, theme.ink)], strokeWidth=1.8)
    label = f"{'middle of the draws' if law.how == 'centred' else 'observed'} {seen}"
    canvas.above(law.observed, TOP - 14, label, room=4, fontWeight="bold")
    p, twice = p_equation(r.p_value, r.alpha), "twice the " if law.times == 2 else ""
    shaded = f"{p}, corrected from {twice or 'the '}shaded" if law.corrected else f"{twice}shaded: {p}"
    canvas.word(WIDTH - 4, 6, shaded, theme.tail, align="right")


def _axis(r: Comparison, scale: str) -> str:
    """Say what stands along the axis."""
    a, b = fitted_apart(phrases.names(r), 84)
    other = {"wins": f"cases higher under {b} − under {a}", "ranks": f"signed rank sum ({b} − {a})", "z": "z"}
    return other.get(scale) or axis(r)


def _caption(r: Comparison, law: Histogram) -> str:
    (a, b), p = phrases.names(r), p_equation(r.p_value, r.alpha)
    if law.redrawn:
        tail = "beyond 0, on the other side of no difference"
        how = "twice their share" if law.times == 2 else "their share"
        how = f"{how}, corrected for bias and skew" if law.corrected else how
        return f"Differences in {phrases.metric(r)} {DRAWN_AGAIN[law.how]}. Those {tail}, are shaded: {p} is {how}."
    if law.null:
        side = "high" if law.null < 0 else "low"
        told = (
            f"How the difference would vary if {_apart(r)} by just the margin of {phrases.margin(r)}: {LAWS[law.how]}."
        )
        return f"{told} The shaded bars are at least as {side} as what was observed: {p}."
    said = f"How the difference would vary if {a} and {b} were equally good: {LAWS[law.how]}."
    if law.scale == "studentized":
        said += " Each is divided by its own standard error and multiplied by the observed one."
    if law.scale == "wins":
        said = f"How wins less losses would vary if either were as likely: {LAWS[law.how]}. The test counts them and not their sizes."
    if law.scale == "ranks":
        said += " The test adds up the ranks of the differences, with their signs, and not the differences."
    if law.scale == "z":
        said += " The test weighs all groups alike, so its z is not a multiple of the difference."
    side = {"two-sided": "at least as far from 0", "greater": "at least as high", "less": "at least as low"}[
        r.alternative
    ]
    half = ", ties counted half" if r.mid_p else ""
    if law.how == "drawn" and r.p_method == "exact":
        return f"{said} The shaded bars are {side} as what was observed; p itself is summed exactly over all exchanges: {p}."
    seen = "their own middle was" if law.how == "centred" else "what was observed"
    test = r.test_info
    if test is not None and test.options.get("variant") == "corrected":
        half = ", less the correction for continuity"
    if test is not None and test.name == "skew-t" and law.edge != law.observed:
        half = ", less the correction for skewness"
    return f"{said} The shaded bars are {side} as {seen}{half}: {p}."


def _apart(r: Comparison) -> str:
    """Say what would have to be so for luck to be needed at the margin."""
    a, b = phrases.names(r)
    return f"{b} were worse than {a}" if r.question == "no-worse" else f"{a} and {b} differed"
