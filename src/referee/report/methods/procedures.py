"""Procedures in words: what a test, an interval, an adjustment and a metric are, and where a p-value comes from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from referee.report import phrases
from referee.report.document import Formula
from referee.report.methods.references import Cite, Prose, cite, cited, code, prose
from referee.report.numbers import known
from referee.results.algorithms import Standings
from referee.results.audit import Audit
from referee.results.comparison import Comparison
from referee.results.settings import ASKED_FOR, Settings
from referee.results.test_info import P_FROM, TestInfo, said

Result: TypeAlias = Comparison | Standings | Audit

INDEPENDENTLY = "which treats the two systems as independent of each other"
SCORE = "the score interval, which holds all values that the score test does not reject"
GROUPS = (
    "the t interval over groups with the bias-reduced (CR2) standard error, on the effective number of groups less one"
)
INTERVALS = {
    "wilson": said("Wilson's score interval", "wilson1927"),
    "t": said("Student's t interval", "student1908"),
    "cluster-t": said(GROUPS, "bell2002", "pustejovsky2018"),
    "robust-t": said("a t interval with a standard error that is robust to dependence within groups", "liang1986"),
    "skew-t": said("the hull of Student's t interval and Hall's, which allows for skewness", "hall1992"),
    "obuchowski-t": said("a t interval with Obuchowski's variance for clustered pairs", "obuchowski1998"),
    "normal": said("a normal (Wald) interval"),
    "score": said(SCORE, "rao1948", "tango1998"),
    "score-sampled": said(f"{SCORE}, by test sets drawn from their nearest worlds", "rao1948", "tango1998"),
    "delong": said("a normal interval with DeLong's variance", "delong1988"),
    "delong-t": said("a t interval with DeLong's variance", "delong1988"),
    "tango": said("Tango's score interval", "tango1998"),
    "wald": said("Wald's interval for paired proportions"),
    "agresti-min": said("Agresti and Min's interval", "agresti2005"),
    "bonett-price": said("Bonett and Price's interval", "bonett2012"),
    "newcombe": said("Newcombe's interval for paired proportions", "newcombe1998"),
    "wald-independent": said(f"Wald's interval of two proportions, {INDEPENDENTLY}"),
    "t-independent": said(f"the t interval of two means, {INDEPENDENTLY}", "student1908"),
    "randomization": said("the set of differences that the randomization test does not reject"),
    "bootstrap-percentile": said("the percentile bootstrap interval", "efron1993"),
    "bootstrap-basic": said("the basic bootstrap interval", "davison1997"),
    "bootstrap-centered": said("the bootstrap interval centred at the mean of the draws", "efron1993"),
    "bootstrap-bca": said("the bias-corrected and accelerated (BCa) bootstrap interval", "efron1987"),
    "bootstrap-se-t": said("a t interval with the bootstrap's standard error", "efron1993"),
    "bootstrap-studentized": said("the studentized bootstrap interval", "davison1997"),
    "corrected-t": said("a t interval with the corrected variance", "nadeau2003"),
    "5x2cv-f": said("made of the differences that the F test would not reject", "alpaydin1999"),
    "5x2cv-t": said("a t interval about the first difference", "dietterich1998"),
    "posterior": said("the credible interval of the posterior", "corani2015"),
}
"""How each interval is called, and where it comes from."""
ADJUSTMENTS = {
    "holm": said("Holm's method", "holm1979"),
    "hochberg": said("Hochberg's method", "hochberg1988"),
    "bh": said("the method of Benjamini and Hochberg, which bounds the false discovery rate", "benjamini1995"),
    "by": said("the method of Benjamini and Yekutieli, which bounds the false discovery rate", "benjamini2001"),
    "bonferroni": said("Bonferroni's method", "dunn1961"),
}
RESAMPLED = tuple(name for name in INTERVALS if name.startswith("bootstrap-"))
"""The intervals of the bootstrap."""


def level_of(alpha: float) -> Formula:
    """Write the level of a test."""
    return Formula(f"alpha = {alpha:g}")


def joined(parts: Iterable[Prose], comma: str = ", ", last: str = " and ") -> Prose:
    """Write several phrases as one, with this between them, and that before the last."""
    every, pieces = list(parts), Prose()
    for place, part in enumerate(every, 1):
        pieces += [last if place == len(every) else comma, *part] if place > 1 else part
    return pieces


def procedure(spelling: str, test: TestInfo | None, margin: bool = False) -> Prose:
    """Say which test it is, with citations: a noun phrase.

    Args:
        spelling: the test.
        test: what is known of it.
        margin: whether it is asked about a margin, and not about a tie.
    """
    if test is None:
        return [f"the test {phrases.clean(spelling, 200)}"]
    if margin and not test.one_law:
        return ["the interval of the difference"]
    if test.procedure:
        return prose(test.procedure)
    works, more = cited(test.reference)
    source = [Cite(works, more)] if works or more else []
    return [f"the test {test.name} ({phrases.clean(test.summary, 300).rstrip('.')})", *source]


def origin(test: TestInfo | None, method: str, error: float | None = None, margin: bool = False) -> Prose:
    """Say where the p-value comes from: a sentence.

    Args:
        test: what is known of the test.
        method: "exact", "monte-carlo" or "asymptotic".
        error: the standard error of a p-value that was drawn.
        margin: whether it is of a question about a margin.
    """
    if margin and not (test and test.one_law):
        level = "at a level of 1 - 2 alpha"
        return [f"The p-value is the smallest alpha at which that interval, {level}, leaves out the margin."]
    words = prose((test.p_from if test else P_FROM)[method])
    if method == "monte-carlo" and known(error) and error > 0:
        words.append(f"; its Monte-Carlo standard error is {error:.1g}")
    return [*words, "."]


def interval(method: str) -> Prose:
    """Say what an interval is: a noun phrase."""
    return prose(INTERVALS.get(method) or said(f"by the method {phrases.clean(method)}"))


def adjusted(name: str, count: int, what: str) -> Prose:
    """Say how p-values are adjusted for being several: a sentence."""
    if name == "none":
        return [f"The p-values of the {count:,} {what} are not adjusted for being several."]
    method = ADJUSTMENTS.get(name) or said(f"the method {phrases.clean(name)}")
    return [f"The p-values of the {count:,} {what} are adjusted by ", *prose(method), "; the verdicts follow these."]


def metric_name(r: Result) -> str:
    """Name a metric, with its averaging and its options."""
    return (phrases.clean(r.metric_info.name, 200) if r.metric_info else phrases.clean(r.metric)) or "score"


def described(r: Result) -> Prose:
    """Name a metric with what it is and which way is better, where that is known, and cite where it comes from."""
    metric = r.metric_info
    higher = r if not isinstance(r, Audit) else metric
    better = f"{'higher' if higher.higher_is_better else 'lower'} is better" if higher else "of the user"
    meaning = f"{phrases.clean(metric.definition, 300)}; " if metric and metric.definition else ""
    source = [cite(*metric.works)] if metric and meaning and metric.works else []
    return [f"{metric_name(r)} ({meaning}{better})", *source]


def chosen_because(reasons: set[str]) -> Prose:
    """Say why the test was chosen, where it was chosen here and for one reason: a sentence."""
    words = [phrases.clean(reason, 1000).rstrip(".") for reason in reasons]
    return [f"This test was chosen because {words[0]}."] if len(words) == 1 and words[0] not in ("", ASKED_FOR) else []


def software(settings: Settings | None, signature: str = "") -> Prose:
    """Name the software, with the line that it takes to get the same numbers again."""
    version = f"referee {settings.version}" if settings else "referee"
    if not signature:
        return [f"The numbers were computed with {version}."]
    return [f"The numbers were computed with {version} (signature: ", code(phrases.clean(signature, 2000)), ")."]
