"""Charts for a report or a paper, drawn with altair and saved with no browser and no network."""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.errors import InputError, OptionError
from referee.findings import Audit
from referee.report import audit as said
from referee.report import words
from referee.report.numbers import known, percent, whole
from referee.writing import write_whole

Row = dict[str, Any]
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
"""Those of Okabe and Ito, which the colour-blind tell apart; their yellow is not seen on white."""
DASHES = ((1, 0), (7, 3), (2, 2), (8, 3, 2, 3), (12, 4))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
DARK, GREY, LIGHT = "#222222", "#555555", "#e6e6e6"
KINDS = {
    "keeps": ("#0072B2", "circle"),
    "cautious": ("#E69F00", "square"),
    "too many": ("#D55E00", "triangle-up"),
    "unknown": (GREY, "diamond"),
}
"""The colour and the shape of each verdict."""
PANELS = {
    "false_alarm": ("False alarms", "test sets with a false alarm"),
    "power": ("Power", "test sets in which the difference is seen"),
}
PAGE = '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>referee</title></head>\n<body>\n{}\n</body>\n</html>\n'
FORMATS = (".svg", ".png", ".html", ".json")
ERRORS = 2
"""How many Monte-Carlo errors either way are drawn."""
WIDTH, HEIGHT, STEP = 330, 230, 30
LABEL = 48
"""How many pixels the number of a size takes on its axis."""
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"


@dataclass(frozen=True)
class Panel:
    """What a panel shows: points of named lines, on an axis of shares."""

    points: Sequence[Row]
    names: Sequence[str]
    title: str
    axis: str
    shares: Sequence[float]
    sizes: Sequence[int]
    rule: float | None = None
    kinds: Sequence[str] = ()
    """The verdicts that there are."""
    labels: bool = True
    """Whether the names stand beside it."""

    @classmethod
    def of(cls, rows: Sequence[Row], what: str, alpha: float, labels: bool) -> Panel:
        """Return the panel of false alarms or of power at an alpha, out of all rows of an audit."""
        points = [
            _point(said.label(row), row["n"], row[what], row[f"{what}_error"]) | {"kind": said.verdict(row)}
            for row in rows
            if row["alpha"] == alpha
        ]
        names = list(dict.fromkeys(point["line"] for point in points))
        kinds = [kind for kind in KINDS if any(said.verdict(row) == kind for row in rows)]
        rule = alpha if what == "false_alarm" else None
        title, axis = f"{PANELS[what][0]} at alpha {percent(alpha)}", PANELS[what][1]
        return cls(points, names, title, axis, _shares(points, rule), _sizes(points), rule, kinds, labels)


def audit(r: Audit) -> Any:
    """Draw an audit: false alarms and power against the size of the test set, or by test where there is one size.

    Args:
        r: the result.

    Returns:
        An altair chart, a row of two panels for each alpha.

    Raises:
        OptionError: where altair is not there.
    """
    one_size = len({row["n"] for row in r.rows}) == 1
    ordered = sorted(r.rows, key=lambda row: row["groups"] == "ignored")
    wanted = [what for what in PANELS if any(known(row[what]) for row in ordered)] or list(PANELS)
    panels = [
        Panel.of(ordered, what, alpha, labels=what == wanted[0])
        for alpha in dict.fromkeys(row["alpha"] for row in r.rows)
        for what in wanted
    ]
    a, b = said.names(r)
    sets, n = whole(r.rows[0]["sets"]), whole(r.rows[0]["n"])
    drawn = f"{sets} test sets of {n} examples; bars" if one_size else f"{sets} test sets at each size; bands"
    under = f"{drawn} are {ERRORS} Monte-Carlo errors either way"
    under += ", the dark line is alpha" if "false_alarm" in wanted else ""
    found = [_dots(panel) if one_size else _lines(panel) for panel in panels]
    return _arrange(found, len(wanted), f"Tests of {words.clean(r.metric)}: {a} against {b}", under)


def figure(
    rows: Iterable[Mapping[str, Any]], title: str, y_title: str, rule: float | None = None, columns: int = 2
) -> Any:
    """Draw panels of lines against the size of the test set, as papers on significance tests do.

    Args:
        rows: a point each: "panel" and "line" (what they are called), "n", "value" (a share, or None where there is
            none) and "error" (its Monte-Carlo error, or None).
        title: of the whole.
        y_title: what the values are.
        rule: a share to hold the lines against, such as alpha.
        columns: how many panels stand beside each other.

    Returns:
        An altair chart; the panels have one scale and one legend.

    Raises:
        OptionError: where altair is not there, or there is no row.
    """
    points = [_point(row["line"], row["n"], row["value"], row["error"]) | {"panel": str(row["panel"])} for row in rows]
    if not points:
        raise OptionError("a figure needs rows; there are none")
    lines = tuple(dict.fromkeys(point["line"] for point in points))
    shares, sizes = _shares(points, rule), _sizes(points)
    panels = []
    for one in dict.fromkeys(point["panel"] for point in points):
        mine = [point for point in points if point["panel"] == one]
        panels.append(_lines(Panel(mine, lines, words.clean(one, 90), words.clean(y_title), shares, sizes, rule)))
    return _arrange(panels, columns, words.clean(title, 120))


