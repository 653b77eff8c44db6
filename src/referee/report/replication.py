"""A paper's numbers again, ours beside theirs: text, Markdown or LaTeX."""

from __future__ import annotations

from typing import Any, Protocol

from referee.report import latex as tex
from referee.report import layout as plain
from referee.report import markdown as md
from referee.report import phrases
from referee.report.numbers import UNKNOWN, whole
from referee.results.audit import Table

HEAD = ("what", "paper", "ours", "agrees", "note")
NOTE = 60
LONG = 2000
"""What is said in sentences is not cut."""


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
    said = f"{phrases.clean(r.paper, 300)}: {whole(agreed)} of {whole(len(r.rows))} {_things(r)} agree"
    open_ = sum(row["agrees"] is None for row in r.rows)
    return f"{said}; {whole(open_)} cannot be judged." if open_ and _things(r) != "numbers" else f"{said}."


def _things(r: Replication) -> str:
    return getattr(r, "things", "numbers")


def _tables(r: Replication) -> tuple[Table, ...]:
    return getattr(r, "tables", ())


def _conclusion(r: Replication) -> str:
    return phrases.clean(getattr(r, "conclusion", ""), 2 * LONG)


def cells(r: Replication) -> list[tuple[str, ...]]:
    """Return a row of text for each number of the paper, or each of its findings."""
    longest = NOTE if _things(r) == "numbers" else LONG
    return [tuple(_cell(row.get(key), LONG if key == "note" else longest) for key in HEAD) for row in r.rows]


def _cell(value: object, longest: int) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}" if value == value and abs(value) != float("inf") else UNKNOWN
    return UNKNOWN if value is None else phrases.clean(value, longest)


def text(r: Replication, width: int = plain.WIDTH) -> str:
    """Write a replication as plain text: numbers in a table with the notes below, findings one after the other."""
    if _things(r) != "numbers":
        return "\n\n".join(filter(None, [plain.wrap(sentence(r), width), *_findings(r, width), *_shown(r, width)]))
    rows = cells(r)
    numbered = {
        note: i for i, note in enumerate(dict.fromkeys(row[4] for row in rows if row[4] != UNKNOWN and row[4]), 1)
    }
    table = [(*HEAD[:4], ""), *((*row[:4], f"({numbered[row[4]]})" if row[4] in numbered else "") for row in rows)]
    notes = [plain.wrap(f"({i}) {phrases.full(note)}", width, "    ") for note, i in numbered.items()]
    blocks = [
        plain.wrap(sentence(r), width),
        plain.wrap(_conclusion(r), width),
        "\n".join(f"  {line}" for line in plain.align(table, right=(1, 2))),
        "\n".join(notes),
        *_shown(r, width),
    ]
    return "\n\n".join(filter(None, blocks))


def _findings(r: Replication, width: int) -> list[str]:
    """Write each finding as a paragraph: whether it came out again, what the paper says, what we find."""
    blocks = [plain.wrap(_conclusion(r), width)]
    marks = {"yes": "[agrees]", "no": "[differs]"}
    for what, paper, ours, agrees, note in cells(r):
        said = [f"{marks.get(agrees, '[open]')} {what}", f"  paper: {paper}", f"  ours:  {ours}"]
        said += [f"  note:  {note}"] if note not in ("", UNKNOWN) else []
        blocks.append("\n".join(plain.wrap(line, width, "         " if i else "  ") for i, line in enumerate(said)))
    return blocks


def _shown(r: Replication, width: int) -> list[str]:
    """Write the tables, as wide as they are."""
    found = []
    for table in _tables(r):
        lines = plain.align([table.head, *table.body], right=range(1, len(table.head)))
        found.append("\n".join([plain.wrap(table.title, width), *(f"  {line}" for line in lines)]))
    return found


def markdown(r: Replication) -> str:
    """Write a replication as Markdown."""
    rows = [[cell if cell != UNKNOWN or i != 4 else "" for i, cell in enumerate(row)] for row in cells(r)]
    right = (1, 2) if _things(r) == "numbers" else ()
    blocks = [f"### {md.escape(sentence(r))}", md.escape(_conclusion(r)), md.table(HEAD, rows, right=right)]
    for table in _tables(r):
        blocks += [f"#### {md.escape(table.title)}", md.table(table.head, table.body, right=range(1, len(table.head)))]
    return "\n\n".join(filter(None, blocks)) + "\n"


def latex(r: Replication) -> str:
    """Write a replication as LaTeX."""
    rows = [[tex.escape(cell) if cell != UNKNOWN or i != 4 else "" for i, cell in enumerate(row)] for row in cells(r)]
    columns = "lrrlp{6cm}" if _things(r) == "numbers" else "p{3cm}p{3cm}p{4cm}lp{4cm}"
    blocks = [tex.escape(sentence(r)), tex.escape(_conclusion(r)), tex.table(HEAD, rows, columns)]
    for table in _tables(r):
        body = [[tex.escape(cell) for cell in row] for row in table.body]
        blocks += [tex.escape(table.title), tex.table(table.head, body, "l" + "r" * (len(table.head) - 1))]
    return "\n".join(filter(None, blocks)) + "\n"
