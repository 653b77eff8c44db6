"""The documents of a ranking, with its leaderboard, groups and pairs, and of several, with one row per slice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from referee.report import battles, phrases
from referee.report.document import (
    ALL,
    Block,
    Case,
    Column,
    Details,
    Document,
    Facts,
    Paragraph,
    Part,
    Reader,
    Section,
    Table,
    Tone,
    Verdict,
)
from referee.report.numbers import MINUS, p_value, percent, whole
from referee.report.phrases import bracket, clean
from referee.report.phrases import comparison as compared
from referee.report.phrases import ranking as words
from referee.report.phrases import slices as sliced
from referee.report.phrases.battles import fought
from referee.report.phrases.terms import terms
from referee.report.sections import MOST_ROWS, behind, cases_of_rows, context, for_the_paper, left_out, trust
from referee.results.ranking import Ranked, Ranking, Rankings

ROOM = 24
"""The columns that a system's name takes in lines of text."""
FEW = 15
"""Up to so many pairs, their table is no trouble to anybody."""
LEADERS = 40
"""So many systems are on the leaderboard where lines are read one by one."""
GROUPS = 8
"""So many groups that can't be told apart are listed."""
MOST_SLICES = 40
"""So many slices are told in full on a page."""
TONES: dict[str, Tone] = {"top scorer": "good", "better": "good", "worse": "bad"}


def document(r: Ranking) -> Document:
    """Say what the report of a ranking says."""
    facts = words.facts(r)
    return Document(
        kind="ranking",
        context=context(r.settings, phrases.metric(r), phrases.several(len(r.systems), "system"), _size(r)),
        verdict=Verdict(
            badge=_badge(r),
            tone=_tone(r),
            headline=words.headline(r),
            details=words.details(r),
            parts=_parts(r),
        ),
        blocks=[
            *_leaderboards(r),
            *_groups(r),
            *battles.tables(r),
            *_pair_tables(r),
            *behind(facts, words.MUCH_THE_SAME, phrases.warnings(r.warnings)),
        ],
        signatures=[phrases.signature(r.signature)],
        sections=lambda examples: [trust(r), for_the_paper(r)],
        cases=lambda: _cases(r),
    )


def _size(r: Ranking) -> str:
    return compared.size(r) if r.battles is None else phrases.several(r.n, "battle")


def _badge(r: Ranking) -> str:
    if r.baseline is not None:
        better = sum(one.standing == "better" for one in r.systems)
        return f"{whole(better) if better else 'none'} better than {clean(r.baseline)}"
    if len(r.best) == 1:
        return f"{words.label(r, r.best[0])} best"
    return f"{whole(len(r.best))} of {whole(len(r.systems))} may be best" if r.best else "nobody ranked"


def _tone(r: Ranking) -> Tone:
    if r.baseline is not None:
        return "good" if any(one.standing == "better" for one in r.systems) else "open"
    return "good" if 0 < len(r.best) < len(r.systems) else "open"


def _parts(r: Ranking) -> list[Part]:
    """Count what became of the systems, the best first."""
    named = {"top scorer": "may be best", "not ruled out": "may be best", "worse": f"{terms(r).surely}worse"}
    if r.baseline is not None:
        named = {"better": "better", "not ruled out": "can't tell", "worse": "worse"}
    counts = Counter(named[one.standing] for one in r.systems if one.name != r.baseline and one.standing in named)
    tones: dict[str, Tone] = {"may be best": "good", "better": "good", "can't tell": "open"}
    return [Part(counts[name], name, tones.get(name, "bad")) for name in dict.fromkeys(named.values()) if counts[name]]


def _leaderboards(r: Ranking) -> list[Block]:
    """Return the leaderboard: all of it, or the first of many where lines are read one by one."""
    table, many = leaderboard(r), len(r.systems) - LEADERS
    if many <= 0:
        return [table]
    short = replace(table, rows=table.rows[:LEADERS], tones=table.tones[:LEADERS], titles=table.titles[:LEADERS])
    more = f"{whole(many)} more systems are not shown; --verbose lists them all."
    return [
        replace(short, readers=Reader.BRIEF),
        Paragraph(more, readers=Reader.BRIEF),
        replace(table, readers=ALL & ~Reader.BRIEF),
    ]


