"""Outcomes: who is right where, class by class; and apart from it what the systems do not share."""

from __future__ import annotations

from collections.abc import Sequence

from referee.report import phrases
from referee.report.charts.canvas import MIDDLE, SMALL, WIDTH, Row, Sheet
from referee.report.charts.figure import Figure
from referee.report.charts.theme import Theme
from referee.report.charts.widths import fitted_apart
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
    sheet = Sheet(theme)
    y = _key(r, found, sheet)
    sheet.words([{"x": 0.0, "y": y + 6, "text": _head(found), "fill": theme.grey}], fontSize=SMALL)
    y = _whole(found.classes, sheet, y + HEAD)
    if 0 < sum(row.only_a + row.only_b for row in found.classes) < APART * sum(row.n for row in found.classes):
        sheet.words([{"x": 0.0, "y": y + 12, "text": _apart_head(found), "fill": theme.grey}], fontSize=SMALL)
        y = _apart(r, found, sheet, y + HEAD + 6)
    title = "Who does better" if found.kind == "scores" else "Who is right where"
    return Figure("outcomes", title, _caption(r, found), sheet.chart(y))


def _head(found: Outcomes) -> str:
    if found.kind == "scores":
        return "all examples"
    return "all examples" if len(found.classes) == 1 else "all examples, by the right answer"


def _apart_head(found: Outcomes) -> str:
    return "only where one does better" if found.kind == "scores" else "only where one is right and the other is not"


def _segments(theme: Theme) -> tuple[tuple[str, str, str], ...]:
    return (
        ("both", theme.both, theme.ink),
        ("only_a", theme.a, theme.on_a),
        ("only_b", theme.b, theme.on_b),
        ("neither", theme.neither, theme.ink),
    )


