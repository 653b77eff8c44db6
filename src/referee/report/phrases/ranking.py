"""Rankings in words: who scores highest, who can't be ruled out as best, who is significantly worse, and what that promises."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from referee.report import phrases
from referee.report.document import Name, Text, join, plain
from referee.report.numbers import Scale, known, p_equation, p_value, percent, whole
from referee.report.phrases import LONG, apart, apart_in_a_list, battles, clean, filled, method_names, several
from referee.report.phrases.comparison import size
from referee.report.phrases.terms import believed, terms
from referee.report.phrases.verdicts import best_first, claimed, named
from referee.results.ranking import Ranked, RankedPair, Ranking

NAMED = 4
"""So many systems are named in a sentence; of more, the number is told."""
MUCH_THE_SAME = ("reason", "ranks", "shown first", "fit")
"""Facts that are not told unless somebody asks for all."""
KEEPS = ("max-t", "romano-wolf", "bonferroni", "holm", "hochberg")
"""The adjustments that bound the chance of any false claim, and with it that of ruling out the best."""
NOT_FOR_COMPARING = (
    "each is of one score alone, and not for comparing systems: scores of the same examples go up and down together, so "
    "intervals that overlap don't mean a tie"
)


def headline(r: Ranking) -> Text:
    """Say in one line who scores highest, how many can't be ruled out as best, and how many are significantly worse."""
    there = _scored(r)
    if not there and r.battles is not None:
        return _unrated(r)
    if not there:
        return f"Nobody can be ranked: none of the {whole(len(r.systems))} systems has a score."
    if len(r.systems) == 2 and len(there) == 2:
        return _duel(r)
    if r.baseline is None and r.battles is not None and len(there) < len(r.systems):
        return _partly(r, there)
    if r.baseline is not None:
        return _against(r, r.baseline)
    top = [one for one in there if one.score == there[0].score]
    open_, worse, surely = _standing(r, "not ruled out"), _standing(r, "worse"), terms(r).surely
    if len(top) == len(r.systems):
        return f"All {whole(len(top))} systems have the same {metric(r)}, {score(r, top[0])}: nothing tells them apart."
    first, others = _top(r, top), len(r.systems) - len(top)
    if not worse and len(there) == len(r.systems):
        return (f"None of the {whole(len(r.systems))} systems can be ruled out as best; ", *first, ".")
    if len(r.best) == 1 and len(there) == len(r.systems):
        than = "" if _beats(r, top[0].name, [one.name for one in worse]) else " than another"
        rest = "the other one is" if others == 1 else f"all of the other {whole(others)} are"
        return (Name(label(r, top[0].name)), f" is best ({_what(r, top[0])}): {rest} {surely}worse{than}.")
    claims = [
        f"{whole(len(open_))} of the other {whole(others)} can't be ruled out as best" if open_ else "",
        f"{_are(len(worse))} {surely}worse than another" if worse else "",
        f"{several(len(r.systems) - len(there), 'system')} without a {'rating' if r.battles else 'score'}"
        if len(there) < len(r.systems)
        else "",
    ]
    return (*first, *(f"; {claim}" for claim in claims if claim), ".")


def _partly(r: Ranking, there: Sequence[Ranked]) -> Text:
    """Say who has the highest rating, how many may be best, and that some have no rating."""
    top = [one for one in there if one.score == there[0].score]
    lacking = len(r.systems) - len(there)
    rest = f"; {_none_or_some(r)} as best; {several(lacking, 'system')} without a rating."
    told = (f"Of the {whole(len(there))} systems with a rating, ", *_top(r, top), rest)
    alone = [one for one in r.systems if one.score is None and r.best == (one.name,)]
    if not alone:
        return told
    return ("Only ", Name(label(r, alone[0].name)), " can't be ruled out as best; it has no rating. ", *told)


def _none_or_some(r: Ranking) -> str:
    """Say how many can't be ruled out, of all."""
    open_, every = len(r.best), len(r.systems)
    if open_ == every:
        return f"none of the {whole(every)} can be ruled out"
    return f"{whole(open_)} of all {whole(every)} can't be ruled out"


