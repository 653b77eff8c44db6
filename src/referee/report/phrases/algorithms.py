"""Standings in words: who is best, by how much and how sure, what became of the others, and what failed."""

from __future__ import annotations

from collections.abc import Sequence

from referee.report import phrases
from referee.report.document import Name, Text, join, plain
from referee.report.numbers import NBSP, Scale, known, p_equation, p_value, percent, seconds, whole
from referee.report.phrases import apart_in_a_list, clean, filled, listed, method_names, several
from referee.report.phrases.verdicts import brief, claimed, compared, named
from referee.results.algorithms import Algorithm, Pair, Standings

NUMERALS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NAMED = 3
"""So many algorithms are named in a sentence; of more, the number is told."""
FAILURES = 10
"""So many failures are told."""
MUCH_THE_SAME = ("reason", "best", "±", "(s)")
"""Facts that are not told unless somebody asks for all."""


def headline(r: Standings) -> Text:
    """Say in one line who is best, or which of two is better."""
    what, complete = metric(r), _complete(r)
    if not complete:
        return f"Nobody can be called best: none of {_all(r, 'the')} has a score on every split."
    top = complete[0]
    scored = f"{what} {score(r, top)}"
    if len(complete) == 1:
        return ("Only ", Name(label(top.name)), f" has a score on every split ({scored}): there is nothing to compare.")
    if len(r.algorithms) == 2:
        return _duel(r, r.pairs[0])
    if _same(r):
        return f"{_all(r)} have the same {what}{_everywhere(r)}, {score(r, r.algorithms[0])}: nothing tells them apart."
    if not r.best:
        return f"Nobody is best: each of {_all(r, 'the')} is {_surely(r, 'worse than another')}."
    top = r[r.best[0]]
    lower = "" if r.higher_is_better else " (lower is better)"
    name, lead = Name(label(top.name)), (f": {what} {score(r, top)}", *_lead(r, top), f"{lower}.")
    if len(r.best) == len(r.algorithms):
        return (f"None of {_all(r, 'the')} is {_surely(r, 'better than another')}; ", name, " scores best", *lead)
    return (name, " is best" if len(r.best) == 1 else f" scores {'highest' if r.higher_is_better else 'lowest'}", *lead)


def details(r: Standings) -> Text:
    """Say how sure it is, what each of the others is to the best, and what failed."""
    complete = _complete(r)
    if len(complete) < 2 or _same(r):
        return _broken(r)
    return join(_sure(r, r.pairs[0]) if len(r.algorithms) == 2 else _others(r), _broken(r))


def sentences(r: Standings) -> list[str]:
    """Say the same in plain sentences."""
    return [plain(text) for text in (headline(r), details(r)) if text]


def _duel(r: Standings, pair: Pair) -> Text:
    """Say which of two is better."""
    what, (first, second) = metric(r), (score(r, r[name]) for name in (pair.a, pair.b))
    names = a, b = Name(label(pair.a)), Name(label(pair.b))
    claim = compared(pair.verdict, a, b)
    if not known(pair.difference):
        where = "this split" if r.splits == 1 else "these splits"
        return (*claim, f": the {what} of ", b, " and ", a, f" cannot be compared on {where}.")
    if pair.verdict == "too close to call" and pair.difference == 0:
        return (*claim, ": ", b, " and ", a, f" have the same {what}{_everywhere(r)}, {first}.")
    sure = "" if pair.probabilities else p_equation(pair.p_value, r.alpha)
    return (*claimed(pair.verdict, names, what, (first, second)), f"{brief(r, pair, scale(r), sure)}.")


def definition(r: Standings) -> str:
    """Say what best means."""
    return f"no other is {_surely(r, 'better')}"


def _surely(r: Standings, claim: str) -> str:
    if is_bayesian(r):
        return f"{claim} with a probability of {percent(1 - r.alpha)} or more"
    return f"significantly {claim}"


def _lead(r: Standings, top: Algorithm) -> tuple[str, ...]:
    """Say how far the best is ahead of the next."""
    second = next(one for one in _complete(r) if one.name != top.name)
    pair = r.pair(top.name, second.name)
    gain = pair.difference or 0.0
    ahead = gain if (pair.b == top.name) == r.higher_is_better else -gain
    return (f", {scale(r).difference(ahead, sign=False)} ahead of ", Name(label(second.name))) if ahead > 0 else ()


