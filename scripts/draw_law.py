"""Draws the score law of one table, docs/assets/score-law.svg: `python -m scripts.draw_law` writes it again.

The page docs/score.md explains it; tests/significance/test_test_choice.py checks that the drawing is what this script draws.
"""

from __future__ import annotations

from html import escape
from math import erfc, sqrt
from pathlib import Path

import numpy as np
from scripts.draw_choice import BOX, GREY, INK, LEAF, LINE, PAPER

from referee.data.counts import from_events
from referee.metrics import f1
from referee.significance.distributions import z_quantile
from referee.significance.laws.score import ScoreLaw
from referee.significance.laws.score_ends import ends_of
from referee.significance.tally import Tally

CHART = Path(__file__).resolve().parents[1] / "docs" / "assets" / "score-law.svg"
EVENTS = (12, 8, 2, 4, 2, 3, 6, 63)
"""The 100 examples of the page, e1 to e8."""
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 800, 500, 70, 24, 24, 74
LOW, HIGH, MOST = -0.15, 0.5, 9.0
"""What is drawn: differences from LOW to HIGH, and X² from 0 to MOST."""
STEPS = 66


def draw() -> str:
    """Return the drawing as SVG."""
    tally = Tally.of(from_events(EVENTS), f1)
    law, own = ScoreLaw(tally), tally.multiplicities
    limit = z_quantile(0.975) ** 2
    low, high = ends_of([law], own, z_quantile(0.975), 0.0)[0][:2]
    seen, zero = float(law.centres(own[None, :])[0]), _distance(law, 0.0)
    values = np.linspace(LOW, HIGH, STEPS)
    curve = [(value, distance) for value in values if (distance := _distance(law, float(value))) <= MOST]
    path = "M" + "L".join(f"{_x(value)} {_y(distance)}" for value, distance in curve)
    said = (
        f"The distance of the data from every difference in F1. It is 0 at the observed {100 * seen:.1f} points, grows to both sides, "
        f"and crosses 3.84 at {100 * low:.1f} and {100 * high:.1f} points, the ends of the interval. At 0 it is {zero:.2f}."
    )
    parts = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="{PAPER}"/>',
        f'<rect x="{_x(low)}" y="{TOP}" width="{_x(high) - _x(low)}" height="{_y(0) - TOP}" fill="{BOX}"/>',
        f'<path d="M{LEFT} {_y(0)}H{WIDTH - RIGHT}M{LEFT} {_y(0)}V{TOP}" stroke="{LINE}" fill="none"/>',
        *(_across(value) for value in (-0.1, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5)),
        *(_up(value) for value in (0, 2, 4, 6, 8)),
        f'<path d="M{LEFT} {_y(limit)}H{WIDTH - RIGHT}" stroke="{INK}" stroke-dasharray="7 5"/>',
        _text(LEFT + 8, _y(limit) + 24, "3.84: one in 20", GREY),
        f'<path d="{path}" fill="none" stroke="{LEAF}" stroke-width="4"/>',
        f'<path d="M{_x(low)} {_y(0)}H{_x(high)}" stroke="{LEAF}" stroke-width="9"/>',
        *(f'<path d="M{_x(end)} {_y(limit)}V{_y(0)}" stroke="{LEAF}" stroke-dasharray="2 5"/>' for end in (low, high)),
        f'<circle cx="{_x(0)}" cy="{_y(zero)}" r="7" fill="{LEAF}"/>',
        _text(_x(0) + 18, _y(zero) - 10, f"at 0: X² = {zero:.2f}, p = {erfc(sqrt(zero / 2)):.3f}", INK),
        f'<circle cx="{_x(seen)}" cy="{_y(0)}" r="7" fill="{PAPER}" stroke="{LEAF}" stroke-width="3"/>',
        _text(_x(seen), _y(1.4), f"observed: +{100 * seen:.1f}", INK, "middle"),
        _text(_x((low + high) / 2), _y(2.4), f"95% interval: +{100 * low:.1f} to +{100 * high:.1f}", INK, "middle"),
        _text((LEFT + WIDTH - RIGHT) // 2, HEIGHT - 14, "difference in F1, in points", GREY, "middle"),
        _text(_x(-0.05), TOP + 26, "X², the distance from the data", GREY),
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="law-title law-said" '
            'font-family="Liberation Sans, Arial, Helvetica, sans-serif" font-size="20">',
            '<title id="law-title">One curve gives the p-value and the interval</title>',
            f'<desc id="law-said">{escape(said)}</desc>',
            *parts,
            "</svg>\n",
        ]
    )


def _distance(law: ScoreLaw, value: float) -> float:
    return float(law.distances(law.tally.multiplicities[None, :], value).root[0]) ** 2


def _x(value: float) -> int:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * (value - LOW) / (HIGH - LOW))


def _y(distance: float) -> int:
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * distance / MOST)


def _across(value: float) -> str:
    label = f"{100 * value:+.0f}".replace("-", "−") if value else "0"
    return f'<path d="M{_x(value)} {_y(0)}v6" stroke="{LINE}"/>' + _text(_x(value), _y(0) + 28, label, INK, "middle")


def _up(distance: int) -> str:
    return _text(LEFT - 12, _y(distance) + 7, str(distance), INK, "end")


def _text(x: int, y: int, words: str, colour: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" fill="{colour}" text-anchor="{anchor}">{escape(words)}</text>'


if __name__ == "__main__":
    CHART.write_text(draw(), encoding="utf-8")
