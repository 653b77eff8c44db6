"""A slide: one figure of a result with the verdict, n and p above it, fit for a talk or a paper."""

from __future__ import annotations

from typing import Any

from referee.errors import OptionError, one_of
from referee.report import charts
from referee.report.charts.canvas import WIDTH, Figure, fitted, width
from referee.report.charts.theme import altair, dressed
from referee.report.document import plain
from referee.report.documents import document_of
from referee.report.numbers import percent
from referee.report.short import rests_on
from referee.results.audit import Audit
from referee.results.comparison import Comparison
from referee.results.ranking import Rankings
from referee.results.trials import Trials

TOGETHER = (Audit, Rankings, Trials)
"""Results whose figures say something only beside each other."""
ALL, MAIN = "all", "main"
TITLE, SUBTITLE = 14, 12
"""Sizes of the words above the figure."""
BOLD = 1.06
"""How much wider bold letters are."""
LINES = 4
"""So many lines a verdict has at most."""


def chosen(name: str) -> str:
    """Return the name of a figure that the name of a file may ask for: what stands before its ending.

    >>> chosen("figures/luck.svg")
    'luck'
    """
    return name.replace("\\", "/").rpartition("/")[2].rpartition(".")[0]


def slide(result: Any, figure: str = MAIN, theme: str = "light") -> Any:
    """Draw one figure with the verdict above it.

    Args:
        result: any result.
        figure: its key, such as "dots" or "luck"; "main" is the most telling one.
        theme: "light" or "dark".

    Returns:
        An altair chart.

    Raises:
        OptionError: if there is no such figure or theme, or altair is not there.
    """
    if figure == MAIN:
        one = None if isinstance(result, TOGETHER) else charts.main_figure(result, theme)
    else:
        found = {each.key: each for one in charts.figures(result, theme) for each in (one, *one.panels)}
        one_of("figure", figure, (MAIN, *found))
        one = found[figure]
    if one is None:
        return charts.plot(result, theme).properties(title=_title(result, None, 2 * WIDTH))
    title = _title(result, one if figure != MAIN else None, one.wide * max(1, len(one.panels)))
    return dressed(one.chart.properties(title=title), theme, _told(result, one))


def for_file(result: Any, path: str) -> Any:
    """Draw what a file is named after: a figure, "all" of them, or else the most telling one; pages and data have all.

    Args:
        result: any result.
        path: of the file.
    """
    name = chosen(path)
    if name == ALL or path.lower().endswith((".html", ".json")):
        return charts.plot(result)
    try:
        return slide(result, name)
    except OptionError:
        return slide(result)


def _told(result: Any, figure: Figure) -> str:
    return f"{plain(document_of(result).verdict.headline)} {figure.caption}"


def _title(result: Any, figure: Figure | None, room: float) -> Any:
    """Say the verdict, what it rests on, and what the figure shows where it isn't the main one."""
    headline = plain(document_of(result).verdict.headline).removesuffix(".")
    facts = [fact for fact in rests_on(result) if fact not in headline]
    if isinstance(result, Comparison) and result.interval:
        facts.append(f"{percent(result.interval.level)} interval")
    below = [*wrapped(", ".join(facts), room, SUBTITLE), *([figure.title] if figure else [])]
    return altair().TitleParams(wrapped(headline, room, TITLE * BOLD)[:LINES], subtitle=below)


def wrapped(text: str, room: float, size: float) -> list[str]:
    """Break a text into lines that are no wider than there is room.

    >>> wrapped("new is better than old", 90, 12)
    ['new is better', 'than old']
    """
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip(" ")
        if lines[-1] and width(longer, size) > room:
            lines.append(fitted(word, room, size))
        else:
            lines[-1] = fitted(longer, room, size)
    return lines
