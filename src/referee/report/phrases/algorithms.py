"""Standings in words: who is best, by how much and how sure, what became of the others, and what failed."""

from __future__ import annotations

from collections.abc import Sequence

from referee.report import phrases
from referee.report.numbers import decimals, known, number, p_equation, p_value, percent, seconds, whole
from referee.report.phrases import clean, compared, filled, listed, several, with_interval
from referee.results.algorithms import Algorithm, Pair, Standings

NUMERALS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NAMED = 3
"""So many algorithms are named in a sentence; of more, the number is told."""
FAILURES = 10
"""So many failures are told."""


def sentences(r: Standings) -> list[str]:
    """Say who is best, by how much and how sure, what became of the others, and what failed."""
    if len(_complete(r)) < 2:
        said = [_alone(r)]
    elif len(r.algorithms) == 2:
        said = _duel(r, r.pairs[0])
    elif _same(r):
        said = [
            f"{_all(r)} have the same {metric(r)}{_everywhere(r)} ({score(r, r.algorithms[0])}); nothing tells them apart."
        ]
    else:
        said = [_answer(r), *_others(r)]
    return [*said, *_broken(r)]


def _alone(r: Standings) -> str:
    """Say that there is nothing to compare."""
    found = _complete(r)
    if not found:
        return f"Nobody can be called best: none of {_all(r, 'the')} has a score on every split."
    one = found[0]
    return f"Only {label(one.name)} has a score on every split ({metric(r)} {score(r, one)}), so nothing can be compared with it."


def _duel(r: Standings, pair: Pair) -> list[str]:
    """Say which of two is better."""
    a, b, what = label(pair.a), label(pair.b), metric(r)
    first, second = (score(r, r[name]) for name in (pair.a, pair.b))
    if not known(pair.difference):
        return [f"Too close to call: the {what} of {a} and {b} cannot be compared on {_these(r)}."]
    if pair.verdict == "too close to call" and pair.difference == 0:
        return [
            f"Too close to call: {a} and {b} have the same {what}{_everywhere(r)} ({first}); nothing tells them apart."
        ]
    if pair.verdict == "too close to call":
        said = (
            f"Too close to call: {_these(r)} cannot tell whether {a} or {b} has the better {what} "
            f"({first} and {second}{_lower(r)})"
        )
    elif pair.verdict == "practically equal":
        said = f"{compared(pair.verdict, a, b)}{_within(r)}: their {what} is {first} and {second}{_lower(r)}"
    else:
        ours, theirs = (first, second) if pair.verdict == "a better" else (second, first)
        within = _within(r) if pair.verdict == "no worse" else ""
        said = f"{compared(pair.verdict, a, b)}{within}: its {what} is {ours} against {theirs}{_lower(r)}"
    difference = with_interval(pair.difference, pair.interval, places(r))
    return [f"{said}.", f"The difference ({b} minus {a}) is {difference}; {_sure(r, pair)}."]


def _answer(r: Standings) -> str:
    """Say who is best of three or more."""
    best, what = list(r.best), metric(r)
    if not best:
        return f"Nobody is best: each of {_all(r, 'the')} is {_surely(r, 'worse than some other')}."
    top = r[best[0]]
    if len(best) == len(r.algorithms):
        return (
            f"None of {_all(r, 'the')} is {_surely(r, 'better than another')}: {label(top.name)} has the best {what} "
            f"({score(r, top)}{_lower(r)})."
        )
    if len(best) == 1:
        return f"{label(top.name)} is best, {definition(r)}: its {what} is {score(r, top)}{_lower(r)}{_lead(r, top)}."
    scored = [f"{label(name)} ({score(r, r[name])})" for name in best]
    who = listed(scored) if len(best) <= NAMED else f"{scored[0]} and {_numeral(len(best) - 1)} others"
    return f"{who} are best by {what}{_lower(r)}, {definition(r)}; {_these(r)} cannot tell them apart."


def definition(r: Standings) -> str:
    """Say what best means."""
    return f"such that no other is {_surely(r, 'better')}"


def _surely(r: Standings, claim: str) -> str:
    if is_bayesian(r):
        return f"{claim} with a probability of {percent(1 - r.alpha)} or more"
    return f"significantly {claim}"


def _lead(r: Standings, top: Algorithm) -> str:
    """Say how far the best is ahead of the next."""
    second = next((one for one in _complete(r) if one.name != top.name), None)
    pair = _between(r, top.name, second.name) if second else None
    if second is None or pair is None or not known(pair.difference):
        return ""
    ahead = pair.difference if pair.b == top.name else -pair.difference
    if (ahead if r.higher_is_better else -ahead) <= 0:
        return ""
    more = "more" if r.higher_is_better else "less"
    return f", {number(abs(ahead), places(r))} {more} than that of {label(second.name)}, the next"


