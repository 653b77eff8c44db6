"""Bell and McCaffrey's degrees of freedom of a mean over groups (2002), the rival of cluster-t's effective number less one.

Satterthwaite's approximation to the law of the CR2 variance, if examples were independent and varied alike.
"""

from __future__ import annotations

import numpy as np


def degrees_of_freedom(sizes):
    """Return them for [..., group] sizes.

    With h the shares of the groups, the quadratic form behind the variance has the Gram matrix h on the diagonal and
    -h_g h_k / sqrt((1 - h_g)(1 - h_k)) beside it; they are trace² over the trace of its square.
    """
    h = np.asarray(sizes, dtype=float)
    h = h / h.sum(axis=-1, keepdims=True)
    u = h**2 / (1 - h)
    return 1 / ((h**2).sum(axis=-1) + u.sum(axis=-1) ** 2 - (u**2).sum(axis=-1))


def by_matrices(sizes):
    """Return the same from the definition: residual makers, adjustment matrices and all, example by example."""
    n = int(np.sum(sizes))
    of = np.repeat(np.arange(len(sizes)), sizes)
    residual = np.eye(n) - np.full((n, n), 1 / n)
    columns = []
    for g in range(len(sizes)):
        inside = of == g
        values, vectors = np.linalg.eigh(residual[np.ix_(inside, inside)])
        adjust = vectors @ np.diag(values**-0.5) @ vectors.T
        columns.append(residual[:, inside] @ adjust @ np.full(inside.sum(), 1 / n))
    gram = np.array(columns) @ np.array(columns).T
    return np.trace(gram) ** 2 / np.trace(gram @ gram)
