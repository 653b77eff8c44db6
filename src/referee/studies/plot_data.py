"""Plot data: the numbers behind the charts that are not in a result, computed from its counts on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from referee.data.columns import Floats, Ints, Mask, factorize, plain
from referee.data.counts import Counts
from referee.data.judged import is_judged
from referee.errors import RefereeError
from referee.metrics import Metric
from referee.metrics import resolve as resolve_metric
from referee.metrics.binding import bind_binary
from referee.metrics.labels import Labels
from referee.results.comparison import Comparison, Interval
from referee.results.plot_data import ClassScores, Histogram, Joint, Outcomes, Part, Parts, PlotData, Spread
from referee.runtime.randomness import Streams
from referee.significance import Test
from referee.significance import resolve as resolve_test
from referee.significance.base import interval_at
from referee.significance.bayes import PosteriorTest
from referee.significance.distributions import FLIPPED
from referee.significance.null_distribution import Luck, bars
from referee.significance.rank_tally import AnyTally, canonical, tally_of
from referee.significance.tally import Tally
from referee.significance.test_choice import choose
from referee.studies.dependence import merits
from referee.studies.judge import law_of
from referee.studies.margins import deciding_side

CLASSES, GROUPS = 12, 25
"""So many classes are shown, and so many groups have a row of their own."""
DOTS = 400
"""Of more differences than so many, so many are taken, evenly apart by rank."""
CLASS_BY_CLASS = {"balanced-accuracy": "recall"}
"""What is averaged over classes by metrics that don't say so in an option."""
ENOUGH = 10
"""With fewer examples a group gets no interval of its own."""


