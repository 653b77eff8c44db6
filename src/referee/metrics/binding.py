"""Binding: a metric fitted to data, as statistics of rows and a formula of their sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from referee.data.columns import Floats, Ints, Values
from referee.data.preferences import beside as seen_beside
from referee.data.preferences import in_both_orders
from referee.data.roles import PLACES, UNKNOWN
from referee.errors import InputError, Misfit, RefereeError
from referee.metrics.class_averages import OWN, classwise, micro, one_against_others
from referee.metrics.formula import Formula, General, Ratios, Share, from_share, share
from referee.metrics.labels import Labels, codes
from referee.metrics.matrices import Matrix, beside, distinct_units, full, halves, ones_at, signed, times
from referee.metrics.possible_answers import MOST, Possible, Scale, answers_of, crossed, scale_answers
from referee.metrics.score_steps import steps_of

if TYPE_CHECKING:
    from referee.data.counts import Counts
    from referee.metrics.base import Metric

Statistics: TypeAlias = Callable[[Any, Values], Matrix]
"""What rows of truths and answers become; the truth is None if the metric does not read it."""
CLASSWISE = ("hits", "guesses", "actual")


@dataclass(frozen=True)
class Bound:
    """A metric fitted to data: statistics of rows, and the formula of their sums."""

    metric: Metric
    formula: Formula
    statistics: Statistics
    positive: Any = None
    monotone: bool = False
    """Whether, on these labels, an answer that turns from wrong to right never lowers the score."""
    strays: bool = False
    """Whether there are answers that are none of the classes."""
    possible: Callable[[], Possible] | None = None
    """The answers that a system could have given, where that is known."""
    guessed: bool = False
    """Whether that no score lies outside of 0 to 1 is seen of numbers, and neither declared nor the nature of the values."""

    @property
    def needs_examples(self) -> bool:
        """Whether there are data that cannot have a score, whatever a system does, as recall without a positive."""
        return self.formula.fixed and not self.metric.by_class

    def rows(self, counts: Counts, role: str) -> Matrix:
        """Return [row, statistic] of a system of counts; those of an example that counts twice as much are twice as large."""
        own, weights = self.statistics(seen_beside(counts, role), counts[role]), counts.weights
        return own if weights is None else signed(own, weights)

    def score(self, truth: Values | None, prediction: Values, multiplicities: Ints) -> float | None:
        """Return the score of one system on rows that occurred so often; None where the data cannot have one."""
        own = self.statistics(truth, prediction)
        order, starts = distinct_units(own)
        units, weights = own[order[starts]], np.add.reduceat(multiplicities[order], starts)
        if self.needs_examples and self.formula.vague(times(weights, units)):
            return None
        # Summed beside itself, as in a comparison: how a sum is rounded depends on how many are made at once.
        return float(self.scores(beside([units, units]), weights)[0])

    def scores(self, both: Matrix, weights: Any) -> Floats:
        """Return the scores [..., system] of units [unit, statistic], those of A before those of B, under these weights."""
        if isinstance(self.formula, Ratios):
            return self.scores_at(self.coordinates(both), weights)
        return self.formula.score(paired(times(weights, both)))

    def scores_at(self, coordinates: Floats, weights: Any) -> Floats:
        """Return the scores of units by their coordinates: what a ratio depends on is summed at once, not its parts first."""
        return self.formula.score_at(paired(np.asarray(weights, dtype=np.float64) @ coordinates))

    def size_of(self, both: Matrix, multiplicities: Ints) -> float:
        """Return how large the numbers are that a score is computed from; 1 where they are counts."""
        if self.metric.task == "sums":
            slope = self.formula.gradient(paired(times(multiplicities, both)))
            return float((np.abs(slope) * paired(times(multiplicities, np.abs(full(both))))).sum(axis=-1).max())
        if self.metric.task in ("scores", "numbers", "probabilities"):
            values = paired(full(both))[:, :, 0]
            return float((multiplicities @ np.abs(values)).max() / max(int(multiplicities.sum()), 1))
        return 1.0

    def coordinates(self, both: Matrix) -> Floats:
        """Return [unit, coordinate]: what the score of a sum of units depends on, for A and then for B."""
        return np.concatenate([self.formula.place(half) for half in halves(both)], axis=1)


def paired(sums: Floats) -> Floats:
    """Return [..., system, sum] of [..., those of A and then those of B]."""
    return sums.reshape(*sums.shape[:-1], 2, sums.shape[-1] // 2)


def bind(metric: Metric, counts: Counts) -> Bound:
    """Fit a metric to data that suit it: find the labels, and build the formula."""
    if metric.task == "preferences":
        return _bind_preferences(metric, counts)
    if metric.task == "sums":
        return _bind_sums(metric, counts)
    if metric.task in ("scores", "numbers", "labels", "probabilities"):
        return _bind_example(metric, counts)
    labels = Labels.of(counts)
    if metric.task == "binary" and not metric.averaged:
        positive = labels.find_positive(counts.positive, str(metric))
        return bind_binary(metric, positive, open_=counts.open)
    return _bind_classes(metric, labels, counts)


def _bind_example(metric: Metric, counts: Counts) -> Bound:
    scale, positive = scale_of(metric, counts), None
    if metric.task == "probabilities":
        positive = Labels.of_truth(counts).find_positive(counts.positive, str(metric))

    def statistics(truth: Values | None, prediction: Values) -> Floats:
        if positive is not None:
            truth = np.asarray(truth == positive, dtype=np.float64)
        value = _values(metric, truth, prediction)
        value = value if scale is None else scale.held(value, str(metric))
        return np.stack([value, np.ones(len(value))], axis=1)

    then = metric.then
    if then is None:
        formula: Formula = from_share(share(*np.eye(2)), metric.undefined, np.array([[1.0, 0.0]]))
    else:
        formula = General(lambda totals: then(totals[..., 0] / totals[..., 1]), 2, metric.undefined)
    possible = _possible_values(metric, counts, statistics, scale)
    truths = all(counts[role].dtype.kind == "b" for role in counts.systems)
    guessed = metric.task == "scores" and metric.scale is None and possible is not None and not truths
    return Bound(metric, formula, statistics, positive, possible=possible, guessed=guessed)


def _bind_sums(metric: Metric, counts: Counts) -> Bound:
    rows = metric.known_rows
    if not rows.width:
        _every_row(metric, counts)
    if rows.formula is None:  # it is the metric's, whatever the data
        rows.formula = _formula_of_sums(metric, rows.width)
    marks = _are_marks(metric, rows.formula, counts)
    possible = (lambda: scale_answers(np.array([0.0, 1.0]))) if marks else None
    return Bound(metric, rows.formula, rows.of, possible=possible)


def _formula_of_sums(metric: Metric, width: int) -> Formula:
    unit = np.eye(width)
    made = metric.of_sums(*unit)
    if isinstance(made, Share):
        moves = unit[[place for place, name in enumerate(metric.totals) if name not in metric.of_truth]]
        return from_share(made, metric.undefined, moves.reshape(-1, width))
    formula = General(lambda t: metric.of_sums(*np.moveaxis(t, -1, 0)), width, metric.undefined)
    gradient = metric.gradient
    if gradient is None:
        return formula
    return replace(formula, slope=lambda t: np.stack(gradient(*np.moveaxis(t, -1, 0)), axis=-1))


def _every_row(metric: Metric, counts: Counts) -> Floats:
    """Return the statistics of all systems at once: what is looked up of a truth is then looked up once."""
    truth, systems = counts["truth"], counts.systems
    return metric.known_rows.of(np.tile(truth, len(systems)), np.concatenate([counts[role] for role in systems]))


def _are_marks(metric: Metric, formula: Formula, counts: Counts) -> bool:
    """Say whether the score is a mean of rights and wrongs."""
    if not formula.fixed or metric.known_rows.width != 2:
        return False
    every = _every_row(metric, counts)
    return bool(np.isin(every[:, 0], (0, 1)).all() and (every[:, 1] == 1).all())


def _bind_preferences(metric: Metric, counts: Counts) -> Bound:
    """Fit the win rate to preferences: the mean share of the win, or the mean of that in either order if both were shown."""
    # Each system by where it was shown itself, so that exchanging the two exchanges their statistics.
    orders = [(place,) for place in PLACES] if in_both_orders(counts) else [(*PLACES, UNKNOWN)]

    def statistics(shown: Values | None, prediction: Values) -> Floats:
        assert shown is not None
        inside = np.stack([np.isin(shown.astype(str), order) for order in orders], axis=1).astype(np.float64)
        values = np.asarray(metric.function(prediction), dtype=np.float64)
        return np.stack([inside * values[:, None], inside], axis=2).reshape(len(values), -1)

    def possible() -> Possible:
        quarters = any(bool((counts[role] * 2 % 1 != 0).any()) for role in counts.systems)
        values = np.linspace(0, 1, 5 if quarters else 3)
        order, place = crossed(len(orders), len(values))
        names = np.array([order[0] for order in orders], dtype=object)
        return Possible(
            statistics(names[order], values[place]), order, np.isin(values[place], (0.0, 1.0)), mirrored=True
        )

    unit = np.eye(2 * len(orders))
    parts = [share(unit[2 * place], unit[2 * place + 1]) / len(orders) for place in range(len(orders))]
    # If the systems are exchanged in a judgement, so are the places in which they were shown.
    moves = unit[::2] if len(orders) == 1 else np.concatenate([unit[::2], unit[1:2] - unit[3:4]])
    formula = from_share(sum(parts[1:], parts[0]), metric.undefined, moves)
    return Bound(metric, formula, statistics, possible=possible)


def scale_of(metric: Metric, counts: Counts) -> Scale | None:
    """Return the scale of the scores: as declared, or that of means of runs that were each right or wrong."""
    if metric.scale is not None or counts.runs is None or metric.name != "mean":
        return metric.scale
    made = Scale(0.0, 1.0, 1 / counts.runs)
    return made if all(made.holds(counts[role]) for role in counts.systems) else None


def _possible_values(
    metric: Metric, counts: Counts, statistics: Statistics, scale: Scale | None
) -> Callable[[], Possible] | None:
    """Return the values that an example can have, where that is known: of labels, of 0/1, and on a known scale."""

    def seen() -> list[Floats]:
        return [statistics(counts.get("truth"), counts[role])[:, 0] for role in counts.systems]

    if metric.task == "labels":
        labels = Labels.of(counts)
        if metric.range is None and len(labels.all) ** 3 <= MOST:
            return lambda: answers_of(labels, labels.all, counts, statistics)
        return lambda: scale_answers(np.union1d(np.unique(seen()), metric.range or ()))
    if scale is not None and scale.step is not None:
        return lambda: scale_answers(scale.values)
    if metric.then is not None or metric.task != "scores" or scale is not None:
        return None
    marks = all(bool(((values == 0) | (values == 1)).all()) for values in seen())
    return (lambda: scale_answers(np.array([0.0, 1.0]))) if marks else None


def _values(metric: Metric, truth: Values | None, prediction: Values) -> Floats:
    known = {"truth": truth, "prediction": prediction}
    given = {name: known[name] for name in metric.totals}
    try:
        values = np.asarray(metric.function(**given, **metric.arguments), dtype=np.float64)
        if values.shape != prediction.shape:
            raise ValueError("it must return one value per example")
    except RefereeError:
        raise
    except (TypeError, ValueError):
        rows = zip(*(column.tolist() for column in given.values() if column is not None), strict=True)
        try:
            values = np.array([float(metric.function(*row, **metric.arguments)) for row in rows], dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise Misfit(f"{metric} does not give a number for each example: {error}", argument="metric") from error
    odd = int((~np.isfinite(values)).sum())
    if odd:
        raise InputError(f"{metric} gives values that are not finite for {odd} distinct examples")
    return values


def bind_binary(metric: Metric, positive: Any, *, open_: bool = False) -> Bound:
    """Fit a metric of two classes to data of which this label is the positive one."""

    def statistics(truth: Values | None, prediction: Values) -> Floats:
        actual, guess = (np.asarray(values == positive, dtype=np.bool_) for values in (truth, prediction))
        cells = {"tp": actual & guess, "fp": ~actual & guess, "fn": actual & ~guess, "tn": ~actual & ~guess}
        return np.stack([cells[name] for name in metric.totals], axis=1).astype(np.float64)

    unit = np.eye(len(metric.totals))
    place = {name: unit[i] for i, name in enumerate(metric.totals)}
    nothing = np.zeros(len(metric.totals))
    moves = np.array([place.get(x, nothing) - place.get(y, nothing) for x, y in (("tp", "fn"), ("fp", "tn"))])

    def possible() -> Possible:
        truth, answer = crossed(2, 2)
        labels = np.array([positive, None], dtype=object)
        return Possible(statistics(labels[truth], labels[answer]), truth, truth == answer, open=open_)

    def score(totals: Any) -> Any:
        return metric.call(**{name: totals[..., i] for i, name in enumerate(metric.totals)})

    made = metric.call(**place)
    shares = isinstance(made, Share)
    formula = from_share(made, metric.undefined, moves) if shares else General(score, len(unit), metric.undefined)
    return Bound(metric, formula, statistics, positive, metric.monotone, possible=possible)


def _bind_classes(metric: Metric, labels: Labels, counts: Counts) -> Bound:
    of_truth = metric.truth_labels_only or (metric.averaged and metric.option("labels") == "truth")
    levels, strays = (labels.truth, labels.strays) if of_truth else (labels.all, [])
    # An answer that is no class is wrong, and still an answer where answers are counted whatever their class.
    counted = bool(strays) and metric.averaged and not metric.by_class

    def statistics(truth: Any, prediction: Values) -> Matrix:
        size, actual, guess = len(levels), codes(truth, levels), codes(prediction, levels)
        hits = np.where(actual == guess, actual, -1)
        columns = [np.where(code >= 0, code + i * size, -1) for i, code in enumerate((hits, guess, actual))]
        if counted:
            columns.append(np.where(codes(prediction, strays) >= 0, 3 * size, -1))
        return ones_at(columns, 3 * size + counted)

    # With three classes a swap can also exchange two wrong answers, and nothing says which way the score then goes.
    monotone = metric.monotone and len(labels.all) <= 2 and not labels.gaps
    formula = _class_formula(metric, len(levels), gaps=labels.gaps, strays=bool(strays))

    def possible() -> Possible:
        # A truth that the data never have is not to be expected, unless they have one alone.
        truths = labels.truth if len(labels.truth) > 1 else labels.all
        return answers_of(labels, truths, counts, statistics)

    return Bound(metric, formula, statistics, monotone=monotone, strays=bool(strays), possible=possible)


def _class_formula(metric: Metric, size: int, *, gaps: bool, strays: bool) -> Formula:
    if metric.task == "multiclass":
        return _multiclass_formula(metric, size, partial=gaps or strays)
    average = metric.option("average")
    hits, guesses, actual, last = OWN
    cells = one_against_others(hits, guesses, actual, size * actual if average == "micro" else last)
    if average == "micro":
        # Summed over the classes, and with answers that are no class beside the guesses.
        cells["fp"] = cells["fp"] + last
    made = metric.call(**cells)
    if not isinstance(made, Share):
        width = 3 * size + (average == "micro" and strays)
        return General(lambda totals: _averaged(metric, totals, size, average), width, metric.undefined)
    if average == "micro":
        return micro(made, metric.undefined, size, gaps=gaps, strays=strays)
    return classwise(made, metric.undefined, size, weighted=average == "weighted", partial=gaps or strays)


def _multiclass_formula(metric: Metric, size: int, *, partial: bool) -> Formula:
    if metric.truth_labels_only:
        made = metric.call(hits=OWN[:1], guesses=OWN[1:2], actual=OWN[2:3])
        if isinstance(made, Share):
            return classwise(made, metric.undefined, size, weighted=False, partial=partial)
    gradient, made = metric.gradient, General(lambda t: metric.call(**_classes(t, size)), 3 * size, metric.undefined)
    if gradient is None:
        return made
    return replace(made, slope=lambda t: np.concatenate(gradient(**_classes(t, size)), axis=-1))


def _averaged(metric: Metric, totals: Any, size: int, average: str) -> Any:
    classes = _classes(totals, size)
    cells = one_against_others(**classes, n=classes["actual"].sum(axis=-1, keepdims=True))
    if average == "micro":
        cells = {name: cell.sum(axis=-1) for name, cell in cells.items()}
        cells["fp"] = cells["fp"] + totals[..., 3 * size :].sum(axis=-1)
    made = metric.call(**cells)
    if average == "micro":
        return made
    value = np.where(np.isfinite(made), made, metric.undefined)
    weight = classes["actual"] if average == "weighted" else np.ones(size)
    return (value * weight).sum(axis=-1) / weight.sum(axis=-1)


def _classes(totals: Any, size: int) -> dict[str, Any]:
    return {name: totals[..., i * size : (i + 1) * size] for i, name in enumerate(CLASSWISE)}


def rank_score(metric: Metric, counts: Counts) -> float | None:
    """Return the score of ranks of the one system that counts have; None where a class is empty."""
    label = Labels.of_truth(counts).find_positive(counts.positive, str(metric))
    positive, weights = np.asarray(counts["truth"] == label, dtype=np.bool_), counts.multiplicities
    values, place = np.unique(counts["a"].astype(np.float64), return_inverse=True)
    negatives, positives = (np.bincount(place, weights * (positive == side), len(values)) for side in (False, True))
    if not (positives.any() and negatives.any()):
        return None
    score = float(metric.call(**steps_of(positives, negatives)))
    return score if np.isfinite(score) else metric.undefined
