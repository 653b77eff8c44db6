"""Themes: the colours of charts by the part they play, on light paper and on dark."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from referee.errors import OptionError, one_of

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"


@dataclass(frozen=True, kw_only=True)
class Theme:
    """A colour for each part. No two parts of a theme share one: a page finds them again by their colours."""

    paper: str
    ink: str
    grey: str
    grid: str
    a: str
    b: str
    both: str
    neither: str
    bar: str
    """Of the bars of a histogram."""
    tail: str
    """Of those that make up p."""
    band: str
    """Behind a margin."""
    on_a: str
    """Of words on the colour of A."""
    on_b: str
    series: tuple[str, ...]
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


COLOURS = {
    "paper": ("#ffffff", "#14171b"),
    "ink": ("#1d2126", "#e8ebef"),
    "grey": ("#59626e", "#a7b0bb"),
    "grid": ("#dfe3e8", "#363d47"),
    "a": ("#0072b2", "#56b4e9"),
    "b": ("#d9730d", "#ffc267"),
    "both": ("#ccd6df", "#3d4955"),
    "neither": ("#f5f6f8", "#1e232a"),
    "bar": ("#bdc8d3", "#4b5866"),
    "tail": ("#b03a00", "#ff9158"),
    "band": ("#f3e8b8", "#3d3720"),
    "on_a": ("#fefefe", "#0f1216"),
    "on_b": ("#1a1206", "#1a1205"),
}
"""Each colour on light paper, and on dark."""
LIGHT = Theme(
    **{part: light for part, (light, _) in COLOURS.items()},
    series=("#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9"),
)
DARK = Theme(
    **{part: dark for part, (_, dark) in COLOURS.items()},
    series=("#ff9b57", "#3fd0a0", "#e6a5cb", "#f4f6f8", "#e9b949", "#9ad2f5"),
)
THEMES = {"light": LIGHT, "dark": DARK}


def theme_of(name: str) -> Theme:
    """Return a theme by its name.

    Raises:
        OptionError: where there is no such theme.
    """
    one_of("theme", name, tuple(THEMES))
    return THEMES[name]


def altair() -> Any:
    """Return the module altair.

    Raises:
        OptionError: where it is not there.
    """
    try:
        import altair
    except ImportError as error:
        raise OptionError("charts need altair: pip install 'referee[report]'") from error
    return altair


def dressed(chart: Any, name: str, description: str = "") -> Any:
    """Give a whole chart its font, its colours and its paper, and say what is seen on it."""
    told = {"description": description} if description else {}
    # All at once: every single property would copy the chart with its data.
    return chart.properties(
        background=theme_of(name).paper, config=_config(theme_of(name)), padding=6, usermeta={"theme": name}, **told
    )


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
