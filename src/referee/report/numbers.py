"""Numbers as people read them: as many digits as mean something, and "unknown" for what is not known."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeGuard

UNKNOWN = "unknown"
SMALLEST = 1e-300  # below it, floating point no longer tells one p-value from another


def known(value: float | None) -> TypeGuard[float]:
    """Say whether there is a finite number."""
    return value is not None and math.isfinite(value)


def decimals(half: float | None, values: Iterable[float | None]) -> int:
    """Say how many decimals mean something: two digits of an interval's half-width, or four of the values.

    >>> decimals(0.017, [0.81, 0.83]), decimals(None, [12.5, 0.4])
    (3, 2)
    """
    if known(half) and half > 0:
        return _clamp(1 - math.floor(math.log10(half)))
    sizes = [abs(value) for value in values if known(value) and value != 0]
    return _clamp(3 - math.floor(math.log10(max(sizes)))) if sizes else 3


def _clamp(places: int) -> int:
    return min(max(places, 0), 12)


def number(value: float | None, places: int) -> str:
    """Write a number with so many decimals, with more where it would otherwise look like 0.

    >>> number(0.0213, 3), number(-0.0004, 3), number(-0.0, 2), number(None, 3)
    ('0.021', '-0.0004', '0.00', 'unknown')
    """
    if not known(value):
        return UNKNOWN
    if abs(value) >= 1e9:
        return f"{value:.4g}"
    text = f"{value:.{places}f}"
    if float(text) == 0:
        return f"{0:.{places}f}" if value == 0 else f"{value:.1g}"
    return text


def p_value(p: float | None, alpha: float = 0.05) -> str:
    """Write a p-value with two significant digits, never across alpha, never as 0.

    >>> p_value(0.0314), p_value(0.0002), p_value(1.52e-26), p_value(0.0496), p_value(0.9999), p_value(0.0)
    ('0.031', '0.00020', '1.5e-26', '0.0496', '> 0.99', '< 1e-300')
    """
    if not known(p):
        return UNKNOWN
    if p < SMALLEST:
        return f"< {SMALLEST:.0e}"
    if 0.99 < p < 1:
        return "> 0.99"
    for digits in range(2, 17):
        text = _significant(p, digits)
        if (float(text) <= alpha) == (p <= alpha) and (float(text) == alpha) == (p == alpha):
            break
    return text


def _significant(p: float, digits: int) -> str:
    if p < 1e-4:
        return f"{p:.{digits - 1}e}"
    if p == 1:
        return "1"
    return f"{p:.{digits - 1 - math.floor(math.log10(p))}f}"


def p_equation(p: float | None, alpha: float = 0.05) -> str:
    """Write "p = 0.031", "p < 1e-300" or "p unknown".

    >>> p_equation(0.0314), p_equation(None)
    ('p = 0.031', 'p unknown')
    """
    text = p_value(p, alpha)
    return f"p {text}" if text == UNKNOWN or text[0] in "<>" else f"p = {text}"


def percent(share: float | None) -> str:
    """Write a share of one as a percentage of two or three digits.

    >>> percent(0.95), percent(0.999), percent(0.0314), percent(0.00001)
    ('95%', '99.9%', '3.1%', '0.001%')
    """
    if not known(share):
        return UNKNOWN
    text = f"{100 * share:.{3 if share >= 0.1 else 2}g}"
    return f"{float(text):f}".rstrip("0").rstrip(".") + "%" if float(text) >= 1e-5 else f"{text}%"


def duration(seconds: float) -> str:
    """Write about how long something takes.

    >>> duration(0.23), duration(41.0), duration(300.0), duration(9000.0)
    ('0.2 s', '40 s', '5 minutes', '2.5 hours')
    """
    if seconds < 90:
        return f"{float(f'{seconds:.1g}'):g} s"
    return f"{seconds / 60:.2g} minutes" if seconds < 5400 else f"{seconds / 3600:.2g} hours"


def whole(value: int) -> str:
    """Write a whole number with its thousands apart.

    >>> whole(1234567)
    '1,234,567'
    """
    return f"{value:,}"


def factor(value: float) -> str:
    """Write how many times.

    >>> factor(1.4142), factor(12.3), factor(2.0)
    ('1.4', '12', '2.0')
    """
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def seconds(value: float | None) -> str:
    """Write seconds with two digits that mean something.

    >>> seconds(0.00002), seconds(0.0123), seconds(3.456), seconds(1234.5), seconds(None)
    ('< 0.001', '0.012', '3.5', '1,234', 'unknown')
    """
    if not known(value):
        return UNKNOWN
    if value < 0.001:
        return "< 0.001"
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"
