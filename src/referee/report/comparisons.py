"""The document of several comparisons: in how many tasks who is better, a row a task, and each task in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from referee.report import phrases
from referee.report.comparison import TONES, examples_of
from referee.report.comparison import document as document_of_one
from referee.report.document import (
    Block,
    Case,
    Column,
    Details,
    Document,
    Facts,
    Notes,
    Paragraph,
    Reader,
    Section,
    Table,
    Tile,
    Verdict,
)
from referee.report.numbers import UNKNOWN, number, p_value, whole
from referee.report.phrases import bracket, names, places
from referee.report.phrases import comparison as words_of_one
from referee.report.phrases import comparisons as words
from referee.report.sections import MOST_ROWS, figures, for_the_paper, left_out, trust
from referee.results.comparison import Comparison, Comparisons

MOST_DETAILS = 40
"""So many tasks are told in full."""
MOST_LOOKS = 10
"""Of so many tasks the examples are read."""
ROOM = 18
"""The columns that a task and a verdict take in lines of text."""
LARGEST_P = "tasks, those with the largest p,"


def document(rs: Comparisons) -> Document:
    """Say what the report of several comparisons says."""
    counts = Counter(words_of_one.verdict(r) for r in rs)
    verdict = Verdict(
        badge=next(iter(counts)) if len(counts) == 1 else f"{whole(len(rs))} tasks",
        tone=TONES[rs.gate] if len(rs) else "open",
        headline=words.sentence(rs),
        lead=words.counted(rs) if len(rs) else "",
        tiles=[Tile(name, whole(times), "task" if times == 1 else "tasks") for name, times in counts.items()],
    )
    return Document(
        kind="comparisons",
        verdict=verdict,
        blocks=_blocks(rs) if len(rs) else [],
        signatures=words.signatures(rs),
        figures=lambda: figures(rs),
        sections=lambda examples: _sections(rs, examples),
        cases=lambda: _cases(rs),
        content=rs.to_dict,
    )


def _cases(rs: Comparisons) -> list[Case]:
    return [case for r in rs for case in document_of_one(r).cases()]


def _blocks(rs: Comparisons) -> list[Block]:
    shown, full = (words.telling(rs, most) for most in (MOST_ROWS, MOST_DETAILS))
    measured = any(words_of_one.audit(r) for r in rs)
    tasks = words.tasks(rs)
    return [
        _table(rs, range(len(rs)), Reader.SCREEN | Reader.PAPER),
        _table(rs, shown, Reader.PAGE),
        Paragraph(words.legend(rs)),
        Paragraph(words.audits(rs), readers=Reader.SCREEN | Reader.PAPER if measured else Reader.SCREEN),
        Notes(words.warnings(rs)),
        Section(
            title="Each task in full",
            blocks=[_in_full(tasks[place], rs[place]) for place in full],
            note=left_out(rs.comparisons, LARGEST_P, MOST_DETAILS),
        ),
    ]


def _table(rs: Comparisons, places: Sequence[int], readers: Reader) -> Table:
    """Return a row a task; in lines of text the two scores are left out, since the difference says it."""
    how, tasks = words.adjustment(rs), words.tasks(rs)
    rows = [_row(tasks[place], rs[place]) for place in places]
    return Table(
        title="Every task",
        columns=[
            Column("task", room=ROOM),
            Column("A", "number", short=""),
            Column("B", "number", short=""),
            Column("difference", "number"),
            Column("interval", "interval"),
            Column("p", "number"),
            Column(f"p ({how})", "number", short=f"p {how}"),
            Column("verdict", room=ROOM),
        ],
        rows=rows,
        tones=[TONES[rs[place].gate] for place in places],
        note=left_out(rs.comparisons, LARGEST_P),
        titles=[f"{row[0]}: {row[-1]}" for row in rows],
        in_titles=(0, 7),
        readers=readers,
    )


def _row(task: str, r: Comparison) -> tuple[str, ...]:
    digits = places(r)
    return (
        task,
        number(r.a.score, digits),
        number(r.b.score, digits),
        number(r.difference, digits),
        bracket(r.interval, digits),
        p_value(r.p_value, r.alpha),
        p_value(r.p_adjusted, r.alpha) if r.p_adjusted is not None else UNKNOWN,
        words_of_one.verdict(r),
    )


def _in_full(task: str, r: Comparison) -> Details:
    # That the error rate was not measured is said once for all.
    text = f"{words_of_one.headline(r)} {words_of_one.details(r)}"
    return Details(
        title=task,
        badge=words_of_one.verdict(r),
        tone=TONES[r.gate],
        blocks=[Paragraph(text), Facts(words_of_one.measured_facts(r))],
    )


def _sections(rs: Comparisons, examples: bool) -> list[Section]:
    behaviour = words.audits(rs) or phrases.sentence(words_of_one.unmeasured(None))
    tasks = list(zip(words.tasks(rs), rs, strict=True))[:MOST_LOOKS]
    alike = len({names(r) for r in rs}) == 1
    return [trust(rs, behaviour), *(examples_of(tasks) if examples and alike else []), for_the_paper(rs)]
