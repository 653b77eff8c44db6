"""Systems of linear equations: small ones, one a row; and a large one that is known only by what it does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from referee.data.columns import Floats


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
    return np.where(good, out[:, :, 0], 0.0) * scale


def factored(left: Floats) -> Callable[[Floats], Floats]:
    """Return what solves equations with these left sides.

    Raises:
        LinAlgError: where they have no solution.
    """
    from scipy.linalg.lapack import dgetrf, dgetrs

    size = np.abs(left).max(axis=1)
    size = np.where(size > 0, size, 1.0)
    parts, pivots, flaw = dgetrf(left / size[:, None])
    if flaw:
        raise np.linalg.LinAlgError("singular")
    return lambda right: np.asarray(dgetrs(parts, pivots, right / size)[0])


def krylov(
    apply: Callable[[Floats], Floats], undo: Callable[[Floats], Floats], right: Floats, enough: float, most: int
) -> Floats:
    """Solve apply(x) = right (GMRES, Saad and Schultz 1986).

    Args:
        apply: what the equations do to x.
        undo: about the opposite.
        right: the right side.
        enough: what part of it may be left.
        most: the number of steps.
    """
    size = float(np.linalg.norm(right))
    if not 0 < size < np.inf:
        return np.zeros_like(right)
    basis, tried, table = np.zeros((most + 1, len(right))), np.zeros((most, len(right))), np.zeros((most + 1, most))
    basis[0] = right / size
    weights: Floats = np.zeros(0)
    for k in range(most):
        tried[k] = undo(basis[k])
        new = apply(tried[k])
        if not np.isfinite(new).all():
            break
        for _ in range(2):
            parts = basis[: k + 1] @ new
            table[: k + 1, k] += parts
            new = new - parts @ basis[: k + 1]
        table[k + 1, k] = length = float(np.linalg.norm(new))
        aim = np.zeros(k + 2)
        aim[0] = size
        weights = np.asarray(np.linalg.lstsq(table[: k + 2, : k + 1], aim, rcond=None)[0], dtype=np.float64)
        left = float(np.linalg.norm(table[: k + 2, : k + 1] @ weights - aim))
        if left <= enough * size or length <= 1e-14 * size:
            break
        basis[k + 1] = new / length
    return weights @ tried[: len(weights)]