def leaderboard(r: Ranking) -> Table:
    """Return the table of systems, best score first."""
    shown, own = words.scale(r), r.systems
    names = [words.label(r, one.name) for one in own]
    standings = [words.standing(r, one) for one in own]
    levels = dict.fromkeys(percent(one.interval.level) for one in own if one.interval)
    ranks = [str(one.rank) if one.rank is not None else "" for one in own]
    records = list(zip(*(fought(r, one.name) for one in own), strict=True))
    cells = {
        Column("rank", "number"): ranks,
        Column("range of ranks", short="ranks"): [*map(words.ranks, own)] if r.baseline is None else None,
        Column("system", room=ROOM): names,
        Column(clean(words.metric(r), ROOM), "score", short="rating" if r.battles else "score"): [
            shown.score(one.score) for one in own
        ],
        Column(f"{' or '.join(levels)} interval", "interval"): [
            bracket(one.interval, shown, sign=False) if one.interval else "" for one in own
        ]
        if levels
        else None,
        Column("battles", "number"): records[0] if r.battles else None,
        Column("win rate", "number", short="wins"): records[1] if r.battles else None,
        Column("standing"): standings,
    }
    there = [column for column, texts in cells.items() if texts is not None]
    titles = [
        f"{rank} {name}: {standing}".strip() for rank, name, standing in zip(ranks, names, standings, strict=True)
    ]
    in_titles = [i for i, column in enumerate(there) if column.name in ("rank", "system", "standing")]
    return Table.of(
        cells, title="Leaderboard", tones=[_tone_of(r, one) for one in own], titles=titles, in_titles=in_titles
    )  # fmt: skip


def _tone_of(r: Ranking, one: Ranked) -> Tone:
    return "open" if one.name == r.baseline else TONES.get(one.standing, "open")


def _groups(r: Ranking) -> list[Block]:
    """Return the runs of the leaderboard in which no two can be told apart; one that is all of it says nothing new."""
    if len(r.systems) < 3 or not r.together or len(r.together[0]) == len(r.systems):
        return []
    rows = [words.group(r, names) for names in r.together]
    heads = [Column("ranks"), Column("systems", "number"), Column("from", room=ROOM), Column("to", room=ROOM)]
    titles = [f"{places}: {first} to {last}" for places, _, first, last in rows]
    table = Table(
        title="Neighbours on the leaderboard that can't be told apart from each other", announced="sentence",
        columns=heads, rows=rows, titles=titles, in_titles=(0, 2, 3),
    )  # fmt: skip
    if len(rows) <= GROUPS:
        return [table]
    short = replace(table, rows=rows[:GROUPS], titles=titles[:GROUPS], readers=Reader.BRIEF)
    more = f"{whole(len(rows) - GROUPS)} more such groups begin further down."
    return [short, Paragraph(more, readers=Reader.BRIEF), replace(table, readers=ALL & ~Reader.BRIEF)]


def _pair_tables(r: Ranking) -> list[Block]:
    """Return the table of pairs: for all if they are few, else for those who ask, and folded on a page."""
    table, what = pairs(r), "pairs"
    if len(r.pairs) <= FEW:
        return [
            replace(table, readers=table.readers & ~Reader.PAGE),
            replace(table, readers=Reader.PAGE, shape="pairs"),
        ]
    note = left_out(table.rows, what)
    short = replace(table, rows=table.rows[:MOST_ROWS], tones=table.tones[:MOST_ROWS], titles=table.titles[:MOST_ROWS])
    folded = Details(title=table.title, blocks=[replace(short, note=note)])
    return [
        replace(short, readers=Reader.VERBOSE),
        *([Paragraph(note, readers=Reader.VERBOSE)] if note else []),
        Section(title="Every pair", blocks=[folded]),
    ]


