"""Systems of linear equations, one a row."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from referee.values import Floats


def solved(left: Floats, right: Floats, totals: Floats) -> Floats:
    """Solve the equations of each row, scaled by the totals; 0 where they have no solution, and the row then stays where it is."""
    size = totals.shape[1]
    scale = np.ones(right.shape)
    scale[:, :size] = np.maximum(totals, 1e-300)
    left = left * scale[:, None, :]
    left[:, :size] /= scale[:, :size, None]
    right = right.copy()
    right[:, :size] /= scale[:, :size]
    rows = np.abs(left).max(axis=2)
    rows = np.where((rows > 0) & (rows < np.inf), rows, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        left, right = left / rows[:, :, None], (right / rows)[:, :, None]
    try:
        out = np.linalg.solve(left, right)
    except np.linalg.LinAlgError:
        out = np.zeros_like(right)
        for row in range(len(left)):
            with suppress(np.linalg.LinAlgError):
                out[row] = np.linalg.solve(left[row], right[row])
    good = np.isfinite(out).all(axis=1)
    result: Floats = np.where(good, out[:, :, 0], 0.0) * scale
    return result
