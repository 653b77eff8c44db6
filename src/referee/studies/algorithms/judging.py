"""Judging: by which test, and how strictly, every pair of algorithms is judged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from referee.errors import Misfit, OptionError, one_of
from referee.registry import parse
from referee.results.settings import ASKED_FOR, Alternative
from referee.significance import TESTS, Test
from referee.significance import resolve as resolve_test
from referee.significance.distributions import check_alpha, check_alternative
from referee.significance.fold_tests import DEFAULT, FOLD_TESTS, CorrelatedBayes, FoldTest, Layout, fitting_tests
from referee.significance.fold_tests import resolve as resolve_fold_test
from referee.significance.multiplicity import METHODS
from referee.studies.margins import Margin


@dataclass(frozen=True)
class Judging:
    """How pairs are judged."""

    test: FoldTest | None
    """The test of fold scores; None where there is one test set."""
    one_set: Test | None
    """The test of one test set that was asked for; None where the data choose, or where there are fold scores."""
    reason: str
    alternative: Alternative
    alpha: float
    margin: float | None
    adjust: str

    @classmethod
    def of(
        cls,
        layout: Layout,
        test: Any,
        alternative: str,
        alpha: float,
        given: float | str | None,
        adjust: str,
        scores: tuple[str, float | None],
    ) -> Judging:
        """Check what was asked for; a test that was left out is that of the design.

        Args:
            layout: how the splits lie.
            test: the test, or None.
            alternative: "two-sided", "greater" or "less".
            alpha: the false-alarm rate that is accepted.
            given: the margin, as it was given.
            adjust: how p-values are adjusted.
            scores: what the scores are called, and the most that two can differ by; None where they have no bounds.

        Raises:
            Misfit: where the test does not fit the design.
        """
        side = check_alternative(alternative)
        alpha = check_alpha(alpha)
        asked = Margin.of(given, alpha)
        margin = None if asked is None else asked.settle(*scores)
        one_of("adjust", adjust, METHODS)
        options = (side, alpha, margin, adjust)
        if layout.design == "holdout":
            return cls(None, _one_set(test), ASKED_FOR if test is not None else "", *options)
        chosen, reason = (None, ASKED_FOR) if test is not None else DEFAULT[layout.design]
        made = _of_folds(test if chosen is None else chosen, layout)
        if isinstance(made, CorrelatedBayes) and margin is not None:
            # What does not matter is the region of a Bayesian test.
            made, options = replace(made, region=margin), (side, alpha, None, adjust)
        made.check(layout, alternative)
        return cls(made, None, reason, *options)


def _of_folds(test: Any, layout: Layout) -> FoldTest:
    if isinstance(test, Test) or (
        isinstance(test, str) and (name := parse(test)[0]) in TESTS and name not in FOLD_TESTS
    ):
        fitting = ", ".join(fitting_tests(layout.design))
        raise Misfit(
            f"the test {test} is of one test set, and {layout.design} has {layout.splits}; its tests are: {fitting}. "
            f"One test set is the design holdout"
        )
    return resolve_fold_test(test)


def _one_set(test: Any) -> Test | None:
    if isinstance(test, FoldTest) or (
        isinstance(test, str) and (name := parse(test)[0]) in FOLD_TESTS and name not in TESTS
    ):
        raise Misfit(f"the test {test} is of fold scores, and a holdout has one test set; use a test such as mcnemar")
    if test is not None and not isinstance(test, str | Test):
        raise OptionError(f"a test is a name such as mcnemar; it is {test!r}")
    return None if test is None else resolve_test(test)
