"""Assertions for test suites: a comparison that has to come out well, with a failure that says what the data say.

>>> from referee.testing import assert_not_worse
>>> right = {"a": [1] * 80 + [0] * 20, "b": [1] * 81 + [0] * 19}
>>> assert_not_worse(right, a="a", b="b", margin="5pp")
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from referee.errors import Argument, InputError, Message, OptionError
from referee.results.base import Reported
from referee.results.comparison import Comparison, Comparisons
from referee.results.settings import ASKED_FOR, Verdict

BETTER: tuple[Verdict, ...] = ("b better",)
NOT_WORSE: tuple[Verdict, ...] = ("b better", "no worse", "practically equal")


class UnmetError(AssertionError):
    """A comparison did not come out as it has to; the result is its `result`, which the pytest plugin makes a page of."""

    def __init__(self, message: str, result: Comparison | Comparisons) -> None:
        super().__init__(message)
        self.result = result


def assert_better(data: Any = None, /, **arguments: Any) -> None:
    """Fail unless system B is better than system A, in every task if there are several.

    Args:
        data: a result of `compare`, or the data that `compare` is to compare.
        arguments: those of `compare`, if it is data.

    Raises:
        UnmetError: an AssertionError whose message is the report of the comparison.
        RefereeError: if the comparison can't be made.
    """
    __tracebackhide__ = True
    _check(_compared(data, arguments), BETTER, "is not shown to be better than")


def assert_not_worse(data: Any = None, /, *, margin: float | str | None = None, **arguments: Any) -> None:
    """Fail unless system B is shown to be no worse than system A by the margin, in every task if there are several (non-inferiority).

    A result that asked another question is asked anew, with the counts that it carries and by its metric, its alpha and a test
    that was asked for by name.

    Args:
        data: a result of `compare`, or the data that `compare` is to compare.
        margin: the largest loss that does not matter: 0.01, or "1pp"; that of the result if left out.
        arguments: those of `compare`, if it is data.

    Raises:
        UnmetError: an AssertionError whose message is the report of the comparison.
        RefereeError: if the comparison can't be made, there is no margin, or the result carries no counts.
    """
    __tracebackhide__ = True
    if isinstance(data, Comparison | Comparisons):
        result: Comparison | Comparisons = _compared(data, arguments)
        each = [_asked_anew(one, margin) for one in _each(result)]
        result = each[0] if isinstance(result, Comparison) else Comparisons(tuple(each), "none")
    else:
        if margin is None:
            raise _no_margin()
        result = _compared(data, {"question": "no-worse", **arguments, "margin": margin})
    _check(result, NOT_WORSE, "is not shown to be no worse than")


def _compared(data: Any, arguments: dict[str, Any]) -> Comparison | Comparisons:
    """Return the result that was given, or make it."""
    if not isinstance(data, Comparison | Comparisons):
        from referee.studies.comparison import compare

        if isinstance(data, Reported):
            other = f"a result of compare is needed, and this is a {type(data).__name__}"
            raise InputError(other, argument="data", remedy="compare the two systems that matter")
        return compare(data, **arguments)
    if arguments:
        name = next(iter(arguments))
        raise OptionError(
            Argument(name, bare=True), " was settled when the result was made", remedy="give it to compare"
        )
    return data


def _each(result: Comparison | Comparisons) -> Iterable[Comparison]:
    return (result,) if isinstance(result, Comparison) else result


def _no_margin() -> OptionError:
    needed = "no worse by how much? ", Argument("margin", "1pp"), " is the largest loss that does not matter"
    return OptionError(*needed, argument="margin")


def _asked_anew(r: Comparison, margin: float | str | None) -> Comparison:
    """Return the result of the question whether B is no worse, on the same counts."""
    from dataclasses import replace

    from referee.studies.comparison import compare

    if margin is None and r.margin is None:
        raise _no_margin()
    if margin is None and r.question == "no-worse":
        return r
    if r.counts is None:
        lacking = "this result carries no counts (it was read from a file), so it can't be asked anew"
        remedy = Message("compare again with ", Argument("question", "no-worse"), " and a margin")
        raise OptionError(lacking, argument="margin", remedy=remedy)
    seed = r.settings.seed if r.settings and r.settings.seed is not None else 0
    again = compare(
        r.counts, metric=r.metric, test=r.test if r.reason == ASKED_FOR else None, alpha=r.alpha, rng=seed,
        question="no-worse", margin=r.margin if margin is None else margin, paired=r.paired, audit=False,
    )  # fmt: skip
    assert isinstance(again, Comparison)
    return replace(again, task=r.task, look=r.look)


def _check(result: Comparison | Comparisons, wanted: tuple[Verdict, ...], claim: str) -> None:
    __tracebackhide__ = True
    failed = [one for one in _each(result) if one.verdict not in wanted]
    if failed or not list(_each(result)):
        tasks = [one.task for one in failed if one.task]
        where = f" in {', '.join(tasks)}" if tasks else ""
        who = f"{failed[0].b.name} {claim} {failed[0].a.name}{where}" if failed else "nothing was compared"
        raise UnmetError(f"{who}\n\n{result.to_text()}", result)
