"""Canvas: a small drawing in pixels on which x may be a scale; names are only ever data in it.

About how many pixels words take is known beforehand, so that they are cut before they are drawn.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partialmethod
from itertools import accumulate, repeat
from typing import Any

from referee.report import phrases
from referee.report.charts.theme import Theme, altair, dressed
from referee.report.numbers import NBSP, known, p_value
from referee.results.algorithms import Pair
from referee.results.comparison import Comparison, Interval
from referee.results.ranking import RankedPair

Row = dict[str, Any]
WIDTH = 352
"""Pixels across: a column of a page, and all of a phone."""
SMALL, MIDDLE = 11, 12
"""Sizes of words."""
NARROW, WIDE = "iljtfrI.,:;'|!()[]{}/\\ -", "mwMW@%"
ELLIPSIS = "…"
HEAD = 0.6
"""So much of the room the beginning of a word that is cut gets."""
KEPT = 0.4
"""So much of either end of a text is left at least if it is cut between words."""
FAMILY = 6
"""Names that begin with the same signs, so many, are cut together."""
LEADING = 14
"""Pixels from line to line of a name."""
JOINERS = "\u200d\ufe0f"
LABELS = {
    "percent": "format(100 * datum.value, '~r') + '%'",
    "points": "datum.value == 0 ? '0' : format(100 * datum.value, '+~r')",
}
"""How the numbers of an axis are written that stand for shares, and for differences of shares."""
THINNEST = 1e-290
"""No axis is shorter than this."""


@dataclass(frozen=True)
class Figure:
    """One picture of a result, with its title and what is seen on it."""

    key: str
    """What it is called in an address: "difference", "luck"..."""
    title: str
    caption: str
    """What is seen, in a sentence or two; it stands for the picture where that cannot be seen."""
    chart: Any
    """An altair chart without a title."""
    panels: tuple[Figure, ...] = ()
    """What it consists of: a page puts them beside each other, or one above the other where there is less room."""
    folded: bool = False
    """Whether it is for those who want to know more: a page folds it away."""
    wide: int = WIDTH
    """How many pixels it takes across."""

    def dressed(self, theme: str) -> Figure:
        """Return it as a whole chart, with colours and paper."""
        panels = tuple(one.dressed(theme) for one in self.panels)
        return replace(self, chart=dressed(self.chart, theme, self.caption), panels=panels)


def span(x: float, x2: float, y: float, y2: float, fill: str) -> Row:
    """Return a rectangle, or a line from one point to another."""
    return {"x": x, "x2": x2, "y": y, "y2": y2, "fill": fill}


def spot(x: float, y: float, fill: str, shape: str = "circle") -> Row:
    """Return a point."""
    return {"x": x, "y": y, "fill": fill, "shape": shape}


class Canvas:
    """Marks gathered one after the other, the first at the back."""

    def __init__(
        self,
        theme: Theme,
        low: float = 0,
        high: float = WIDTH,
        left: float = 0,
        right: float = WIDTH,
        wide: int = WIDTH,
    ) -> None:
        # The chart library divides an axis into steps, which must be numbers that a computer holds in full.
        low, high = (low, high) if abs(high - low) > THINNEST else (low - 0.5, high + 0.5)
        self.theme, self.low, self.high, self.left, self.right, self.wide = theme, low, high, left, right, wide
        self.layers: list[Any] = []
        self.axis: Any = None

    def at(self, pixel: float) -> float:
        """Return the value that stands so many pixels from the left."""
        return self.low + (pixel - self.left) / (self.right - self.left) * (self.high - self.low)

    def pixel(self, value: float) -> float:
        """Return how many pixels from the left a value stands."""
        return self.left + (value - self.low) / (self.high - self.low) * (self.right - self.left)

    def ruler(
        self, title: str, *, ticks: int = 5, grid: bool = False, shares: Sequence[float] = (), unit: str = ""
    ) -> None:
        """Put an axis below; one of shares has its numbers at these.

        Args:
            title: what stands along it.
            ticks: about how many numbers it has.
            grid: whether there are lines behind the marks.
            shares: where its numbers are, if they are percentages.
            unit: what shares of one are written in: "percent", "points" with their signs, or nothing for plain numbers.
        """
        largest, reach = max(abs(self.low), abs(self.high)), self.high - self.low
        odd = largest >= 1e6 or reach < 1e-4
        shown: dict[str, Any] = {"format": ".2~e" if reach > 0.02 * largest else ".5~e"} if odd else {}
        if unit:
            shown = {"labelExpr": LABELS[unit].replace("~r", ".2~e" if odd else "~r")}
        if shares:
            shown = {"format": "~%", "values": list(shares)}
        self.axis = altair().Axis(
            title=fitted(title, WIDTH - 10) if title else None, tickCount=ticks, grid=grid, labelFlush=False, labelOverlap=True,
            labelLimit=90, **shown,
        )  # fmt: skip

    def words(
        self, pixels: float | Iterable[float], ys: Iterable[float], texts: Sequence[str], fills: str | Iterable[str] = "",
        limit: float = WIDTH, unique: bool = True, **look: Any,
    ) -> None:  # fmt: skip
        """Write texts so many pixels from the left; what is longer than the limit is cut, and if `unique` texts that differ still do."""
        given = {"align": "left", "baseline": "middle", "fontSize": MIDDLE, **look}
        xs = repeat(pixels) if isinstance(pixels, int | float) else pixels
        paints = repeat(fills or self.theme.ink) if isinstance(fills, str) else fills
        shown = fitted_apart(texts, limit, given["fontSize"]) if unique and texts else texts
        cells = zip(xs, ys, shown, paints, strict=False)
        self._add(
            "text", [{"x": self.at(x), "y": y, "text": text, "fill": fill} for x, y, text, fill in cells], **given
        )

    def word(self, pixel: float, y: float, text: str, fill: str = "", **look: Any) -> None:
        """Write one text, in ink if no colour is given."""
        self.words(pixel, [y], [text], fill, **look)

    def names(
        self, pixels: float, ys: Sequence[float], texts: Sequence[str], most: int = 1, size: float = MIDDLE, limit: float = 0,
        align: str = "right", fills: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Write names that end so many pixels from the left, or begin there, each in up to so many lines around its place."""
        lines = in_lines(texts, limit or pixels, size, most) if texts else []
        rows = [
            {"x": self.at(pixels), "y": y + LEADING * (place - (len(own) - 1) / 2), "text": text, "fill": fill}
            for y, own, fill in zip(ys, lines, fills or [self.theme.ink] * len(lines), strict=True)
            for place, text in enumerate(own)
        ]
        self._add("text", rows, align=align, baseline="middle", fontSize=size)

    def heading(self, bottom: float) -> None:
        """Keep the lines of the grid out of what is written above the marks, before it is written."""
        self.rects([span(self.at(0), self.at(WIDTH), 0, bottom, self.theme.paper)])

    def above(self, value: float, y: float, text: str, room: float = 0, **look: Any) -> None:
        """Write above a value, inside the drawing, with the sign that axes have before negative numbers."""
        shown = minus(text)
        half = width(shown, MIDDLE) / 2 + room
        self.word(min(max(self.pixel(value), half), WIDTH - half), y, shown, align="center", **look)

    def whiskers(self, interval: Interval | None, y: float, fill: str, tall: float = 5) -> None:
        """Draw an interval as a bar with ends."""
        if interval and known(interval.low) and known(interval.high):
            self.rules([span(interval.low, interval.high, y, y, fill)], strokeWidth=2.4)
            ends = [span(end, end, y - tall, y + tall, fill) for end in (interval.low, interval.high)]
            self.rules(ends, strokeWidth=1.6)

    def _add(self, mark: str, given: Iterable[Row], **look: Any) -> None:
        # Ten digits of a number: no eye sees more, and a file is shorter.
        rows = [{key: float(f"{v:.10g}") if isinstance(v, float) else v for key, v in row.items()} for row in given]
        if not rows:
            return
        alt, hidden = altair(), {"scale": None, "legend": None}
        scale = alt.Scale(domain=[self.low, self.high], range=[self.left, self.right], nice=False, zero=False)
        x = alt.X("x:Q", scale=scale, axis=self.axis, title=None if self.axis is None else alt.Undefined)
        paint = (alt.Stroke if mark == "rule" else alt.Fill)("fill:N", **hidden)
        further = {"x2": alt.X2("x2:Q"), "y2": alt.Y2("y2:Q"), "text": alt.Text("text:N")}
        further["shape"] = alt.Shape("shape:N", **hidden)
        own = [channel for name, channel in further.items() if name in rows[0]]
        base = getattr(alt.Chart(alt.InlineData(values=rows)), f"mark_{mark}")(clip=False, aria=False, **look)
        self.layers.append(base.encode(x, alt.Y("y:Q", scale=None, axis=None), paint, *own))

    rects = partialmethod(_add, "rect")
    rules = partialmethod(_add, "rule")
    points = partialmethod(_add, "point", filled=True, opacity=1)

    def chart(self, height: float) -> Any:
        """Return the drawing."""
        return altair().layer(*self.layers, width=self.wide, height=height)


