"""The document of systems over datasets: who ranks best, the average ranks, and every pair."""

from __future__ import annotations

from dataclasses import replace

from referee.report import phrases
from referee.report.document import Case, Column, Document, Table, Verdict
from referee.report.numbers import MINUS, whole
from referee.report.phrases import clean
from referee.report.phrases import dataset_ranking as words
from referee.report.phrases.algorithms import label
from referee.report.sections import behind, cases_of_rows, context, for_the_paper, short_on_pages, trust
from referee.results.comparison import GATES
from referee.results.dataset_ranking import DatasetRanking

NAME = 24
"""So many signs of a metric's name are above its column."""


def document(r: DatasetRanking) -> Document:
    """Say what the report of systems over datasets says."""
    facts = words.facts(r)
    claims = any(pair.verdict != "too close to call" for pair in r.pairs)
    return Document(
        kind="dataset ranking",
        context=context(
            r.settings,
            phrases.metric_name(r.metric, r.metric_info),
            phrases.several(len(r.systems), "system"),
            phrases.several(r.n, "dataset"),
        ),
        verdict=Verdict(
            badge=_badge(r), tone="good" if claims else "open", headline=words.headline(r), details=words.details(r)
        ),
        blocks=[
            _systems(r),
            *short_on_pages(_pairs(r), "pairs"),
            *behind(facts, words.MUCH_THE_SAME, phrases.warnings(r.warnings)),
        ],
        signatures=[phrases.signature(r.signature)],
        sections=lambda examples: [trust(r), for_the_paper(r)],
        cases=lambda: _cases(r),
    )


def _badge(r: DatasetRanking) -> str:
    if r.baseline is not None:
        better = sum(pair.verdict == "b better" for pair in r.pairs)
        return f"{whole(better)} of {whole(len(r.pairs))} better"
    if len(r.best) == 1:
        return f"{clean(label(r.best[0]))} best"
    return f"{whole(len(r.best))} of {whole(len(r.systems))} may be best" if r.best else "nobody best"


def _cases(r: DatasetRanking) -> list[Case]:
    """Return a test case for each system, which passes if no other is better; against a baseline, if a gate would."""
    if r.baseline is None:
        marked = replace(_systems(r), columns=[*_systems(r).columns[:4], Column("standing")])
        cells = [
            [*row[:4], "not ruled out" if one.name in r.best else "worse"]
            for row, one in zip(marked.rows, r.systems, strict=True)
        ]
        passed = [one.name in r.best for one in r.systems]
        return cases_of_rows(
            replace(marked, rows=cells), words.metric(r), [label(one.name) for one in r.systems], passed
        )
    names = [f"{label(pair.a)} against {label(pair.b)}" for pair in r.pairs]
    return cases_of_rows(_pairs(r), words.metric(r), names, [GATES[pair.verdict] == 0 for pair in r.pairs])


def _systems(r: DatasetRanking) -> Table:
    """Return the table of systems, best average rank first."""
    names = [label(one.name) for one in r.systems]
    marks = [_mark(r, one.name) for one in r.systems]
    cells = {
        Column("system"): names,
        Column("average rank", "number", short="rank"): [words.rank(one.average_rank) for one in r.systems],
        Column(clean(f"mean {words.metric(r)}", NAME), "number"): [
            words.scale(r).score(one.score) for one in r.systems
        ],
        Column("best on", "number"): [whole(one.wins) for one in r.systems],
        Column(""): marks if any(marks) else None,
    }
    titles = [f"{name} ({mark})" if mark else name for name, mark in zip(names, marks, strict=True)]
    in_titles = (0, 4) if any(marks) else (0,)
    note = "Best on: datasets on which no other system scores better."
    return Table.of(cells, title="Systems, best average rank first", titles=titles, in_titles=in_titles, note=note)


def _mark(r: DatasetRanking, name: str) -> str:
    if r.baseline is not None:
        return "baseline" if name == r.baseline else ""
    if r[name].average_rank == r.systems[0].average_rank:
        return "best rank"
    return "not ruled out" if name in r.best else ""


def _pairs(r: DatasetRanking) -> Table:
    """Return the table of pairs, with p-values or probabilities."""
    shown = words.scale(r)
    firsts, others = [label(pair.a) for pair in r.pairs], [label(pair.b) for pair in r.pairs]
    minus, verdicts = f"B {MINUS} A", [words.verdict(pair) for pair in r.pairs]
    cells = {
        Column("A"): firsts,
        Column("B"): others,
        Column(f"{minus} (points)" if shown.points else minus, "number", short=minus): [
            shown.plain(pair.difference, sign=True) for pair in r.pairs
        ],
        Column("A wins", "number"): [whole(pair.wins[0]) for pair in r.pairs],
        Column("B wins", "number"): [whole(pair.wins[1]) for pair in r.pairs],
        **{Column(name, "number"): texts for name, texts in words.sure_columns(r).items()},
        Column("verdict"): verdicts,
    }
    titles = [f"{a} (A), {b} (B): {verdict}" for a, b, verdict in zip(firsts, others, verdicts, strict=True)]
    in_titles = (0, 1, len(cells) - 1)
    return Table.of(cells, title=words.heading(r), announced="sentence", titles=titles, in_titles=in_titles)
