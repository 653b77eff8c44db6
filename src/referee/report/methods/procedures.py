"""Procedures in words: what a test does, where its p-value comes from, what an interval and an adjustment are."""

from __future__ import annotations

from collections.abc import Callable

from referee.report import phrases
from referee.report.methods.prose import Prose, cite, cite_reference
from referee.report.numbers import known, whole
from referee.studies.test_info import Credentials, credentials

INDEPENDENT = "which takes the two systems for independent of each other"
CLUSTERED = {
    "obuchowski": ("Obuchowski's", "obuchowski1998"),
    "durkalski": ("Durkalski's", "durkalski2003"),
    "eliasziw": ("Eliasziw and Donner's", "eliasziw1991"),
    "yang": ("Yang's", "yang2010"),
}
INTERVALS: dict[str, tuple[str, tuple[str, ...]]] = {
    "wilson": ("Wilson's score interval", ("wilson1927",)),
    "t": ("Student's t interval", ("student1908",)),
    "cluster-t": (
        "the t interval over groups with the bias-reduced (CR2) standard error, on the effective number of groups less one",
        ("bell2002", "pustejovsky2018"),
    ),
    "robust-t": ("a t interval with a standard error that is robust to dependence within groups", ("liang1986",)),
    "skew-t": ("the hull of Student's t interval and Hall's, which allows for skewness", ("hall1992",)),
    "obuchowski-t": ("a t interval with Obuchowski's variance for clustered pairs", ("obuchowski1998",)),
    "normal": ("a normal (Wald) interval", ()),
    "score": (
        "the score interval, which holds all values that the score test does not reject",
        ("rao1948", "tango1998"),
    ),
    "score-sampled": (
        "the score interval, which holds all values that the score test does not reject, by test sets drawn from their nearest worlds",
        ("rao1948", "tango1998"),
    ),
    "delong": ("a normal interval with DeLong's variance", ("delong1988",)),
    "delong-t": ("a t interval with DeLong's variance", ("delong1988",)),
    "tango": ("Tango's score interval", ("tango1998",)),
    "wald": ("Wald's interval for paired proportions", ()),
    "agresti-min": ("Agresti and Min's interval", ("agresti2005",)),
    "bonett-price": ("Bonett and Price's interval", ("bonett2012",)),
    "newcombe": ("Newcombe's interval for paired proportions", ("newcombe1998",)),
    "wald-independent": (f"Wald's interval of two proportions, {INDEPENDENT}", ()),
    "t-independent": (f"the t interval of two means, {INDEPENDENT}", ("student1908",)),
    "randomization": ("the set of differences that the randomization test does not reject", ()),
    "bootstrap-percentile": ("the percentile bootstrap interval", ("efron1993",)),
    "bootstrap-basic": ("the basic bootstrap interval", ("davison1997",)),
    "bootstrap-centered": ("the bootstrap interval centred at the mean of the draws", ("efron1993",)),
    "bootstrap-bca": ("the bias-corrected and accelerated (BCa) bootstrap interval", ("efron1987",)),
    "bootstrap-se-t": ("a t interval with the bootstrap's standard error", ("efron1993",)),
    "bootstrap-studentized": ("the studentized bootstrap interval", ("davison1997",)),
    "corrected-t": ("a t interval with the corrected variance", ("nadeau2003",)),
    "5x2cv-f": ("made of the differences that the F test would not reject", ("alpaydin1999",)),
    "5x2cv-t": ("a t interval about the first difference", ("dietterich1998",)),
    "posterior": ("the credible interval of the posterior", ("corani2015",)),
}
"""How each interval is called, and where it comes from."""
ADJUSTMENTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "holm": ("Holm's method", ("holm1979",)),
    "hochberg": ("Hochberg's method", ("hochberg1988",)),
    "bh": ("the method of Benjamini and Hochberg, which bounds the false discovery rate", ("benjamini1995",)),
    "by": ("the method of Benjamini and Yekutieli, which bounds the false discovery rate", ("benjamini2001",)),
    "bonferroni": ("Bonferroni's method", ("dunn1961",)),
}
STUDENT = "Student's t distribution"
LAWS = {
    "cluster-t": "Student's t distribution on the effective number of groups less one",
    "skew-t": "Student's t distribution, on degrees of freedom that allow for heavy tails",
    "paired-t": STUDENT,
    "two-sample-t": STUDENT,
    "corrected-t": STUDENT,
    "t": STUDENT,
    "5x2cv-t": "Student's t distribution with 5 degrees of freedom",
    "5x2cv-f": "the F distribution with 10 and 5 degrees of freedom",
}
"""Where the p-value of a test of ours comes from that is neither exact nor drawn, if not from the normal distribution."""
ONE_LAW = ("score", "cluster-t", "skew-t", "delong", "paired-t", "two-sample-t")
"""The tests whose p-value of any difference comes from the law that their p-value of a tie comes from."""
DRAWN: dict[str, Prose] = {
    "randomization": [" as (hits + 1)/(draws + 1)", cite("phipson2010")],
    "bootstrap": [" by inverting the interval", cite("davison1997")],
    "score": [" of test sets from that world, as (hits + 1)/(draws + 1)", cite("phipson2010")],
}
"""How the p-value of a test comes from its draws."""


