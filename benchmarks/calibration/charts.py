"""The charts of docs/calibration.md: shares against the size of the test set, on light paper and on dark."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.calibration.groups import KINDS
from benchmarks.calibration.words import name
from referee.report.charts.rates import DASHES, SHAPES, arrange
from referee.report.charts.save import specified, svg
from referee.report.charts.theme import THEMES, Theme, altair, dressed

WIDTH, HEIGHT, AT = 300, 190, 1
Row = dict[str, Any]


@dataclass(frozen=True)
class Chart:
    """What a chart shows: points with a panel, a line, a size and a share."""

    file: str
    title: str
    alt: str
    points: Sequence[Row]
    y_title: str
    x_title: str
    rule: float
    low: float = 0.0
    high: float = 1.0
    columns: int = 2


def write(charts: Iterable[Chart], folder: Path) -> None:
    """Draw charts into a folder, each on light paper and on dark."""
    folder.mkdir(exist_ok=True)
    for chart in charts:
        for theme in THEMES:
            spec = specified(drawn(chart, theme))
            # The page says what is seen; a label on every point would make the file three times as large.
            spec["config"]["aria"] = False
            (folder / f"{chart.file}-{theme}.svg").write_text(svg(spec), encoding="utf-8")


def picture(chart: Chart) -> str:
    """Return the Markdown that shows a chart."""
    return (
        f'<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="calibration/{chart.file}-dark.svg">\n'
        f'  <img src="calibration/{chart.file}-light.svg" alt="{chart.alt}">\n</picture>'
    )


def drawn(chart: Chart, theme: str) -> Any:
    """Draw a chart; what lies beyond its axis is drawn at its end."""
    names = list(dict.fromkeys(point["line"] for point in chart.points))
    panels = []
    for panel in dict.fromkeys(point["panel"] for point in chart.points):
        mine = [_inside(point, chart) for point in chart.points if point["panel"] == panel]
        panels.append(_panel(mine, panel, names, chart, THEMES[theme]))
    return dressed(arrange(panels, chart.columns, chart.title), theme, chart.alt)


def _inside(point: Row, chart: Chart) -> Row:
    held = {key: min(max(point[key], chart.low), chart.high) for key in ("share", "least", "most")}
    return {**point, **held}


def _panel(points: list[Row], title: str, names: list[str], chart: Chart, theme: Theme) -> Any:
    alt = altair()
    ink = [theme.lines[i % len(theme.lines)] for i in range(len(names))]
    legend = alt.Legend(title=None, columns=3, symbolStrokeWidth=0, symbolOpacity=1)
    colour = alt.Color("line:N", scale=alt.Scale(domain=names, range=ink), legend=legend)
    marks = [SHAPES[i % len(SHAPES)] for i in range(len(names))]
    shape = alt.Shape("line:N", scale=alt.Scale(domain=names, range=marks), legend=legend)
    dashes = [list(DASHES[i % len(DASHES)]) for i in range(len(names))]
    dash = alt.StrokeDash("line:N", scale=alt.Scale(domain=names, range=dashes), legend=None)
    sizes = sorted({point["n"] for point in points})
    x = alt.X(
        "n:Q", title=chart.x_title, axis=alt.Axis(values=sizes, format=",d", grid=False, labelFlush=False),
        scale=alt.Scale(type="log", domain=[sizes[0], sizes[-1]], nice=False, padding=14),
    )  # fmt: skip
    scale = alt.Scale(domain=[chart.low, chart.high], nice=False)
    y = {"title": chart.y_title, "scale": scale, "axis": alt.Axis(format="~%", tickCount=6)}
    base = alt.Chart(alt.InlineData(values=points))
    rule = alt.Chart(alt.InlineData(values=[{"rule": chart.rule}])).mark_rule(color=theme.ink, strokeWidth=1.2)
    return alt.layer(
        rule.encode(y=alt.Y("rule:Q", **y)),
        base.mark_rule(strokeWidth=1.5, opacity=0.7).encode(x=x, y=alt.Y("least:Q", **y), y2="most:Q", color=colour),
        base.mark_line(strokeWidth=1.8).encode(x=x, y=alt.Y("share:Q", **y), color=colour, strokeDash=dash),
        base.mark_point(filled=True, size=42, opacity=1).encode(x=x, y=alt.Y("share:Q", **y), color=colour, shape=shape),
        width=WIDTH, height=HEIGHT, title=title,
    )  # fmt: skip


def points(
    rows: Iterable[Row], what: Sequence[str], panel: Callable[[Row, str], str], line: Callable[[Row, str], str]
) -> list[Row]:
    """Return the points of rows at 5%: of several shares of a row each one."""
    found = []
    for row in rows:
        for one in what:
            if one in row and row[one][AT][0] is not None:
                share, error = row[one][AT]
                told = {"panel": panel(row, one), "line": line(row, one), "n": row["n"], "share": share}
                found.append({**told, "least": share - 2 * error, "most": share + 2 * error})
    return found


def charts(numbers: Row) -> list[Chart]:
    """Return the charts of the page, in its order."""
    rows = numbers["rows"]

    def part(wanted: str, *kinds: str) -> list[Row]:
        return [row for row in rows if row["part"] == wanted and (not kinds or row["kind"] in kinds)]

    def by_metric(row: Row, what: str) -> str:
        return str(row["metric"])

    def by_test(row: Row, what: str) -> str:
        return name(row["test"])

    own, examples = part("categories", "rare", "balanced"), "examples in the test set"
    alarms, covers = "false alarms at α = 5%", "95% intervals that hold the truth"
    pools = {"rare": "Categories as they are, most of them rare", "balanced": "Unions of categories near balance"}
    some = [
        row
        for row in part("tests", "rare", "balanced")
        if row["metric"] == "f1" and row["test"] in ("score", *F1_RIVALS)
    ]
    spelt = {"tilt": "nearest tie", "swap": "exchangeable systems"}
    return [
        Chart(
            "coverage", "Coverage of the default intervals, all categories", "Coverage by size of the test set, a line "
            "per metric, in rare and in balanced categories.",
            points(own, ["coverage"], lambda row, _: pools[row["kind"]], by_metric), covers, examples, 0.95, 0.9,
        ),
        Chart(
            "false-alarms", "False alarms of the defaults, all categories", "False alarms by size of the test set, a line "
            "per metric, in rare and in balanced categories, under both nulls.",
            points(own, ["tilt", "swap"], lambda row, what: f"{pools[row['kind']]}: {spelt[what]}", by_metric),
            alarms, examples, 0.05, 0.0, 0.08,
        ),
        Chart(
            "tests-coverage", "F1: coverage of the default and of other tests", "Coverage of intervals of the F1 "
            "difference by size of the test set, a line per test, in rare and in balanced categories.",
            points(some, ["coverage"], lambda row, _: pools[row["kind"]], by_test), covers, examples, 0.95, 0.2,
        ),
        Chart(
            "tests-false-alarms", "F1: false alarms of the default and of other tests", "False alarms of tests of F1 by size of "
            "the test set under the nearest tie, in rare and in balanced categories.",
            points(some, ["tilt"], lambda row, _: pools[row["kind"]], by_test), alarms, examples, 0.05, 0.0, 0.2,
        ),
        Chart(
            "means", "Means: false alarms where the systems tie", "False alarms of tests of means by size of the test set, "
            "a panel per kind of scores.",
            points(part("means"), ["tie"], lambda row, _: row["kind"], by_test), alarms, examples, 0.05, 0.0, 0.4, 3,
        ),
        Chart(
            "groups", "Groups: coverage", "Coverage by number of groups, a panel per metric and kind of groups.",
            points(
                [row for kind in KINDS for row in part("groups", kind)],
                ["coverage"], lambda row, _: f"{row['metric']}, {row['kind']}", by_test,
            ), covers, "groups", 0.95, 0.6,
        ),
        Chart(
            "strata", "Strata: coverage", "Coverage by number of examples in a stratum, a line per test.",
            points(part("strata"), ["coverage"], lambda row, _: row["metric"], by_test),
            covers, "examples in a stratum", 0.95, 0.0, 1.0,
        ),
        Chart(
            "ranks", "Ranks: false alarms with few positives", "False alarms by number of positives, a line per test.",
            points(part("ranks"), ["swap", "unlike"], lambda row, what: f"{row['metric']}, {row['kind']}, {what}", by_test),
            alarms, "positives in the test set", 0.05, 0.0, 0.25, 3,
        ),
        Chart(
            "classes", "Macro-averaged F1 with rare classes: coverage", "Coverage of macro-averaged F1 by size.",
            points(part("classes"), ["coverage"], lambda row, _: row["kind"], by_test), covers, examples, 0.95, 0.85,
        ),
        Chart(
            "unequal", "One system answers nine times as often: false alarms", "False alarms by size of the test "
            "set, a line per test.",
            points(part("unequal"), ["tilt"], lambda row, _: row["metric"], by_test), alarms, examples, 0.05, 0.0, 0.5,
        ),
    ]  # fmt: skip


F1_RIVALS = (
    "randomization", "randomization:studentized=true", "bootstrap:replicates=999",
    "bootstrap:interval=studentized,replicates=999", "bootstrap:interval=bca,replicates=999",
)  # fmt: skip
