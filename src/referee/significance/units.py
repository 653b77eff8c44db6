"""The units of counts as a metric sees them: by their totals, or by the ranks of their scores."""

from __future__ import annotations

from typing import TypeAlias

from referee.data.counts import Counts
from referee.errors import InputError
from referee.metrics.base import Metric
from referee.significance.rank_tally import RankTally
from referee.significance.tally import Tally

AnyTally: TypeAlias = Tally | RankTally


def tally_of(counts: Counts, metric: Metric) -> AnyTally:
    """See counts through a metric, by totals or by ranks."""
    for role in ("a", "b"):
        if role not in counts:
            raise InputError(f"a comparison needs two systems, a and b; the counts have {', '.join(counts.columns)}")
    return RankTally.of(counts, metric) if metric.task == "ranking" else Tally.of(counts, metric)