def procedure(spelling: str, grouped: bool = False, margin: bool = False) -> Prose:
    """Say which test it is, with citations: a noun phrase.

    Args:
        spelling: the test.
        grouped: whether its units are groups of examples.
        margin: whether it is asked about a margin, and not about a tie.
    """
    found = credentials(spelling)
    if found is None:
        return [f"the test {phrases.clean(spelling, 200)}"]
    if margin and found.name not in ONE_LAW:
        return ["the interval of the difference"]
    if found.name in PROCEDURES:
        return PROCEDURES[found.name](found, grouped)
    summary = phrases.clean(found.summary, 300).removesuffix(".")
    return [f"the test {found.name} ({summary})", *cite_reference(found.reference)]


def _mcnemar(test: Credentials, grouped: bool) -> Prose:
    if grouped:
        whose, key = CLUSTERED[test.options["clustered"]]
        return [f"McNemar's test in {whose} form for clustered pairs", cite("mcnemar1947", key)]
    variant = test.options["variant"]
    said = {
        "midp": "McNemar's test in its mid-p form",
        "exact": "McNemar's test in its exact form",
        "corrected": "McNemar's chi-squared test with continuity correction",
        "uncorrected": "McNemar's chi-squared test without continuity correction",
    }[variant]
    return [said, cite("mcnemar1947", *(["fagerland2013"] if variant == "midp" else []))]


def _paired_t(test: Credentials, grouped: bool) -> Prose:
    if grouped:
        return ["the t test on group sums, which is robust to dependence within groups", cite("liang1986")]
    return ["the paired t test on the differences per example", cite("student1908", "yeh2000")]


def _cluster_t(test: Credentials, grouped: bool) -> Prose:
    units = "whole groups" if grouped else "examples"
    return [f"the t test over {units} with the bias-reduced (CR2) standard error", cite("bell2002", "pustejovsky2018")]


def _sign(test: Credentials, grouped: bool) -> Prose:
    return [f"the sign test on wins and losses{' of groups' if grouped else ''}, ties left out", cite("yeh2000")]


def _wilcoxon(test: Credentials, grouped: bool) -> Prose:
    zeros, keys = {
        "wilcox": ("differences of 0 left out", ("wilcoxon1945", "hothorn2002")),
        "pratt": ("differences of 0 ranked and then left out", ("wilcoxon1945", "pratt1959", "hothorn2002")),
        "zsplit": ("differences of 0 shared between both sides", ("wilcoxon1945", "hothorn2002")),
    }[test.options["zeros"]]
    return [f"Wilcoxon's signed-rank test{' on the means of groups' if grouped else ''}, {zeros}", cite(*keys)]


def _randomization(test: Credentials, grouped: bool) -> Prose:
    what = "to all examples of a group together" if grouped else "to each example"
    said: Prose = [
        f"the randomization test, which exchanges the responses of the two systems {what} with probability 1/2",
        cite("noreen1989", "yeh2000"),
    ]
    if test.options["studentized"]:
        said += [
            ", each difference divided by its own standard error",
            cite("chung2013", "konietschke2014"),
        ]
    return said


def _bootstrap(test: Credentials, grouped: bool) -> Prose:
    kind = test.options["interval"]
    named = {"bca": "BCa", "centered": "centred"}.get(kind, kind)
    keys = ("efron1993", "davison1997", *(["efron1987"] if kind == "bca" else []))
    units = "whole groups" if grouped else "examples"
    return [f"the bootstrap test, which draws {units} with replacement and inverts the {named} interval", cite(*keys)]


def _delong(test: Credentials, grouped: bool) -> Prose:
    few = ", on degrees of freedom that allow for few examples of either class" if test.options["law"] == "t" else ""
    return [f"DeLong's test of two correlated areas under the ROC curve{few}", cite("delong1988", "sun2014")]


def _said(phrase: str, *keys: str) -> Callable[[Credentials, bool], Prose]:
    return lambda test, grouped: [phrase, cite(*keys)]


def _bayes(test: Credentials, grouped: bool) -> Prose:
    region = f"{test.options['region']:.4g}"
    return [
        f"the Bayesian correlated t test, differences within ±{region} being practically nothing",
        cite("corani2015", "benavoli2017"),
    ]