def short_p(r: Comparison | Pair | RankedPair, alpha: float) -> str:
    """Write the p-value that a verdict goes by as tables do, in little room."""
    p = r.p_adjusted if r.p_adjusted is not None else r.p_value
    return p_value(p, alpha).replace(NBSP, "") if known(p) else "?"


def minus(number: str) -> str:
    """Write a number with the sign that axes have."""
    return number.replace("-", "−")


def around(values: Sequence[float | None], share: float = 0.08) -> tuple[float, float]:
    """Return ends of an axis a little beyond all values that are known."""
    there = [value for value in values if known(value)]
    low, high = (min(there), max(there)) if there else (0.0, 1.0)
    room = (high - low) * share or abs(high) * share or 0.5
    return low - room, high + room


def width(text: str, size: float) -> float:
    """Return about how many pixels a text takes in a sans-serif letter of this size.

    >>> width("old", 12) < width("new", 12) < width("模型三", 12)
    True
    """
    return size * sum(map(_em, text))


def _em(sign: str) -> float:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0.0
    if sign in NARROW:
        return 0.33
    if unicodedata.east_asian_width(sign) in ("W", "F"):
        return 1.1
    return 0.9 if sign in WIDE else 0.72 if sign.isupper() else 0.58


def fitted(text: str, pixels: float, size: float = MIDDLE) -> str:
    """Cut a text that is too wide in its middle, between words if enough is left: names often differ at their ends.

    Vega's own cutting splits signs beyond the basic plane in two, on which drawing fails.

    >>> fitted("a tree of depth 12", 80, 12), fitted("short", 80, 12), fitted("unbreakable-12", 70, 12)
    ('a tree…12', 'short', 'unbre…12')
    """
    if width(text, size) <= pixels:
        return text
    head, tail = _ends(text, pixels, size)
    breaks = [place.end() for place in phrases.SEPARATOR.finditer(text)]
    begun = [end for end in breaks if KEPT * len(head) <= end <= len(head) + 1]
    rest = [end for end in breaks if len(text) - len(tail) <= end <= len(text) - KEPT * len(tail)]
    return (text[: begun[-1]].rstrip() if begun else head) + ELLIPSIS + (text[rest[0] :] if rest else tail)


