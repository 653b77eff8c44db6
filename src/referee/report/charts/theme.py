"""Themes: the colours of charts by their role, on a light and on a dark background."""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any

from referee.errors import not_installed, one_of

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"


@dataclass(frozen=True, kw_only=True)
class Theme:
    """A colour for each part. No two parts of a theme share one: a page finds them again by their colours."""

    paper: str = "#ffffff"
    ink: str = "#1d2126"
    grey: str = "#59626e"
    grid: str = "#dfe3e8"
    a: str = "#0072b2"
    b: str = "#d9730d"
    both: str = "#ccd6df"
    neither: str = "#f5f6f8"
    bar: str = "#bdc8d3"
    """Of the bars of a histogram."""
    tail: str = "#b03a00"
    """Of those that make up p."""
    band: str = "#dbe3f3"
    """Behind a margin."""
    better: str = "#e5f4ef"
    """Behind the side on which B is better."""
    on_better: str = "#00694c"
    """Of words there."""
    on_a: str = "#fefefe"
    """Of words on the colour of A."""
    on_b: str = "#1a1206"
    series: tuple[str, ...] = ("#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")
    """Of further lines: those of Okabe and Ito, which the colour-blind tell apart."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The colours of lines, the first that of A."""
        return (self.a, *self.series)

    def variables(self) -> dict[str, str]:
        """Return the colours by the names that a page's stylesheet gives them.

        >>> LIGHT.variables()["--ink"], LIGHT.variables()["--series-2"]
        ('#1d2126', '#d55e00')
        """
        named = {f"--{f.name.replace('_', '-')}": getattr(self, f.name) for f in fields(self) if f.name != "series"}
        return named | {f"--series-{i}": colour for i, colour in enumerate(self.series, 2)}


LIGHT = Theme()
DARK = Theme(
    paper="#14171b",
    ink="#e8ebef",
    grey="#a7b0bb",
    grid="#363d47",
    a="#56b4e9",
    b="#ffc267",
    both="#3d4955",
    neither="#1e232a",
    bar="#4b5866",
    tail="#ff9158",
    band="#2a3550",
    better="#12312a",
    on_better="#58d3ac",
    on_a="#0f1216",
    on_b="#1a1205",
    series=("#ff9b57", "#3fd0a0", "#e6a5cb", "#f4f6f8", "#e9b949", "#9ad2f5"),
)
THEMES = {"light": LIGHT, "dark": DARK}


def theme_of(name: str) -> Theme:
    """Return a theme by its name.

    Raises:
        OptionError: if there is no such theme.
    """
    one_of("theme", name, tuple(THEMES))
    return THEMES[name]


def extra(module: str, what: str) -> Any:
    """Return a module of the extra `report`.

    Args:
        module: its name.
        what: needs it.

    Raises:
        OptionError: if it is not there.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise not_installed(f"{what} {module.replace('_', '-')}", install="'referee[report]'") from error


def altair() -> Any:
    """Return the module altair; an OptionError says where it is not there."""
    return extra("altair", "charts need")


def dressed(chart: Any, name: str, description: str = "") -> Any:
    """Give a whole chart its font, its colours and its paper, and say what is seen on it."""
    theme = theme_of(name)
    look = {"background": theme.paper, "config": _config(theme), "padding": 6, "usermeta": {"theme": name}}
    # All at once: every single property would copy the chart with its data.
    return chart.properties(**look, **({"description": description} if description else {}))


def _config(theme: Theme) -> Any:
    alt = altair()
    return alt.Config(
        font=FONT,
        view=alt.ViewConfig(stroke=None),
        title=alt.TitleConfig(
            color=theme.ink, subtitleColor=theme.grey, fontSize=14, fontWeight="bold", anchor="start", offset=10,
            subtitleFontSize=12, subtitlePadding=5,
        ),
        axis=alt.AxisConfig(
            labelFontSize=11, titleFontSize=12, titleFontWeight="normal", titlePadding=6, gridColor=theme.grid,
            tickColor=theme.grey, domainColor=theme.grey, labelColor=theme.ink, titleColor=theme.ink,
        ),
        legend=alt.LegendConfig(
            orient="bottom", labelFontSize=12, titleFontSize=12, titleFontWeight="normal", labelLimit=0, symbolSize=80,
            offset=12, columnPadding=20, rowPadding=4, labelColor=theme.ink, titleColor=theme.ink,
        ),
    )  # fmt: skip
