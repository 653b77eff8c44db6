"""The document of standings: who is best, by how much and how sure; the algorithms with their costs, and every pair."""

from __future__ import annotations

from referee.report import phrases
from referee.report.document import Case, Column, Document, Facts, Notes, Reader, Table, Verdict
from referee.report.numbers import MINUS, known, p_value, percent, seconds, whole
from referee.report.phrases import algorithms as words
from referee.report.phrases import bracket, clean, without
from referee.report.phrases.algorithms import is_bayesian, label
from referee.report.sections import cases_of_rows, context, for_the_paper, short_on_pages, trust
from referee.results.algorithms import Algorithm, Standings
from referee.results.comparison import GATES

NAME = 24
"""So many signs of a metric's name are above its column."""


def document(r: Standings) -> Document:
    """Say what the report of standings says."""
    facts = words.facts(r)
    return Document(
        kind="algorithms",
        context=context(
            r.settings,
            phrases.metric_name(r.metric, r.metric_info),
            phrases.several(len(r.algorithms), "algorithm"),
            phrases.several(r.n, "example") if r.n else "",
            phrases.several(r.splits, "split"),
        ),
        verdict=Verdict(
            badge=_badge(r),
            tone="good" if 0 < len(r.best) < len(r.algorithms) else "open",
            headline=words.headline(r),
            details=words.details(r),
        ),
        blocks=[
            _algorithms(r),
            *short_on_pages(_pairs(r), "pairs"),
            Facts(without(facts, words.MUCH_THE_SAME), readers=Reader.BRIEF),
            Facts(facts, readers=Reader.VERBOSE | Reader.PAGE | Reader.ASIDE),
            Notes(words.failures(r), "Failed"),
            Notes(phrases.warnings(r.warnings)),
        ],
        signatures=[phrases.signature(r.signature)],
        sections=lambda examples: [trust(r), for_the_paper(r)],
        cases=lambda: _cases(r),
    )


def _badge(r: Standings) -> str:
    if len(r.best) == 1:
        return f"{clean(r.best[0])} best"
    return f"{whole(len(r.best))} of {whole(len(r.algorithms))} best" if r.best else "nobody best"


def _cases(r: Standings) -> list[Case]:
    """Return a test case for each pair, which passes if a gate for B would."""
    names = [f"{label(pair.a)} against {label(pair.b)}" for pair in r.pairs]
    return cases_of_rows(_pairs(r), words.metric(r), names, [GATES[pair.verdict] == 0 for pair in r.pairs])


def _algorithms(r: Standings) -> Table:
    """Return the table of algorithms, best first."""
    names = [label(one.name) for one in r.algorithms]
    marks = ["best" if one.name in r.best else "" for one in r.algorithms]
    fitting, predicting = [one.fit_seconds for one in r.algorithms], [one.predict_seconds for one in r.algorithms]
    cells = {
        Column("algorithm"): names,
        Column(clean(words.metric(r), NAME), "number"): [_spread(r, one) for one in r.algorithms],
        Column("fit (s)", "number"): [*map(seconds, fitting)] if any(map(known, fitting)) else None,
        Column("predict (s)", "number"): [*map(seconds, predicting)] if any(map(known, predicting)) else None,
        Column(""): marks,
    }
    titles = [f"{name} ({mark})" if mark else name for name, mark in zip(names, marks, strict=True)]
    last = sum(column is not None for column in cells.values()) - 1
    return Table.of(cells, title="Algorithms, best first", titles=titles, in_titles=(0, last))


def _spread(r: Standings, one: Algorithm) -> str:
    score = words.score(r, one)
    return f"{score} ± {words.scale(r).plain(one.spread)}" if known(one.spread) else score


def _pairs(r: Standings) -> Table:
    """Return the table of pairs, with p-values or probabilities."""
    shown = words.scale(r)
    firsts, others = [label(pair.a) for pair in r.pairs], [label(pair.b) for pair in r.pairs]
    minus, verdicts = f"B {MINUS} A", [words.verdict(pair) for pair in r.pairs]
    if is_bayesian(r):
        kinds = {"A better": "a", "equal": "equal", "B better": "b"}
        sure = {name: [percent((pair.probabilities or {}).get(key)) for pair in r.pairs] for name, key in kinds.items()}
    else:
        sure = {"p": [p_value(pair.p_value, r.alpha) for pair in r.pairs]}
        sure |= {"adjusted": [p_value(pair.p_adjusted, r.alpha) for pair in r.pairs]} if len(r.pairs) > 1 else {}
    differences = [shown.plain(pair.difference, sign=True) for pair in r.pairs]
    cells = {
        Column("A"): firsts,
        Column("B"): others,
        Column(f"{minus} (points)" if shown.points else minus, "number", short=minus): differences,
        Column("interval", "number"): [bracket(pair.interval, shown) for pair in r.pairs],
        **{Column(name, "number"): texts for name, texts in sure.items()},
        Column("verdict"): verdicts,
    }
    titles = [f"{a} (A), {b} (B): {verdict}" for a, b, verdict in zip(firsts, others, verdicts, strict=True)]
    in_titles = (0, 1, len(cells) - 1)
    return Table.of(cells, title=words.heading(r), announced="sentence", titles=titles, in_titles=in_titles)
