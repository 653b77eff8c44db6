"""The charts of docs/evaluations.md: a strip for everything that was measured of a kind, a dot per scene, and the bar it is held to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor
from pathlib import Path

from benchmarks.evaluations import Figure
from referee.report.charts.theme import THEMES, Theme

WIDTH, LEFT, RIGHT, HIGH, LANES = 760, 16, 744, 92, 5
FONT = 'font-family="system-ui, Liberation Sans, Arial, sans-serif"'
Scale = tuple[float, float]


def picture(kind: str, title: str) -> str:
    """Return the Markdown that shows the chart of a kind."""
    alt = f"{title}: every measured rate as a dot, with two Monte Carlo errors, beside the limit it is held to."
    return (
        f'<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="evaluations/{kind}-dark.svg">\n'
        f'  <img src="evaluations/{kind}-light.svg" width="{WIDTH}" alt="{alt}">\n</picture>'
    )


def write(figures: dict[str, list[Figure]], folder: Path) -> None:
    """Draw the chart of each kind into a folder, on light paper and on dark."""
    folder.mkdir(exist_ok=True)
    for kind, rows in figures.items():
        for look, theme in THEMES.items():
            (folder / f"{kind}-{look}.svg").write_text(drawn(rows, theme), encoding="utf-8")


def drawn(rows: Sequence[Figure], theme: Theme) -> str:
    """Return the chart of one kind as SVG."""
    strips = [
        [one for one in rows if (one.what, limit(one)) == key]
        for key in dict.fromkeys((one.what, limit(one)) for one in rows)
    ]
    high = HIGH * len(strips) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high}" width="{WIDTH}" height="{high}" {FONT}>'
    ]
    for number, strip in enumerate(strips):
        alike = [one for other in strips if _sort(other) == _sort(strip) for one in other]
        parts += [f'<g transform="translate(0,{HIGH * number})">', *_drawn(strip, _scale(alike), theme), "</g>"]
    return "\n".join([*parts, "</svg>"]) + "\n"


def limit(one: Figure) -> str:
    """Say which bar a figure is held to."""
    bars = [
        f"at least {100 * one.least:g}%" if one.least is not None else "",
        f"at most {100 * one.most:g}%" if one.most is not None else "",
    ]
    return " and ".join(filter(None, bars))


def _sort(strip: Sequence[Figure]) -> tuple[bool, bool]:
    """Say what is measured alike: small rates, rates near 1, and shares that may be larger than 1 have an axis each."""
    return max(one.value for one in strip) > 0.5, any((one.most or 0) > 1 for one in strip)


def _scale(rows: Sequence[Figure]) -> Scale:
    """Return the ends of an axis, in steps of five hundredths, or of one if it is short."""
    ends = [
        end
        for one in rows
        for end in (one.value - 2 * one.error, one.value + 2 * one.error, one.least, one.most)
        if end is not None
    ]
    step = 0.05 if max(ends) - min(ends) > 0.15 else 0.01
    top = max(ends) if any(one.most and one.most > 1 for one in rows) else min(max(ends), 1.0)
    return max(0.0, step * floor(min(ends) / step)), step * ceil(top / step - 1e-9)


def _ticks(scale: Scale) -> list[float]:
    step = next(step for step in (0.01, 0.02, 0.05, 0.1, 0.2) if (scale[1] - scale[0]) / step <= 12)
    return [round(step * i, 2) for i in range(ceil(scale[0] / step - 1e-9), floor(scale[1] / step + 1e-9) + 1)]


def _drawn(strip: Sequence[Figure], scale: Scale, theme: Theme) -> Iterable[str]:
    """Draw what was measured, its limit, and a dot with its error for each scene; a broken one in another colour and shape."""

    def at(share: float) -> str:
        inside = min(max(share, scale[0]), scale[1])
        return f"{LEFT + (inside - scale[0]) / (scale[1] - scale[0]) * (RIGHT - LEFT):.1f}"

    held = limit(strip[0])
    words = f"{strip[0].what.replace('`', '')}{f' ({held})' if held else ' (for comparison)'}"
    yield f'<text x="{LEFT}" y="18" font-size="14" fill="{theme.ink}">{words[0].upper()}{words[1:]}</text>'
    yield f'<line x1="{LEFT}" x2="{RIGHT}" y1="70" y2="70" stroke="{theme.grey}"/>'
    for tick in _ticks(scale):
        yield f'<text x="{at(tick)}" y="85" font-size="11" text-anchor="middle" fill="{theme.grey}">{100 * tick:g}%</text>'
    for bar in (strip[0].least, strip[0].most):
        if bar is not None:
            yield f'<line x1="{at(bar)}" x2="{at(bar)}" y1="24" y2="74" stroke="{theme.ink}" stroke-width="1.5"/>'
    for number, one in enumerate(strip):
        y, ink = 31 + 8 * (number % LANES), theme.lines[1 if one.broken else 0]
        low, top = at(one.value - 2 * one.error), at(one.value + 2 * one.error)
        yield f'<line x1="{low}" x2="{top}" y1="{y}" y2="{y}" stroke="{ink}" opacity="0.5"/>'
        if one.broken:
            yield f'<rect x="{float(at(one.value)) - 4:.1f}" y="{y - 4}" width="8" height="8" fill="{ink}"/>'
        else:
            yield f'<circle cx="{at(one.value)}" cy="{y}" r="3.5" fill="{ink}"/>'
