"""Agreement: which system is right, class by class, with their disagreements set apart."""

from __future__ import annotations

from collections.abc import Sequence

from referee.report import phrases
from referee.report.charts.canvas import SMALL, WIDTH, Canvas, Figure, fitted_apart, span
from referee.report.charts.theme import Theme
from referee.report.nouns import in_its_words
from referee.report.numbers import whole
from referee.results.comparison import Comparison
from referee.results.plot_data import Joint, Outcomes

NAMES, COUNTS = 92, 44
"""Pixels for the names of classes, and for how many examples they have."""
STEP, BAR = 24, 16
DIGIT = 7.0
"""About how wide a digit is."""
HEAD, KEY = 16, 20
APART = 0.6
"""Where the systems differ on more than this share of the examples, that is seen without a drawing of its own."""


def outcomes(r: Comparison, found: Outcomes, theme: Theme) -> Figure:
    """Draw a bar for each class, cut into what both, one or neither got right, and below it only where one did."""
    canvas, of_scores, rows = Canvas(theme), found.kind == "scores", found.classes
    y = _key(r, found, canvas)
    head = in_its_words("all examples" if of_scores or len(rows) == 1 else "all examples, by true class", r)
    canvas.word(0, y + 6, head, theme.grey, fontSize=SMALL)
    y = _whole(rows, canvas, y + HEAD)
    if 0 < sum(row.only_a + row.only_b for row in rows) < APART * sum(row.n for row in rows):
        head = "only where one does better" if of_scores else "only where one is right and the other wrong"
        canvas.word(0, y + 12, head, theme.grey, fontSize=SMALL)
        y = _apart(r, found, canvas, y + HEAD + 6)
    title = "Who does better" if of_scores else "Who is right where"
    return Figure("outcomes", title, _caption(r, found), canvas.chart(y))


def _segments(theme: Theme) -> dict[str, tuple[str, str]]:
    """Return the colour of each part of a bar, and that of the words on it, in the order in which they stand."""
    single = {"only_a": (theme.a, theme.on_a), "only_b": (theme.b, theme.on_b)}
    return {"both": (theme.both, theme.ink), **single, "neither": (theme.neither, theme.ink)}


def _key(r: Comparison, found: Outcomes, canvas: Canvas) -> float:
    """Say what the colours mean, in the order in which they stand."""
    half, fills = WIDTH / 2, _segments(canvas.theme)
    a, b = fitted_apart(phrases.names(r), half - 64)
    words = {"both": "both right", "only_a": f"only {a}", "only_b": f"only {b}", "neither": "both wrong"}
    if found.kind == "scores":
        words = {"both": "equal", "only_a": f"{a} better", "only_b": f"{b} better"}
    shown = [key for key in words if key[:4] == "only" or any(getattr(row, key) for row in found.classes)]
    places = [(half * (i % 2), KEY * (i // 2)) for i in range(len(shown))]
    boxes = [span(x, x + 12, y + 4, y + 16, fills[key][0]) for key, (x, y) in zip(shown, places, strict=True)]
    canvas.rects(boxes, stroke=canvas.theme.grey, strokeWidth=0.8)
    xs, ys = [x + 18 for x, _ in places], [y + 10 for _, y in places]
    canvas.words(xs, ys, [words[key] for key in shown], limit=half - 24)
    return KEY * ((len(shown) + 1) // 2) + 4


def _names(rows: Sequence[Joint], canvas: Canvas, top: float) -> list[float]:
    """Name the classes, and return where the middles of their bars are."""
    middles = [top + BAR / 2 + STEP * i for i in range(len(rows))]
    names = [phrases.clean(row.label, phrases.LONG) or "(empty)" for row in rows]
    canvas.words(NAMES, middles, names, align="right", limit=NAMES)
    return middles


def _short(count: int) -> str:
    """Write a count in little room.

    >>> _short(4321), _short(87654321)
    ('4,321', '87.7M')
    """
    for size, unit in ((10**12, "T"), (10**9, "G"), (10**6, "M")):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return whole(count)


def _whole(rows: Sequence[Joint], canvas: Canvas, top: float) -> float:
    middles, theme = _names(rows, canvas, top), canvas.theme
    sizes = [_short(row.n) for row in rows]
    canvas.words(WIDTH, middles, sizes, theme.grey, align="right", limit=COUNTS, fontSize=SMALL)
    left, room = NAMES + 8.0, WIDTH - NAMES - COUNTS - 14
    shapes, frames, labels = [], [], []
    for row, y in zip(rows, middles, strict=True):
        x = left
        for key, (fill, on) in _segments(theme).items():
            count = getattr(row, key)
            wide = room * count / max(row.n, 1)
            if count:
                shapes.append(span(x, x + wide, y - BAR / 2, y + BAR / 2, fill))
            if count and DIGIT * len(_short(count)) + 4 <= wide:
                labels.append((x + wide / 2, y + 0.5, _short(count), on))
            x += wide
        frames.append(span(left, x, y - BAR / 2, y + BAR / 2, theme.paper))
    canvas.rects(shapes, stroke=theme.paper, strokeWidth=0.8)
    # What both got wrong is hollow: without colours, too, its neighbours are told from it.
    canvas.rects(frames, fillOpacity=0, stroke=theme.grey, strokeWidth=0.8)
    if labels:
        xs, ys, counts, fills = zip(*labels, strict=True)
        canvas.words(xs, ys, counts, fills, align="center", fontSize=SMALL)
    return top + STEP * len(rows)


def _apart(r: Comparison, found: Outcomes, canvas: Canvas, top: float) -> float:
    """Draw to the left how often only A is right, to the right how often only B is."""
    rows, theme = found.classes, canvas.theme
    middles = _names(rows, canvas, top)
    middle, room = (NAMES + 8 + WIDTH) / 2, (WIDTH - NAMES - 8) / 2 - COUNTS
    most, bottom = max(max(row.only_a, row.only_b) for row in rows), middles[-1] + BAR / 2
    first, last = ("", "better") if found.kind == "scores" else ("only ", "right")
    a, b = fitted_apart(phrases.names(r), room + COUNTS - 70, SMALL)
    for side, align, key, fill, name in ((-1, "right", "only_a", theme.a, a), (1, "left", "only_b", theme.b, b)):
        counts = [getattr(row, key) for row in rows]
        ends = [middle + side * room * count / most for count in counts]
        bars = [span(middle, end, y - BAR / 2, y + BAR / 2, fill) for end, y in zip(ends, middles, strict=True)]
        canvas.rects([bar for bar, count in zip(bars, counts, strict=True) if count])
        places = [end + 4 * side for end in ends], [y + 0.5 for y in middles]
        canvas.words(*places, list(map(_short, counts)), align=align, fontSize=SMALL)
        canvas.word(middle + 8 * side, bottom + 14, f"{first}{name} {last}", align=align, fontSize=SMALL)
    canvas.rules([span(middle, middle, top - 3, bottom + 3, theme.ink)], strokeWidth=1)
    return bottom + 22


def _caption(r: Comparison, found: Outcomes) -> str:
    a, b = phrases.names(r)
    told = {
        "scores": f"On how many examples {a} does better, {b} does better, or the two are equal.",
        "open": "True items that both systems find, only one finds, or neither; and spurious items, where no answer is right.",
        "labels": f"The examples{' of each class' if len(found.classes) > 1 else ''} that both systems get right, only one, or neither.",
    }[found.kind]
    return f"{told} The last row combines the {whole(found.merged)} smallest classes." if found.merged else told
