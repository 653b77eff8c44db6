"""Drawn cells of a page's table: an interval in its row, on an axis that all rows share, as SVG that is as wide as its column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.document import Axis, Drawn

if TYPE_CHECKING:
    from markupsafe import Markup

HIGH, MIDDLE = 22, 11
"""Pixels of a row's drawing, and where its line is."""
EDGE = 0.02
"""Numbers nearer to an end of the axis are left out."""
INSET = 0.08
"""Numbers nearer to an end than this begin there, or end there: on a phone half of them would be beyond it."""


def _at(axis: Axis, value: float) -> str:
    return f"{100 * axis.at(value):.2f}%"


def _held(share: float) -> tuple[str, str]:
    """Return where a number of the axis is, and which part of it stands there.

    >>> _held(0.04), _held(0.5), _held(0.97)
    (('0', 'start'), ('50.00%', 'middle'), ('100%', 'end'))
    """
    if share < INSET:
        return "0", "start"
    return ("100%", "end") if share > 1 - INSET else (f"{100 * share:.2f}%", "middle")


def ruler(axis: Axis) -> Markup:
    """Draw the numbers of an axis."""
    from markupsafe import Markup

    number = Markup('<text x="{}" y="12" text-anchor="{}">{}</text>')
    inside = [(value, word) for value, word in axis.ticks if EDGE <= axis.at(value) <= 1 - EDGE]
    words = Markup("").join(number.format(*_held(axis.at(value)), word) for value, word in inside)
    return Markup('<svg class="ruler" height="16" aria-hidden="true">{}</svg>').format(words)


def bar(cell: Drawn, axis: Axis) -> Markup:
    """Draw a difference with its intervals; what lies beyond the axis ends at its end."""
    from markupsafe import Markup

    line = Markup('<line class="{}" x1="{}" x2="{}" y1="{}" y2="{}"/>')
    zero = _at(axis, 0.0)
    parts = [line.format("zero", zero, zero, 0, HIGH)]
    for name, ends in (("far", cell.far), ("near", cell.near)):
        if ends is not None:
            parts.append(line.format(name, _at(axis, ends[0]), _at(axis, ends[1]), MIDDLE, MIDDLE))
    if cell.value is not None:
        parts.append(Markup('<circle cx="{}" cy="{}" r="4.5"/>').format(_at(axis, cell.value), MIDDLE))
    drawing = Markup('<svg class="tone {}" height="{}" role="img" aria-label="{}"><title>{}</title>{}</svg>')
    return drawing.format(cell.tone, HIGH, str(cell), str(cell), Markup("").join(parts))
