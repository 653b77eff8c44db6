"""The document of several comparisons: in how many tasks who is better, a row per task, and each task in full."""

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
    Formula,
    Notes,
    Paragraph,
    Reader,
    Section,
    Table,
    Text,
    Tile,
    Verdict,
    join,
)
from referee.report.numbers import UNKNOWN, Scale, p_value, whole
from referee.report.phrases import comparison as words_of_one
from referee.report.phrases import comparisons as words
from referee.report.phrases import names
from referee.report.sections import MOST_ROWS, figures, for_the_paper, left_out, trust
from referee.results.comparison import Comparison, Comparisons

MOST_DETAILS = 40
"""So many tasks are told in full."""
MOST_LOOKS = 10
"""Of so many tasks the examples are read."""
ROOM = 18
"""The columns that a task and a verdict take in lines of text."""
LARGEST_P = "rows, those with the largest p,"


def document(rs: Comparisons) -> Document:
    """Say what the report of several comparisons says."""
    counts = Counter(words_of_one.verdict(r) for r in rs)
    verdict = Verdict(
        badge=next(iter(counts)) if len(counts) == 1 else f"{whole(len(rs))} {words.noun(rs)}s",
        tone=TONES[rs.gate] if len(rs) else "open",
        headline=words.headline(rs),
        details=words.adjusted(rs),
        tiles=[
            Tile(name, whole(times), f"{words.noun(rs)}{'' if times == 1 else 's'}") for name, times in counts.items()
        ],
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
            title=f"Each {words.noun(rs)} in full",
            blocks=[_in_full(tasks[place], rs[place]) for place in full],
            note=left_out(rs.comparisons, LARGEST_P, MOST_DETAILS),
        ),
    ]


def _table(rs: Comparisons, places: Sequence[int], readers: Reader) -> Table:
    """Return a row per task; in lines of text the two scores are left out, since the difference says it."""
    how, tasks, shown = words.adjustment(rs), words.tasks(rs), _scales(rs)
    in_points = {scale.unit for scale in shown} == {"share"}
    rows = [_row(tasks[place], rs[place], shown[place], in_points) for place in places]
    return Table(
        title=f"Every {words.noun(rs)}",
        columns=[
            Column(words.noun(rs), room=ROOM),
            Column("A", "score", short=""),
            Column("B", "score", short=""),
            Column("difference (points)", "score", short="points") if in_points else Column("difference", "score"),
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


def _scales(rs: Comparisons) -> list[Scale]:
    """Say how each row is written: those of one unit with as many decimals, so that columns have one precision."""
    own = [phrases.scale(r) for r in rs]
    most = {unit: max(one.places or 0 for one in own if one.unit == unit) for unit in {one.unit for one in own}}
    return [Scale(one.unit, most[one.unit]) if one.unit == "share" else one for one in own]


def _row(task: str, r: Comparison, shown: Scale, in_points: bool) -> tuple[Text, ...]:
    return (
        task,
        shown.score(r.a.score),
        shown.score(r.b.score),
        (Formula(shown.plain(r.difference, sign=True)), "" if in_points else shown.points),
        phrases.bracket(r.interval, shown),
        p_value(r.p_value, r.alpha),
        p_value(r.p_adjusted, r.alpha) if r.p_adjusted is not None else UNKNOWN,
        words_of_one.verdict(r),
    )


def _in_full(task: str, r: Comparison) -> Details:
    # That the error rate was not measured is said once for all.
    text = join(words_of_one.headline(r), words_of_one.details(r))
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
