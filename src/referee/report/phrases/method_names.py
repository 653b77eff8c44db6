"""What tests, intervals and adjustments are called in reports; what is not known has the name that it is registered by."""

from __future__ import annotations

from referee.report.numbers import percent
from referee.report.phrases import SEQUENCES, clean
from referee.results.comparison import Interval

ADJUSTMENTS = {
    "holm": "Holm",
    "hochberg": "Hochberg",
    "bh": "Benjamini-Hochberg",
    "by": "Benjamini-Yekutieli",
    "bonferroni": "Bonferroni",
    "max-t": "max-T",
    "romano-wolf": "Romano-Wolf",
    "none": "not adjusted",
}
TESTS = {
    "anytime": "anytime-valid test",
    "5x2cv-f": "combined 5x2cv F test",
    "5x2cv-t": "5x2cv paired t test",
    "crossed-t": "two-way clustered t test",
    "correlated-bayes": "Bayesian correlated t test",
    "bayes": "Bayesian test",
    "bootstrap": "bootstrap test",
    "bradley-terry": "Wald test of Bradley-Terry ratings",
    "chi2-precision": "chi-squared test of precision",
    "cluster-t": "clustered t test",
    "corrected-t": "corrected resampled t test",
    "dcf-paired": "paired z test of detection costs",
    "dcf-proportion": "unpaired z test of detection costs",
    "delong": "DeLong's test",
    "disagreement": "z test on disagreements",
    "f1-posterior": "independent F1 posteriors",
    "mcnemar": "McNemar's test",
    "paired-t": "paired t test",
    "prediction-powered": "prediction-powered test",
    "proportion": "unpaired z test of error rates",
    "randomization": "randomization test",
    "score": "score test",
    "sign": "sign test",
    "skew-t": "t test adjusted for skewness",
    "t": "paired t test over the splits",
    "two-proportions": "unpaired z test of proportions",
    "two-sample-t": "unpaired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
}
"""What tests are called in sentences and tables; a test of the user has its own name."""
OPTIONS = {"bca": "BCa", "monte-carlo": "Monte Carlo", "t": "Student's t"}
"""How values of options are written beside the names of tests, if not as they are typed."""
INTERVALS = {
    "agresti-min": "Agresti-Min", "anytime": "confidence sequence", "anytime-asymptotic": "asymptotic confidence sequence", "bonett-price": "Bonett-Price", "bootstrap-basic": "basic bootstrap",
    "bootstrap-bca": "BCa bootstrap", "bootstrap-centered": "centred bootstrap", "bootstrap-se-t": "bootstrap t",
    "bootstrap-percentile": "percentile bootstrap", "bootstrap-studentized": "studentized bootstrap",
    "bradley-terry": "Bradley-Terry", "credible": "credible", "cluster-t": "clustered t", "crossed-t": "two-way clustered t", "delong": "DeLong",
    "delong-t": "DeLong t", "newcombe": "Newcombe",
    "obuchowski-t": "Obuchowski t", "robust-t": "robust t", "score-sampled": "sampled score", "skew-t": "skewness-adjusted t",
    "t-independent": "unpaired t", "tango": "Tango", "wald": "Wald", "wald-independent": "unpaired Wald", "wilson": "Wilson",
}  # fmt: skip
"""What intervals are called in tables, if not as their method is spelt."""


def adjustment(name: str) -> str:
    """Return how p-values are adjusted."""
    return ADJUSTMENTS.get(name, clean(name))


def test_name(spelling: str, mid_p: bool = False) -> str:
    """Name a test as a sentence does, with the options that were given.

    >>> test_name("mcnemar:variant=exact"), test_name("randomization:studentized=true,trials=999"), test_name("mine")
    ("McNemar's test (exact)", 'studentized randomization test (999 trials)', 'mine')
    """
    name, _, rest = spelling.partition(":")
    if name not in TESTS:
        return clean(spelling, 200)
    options = [part.partition("=")[::2] for part in rest.split(",")]
    kind = "studentized " if ("studentized", "true") in options else ""
    words = {
        key: f"{value} {key.replace('_', '-')}" if value.isdigit() else OPTIONS.get(value, value)
        for key, value in options
    }
    told = [text for key, text in words.items() if key != "studentized"]
    brackets = ", ".join(filter(None, ["mid-p" if mid_p else "", *told]))
    return f"{kind}{TESTS[name]}{f' ({brackets})' if brackets else ''}"


def the_test(spelling: str) -> str:
    """Name a test in the middle of a sentence.

    >>> the_test("score"), the_test("mcnemar"), the_test("mine")
    ('the score test', "McNemar's test", 'the test mine')
    """
    name, known_by = test_name(spelling), "the " if spelling.partition(":")[0] in TESTS else "the test "
    return name if "'s " in name.partition(" (")[0] else known_by + name


def made_by(interval: Interval) -> str:
    """Name an interval by its level and its method."""
    named = INTERVALS.get(interval.method) or clean(interval.method)
    return f"{percent(interval.level)} {named}{'' if interval.method in SEQUENCES else ' interval'}"