def save(chart: Any, path: str | os.PathLike[str]) -> None:
    """Write a chart to a file, whole or not at all; its ending says as what.

    Args:
        chart: an altair chart.
        path: of a .svg, .png, .html (a page with the drawing, no script) or .json file (Vega-Lite).

    Raises:
        OptionError: where the ending is another, or vl-convert is not there.
        InputError: where the file cannot be written.
    """
    ending = _ending(path)
    spec = chart.to_dict()
    if ending == ".json":
        write_whole(path, json.dumps(spec, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False) + "\n")
        return
    convert = _convert()
    version = re.search(r"/v(\d+\.\d+)", spec["$schema"])
    same = version[1] if version and version[1] in convert.get_vegalite_versions() else None
    if ending == ".png":
        _write_bytes(Path(path), convert.vegalite_to_png(spec, same, scale=2, allowed_base_urls=[]))
    else:
        drawn = convert.vegalite_to_svg(spec, same, allowed_base_urls=[])
        # The drawing itself and no script: a page of scripts would run what a name has in it.
        write_whole(path, drawn if ending == ".svg" else PAGE.format(drawn))


def check(path: str | os.PathLike[str]) -> None:
    """Raise where a chart could not be saved to this path: before the work, not after it.

    Raises:
        OptionError: where the ending is none of those possible, or the extra `report` is not there.
    """
    if _ending(path) != ".json":
        _convert()
    _altair()


def _ending(path: str | os.PathLike[str]) -> str:
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise OptionError(f"a chart is saved as {', '.join(FORMATS)}; the file is {os.fspath(path)!r}")
    return ending


def _altair() -> Any:
    try:
        import altair
    except ImportError as error:
        raise OptionError("charts need altair: pip install 'referee[report]'") from error
    return altair


def _convert() -> Any:
    try:
        import vl_convert
    except ImportError as error:
        raise OptionError("saving charts needs vl-convert: pip install 'referee[report]'") from error
    return vl_convert


def _write_bytes(path: Path, content: bytes) -> None:
    target = path.resolve() if path.is_symlink() else path
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            temporary = Path(file.name)
            file.write(content)
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(target)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise InputError(f"cannot write {target}: {error.strerror}") from error


def _point(line: object, n: int, value: float | None, error: float | None) -> Row:
    if value is None or not known(value):
        return {"line": words.clean(line, 90), "n": n, "value": None, "low": None, "high": None}
    half = ERRORS * error if error is not None and known(error) else 0.0
    low, high = max(value - half, 0.0), min(value + half, 1.0)
    return {"line": words.clean(line, 90), "n": n, "value": value, "low": low, "high": high}


def _lines(panel: Panel) -> Any:
    """Draw a line for each test against size, in the band of its errors."""
    alt = _altair()
    places = range(len(panel.names))
    columns = 4 if max(map(len, panel.names)) <= 18 else 2
    legend = alt.Legend(title=None, symbolOpacity=1, symbolStrokeWidth=0, columns=columns)
    colour = alt.Color("line:N", scale=_scale(panel.names, [COLOURS[i % len(COLOURS)] for i in places]), legend=legend)
    shape = alt.Shape("line:N", scale=_scale(panel.names, [SHAPES[i % len(SHAPES)] for i in places]), legend=legend)
    dash = alt.StrokeDash("line:N", scale=_scale(panel.names, [DASHES[i % len(DASHES)] for i in places]), legend=None)
    x, axis = _size_axis(panel.sizes), _share_axis(panel)
    base = alt.Chart(alt.InlineData(values=list(panel.points)))
    band = base.mark_area(opacity=0.13).encode(x=x, y=alt.Y("low:Q", **axis), y2="high:Q", color=colour)
    line = base.mark_line(strokeWidth=2).encode(x=x, y=alt.Y("value:Q", **axis), color=colour, strokeDash=dash)
    dots = base.mark_point(filled=True, size=48, opacity=1).encode(
        x=x, y=alt.Y("value:Q", **axis), color=colour, shape=shape
    )
    held = [] if panel.rule is None else [_rule(panel.rule).encode(y=alt.Y("rule:Q", **axis))]
    return alt.layer(band, *held, line, dots, width=WIDTH, height=HEIGHT, title=panel.title)


