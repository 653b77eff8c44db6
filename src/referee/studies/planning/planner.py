"""The planner: a basis and a question become a plan, whichever of size, difference and power is looked for."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal, cast

from referee.errors import Argument, InputError, Message, OptionError
from referee.report.numbers import Scale, percent
from referee.report.phrases import size_of, unit
from referee.results.plan import Plan, Solved
from referee.results.settings import Alternative, Question, Settings, signature
from referee.significance.base import interval_at
from referee.studies.auditing.audit_line import Asked
from referee.studies.planning.assumed_world import Assumed
from referee.studies.planning.basis import Basis, of_scores
from referee.studies.planning.power_curve import Measure, Unreachable, nearer, normal_power, normal_units, round_sizes
from referee.studies.planning.run_variance import RUNS, Variances
from referee.studies.variance_split import split_of

CURVE = (0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0, 1.25, 1.6, 2.2)
"""The sizes of a curve, relative to the one that is planned."""
OFTEN = 4
"""The planned size is measured on so many times more test sets than the others."""
AGREEMENTS = (0.8, 0.9, 0.95)
"""What the systems may agree on, where nobody said how often they do."""
MOST = 10**12
ROUNDS, NOISE = 3, 2.0
"""How often the planned size is corrected, while its power is farther from the aim than so many of its errors."""


class Planner:
    """A plan in the making: a basis, a question, the power to reach, and what measures power."""

    def __init__(self, basis: Basis, asked: Asked, aim: float, measure: Measure, runs: int | None) -> None:
        self.basis, self.asked, self.aim, self.measure = basis, asked, aim, measure
        if runs is not None and basis.variances is None:
            where = "with ", Argument("repeats", "group"), " from a pilot with repeated ids, or from "
            remedy = Message("they are estimated ", *where, Argument("between"), " and ", Argument("within"))
            raise OptionError(Argument("runs"), " needs the variances", argument="runs", value=runs, remedy=remedy)
        self.runs = float(runs) if runs is not None else basis.runs

    def plan(self, difference: float | None, n: int | None, sizes: list[int] | None, settings: Settings) -> Plan:
        """Look for what was not given."""
        basis, asked, solved = self.basis, self.asked, self._solved(difference, n)
        if solved == "difference" and n is not None:
            true = self._detectable(n)
        else:
            true = self._true(difference)
            self._check(true)
        world = self._world(true)
        # Of many runs nothing can be drawn but what the pilot has: there the sizes are scaled.
        scale = self._scale(self.runs)
        size = 1.0 if self._of_runs else world.size
        try:
            units = max(2, round(n / size)) if n is not None else self._units(world)
        except Unreachable:
            raise self._too_small(true) from None
        if n is None and units > MOST:
            raise self._too_small(true)
        places = [max(2, round(one / size)) for one in sizes] if sizes else round_sizes(units, CURVE)
        points = {place: self._power(world, place / scale) for place in places if place != units}
        units = self._settled(world, scale) if n is None else units
        if sizes is None or units in places:
            points[units] = self._power(world, units / scale, OFTEN)
        at = self._power(world, units / scale, OFTEN) if solved == "power" else None
        total = n if n is not None else round(units * size)
        pilot = self._pilot(world)
        answers = world.moved is None
        method: Literal["simulation", "normal"] = "simulation" if self.measure.simulates(world) else "normal"
        metric_info = basis.metric.info_on(basis.counts) if basis.counts is not None else basis.metric.info
        made = Plan(
            metric=str(basis.metric), test=str(basis.test), reason=basis.reason, alternative=cast(Alternative, asked.alternative), alpha=asked.alpha,
            question=cast(Question, asked.question), margin=asked.margin or None, higher_is_better=asked.higher_is_better, solved=solved,
            n=total, units=units, unit="group" if self._of_groups else "example", noun=basis.counts.noun if basis.counts else "example",
            power=self.aim if at is None else at[0], power_error=None if at is None else at[1], difference=true,
            scores=world.scores if answers else None, agreement=world.agreement if answers else None,
            curve=tuple(
                {"n": round(place * size), "units": place, "power": power, "error": error}
                for place, (power, error) in sorted(points.items())
            ),
            method=method, sets=self.measure.sets(world) if method == "simulation" else 0, source=basis.source, pilot=pilot,
            scenarios=self._scenarios(true) if solved == "n" else (),
            variances=_written(basis.variances), runs=self.runs,
            repeats=self._repeats(units, true) if solved == "n" else (), gains=self._gains(),
            names=(basis.counts.name("a"), basis.counts.name("b")) if basis.counts else ("A", "B"),
            warnings=(*basis.warnings, *self._warnings(world)), settings=settings,
            test_info=basis.test.info(self._of_groups, basis.metric.task), metric_info=metric_info,
        )  # fmt: skip
        told = self._assumptions(made, given=difference is not None)
        return signed(replace(made, assumptions=told), settings, sizes)

    def _solved(self, difference: float | None, n: int | None) -> Solved:
        if n is None:
            return "n"
        known = difference is not None or self.asked.question != "better"
        return (
            "power" if known or (self.basis.source == "scores" and self.basis.difference is not None) else "difference"
        )

    def _true(self, difference: float | None) -> float:
        """Return the difference to plan for.

        Raises:
            OptionError: if there is none, or it contradicts the scores.
        """
        basis, stated = self.basis, self.basis.difference if self.basis.source == "scores" else None
        if difference is not None and stated is not None and not math.isclose(difference, stated, abs_tol=1e-9):
            twice = f"the scores differ by {stated:g}, and the difference is {difference:g}"
            raise OptionError(twice, argument="difference", value=difference, remedy="leave one of them out")
        if difference is not None:
            return difference
        if stated is not None:
            return stated
        if self.asked.question != "better":
            return 0.0
        if basis.difference is None:
            raise OptionError("a plan needs a difference to detect", argument="difference", remedy=Message(
                "give ", Argument("difference"), ", such as 0.02 or 2pp; or ", Argument("n"), ", and what it detects is looked for"
            ))  # fmt: skip
        if basis.difference == 0:
            remedy = Message("say which one you want to detect: ", Argument("difference"))
            raise InputError("the systems score the same on the pilot", argument="difference", remedy=remedy)
        return basis.difference

    def _check(self, true: float) -> None:
        """Raise if no test set could show what is asked, however large."""
        asked, name = self.asked, "difference"
        if asked.question == "better":
            if true == 0:
                equal = Message(
                    "to show that the systems are equal, give ",
                    Argument("question", "equal"),
                    " and ",
                    Argument("margin"),
                )
                raise OptionError("a difference of 0 cannot be detected", argument=name, value=true, remedy=equal)
            if (asked.alternative == "greater" and true < 0) or (asked.alternative == "less" and true > 0):
                other = "less" if true < 0 else "greater"
                remedy = Message("give ", Argument("alternative", other), ", or turn the sign of the difference")
                against = Argument("alternative", asked.alternative), f" does not look for a difference of {true:g}"
                raise OptionError(*against, argument="alternative", value=asked.alternative, remedy=remedy)
        elif asked.question == "equal" and abs(true) >= asked.margin:
            beyond = f"systems that differ by {abs(true):g} are not equal within a margin of {asked.margin:g}"
            raise OptionError(beyond, argument=name, value=true, remedy="give a smaller difference or a larger margin")
        elif asked.question == "no-worse" and (true if asked.higher_is_better else -true) <= -asked.margin:
            beyond = f"a system that is worse by {abs(true):g} is worse by the margin of {asked.margin:g} or more"
            raise OptionError(beyond, argument=name, value=true, remedy="give a smaller difference or a larger margin")

    def _world(self, true: float) -> Assumed:
        """Return the world of a difference.

        Raises:
            OptionError: if there is none.
        """
        basis = self.basis
        world = basis.world_at(true)
        if world is not None and self._spread(world) > 0:
            return world
        if basis.source == "pilot":
            far = f"no distribution close to the pilot was found in which {basis.metric} differs by {true:g}"
            raise OptionError(
                far, argument="difference", value=true, remedy="give a smaller difference, or a larger pilot"
            )
        if basis.agreement is not None:
            apart = f"systems that agree on {percent(basis.agreement)} of examples cannot differ by {abs(true):g}"
            raise OptionError(apart, argument="agreement", value=basis.agreement, remedy="give a lower agreement")
        beyond = f"a difference of {true:g} leads out of the range from 0 to 1"
        raise OptionError(beyond, argument="difference", value=true, remedy="give a smaller one, or other scores")

    def _spread(self, world: Assumed) -> float:
        variances = self.basis.variances
        return world.spread if self.basis.source != "variances" or variances is None else variances.spread

    def _power(self, world: Assumed, units: float, times: int = 1) -> tuple[float, float | None]:
        """Return the power at a size of the worlds that can be drawn, and its Monte Carlo error."""
        if self.basis.source == "variances":
            return normal_power(self.asked, world.difference, self._spread(world) / math.sqrt(units)), None
        point = self.measure.power(world, max(2, round(units)), times)
        return point.power, point.error

    def _units(self, world: Assumed, refine: bool = False) -> int:
        """Return how many units reach the power, with the runs that were asked for."""
        if self.basis.source == "variances":
            found = normal_units(self.asked, world.difference, self._spread(world), self.aim) * self._scale(self.runs)
            return max(2, math.ceil(found - 1e-6))
        if refine and self.measure.simulates(world):
            drawn = self.measure.refined(world, self.measure.units(world, self.aim), self.aim)
        else:
            drawn = self.measure.units(world, self.aim)
        return max(2, math.ceil(drawn * self._scale(self.runs) - 1e-6))

    def _settled(self, world: Assumed, scale: float) -> int:
        """Return how many units reach the power, by all that was measured; measured closely there, and corrected while it is off."""
        units = self._units(world, refine=True)
        power, error = self._power(world, units / scale, OFTEN)
        if error is None or abs(power - self.aim) <= error:
            return units
        units = self._units(world, refine=True)
        for _ in range(ROUNDS):
            power, error = self._power(world, units / scale, OFTEN)
            if error is None or abs(power - self.aim) <= NOISE * error:
                break
            # Where few units carry much, the power follows no line: from here, a step as the normal law has it.
            units = max(2, math.ceil(units * nearer(self.asked, power, self.aim)))
        return units

    def _scale(self, runs: float | None) -> float:
        """Return how many times more examples are needed with so many runs than with those of the worlds."""
        known, own = self.basis.variances, self.basis.runs
        return 1.0 if known is None or runs is None or own is None else known.of(runs) / known.of(own)

    @property
    def _of_runs(self) -> bool:
        """Whether the units of the pilot are examples, each with its runs."""
        return self.basis.source == "pilot" and self.basis.variances is not None

    @property
    def _of_groups(self) -> bool:
        return self.basis.tally is not None and self.basis.tally.grouped and not self._of_runs

    def _detectable(self, n: int) -> float:
        """Return which difference so many examples detect.

        Raises:
            OptionError: if none.
        """
        basis, asked = self.basis, self.asked
        sign = {"greater": 1.0, "less": -1.0}.get(asked.alternative, basis.side)
        start = basis.world_at(basis.difference or 0.0)
        start = start if start is not None and self._spread(start) > 0 else basis.world_at(sign * 0.01)
        if start is None:
            raise self._none(n)
        size = 1.0 if self._of_runs else start.size
        units = max(2, round(n / size / self._scale(self.runs)))
        guess = _distance(asked, self.aim) * self._spread(start) / math.sqrt(units)
        if basis.source == "variances" or not self.measure.simulates(start):
            return sign * guess
        if basis.reach is not None:
            guess = min(guess, 0.5 * basis.reach)
        try:
            found = self.measure.difference(basis.world_at, sign * guess, units, self.aim)
        except Unreachable:
            raise self._none(n) from None
        if basis.reach is not None and abs(found) >= basis.reach:
            raise self._none(n)
        return found

    def _none(self, n: int) -> OptionError:
        nothing = f"{n:,} examples are too few to detect any difference with a power of {percent(self.aim)}"
        return OptionError(nothing, argument="n", value=n, remedy="give more")

    def _too_small(self, true: float) -> OptionError:
        never = f"no test set is large enough for a difference of {true:g}"
        return OptionError(never, argument="difference", value=true, remedy="give a larger one")

    def _pilot(self, world: Assumed) -> dict[str, Any] | None:
        """Return the pilot's own numbers, and how often a test set of its size would detect the difference."""
        basis = self.basis
        if basis.tally is None or basis.counts is None:
            return None
        level = self.asked.level
        interval = interval_at(basis.test, basis.tally, level, self.measure.streams)
        power, error = self._power(world, basis.tally.units)
        n = basis.tally.units if self._of_runs else basis.counts.n
        written = None if interval is None else interval.to_dict()
        return {
            "n": n, "units": basis.tally.units, "runs": basis.runs, "difference": basis.difference, "interval": written, "power": power, "error": error,
        }  # fmt: skip

    def _scenarios(self, true: float) -> tuple[dict[str, Any], ...]:
        """Return how many examples are needed if the systems agree more often than is assumed."""
        basis = self.basis
        if basis.source not in ("scores", "nothing") or basis.agreement is not None:
            return ()
        own, rows = basis.world_at(true), []
        for share in AGREEMENTS:
            if own is None or own.agreement is None or share <= own.agreement:
                continue
            scores = None if basis.source == "nothing" else own.scores
            other = (
                of_scores(scores, share, basis.metric, basis.test, self.asked.question) if _fits(own, share) else None
            )
            world = other.world_at(true) if other else None
            if world is not None and world.spread > 0:
                with suppress(Unreachable):
                    rows.append(
                        {"agreement": share, "n": Measure(self.asked, self.measure.streams).units(world, self.aim)}
                    )
        return tuple(rows)

    def _repeats(self, units: int, true: float) -> tuple[dict[str, Any], ...]:
        """Return how many examples are needed with other numbers of runs."""
        known = self.basis.variances
        if known is None or known.within <= 0:
            return ()
        runs = sorted(
            {*map(float, RUNS), *([self.runs] if self.runs is not None and self.runs == int(self.runs) else [])}
        )
        ratio, own = known.of(1) / known.of(self.runs or 1.0), float(units)
        if self.basis.source == "variances":
            own, ratio = normal_units(self.asked, true, known.spread, self.aim), 1.0
        rows = []
        # Where examples seem not to differ, nobody knows how few of them would do.
        for many in (*runs, *([math.inf] if known.between > 0 else [])):
            n = max(2, math.ceil(own * ratio * known.of(many) / known.of(1) - 1e-6))
            rows.append({"runs": None if math.isinf(many) else int(many), "n": units if many == self.runs else n})
        return tuple(rows)

    def _gains(self) -> tuple[dict[str, Any], ...]:
        """Return by what share twice as many groups, and twice as many rows of each, would cut the standard error."""
        counts, tally = self.basis.counts, self.basis.tally
        split = split_of(counts, tally) if counts is not None and tally is not None and self._of_groups else None
        if split is None or split.crossed:
            return ()
        name, of_group, of_rows = split.parts[0].name, split.saved("group"), split.saved("rows")
        return ({"name": name, "saved": of_group}, {"name": "", "saved": of_rows})

    def _warnings(self, world: Assumed) -> list[str]:
        found, pilot = [], self.basis.tally
        if self.basis.source == "pilot" and pilot is not None and not self.measure.simulates(world):
            found.append("power was computed from the standard error of the pilot; no test sets were drawn")
        if self._of_runs and self.basis.variances is not None and self.basis.variances.between == 0:
            found.append(
                "in the pilot, runs of one example differ as much as examples do: the gain from more runs is overstated"
            )
        return found

    def _assumptions(self, made: Plan, given: bool) -> tuple[str, ...]:
        """Say what the plan rests on."""
        told, of_metric = list(self.basis.assumptions), unit(made.metric_info)
        shown = Scale.fitting(of_metric, [], [made.difference], half=abs(made.difference) or None)
        if made.source == "pilot":
            like = "New test sets are like the pilot: drawn from the distribution nearest to it in which "
            size = shown.difference(made.difference, sign=False)
            told.append(f"{like}{'the systems tie' if made.difference == 0 else f'the systems differ by {size}'}.")
        if made.source == "pilot" and made.question == "better" and not given and made.solved == "n":
            half = (
                size_of(abs(made.difference) / 2, of_metric)
                if of_metric == "number"
                else shown.difference(made.difference / 2, sign=False)
            )
            told.append(
                f"The true difference is that of the pilot. If it is half as large ({half}), about four times as many are needed."
            )
        if made.question != "better" and made.difference == 0:
            told.append("The systems are in truth equally good.")
        return tuple(told)


