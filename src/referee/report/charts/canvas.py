"""Sheet: a small drawing in pixels on which x may be a scale; names enter it as data and as nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from referee.report.charts.theme import Theme, altair
from referee.report.charts.widths import fitted, fitted_apart

Row = dict[str, Any]
WIDTH = 352
"""Pixels across: a column of a page, and all of a phone."""
SMALL, MIDDLE = 11, 12
"""Sizes of words."""


class Sheet:
    """Marks gathered one after the other, the first at the back."""

    def __init__(
        self, theme: Theme, low: float = 0.0, high: float = WIDTH, left: float = 0, right: float = WIDTH
    ) -> None:
        self.theme, self.low, self.high, self.left, self.right = theme, low, high, left, right
        self.layers: list[Any] = []
        self.axis: Any = None

    def at(self, pixel: float) -> float:
        """Return the value that stands so many pixels from the left."""
        return self.low + (pixel - self.left) / (self.right - self.left) * (self.high - self.low)

    def pixel(self, value: float) -> float:
        """Return how many pixels from the left a value stands."""
        return self.left + (value - self.low) / (self.high - self.low) * (self.right - self.left)

    def ruler(self, title: str, *, ticks: int = 5, grid: bool = False, shares: Sequence[float] = ()) -> None:
        """Put an axis below; one of shares has its numbers at these."""
        largest = max(abs(self.low), abs(self.high))
        odd = largest >= 1e6 or self.high - self.low < 1e-4
        shown: dict[str, Any] = {"format": ".2~e" if self.high - self.low > 0.02 * largest else ".5~e"} if odd else {}
        if shares:
            shown = {"format": "~%", "values": list(shares)}
        self.axis = altair().Axis(
            title=fitted(title, WIDTH - 10, MIDDLE), tickCount=ticks, grid=grid, labelFlush=False, labelOverlap=True,
            labelLimit=90, **shown,
        )  # fmt: skip

    def rects(self, rows: Sequence[Row], **look: Any) -> None:
        """Draw rows {x, x2, y, y2, fill} as rectangles."""
        self._add("rect", rows, x2=True, y2=True, **look)

    def rules(self, rows: Sequence[Row], **look: Any) -> None:
        """Draw rows {x, x2, y, y2, fill} as lines."""
        self._add("rule", rows, x2=True, y2=True, line=True, **look)

    def points(self, rows: Sequence[Row], **look: Any) -> None:
        """Draw rows {x, y, fill, shape} as points."""
        self._add("point", rows, shape=True, filled=True, opacity=1, **{"size": 70, **look})

    def words(self, rows: Sequence[Row], **look: Any) -> None:
        """Write rows {x, y, text, fill}; what is longer than the `limit` is cut, and rows that differ still do."""
        given = {"align": "left", "baseline": "middle", "fontSize": MIDDLE, **look}
        shown = fitted_apart([row["text"] for row in rows], given.pop("limit", WIDTH), given["fontSize"])
        cut = [row | {"text": text} for row, text in zip(rows, shown, strict=True)]
        self._add("text", cut, text=True, **given)

    def _add(
        self, mark: str, rows: Sequence[Row], *, x2: bool = False, y2: bool = False, text: bool = False, shape: bool = False,
        line: bool = False, **look: Any,
    ) -> None:  # fmt: skip
        if not rows:
            return
        alt = altair()
        scale = alt.Scale(domain=[self.low, self.high], range=[self.left, self.right], nice=False, zero=False)
        encoded: dict[str, Any] = {
            "x": alt.X("x:Q", scale=scale, axis=self.axis, title=None if self.axis is None else alt.Undefined),
            "y": alt.Y("y:Q", scale=None, axis=None),
            ("stroke" if line else "fill"): (alt.Stroke if line else alt.Fill)("fill:N", scale=None, legend=None),
        }
        if x2:
            encoded["x2"] = "x2:Q"
        if y2:
            encoded["y2"] = "y2:Q"
        if text:
            encoded["text"] = alt.Text("text:N")
        if shape:
            encoded["shape"] = alt.Shape("shape:N", scale=None, legend=None)
        base = alt.Chart(alt.InlineData(values=[_plain(row) for row in rows]))
        self.layers.append(getattr(base, f"mark_{mark}")(clip=False, aria=False, **look).encode(**encoded))

    def chart(self, height: float) -> Any:
        """Return the drawing."""
        return altair().layer(*self.layers, width=WIDTH, height=height)


def _plain(row: Row) -> Row:
    """Keep ten digits of a number: no eye sees more, and a file is shorter."""
    return {key: float(f"{value:.10g}") if isinstance(value, float) else value for key, value in row.items()}


def minus(said: str) -> str:
    """Write numbers with the sign that axes have."""
    return said.replace("-", "−")


def around(values: Sequence[float | None], share: float = 0.08) -> tuple[float, float]:
    """Return ends of an axis a little beyond all values that are known."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    room = (high - low) * share or abs(high) * share or 0.5
    return low - room, high + room
