"""Where the variance of a difference comes from: groups, those that cross them, and repeats; by the method of moments."""

from __future__ import annotations

import numpy as np

from referee.data.columns import Floats, Ints, factorize
from referee.data.counts import Counts
from referee.results.variance_parts import Part, Source, VarianceSplit
from referee.significance.cells import crossing_of
from referee.significance.crossed_t import difference_over
from referee.significance.rank_tally import AnyTally
from referee.significance.tally import Tally


def split_of(counts: Counts, tally: AnyTally) -> VarianceSplit | None:
    """Return how the variance of the difference splits; None without groups of several rows, and of metrics of ranks.

    A component whose estimate is below 0 counts as 0, and what is left of the variance is the others'.

    Args:
        counts: the data.
        tally: the same as the metric sees them.
    """
    plain = "group" in counts and "stratum" not in counts and counts.paired
    if not (plain and isinstance(tally, Tally)) or not counts.n > 1:
        return None
    if tally.crossing is not None:
        return _of_crossed(counts, tally)
    return None if tally.weighted else _of_groups(counts, tally)


def _moves(counts: Counts, tally: Tally) -> tuple[Floats, Floats]:
    """Return [row] how often each occurs, and how far one moves the difference, times the number of all."""
    rows, weights = tally.ungrouped(counts), counts.multiplicities.astype(np.float64)
    slope = rows.bound.formula.gradient(rows.totals(weights))
    return weights, rows.influence(slope) * weights.sum()


def within(weights: Floats, moves: Floats, groups: Ints) -> tuple[Floats, float, int]:
    """Return the size of each group, the mean square within groups, and its degrees of freedom."""
    sizes = np.bincount(groups, weights).astype(np.float64)
    means = np.bincount(groups, weights * moves) / sizes
    free = round(float(sizes.sum())) - len(sizes)
    squares = float(weights @ (moves - means[groups]) ** 2)
    return sizes, squares / free if free > 0 else 0.0, free


def _of_groups(counts: Counts, tally: Tally) -> VarianceSplit | None:
    """Return the one-way analysis of variance: between groups, and between the rows of one."""
    weights, moves = _moves(counts, tally)
    groups = factorize(counts["group"])[1]
    sizes, inside, free = within(weights, moves, groups)
    total = float(sizes.sum())
    if free <= 0 or len(sizes) < 2:
        return None
    means = np.bincount(groups, weights * moves) / sizes
    among = float(sizes @ (means - float(sizes @ means) / total) ** 2) / (len(sizes) - 1)
    typical = (total - float(sizes @ sizes) / total) / (len(sizes) - 1)
    between = (among - inside) / typical
    repeats = counts.about.get("repeats") == "group"
    name = "example" if repeats else counts.about.get("group", "group")
    found: list[tuple[Source, str, int, float, float]] = [
        ("group", name, len(sizes), between, float(sizes @ sizes) / total**2),
        ("rows", "", int(total), inside, 1 / total),
    ]
    parts = [(source, name, levels, max(c, 0.0), max(c, 0.0) * h, c < 0) for source, name, levels, c, h in found]
    return _made(parts, repeats, balanced=not counts.judged and bool((sizes == sizes[0]).all()))


def _of_crossed(counts: Counts, tally: Tally) -> VarianceSplit | None:
    """Return the two-way split: of either group, of their cells beyond that, and of the rows of a cell."""
    crossing = tally.crossing
    assert crossing is not None
    found = difference_over(tally, tally.multiplicities[None, :])
    if not np.isfinite(found.variance[0]):
        return None
    whole, rest = float(found.variance[0]), float(found.cells[0])
    share = crossing.sizes / crossing.sizes.sum()
    parts: list[tuple[Source, str, int, float, float, bool]] = []
    sources: tuple[Source, Source] = ("group", "crossed")
    for source, name, codes, over in zip(sources, crossing.names, crossing.codes, found.over, strict=True):
        own = float(over[0]) - rest
        held = np.bincount(codes, share)
        variance = max(own, 0.0)
        parts.append((source, name, len(held), variance / float(held @ held), variance, own < 0))
    left = max(whole - sum(part[4] for part in parts), 0.0)
    weights, moves = _moves(counts, tally)
    _, inside, free = within(weights, moves, crossing_of(counts)[0])
    cells = len(crossing.sizes)
    if free > 0 and not tally.weighted:
        of_rows = min(inside / float(weights.sum()), left)
        parts.append(
            ("cell", "", cells, (left - of_rows) / float(share @ share), left - of_rows, inside / weights.sum() > left)
        )
        parts.append(("rows", "", counts.n, of_rows * float(weights.sum()), of_rows, False))
    else:
        parts.append(("cell", "", cells, left / float(share @ share), left, False))
    return _made(parts)


def _made(
    parts: list[tuple[Source, str, int, float, float, bool]], repeats: bool = False, balanced: bool = False
) -> VarianceSplit:
    whole, single = sum(part[4] for part in parts), sum(part[3] for part in parts)
    made = tuple(
        Part(
            source=source, name=name, levels=int(levels), component=float(component), variance=float(variance),
            share=float(variance / whole) if whole > 0 else None, negative=bool(negative),
        )
        for source, name, levels, component, variance, negative in parts
    )  # fmt: skip
    icc = float(made[0].component / single) if single > 0 else None
    return VarianceSplit(parts=made, icc=icc, repeats=repeats, balanced=balanced)
