"""The documents of one comparison, with its scores and details, and of several, with one row per comparison."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from referee.errors import RefereeError
from referee.report import phrases
from referee.report.document import (
    Block,
    Case,
    Column,
    Details,
    Document,
    Drawing,
    Facts,
    Formula,
    Notes,
    Paragraph,
    Reader,
    Section,
    Table,
    Text,
    Tile,
    Tone,
    Verdict,
    join,
    plain,
)
from referee.report.numbers import MINUS, Scale, known, p_equation, p_value, percent, whole
from referee.report.phrases import bracket, clean, names, scale, without
from referee.report.phrases import comparison as words
from referee.report.phrases import comparisons as summary
from referee.report.sections import MOST_ROWS, for_the_paper, left_out, trust
from referee.results.comparison import Comparison, Comparisons, Interval

TONES: dict[int, Tone] = {0: "good", 1: "bad", 3: "open"}
"""What a gate's exit code is to those who would like B to be better."""
NAMES = 20
"""So many signs two names have together for their difference to be called by them."""
TEXT = 300
"""So many signs of a text of the data are shown."""
MOST_DETAILS = 40
"""So many tasks are told in full."""
MOST_LOOKS = 10
"""Of so many tasks the examples are read."""
ROOM = 18
"""The columns that a task and a verdict take in lines of text."""
LARGEST_P = "rows, those with the largest p,"


def document(r: Comparison) -> Document:
    """Say what the report of a comparison says."""
    facts, headline = words.facts(r), words.headline(r)
    document = Document(
        kind="comparison",
        verdict=Verdict(
            badge=words.verdict(r),
            tone=TONES[r.gate],
            headline=headline,
            details=words.details(r),
            tiles=_tiles(r),
            paper=words.paper(r),
        ),
        blocks=[
            *_scores(r),
            *_drawing(r),
            Facts(without(facts, words.much_the_same(r)), readers=Reader.BRIEF),
            Facts(facts, readers=Reader.VERBOSE),
            Facts(without(facts, ["audit"]), readers=Reader.PAGE),
            Notes(phrases.warnings(r.warnings)),
        ],
        signatures=[phrases.signature(r.signature)],
        sections=lambda examples: _sections(r, examples),
    )
    case = Case(
        group=" against ".join(names(r)),
        name=clean(r.task) if r.task else phrases.metric(r),
        passed=r.gate == 0,
        kind=r.verdict,
        message=plain(headline),
        body=document,
    )
    return replace(document, cases=lambda: [case])


def _tiles(r: Comparison) -> list[Tile]:
    (a, b), shown = names(r), scale(r)
    return [
        Tile(a, shown.score(r.a.score), _at_level(r.a.interval, shown, sign=False), "a"),
        Tile(b, shown.score(r.b.score), _at_level(r.b.interval, shown, sign=False), "b"),
        Tile(_minus(r), shown.difference(r.difference), _at_level(r.interval, shown)),
        Tile("chance", p_equation(r.p_value, r.alpha), words.p_kind(r) if known(r.p_value) else ""),
    ]


def _minus(r: Comparison) -> str:
    """Say what the difference is of, if there is room for that."""
    a, b = names(r)
    return f"{b} {MINUS} {a}" if len(a + b) <= NAMES else "difference"


def _at_level(interval: Interval | None, shown: Scale, sign: bool = True) -> str:
    return f"{bracket(interval, shown, sign)} at {percent(interval.level)}" if interval else ""


def _scores(r: Comparison) -> list[Block]:
    """Return the scores and their difference: a table for a screen, for a page, and for a paper."""
    (a, b), shown = names(r), scale(r)
    difference = (Formula(shown.plain(r.difference, sign=True)), shown.points if known(r.difference) else "")
    rows: list[tuple[str, Text, Interval | None]] = [
        (a, shown.score(r.a.score), r.a.interval),
        (b, shown.score(r.b.score), r.b.interval),
        (_minus(r), difference, r.interval),
    ]
    levels = {percent(i.level) for _, _, i in rows if i}
    # Beside a one-sided question the interval of the difference has another level than those of the scores.
    level = f"{min(levels)} interval" if len(levels) == 1 else "Interval"
    cells = [(name, value, bracket(i, shown, sign=value is difference), _how(i)) for name, value, i in rows]
    table = Table(
        title="Scores",
        columns=[Column(""), Column("value", "score"), Column("interval", "interval"), Column("kind")],
        rows=cells,
        shape="bare",
        readers=Reader.SCREEN,
    )
    metric = Column(phrases.metric(r), "score")
    paper: list[tuple[Text, ...]] = [
        (name, value, (Formula(interval), f" ({how})") if len(levels) > 1 else interval)
        for name, value, interval, how in cells
    ]
    return [
        table,
        replace(table, columns=[Column(""), metric, *table.columns[2:]], readers=Reader.PAGE),
        Table(columns=[Column("System"), metric, Column(level, "interval")], rows=paper, readers=Reader.PAPER),
    ]