def _others(r: Standings) -> Text:
    """Say what each of the others is to the first of the best."""
    if not r.best:
        return ""
    top = r.best[0]
    against = {one.name: r.pair(top, one.name) for one in _complete(r) if one.name != top}
    groups: dict[str, list[str]] = {}
    for name, pair in against.items():
        groups.setdefault(_standing(r, pair, name), []).append(name)
    within = "" if r.margin is None else f" within {phrases.margin(r)}"
    claims = {
        "practically equal": f" {{}} practically equal to it{within}",
        "no worse": f" {{}} no worse than it{within}",
        "close": " can't be ruled out as its equal",
        "beaten": f" can't be ruled out as its equal, but {{}} {_surely(r, 'worse than another')}",
    }
    parts = [
        (*_some(groups[kind], len(against)), claim.format("is" if len(groups[kind]) == 1 else "are"))
        for kind, claim in claims.items()
        if kind in groups
    ]
    if "worse" in groups:
        parts.append(_worse(r, {name: against[name] for name in groups["worse"]}, len(against)))
    first, *rest = [part for one in parts for part in ("; ", *one)][1:]
    return (first if isinstance(first, Name) else f"{first[0].upper()}{first[1:]}", *rest, ".")


def _standing(r: Standings, pair: Pair, name: str) -> str:
    """Return what one of a pair is to the other, which is the first of the best."""
    is_worse, is_no_worse = ("a better", "no worse") if pair.b == name else ("b better", None)
    if pair.verdict in ("practically equal", is_no_worse):
        return pair.verdict
    return "worse" if pair.verdict == is_worse else "close" if name in r.best else "beaten"


def _worse(r: Standings, pairs: dict[str, Pair], of: int) -> tuple[str, ...]:
    """Name those that are worse than the first, each with how sure that is."""
    names, is_p = [label(name) for name in pairs], not is_bayesian(r)
    adjusted = f" after adjusting for {whole(len(r.pairs))} comparisons ({method_names.adjustment(r.adjust)})"
    surely = f"{_surely(r, 'worse')}{adjusted if is_p and len(r.pairs) > 1 else ''}"
    if len(pairs) <= NAMED:
        sure = [f" ({_brief(r, pair)})" for pair in pairs.values()]
        return (*apart_in_a_list(names, sure), f" {'is' if len(pairs) == 1 else 'are'} {surely}")
    limit = f" (p at most {p_value(max(pair.p_adjusted or 0.0 for pair in pairs.values()), r.alpha)})" if is_p else ""
    return (*_some(names, of), f" are {surely}{limit}")


def _brief(r: Standings, pair: Pair) -> str:
    if pair.probabilities:
        return percent(max(pair.probabilities.get("a", 0.0), pair.probabilities.get("b", 0.0)))
    return p_equation(pair.p_adjusted, r.alpha)


def _sure(r: Standings, pair: Pair) -> str:
    """Say how sure it is, of two."""
    chances = pair.probabilities
    if not known(pair.difference) or (pair.verdict == "too close to call" and pair.difference == 0):
        return ""
    interval = phrases.within(pair.interval, scale(r))
    if chances:
        sure = (
            f"The probability that {label(pair.a)} is better is {percent(chances['a'])}, that {label(pair.b)} is "
            f"{percent(chances['b'])}, and that they are practically equal {percent(chances['equal'])}."
        )
    else:
        of = "test sets" if r.splits == 1 else "such experiments"
        sure = phrases.if_equal(r, pair, pair.p_value or 0.0, p_equation(pair.p_value, r.alpha), of)
    return f"{interval} {sure}".lstrip()


def _broken(r: Standings) -> Text:
    """Say who lacks scores, and what that means."""
    names = [label(one.name) for one in r.algorithms if None in one.scores]
    if not names:
        return ""
    what, missing = (several(len(r.failures), "fit"), "failed") if r.failures else ("Scores", "are missing")
    so = f"so {'it is' if len(names) == 1 else 'they are'} not tested."
    return (f"{what} of ", *apart_in_a_list(names), f" {missing}, {so}")


def metric(r: Standings) -> str:
    """Return what was measured."""
    return phrases.metric_name(r.metric, r.metric_info)


def scale(r: Standings) -> Scale:
    """Say how the scores and their differences are written."""
    intervals = [pair.interval for pair in r.pairs if pair.interval]
    widths = [(i.high - i.low) / 2 for i in intervals if known(i.high - i.low) and i.high > i.low]
    # What is told of the pairs that a verdict is about must not contradict it.
    ends = [end for pair in r.pairs if pair.interval for end in (pair.interval.low, pair.interval.high)]
    return Scale.fitting(
        phrases.unit(r.metric_info),
        [one.score for one in r.algorithms[:2]],
        [*(pair.difference for pair in r.pairs), *ends],
        half=min(widths, default=None),
    )


