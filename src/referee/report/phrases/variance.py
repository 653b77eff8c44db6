"""Where the variance of a difference comes from, in words and in a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from referee.report.document import Column, Formula, Table, Text
from referee.report.nouns import plural as plural_of
from referee.report.numbers import Scale, known, percent, whole
from referee.report.phrases import clean, listed
from referee.results.comparison import Comparison

if TYPE_CHECKING:
    from referee.results.measurement import Measurement
    from referee.results.ranking import Ranking
    from referee.results.variance_parts import Part, VarianceSplit

BEYOND = (
    "The result is about other levels of both groups, drawn as these were, not about other prompts, other data or anything else "
    "that was the same throughout."
)
"""What a result over two crossed groups is about."""
UNNAMED = ("first group", "second group")
"""What two groups are called that are arrays, and no columns of a table."""
SMALL = 0.005
"""A saving that would be shown as 0%."""


def levels(count: int, name: str) -> str:
    """Count the levels of a column.

    >>> levels(5, "seed"), levels(5, "run_id"), levels(1, "query")
    ('5 seeds', '5 values of run_id', '1 query')
    """
    return f"{whole(count)} {name if count == 1 and is_noun(name) else plural(name)}"


def plural(name: str) -> str:
    """Return what the levels of a column are called."""
    if name in UNNAMED:
        return f"levels of the {name}"
    return plural_of(name) if is_noun(name) else f"values of {clean(name)}"


def is_noun(name: str) -> bool:
    """Say whether the name of a column can stand in a sentence as a word."""
    return len(name) > 2 and name.isascii() and name.isalpha() and name.islower()


def crossed(r: Comparison | Ranking | Measurement) -> str:
    """Say how many levels the two crossed groups have; nothing if the data have none."""
    told = r.settings.crossed if r.settings else ()
    split = r.variance if isinstance(r, Comparison) else None
    if not told and split is not None and split.crossed:
        told = tuple((part.name, part.levels) for part in split.parts if part.source in ("group", "crossed"))
    return " × ".join(levels(count, name) for name, count in told)


def crossed_samples(r: Comparison | Ranking | Measurement, several_tasks: bool = False) -> str:
    """Say what is taken for granted of two crossed groups."""
    who = "The levels of the two groups" if several_tasks else f"The {crossed(r).replace(' × ', ' and the ')}"
    cells = "the examples of one level of either group may depend on each other"
    return f"{who} are random samples of those that matter, each drawn independently of the other; {cells}."


def where(r: Comparison) -> str:
    """Say where the variance of the difference comes from."""
    split = r.variance
    if split is None or any(part.share is None for part in split.parts):
        return ""
    shares = [f"{percent(round(part.share or 0.0, 2))} {_between(part, split)}" for part in split.parts]
    return f"that of the difference is {listed(shares)}"


def surer(r: Comparison) -> str:
    """Say what would make the result surer: more of which."""
    split = r.variance
    if split is None:
        return ""
    told = []
    for part in split.parts:
        saved = None if part.source == "cell" else split.saved(part.source)
        if known(saved):
            more = _twice(part, split)
            told.append(
                f"{more} would cut the standard error by {percent(round(saved, 2)) if saved >= SMALL else 'less than 1%'}"
            )
    return "; ".join(told)


def _twice(part: Part, split: VarianceSplit) -> str:
    if part.source == "rows":
        return f"twice as many {'repeats' if split.crossed else _rows(split)} of each"
    return f"twice as many {plural(part.name)}"


def _rows(split: VarianceSplit) -> str:
    return "repeats" if split.repeats else "examples"


def _between(part: Part, split: VarianceSplit) -> str:
    if part.source == "rows":
        return f"between {_rows(split)} of one {clean(split.parts[0].name)}" if not split.crossed else "between repeats"
    return "the rest" if part.source == "cell" else f"between {plural(part.name)}"


def is_shown(split: VarianceSplit) -> bool:
    """Say whether the split is told without being asked for: the data are a design, of which more can be had of either."""
    return split.crossed or split.repeats or split.balanced


def icc(r: Comparison) -> str:
    """Say how alike the rows of one group are."""
    split = r.variance
    if split is None or not known(split.icc):
        return ""
    alike = (
        f"{split.icc:.3f} of the variance of a single {'answer' if split.repeats else 'row'} is common to those of one"
    )
    return f"{alike} {clean(split.parts[0].name)} (intraclass correlation)"


def table(r: Comparison, scale: Scale) -> list[Table]:
    """Return the split as a table, if the data have two crossed groups or repeats."""
    split = r.variance
    if split is None or not is_shown(split):
        return []
    parts = split.parts
    cells: dict[Column, Sequence[Text] | None] = {
        Column("variance"): [_between(part, split) for part in parts],
        Column("how many", "number"): [whole(part.levels) for part in parts],
        Column("share", "number"): [percent(round(part.share, 2)) if known(part.share) else "" for part in parts],
        Column("one varies by", "score"): [
            (Formula(scale.plain(math.sqrt(part.component))), scale.points) for part in parts
        ],
    }
    note = "One varies by: the standard deviation of what a single one adds to the difference."
    below = [_between(part, split) for part in parts if part.negative]
    if below:
        note += f" The variance {listed(below)} was estimated below 0, and counts as 0."
    return [Table.of(cells, title="Where the variance of the difference comes from", note=note)]