def _fits(world: Assumed, share: float) -> bool:
    """Say whether two systems of a world could agree so often and still differ as they do, with something to spare."""
    return 1 - share > abs(world.difference) * 1.05


def _distance(asked: Asked, aim: float) -> float:
    """Return how many standard errors a difference must measure to be detected with a power."""
    upward = replace(asked, alternative="greater") if asked.alternative == "less" else asked
    return math.sqrt(normal_units(upward, 1.0, 1.0, aim))


def _written(variances: Variances | None) -> dict[str, float] | None:
    return None if variances is None else {"between": variances.between, "within": variances.within}


def signed(made: Plan, settings: Settings, sizes: list[int] | None) -> Plan:
    """Return a plan with its signature."""
    question = None if made.question == "better" else made.question
    parts = {
        "plan": made.solved, "metric": made.metric, "positive": settings.positive, "test": made.test, "alternative": made.alternative,
        "alpha": f"{made.alpha:g}", "question": question, "margin": None if made.margin is None else f"{made.margin:g}",
        "power": f"{made.power:g}", "difference": f"{made.difference:.6g}", "n": made.n, "units": made.units,
        "agreement": None if made.agreement is None or made.source == "pilot" else f"{made.agreement:.6g}",
        "between": None if made.variances is None else f"{made.variances['between']:.6g}",
        "within": None if made.variances is None else f"{made.variances['within']:.6g}",
        "levels": "x".join(str(one["count"]) for one in made.levels) or None,
        "runs": None if made.runs is None else f"{made.runs:g}", **settings.on_the_way,
        "sizes": ",".join(map(str, sizes)) if sizes else None, "sets": made.sets or None,
        **{role: role for role in settings.roles}, **settings.about, "data": settings.digest or None, "rng": settings.seed,
    }  # fmt: skip
    flat = {key: " ".join(str(one).replace("|", "/").split()) for key, one in parts.items() if one is not None}
    return replace(made, signature=signature(settings, flat))