def _others(r: Standings) -> list[str]:
    """Say what each of the others is to the first of the best."""
    if not r.best:
        return []
    top = r.best[0]
    against = {one.name: _between(r, top, one.name) for one in _complete(r) if one.name != top}
    rest = list(against)
    found = {name: _standing(pair, top) for name, pair in against.items()}
    ahead = {name: pair for name, pair in against.items() if pair and found[name] == "worse"}
    said = [_worse(r, label(top), ahead, len(rest))] if ahead else []
    for standing, claim in (
        ("equal", f"practically equal to it{_within(r)}"),
        ("no worse", f"no worse than it{_within(r)}"),
    ):
        names = [name for name in rest if found[name] == standing]
        said += [f"{_some(names, len(rest), first=not said)} {_be(names)} {claim}"] if names else []
    unsettled = [name for name in rest if found[name] == "unsettled"]
    beaten = [name for name in unsettled if name not in r.best]
    close = [name for name in unsettled if name in r.best]
    if close and len(r.best) == len(r.algorithms):
        said.append(f"{_some(close, len(rest), first=not said)} cannot be told from it")
    if beaten:
        others = _surely(r, "worse than some other")
        said.append(f"{_list(beaten)} cannot be told from it, but {_be(beaten)} {others}")
    return [f"{'; '.join(said)}."] if said else []


def _between(r: Standings, a: str, b: str) -> Pair | None:
    return next((pair for pair in r.pairs if {pair.a, pair.b} == {a, b}), None)


def _standing(pair: Pair | None, top: str) -> str:
    """Return what the other of a pair is to the top one."""
    if pair is None:
        return "unsettled"
    if pair.verdict == "practically equal":
        return "equal"
    if pair.verdict == "no worse" and pair.a == top:
        return "no worse"
    return "worse" if pair.verdict == ("a better" if pair.a == top else "b better") else "unsettled"


def _worse(r: Standings, top: str, found: dict[str, Pair], of: int) -> str:
    """Name those that are worse than the first, each with how sure that is."""
    surely = _surely(r, f"worse than {top}")
    if len(found) <= NAMED:
        each = [f"{label(name)} ({_brief(r, pair)})" for name, pair in found.items()]
        return f"{listed(each)} {_be(list(found))} {surely}{_after(r)}"
    who = _some(list(found), of, first=True)
    weakest = max(found.values(), key=lambda pair: pair.p_adjusted or 0.0)
    limit = "" if is_bayesian(r) else f" (p at most {p_value(weakest.p_adjusted, r.alpha)})"
    return f"{who} are {surely}{limit}{_after(r)}"


def _brief(r: Standings, pair: Pair) -> str:
    if pair.probabilities:
        return percent(max(pair.probabilities.get("a", 0.0), pair.probabilities.get("b", 0.0)))
    return p_equation(pair.p_adjusted, r.alpha)


def _sure(r: Standings, pair: Pair) -> str:
    """Say how sure it is, of two."""
    if pair.probabilities:
        chances = pair.probabilities
        return (
            f"that {label(pair.a)} is better has a probability of {percent(chances['a'])}, that {label(pair.b)} is "
            f"{percent(chances['b'])}, and that they are practically equal {percent(chances['equal'])}"
        )
    if not known(pair.p_value):
        return "how likely luck alone would give it is unknown (p unknown)"
    return f"were the two equally good, luck alone would do as much with {p_equation(pair.p_value, r.alpha)}"


def _after(r: Standings) -> str:
    return "" if is_bayesian(r) or len(r.pairs) < 2 else f" after {adjustment(r)}"


def _broken(r: Standings) -> list[str]:
    """Say who lacks scores, and what that means."""
    names = [one.name for one in r.algorithms if None in one.scores]
    if not names:
        return []
    who = _list(names)
    failed = f"{several(len(r.failures), 'fit')} of {who} failed"
    lacking = f"{who} {'lacks' if len(names) == 1 else 'lack'} scores"
    return [f"{failed if r.failures else lacking}, so {'it is' if len(names) == 1 else 'they are'} not tested."]


def metric(r: Standings) -> str:
    """Return what was measured."""
    return clean(r.metric) or "score"


def adjustment(r: Standings) -> str:
    """Return how the p-values are adjusted."""
    return phrases.adjustment(r.adjust)


def places(r: Standings) -> int:
    """Say how many decimals the scores and their differences are shown with."""
    halves = [(pair.interval.high - pair.interval.low) / 2 for pair in r.pairs if pair.interval]
    telling = [half for half in halves if known(half) and half > 0]
    return decimals(min(telling) if telling else None, [one.score for one in r.algorithms])


def is_bayesian(r: Standings) -> bool:
    """Say whether there are probabilities in place of p-values."""
    return any(pair.probabilities for pair in r.pairs)


def _complete(r: Standings) -> list[Algorithm]:
    return [one for one in r.algorithms if None not in one.scores]