def _unrated(r: Ranking) -> Text:
    """Say who wins if nobody has a rating, since no model both won and lost, maybe through others, against another."""
    if len(r.systems) > 2:
        return f"No model has a rating; {_none_or_some(r)} as best."
    (pair,) = r.pairs
    claim = best_first(pair.verdict, label(r, pair.a), label(r, pair.b))
    met = r.battles.head_to_head if r.battles else ()
    won = f"won {percent(met[0].win_rate)} of {several(met[0].battles, 'battle')}" if met else "never met"
    told = (*claim, ": ", Name(label(r, pair.b)), f" {won}") if pair.verdict != "b better" else (*claim, f": it {won}")
    return (*told, f" ({p_equation(pair.p_value, r.alpha)}); no rating says by how much.")


def _scored(r: Ranking) -> list[Ranked]:
    return [one for one in r.systems if known(one.score)]


def _standing(r: Ranking, *standings: str) -> list[Ranked]:
    return [one for one in r.systems if one.standing in standings and one.name != r.baseline]


def _are(count: int) -> str:
    return f"{whole(count)} {'is' if count == 1 else 'are'}"


def _what(r: Ranking, one: Ranked) -> str:
    return f"{metric(r)} {score(r, one)}{'' if r.higher_is_better else ', lower is better'}"


def _top(r: Ranking, top: Sequence[Ranked]) -> tuple[str, ...]:
    """Name the system with the highest score, or those that share it."""
    most = "highest" if r.higher_is_better else "lowest"
    if len(top) == 1:
        return (Name(label(r, top[0].name)), f" scores {most} ({_what(r, top[0])})")
    if len(top) > NAMED:
        return (f"{whole(len(top))} systems score {most} ({_what(r, top[0])} each)",)
    return (*apart_in_a_list([label(r, one.name) for one in top]), f" score {most} ({_what(r, top[0])} each)")


def _beats(r: Ranking, best: str, others: Sequence[str]) -> bool:
    """Say whether one is significantly better than each of some others."""
    beaten = {pair.b if pair.verdict == "a better" else pair.a for pair in r.pairs if _winner(pair) == best}
    return beaten >= set(others)


def _winner(pair: RankedPair) -> str | None:
    return {"a better": pair.a, "b better": pair.b}.get(pair.verdict)


def _duel(r: Ranking) -> Text:
    """Say which of two is better."""
    (pair,), what = r.pairs, metric(r)
    (a, b), (first, second) = (
        (Name(label(r, one)) for one in (pair.a, pair.b)),
        (score(r, r[one]) for one in (pair.a, pair.b)),
    )
    if pair.difference == 0:
        return ("Too close to call: ", b, " and ", a, f" have the same {what}, {first}.")
    # No system of a ranking is the candidate: the best comes first, and how far it is ahead has no sign, unlike B − A in the table.
    turned = pair.verdict == "a better"
    limits = [
        scale(r).difference(pair.difference, sign=not turned),
        terms(r).equation(pair.p_value, r.alpha),
        "" if r.higher_is_better else "lower is better",
    ]
    told = (
        claimed("b better", (b, a), what, (second, first))
        if turned
        else claimed(pair.verdict, (a, b), what, (first, second))
    )
    return (*told, f" ({', '.join(filter(None, limits))}).")


def _against(r: Ranking, baseline: str) -> Text:
    """Say how many are better and worse than the baseline, and how many can't be told apart from it."""
    base, others = r[baseline], len(r.systems) - 1
    better, worse, open_ = (_standing(r, one) for one in ("better", "worse", "not ruled out"))
    name, what = Name(label(r, baseline)), f" ({_what(r, base)})" if known(base.score) else ""
    if len(better) == others or len(worse) == others:
        return (
            f"All {whole(others)} other systems are {terms(r).surely}{'better' if better else 'worse'} than ",
            name,
            f"{what}.",
        )
    if not better and not worse:
        return (f"None of the other {whole(others)} systems can be told apart from ", name, f"{what}.")
    of = f" of the other {whole(others)} systems {'is' if len(better) <= 1 else 'are'}"
    rest = [
        f"{_are(len(worse))} {terms(r).surely}worse" if worse else "",
        f"{whole(len(open_))} can't be told apart from it" if open_ else "",
    ]
    first = f"{whole(len(better)) if better else 'None'}{of} {terms(r).surely}better than "
    return (first, name, what, *(f"; {claim}" for claim in rest if claim), ".")


