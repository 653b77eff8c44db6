"""Multiplicity: p-values adjusted for there being several."""

from __future__ import annotations

from typing import Any

import numpy as np

from referee.data.columns import Floats
from referee.errors import InputError, one_of
from referee.runtime.arguments import fitting

METHODS = ("holm", "hochberg", "bh", "by", "bonferroni", "none")


@fitting
def adjust(p_values: Any, method: str = "holm") -> Floats:
    """Adjust p-values; unknown ones (NaN) stay unknown and count as tests.

    Args:
        p_values: the p-values, in any order.
        method: "holm" and "bonferroni" need no assumption; "hochberg" and "bh" positive dependence; "by" none. "none"
            leaves them as they are.

    Returns:
        The adjusted p-values, in the same order.

    >>> adjust([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    one_of("adjust", method, METHODS)
    p = np.asarray(p_values, dtype=np.float64)
    if ((p < 0) | (p > 1)).any():
        raise InputError("p-values lie between 0 and 1", argument="p_values")
    known = np.flatnonzero(np.isfinite(p))
    order = known[np.argsort(p[known], kind="stable")]
    size, place = len(p), np.arange(1, len(known) + 1)
    ordered = p[order]
    if method == "none":
        changed = ordered
    elif method == "bonferroni":
        changed = ordered * size
    elif method == "holm":
        changed = np.maximum.accumulate(ordered * (size - place + 1))
    else:
        harmonic = float((1 / np.arange(1, size + 1)).sum()) if method == "by" else 1.0
        factor = size - place + 1 if method == "hochberg" else size / place * harmonic
        changed = np.minimum.accumulate((ordered * factor)[::-1])[::-1]
    out = np.full(len(p), np.nan)
    out[order] = np.minimum(changed, 1.0)
    return out