def _cut(text: str, pixels: float, size: float) -> str:
    """Cut a text in its middle, wherever that is."""
    return text if width(text, size) <= pixels else ELLIPSIS.join(_ends(text, pixels, size))


def _ends(text: str, pixels: float, size: float) -> tuple[str, str]:
    """Return as much of a text's beginning and of its end as there is room for."""
    room = pixels - width(ELLIPSIS, size)
    head = _first(text, HEAD * room, size)
    tail = _first(text[::-1], room - width(head, size), size)[::-1]
    # A sign that joins its neighbours, or changes the one before it, is of no use at a cut.
    while tail and (tail[0] in JOINERS or unicodedata.category(tail[0]) in ("Mn", "Me")):
        tail = tail[1:]
    return head.rstrip(JOINERS), tail


def fitted_apart(texts: Sequence[str], pixels: float, size: float = MIDDLE) -> list[str]:
    """Cut texts that are too wide so that those that differ still differ when cut.

    >>> fitted_apart(["nb", "meta-llama/Llama-3.1-base-temperature-0", "meta-llama/Llama-3.1-dpo-v2-temperature-0"], 60)
    ['nb', '…base…', '…dpo-v2…']
    """
    found, families = list(texts), dict[str, list[int]]()
    for place, text in enumerate(texts):
        if width(text, size) > pixels:
            families.setdefault(text[:FAMILY], []).append(place)
    for places in families.values():
        # What those of one beginning share gives way first.
        for place, shown in zip(places, _apart([texts[place] for place in places], pixels, size), strict=True):
            found[place] = shown
    return found if len(set(found)) == len(set(texts)) else _apart(texts, pixels, size)


