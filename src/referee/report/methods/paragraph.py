"""The methods paragraph: how a result was obtained, ready for a paper, with references and assumptions.

Comparisons have a module of their own; here are algorithms that were trained again and again, and tests that were tried in
simulations.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any, TypeAlias

from referee.errors import OptionError
from referee.report import phrases
from referee.report.document import Text, plain
from referee.report.methods import assumptions as premises
from referee.report.methods import comparison, dataset_ranking, measurement, ranking, watch
from referee.report.methods import references as procedures
from referee.report.methods.references import Cite, Prose, cite, joined, level_of, others_of, works_of
from referee.report.numbers import known, percent, whole
from referee.report.phrases import algorithms as winners
from referee.report.phrases import audit as audited
from referee.report.phrases import method_names
from referee.report.phrases import plan as planned
from referee.report.render import latex as tex
from referee.results.algorithms import Pair, Standings
from referee.results.audit import Audit
from referee.results.comparison import Comparison, Comparisons
from referee.results.dataset_ranking import DatasetRanking
from referee.results.measurement import Measurement, Measurements
from referee.results.plan import Plan
from referee.results.ranking import Ranking
from referee.results.test_info import said
from referee.results.watch import Watch

Result: TypeAlias = (
    Comparison | Comparisons | Measurement | Measurements | Ranking | Standings | DatasetRanking | Audit | Plan | Watch
)
NATBIB = r"\providecommand{\citep}[1]{\cite{#1}}"


def paragraph(result: Result) -> str:
    """Return the methods paragraph as plain text, with citations as (Author, year).

    Args:
        result: a comparison, several, scores, a ranking, standings of algorithms, a ranking over datasets, an audit, a plan or
            a watch.
    """
    return " ".join(plain(tuple(sentence)) for sentence in _account(result))


def latex(result: Result) -> str:
    r"""Return the methods paragraph as LaTeX, with citations by \citep; `bibtex` has the entries.

    It compiles without natbib too: \citep is \cite there.
    """
    return (
        "\n".join(
            [f"{NATBIB} % if natbib is not loaded", *(tex.sentence(tuple(sentence)) for sentence in _account(result))]
        )
        + "\n"
    )


def references(result: Result) -> list[str]:
    """Return the works that the paragraph cites as full citations, by author and year."""
    pieces = list(chain.from_iterable(_account(result)))
    works = sorted(works_of(pieces), key=lambda work: (str(work).lower(), work.key))
    return [*map(str, works), *others_of(pieces)]


def bibtex(result: Result) -> str:
    r"""Return the BibTeX entries of the works that the paragraph cites, in the order of their keys."""
    works = sorted(works_of(chain.from_iterable(_account(result))), key=lambda work: work.key)
    return "\n\n".join(work.bibtex for work in works) + "\n" if works else ""


def assumptions(result: Result) -> list[str]:
    """Return what the result takes for granted, in plain sentences."""
    return _told(result)[1](result)


def _account(result: Result) -> list[Prose]:
    return _told(result)[0](result)


def _told(result: Any) -> tuple[Callable[[Any], list[Prose]], Callable[[Any], list[str]]]:
    """Return what tells how a result came about, and what tells what it takes for granted."""
    match result:
        case Comparison():
            return comparison.comparison, premises.comparison
        case Comparisons():
            return comparison.comparisons, premises.comparisons
        case Ranking():
            return ranking.ranking, premises.ranking
        case Measurement():
            return measurement.measurement, measurement.assumptions
        case Measurements():
            return measurement.measurements, measurement.assumptions_of_several
        case Standings():
            return standings, premises.standings
        case DatasetRanking():
            return dataset_ranking.ranking, dataset_ranking.assumptions
        case Audit():
            return audit, premises.audit
        case Plan():
            return plan, premises.plan
        case Watch():
            return watch.watch, watch.assumptions
    kinds = "a comparison, several comparisons, scores, a ranking, standings, a ranking over datasets, an audit, a plan and a watch"
    other = f"there is a methods paragraph for {kinds}, not for {type(result).__name__}"
    raise OptionError(other, argument="result", value=result)


def standings(r: Standings) -> list[Prose]:
    """Return the sentences about algorithms that were compared on the same splits."""
    tests = {(pair.test, pair.test_info and pair.test_info.procedure): pair for pair in r.pairs}
    reasons = {pair.comparison.reason for pair in r.pairs if pair.comparison is not None} or {r.reason}
    sentences = [_trained(r), _split(r), *(_tested(r, pair) for pair in tests.values())]
    sentences += [procedures.chosen_because(reasons), _origins(r), _intervals(r)]
    if len(r.pairs) > 1 and not winners.is_bayesian(r):
        sentences.append(procedures.adjusted(r.adjust, len(r.pairs), "pairs"))
    if r.margin is not None:
        margin = f"Differences below {r.margin:.4g} were considered of no practical importance, by two one-sided tests"
        sentences.append([margin, cite("schuirmann1987"), "."])
    sentences += [[sentence] for sentence in winners.sentences(r)]
    return [*filter(None, sentences), procedures.software(r.settings, r.signature)]


def _trained(r: Standings) -> Prose:
    names = [winners.label(one.name) for one in r.algorithms]
    every = "The learning algorithms " if len(names) > 1 else "The learning algorithm "
    who = [every, *phrases.apart_in_a_list(names)] if len(names) <= 6 else [f"{whole(len(names))} learning algorithms"]
    on = "" if r.n is None else f" on {whole(r.n)} examples"
    verb = f" {'were' if len(names) > 1 else 'was'} compared{on} by "
    return [*who, verb, *procedures.described(r), "."]


def _split(r: Standings) -> Prose:
    named = tuple(part._replace(text=part.text.replace("{splits}", whole(r.splits))) for part in r.procedure)
    unnamed = f"the design {phrases.clean(r.design, 200)} ({phrases.several(r.splits, 'split')})"
    parts = {"to train on": r.n_train, "to test": r.n_test}
    sizes = " and ".join(f"{size:,.0f} {what}" for what, size in parts.items() if size is not None)
    shown = "" if not sizes else f", {sizes}" if r.splits == 1 else f", with about {sizes} each"
    once = "; each algorithm was trained and tested once per split" if r.fits else ""
    return ["The scores come from ", *procedures.prose(named or said(unnamed)), f"{shown}{once}."]


def _tested(r: Standings, pair: Pair) -> Prose:
    side = {"two-sided": "two-sided", "greater": "one-sided (is B higher than A?)", "less": "one-sided (is B lower?)"}
    about = "Every pair was" if len(r.pairs) > 1 else "The two were"
    how = procedures.procedure(pair.test, pair.test_info)
    if winners.is_bayesian(r):
        return [f"{about} compared with ", *how, f"; a verdict needs a probability of {percent(1 - r.alpha)} or more."]
    return [f"{about} tested, {side[r.alternative]}, at ", level_of(r.alpha), ", with ", *how, "."]


def _origins(r: Standings) -> Prose:
    """Say where the p-values come from, where they all come from one place."""
    methods = [
        procedures.origin(pair.test_info, pair.comparison.p_method if pair.comparison is not None else "asymptotic")
        for pair in r.pairs
        if known(pair.p_value) and not winners.is_bayesian(r)
    ]
    return methods[0] if methods and all(one == methods[0] for one in methods) else []


def _intervals(r: Standings) -> Prose:
    levels = {pair.interval.method: pair.interval.level for pair in r.pairs if pair.interval}
    if len(levels) != 1:
        return []
    ((method, level),) = levels.items()
    return [f"The {percent(level)} interval of a difference is ", *procedures.interval(method), "."]


def audit(r: Audit) -> list[Prose]:
    """Return the sentences about tests that were tried on simulated test sets."""
    measured = [[sentence] for sentence in audited.sentences(r, "On data like these")]
    software = procedures.software(r.settings, r.signature)
    return [_simulated(r), _worlds(r), _tried(r), *measured, [audited.advice(r)], software]


def _simulated(r: Audit) -> Prose:
    sizes = [row["n"] for row in r.rows]
    sets = whole(max(row["sets"] for row in r.rows))
    of = " to ".join(dict.fromkeys([whole(min(sizes)), whole(max(sizes))]))
    each = f" from each of {whole(r.categories)} categories" if r.categories > 1 else ""
    where = f"{' of' if each else ' from'} {phrases.clean(r.population)}" if r.population else ""
    a, b = audited.names(r)
    drawn = f": {sets} test sets of {of} examples each were drawn{each}{where}, and the metric is "
    audited_tests = f"Tests of the difference between {a} and {b} were audited by simulation"
    return [audited_tests, cite("keller2005"), drawn, *procedures.described(r), "."]


def _worlds(r: Audit) -> Prose:
    nulls, alphas = (dict.fromkeys(row[key] for row in r.rows) for key in ("null", "alpha"))
    worlds = phrases.listed([audited.world(null, *audited.names(r)) for null in nulls])
    levels = phrases.listed([f"{alpha:g}" for alpha in alphas])
    looked = ""
    if r.peeks > 1:
        batches = f"The examples of a test set arrived in {whole(r.peeks)} batches, and the tests looked after each"
        looked = f"{batches}: a false alarm or a detection is one at any look, and an interval holds if it does at every look. "
    ever = " at any look" if looked else ""
    return [f"{looked}A false alarm is a rejection{ever}, at an alpha of {levels}, in {worlds}."]


def _tried(r: Audit) -> Prose:
    """Name the tests, with where each comes from."""
    tests = []
    for test in dict.fromkeys(row["test"] for row in r.rows):
        words = procedures.procedure(test, r.test_info.get(test))
        works, others = works_of(words), "; ".join(others_of(words))
        tests.append([method_names.the_test(test), *([Cite(works, others)] if works or others else [])])
    return [f"The test{'s are' if len(tests) > 1 else ' is'} ", *joined(tests), "."]


def plan(r: Plan) -> list[Prose]:
    """Return the sentences about how the size of a test set was planned."""
    how: Prose = ["The size of the test set was planned "]
    if r.source == "variances":
        how += ["by the normal law of a mean difference over repeated answers", cite("miller2024")]
    elif r.method == "simulation":
        how += [f"by simulation: {whole(r.sets)} test sets per size were drawn"]
    elif r.levels:
        how += ["by Student's t with the components of variance"]
    else:
        how += ["by the standard error of a pilot"]
    if r.pilot is not None:
        how += [f" from a pilot of {phrases.several(r.pilot['n'], 'example')}"]
    tested: Prose = ["The test, at ", level_of(r.alpha), ", will be ", *procedures.procedure(r.test, r.test_info)]
    metric: Prose = [", and the metric is ", *procedures.described(r), "."]
    software = procedures.software(r.settings, r.signature)
    return [
        [*how, "."],
        [*tested, *metric],
        [*_parts(planned.headline(r))],
        *([phrases.full(one)] for one in r.assumptions),
        software,
    ]


def _parts(text: Text) -> Prose:
    return [text] if isinstance(text, str) else list(text)
