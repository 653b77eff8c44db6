"""Systems over datasets in words: who ranks best, who cannot be ruled out as its equal, who is significantly worse."""

from __future__ import annotations

from collections.abc import Sequence

from referee.report import phrases
from referee.report.document import Name, Text, join, plain
from referee.report.numbers import Scale, known, number, p_equation, p_value, percent, whole
from referee.report.phrases import apart_in_a_list, filled, listed, method_names, several
from referee.report.phrases.algorithms import label, numeral
from referee.report.phrases.verdicts import best_first, named
from referee.results.dataset_ranking import DatasetPair, DatasetRanking

MUCH_THE_SAME = ("best", "Friedman")
"""Facts that are not told unless somebody asks for all."""
NAMED = 4
"""So many systems are named in a sentence; of more, the number is told."""
TESTS = {
    "wilcoxon-holm": "Wilcoxon signed-rank test of every pair",
    "nemenyi": "Nemenyi's test of the average ranks",
    "bonferroni-dunn": "Bonferroni-Dunn test of the average ranks against the baseline",
    "bayes": "Bayesian signed-rank test of every pair",
}


def headline(r: DatasetRanking) -> Text:
    """Say in one line who ranks best, or which of two is better."""
    first = r.systems[0]
    if _same(r):
        return f"All {numeral(len(r.systems))} systems have the same {metric(r)} on every dataset: nothing tells them apart."
    if len(r.systems) == 2:
        return _duel(r, r.pairs[0])
    if r.baseline is not None:
        return _against(r)
    name, ranked = Name(label(first.name)), f"average rank {rank(first.average_rank)}"
    if len(r.best) == len(r.systems):
        none = f"None of the {numeral(len(r.systems))} systems is {_surely(r, 'better than another')} {_over(r)}; "
        return (none, name, f" ranks best ({ranked}).")
    if r.best == (first.name,):
        return (name, f" is best {_over(r)}: {ranked}, and {_surely(r, 'better than every other')}.")
    return (name, f" ranks best {_over(r)} ({ranked}).")


def details(r: DatasetRanking) -> Text:
    """Say what each of the others is to the first, and whether the systems differ at all."""
    if _same(r):
        return ""
    others = _duel_details(r) if len(r.systems) == 2 else "" if r.baseline is not None else _others(r)
    return join(others, overall(r) if len(r.systems) > 2 else "")


def sentences(r: DatasetRanking) -> list[str]:
    """Say the same in plain sentences."""
    return [plain(text) for text in (headline(r), details(r)) if text]


def _duel(r: DatasetRanking, pair: DatasetPair) -> Text:
    """Say which of two is better."""
    a, b = Name(label(pair.a)), Name(label(pair.b))
    sure = _brief(r, pair)
    if pair.verdict == "too close to call":
        first, second = (a, b), pair.wins[:2]
        return (
            "Too close to call ",
            f"{_over(r)}: ",
            first[0],
            f" is better on {whole(second[0])}, ",
            first[1],
            f" on {whole(second[1])}{_tied(pair)} ({sure}).",
        )
    ahead, behind = (pair.wins[0], pair.wins[1]) if pair.verdict == "a better" else (pair.wins[1], pair.wins[0])
    counted = f": better on {whole(ahead)}, worse on {whole(behind)}{_tied(pair)}"
    if pair.verdict == "practically equal":
        counted = ""
    return (*best_first(pair.verdict, a, b), f" {_over(r)}{counted} ({sure}).")


def _tied(pair: DatasetPair) -> str:
    return f", equal on {whole(pair.wins[2])}" if pair.wins[2] else ""


def _duel_details(r: DatasetRanking) -> str:
    pair, shown = r.pairs[0], scale(r)
    first, second = (f"{label(name)} {shown.score(r[name].score)}" for name in (pair.a, pair.b))
    means = f"Mean {metric(r)}: {first}, {second}."
    if pair.probabilities:
        return f"{means} {_chances(pair)}"
    return means


def _chances(pair: DatasetPair) -> str:
    chances = pair.probabilities or {}
    return (
        f"The probability that {label(pair.a)} is better is {percent(chances['a'])}, that {label(pair.b)} is "
        f"{percent(chances['b'])}, and that they are practically equal {percent(chances['equal'])}."
    )


