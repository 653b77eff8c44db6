"""The verb watch(): look at a comparison while its examples still arrive, and say when there is enough evidence to stop."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from referee.data.counts import Counts
from referee.data.examples import files_of
from referee.data.naming import renamed
from referee.data.outcomes import Outcomes, described
from referee.data.samples import Samples, described_samples
from referee.errors import InputError, NotReady, OptionError
from referee.metrics import Metric
from referee.metrics.labels import seen_by
from referee.results.comparison import Comparison, Interval
from referee.results.settings import Settings, Verdict
from referee.results.watch import Watch
from referee.runtime.arguments import fitting
from referee.runtime.randomness import Rng, Streams
from referee.significance import Test
from referee.significance import resolve as resolve_test
from referee.significance.anytime import Anytime, Differences
from referee.significance.base import interval_at
from referee.significance.rank_tally import AnyTally, canonical, tally_of
from referee.studies import prepare
from referee.studies.arrivals import SPREAD, Arrivals, Groups, arrivals, before
from referee.studies.comparison import compare
from referee.studies.verdict import judge
from referee.studies.watch_evidence import Asked, evidence, mirrored, more
from referee.studies.watch_progress import Bounds, Progress, Steps
from referee.studies.watch_state import State, StateFile, check_growth, check_settings


@fitting
def watch(
    data: Any = None,
    *,
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    metric: str | Metric | None = None,
    lower_is_better: bool | None = None,
    test: str | Test | None = None,
    group: Any = None,
    stratum: Any = None,
    weight: Any = None,
    id: Any = None,  # noqa: A002 - the word users know
    winner: Any = None,
    first: Any = None,
    positive: Any = None,
    threshold: float | None = None,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    question: str | None = None,
    margin: float | str | None = None,
    rng: Rng = 0,
    unmatched: str = "error",
    missing: str = "error",
    repeats: str = "error",
    text: Any = None,
    names: Sequence[str] | None = None,
    paired: bool = True,
    state: str | os.PathLike[str] | None = None,
) -> Watch:
    """Look at a comparison whose examples still arrive, as often as you like, and say whether to stop or to keep going.

    One call is one look. The evidence holds its false-alarm rate over all looks together, so the first look at which p is at
    most alpha may be the last. The rows of a table in order are looked at one by one, groups when another one has begun.

    Args:
        data: a dataframe, a path, Counts, or None if truth, a and b are arrays; all examples so far, in the order in which they came.
        truth: the right answers; not needed if a and b are scores.
        a: the predictions or scores of the first system.
        b: the predictions or scores of the second.
        metric: what to compare.
        lower_is_better: which way is up for scores, and for metrics that don't say it.
        test: "anytime", the only test that may be looked at again and again, with its options: "anytime:burn_in=100".
        group: examples of one group may depend on each other.
        stratum: examples are drawn within strata.
        weight: how much each example counts in the scores.
        id: a column that identifies examples.
        winner: who won each judgement, for preferences.
        first: which of the two was shown first.
        positive: the positive label, if it is not obvious.
        threshold: scores of at least this value count as the positive label, for metrics of labels.
        alternative: "two-sided", "greater" (b - a > 0) or "less".
        alpha: the false-alarm rate that you accept, over all looks together.
        question: "better" (the default), "no-worse" or "equal", the latter two with a margin.
        margin: differences smaller than this don't matter; then it also stops when the two are practically equal.
        rng: a seed, a SeedSequence, a Generator, or None for a fresh seed.
        unmatched: what to do with examples that only one system has: "error" or "drop".
        missing: what to do with missing predictions.
        repeats: what to do with repeated ids: "error", "mean" or "group".
        text: a column to show in reports beside the examples on which the systems differ.
        names: what to call A and B in the result.
        paired: False if the systems answered different examples.
        state: the file that remembers the looks so far; without it this look stands alone, and nothing is kept.

    Returns:
        A Watch: the decision, the evidence so far, and the comparison as it stands.

    Raises:
        RefereeError: if the question or the data cannot be understood, or are not those of the looks before and more; the
            file of the state is then as it was.

    >>> r = watch(a=[0, 1, 0, 1, 0, 0, 1, 0, 0, 0] * 3, b=[1] * 30)
    >>> r.decision, r.verdict, r.stopped_at.n
    ('stop', 'b better', 13)
    """
    chosen = _anytime(test)
    if isinstance(metric, list | tuple):
        raise OptionError("a watch follows one metric", argument="metric", value=metric, remedy="name one")
    pairs = paired and not isinstance(data, Samples)
    describe = partial(described, names=names) if pairs else described_samples
    outcomes: Any = describe(
        data, truth=truth, a=a, b=b, group=group, stratum=stratum, weight=weight, id=id, winner=winner, first=first,
        positive=positive, text=text, unmatched=unmatched, missing=missing, repeats=repeats,
    )  # fmt: skip
    outcomes = renamed(outcomes.count() if isinstance(outcomes, Samples) else outcomes, names)
    file = None if state is None else StateFile(_apart(state, outcomes, data))
    seen = outcomes if isinstance(outcomes, Counts) else outcomes.count()
    groups = Groups.of(outcomes, seen)
    counts = groups.complete(seen)
    if not counts.n:
        one = "there is one group so far, and more of its rows may come"
        raise NotReady(one, argument="data", remedy="look again when another one has begun")
    if "slice" in counts:
        raise InputError(
            "a watch follows one comparison, and these data have slices", argument="data", remedy="give those of one"
        )
    source = counts if isinstance(outcomes, Counts) else replace(outcomes, counted=counts)
    present = compare(
        source, metric=metric, lower_is_better=lower_is_better, test=chosen, threshold=threshold, alternative=alternative,
        alpha=alpha, question=question, margin=margin, audit=False, rng=rng, paired=counts.paired,
        **({"missing": missing} if isinstance(source, Counts) else {}),
    )  # fmt: skip
    if not isinstance(present, Comparison):
        raise InputError("a watch follows one comparison", argument="data", remedy="give the data of one")
    (own,) = prepare.metrics_of(metric, counts, threshold, lower_is_better)
    looking = _Looking(outcomes, seen, groups, counts, present, own, chosen, threshold, Streams.of(rng))
    return looking.look(file)


def _anytime(test: str | Test | None) -> Anytime:
    chosen = Anytime() if test is None else resolve_test(test)
    if not isinstance(chosen, Anytime):
        again = f"{chosen.name} must not be looked at again and again: its false alarms add up with every look"
        raise OptionError(again, argument="test", value=str(chosen), remedy="leave the test out, or name anytime")
    return chosen


def _apart(state: str | os.PathLike[str], outcomes: Any, data: Any) -> str:
    """Return the path of the state, unless the data are read from it."""
    for path in files_of(outcomes) if isinstance(outcomes, Outcomes) else [data]:
        there = isinstance(path, str | os.PathLike) and Path(path).exists() and Path(state).exists()
        if there and Path(path).samefile(state):
            one = f"the state and the data are one file, {os.fspath(path)}"
            remedy = "name another file for the state"
            raise OptionError(one, argument="state", value=os.fspath(state), remedy=remedy)
    return os.fspath(state)


@dataclass(frozen=True, eq=False)
class _Looking:
    """One look: the data now, and what is asked."""

    outcomes: Outcomes | Counts
    seen: Counts
    """All examples."""
    groups: Groups
    counts: Counts
    """Those of complete groups, or all if none is known to be."""
    present: Comparison
    metric: Metric
    test: Anytime
    threshold: float | None
    streams: Streams

    def look(self, file: StateFile | None) -> Watch:
        """Look, keep it where there is a file, and say what has been seen so far."""
        state, where = (None, "") if file is None else (file.state, str(file.path))
        settings = self._settings()
        if state is not None:
            check_settings(state.settings, settings, where)
        rows = self.seen.n + self.seen.matched.dropped
        first, blocks = before(self.outcomes, 0 if state is None else state.rows, rows)
        if state is not None:
            check_growth(state, self.seen, first, where)
        blocks = blocks and self.groups.complete(blocks)
        steps, why = arrivals(blocks, self.counts, self.metric, self.threshold, self.asked.margin is not None)
        if self.groups.spread:
            steps, why = None, SPREAD
        progress = Progress.start(self.asked) if state is None else state.progress
        if progress.n < self.counts.n:
            progress = progress.advanced(self._steps(steps), self.asked, self.present)
            if file is not None:
                file.write(State.of(settings, progress, self.seen))
        return self._watch(progress, why, kept=file is not None)

    @cached_property
    def asked(self) -> Asked:
        """What is asked."""
        r = self.present
        return Asked(
            question=r.question, alternative=r.alternative, alpha=r.alpha, margin=r.margin, up=r.higher_is_better
        )

    @cached_property
    def tally(self) -> AnyTally:
        """The data now, as the metric sees them."""
        return tally_of(seen_by(self.metric, prepare.settled(self.counts), self.threshold), self.metric)

    def _settings(self) -> dict[str, Any]:
        """Return what must stay from look to look, by the names of the arguments."""
        r, s = self.present, self.present.settings or Settings()
        positive = s.positive_class
        return {
            "metric": r.metric, "test": r.test, "alternative": r.alternative, "alpha": r.alpha, "question": r.question,
            "margin": r.margin, "threshold": self.threshold, "names": [r.a.name, r.b.name],
            "paired": r.paired, "positive": positive if isinstance(positive, bool | int | float | None) else str(positive),
            **{name: value for name, value in s.about.items() if name != "noun"},
            "evidence": "asymptotic" if Differences.of(self.tally) is None else "exact",
        }  # fmt: skip

    def _steps(self, found: Arrivals | None) -> Steps:
        """Return the steps from the last look on: those of a table in order, or the present alone."""
        if found is None:
            # In the orientation in which comparisons draw, so that both draw the same.
            oriented, flipped = canonical(self.tally)
            asked = mirrored(self.asked) if flipped else self.asked
            own = evidence(self.test, oriented, oriented.multiplicities[None, :], asked, self.streams)
            tally, batch, sizes = self.tally, self.tally.multiplicities[None, :], np.array([self.counts.n])
        else:
            tally, batch, sizes = found.tally, found.batch, found.sizes
            own = evidence(self.test, tally, batch, self.asked, self.streams)

        def interval(place: int, level: float) -> Interval | None:
            prefix = tally.with_multiplicities(batch[place])
            return None if bool(tally.blank(batch[place])) else interval_at(self.test, prefix, level, self.streams)

        scores = np.where(tally.blank(batch)[:, None], np.nan, tally.scores(batch))
        return Steps(sizes, batch.sum(axis=1), own, scores[:, 1] - scores[:, 0], interval)

    def _watch(self, seen: Progress, why: str, kept: bool) -> Watch:
        r, asked, best = self.present, self.asked, np.array(seen.best)
        stops = seen.verdict is not None
        method = "anytime-asymptotic" if Differences.of(self.tally) is None else "anytime"
        interval, drift = _interval(seen.bounds, asked.level, r.interval, method)
        verdict: Verdict = seen.verdict or "too close to call"
        wide = None
        if r.margin_interval is not None:
            wide, apart = _interval(seen.margin_bounds, r.margin_interval.level, r.margin_interval, method)
            drift = drift or apart
        if not stops and r.question == "better":  # while it is open which is better, B may be known not to be worse
            held = judge(None, r.difference, r.alpha, r.margin, wide, r.higher_is_better)
            verdict = verdict if drift or held == "too close to call" else "no worse"
        drift = drift or {verdict, r.verdict} == {"a better", "b better"}
        warnings = r.warnings if not drift else (DRIFT, *r.warnings)
        return Watch(
            decision="stop" if stops else "keep going", verdict=verdict, metric=r.metric,
            test=r.test, alternative=r.alternative, alpha=r.alpha, question=r.question, margin=r.margin,
            higher_is_better=r.higher_is_better, p_value=asked.p(best), p_method=r.p_method, interval=interval,
            margin_interval=wide, drift=drift, stopped_at=seen.stopped_at,
            more=None if stops else more(self.test, self.tally, r.n, asked, best, self.streams), log_stop=asked.stops,
            n=r.n, units=r.units, waiting=self.seen.n - r.n, looked=seen.looked, only_looks=why, looks=seen.looks, comparison=r, kept=kept,
            warnings=warnings, signature=f"{r.signature}|looks:{seen.looked}",
        )  # fmt: skip


DRIFT = (
    "what the examples say has changed on the way: the intervals of the looks so far have nothing in common, so the examples are not in an "
    "order that has nothing to do with who is right on them, or a model was replaced; the last interval is shown"
)


def _interval(bounds: Bounds, level: float, last: Interval | None, method: str) -> tuple[Interval | None, bool]:
    """Return where all intervals overlap, the last one if they do not; and whether they do not."""
    low, high = bounds
    if low is None or high is None:
        return None, False
    if low > high:
        return last, True
    return Interval(low=low, high=high, level=level, method=method), False
