"""A threshold turns scores into labels, for the metrics that are of labels."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from referee.data.columns import rounded
from referee.data.counts import Counts
from referee.errors import Misfit, OptionError
from referee.metrics.labels import Labels

if TYPE_CHECKING:
    from referee.metrics.base import Metric


def seen_by(metric: Metric, counts: Counts, threshold: float | None) -> Counts:
    """Return the counts as a metric takes them: cut into labels at the threshold if it reads labels, else as they are.

    Cut the whole data, and take slices afterwards: one of them may have examples of a single label only.
    """
    if threshold is None:
        return counts
    check_threshold(threshold)
    return apply_threshold(counts, threshold) if metric.of_labels else counts


def check_threshold(threshold: float) -> None:
    """Raise unless the threshold is a number."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not math.isfinite(threshold):
        raise OptionError(f"threshold must be a number; it is {threshold!r}")


def apply_threshold(counts: Counts, threshold: float) -> Counts:
    """Turn scores into labels: at least the threshold is the positive label, below it the other."""
    check_threshold(threshold)
    if "truth" not in counts:
        raise Misfit("threshold= needs the truth, whose labels the scores become")
    labels = Labels.of_truth(counts)
    positive = labels.find_positive(counts.positive, "threshold=")
    others = [label for label in labels.all if label != positive]
    if len(others) != 1:
        raise Misfit(
            f"threshold= makes two labels, and truth has {len(labels.all)}: {', '.join(map(repr, labels.all[:10]))}"
        )
    columns = {}
    # A score of 0.7 that was stored with 32 bits is a little less than 0.7, and is meant to reach it; also where it was written
    # out with more digits since, as no other score is that very number.
    least, narrow = rounded(threshold, counts.precision), rounded(threshold, 32)
    if any((counts[role] == narrow).any() for role in counts.systems if counts[role].dtype.kind == "f"):
        least = min(least, narrow)
    for role in ("a", "b"):
        if counts[role].dtype.kind not in "if":
            raise Misfit(f"threshold= is for scores, and {counts.name(role)} holds labels")
        filled = counts["truth"][:1].repeat(len(counts))
        filled[:] = others[0]
        filled[counts[role] >= least] = positive
        columns[role] = filled
    return replace(counts.put(**columns), positive=positive)
