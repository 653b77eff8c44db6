"""Description: what a test says about itself, on one test set or on fold scores; results and reports use it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import ClassVar

from referee.errors import one_of
from referee.registry import Spelt, check_between
from referee.results.test_info import Phrase, TestInfo, said

STUDENT = "Student's t distribution"
NORMAL = "the normal approximation for many {units}"
INDEPENDENTLY = "which treats the two systems as independent of each other"


DRAWN = ("trials", "replicates", "draws")
"""The options that say how many random draws there are."""
MOST = 10_000_000
"""How many draws can be asked for."""


class Described(Spelt):
    """The common part of all tests: their fields are their options, and they can be told in words."""

    __test__ = False  # not a test case of this project's own tests

    reference: ClassVar[str] = ""
    assumes: ClassVar[str] = ""
    """What it takes for granted beyond a random sample, in full sentences; `{unit}` and `{a_unit}` are its units."""
    choices: ClassVar[Mapping[str, Iterable[str]]] = {}
    """What its options can be, of those that are one of several."""
    needs_many: ClassVar[bool] = False
    """Whether an asymptotic p-value takes many examples for granted, which `assumes` does not say."""
    procedure: ClassVar[Phrase] = ()
    """Which test it is: a noun phrase with the works that it comes from."""
    law_words: ClassVar[str] = ""
    """The law that a p-value comes from which is neither exact nor drawn."""
    drawn_words: ClassVar[Phrase] = said("")
    """How a p-value comes from draws."""
    one_law: ClassVar[bool] = False
    """Whether its p-value of any difference comes from the law that its p-value of a tie comes from."""
    of_folds: ClassVar[bool] = False
    anytime: ClassVar[bool] = False
    """Whether its p-value and its interval hold however often one looks while data arrive."""
    posterior: ClassVar[bool] = False
    """Whether what takes the place of a p-value is a tail of a posterior."""

    def __post_init__(self) -> None:
        """Check the options."""
        for option, allowed in self.choices.items():
            one_of(f"{self.name}:{option}", getattr(self, option), allowed, "test")
        for option in DRAWN:
            if hasattr(self, option):
                check_between("test", f"{self.name}:{option}", getattr(self, option), 99, MOST)

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is; its units may be groups of examples."""
        return self.procedure

    def premises(self, grouped: bool, task: str) -> tuple[str, ...]:
        """Return what it takes for granted; the task is that of the metric."""
        unit, a_unit = ("group of examples", "a group of examples") if grouped else ("example", "an example")
        return (self.assumes.replace("{unit}", unit).replace("{a_unit}", a_unit),)

    def exact_words(self) -> str:
        """Return what an exact p-value of it is."""
        return "The p-value is exact"

    def asymptotic_words(self) -> str:
        """Return the law that a p-value comes from which is neither exact nor drawn; nothing where only its author knows."""
        return self.law_words

    def draw_count(self) -> int | None:
        """Return how many random draws it takes, where it draws at all."""
        return next((getattr(self, option) for option in DRAWN if hasattr(self, option)), None)

    def info(self, grouped: bool = False, task: str = "") -> TestInfo:
        """Return what a result tells of the test.

        Args:
            grouped: whether its units are groups of examples.
            task: the task of the metric.
        """
        law, draws, (drawn,) = self.asymptotic_words(), self.draw_count(), self.drawn_words
        drawn_from = "random draws" if draws is None else f"{draws:,} random draws"
        asymptotic = f"comes from {law.format(units='groups' if grouped else 'examples')}" if law else "is asymptotic"
        return TestInfo(
            name=self.name,
            options={field.name: getattr(self, field.name) for field in fields(self)},
            summary=self.summary,
            reference=self.reference,
            procedure=self.procedure_of(grouped),
            assumes=self.premises(grouped, task),
            needs_many=self.needs_many,
            any_dependence=self.allows_any_dependence(grouped),
            one_law=self.one_law,
            p_from={
                "exact": said(self.exact_words()),
                "monte-carlo": said(f"The p-value was obtained from {drawn_from}{drawn.text}", *drawn.works),
                "asymptotic": said(f"The p-value {asymptotic}"),
            },
            of_folds=self.of_folds,
            anytime=self.anytime,
            posterior=self.posterior,
        )

    def allows_any_dependence(self, grouped: bool) -> bool:
        """Say whether the examples of a group may depend on each other in any way."""
        return True
