"""Cochran's Q test (Cochran 1950): are all of several systems equally often right?"""

from __future__ import annotations

import numpy as np

from referee.data.counts import Counts
from referee.data.preferences import beside
from referee.metrics.base import Metric
from referee.significance.rank_tally import AnyTally, Means, mean_misfit


def cochran_q(counts: Counts, metric: Metric, first: AnyTally) -> dict[str, float] | None:
    """Return Cochran's Q test that all systems are equally often right; None if examples are not simply right or wrong."""
    if first.uneven or "stratum" in counts or mean_misfit(first) is not None or not Means.of(first).is_binary:
        return None
    bound, weights = metric.bind(counts), counts.multiplicities.astype(np.float64)
    formula = bound.formula
    right = np.stack([bound.statistics(beside(counts, role), counts[role])[:, 0] for role in counts.systems], axis=1)
    if getattr(formula, "fixed", False) is False or not np.isin(right, (0.0, 1.0)).all():
        return None
    many = right.shape[1]
    totals, rows = weights @ right, right.sum(axis=1)
    spread = many * (weights @ rows) - weights @ rows**2
    if spread <= 0:
        return None
    from scipy.special import chdtrc

    q = (many - 1) * (many * (totals**2).sum() - totals.sum() ** 2) / spread
    return {"statistic": float(q), "df": float(many - 1), "p_value": float(chdtrc(many - 1, q))}