def _how(interval: Interval | None) -> str:
    """Say what kind of interval it is."""
    if interval is None:
        return ""
    return f"{percent(interval.level)} {phrases.INTERVALS.get(interval.method) or clean(interval.method)} interval"


def _drawing(r: Comparison) -> list[Block]:
    if r.interval is None or r.difference is None:
        return []
    left, right = names(r) if r.higher_is_better else names(r)[::-1]
    return [Drawing(low=r.interval.low, high=r.interval.high, value=r.difference, left=left, right=right)]


def _sections(r: Comparison, examples: bool) -> list[Section]:
    behaviour = phrases.sentence(words.audit(r) or words.unmeasured(r.audit_seconds))
    return [trust(r, behaviour), *(_examples_of([("", r)]) if examples else []), for_the_paper(r)]


def _examples_of(tasks: Sequence[tuple[str, Comparison]]) -> list[Section]:
    """Return the examples on which the systems differ, of each task as many; tasks of the same examples are one."""
    title = "Where they differ"
    try:
        looks = {r.examples(): task for task, r in reversed(tasks)}
    except RefereeError as error:
        note = f"The examples could not be read again: {error}"
        return [Section(key="examples", title=title, blocks=[], note=note)]
    several = len(looks) > 1
    quota = math.ceil(max(map(len, looks)) / len(looks))
    chosen = [(task, one) for look, task in reversed(looks.items()) for one in look[:quota]]
    if not chosen:
        return []
    a, b = names(tasks[0][1])
    who = {"a": a, "b": b, "both": "both", "neither": "neither", None: ""}
    columns = {
        "task": [task for task, _ in chosen] if several else [],
        "example": [clean(one.id or "") for _, one in chosen],
        "text": [clean(one.text or "", TEXT) for _, one in chosen],
        "truth": [clean("" if one.truth is None else one.truth) for _, one in chosen],
        f"{a} says": [clean(one.a) for _, one in chosen],
        f"{b} says": [clean(one.b) for _, one in chosen],
        "right": [who[one.right] for _, one in chosen],
    }
    first = f"The first {whole(len(chosen))} examples" if len(chosen) > 1 else "The one example"
    table = Table.of(
        {Column(name): cells if any(cells) else None for name, cells in columns.items()},
        note=f"{first}{' of the tasks' if several else ''} on which the two differ, in the order of the data.",
    )
    return [Section(key="examples", title=title, blocks=[table])]


def document_of_several(rs: Comparisons) -> Document:
    """Say what the report of several comparisons says."""
    rs = rs.told
    counts, noun = Counter(words.verdict(r) for r in rs), summary.noun(rs)
    tiles = [Tile(name, whole(times), f"{noun}{'' if times == 1 else 's'}") for name, times in counts.items()]
    return Document(
        kind="comparisons",
        verdict=Verdict(
            badge=next(iter(counts)) if len(counts) == 1 else f"{whole(len(rs))} {noun}s",
            tone=TONES[rs.gate] if len(rs) else "open",
            headline=summary.headline(rs),
            details=summary.adjusted(rs),
            tiles=tiles,
        ),
        blocks=_blocks(rs) if len(rs) else [],
        signatures=summary.signatures(rs),
        sections=lambda examples: _sections_of_several(rs, examples),
        cases=lambda: [case for r in rs for case in document(r).cases()],
    )


def _blocks(rs: Comparisons) -> list[Block]:
    shown, full = (summary.telling(rs, most) for most in (MOST_ROWS, MOST_DETAILS))
    measured = any(words.audit(r) for r in rs)
    tasks = summary.tasks(rs)
    return [
        _table(rs, range(len(rs)), Reader.SCREEN | Reader.PAPER),
        _table(rs, shown, Reader.PAGE),
        Paragraph(summary.legend(rs)),
        *([_overall(rs), Paragraph(summary.overall_note(rs))] if rs.overall else []),
        Paragraph(summary.audits(rs), readers=Reader.SCREEN | Reader.PAPER if measured else Reader.SCREEN),
        Notes(summary.warnings(rs)),
        Section(
            title=f"Each {summary.noun(rs)} in full",
            blocks=[_in_full(tasks[place], rs[place]) for place in full],
            note=left_out(rs.comparisons, LARGEST_P, MOST_DETAILS),
        ),
    ]


