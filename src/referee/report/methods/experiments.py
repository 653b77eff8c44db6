"""Experiments as a paper tells them: algorithms that were trained again and again, and tests that were tried in simulations."""

from __future__ import annotations

from referee.registry import parse
from referee.report import phrases
from referee.report.methods import procedures
from referee.report.methods.references import Cite, Formula, Prose, cite, others_of, works_of
from referee.report.numbers import known, percent, whole
from referee.report.phrases import algorithms as winners
from referee.report.phrases import audit as audited
from referee.results.algorithms import Pair, Standings
from referee.results.audit import Audit


def standings(r: Standings) -> list[Prose]:
    """Return the sentences about algorithms that were compared on the same splits."""
    tests = {(pair.test, pair.test_info and pair.test_info.procedure): pair for pair in r.pairs}
    reasons = {pair.comparison.reason for pair in r.pairs if pair.comparison} or {r.reason}
    sentences = [_trained(r), _split(r), *(_tested(r, pair) for pair in tests.values())]
    sentences += [procedures.chosen_because(reasons), _origins(r), _intervals(r)]
    if len(r.pairs) > 1 and not winners.is_bayesian(r):
        sentences.append(procedures.adjusted(r.adjust, len(r.pairs), "pairs"))
    sentences += [_margin(r), *_as_they_are(winners.sentences(r)), procedures.software(r.settings, r.signature)]
    return [one for one in sentences if one]


def _trained(r: Standings) -> Prose:
    names = [winners.label(one.name) for one in r.algorithms]
    who = phrases.listed(names) if len(names) <= 6 else f"{whole(len(names))} learning algorithms"
    on = "" if r.n is None else f" on {whole(r.n)} examples"
    were = "were" if len(names) > 1 else "was"
    return [f"{who} {were} compared{on} by ", *procedures.described(r.metric, r.metric_info, r.higher_is_better), "."]


def _split(r: Standings) -> Prose:
    splits, name = whole(r.splits), parse(r.design)[0]
    design = {
        "5x2cv": "five runs of two-fold cross-validation",
        "kfold": f"{splits}-fold cross-validation",
        "repeated-kfold": f"repeated cross-validation ({splits} splits)",
        "resampled": f"{splits} random splits into training and test examples",
        "holdout": "one random split into training and test examples",
    }.get(name, f"the design {phrases.clean(r.design, 200)} ({splits} split{'' if r.splits == 1 else 's'})")
    source = [cite("dietterich1998")] if name == "5x2cv" else []
    sizes = [
        f"{size:,.0f} {what}" for size, what in ((r.n_train, "to train on"), (r.n_test, "to test")) if size is not None
    ]
    shown = f", with about {' and '.join(sizes)} each" if sizes and r.splits > 1 else ""
    shown = f", {' and '.join(sizes)}" if sizes and r.splits == 1 else shown
    once = "; each algorithm was trained and tested once a split" if r.fits else ""
    return [f"The scores come from {design}", *source, f"{shown}{once}."]


def _as_they_are(sentences: list[str]) -> list[Prose]:
    return [[said] for said in sentences]


def _tested(r: Standings, pair: Pair) -> Prose:
    side = {"two-sided": "two-sided", "greater": "one-sided (is B higher than A?)", "less": "one-sided (is B lower?)"}
    about = "Every pair was" if len(r.pairs) > 1 else "The two were"
    how = procedures.procedure(pair.test, pair.test_info)
    if winners.is_bayesian(r):
        return [f"{about} compared with ", *how, f"; a verdict needs a probability of {percent(1 - r.alpha)} or more."]
    level = Formula(f"alpha = {r.alpha:g}")
    return [f"{about} tested, {side[r.alternative]}, at ", level, ", with ", *how, "."]


def _origins(r: Standings) -> Prose:
    """Say where the p-values come from."""
    if winners.is_bayesian(r) or not any(known(pair.p_value) for pair in r.pairs):
        return []
    found: dict[str, Prose] = {}
    for pair in r.pairs:
        if known(pair.p_value):
            said = procedures.origin(pair.test_info, pair.comparison.p_method if pair.comparison else "asymptotic")
            found[str(said)] = said
    return next(iter(found.values())) if len(found) == 1 else []


def _intervals(r: Standings) -> Prose:
    methods = {pair.interval.method: pair.interval.level for pair in r.pairs if pair.interval}
    if len(methods) != 1:
        return []
    method, level = next(iter(methods.items()))
    return [f"The {percent(level)} interval of a difference is ", *procedures.interval(method), "."]


def _margin(r: Standings) -> Prose:
    if r.margin is None:
        return []
    return [
        f"Differences below {r.margin:.4g} were held to be of no practical importance, by two one-sided tests",
        cite("schuirmann1987"),
        ".",
    ]


def audit(r: Audit) -> list[Prose]:
    """Return the sentences about tests that were tried on simulated test sets."""
    measured = _as_they_are(audited.sentences(r, "On data like these"))
    software = procedures.software(r.settings, r.signature)
    return [_simulated(r), _worlds(r), _tried(r), *measured, [audited.advice(r)], software]


def _simulated(r: Audit) -> Prose:
    sizes = list(dict.fromkeys(row["n"] for row in r.rows))
    sets = whole(max(row["sets"] for row in r.rows))
    of = f"{whole(sizes[0])} examples" if len(sizes) == 1 else f"{whole(min(sizes))} to {whole(max(sizes))} examples"
    each = f" from each of {whole(r.categories)} categories" if r.categories > 1 else ""
    where = f"{' of' if each else ' from'} {phrases.clean(r.population)}" if r.population else ""
    a, b = audited.names(r)
    return [
        f"Tests of the difference between {a} and {b} were audited by simulation",
        cite("keller2005"),
        f": {sets} test sets of {of} each were drawn{each}{where}, and the metric is ",
        *procedures.described(r.metric, r.metric_info, r.metric_info.higher_is_better if r.metric_info else None),
        ".",
    ]


def _worlds(r: Audit) -> Prose:
    nulls = list(dict.fromkeys(row["null"] for row in r.rows))
    worlds = [audited.world(null, *audited.names(r)) for null in nulls]
    alphas = list(dict.fromkeys(row["alpha"] for row in r.rows))
    levels = phrases.listed([f"{alpha:g}" for alpha in alphas])
    return [f"A false alarm is a rejection, at an alpha of {levels}, in {phrases.listed(worlds)}."]


def _tried(r: Audit) -> Prose:
    """Name the tests, with where each comes from."""
    tests = list(dict.fromkeys(row["test"] for row in r.rows))
    said: Prose = []
    for place, test in enumerate(tests):
        joint = "" if not place else " and " if place == len(tests) - 1 else ", "
        words = procedures.procedure(test, r.test_info.get(test))
        sources = Cite(tuple(works_of(words)), "; ".join(others_of(words)))
        said += [f"{joint}{phrases.clean(test, 200)}", *([sources] if sources != Cite(()) else [])]
    return [f"The test{'s are' if len(tests) > 1 else ' is'} ", *said, "."]