def _against(r: DatasetRanking) -> Text:
    """Say what each of the others is to the baseline."""
    claims = {
        "b better": f" {{}} {_surely(r, 'better')}",
        "practically equal": " {} practically equal to it",
        "too close to call": " can't be ruled out as its equal",
        "a better": f" {{}} {_surely(r, 'worse')}",
    }
    parts: list[str] = []
    for verdict, claim in claims.items():
        names = [pair.b for pair in r.pairs if pair.verdict == verdict]
        if names:
            told = claim.format("is" if len(names) == 1 else "are")
            parts += ["; " if parts else "", *_some(names, len(r.pairs)), told]
    base = Name(label(r.baseline or ""))
    return ("Compared with ", base, f" {_over(r)}: ", *parts[1:], ".")


def _others(r: DatasetRanking) -> Text:
    """Say what each of the others is to the system that ranks first."""
    top = r.systems[0].name
    against = {one.name: r.pair(top, one.name) for one in r.systems[1:]}
    if r.best == (top,):
        return ""
    groups: dict[str, list[str]] = {}
    for name, pair in against.items():
        groups.setdefault(_standing(r, pair, name), []).append(name)
    claims = {
        "better": f" {{}} {_surely(r, 'better than it')}",
        "practically equal": " {} practically equal to it",
        "close": " can't be ruled out as its equal",
        "beaten": f" can't be ruled out as its equal, but {{}} {_surely(r, 'worse than another')}",
        "worse": f" {{}} {_surely(r, 'worse')}{_adjusted(r)}",
    }
    parts: list[str] = []
    for kind, claim in claims.items():
        if kind in groups:
            told = claim.format("is" if len(groups[kind]) == 1 else "are")
            parts += ["; " if parts else "", *_some(groups[kind], len(against)), told]
    first, *rest = parts[1:]
    return (first if isinstance(first, Name) else f"{first[0].upper()}{first[1:]}", *rest, ".")


def _standing(r: DatasetRanking, pair: DatasetPair, name: str) -> str:
    """Return what one of a pair is to the other, which ranks first."""
    if pair.verdict in ("practically equal", "too close to call"):
        close = "close" if name in r.best else "beaten"
        return close if pair.verdict == "too close to call" else pair.verdict
    return "better" if (pair.verdict == "b better") == (pair.b == name) else "worse"


def _adjusted(r: DatasetRanking) -> str:
    if is_bayesian(r) or len(r.pairs) < 2:
        return ""
    return f" after adjusting for {whole(len(r.pairs))} comparisons ({adjustment(r)})"


def overall(r: DatasetRanking) -> str:
    """Say whether the systems differ at all."""
    p = r.iman_davenport["p_value"]
    shown = p_equation(p, r.alpha)
    if known(p) and p <= r.alpha:
        return f"The ranks differ more than chance explains (Iman and Davenport's form of the Friedman test, {shown})."
    return f"Chance alone would explain how the ranks differ (Iman and Davenport's form of the Friedman test, {shown})."


def _some(names: Sequence[str], of: int) -> tuple[str, ...]:
    """Name a few; of many tell the number."""
    if len(names) == of > 1:
        return (f"the other {numeral(of)}",)
    if len(names) <= NAMED:
        return apart_in_a_list([label(name) for name in names])
    return (f"{numeral(len(names))} others",)


def _surely(r: DatasetRanking, claim: str) -> str:
    return (
        f"{claim} with a probability of {percent(1 - r.alpha)} or more" if is_bayesian(r) else f"significantly {claim}"
    )


def _brief(r: DatasetRanking, pair: DatasetPair) -> str:
    if pair.probabilities:
        return f"probability {percent(max(pair.probabilities.values()))}"
    return p_equation(pair.p_adjusted, r.alpha)


def _over(r: DatasetRanking) -> str:
    return f"over {several(r.n, 'dataset')}"


def _same(r: DatasetRanking) -> bool:
    return all(pair.wins[:2] == (0, 0) for pair in r.pairs)


def is_bayesian(r: DatasetRanking) -> bool:
    """Say whether there are probabilities in place of p-values."""
    return r.test == "bayes"


def rank(value: float) -> str:
    """Write an average rank."""
    return number(value, 2)


def metric(r: DatasetRanking) -> str:
    """Return what was measured."""
    return phrases.metric_name(r.metric, r.metric_info)