def pairs(r: Ranking) -> Table:
    """Return the table of pairs."""
    shown, minus = words.scale(r), f"B {MINUS} A"
    firsts, others = [words.label(r, pair.a) for pair in r.pairs], [words.label(r, pair.b) for pair in r.pairs]
    verdicts = [words.verdict(r, pair) for pair in r.pairs]
    cells = {
        Column("A", room=ROOM // 2): firsts,
        Column("B", room=ROOM // 2): others,
        Column(f"{minus} (points)" if shown.points else minus, "number", short=minus): [
            shown.plain(pair.difference, sign=True) for pair in r.pairs
        ],
        Column("interval", "number"): [bracket(pair.interval, shown) if pair.interval else "" for pair in r.pairs]
        if any(pair.interval for pair in r.pairs)
        else None,
        Column(terms(r).p, "number"): [p_value(pair.p_value, r.alpha) for pair in r.pairs],
        Column("adjusted", "number"): [words.sure(r, pair) for pair in r.pairs]
        if len(r.pairs) > 1 and r.adjust != "none"
        else None,
        Column("verdict", room=ROOM - 4): verdicts,
    }
    last = sum(texts is not None for texts in cells.values()) - 1
    titles = [f"{a} (A), {b} (B): {verdict}" for a, b, verdict in zip(firsts, others, verdicts, strict=True)]
    return Table.of(cells, title=words.heading(r), announced="sentence", titles=titles, in_titles=(0, 1, last))


def _cases(r: Ranking, slice_: str = "") -> list[Case]:
    """Return a test case for each system, which passes if it may be the best; against a baseline, if it is better than that."""
    own = [one for one in r.systems if one.name != r.baseline]
    table = leaderboard(r)
    rows = [row for row, one in zip(table.rows, r.systems, strict=True) if one.name != r.baseline]
    passed = [one.name in r.best if r.baseline is None else one.standing == "better" for one in own]
    asked = "best" if r.baseline is None else f"better than {clean(r.baseline)}"
    group = ": ".join(filter(None, [slice_, f"{words.metric(r)}, {asked}"]))
    return cases_of_rows(replace(table, rows=rows), group, [words.label(r, one.name) for one in own], passed)


def document_of_several(rs: Rankings) -> Document:
    """Say what the report of several rankings says: a row for each slice, and each in full for those who ask."""
    names = sliced.slices(rs)
    full = list(zip(names, rs, strict=True))
    parts = [
        Details(
            title=name, badge=_badge(r), tone=_tone(r),
            blocks=[Paragraph(words.headline(r)), leaderboard(r), Facts(words.facts(r))],
        )
        for name, r in full[:MOST_SLICES]
    ]  # fmt: skip
    each = [replace(leaderboard(r), title=name, announced="sentence", readers=Reader.VERBOSE) for name, r in full]
    common = _common(rs)
    return Document(
        kind="rankings",
        context=context(
            rs[0].settings, phrases.metric(rs[0]), f"{phrases.several(len(rs), 'slice')}, {phrases.several(sum(r.n for r in rs), 'battle' if rs[0].battles else 'example')}"
        ) if len(rs) else [],
        verdict=Verdict(
            badge=f"{whole(len(rs))} slices",
            tone="good" if any(_tone(r) == "good" for r in rs) else "open",
            headline=sliced.headline_of_several(rs),
            details=sliced.details_of_several(rs),
        ),
        blocks=[
            _summary(rs, names),
            *each,
            *behind(common, words.MUCH_THE_SAME, sliced.warnings(rs)),
            Section(title="Each slice in full", blocks=parts, note=left_out(full, "slices", MOST_SLICES)),
        ] if len(rs) else [],
        signatures=[f"{name}: {phrases.signature(r.signature)}" for name, r in full],
        sections=lambda examples: [trust(rs[0]), for_the_paper(rs[0])] if len(rs) else [],
        cases=lambda: [case for name, r in full for case in _cases(r, name)],
    )  # fmt: skip


def _common(rs: Rankings) -> Sequence[tuple[str, str]]:
    """Return the facts that are the same in every slice."""
    told = [dict(words.facts(r)) for r in rs]
    return (
        [(label, text) for label, text in told[0].items() if all(one.get(label) == text for one in told)]
        if told
        else []
    )


def _summary(rs: Rankings, names: Sequence[str]) -> Table:
    rows = [words.summary(r) for r in rs]
    heads = ("top scorer", "score", "not ruled out", "worse")
    if rs[0].baseline is not None:
        heads = ("baseline", "better", "can't tell", "worse")
    named = rs[0].baseline is None
    cells = {
        Column("slice", room=ROOM): names,
        Column("examples", "number"): [whole(r.n) for r in rs],
        Column(heads[0], room=ROOM) if named else Column(heads[0], "score"): [row[0] for row in rows],
        Column(heads[1], "score" if named else "number"): [row[1] for row in rows],
        Column(heads[2], "number"): [row[2] for row in rows],
        Column(heads[3], "number"): [row[3] for row in rows],
    }
    return Table.of(cells, title="Every slice", tones=())
