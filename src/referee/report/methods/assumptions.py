"""Premises: what a result takes for granted, in plain sentences."""

from __future__ import annotations

import re

from referee.registry import parse
from referee.report import phrases
from referee.report.methods import metric_names
from referee.report.methods.accounts import averaged, grouped, left_out
from referee.report.numbers import known, whole
from referee.report.phrases import algorithms as winners
from referee.results.algorithms import Standings
from referee.results.audit import Audit
from referee.results.comparison import Comparison, Comparisons
from referee.studies.test_info import Credentials, credentials

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
CLUSTERED = {
    "obuchowski": "Were the systems equally good, both would be right on equally many examples of a group, on the average of all groups.",
    "yang": "Were the systems equally good, both would be right on equally many examples of a group, on the average of all groups.",
    "durkalski": "Were the systems equally good, both would be right on the same share of the examples of a group, on the average of all groups, each of which weighs the same whatever its size.",
    "eliasziw": "Were the systems equally good, both would be right on equally many examples of a group, on the average of all groups; the examples depend on each other alike in all groups.",
}
"""What the forms of McNemar's test for groups take for granted."""
UNIT = re.compile(r"\b(an|each|per) example\b")


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
    strata = " within each stratum" if metric_names.setting(r, "strata") else ""
    # Of several tasks it is said once, whatever their sizes.
    many, groups = ("The examples of each task", "The groups of each task")
    if not several:
        many, groups = f"The {whole(r.n)} examples", f"The {whole(r.units)} groups"
    if not grouped(r):
        return f"{many} are a random sample{strata} of those that matter, each drawn independently of the others."
    return (
        f"{groups} are a random sample{strata} of those that matter, each drawn independently of the "
        f"others; the examples of one group may depend on each other{'' if _form(r) == 'eliasziw' else ' in any way'}."
    )


def _left_out(r: Comparison) -> str:
    alone, missing = left_out(r)
    if not alone + missing:
        return ""
    what = "rows" if missing and averaged(r) else "examples"
    return f"The {what} that were left out ({whole(alone + missing)}) are missing for reasons that have nothing to do with how the systems do on them."


def _test(r: Comparison) -> list[str]:
    """Say what the test takes for granted."""
    test = credentials(r.test)
    if test is None:
        return []
    metric = metric_names.registered(r.metric)
    said = [CLUSTERED[_form(r)] if _form(r) else _of_units(test.assumes, grouped(r))]
    if test.options.get("studentized") is True:
        many = "groups" if grouped(r) else "examples"
        said.append(
            f"Where there are many {many}, the systems need not be alike but only equally good, since each difference is divided "
            f"by its own standard error."
        )
    if test.name == "randomization" and metric is not None and metric.task == "ranking":
        said.append("The scores of both systems are on the same scale, so that they can be exchanged.")
    if r.p_method == "asymptotic" and known(r.p_value) and "normal" not in test.assumes:
        said.append(f"There are enough {'groups' if grouped(r) else 'examples'} for the law of large samples to hold.")
    return said


def _form(r: Comparison) -> str:
    """Return which form of McNemar's test for groups was used, if one was."""
    test = credentials(r.test)
    return str(test.options["clustered"]) if test is not None and test.name == "mcnemar" and grouped(r) else ""


def _of_units(assumes: str, whole_groups: bool) -> str:
    """Say "group" where the unit of a test is one.

    >>> _of_units("Each was right on an example.", True)
    'Each was right on a group of examples.'
    """
    if not whole_groups:
        return assumes
    return UNIT.sub(lambda found: f"{'a' if found[1] == 'an' else found[1]} group of examples", assumes)


def _interval(r: Comparison) -> str:
    test = credentials(r.test)
    if r.interval is None or not r.interval.method.startswith("bootstrap") or (test and test.name == "bootstrap"):
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
        found += [test.assumes for test in _tests(r)]
        found.append(
            "The result speaks of the algorithms as they were set up here, trained on sets of this size from this source."
        )
    if len(r.pairs) > 1 and not winners.is_bayesian(r):
        found.append(DEPENDENCE.get(r.adjust, ""))
    if any(None in one.scores for one in r.algorithms):
        found.append("Algorithms that lack scores are left out, and their splits with them.")
    found += [MARGIN if r.margin is not None else "", BEFOREHAND]
    return list(dict.fromkeys(filter(None, found)))


def _tests(r: Standings) -> list[Credentials]:
    found = [credentials(pair.test) for pair in r.pairs] or [credentials(r.test)]
    return [test for test in found if test is not None]


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