def _apart(texts: Sequence[str], pixels: float, size: float) -> list[str]:
    found = phrases.apart(texts, lambda text: fitted(text, pixels, size), ELLIPSIS)
    if all(one[:1] in (text[:1], ELLIPSIS) for one, text in zip(found, texts, strict=True)):
        return found
    # Between words too little of them is left to tell them apart.
    return phrases.apart(texts, lambda text: _cut(text, pixels, size), ELLIPSIS)


def in_lines(texts: Sequence[str], pixels: float, size: float = MIDDLE, most: int = 2) -> list[list[str]]:
    """Break texts into lines where one is too narrow, between words if that will do; texts that differ still do.

    Args:
        texts: what is broken.
        pixels: how wide lines are.
        size: of the letters.
        most: so many lines a text has; what is too long even for these is cut before.

    >>> in_lines(["old", "gpt-4o-mini-2024-07-18"], 90), in_lines(["the service deployed since March"], 80, most=3)
    ([['old'], ['gpt-4o-mini-', '2024-07-18']], [['the service', 'deployed', 'since March']])
    """
    for share in (1.0, 0.9, 0.8, 0.7, 0.6):
        shown = fitted_apart(texts, most * share * pixels, size)
        found = [_wrapped(text, pixels, size) for text in shown]
        if all(len(lines) <= most for lines in found):
            return found
    return [_wrapped(text, pixels, size, anywhere=True)[:most] for text in shown]


def _wrapped(text: str, pixels: float, size: float, anywhere: bool = False) -> list[str]:
    """Fill lines with the parts of a text; a part that is too long for a line is broken where it ends."""
    lines, rest = [], text
    while width(rest, size) > pixels:
        end = max(len(_first(rest, pixels, size)), 1)
        breaks = [place.end() for place in phrases.SEPARATOR.finditer(rest) if place.end() < len(rest)]
        good = [] if anywhere else [place for place in breaks if width(rest[:place].rstrip(), size) <= pixels]
        cut = good[-1] if good else end
        while not good and 1 < cut < len(rest) and _clings(rest[cut - 1], rest[cut]):
            cut -= 1
        lines.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return [*lines, rest]


def _clings(sign: str, following: str) -> bool:
    """Say whether two signs are parts of one."""
    return sign == JOINERS[0] or following in JOINERS or unicodedata.category(following) in ("Mn", "Me")


def _first(text: str, pixels: float, size: float) -> str:
    """Return as much of a text's beginning as there is room for."""
    ends = accumulate(size * _em(sign) for sign in text)
    return text[: sum(end <= pixels for end in ends)]
