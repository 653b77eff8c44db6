"""The tables and the chart of docs/anytime.md, from the stored numbers; the words between them are the page's own."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence

from benchmarks.anytime import BURN_INS, EQUAL, STORED, Row
from referee.report.charts.theme import THEMES, Theme
from referee.report.phrases.method_names import test_name

PAGE = STORED.with_suffix(".md")
CHARTS = PAGE.parent / "assets"
NAMES = {
    "anytime": "anytime-valid test",
    "mcnemar": "McNemar's mid-p",
    "mcnemar:variant=exact": "McNemar, exact",
    "score": "score test",
}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 320, 50, 610, 20, 280
FONT = 'font-family="system-ui, Liberation Sans, Arial, sans-serif"'
TICKS = (10, 30, 100, 300, 1000, 3000, 10_000)
MARK = re.compile(r"(<!-- anytime: ([a-z0-9 ]+) -->).*?(<!-- end -->)", re.DOTALL)


def write(numbers: dict[str, list[Row]]) -> None:
    """Write the page and its chart."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), numbers), encoding="utf-8")
    for look, theme in THEMES.items():
        (CHARTS / f"anytime-{look}.svg").write_text(chart(numbers["over time"], theme), encoding="utf-8")


def page(text: str, numbers: dict[str, list[Row]]) -> str:
    """Return the page with the tables of these numbers."""
    return MARK.sub(lambda found: "\n".join([found[1], *TABLES[found[2]](numbers[found[2]]), found[3]]), text)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    line = "|---" + "|--:" * (len(head) - 1) + "|"
    return [f"| {' | '.join(head)} |", line, *(f"| {' | '.join(row)} |" for row in rows)]


def _percent(share: float | None) -> str:
    """Write a share; one that there is not, as power where the systems tie, is a dash."""
    return "–" if share is None else f"{100 * share:.1f}%"


def _points(share: float) -> str:
    return f"{100 * share:g} point{'' if share == 0.01 else 's'}"


def _peeking(rows: Sequence[Row]) -> list[str]:
    shares = list(dict.fromkeys(row["apart"] for row in rows))
    rates = {(row["apart"], row["test"]): _percent(row["rate"]) for row in rows}
    head = ["the systems differ on", *(f"{100 * share:g}%" for share in shares)]
    return _table(head, ([name, *(rates[share, test] for share in shares)] for test, name in NAMES.items()))


def _ratings(rows: Sequence[Row]) -> list[str]:
    scenes = list(dict.fromkeys(row["scene"] for row in rows))
    rates = {(row["scene"], row["test"]): _percent(row["rate"]) for row in rows}
    tests = {"anytime": NAMES["anytime"], "paired-t": "paired t test"}
    return _table(
        ["ratings", *scenes], ([name, *(rates[scene, test] for scene in scenes)] for test, name in tests.items())
    )


def _routes(rows: Sequence[Row]) -> list[str]:
    head = ["world and metric", "test of one look", *(f"from {burn_in}" for burn_in in BURN_INS)]
    return _table(head, ([row["scene"], _percent(row["plain"][0]), *map(_percent, row["anytime"])] for row in rows))


def _carried(rows: Sequence[Row]) -> list[str]:
    head = ["world and metric", "test of one look", "by the count alone", *(f"from {least}" for least in EQUAL)]
    shown = ("plain", "0", *map(str, EQUAL))
    return _table(head, ([row["scene"], *(_percent(row[key]) for key in shown)] for row in rows))


def _stopping(rows: Sequence[Row]) -> list[str]:
    head = [
        "the systems differ on",
        "true difference",
        "exact McNemar test needs",
        "anytime stops at",
        "times as many",
        "with even weights",
    ]
    return _table(
        head,
        (
            [
                f"{100 * row['apart']:g}%", _points(row['difference']), f"{row['planned']:,}",
                f"{row['falling'] * row['planned']:,.0f}", f"{row['falling']:.2f}", f"{row['even']:.2f}",
            ]
            for row in rows
        ),
    )  # fmt: skip


def _stopping_f1(rows: Sequence[Row]) -> list[str]:
    head = ["category", "true difference of F1", "score test needs", "anytime stops at", "times as many"]
    return _table(
        head,
        (
            [
                row["category"],
                _points(row["difference"]),
                f"{row['planned']:,}",
                f"{row['ratio'] * row['planned']:,.0f}",
                f"{row['ratio']:.2f}",
            ]
            for row in rows
        ),
    )


def _coverage(rows: Sequence[Row]) -> list[str]:
    head = ["world and metric", "test", "false alarms", "power", "intervals that hold at all looks"]
    return _table(
        head,
        (
            [
                row["scene"],
                test_name(row["test"]),
                *(_percent(row[key]) for key in ("false_alarm", "power", "coverage")),
            ]
            for row in rows
        ),
    )


TABLES: dict[str, Callable[[Sequence[Row]], list[str]]] = {
    "peeking": _peeking,
    "ratings": _ratings,
    "routes": _routes,
    "carried": _carried,
    "stopping": _stopping,
    "stopping of f1": _stopping_f1,
    "coverage": _coverage,
}


def chart(rows: Sequence[Row], theme: Theme) -> str:
    """Draw how many runs have had a false alarm by each example, a line for each test."""
    most = math.ceil(10 * max(row["rate"] for row in rows)) / 10

    def x(n: float) -> str:
        return f"{LEFT + (RIGHT - LEFT) * math.log(n / TICKS[0]) / math.log(TICKS[-1] / TICKS[0]):.1f}"

    def y(share: float) -> str:
        return f"{BOTTOM - (BOTTOM - TOP) * share / most:.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" {FONT}>'
    ]
    for step in range(round(10 * most) + 1):
        share = step / 10
        parts.append(f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y(share)}" y2="{y(share)}" stroke="{theme.grid}"/>')
        parts.append(
            f'<text x="{LEFT - 6}" y="{float(y(share)) + 4:.1f}" font-size="12" text-anchor="end" fill="{theme.grey}">{10 * step}%</text>'
        )
    for tick in TICKS:
        parts.append(
            f'<text x="{x(tick)}" y="{BOTTOM + 17}" font-size="12" text-anchor="middle" fill="{theme.grey}">{tick:,}</text>'
        )
    middle = (LEFT + RIGHT) / 2
    parts.append(
        f'<text x="{middle}" y="{BOTTOM + 36}" font-size="13" text-anchor="middle" fill="{theme.ink}">examples so far</text>'
    )
    parts.append(
        f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y(0.05)}" y2="{y(0.05)}" stroke="{theme.ink}" stroke-dasharray="5 4"/>'
    )
    parts.append(
        f'<text x="{RIGHT + 8}" y="{float(y(0.05)) - 2:.1f}" font-size="13" fill="{theme.ink}">alpha 5%</text>'
    )
    for place, (test, name) in enumerate(NAMES.items()):
        own = [row for row in rows if row["test"] == test]
        line, ink = " ".join(f"{x(row['n'])},{y(row['rate'])}" for row in own), theme.lines[place]
        lower = 12 if test == "anytime" else 4
        parts.append(f'<polyline points="{line}" fill="none" stroke="{ink}" stroke-width="2.5"/>')
        parts.append(
            f'<text x="{RIGHT + 8}" y="{float(y(own[-1]["rate"])) + lower:.1f}" font-size="13" fill="{ink}">{name}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"
