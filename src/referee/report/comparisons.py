"""The document of several comparisons: one row per comparison, drawn below each other, and one answer over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from referee.report import phrases
from referee.report.comparison import TONES, document, examples_of, tone
from referee.report.document import (
    ALL,
    Axis,
    Block,
    Column,
    Details,
    Document,
    Drawn,
    Facts,
    Formula,
    Notes,
    Paragraph,
    Part,
    Reader,
    Section,
    Table,
    Text,
    Tone,
    Verdict,
    join,
)
from referee.report.numbers import MINUS, Scale, known, p_value, whole
from referee.report.phrases import bracket, method_names, names, scale, without
from referee.report.phrases import comparison as words
from referee.report.phrases import comparisons as summary
from referee.report.sections import MOST_ROWS, for_the_paper, left_out, trust
from referee.results.comparison import Comparison, Comparisons, Interval

MOST_DETAILS = 40
"""So many tasks are told in full."""
MOST_LOOKS = 10
"""Of so many tasks the examples are read."""
ROOM = 30
"""The columns that a task and a verdict take in lines of text."""
LARGEST_P = "rows, those with the largest p,"
TICKS = 6
"""About so many numbers stand on an axis."""
USUAL = 3
"""So many times as wide as most an interval may be to be drawn whole."""


def document_of_several(rs: Comparisons) -> Document:
    """Say what the report of several comparisons says."""
    told = rs.told
    return Document(
        kind="comparisons",
        context=summary.context(told) if len(told) else [],
        verdict=Verdict(
            badge=summary.badge(told),
            tone=_tone(told),
            headline=summary.headline(told),
            details=summary.lead(told),
            parts=_parts(told),
        ),
        blocks=_blocks(rs, told) if len(rs) else [],
        signatures=[phrases.signature(line) for line in rs.signatures],
        sections=lambda examples: _sections(told, examples),
        cases=lambda: [case for r in told for case in document(r).cases()],
    )


def _tone(rs: Comparisons) -> Tone:
    """Say what all verdicts come to: what a gate says, but open where some are better and others worse; or what they are together."""
    tones = {tone(r) for r in rs}
    if clear := summary.decided(rs):
        own = TONES[clear.verdict]
        return "open" if ("bad" if own == "good" else "good") in tones else own
    if "bad" in tones:
        return "open" if "good" in tones else "bad"
    return "open" if "open" in tones or not tones else "good" if "good" in tones else "equal"


def _parts(rs: Comparisons) -> list[Part]:
    """Count the verdicts, the welcome ones first."""
    counts = Counter(r.verdict for r in rs)
    return [
        Part(counts[verdict], summary.SHORT[verdict], TONES.get(verdict, "open"))
        for verdict in summary.SHORT
        if counts[verdict]
    ]


def _blocks(rs: Comparisons, told: Comparisons) -> list[Block]:
    measured = any(words.audit(r) for r in rs)
    every = summary.tasks(rs)
    full = summary.telling(rs, MOST_DETAILS)
    return [
        *drawn(rs, told),
        *(
            _table(told, summary.in_order(told, group), readers)
            for group in _groups(rs)
            for readers in (Reader.SCREEN, Reader.PAPER)
        ),
        Paragraph(summary.legend(told), readers=ALL & ~Reader.PAGE),
        *(
            [_overall(rs), Paragraph(summary.overall_note(rs), readers=Reader.SCREEN | Reader.PAPER)]
            if rs.overall
            else []
        ),
        Paragraph(summary.audits(rs), readers=Reader.SCREEN | Reader.PAPER if measured else Reader.SCREEN),
        Notes(summary.warnings(rs)),
        Section(
            title=f"Each {summary.noun(rs)} in full",
            blocks=[_in_full(every[place], told[place]) for place in full],
            note=left_out(rs.comparisons, LARGEST_P, MOST_DETAILS),
        ),
    ]


def _groups(rs: Comparisons) -> list[list[int]]:
    """Return the places of the comparisons whose differences stand on one axis: those of shares, and those of each other metric."""
    groups: dict[str, list[int]] = {}
    for place, r in enumerate(rs):
        groups.setdefault("" if scale(r).unit == "share" else r.metric, []).append(place)
    return list(groups.values())


def _scales(rs: Comparisons, places: Sequence[int]) -> list[Scale]:
    """Return how the scores of these comparisons are written: a column has one precision, at which no end of an interval seems 0."""
    own = [scale(rs[place]) for place in places]
    if not own or own[0].unit != "share":
        most = max((one.places or 0 for one in own), default=0)
        return [replace(one, places=most) for one in own]
    ends = [100 * end for place in places if (i := rs[place].interval) for end in (i.low, i.high)]
    fine = next((more for more in range(1, 4) if all(not end or round(end, more) for end in ends)), 4)
    return [replace(one, places=fine) for one in own]


def drawn(rs: Comparisons, told: Comparisons, most: int = MOST_ROWS) -> list[Table]:
    """Return the tables of a page: each difference drawn in its row, with the interval that it has alone and that of all together."""
    groups = _groups(rs)
    return [_forest(rs, told, group, most, several=len(groups) > 1) for group in groups]


def _forest(rs: Comparisons, told: Comparisons, group: Sequence[int], most: int, several: bool) -> Table:
    shown = set(summary.telling(Comparisons(tuple(rs[i] for i in group), rs.adjust), most))
    places = [place for place in summary.in_order(told, group) if group.index(place) in shown]
    every, scales, own = summary.tasks(rs), _scales(told, places), summary.noun(rs)
    shares = bool(scales) and scales[0].unit == "share"
    low, high = _ends([rs[place] for place in places])
    axis = Axis(low=low, high=high, ticks=_ticks(low, high, scales[0]), left="", right="")
    unit = ", %" if shares else ""
    rows = [(rs[place], shown) for place, shown in zip(places, scales, strict=True)]
    cells: dict[Column, Sequence[Text] | None] = {
        Column(own): [every[place] for place in places],
        Column("n", "number"): [whole(r.n) for r, _ in rows],
        Column(f"A{unit}", "number"): [shown.plain(r.a.score) for r, shown in rows],
        Column(f"B{unit}", "number"): [shown.plain(r.b.score) for r, shown in rows],
        Column(f"B {MINUS} A", "number"): [shown.plain(r.difference, sign=True) for r, shown in rows],
        Column("interval", "interval"): [
            _cell(rs[place], told[place], shown) for place, shown in zip(places, scales, strict=True)
        ],
        Column("B is"): [summary.MARKED[told[place].verdict] for place in places],
    }
    metric = f" ({phrases.metric(rs[places[0]])})" if several and not shares else ""
    left = left_out([*group], LARGEST_P, most)
    return Table.of(
        cells,
        title=f"Every {own}{metric}",
        tones=[tone(told[place]) for place in places],
        note=" ".join(filter(None, [summary.drawn_note(rs, told, places), left])),
        axis=axis,
        readers=Reader.PAGE,
    )


def _cell(r: Comparison, told: Comparison, shown: Scale) -> Drawn:
    """Return a difference as it is drawn: in the thick the interval of the task alone, in the thin that of all together."""
    ends = [
        (i.low, i.high) if i and known(i.low) and known(i.high) else None for i in (r.interval, r.interval_adjusted)
    ]
    near, far = ends if ends[1] or told.interval else (None, None)
    return Drawn(bracket(told.interval, shown), r.difference, near, far, tone(told))


def _ends(rs: Sequence[Comparison]) -> tuple[float, float]:
    """Return the ends of an axis: it holds 0, every difference, and the intervals unless they are far wider than most."""
    points = [0.0, *(r.difference for r in rs if known(r.difference))]
    wide: list[Interval] = [
        i for r in rs if (i := r.interval_adjusted or r.interval) and known(i.low) and known(i.high)
    ]
    usual = USUAL * sorted(i.high - i.low for i in wide)[len(wide) // 2] if wide else 0.0
    for i in wide:
        points += [max(i.low, -usual), min(i.high, usual)]
    low, high = min(points), max(points)
    room = 0.06 * (high - low) or 1.0
    return low - room, high + room


def _ticks(low: float, high: float, shown: Scale) -> list[tuple[float, str]]:
    """Return round numbers on an axis, written as short as they are."""
    rough = (high - low) / TICKS
    size = 10.0 ** int(f"{rough:e}".partition("e")[2])
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    first, last = int(low / step), int(high / step)
    many = 100 if shown.unit == "share" else 1
    values = [place * step for place in range(first, last + 1)]
    return [(value, f"{many * value:+.6g}".replace("-", MINUS) if value else "0") for value in values]


def _table(rs: Comparisons, places: Sequence[int], readers: Reader) -> Table:
    """Return a row per task, for a screen or for a paper."""
    own, how, every = summary.noun(rs), method_names.adjustment(rs.adjust), summary.tasks(rs)
    scales = _scales(rs, places)
    rows = [(rs[place], shown) for place, shown in zip(places, scales, strict=True)]
    unit = ", %" if scales[0].unit == "share" else ""
    marked = summary.MARKED if readers is Reader.SCREEN else summary.SHORT
    verdicts = [marked[r.verdict] for r, _ in rows]
    cells: dict[Column, Sequence[Text] | None] = {
        Column(own): [every[place] for place in places],
        Column("n", "number"): [whole(r.n) for r, _ in rows],
        Column(f"A{unit}", "score"): [Formula(shown.plain(r.a.score)) for r, shown in rows],
        Column(f"B{unit}", "score"): [Formula(shown.plain(r.b.score)) for r, shown in rows],
        Column(f"B {MINUS} A", "score"): [Formula(shown.plain(r.difference, sign=True)) for r, shown in rows],
        Column("interval", "interval"): [bracket(r.interval, shown) for r, shown in rows]
        if any(r.interval for r, _ in rows)
        else None,
        Column(summary.tail(rs), "number", spare=2): [p_value(r.p_value, r.alpha) for r, _ in rows],
        Column(f"{summary.tail(rs)} ({how})", "number", spare=1): None
        if rs.adjust == "none"
        else [p_value(r.p_adjusted, r.alpha) for r, _ in rows],
        Column("B is"): verdicts,
    }
    return Table.of(
        cells,
        title=f"Every {own}",
        tones=[tone(r) for r, _ in rows],
        titles=[f"{every[place]}: {verdict}" for place, verdict in zip(places, verdicts, strict=True)],
        in_titles=(0, sum(column is not None for column in cells.values()) - 1),
        readers=readers,
        shape="folding",
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
        Column(summary.tail(rs), "number"): [p_value(one.p_value, rs[0].alpha) for one in rs.overall],
        Column("verdict", room=ROOM): verdicts,
    }
    titles = [f"{name}: {verdict}" for name, verdict in zip(names, verdicts, strict=True)]
    about = {"title": f"Over all {summary.part(rs)}s", "announced": "sentence", "titles": titles, "in_titles": (0, 6)}
    about["note"] = summary.overall_note(rs)
    return Table.of(cells, **about)


def _in_full(task: str, r: Comparison) -> Details:
    # That the error rate was not measured is said once for all.
    facts = without(words.facts(r), [] if words.audit(r) else ["audit"])
    blocks = [Paragraph(join(words.headline(r), words.details(r))), Facts(facts)]
    return Details(title=task, badge=words.verdict(r), tone=tone(r), blocks=blocks)


def _sections(rs: Comparisons, examples: bool) -> list[Section]:
    never = words.unmeasurable(rs[0]) if all(map(words.unmeasurable, rs)) else ""
    behaviour = summary.audits(rs) or phrases.sentence(never or words.unmeasured(None))
    tasks = list(zip(summary.tasks(rs), rs, strict=True))[:MOST_LOOKS]
    alike = len({names(r) for r in rs}) == 1
    return [
        trust(rs, behaviour),
        *(examples_of(tasks, summary.noun(rs)) if examples and alike else []),
        for_the_paper(rs),
    ]