def details(r: Ranking) -> Text:
    """Name those that can't be ruled out, and say what that promises."""
    there = _scored(r)
    if not there or len(r.systems) == 2:
        return ""
    if r.baseline is not None:
        sides = {"better": "Better", "worse": "Worse", "not ruled out": "Not told apart"}
        found = {words: _standing(r, kind) for kind, words in sides.items()}
        return join(*((f"{words}: ", *_names(r, ones), ".") for words, ones in found.items() if 0 < len(ones) <= NAMED))
    open_ = [one for one in _standing(r, "not ruled out", "top scorer") if one.score != there[0].score]
    if r.battles is not None and len(there) < len(r.systems):
        may = [one for one in r.systems if one.name in r.best]
        named_ = ("Not ruled out as best: ", *_names(r, may), ".") if 0 < len(may) <= NAMED else ""
        return join(named_, _promise(r)) if len(may) < len(r.systems) else ""
    some: Text = (
        ("Not ruled out as best besides the top scorer: ", *_names(r, open_), ".") if 0 < len(open_) <= NAMED else ""
    )
    return join(some, _promise(r)) if len(r.best) < len(there) else ""


def promises(r: Ranking) -> bool:
    """Say whether the chance of any false claim is bounded: adjustments of p-values do that, a posterior promises no error rate."""
    return r.adjust in KEEPS and not believed(r)


def _names(r: Ranking, ones: Sequence[Ranked]) -> tuple[str, ...]:
    return apart_in_a_list([label(r, one.name) for one in ones])


def _promise(r: Ranking) -> str:
    """Say what the set of those that are not ruled out is good for."""
    if not promises(r):
        return ""
    sure = f"With {percent(1 - r.alpha)} confidence"
    if len(r.best) == 1:
        return f"{sure} no other system is truly better."
    return f"{sure} the truly best system is among these {whole(len(r.best))}."


def sentences(r: Ranking) -> list[str]:
    """Say the same in plain sentences."""
    return [plain(text) for text in (headline(r), details(r)) if text]


def metric(r: Ranking) -> str:
    """Return what was measured."""
    return phrases.metric(r)


@lru_cache(maxsize=16)
def _labels(names: tuple[str, ...]) -> dict[str, str]:
    return dict(zip(names, apart([clean(name, LONG) or "?" for name in names], clean), strict=True))


def label(r: Ranking, name: str) -> str:
    """Return a name that is safe to print, and not that of another system."""
    return _labels(tuple(one.name for one in r.systems))[name]


def scale(r: Ranking) -> Scale:
    """Say how the scores and their differences are written."""
    widths = [(i.high - i.low) / 2 for i in (one.interval for one in r.systems) if i and known(i.high - i.low)]
    half = min((width for width in widths if width > 0), default=None)
    differences = [r.pairs[0].difference] if len(r.systems) == 2 else []
    return Scale.fitting(phrases.unit(r.metric_info), [one.score for one in r.systems[:2]], differences, half=half)


def score(r: Ranking, one: Ranked) -> str:
    """Write the score of a system."""
    return scale(r).score(one.score)


def ranks(one: Ranked) -> str:
    """Write the range of ranks that the data support."""
    if one.rank_low is None or one.rank_high is None:
        return ""
    return f"{one.rank_low}" if one.rank_low == one.rank_high else f"{one.rank_low}\N{EN DASH}{one.rank_high}"


def standing(r: Ranking, one: Ranked) -> str:
    """Say in a word or two what became of a system."""
    if one.name == r.baseline:
        return "baseline"
    if one.standing == "unknown":
        return "no score"
    if r.baseline is not None:
        return "can't tell" if one.standing == "not ruled out" else one.standing
    return f"worse than {whole((one.rank_low or 2) - 1)}" if one.standing == "worse" else one.standing


def verdict(r: Ranking, pair: RankedPair) -> str:
    """Return the verdict on a pair with the systems' own names."""
    if pair.p_value is None:
        return "not tested"
    return named(pair.verdict, label(r, pair.a), label(r, pair.b))


def heading(r: Ranking) -> str:
    """Say what the table of pairs is of."""
    about = ["in points"] if scale(r).points else []
    if any(pair.interval for pair in r.pairs):
        kind = "" if len(r.pairs) == 1 or r.adjust == "none" else "simultaneous "
        about.append(f"{kind}{percent(1 - r.alpha)} intervals")
    if len(r.pairs) > 1 and r.adjust != "none":
        about.append(
            f"{terms(r).adjusted} adjusted for {several(len(r.pairs), 'comparison')} ({method_names.adjustment(r.adjust)})"
        )
    title = "The pair" if len(r.pairs) == 1 else f"All {whole(len(r.pairs))} pairs"
    against = title if r.baseline is None else f"Against {label(r, r.baseline)}"
    return ", ".join(filter(None, [against, "; ".join(about)]))


