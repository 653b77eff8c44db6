"""Draws the story of the README: the same data, as independent messages and as messages of senders, with two verdicts.

    python -m scripts.draw_story

It writes docs/assets/story-light.svg and story-dark.svg from the demo's own table.
"""

from __future__ import annotations

from pathlib import Path

import referee
from referee.data.demo_table import table
from referee.report.charts.theme import THEMES, Theme
from referee.results.comparison import Comparison

ASSETS = Path(__file__).parents[1] / "docs" / "assets"
WIDTH, HIGH, PANEL, GAP = 860, 236, 420, 20
LOW, TOP = -3.0, 11.0
"""The ends of the axis, in points."""
TONES = {
    "light": {"b better": ("#00694c", "#e5f4ef"), "too close to call": ("#6b5200", "#fbf4dc")},
    "dark": {"b better": ("#58d3ac", "#12312a"), "too close to call": ("#e9c85a", "#322b14")},
}
FONT = 'font-family="system-ui, Liberation Sans, Arial, sans-serif"'


def results() -> tuple[Comparison, Comparison]:
    """Compare the two filters of the demo, message by message and sender by sender."""
    asked = {"truth": "label", "a": "old", "b": "new", "metric": "f1", "positive": "spam", "audit": False}
    head, *rows = [line.split(",") for line in table().splitlines()]
    data = dict(zip(head, map(list, zip(*rows, strict=True)), strict=True))
    plain, grouped = referee.compare(data, **asked), referee.compare(data, group="sender", **asked)
    assert isinstance(plain, Comparison)
    assert isinstance(grouped, Comparison)
    return plain, grouped


def at(points: float) -> float:
    """Return where a difference stands within a panel."""
    return 24 + (points - LOW) / (TOP - LOW) * (PANEL - 48)


def panel(r: Comparison, left: float, units: str, theme: Theme, look: str) -> list[str]:
    """Draw one verdict: what counts as independent, what follows, and the interval."""
    assert r.interval is not None
    assert r.difference is not None
    assert r.p_value is not None
    tone, paper = TONES[look][r.verdict]
    low, high, middle = (at(100 * value) for value in (r.interval.low, r.interval.high, r.difference))
    said = "new is better" if r.verdict == "b better" else "too close to call"
    mark = "✓" if r.verdict == "b better" else "?"
    words = [
        f'<text x="24" y="30" font-size="15" fill="{theme.grey}">{units}</text>',
        f'<text x="24" y="64" font-size="25" font-weight="700" fill="{tone}">{mark} {said}</text>',
        f'<text x="24" y="90" font-size="15" fill="{theme.ink}">F1 +{100 * r.difference:.1f} points, p = {r.p_value:.2g}</text>',
    ]
    numbers = [(value, f"{value:+d}".replace("-", "−") if value else "0") for value in (-2, 0, 2, 4, 6, 8, 10)]
    ticks = [
        f'<text x="{at(value):.1f}" y="206" font-size="12" text-anchor="middle" fill="{theme.grey}">{word}</text>'
        for value, word in numbers
    ]
    ends = f"{100 * r.interval.low:+.1f} to {100 * r.interval.high:+.1f}".replace("-", "−")
    drawn = [
        f'<line x1="{at(0):.1f}" x2="{at(0):.1f}" y1="112" y2="188" stroke="{theme.ink}"/>',
        f'<line x1="{at(LOW):.1f}" x2="{at(TOP):.1f}" y1="188" y2="188" stroke="{theme.grey}"/>',
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="152" y2="152" stroke="{tone}" stroke-width="6" stroke-linecap="round"/>',
        f'<circle cx="{middle:.1f}" cy="152" r="8" fill="{tone}" stroke="{paper}" stroke-width="2"/>',
        f'<text x="{middle:.1f}" y="136" font-size="13" text-anchor="middle" fill="{theme.ink}">95% interval {ends}</text>',
    ]
    frame = f'<rect x="0" y="0" width="{PANEL}" height="{HIGH - 16}" rx="8" fill="{paper}"/>'
    return [f'<g transform="translate({left},8)">', frame, *words, *drawn, *ticks, "</g>"]


def picture(look: str) -> str:
    """Return the picture as SVG."""
    theme, (plain, grouped) = THEMES[look], results()
    title = "Same data, same models, two verdicts: better if 600 messages count as independent, too close to call if their 40 senders do."
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HIGH}" width="{WIDTH}" height="{HIGH}" role="img" {FONT}>',
        f"<title>{title}</title>",
        *panel(plain, 0, "as 600 independent messages", theme, look),
        *panel(grouped, PANEL + GAP, "as messages from 40 senders", theme, look),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    for look in THEMES:
        (ASSETS / f"story-{look}.svg").write_text(picture(look), encoding="utf-8")