def is_bayesian(r: Standings) -> bool:
    """Say whether there are probabilities in place of p-values."""
    return any(pair.probabilities for pair in r.pairs)


def _complete(r: Standings) -> list[Algorithm]:
    return [one for one in r.algorithms if None not in one.scores]


def _same(r: Standings) -> bool:
    return all(pair.difference == 0 for pair in r.pairs) and len({one.score for one in r.algorithms}) == 1


def _everywhere(r: Standings) -> str:
    return " on every split" if len({one.scores for one in r.algorithms}) == 1 < r.splits else ""


def score(r: Standings, one: Algorithm) -> str:
    """Write the score of an algorithm."""
    return scale(r).score(one.score)


def label(name: str) -> str:
    """Return a name that is safe to print."""
    return clean(name) or "?"


def _all(r: Standings, article: str = "All") -> str:
    return f"{article} {numeral(len(r.algorithms))} algorithms"


def numeral(count: int) -> str:
    """Write a small number as a word."""
    return NUMERALS[count] if count < len(NUMERALS) else whole(count)


def _some(names: Sequence[str], of: int) -> tuple[str, ...]:
    """Name a few; of many tell the number, and say "the others" if it is all of them."""
    if len(names) == of > 1:
        return (f"the other {numeral(of)}",)
    if len(names) <= NAMED:
        return apart_in_a_list([label(name) for name in names])
    return (f"{numeral(len(names))} others",)


def heading(r: Standings) -> str:
    """Say what the table of pairs is of."""
    levels = list(dict.fromkeys(percent(pair.interval.level) for pair in r.pairs if pair.interval))
    about = ["in points"] if scale(r).points else []
    about += [f"{' or '.join(levels)} intervals"] if levels else []
    if len(r.pairs) > 1 and not is_bayesian(r):
        about.append(f"p adjusted for {whole(len(r.pairs))} pairs ({method_names.adjustment(r.adjust)})")
    return ", ".join(filter(None, ["All pairs" if len(r.pairs) > 1 else "The pair", "; ".join(about)]))


def verdict(pair: Pair) -> str:
    """Return the verdict with the algorithms' own names."""
    if pair.p_value is None and pair.probabilities is None and pair.verdict == "too close to call":
        return "not tested"
    return named(pair.verdict, label(pair.a), label(pair.b))


def facts(r: Standings) -> list[tuple[str, str]]:
    """Return what lies behind the tables, as pairs of a label and what to say."""
    timed = any(known(one.fit_seconds) or known(one.predict_seconds) for one in r.algorithms)
    spread = any(known(one.spread) for one in r.algorithms)
    rows = {
        "design": _design(r),
        "examples": "" if r.n is None else whole(r.n),
        "fits": _fits(r),
        "test": method_names.test_name(r.test),
        "reason": clean(r.reason, 500),
        "alternative": _alternative(r),
        "margin": "" if r.margin is None else f"differences within {phrases.margin(r)} do not matter",
        "best": f"{definition(r)}{'' if is_bayesian(r) else f', at alpha {percent(r.alpha)}'}",
        "±": "the standard deviation from split to split" if spread else "",
        "(s)": "mean seconds to fit once, and to predict the test examples of a split" if timed else "",
    }
    return filled(rows)


def _design(r: Standings) -> str:
    sizes = [
        f"{whole(int(size)) if size == int(size) else f'about {size:,.1f}'} examples {what}"
        for size, what in ((r.n_train, "to train on"), (r.n_test, "to test"))
        if known(size)
    ]
    parts = several(r.splits, "split") + (f", with {' and '.join(sizes)}" if sizes else "")
    alone = "; it is about these trained models, and not about how they vary with the training set"
    return f"{clean(r.design, 200)}: {parts}{alone if r.splits == 1 else ''}"


def _fits(r: Standings) -> str:
    if not r.fits:
        return "none; the scores were given"
    took = f", {seconds(r.seconds)}{NBSP}s in all" if known(r.seconds) else ""
    return f"{whole(r.fits)}, each algorithm once per split{took}"


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
    where = {key: f"split{'' if len(of) == 1 else 's'} {listed([*map(str, of)])}" for key, of in splits.items()}
    texts = [f"{label(name)}, {which}: {clean(error, 300)}" for (name, error), which in where.items()]
    left = len(texts) - FAILURES
    return texts if left <= 0 else [*texts[:FAILURES], f"{whole(left)} more"]