def facts(r: Ranking) -> list[tuple[str, str]]:
    """Return what lies behind the tables, as pairs of a label and what to say."""
    many = len(r.systems) > 2
    rows = {
        "slice": clean(r.slice) if r.slice is not None else "",
        "examples": "" if r.battles else f"{size(r)}{f'; {whole(r.dropped)} left out' if r.dropped else ''}",
        "weights": phrases.weighting(r.weights),
        **battles.facts(r),
        "test": method_names.test_name(r.test),
        "reason": clean(r.reason, 500),
        "adjusted": adjusted(r),
        "Cochran's Q": cochran(r),
        "ranks": "" if r.baseline is not None or not many else _meaning(r),
        "intervals": (battles.ALONE if r.battles else NOT_FOR_COMPARING)
        if any(one.interval for one in r.systems)
        else "",
    }
    return filled(rows)


def adjusted(r: Ranking) -> str:
    """Say how p-values are adjusted, and what that promises."""
    if len(r.pairs) == 1:
        return ""
    share, pairs = percent(r.alpha), several(len(r.pairs), "pair")
    if believed(r):
        each = f"each pair is judged by its own {percent(1 - r.alpha)} credible interval"
        wider = f"{method_names.adjustment(r.adjust)} over {pairs}: verdicts ask for more than each tail area alone"
        return f"no: {each}" if r.adjust == "none" else wider
    if r.adjust == "none":
        return f"no: each pair has a false-alarm rate of {share} of its own, so among {pairs} some claims may well be false"
    method = f"{method_names.adjustment(r.adjust)} over {pairs}"
    if r.adjust in KEEPS:
        return f"{method}: the chance of any false claim among them is at most {share}"
    return f"{method}: of the differences that are claimed, on average at most {share} are false"


def cochran(r: Ranking) -> str:
    """Say what Cochran's Q test of all systems at once shows."""
    if r.overall is None or len(r.systems) == 2:
        return ""
    p = r.overall["p_value"]
    so = "not all systems are equally good" if p <= r.alpha else "these data don't show that any two systems differ"
    return f"{r.overall['statistic']:,.1f} on {r.overall['df']:.0f} degrees of freedom, {p_equation(p, r.alpha)}: {so}"


def _meaning(r: Ranking) -> str:
    counted = f"from 1 + the number of systems that are {terms(r).surely}better to the last place but for those that are worse"
    sure = f"; with {percent(1 - r.alpha)} confidence all ranges hold at once" if promises(r) else ""
    return f"{counted}{sure}"


def group(r: Ranking, names: Sequence[str]) -> tuple[str, str, str, str]:
    """Return the places of systems that can't be told apart, how many they are, and the first and the last of them."""
    first, last = r[names[0]], r[names[-1]]
    places = f"{first.rank}" if first.rank == last.rank else f"{first.rank}\N{EN DASH}{last.rank}"
    return places, whole(len(names)), label(r, first.name), label(r, last.name)


def leaders(r: Ranking) -> list[str]:
    """Return the names of those that score highest."""
    return [one.name for one in r.systems if one.standing == "top scorer"]


def summary(r: Ranking) -> tuple[str, str, str, str]:
    """Return the row of a slice: who leads it, with which score, how many are not ruled out, and how many are worse."""
    if r.baseline is not None:
        better, open_, worse = (whole(len(_standing(r, kind))) for kind in ("better", "not ruled out", "worse"))
        return score(r, r[r.baseline]), better, open_, worse
    there = _scored(r)
    leader = "" if not there else label(r, there[0].name)
    more = len(leaders(r)) - 1
    shared = f"{leader} and {several(more, 'other')}" if more > 0 else leader
    return shared, score(r, there[0]) if there else "", whole(len(r.best)), whole(len(_standing(r, "worse")))


def sure(r: Ranking, pair: RankedPair) -> str:
    """Write the p-value that a verdict follows."""
    return p_value(pair.p_adjusted, r.alpha)