def _dots(panel: Panel) -> Any:
    """Draw a point for each test, with a bar of its errors."""
    alt = _altair()
    legend = alt.Legend(title="false alarms:", titleOrient="left", titleFontWeight="normal", columns=len(KINDS))
    colour = alt.Color("kind:N", scale=_scale(panel.kinds, [KINDS[kind][0] for kind in panel.kinds]), legend=legend)
    shape = alt.Shape("kind:N", scale=_scale(panel.kinds, [KINDS[kind][1] for kind in panel.kinds]), legend=legend)
    names = alt.Axis(labelLimit=0, grid=True, domain=False, ticks=False, labelPadding=8, labels=panel.labels)
    y, axis = alt.Y("line:N", sort=list(panel.names), title=None, axis=names), _share_axis(panel)
    base = alt.Chart(alt.InlineData(values=list(panel.points)))
    bars = base.mark_rule(strokeWidth=2.5).encode(x=alt.X("low:Q", **axis), x2="high:Q", y=y, color=colour)
    dots = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=alt.X("value:Q", **axis), y=y, color=colour, shape=shape
    )
    # A rule makes a panel a little taller: one on the grid's first line keeps the titles of neighbours level.
    shade = DARK if panel.rule is not None else LIGHT
    held = _rule(panel.rule or 0.0).encode(x=alt.X("rule:Q", **axis), color=alt.value(shade))
    return alt.layer(held, bars, dots, width=WIDTH, height={"step": STEP}, title=panel.title)


def _rule(share: float) -> Any:
    """Draw the share that tests are held against."""
    alt = _altair()
    return alt.Chart(alt.InlineData(values=[{"rule": share}])).mark_rule(color=DARK, strokeWidth=1.5)


def _scale(domain: Sequence[str], values: Sequence[Any]) -> Any:
    return _altair().Scale(domain=list(domain), range=[list(v) if isinstance(v, tuple) else v for v in values])


def _shares(points: Sequence[Row], rule: float | None) -> list[float]:
    """Return round shares for an axis that ends a little above all that is drawn."""
    highest = max([point["high"] for point in points if point["high"] is not None] + [1.5 * (rule or 0.0), 0.001])
    size = 10.0 ** math.floor(math.log10(highest))
    step = next(size * part for part in (0.2, 0.5, 1, 2) if highest <= 8 * size * part)
    return [min(round(i * step, 9), 1.0) for i in range(math.ceil(highest / step - 1e-9) + 1) if (i - 1) * step < 1]


def _share_axis(panel: Panel) -> dict[str, Any]:
    alt = _altair()
    axis = alt.Axis(values=list(panel.shares), format="~%", labelFlush=False, grid=True)
    return {"title": panel.axis, "scale": alt.Scale(domain=[0, panel.shares[-1]], nice=False), "axis": axis}


def _sizes(points: Sequence[Row]) -> list[int]:
    return sorted({point["n"] for point in points})


def _size_axis(sizes: Sequence[int]) -> Any:
    """Return the axis of sizes, a number at each that has room for it, the largest first."""
    alt = _altair()
    low, high = (sizes[0], sizes[-1]) if len(sizes) > 1 else (sizes[0] / 2, sizes[0] * 2)
    gap = LABEL / WIDTH * math.log(high / low)
    ticks: list[int] = []
    for n in reversed(sizes):
        if not ticks or math.log(ticks[-1] / n) >= gap:
            ticks.append(n)
    return alt.X(
        "n:Q",
        title="examples in the test set",
        scale=alt.Scale(type="log", domain=[low, high], nice=False, padding=12),
        axis=alt.Axis(values=ticks[::-1], format=",d", grid=False, labelOverlap=False, labelFlush=False),
    )


def _arrange(panels: Sequence[Any], columns: int, title: str, under: str = "") -> Any:
    alt = _altair()
    head = alt.TitleParams(
        title, subtitle=under, anchor="start", offset=16, fontSize=17, subtitleFontSize=13, subtitlePadding=6
    )
    return (
        alt.concat(*panels, columns=columns, title=head, spacing=34, background="white")
        .configure(font=FONT, padding=16)
        .configure_view(stroke=None)
        .configure_title(fontSize=14, fontWeight="bold", subtitleColor=GREY)
        .configure_axis(
            labelFontSize=12, titleFontSize=13, titleFontWeight="normal", titlePadding=8, gridColor=LIGHT,
            tickColor=GREY, domainColor=GREY,
        )
        .configure_legend(
            orient="bottom", labelFontSize=13, titleFontSize=13, labelLimit=0, symbolSize=90, offset=18,
            columnPadding=28, rowPadding=6,
        )
    )  # fmt: skip