def _table(rs: Comparisons, places: Sequence[int], readers: Reader) -> Table:
    """Return a row per task; in lines of text the two scores are left out, since the difference says it."""
    noun, how, every_task = summary.noun(rs), phrases.adjustment(rs.adjust), summary.tasks(rs)
    tasks, verdicts = [every_task[place] for place in places], [words.verdict(rs[place]) for place in places]
    own = [scale(r) for r in rs]
    in_points = all(one.unit == "share" for one in own)
    # A column of shares has one precision.
    most = max((one.places or 0 for one in own if one.unit == "share"), default=0)
    rows = [(rs[i], replace(own[i], places=most) if own[i].unit == "share" else own[i]) for i in places]
    difference = Column("difference (points)", "score", short="points") if in_points else Column("difference", "score")
    differences = [
        (Formula(shown.plain(r.difference, sign=True)), "" if in_points else shown.points) for r, shown in rows
    ]
    cells: dict[Column, Sequence[Text] | None] = {
        Column(noun, room=ROOM): tasks,
        Column("A", "score", short=""): [shown.score(r.a.score) for r, shown in rows],
        Column("B", "score", short=""): [shown.score(r.b.score) for r, shown in rows],
        difference: differences,
        Column("interval", "interval"): [bracket(r.interval, shown) for r, shown in rows]
        if any(r.interval for r in rs)
        else None,
        Column("p", "number"): [p_value(r.p_value, r.alpha) for r, _ in rows],
        Column(f"p ({how})", "number", short=f"p {how}"): [p_value(r.p_adjusted, r.alpha) for r, _ in rows],
        Column("verdict", room=ROOM): verdicts,
    }
    return Table.of(
        cells,
        title=f"Every {noun}",
        tones=[TONES[r.gate] for r, _ in rows],
        note=left_out(rs.comparisons, LARGEST_P),
        titles=[f"{task}: {verdict}" for task, verdict in zip(tasks, verdicts, strict=True)],
        in_titles=(0, sum(column is not None for column in cells.values()) - 1),
        readers=readers,
    )


def _overall(rs: Comparisons) -> Table:
    """Return one answer over all tasks: pooled over their examples, and the average over tasks."""
    shown = [summary.overall_scale(one) for one in rs.overall]
    most = max((own.places or 0 for own in shown if own.unit == "share"), default=0)
    shown = [replace(own, places=most) if own.unit == "share" else own for own in shown]
    many = len({one.metric for one in rs.overall}) > 1
    names = [summary.overall_name(one, many) for one in rs.overall]
    verdicts = [summary.overall_verdict(one, rs[0]) for one in rs.overall]
    cells: dict[Column, Sequence[Text] | None] = {
        Column("over all", room=ROOM): names,
        Column("A", "score", short=""): [own.score(one.a) for one, own in zip(rs.overall, shown, strict=True)],
        Column("B", "score", short=""): [own.score(one.b) for one, own in zip(rs.overall, shown, strict=True)],
        Column("difference", "score"): [
            (Formula(own.plain(one.difference, sign=True)), own.points)
            for one, own in zip(rs.overall, shown, strict=True)
        ],
        Column("interval", "interval"): [
            bracket(one.interval, own) for one, own in zip(rs.overall, shown, strict=True)
        ],
        Column("p", "number"): [p_value(one.p_value, rs[0].alpha) for one in rs.overall],
        Column("verdict", room=ROOM): verdicts,
    }
    titles = [f"{name}: {verdict}" for name, verdict in zip(names, verdicts, strict=True)]
    about = {"title": f"Over all {summary.part(rs)}s", "announced": "sentence", "titles": titles, "in_titles": (0, 6)}
    return Table.of(cells, **about)


def _in_full(task: str, r: Comparison) -> Details:
    # That the error rate was not measured is said once for all.
    facts = without(words.facts(r), [] if words.audit(r) else ["audit"])
    blocks = [Paragraph(join(words.headline(r), words.details(r))), Facts(facts)]
    return Details(title=task, badge=words.verdict(r), tone=TONES[r.gate], blocks=blocks)


def _sections_of_several(rs: Comparisons, examples: bool) -> list[Section]:
    behaviour = summary.audits(rs) or phrases.sentence(words.unmeasured(None))
    tasks = list(zip(summary.tasks(rs), rs, strict=True))[:MOST_LOOKS]
    alike = len({names(r) for r in rs}) == 1
    return [trust(rs, behaviour), *(_examples_of(tasks) if examples and alike else []), for_the_paper(rs)]
