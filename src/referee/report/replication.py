"""The document of a replication: how much of a paper was reproduced, and its numbers, ours beside theirs."""

from __future__ import annotations

from referee.report.document import Case, Column, Document, Paragraph, Table, Tone, Verdict
from referee.report.numbers import UNKNOWN, known, whole
from referee.report.phrases import clean
from referee.report.sections import cases_of_rows
from referee.results.replication import ROW, Replication

NOTE = 60
LONG = 2000
"""What is said in sentences is not cut."""
MARKS = {True: "[agrees]", False: "[differs]"}
NUMBERS = [Column("what"), Column("paper", "quoted"), Column("ours", "quoted"), Column("agrees")]
WIDTHS = {"what": 3, "paper": 3, "ours": 4, "agrees": None, "note": 4}
"""How many centimetres the columns of findings have in a paper."""


def document(r: Replication) -> Document:
    """Say what the report of a replication says."""
    judged = [row["agrees"] for row in r.rows]
    tone: Tone = "bad" if False in judged else "open" if None in judged else "good"
    badge = f"{whole(judged.count(True))} of {whole(len(judged))} {r.things} agree"
    if _is_new(r):
        badge = f"{whole(len(judged))} {r.things} that the paper does not have"
    undecided = judged.count(None) if r.things != "numbers" else 0
    rest = f"; {whole(undecided)} cannot be judged" if undecided else ""
    return Document(
        kind="replication",
        verdict=Verdict(badge=badge, tone=tone, headline=f"{clean(r.paper, 300)}: {badge}{rest}."),
        blocks=[Paragraph(clean(r.conclusion, 2 * LONG)), _rows(r), *_tables(r)],
        cases=lambda: _cases(r),
    )


def _is_new(r: Replication) -> bool:
    """Say whether the paper has none of the numbers."""
    return bool(r.rows) and all(row["agrees"] is None and row["paper"] is None for row in r.rows)


def _cases(r: Replication) -> list[Case]:
    """Return a test case for each row, which passes if ours agrees; none where there is nothing to agree with."""
    if _is_new(r):
        return []
    names = [clean(row["what"], LONG) for row in r.rows]
    return cases_of_rows(_rows(r), clean(r.paper, 300), names, [row["agrees"] is True for row in r.rows])


def _rows(r: Replication) -> Table:
    """Return a row for each number of the paper, with the notes below; or for each of its findings; or of what it does not have."""
    if _is_new(r):
        rows = [[_cell(row["what"], LONG), _cell(row["ours"], NOTE), clean(row["note"] or "", LONG)] for row in r.rows]
        new = [Column("what"), Column("ours", "quoted"), Column("note")]
        return Table(title=f"The {r.things}", columns=new, rows=rows, shape="wide", in_titles=(0,))
    of_numbers = r.things == "numbers"
    longest = NOTE if of_numbers else LONG
    cells = [[_cell(row.get(key), LONG if key == "note" else longest) for key in ROW] for row in r.rows]
    findings = [Column(name, centimetres=width) for name, width in WIDTHS.items()]
    return Table(
        title=f"The {r.things}",
        columns=[*NUMBERS, Column("note", "note", centimetres=6)] if of_numbers else findings,
        rows=[[*row[:4], "" if row[4] == UNKNOWN else row[4]] for row in cells],
        shape="wide" if of_numbers else "prose",
        titles=[f"{MARKS.get(row['agrees'], '[open]')} {cell[0]}" for row, cell in zip(r.rows, cells, strict=True)],
        in_titles=(0, 3),
    )


def _cell(value: object, longest: int) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}" if known(value) else UNKNOWN
    return UNKNOWN if value is None else clean(value, longest)


def _tables(r: Replication) -> list[Table]:
    """Return the tables behind the numbers, as wide as they are."""
    return [
        Table(
            title=clean(table.title, LONG),
            announced="heading",
            columns=[Column(clean(name), "quoted" if i else "text") for i, name in enumerate(table.head)],
            rows=[[clean(cell, LONG) for cell in row] for row in table.body],
            shape="wide",
        )
        for table in r.tables
    ]
