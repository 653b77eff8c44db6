"""Tail probabilities and quantiles, accurate far out, from scipy.special only (scipy.stats takes a second to import); and p-values adjusted for multiple comparisons."""

from __future__ import annotations

from typing import Any, TypeVar, cast, get_args

import numpy as np

from referee.data.columns import Floats
from referee.errors import InputError, one_of, refusal
from referee.results.settings import Alternative
from referee.runtime.arguments import fitting

Number = TypeVar("Number", float, Floats)
ALTERNATIVES: tuple[str, ...] = get_args(Alternative)
FLIPPED: dict[str, Alternative] = {"two-sided": "two-sided", "greater": "less", "less": "greater"}


def check_alternative(alternative: str) -> Alternative:
    """Return the alternative; raise unless it is one of the three."""
    one_of("alternative", alternative, ALTERNATIVES)
    return cast(Alternative, alternative)


def check_alpha(alpha: float) -> float:
    """Return alpha; raise unless it lies strictly between 0 and 1."""
    if isinstance(alpha, bool) or not isinstance(alpha, int | float | np.number) or not 0 < alpha < 1:
        raise refusal("alpha", "must lie between 0 and 1, such as 0.05", alpha)
    return float(alpha)


def z_quantile(q: float) -> float:
    """Return the standard normal quantile."""
    from scipy.special import ndtri

    return float(ndtri(q))


def t_quantile(q: float, df: float) -> float:
    """Return the quantile of Student's t; infinite if it is beyond the largest float."""
    return float(t_quantiles(q, df))


def t_quantiles(q: Any, df: Any) -> Floats:
    """Return quantiles of Student's t, on fractions of a degree of freedom too; NaN without any.

    >>> [f"{t:.5g}" for t in t_quantiles(0.975, [0.001, 0.05, 1, 30])]
    ['inf', '1.1958e+25', '12.706', '2.0423']
    """
    from scipy.special import betaln, ndtri, stdtrit

    q, df = np.broadcast_arrays(np.asarray(q, dtype=np.float64), np.asarray(df, dtype=np.float64))
    some = np.where((df > 0) & np.isfinite(df), df, 1.0)
    with np.errstate(divide="ignore", over="ignore"):
        # Far out the tail is a power of t: there the library's search for a quantile stops short of it.
        tail = np.log(2 * np.minimum(q, 1 - q)) + np.log(some / 2) + betaln(some / 2, 0.5)
        far = np.exp(np.log(some) / 2 - tail / some)
    near = np.where(np.isinf(df), ndtri(q), stdtrit(some, np.where(far < FAR, q, 0.5)))
    return np.where(df > 0, np.where((far < FAR) | np.isinf(df), near, np.copysign(far, q - 0.5)), np.nan)


FAR = 1e8
"""From here on a tail of Student's t is a power of t to the last digit: the next term is smaller by 1/t²."""


def ratio(difference: Any, error: Any) -> Floats:
    """Return difference/error: 0/0 is 0, x/0 is NaN (cannot be known)."""
    difference, error = np.asarray(difference, dtype=np.float64), np.asarray(error, dtype=np.float64)
    still = np.abs(difference) <= 1e-15
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error > 0, difference / np.where(error > 0, error, 1.0), np.where(still, 0.0, np.nan))


def toward(value: Number, alternative: str) -> Number:
    """Return how far a value on a symmetric law lies toward an alternative, each of which then is an upper tail."""
    return abs(value) if alternative == "two-sided" else value if alternative == "greater" else -value


def normal_p(z: Any, error: Any, alternative: str) -> Floats:
    """Return the p-value of a normal statistic; 1 if the error and z are both 0."""
    return student_p(z, error, np.inf, alternative)


def student_p(t: Any, error: Any, df: Any, alternative: str) -> Floats:
    """Return the p-value of a t statistic; 1 if the error and t are both 0."""
    from scipy.special import ndtr, stdtr

    t, error = np.asarray(t), np.asarray(error)
    x = -toward(t, alternative)
    p = np.where(np.isinf(df), ndtr(x), stdtr(np.where(np.isinf(df), 1.0, df), x))
    p = 2 * p if alternative == "two-sided" else p
    return np.where((error == 0) & (t == 0), 1.0, np.minimum(p, 1.0))


def log_choose(n: Any, k: Any) -> Floats:
    """Return the logarithm of how many ways there are to choose k of n: -inf if there is none, k < 0 or k > n."""
    from scipy.special import gammaln

    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def half_at_least(k: Any, n: Any) -> Floats:
    """Return P(K >= k) for K ~ Binomial(n, 1/2)."""
    from scipy.special import betainc

    k, n = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    inner = betainc(np.clip(k, 1.0, None), np.clip(n - k + 1, 1.0, None), 0.5)
    return np.where(k <= 0, 1.0, np.where(k > n, 0.0, inner))


def half_equal(k: Any, n: Any) -> Floats:
    """Return P(K = k) for K ~ Binomial(n, 1/2)."""
    from scipy.special import betaln, binom

    k, n = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    few = binom(np.minimum(n, 60.0), np.clip(k, 0, 60)) * 0.5 ** np.minimum(n, 60.0)
    log = -betaln(np.clip(k, 0, None) + 1, np.clip(n - k, 0, None) + 1) - np.log1p(n) - n * np.log(2.0)
    return np.where((k < 0) | (k > n), 0.0, np.where(n <= 60, few, np.exp(log)))


METHODS = ("holm", "hochberg", "bh", "by", "bonferroni", "none")


@fitting
def adjust(p_values: Any, method: str = "holm") -> Floats:
    """Adjust p-values for multiple comparisons; unknown ones (NaN) stay unknown but count as comparisons.

    Args:
        p_values: the p-values, in any order.
        method: "holm" and "bonferroni" (family-wise error rate) need no assumption, "hochberg" needs positive dependence;
            "bh" (false discovery rate) needs positive dependence, "by" does not. "none" leaves them as they are.

    Returns:
        The adjusted p-values, in the same order.

    >>> adjust([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    one_of("adjust", method, METHODS, "method")
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