def _key(r: Comparison, found: Outcomes, sheet: Sheet) -> float:
    """Say what the colours mean, in the order in which they stand."""
    half = WIDTH / 2
    a, b = fitted_apart(phrases.names(r), half - 64, MIDDLE)
    said = {"both": "both right", "only_a": f"only {a}", "only_b": f"only {b}", "neither": "both wrong"}
    if found.kind == "scores":
        said = {"both": "equal", "only_a": f"{a} better", "only_b": f"{b} better"}
    shown = [key for key in said if any(getattr(row, key) for row in found.classes) or key in ("only_a", "only_b")]
    fills = {key: fill for key, fill, _ in _segments(sheet.theme)}
    boxes: list[Row] = []
    labels: list[Row] = []
    for i, key in enumerate(shown):
        x, y = half * (i % 2), KEY * (i // 2)
        boxes.append({"x": x, "x2": x + 12, "y": y + 4, "y2": y + 16, "fill": fills[key]})
        labels.append({"x": x + 18, "y": y + 10, "text": said[key], "fill": sheet.theme.ink})
    sheet.rects(boxes, stroke=sheet.theme.grey, strokeWidth=0.8)
    sheet.words(labels, limit=half - 24)
    return KEY * ((len(shown) + 1) // 2) + 4


def _names(rows: Sequence[Joint], sheet: Sheet, top: float, counts: bool) -> None:
    ink, grey, middle = sheet.theme.ink, sheet.theme.grey, top + BAR / 2
    named = [
        {"x": float(NAMES), "y": middle + STEP * i, "text": _label(row), "fill": ink} for i, row in enumerate(rows)
    ]
    sheet.words(named, align="right", limit=NAMES)
    if counts:
        sized = [
            {"x": float(WIDTH), "y": middle + STEP * i, "text": _short(row.n), "fill": grey}
            for i, row in enumerate(rows)
        ]
        sheet.words(sized, align="right", limit=COUNTS, fontSize=SMALL)


def _label(row: Joint) -> str:
    return phrases.clean(row.label, phrases.LONG) or "(empty)"


def _short(count: int) -> str:
    """Write a count in little room.

    >>> _short(4321), _short(87654321)
    ('4,321', '87.7M')
    """
    for size, unit in ((10**12, "T"), (10**9, "G"), (10**6, "M")):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return whole(count)


def _whole(rows: Sequence[Joint], sheet: Sheet, top: float) -> float:
    _names(rows, sheet, top, counts=True)
    left, room = NAMES + 8, WIDTH - NAMES - COUNTS - 14
    shapes: list[Row] = []
    labels: list[Row] = []
    frames: list[Row] = []
    for i, row in enumerate(rows):
        x, y = float(left), top + STEP * i
        for key, fill, on in _segments(sheet.theme):
            wide = room * getattr(row, key) / max(row.n, 1)
            if not wide:
                continue
            shapes.append({"x": x, "x2": x + wide, "y": y, "y2": y + BAR, "fill": fill})
            said = _short(getattr(row, key))
            if DIGIT * len(said) + 4 <= wide:
                labels.append({"x": x + wide / 2, "y": y + BAR / 2 + 0.5, "text": said, "fill": on})
            x += wide
        frames.append({"x": float(left), "x2": x, "y": y, "y2": y + BAR, "fill": sheet.theme.paper})
    sheet.rects(shapes, stroke=sheet.theme.paper, strokeWidth=0.8)
    # What both got wrong is hollow: without colours, too, its neighbours are told from it.
    sheet.rects(frames, fillOpacity=0, stroke=sheet.theme.grey, strokeWidth=0.8)
    sheet.words(labels, align="center", fontSize=SMALL)
    return top + STEP * len(rows)


def _apart(r: Comparison, found: Outcomes, sheet: Sheet, top: float) -> float:
    """Draw to the left how often only A is right, to the right how often only B is."""
    rows, theme = found.classes, sheet.theme
    _names(rows, sheet, top, counts=False)
    middle, room = (NAMES + 8 + WIDTH) / 2, (WIDTH - NAMES - 8) / 2 - COUNTS
    most = max(max(row.only_a, row.only_b) for row in rows)
    shapes: list[Row] = []
    labels: dict[int, list[Row]] = {-1: [], 1: []}
    for i, row in enumerate(rows):
        y = top + STEP * i
        for count, side, fill in ((row.only_a, -1, theme.a), (row.only_b, 1, theme.b)):
            end = middle + side * room * count / most
            if count:
                shapes.append({"x": middle, "x2": end, "y": y, "y2": y + BAR, "fill": fill})
            labels[side].append({"x": end + 4 * side, "y": y + BAR / 2 + 0.5, "text": _short(count), "fill": theme.ink})
    sheet.rects(shapes)
    for side, own in labels.items():
        sheet.words(own, align="right" if side < 0 else "left", fontSize=SMALL)
    bottom = top + STEP * len(rows) - STEP + BAR
    sheet.rules([{"x": middle, "x2": middle, "y": top - 3, "y2": bottom + 3, "fill": theme.ink}], strokeWidth=1)
    a, b = phrases.names(r)
    first, last = ("", "better") if found.kind == "scores" else ("only ", "right")
    for short, side in zip(fitted_apart([a, b], room + COUNTS - 70, SMALL), (-1, 1), strict=True):
        foot = {"x": middle + 8 * side, "y": bottom + 14, "text": f"{first}{short} {last}", "fill": theme.ink}
        sheet.words([foot], align="right" if side < 0 else "left", fontSize=SMALL)
    return bottom + 22


def _caption(r: Comparison, found: Outcomes) -> str:
    a, b = phrases.names(r)
    both, only_a, only_b, neither = (
        sum(getattr(row, key) for row in found.classes) for key in ("both", "only_a", "only_b", "neither")
    )
    if found.kind == "scores":
        return f"{a} does better on {whole(only_a)} of the {whole(both + only_a + only_b)} examples, {b} on {whole(only_b)}; on {whole(both)} they are equal."
    each = "In each class: " if len(found.classes) > 1 else ""
    said = f"{each}{'examples' if not each else 'the examples'} that both get right, one alone, or neither. In all, only {a} is right on {whole(only_a)} and only {b} on {whole(only_b)}; both are right on {whole(both)} and wrong on {whole(neither)}."
    if found.kind == "open":
        said = f"Items in the truth that both find, one alone, or neither; and spurious ones, where not to answer is right. In all, only {a} is right on {whole(only_a)} and only {b} on {whole(only_b)}."
    if found.merged:
        said += f" The last row stands for the {whole(found.merged)} smallest classes."
    return said[0].upper() + said[1:]
