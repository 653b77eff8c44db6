"""Sums: metrics that bring their own statistics per example; the rows that their functions return are checked here."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from referee.data.columns import Floats, Values, comma_hint, kind, odd_texts
from referee.errors import Argument, InputError, Message, Misfit, NumbersNeeded, OptionError, RefereeError
from referee.metrics.list_cells import check_cells

if TYPE_CHECKING:
    from referee.data.counts import Counts
    from referee.metrics.base import Metric
    from referee.metrics.formula import Formula

Reads: TypeAlias = Literal["text", "numbers", "anything"]
"""What statistics are made of."""
MISSING = Argument("missing")
MOST = 1 << 19
"""The statistics of so many distinct rows are remembered."""
ROUNDING = 1e-9
"""How far, relative to its size, the row of an example may depend on which others are looked at."""


@lru_cache(maxsize=256)
def options_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the options that a function takes, its keyword-only parameters, with their defaults."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}


def check_statistics(
    definition: Callable[..., Any], statistics: Callable[..., Any], of_truth: tuple[str, ...]
) -> dict[str, Any]:
    """Return the options of a function of statistics.

    Raises:
        OptionError: if it is none, or its parameters are not what they have to be.
    """
    about: dict[str, Any] = {"argument": "statistics", "value": statistics}
    if not callable(statistics):
        raise OptionError(Argument("statistics", bare=True), " must be a function of truth and prediction", **about)
    parameters = inspect.signature(statistics).parameters.values()
    named = [p.name for p in parameters if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    if named != ["truth", "prediction"]:
        needed = (
            "a function of statistics takes truth and prediction, in this order; other parameters are options after a *"
        )
        raise OptionError(f"{needed}; it takes {', '.join(named) or 'nothing'}", **about)
    options = dict(options_of(statistics))
    if any(default is inspect.Parameter.empty for default in options.values()):
        raise OptionError(f"every option of the statistics of {definition.__name__} needs a default", **about)
    sums = inspect.signature(definition).parameters
    strange = next((name for name in of_truth if name not in sums), None)
    if strange is not None:
        what = f"{definition.__name__} takes no sum called {strange!r}"
        raise OptionError(Argument("of_truth", bare=True), f": {what}", argument="of_truth", value=of_truth)
    return options


def check_kinds(metric: Metric, counts: Counts) -> None:
    """Raise Misfit if the data are not of the kind that the statistics are made of."""
    if "truth" not in counts:
        raise Misfit(
            f"{metric} needs the truth", argument="truth", remedy=Message("name its column (", Argument("truth"), ")")
        )
    for role in ("truth", *counts.systems):
        values, name = counts[role], counts.name(role) if role != "truth" else "truth"
        if metric.reads == "text" and values.dtype.kind != "O" and len(values):
            what = f"{metric} compares texts, and {name} holds {kind(values)}"
            raise Misfit(what, argument="metric", remedy="choose a metric of labels (accuracy) or of numbers (mse)")
        if metric.reads == "numbers" and values.dtype.kind == "O":
            raise numbers_needed(metric, counts, role)


def check_separator(metric: Metric, counts: Counts) -> None:
    """Refuse lists of labels that the separator does not fit; on the whole data, as a slice may have none of it.

    Raises:
        InputError: if it does not fit them.
    """
    separator = metric.option("separator")
    named = {role: counts.name(role) if role != "truth" else role for role in ("truth", *counts.systems)}
    if separator is None or metric.function.__module__ != "referee.metrics.multilabel" or "truth" not in counts:
        return
    if all(counts[role].dtype.kind == "O" for role in named):
        check_cells(metric.name, separator, {name: counts[role] for role, name in named.items()})


def numbers_needed(metric: Metric, counts: Counts, role: str) -> NumbersNeeded:
    """Return the error for a column of text, which names the few texts among numbers that made it one.

    Args:
        metric: a metric of numbers.
        counts: the data.
        role: the first column of text; the systems of a CSV are text where one of them is.
    """
    texts = [one for one in dict.fromkeys((role, *counts.systems)) if counts[one].dtype.kind == "O"]
    odd = {one: odd_texts(counts[one].tolist(), counts.multiplicities.tolist()) for one in texts}
    first = next((one for one in texts if odd[one]), role)
    name = counts.name(first) if first != "truth" else first
    hint, remedy = comma_hint(counts[first]), None
    if odd[first] and not hint:
        often = sorted(odd[first].items(), key=lambda pair: (-pair[1], pair[0]))
        shown = [f"{text[:40]!r} in {rows:,} row{'' if rows == 1 else 's'}" for text, rows in often[:3]]
        hint = f" among its numbers: {', '.join(shown)}{f' and {len(often) - 3:,} more' if len(often) > 3 else ''}"
        remedy = Message(
            "write a number there, or leave the cells empty and say what empty cells count (", MISSING, ")"
        )
    return NumbersNeeded(f"{metric} needs numbers, and {name} holds text{hint}", argument=first, remedy=remedy)


class Rows:
    """The statistics of rows by one metric; those of text are remembered, as they take long and are asked for again."""

    def __init__(self, metric: Metric) -> None:
        self.metric, self.places = metric, dict[tuple[Any, Any], int]()
        """Where the statistics of a text beside its truth stand in the table."""
        self.table: Floats | None = None
        self.width = 0
        """How many statistics there are; 0 while that is not known."""
        self.formula: Formula | None = None
        """How their sums become a score, once that was asked."""

    def of(self, truth: Any, prediction: Values) -> Floats:
        """Return [row, statistic]."""
        made = self._of(truth, prediction)
        self.width = made.shape[1]
        return made

    def _of(self, truth: Any, prediction: Values) -> Floats:
        if prediction.dtype.kind != "O":
            return _rows(self.metric, truth, prediction)
        pairs = list(zip(truth.tolist(), prediction.tolist(), strict=True))
        new = list(dict.fromkeys(pair for pair in pairs if pair not in self.places))
        if new or self.table is None:
            rows = _rows(self.metric, _column([t for t, _ in new], truth), _column([p for _, p in new], prediction))
            room = len(self.places) + len(new) <= MOST
            kept = [pair for pair in (self.places if room else dict.fromkeys(pairs)) if pair in self.places]
            before = [] if self.table is None else [self.table[[self.places[pair] for pair in kept]]]
            self.table = np.concatenate([*before, rows])
            self.places = {pair: place for place, pair in enumerate([*kept, *new])}
        return self.table[np.fromiter(map(self.places.__getitem__, pairs), np.int64, len(pairs))]


def _column(values: list[Any], like: Values) -> Values:
    made = np.empty(len(values), dtype=like.dtype)
    made[:] = values
    return made


def _rows(metric: Metric, truth: Values, prediction: Values) -> Floats:
    """Return [row, statistic], checked."""
    statistics = metric.statistics
    assert statistics is not None
    options = {key: metric.option(key) for key in options_of(statistics)}

    def call(truth: Any, prediction: Any) -> Any:
        with np.errstate(all="ignore"):
            return statistics(truth, prediction, **options)

    made = _at_once(metric, call, truth, prediction)
    if made is None:
        made = _one_by_one(metric, call, truth, prediction)
    odd = int((~np.isfinite(made)).any(axis=1).sum())
    if odd:
        raise InputError(f"the statistics of {metric} are not finite for {odd:,} distinct examples", argument="metric")
    if not metric.signed and (made < 0).any():
        low = int((made < 0).any(axis=1).sum())
        remedy = Message("if they can be, declare ", Argument("signed", True))
        raise InputError(
            f"the statistics of {metric} are negative for {low:,} distinct examples", argument="metric", remedy=remedy
        )
    return made


def _at_once(metric: Metric, call: Callable[..., Any], truth: Values, prediction: Values) -> Floats | None:
    """Return what the function makes of all rows at once; None if it takes one row at a time."""
    try:
        made = _table(metric, call(truth, prediction), len(prediction))
        # What looks at other rows too is no statistic of an example.
        first = None if made is None or len(made) < 2 else _table(metric, call(truth[:1], prediction[:1]), 1)
    except RefereeError:
        raise
    except Exception:
        return None  # what is wrong with it is told by the first row alone
    if made is not None and first is not None and np.isfinite([first[0], made[0]]).all():
        far = np.abs(first[0] - made[0]) > ROUNDING * np.abs(made[0]).max(initial=0.0)
        if far.any():
            other = f"the statistics of {metric} give an example another row when it is alone"
            raise Misfit(other, argument="metric", remedy="each row must follow from its own truth and prediction")
    return made


def _table(metric: Metric, made: Any, rows: int) -> Floats | None:
    """Return [row, statistic] of a table of rows, or of columns; None if it is neither."""
    if isinstance(made, Mapping):
        made = tuple(made[name] for name in metric.totals)
    table = np.stack([np.asarray(column, np.float64) for column in made], -1) if isinstance(made, tuple) else made
    table = np.asarray(table, dtype=np.float64)
    fits = table.ndim == 2 and len(table) == rows and table.shape[1] == (len(metric.totals) or table.shape[1])
    return table if fits and table.shape[1] else None


def _one_by_one(metric: Metric, call: Callable[..., Any], truth: Values, prediction: Values) -> Floats:
    """Return what the function makes of each row."""
    width, out = len(metric.totals), list[Floats]()
    for own, answer in zip(truth.tolist(), prediction.tolist(), strict=True):
        try:
            made = call(own, answer)
            made = tuple(made[name] for name in metric.totals) if isinstance(made, Mapping) else made
            row = np.asarray(made, dtype=np.float64)
        except RefereeError:
            raise
        except Exception as error:
            wrong = f"the statistics of {metric} fail: {type(error).__name__}: {error}"
            raise Misfit(wrong, argument="metric", value=str(metric)) from error
        if row.ndim != 1 or not len(row) or len(row) != (width or len(out[0]) if out or width else len(row)):
            needed = f"{width or 'the same number of'} numbers per example ({', '.join(metric.totals) or 'its sums'})"
            wrong = f"the statistics of {metric} must give {needed}; they give an array of shape {row.shape}"
            raise Misfit(wrong, argument="metric", value=str(metric))
        out.append(row)
    return np.array(out).reshape(len(out), -1) if out else np.zeros((0, max(width, 1)))
