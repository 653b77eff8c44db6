"""A paper's numbers again, ours beside theirs: text, Markdown or LaTeX."""

from __future__ import annotations

from typing import Any, Protocol

from referee.report import latex as tex
from referee.report import markdown as md
from referee.report import text as plain
from referee.report import words
from referee.report.numbers import UNKNOWN, whole

HEAD = ("what", "paper", "ours", "agrees", "note")
NOTE = 60


class Replication(Protocol):
    """What a replication has to say."""

    @property
    def paper(self) -> str:
        """The paper."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What was repeated: what, paper, ours, agrees, note."""


def sentence(r: Replication) -> str:
    """Say how much of the paper came out again."""
    agreed = sum(row["agrees"] is True for row in r.rows)
    return f"{words.clean(r.paper, 300)}: {whole(agreed)} of {whole(len(r.rows))} numbers agree."


def cells(r: Replication) -> list[tuple[str, ...]]:
    """Return a row of text for each number of the paper."""
    return [tuple(_cell(row.get(key), 2000 if key == "note" else NOTE) for key in HEAD) for row in r.rows]


def _cell(value: object, longest: int) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}" if value == value and abs(value) != float("inf") else UNKNOWN
    return UNKNOWN if value is None else words.clean(value, longest)


def text(r: Replication, width: int = plain.WIDTH) -> str:
    """Write a replication as plain text, the notes below the table."""
    rows = cells(r)
    numbered = {
        note: i for i, note in enumerate(dict.fromkeys(row[4] for row in rows if row[4] != UNKNOWN and row[4]), 1)
    }
    table = [(*HEAD[:4], ""), *((*row[:4], f"({numbered[row[4]]})" if row[4] in numbered else "") for row in rows)]
    notes = [plain.wrap(f"({i}) {words.full(note)}", width, "    ") for note, i in numbered.items()]
    blocks = [
        plain.wrap(sentence(r), width),
        "\n".join(f"  {line}" for line in plain.align(table, right=(1, 2))),
        "\n".join(notes),
    ]
    return "\n\n".join(filter(None, blocks))


def markdown(r: Replication) -> str:
    """Write a replication as Markdown."""
    rows = [[cell if cell != UNKNOWN or i != 4 else "" for i, cell in enumerate(row)] for row in cells(r)]
    return f"### {md.escape(sentence(r))}\n\n{md.table(HEAD, rows, right=(1, 2))}\n"


def latex(r: Replication) -> str:
    """Write a replication as LaTeX."""
    rows = [[tex.escape(cell) if cell != UNKNOWN or i != 4 else "" for i, cell in enumerate(row)] for row in cells(r)]
    return f"{tex.escape(sentence(r))}\n{tex.table(HEAD, rows, 'lrrlp{6cm}')}\n"
