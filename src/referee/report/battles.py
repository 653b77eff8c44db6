"""The tables of battles: who wins how often against whom, beside what the ratings say, and how many battles that is."""

from __future__ import annotations

from collections.abc import Callable

from referee.report.document import Block, Column, Details, Reader, Section, Table
from referee.report.numbers import percent, whole
from referee.report.phrases import battles as words
from referee.report.phrases import clean
from referee.report.phrases import ranking as rankings
from referee.report.sections import MOST_ROWS, left_out
from referee.results.ranking import Ranking

FEW = 8
"""Up to so many models, the win rates of all against all are a table that a terminal has room for."""
MANY = 26
"""Of more models, no page has room for such a table."""


def tables(r: Ranking) -> list[Block]:
    """Return the win rates: a matrix, and a list of the pairs that met for those who ask."""
    if r.battles is None:
        return []
    matrix, pairs = _matrix(r), _pairs(r)
    out: list[Block] = []
    if len(r.systems) <= FEW:
        out.append(matrix)
    elif len(r.systems) <= MANY:
        out.append(Section(title="Win rates", blocks=[Details(title=matrix.title, blocks=[matrix])]))
    return [*out, Section(title="Every pair that met", blocks=[Details(title=pairs.title, blocks=[pairs])])]


def _matrix(r: Ranking) -> Table:
    names = [one.name for one in r.systems]
    found = words.cells(r, names)
    heads = [
        Column("wins of", room=20),
        *(Column(f"against {i}", "number", short=str(i)) for i, _ in enumerate(names, 1)),
    ]
    rows = [
        [f"{i} {rankings.label(r, name)}", *(_share(found.get((name, other), (None,))[0]) for other in names)]
        for i, name in enumerate(names, 1)
    ]
    return Table(
        title="Win rates: how often the row beats the column, by the places on the leaderboard", announced="sentence",
        columns=heads, rows=rows, titles=[str(row[0]) for row in rows], in_titles=(0,),
    )  # fmt: skip


def _share(rate: float | None) -> str:
    return "" if rate is None else f"{100 * rate:.0f}%"


def _pairs(r: Ranking) -> Table:
    met = r.battles.head_to_head if r.battles else ()
    label: Callable[[str], str] = lambda name: rankings.label(r, name)  # noqa: E731
    shown = met[:MOST_ROWS]
    cells = {
        Column("A", room=20): [label(one.a) for one in shown],
        Column("B", room=20): [label(one.b) for one in shown],
        Column("battles", "number"): [whole(one.battles) for one in shown],
        Column("B wins", "number"): [percent(one.win_rate) for one in shown],
        Column("ratings say", "number"): [percent(one.expected) if one.expected is not None else "" for one in shown],
    }
    table = Table.of(cells, title="Win rates of the pairs that met, and what the ratings say")
    return Table(
        title=table.title, columns=table.columns, rows=table.rows, readers=Reader.PAGE | Reader.VERBOSE,
        titles=[f"{label(one.a)} (A), {label(one.b)} (B)" for one in shown], in_titles=(0, 1), shape="pairs",
        note=clean(left_out(met, "pairs"), 200),
    )  # fmt: skip
