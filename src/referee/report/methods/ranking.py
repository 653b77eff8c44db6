"""How a ranking was made and what it showed, sentence by sentence, in the words of a paper."""

from __future__ import annotations

from referee.report import phrases
from referee.report.document import Formula
from referee.report.methods import references as procedures
from referee.report.methods.comparison import size
from referee.report.methods.references import Prose, cite, level_of
from referee.report.numbers import p_equation, percent, whole
from referee.report.phrases import battles
from referee.report.phrases import ranking as words
from referee.report.phrases.terms import believed, terms
from referee.results.ranking import Ranking

NAMED = 6
"""So many systems are named."""


def ranking(r: Ranking) -> list[Prose]:
    """Return the sentences about systems that answered the same examples."""
    sentences = [_systems(r), _tested(r), procedures.chosen_because({r.reason})]
    if len(r.pairs) > 1:
        sentences.append(procedures.adjusted(r.adjust, len(r.pairs), "pairs", terms(r).number))
    sentences += [_intervals(r), _ranks(r), _cochran(r), *([sentence] for sentence in words.sentences(r))]
    return [*filter(None, sentences), procedures.software(r.settings, r.signature)]


def _systems(r: Ranking) -> Prose:
    names = [words.label(r, one.name) for one in r.systems]
    who = ["The systems ", *phrases.apart_in_a_list(names)] if len(names) <= NAMED else [f"{whole(len(names))} systems"]
    if r.battles is not None:
        return [*who, f" met in {battles.count(r)}, and were compared by ", *procedures.described(r), "."]
    return [*who, f" were compared on the same {size(r)} by ", *procedures.described(r), "."]


def _tested(r: Ranking) -> Prose:
    every = "The two were" if len(r.systems) == 2 else "Every pair was"
    if r.baseline is not None:
        every = f"Each system was compared with the baseline {words.label(r, r.baseline)} and the difference"
    return [
        f"{every} {'compared' if believed(r) else 'tested'}, two-sided, at ",
        level_of(r.alpha),
        ", with ",
        *procedures.procedure(r.test, r.test_info),
        ".",
    ]


def _intervals(r: Ranking) -> Prose:
    methods = {pair.interval.method for pair in r.pairs if pair.interval}
    if len(methods) != 1:
        return []
    kind = "simultaneous " if len(r.pairs) > 1 and r.adjust != "none" else ""
    return [f"The {kind}{percent(1 - r.alpha)} interval of a difference is ", *procedures.interval(methods.pop()), "."]


def _ranks(r: Ranking) -> Prose:
    if r.baseline is not None or len(r.systems) < 3:
        return []
    better = f"{terms(r).surely}better"
    counted = f"The range of a system's ranks leaves room for all that are {better} and for all that are worse"
    return [counted, cite("mogstad2024"), f"; a system is not ruled out as best if no other is {better}."]


def _cochran(r: Ranking) -> Prose:
    if r.overall is None or len(r.systems) < 3:
        return []
    q = Formula(f"Q = {r.overall['statistic']:.1f}")
    p = Formula(p_equation(r.overall["p_value"], r.alpha))
    df = f", {r.overall['df']:.0f} degrees of freedom, "
    return ["Cochran's test of all systems at once", cite("cochran1950"), " gives ", q, df, p, "."]