def _same(r: Standings) -> bool:
    return all(pair.difference == 0 for pair in r.pairs) and len({one.score for one in r.algorithms}) == 1


def _these(r: Standings) -> str:
    return "this split" if r.splits == 1 else "these splits"


def _everywhere(r: Standings) -> str:
    return " on every split" if len({one.scores for one in r.algorithms}) == 1 < r.splits else ""


def score(r: Standings, one: Algorithm) -> str:
    """Write the score of an algorithm."""
    return number(one.score, places(r))


def _lower(r: Standings) -> str:
    return "" if r.higher_is_better else ", lower is better"


def _within(r: Standings) -> str:
    return "" if r.margin is None else f" within {r.margin:.4g}"


def label(name: str) -> str:
    """Return a name that is safe to print."""
    return clean(name) or "?"


def _list(names: Sequence[str]) -> str:
    return listed([label(name) for name in names])


def _all(r: Standings, article: str = "All") -> str:
    return f"{article} {_numeral(len(r.algorithms))} algorithms"


def _numeral(count: int) -> str:
    return NUMERALS[count] if count < len(NUMERALS) else whole(count)


def _some(names: Sequence[str], of: int, first: bool) -> str:
    """Name a few; of many tell the number, and say "the others" where it is all of them; a capital if they come first."""
    if len(names) == of > 1:
        return f"{'The' if first else 'the'} other {_numeral(of)}"
    if len(names) <= NAMED:
        return _list(names)
    number = _numeral(len(names))
    return f"{number.capitalize() if first else number} others"


def _be(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def heading(r: Standings) -> str:
    """Say what the table of pairs is of."""
    levels = list(dict.fromkeys(percent(pair.interval.level) for pair in r.pairs if pair.interval))
    about = [f"intervals at {' or '.join(levels)}"] if levels else []
    if len(r.pairs) > 1 and not is_bayesian(r):
        about.append(f"p adjusted for {whole(len(r.pairs))} pairs ({adjustment(r)})")
    return ", ".join(filter(None, ["All pairs" if len(r.pairs) > 1 else "The pair", "; ".join(about)]))


def verdict(pair: Pair) -> str:
    """Return the verdict with the algorithms' own names."""
    if pair.p_value is None and pair.probabilities is None and pair.verdict == "too close to call":
        return "not tested"
    return phrases.named(pair.verdict, label(pair.a), label(pair.b))


def facts(r: Standings) -> list[tuple[str, str]]:
    """Return what lies behind the tables, as pairs of a label and what to say."""
    timed = any(known(one.fit_seconds) or known(one.predict_seconds) for one in r.algorithms)
    spread = any(known(one.spread) for one in r.algorithms)
    rows = {
        "design": _design(r),
        "examples": "" if r.n is None else whole(r.n),
        "fits": _fits(r),
        "test": f"{clean(r.test, 200)}{f': {clean(r.reason, 500)}' if r.reason else ''}",
        "alternative": _alternative(r),
        "margin": "" if r.margin is None else f"differences within {r.margin:.4g} do not matter",
        "best": f"{definition(r)}{'' if is_bayesian(r) else f', at alpha {percent(r.alpha)}'}",
        "±": "the standard deviation from split to split" if spread else "",
        "(s)": "mean seconds of a fit, and of predicting the test examples of a split" if timed else "",
    }
    return filled(rows)


def _design(r: Standings) -> str:
    sizes = [
        f"{whole(int(size)) if size == int(size) else f'about {size:,.1f}'} examples {what}"
        for size, what in ((r.n_train, "to train on"), (r.n_test, "to test"))
        if known(size)
    ]
    parts = several(r.splits, "split") + (f", with {' and '.join(sizes)}" if sizes else "")
    one = "; it tells of these trained models, and not how they vary with the training set" if r.splits == 1 else ""
    return f"{clean(r.design, 200)}: {parts}{one}"


def _fits(r: Standings) -> str:
    if not r.fits:
        return "none here; the scores were given"
    took = f", {seconds(r.seconds)} s in all" if known(r.seconds) else ""
    return f"{whole(r.fits)}, each algorithm once a split{took}"


def _alternative(r: Standings) -> str:
    if r.alternative == "two-sided":
        return ""
    side = "higher" if r.alternative == "greater" else "lower"
    return f"{r.alternative}: is the {metric(r)} of B {side} than that of A?"


def failures(r: Standings) -> list[str]:
    """Return the fits that failed, those with the same error together."""
    splits: dict[tuple[str, str], list[int]] = {}
    for failure in r.failures:
        splits.setdefault((failure.name, failure.error), []).append(failure.split)
    texts = [
        f"{label(name)}, split{'' if len(where) == 1 else 's'} {listed([str(one) for one in where])}: {clean(error, 300)}"
        for (name, error), where in splits.items()
    ]
    left = len(texts) - FAILURES
    return texts if left <= 0 else [*texts[:FAILURES], f"{whole(left)} more"]
