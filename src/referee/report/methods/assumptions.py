"""Premises: what a result takes for granted, in plain sentences."""

from __future__ import annotations

from referee.registry import parse
from referee.report import phrases
from referee.report.methods.comparison import averaged, grouped, left_out
from referee.report.methods.procedures import RESAMPLED
from referee.report.numbers import known, whole
from referee.report.phrases import algorithms as winners
from referee.results.algorithms import Standings
from referee.results.audit import Audit
from referee.results.comparison import Comparison, Comparisons

AS_THEY_ARE = (
    "The result speaks of the two systems as they are: nothing is said about training them again, other seeds, other prompts or "
    "other data."
)
BEFOREHAND = (
    "The metric, the test and alpha were chosen before the result was seen; the best of several tries is found by luck "
    "more often than alpha says."
)
MARGIN = "The margin was fixed before the data were seen."
DEPENDENCE = {
    "hochberg": "Hochberg's adjustment takes the comparisons for independent, or for depending on each other positively.",
    "bh": "The adjustment of Benjamini and Hochberg takes the comparisons for independent, or for depending on each other positively.",
    "none": "The p-values are not adjusted for being several: among many, some are small by luck.",
}
"""What adjustments take for granted; those that are not named take nothing."""


def comparison(r: Comparison, several: bool = False) -> list[str]:
    """Say what one comparison takes for granted.

    Args:
        r: the result.
        several: whether it is one of several, and what is common is said elsewhere.
    """
    found = [_sample(r, several), _left_out(r), *_test(r), _interval(r)]
    found += [] if several else [MARGIN if known(r.margin) else "", AS_THEY_ARE, BEFOREHAND]
    return [said for said in found if said]


def comparisons(rs: Comparisons) -> list[str]:
    """Say what several comparisons take for granted, each thing once."""
    if len(rs) == 1:
        return comparison(rs[0])
    found = [said for r in rs for said in comparison(r, several=True)]
    found += [DEPENDENCE.get(rs.adjust, "")]
    found += [MARGIN if any(known(r.margin) for r in rs) else "", AS_THEY_ARE, BEFOREHAND]
    return list(dict.fromkeys(filter(None, found)))


def _sample(r: Comparison, several: bool) -> str:
    strata = " within each stratum" if r.settings and r.settings.strata else ""
    # Of several tasks it is said once, whatever their sizes.
    many, groups = ("The examples of each task", "The groups of each task")
    if not several:
        many, groups = f"The {whole(r.n)} examples", f"The {whole(r.units)} groups"
    if not grouped(r):
        return f"{many} are a random sample{strata} of those that matter, each drawn independently of the others."
    return (
        f"{groups} are a random sample{strata} of those that matter, each drawn independently of the "
        f"others; the examples of one group may depend on each other{' in any way' if r.test_info is None or r.test_info.any_dependence else ''}."
    )


def _left_out(r: Comparison) -> str:
    alone, missing = left_out(r)
    if not alone + missing:
        return ""
    what = "rows" if missing and averaged(r) else "examples"
    return f"The {what} that were left out ({whole(alone + missing)}) are missing for reasons that have nothing to do with how the systems do on them."


def _test(r: Comparison) -> list[str]:
    """Say what the test takes for granted."""
    test = r.test_info
    if test is None:
        return []
    many = f"There are enough {'groups' if grouped(r) else 'examples'} for the law of large samples to hold."
    return [*test.assumes, *([many] if test.needs_many and r.p_method == "asymptotic" and known(r.p_value) else [])]


def _interval(r: Comparison) -> str:
    is_of_test = r.test_info is not None and r.test_info.name == "bootstrap"
    if r.interval is None or r.interval.method not in RESAMPLED or is_of_test:
        return ""
    return "The interval takes test sets that are drawn anew from this one to vary as new test sets would."


def standings(r: Standings) -> list[str]:
    """Say what standings of algorithms take for granted."""
    if parse(r.design)[0] == "holdout":
        found = [said for pair in r.pairs if pair.comparison for said in comparison(pair.comparison, several=True)]
        found.append(
            "There is one training set and one test set: it speaks of these trained models, and not of how they vary with the "
            "training set."
        )
    else:
        of_examples = "The examples are a random sample of those that matter, each drawn independently of the others."
        found = [of_examples if r.n is None else f"The {whole(r.n)}{of_examples[3:]}"]
        tests = [pair.test_info for pair in r.pairs] or [r.test_info]
        found += [sentence for test in tests if test is not None for sentence in test.assumes]
        found.append(
            "The result speaks of the algorithms as they were set up here, trained on sets of this size from this source."
        )
    if len(r.pairs) > 1 and not winners.is_bayesian(r):
        found.append(DEPENDENCE.get(r.adjust, ""))
    if any(None in one.scores for one in r.algorithms):
        found.append("Algorithms that lack scores are left out, and their splits with them.")
    found += [MARGIN if r.margin is not None else "", BEFOREHAND]
    return list(dict.fromkeys(filter(None, found)))


def audit(r: Audit) -> list[str]:
    """Say what an audit takes for granted."""
    source = phrases.clean(r.population) or "the data"
    found = [
        f"Test sets like yours are random draws from {source}: its outcomes, as often as they occur there, stand for all that can happen.",
    ]
    if any(row["null"] == "tilt" for row in r.rows):
        found.append(
            "A world in which the systems tie is as near to the data as one can be, and different from them otherwise as little as possible."
        )
    if any(row["null"] == "swap" for row in r.rows):
        found.append(
            "A world without a difference is one in which each response could as well have come from the other system."
        )
    if any(row["groups"] == "ignored" for row in r.rows):
        found.append(
            "Where groups are ignored, their examples are taken for independent, which they are not in these test sets."
        )
    found.append("The rates are estimates: each has the Monte-Carlo error beside it.")
    return found
