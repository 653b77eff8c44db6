"""Results on a terminal: as wide as it is, the verdict and the warnings in colour."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from referee.report import algorithms, audit, text, trials
from referee.report.layout import NARROWEST, WIDEST, Block, joined
from referee.results.algorithms import Standings
from referee.results.audit import Audit
from referee.results.comparison import Comparison, Comparisons
from referee.results.trials import Trials

if TYPE_CHECKING:
    from rich.text import Text

COLOURS = {"b better": "green", "practically equal": "green", "no worse": "green", "a better": "red"}
GATES = {0: "green", 1: "red"}
KEPT = {"keeps": "green", "too many": "red"}
UNDECIDED = "yellow"
DRAWN = re.compile(r"\[[-*|]*\]")


def blocks_of(result: object, columns: int) -> list[Block]:
    """Return the parts of a result's text, for a terminal of so many columns.

    Args:
        result: what was found.
        columns: those of the terminal; no line but the signature is longer, from 40 on.

    Returns:
        The parts; one, as the result prints itself, where it has none.
    """
    width = min(max(columns, NARROWEST), WIDEST)
    for kind, made in PARTS:
        if isinstance(result, kind):
            return made(result, width)
    return [Block("", str(result))]


PARTS: Sequence[tuple[type, Callable[[Any, int], list[Block]]]] = (
    (Comparison, text.blocks_of),
    (Comparisons, text.blocks_of_several),
    (Standings, algorithms.blocks_of),
    (Audit, audit.blocks_of),
    (Trials, trials.blocks_of),
)


def plain(result: object, columns: int) -> str:
    """Write a result for a terminal of so many columns, without colours."""
    return joined(blocks_of(result, columns))


def painted(result: object, columns: int) -> Text:
    """Write a result for a terminal of so many columns, in colours.

    The first sentence is green where B can be taken, red where it is worse, yellow where the data cannot tell; an audit is green
    where the test keeps its false alarms, and red where it does not.
    """
    from rich.text import Text

    colour = colour_of(result)
    styles = {"warnings": "yellow", "signature": "dim"}
    parts = [block for block in blocks_of(result, columns) if block.text]
    shown = [Text(block.text, style=styles.get(block.kind, ""), end="") for block in parts]
    for block, painting in zip(parts, shown, strict=True):
        painting.stylize(f"bold {colour}", 0, block.lead_end)
        if block.kind == "drawing":
            painting.highlight_regex(DRAWN, f"bold {colour}")
    return Text("\n\n", end="").join(shown)


def colour_of(result: object) -> str:
    """Return the colour of a result's verdict; none where nothing is good or bad."""
    if isinstance(result, Comparison):
        return COLOURS.get(result.verdict, UNDECIDED)
    if isinstance(result, Comparisons):
        return GATES.get(result.gate, UNDECIDED) if len(result) else UNDECIDED
    if isinstance(result, Audit):
        return KEPT.get(audit.verdict(result.row(alpha=result.alpha)), UNDECIDED)
    return ""