def scale(r: DatasetRanking) -> Scale:
    """Say how scores and their differences are written."""
    scores = [system.score for system in r.systems]
    return Scale.fitting(phrases.unit(r.metric_info), scores[:2], [pair.difference for pair in r.pairs[:1]])


def adjustment(r: DatasetRanking) -> str:
    """Return how p-values are adjusted."""
    names = {"nemenyi": "Nemenyi", "bonferroni": "Bonferroni-Dunn"}
    return names.get(r.adjust or "", method_names.adjustment(r.adjust or "none"))


def test_name(r: DatasetRanking) -> str:
    """Name the test."""
    if r.baseline is not None:
        if r.test == "nemenyi":
            return TESTS["bonferroni-dunn"]
        return TESTS[r.test].replace("every pair", "the baseline with every other")
    return TESTS[r.test].removesuffix(" of every pair") if len(r.pairs) == 1 else TESTS[r.test]


def heading(r: DatasetRanking) -> str:
    """Say what the table of pairs is of."""
    about = ["mean differences in points"] if scale(r).points else []
    if len(r.pairs) > 1 and not is_bayesian(r):
        about.append(f"p adjusted for {whole(len(r.pairs))} pairs ({adjustment(r)})")
    what = "The pair" if len(r.pairs) == 1 else "All pairs" if r.baseline is None else "Pairs with the baseline"
    return ", ".join(filter(None, [what, "; ".join(about)]))


def verdict(pair: DatasetPair) -> str:
    """Return the verdict with the systems' own names."""
    return named(pair.verdict, label(pair.a), label(pair.b))


def facts(r: DatasetRanking) -> list[tuple[str, str]]:
    """Return what lies behind the tables, as pairs of a label and what to say."""
    left_out = f"; {whole(r.dropped)} more left out because a score is missing" if r.dropped else ""
    sure = f"a probability of {percent(1 - r.alpha)}" if is_bayesian(r) else f"alpha {percent(r.alpha)}"
    rope = (
        ""
        if r.rope is None
        else f"differences within ±{phrases.size_of(r.rope, phrases.unit(r.metric_info))} don't matter"
    )
    cd = (
        ""
        if r.critical_difference is None
        else f"{rank(r.critical_difference)}: average ranks that differ by more are significantly different"
    )
    alone = "none: every two systems are told apart" if len(r.systems) > 2 and r.baseline is None else ""
    rows = {
        "datasets": f"{whole(r.n)}, each of which counts once{left_out}",
        "better": "" if r.higher_is_better else f"lower {metric(r)}",
        "Friedman": _friedman(r),
        "test": test_name(r),
        "practically equal": rope,
        "critical difference": cd,
        "not told apart": _groups(r) or alone,
        "best": f"no other is {_surely(r, 'better')}, at {sure}" if r.baseline is None and not is_bayesian(r) else "",
    }
    return filled(rows)


def _groups(r: DatasetRanking) -> str:
    if len(r.together) == 1 and len(r.together[0]) == len(r.systems):
        return "all of them" if len(r.systems) > 2 else ""
    return "; ".join(listed([label(name) for name in group]) for group in r.together)


def _friedman(r: DatasetRanking) -> str:
    """Write both forms of Friedman's test."""
    chi2, f = r.friedman, r.iman_davenport
    if chi2["statistic"] is None:
        return ""
    first = f"χ² = {number(chi2['statistic'], 2)} on {chi2['df']:.0f} degrees of freedom, {p_equation(chi2['p_value'], r.alpha)}"
    size = "infinite" if f["statistic"] is None else f"= {number(f['statistic'], 2)}"
    return f"{first}; Iman-Davenport F {size} on {f['df']:.0f} and {f['df_error']:.0f}, {p_equation(f['p_value'], r.alpha)}"


def sure_columns(r: DatasetRanking) -> dict[str, list[str]]:
    """Return the columns of the table of pairs that say how sure verdicts are."""
    if is_bayesian(r):
        kinds = {"A better": "a", "equal": "equal", "B better": "b"}
        return {name: [percent((pair.probabilities or {}).get(key)) for pair in r.pairs] for name, key in kinds.items()}
    found = {"p": [p_value(pair.p_value, r.alpha) for pair in r.pairs]}
    return found | ({"adjusted": [p_value(pair.p_adjusted, r.alpha) for pair in r.pairs]} if len(r.pairs) > 1 else {})