@dataclass(frozen=True)
class Plotter:
    """Computes what charts of a comparison need, once somebody looks: comparing without charts pays nothing for it.

    Pickled, it goes by names: a metric or a test that a user made need not be known elsewhere.
    """

    metric: Metric | None
    test: Test | None

    def __call__(self, r: Comparison) -> PlotData:
        """Return the null law as a histogram, the joint outcomes by class, and the differences by group."""
        metric, test, counts = self.metric, self.test, r.counts
        if counts is None:
            return PlotData()
        if metric is not None and is_judged(counts):
            return PlotData(luck=_spare(lambda: _luck_of(r, *law_of(counts, metric))))
        if metric is None or test is None:
            return PlotData(outcomes=_spare(lambda: _labels(counts)) if "truth" in counts and counts.paired else None)
        tally = tally_of(counts, metric)
        return PlotData(
            luck=_spare(lambda: _luck(r, test, tally)),
            posterior=_spare(lambda: _posterior(r, test, tally)),
            outcomes=_spare(lambda: _outcomes(counts, metric)) if counts.paired else None,
            parts=_spare(lambda: _parts(r, counts, tally)) if counts.paired else None,
            classes=(_spare(lambda: _classes(counts, metric)) or ()) if counts.paired else (),
            spread=_spare(lambda: _spread_of_examples(counts, metric)) if counts.paired else None,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _plotter, (str(self.metric), str(self.test))


def _plotter(metric: str, test: str) -> Plotter:
    """Make a plotter by names; one that can do less where they mean nothing here."""
    try:
        return Plotter(resolve_metric(metric), resolve_test(test))
    except RefereeError:
        return Plotter(None, None)


T = TypeVar("T")


def _spare(make: Callable[[], T | None]) -> T | None:
    """Return what is made; a picture that the data cannot give is left out."""
    try:
        return make()
    except RefereeError:
        return None


def _luck(r: Comparison, test: Test, tally: AnyTally) -> Histogram | None:
    return _luck_of(r, test, *canonical(tally))


def _luck_of(r: Comparison, test: Test, oriented: AnyTally, flipped: bool) -> Histogram | None:
    """Return the law of the p-value, drawn from a tally in its canonical orientation."""
    if r.p_value is None:
        return None
    streams = _streams(r)
    null, alternative = 0.0, r.alternative
    if r.question == "better":
        law = test.luck(oriented, FLIPPED[alternative] if flipped else alternative, streams)
    else:
        _, null, alternative = deciding_side(
            test, oriented, flipped, r.question, r.margin or 0.0, r.higher_is_better, streams
        )
        law = test.luck_at(oriented, null, alternative, streams)
    if law is None or not len(law.values):
        return None
    return _oriented(law, flipped, null)


def _oriented(law: Luck, flipped: bool, null: float = 0.0) -> Histogram:
    same = {name: getattr(law, name) for name in ("observed", "edge", "scale", "how", "redrawn", "times", "corrected")}
    histogram = Histogram(bars=bars(law), **same).moved(null)
    return histogram.flipped() if flipped else histogram


def _streams(r: Comparison) -> Streams:
    return Streams.of(r.settings.seed or 0 if r.settings else 0)


def _posterior(r: Comparison, test: Test, tally: AnyTally) -> Histogram | None:
    """Return the draws of the difference, if the test has a posterior."""
    oriented, flipped = canonical(tally)
    law = test.density(oriented, _streams(r)) if isinstance(test, PosteriorTest) else None
    return None if law is None else _oriented(law, flipped)


def _outcomes(counts: Counts, metric: Metric) -> Outcomes | None:
    if metric.task in ("binary", "multiclass", "labels"):
        return _labels(counts)
    found = merits(counts, metric)
    if found is None:
        return None
    a, b = found
    here = np.zeros(len(counts), np.int64)
    if metric.task == "scores" and all(np.isin(side, (0.0, 1.0)).all() for side in (a, b)):
        return Outcomes(classes=_joint(["all"], here, a > 0, b > 0, counts.multiplicities), kind="labels")
    # Of scores that are equal nobody says whether they are good: all of them count as "both".
    return Outcomes(classes=_joint(["all"], here, a >= b, b >= a, counts.multiplicities), kind="scores")


def _labels(counts: Counts) -> Outcomes:
    truth = counts["truth"]
    a, b = (np.asarray(truth == counts[role], dtype=np.bool_) for role in ("a", "b"))
    if counts.open:
        wanted = truth == Labels.of(counts).find_positive(counts.positive, "f1")
        names, place = ["in the truth", "spurious"], np.where(wanted, 0, 1)
        rows = _joint(names, place, a, b, counts.multiplicities)
        return Outcomes(classes=tuple(row for row in rows if row.n), kind="open")
    levels, place = factorize(truth)
    rows = _joint([str(plain(level)) for level in levels], place, a, b, counts.multiplicities)
    rows = tuple(sorted(rows, key=lambda row: -row.n))
    if len(rows) <= CLASSES:
        return Outcomes(classes=rows, kind="labels")
    rest = rows[CLASSES - 1 :]
    cells = {cell: sum(getattr(row, cell) for row in rest) for cell in ("both", "only_a", "only_b", "neither")}
    other = Joint(label=f"{len(rest)} others", **cells)
    return Outcomes(classes=(*rows[: CLASSES - 1], other), kind="labels", merged=len(rest))


def _joint(labels: list[str], place: Ints, a: Mask, b: Mask, weights: Ints) -> tuple[Joint, ...]:
    """Count who is right, class by class."""
    cells = [np.bincount(place, weights * which, len(labels)) for which in (a & b, a & ~b, b & ~a, ~a & ~b)]
    rows = zip(labels, *(cell.astype(int).tolist() for cell in cells), strict=True)
    return tuple(Joint(label=row[0], both=row[1], only_a=row[2], only_b=row[3], neither=row[4]) for row in rows)


def _classes(counts: Counts, metric: Metric) -> tuple[ClassScores, ...]:
    """Return both systems' scores on each class against all others, if the metric averages these."""
    if metric.averaged and metric.option("average") != "micro":
        base = metric(average="binary")
    elif metric.name in CLASS_BY_CLASS:
        base = resolve_metric(CLASS_BY_CLASS[metric.name])
    else:
        return ()
    truth, rows = counts["truth"], []
    for level in factorize(truth)[0]:
        bound, here = bind_binary(base, level, open_=counts.open), truth == level
        scores = [bound.formula.score(counts.multiplicities @ bound.rows(counts, role)) for role in ("a", "b")]
        a, b = (float(score) for score in scores)
        if np.isfinite([a, b]).all():
            rows.append(ClassScores(label=str(plain(level)), a=a, b=b, n=int(counts.multiplicities[here].sum())))
    return tuple(sorted(rows, key=lambda row: (row.a - row.b, -row.n, row.label)))


def _spread_of_examples(counts: Counts, metric: Metric) -> Spread | None:
    """Return by how much B's scores of single examples exceed A's, unless they are marks or the metric bends their mean."""
    if metric.task not in ("scores", "numbers", "probabilities") or metric.then is not None:
        return None
    found = merits(counts, metric)
    if found is None or all(np.isin(side, (-1.0, 0.0, 1.0)).all() for side in found):
        return None
    a, b = found
    return _spread((b - a) * (1.0 if metric.higher_is_better else -1.0), counts.multiplicities)


def _spread(differences: Floats, weights: Ints) -> Spread:
    """Return differences in order, each as often as it occurs; of many as many as can be drawn."""
    order = np.argsort(differences, kind="stable")
    ends = np.cumsum(weights[order])
    total = int(ends[-1]) if len(ends) else 0
    many = min(total, DOTS)
    # Both ends are among them.
    ranks = np.round(np.linspace(1, total, many)) if many > 1 else np.ones(many)
    values = differences[order][np.searchsorted(ends, ranks)]
    return Spread(values=tuple(values.tolist()), total=total)


def _parts(r: Comparison, counts: Counts, tally: AnyTally) -> Parts | None:
    """Return the differences by group, or by stratum where there are no groups."""
    by = next((role for role in ("group", "stratum") if role in counts), None)
    if by is None or not isinstance(tally, Tally):
        return None
    levels, place = factorize(counts[by])
    if len(levels) < 2:
        return None
    scores, blank = _inside(counts, tally, place, len(levels))
    difference = scores[:, 1] - scores[:, 0]
    difference[np.abs(difference) <= tally.tolerance(scores)] = 0.0
    sizes = np.bincount(place, counts.multiplicities, len(levels)).astype(np.int64)
    there, rows = np.flatnonzero(~blank), []
    for i in there.tolist() if len(there) <= GROUPS else ():
        interval = _interval(r, counts.where(place == i).without(by), tally.metric)
        rows.append(
            Part(label=str(plain(levels[i])), difference=float(difference[i]), interval=interval, n=int(sizes[i]))
        )
    rows = sorted(rows, key=lambda row: (row.difference, row.n, row.label))
    spread = _spread(difference[there], np.ones(len(there), np.int64))
    higher, lower = int((difference[there] > 0).sum()), int((difference[there] < 0).sum())
    return Parts(
        rows=tuple(rows), spread=spread, by=by, total=len(levels), higher=higher, lower=lower, blank=int(blank.sum())
    )


def _inside(counts: Counts, tally: Tally, place: Ints, size: int) -> tuple[Floats, Mask]:
    """Return the scores [part, system] inside each part, and where there is none."""
    if tally.metric.averaged or tally.metric.task == "multiclass":
        # An average is over the classes that a part has, which may be fewer than those of all.
        parts = (tally_of(counts.where(place == i).without("group", "stratum"), tally.metric) for i in range(size))
        found = np.array([part.observed() for part in parts])
        return found, ~np.isfinite(found).all(axis=1)
    own = np.stack([tally.bound.rows(counts, role) for role in ("a", "b")], axis=1)
    flat = own.reshape(len(own), -1) * counts.multiplicities[:, None]
    summed: Floats = np.stack([np.bincount(place, column, size) for column in flat.T], axis=1)
    totals = summed.reshape(size, *own.shape[1:])
    formula = tally.bound.formula
    return formula.score(totals), np.asarray(formula.vague(totals).all(axis=-1), dtype=np.bool_)


def _interval(r: Comparison, counts: Counts, metric: Metric) -> Interval | None:
    """Return an interval inside one part, its examples taken as independent; None of a few."""
    if counts.n < ENOUGH:
        return None
    oriented, flipped = canonical(tally_of(counts, metric))
    if not np.isfinite(oriented.observed()).all():
        return None
    made = interval_at(choose(oriented)[0], oriented, 1 - r.alpha, Streams.of(0))
    return made.flipped() if made is not None and flipped else made