PROCEDURES: dict[str, Callable[[Credentials, bool], Prose]] = {
    "mcnemar": _mcnemar,
    "two-proportions": _said(f"the pooled z test of two proportions, {INDEPENDENT}", "harnett1982", "yeh2000"),
    "proportion": _said(f"the z test of two error rates, {INDEPENDENT}", "dietterich1998", "keller2005"),
    "disagreement": _said("the z test on the examples that only one system gets right", "kellerbizarre"),
    "chi2-precision": _said(f"Pearson's chi-squared test of right and spurious answers, {INDEPENDENT}", "yeh2000"),
    "cluster-t": _cluster_t,
    "paired-t": _paired_t,
    "skew-t": _said(
        "the t test on the differences per example beside its transformation for skewness, the more cautious deciding",
        "hall1992",
    ),
    "two-sample-t": _said(f"the unpaired t test with pooled variance, {INDEPENDENT}", "box1978", "yeh2000"),
    "score": _said(
        "the score test, which compares the counts, by Pearson's chi-squared, with those expected in the likeliest world in "
        "which the null hypothesis holds",
        "rao1948",
        "tango1998",
        "miettinen1985",
        "owen2001",
    ),
    "sign": _sign,
    "wilcoxon": _wilcoxon,
    "randomization": _randomization,
    "bootstrap": _bootstrap,
    "delong": _delong,
    "dcf-proportion": _said(f"the z test of two detection costs, {INDEPENDENT}", "kellerbizarre"),
    "dcf-paired": _said(
        "the z test of two detection costs on the examples that the systems decide differently", "kellerbizarre"
    ),
    "corrected-t": _said(
        "the corrected resampled t test, whose variance allows for the overlap of training sets",
        "nadeau2003",
        "bouckaert2004",
    ),
    "t": _said("the paired t test over the splits, which takes them for independent", "dietterich1998", "zhu2010"),
    "5x2cv-f": _said("the combined 5x2cv F test", "alpaydin1999"),
    "5x2cv-t": _said("the 5x2cv paired t test", "dietterich1998"),
    "correlated-bayes": _bayes,
}
"""What is said of the tests that come with referee; of others, their summary and reference are."""


def origin(
    spelling: str, method: str, error: float | None = None, grouped: bool = False, margin: bool = False
) -> Prose:
    """Say where the p-value comes from: a sentence without its full stop.

    Args:
        spelling: the test.
        method: "exact", "monte-carlo" or "asymptotic".
        error: the standard error of a p-value that was drawn.
        grouped: whether its units are groups of examples.
        margin: whether it is of a question about a margin.
    """
    test = credentials(spelling)
    name = test.name if test else ""
    if margin and name not in ONE_LAW:
        return [
            "The p-value is the smallest alpha at which that interval, at a level of 1 - 2 alpha, leaves out the margin"
        ]
    if method == "exact":
        return [_exactly(test)]
    if method == "monte-carlo":
        drawn = f"{whole(test.draws)} random draws" if test and test.draws else "random draws"
        give = (
            f"; its Monte-Carlo standard error is {error:.1g}"
            if error is not None and known(error) and error > 0
            else ""
        )
        return [f"The p-value was obtained from {drawn}", *DRAWN.get(name, []), give]
    if name not in PROCEDURES:  # only its author knows by which law
        return ["The p-value is asymptotic"]
    normal = f"the normal approximation for many {'groups' if grouped else 'examples'}"
    student = test is not None and test.options.get("law") == "t"
    return [f"The p-value comes from {STUDENT if student else LAWS.get(name, normal)}"]


def _exactly(test: Credentials | None) -> str:
    name = test.name if test else ""
    if test and name == "mcnemar" and test.options["variant"] == "midp":
        return "The p-value is the mid-p of the binomial distribution"
    if name in ("mcnemar", "sign"):
        return "The p-value is exact, from the binomial distribution"
    if name == "randomization":
        return (
            "The p-value is exact: it sums the probabilities of all exchanges whose difference is at least as extreme"
        )
    if name == "wilcoxon":
        return "The p-value is exact, from the law of the signed ranks with their ties"
    return "The p-value is exact"


def interval(method: str) -> Prose:
    """Say what an interval is: a noun phrase."""
    said, keys = INTERVALS.get(method, (f"by the method {phrases.clean(method)}", ()))
    return [said, *([cite(*keys)] if keys else [])]


def adjustment(name: str) -> Prose:
    """Say how p-values are adjusted: a noun phrase."""
    said, keys = ADJUSTMENTS.get(name, (f"the method {phrases.clean(name)}", ()))
    return [said, *([cite(*keys)] if keys else [])]
