"""Numbers as people read them: as many digits as mean something, and "unknown" for what is not known."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import combinations
from typing import TypeGuard

from referee.results.test_info import Unit

UNKNOWN = "unknown"
SMALL = 1e-4
"""What is told of p-values below it is just that."""
MINUS = "\N{MINUS SIGN}"
NBSP = "\N{NO-BREAK SPACE}"
"""Stands between a number and its unit."""


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


def number(value: float | None, places: int, sign: bool = False) -> str:
    """Write a number with so many decimals, with more if it would otherwise look like 0.

    Args:
        value: the number.
        places: how many decimals.
        sign: whether a positive number has a plus sign.

    >>> number(0.0213, 3), number(-0.0004, 3), number(-0.0, 2), number(0.0213, 3, sign=True), number(None, 3)
    ('0.021', '−0.0004', '0.00', '+0.021', 'unknown')
    """
    if not known(value):
        return UNKNOWN
    size = abs(value)
    text = f"{size:.4g}" if size >= 1e9 else f"{size:.{places}f}"
    if value and float(text) == 0:
        text = f"{size:.1g}"
    return f"{MINUS if value < 0 else '+' if sign and value else ''}{text}"


def coefficient(value: float) -> str:
    """Write a correlation or a weight with two decimals.

    >>> coefficient(-0.284), coefficient(0.5), coefficient(-0.001)
    ('−0.28', '0.50', '0.00')
    """
    return number(round(value, 2), 2)


@dataclass(frozen=True)
class Scale:
    """How the scores of one metric are written: shares in percent and their differences in points, all else in decimals."""

    unit: Unit = "number"
    places: int | None = None
    """How many decimals; 1 for shares and 3 for other numbers if left out."""

    @classmethod
    def fitting(
        cls,
        unit: Unit,
        scores: Sequence[float | None],
        differences: Sequence[float | None] = (),
        marks: Iterable[float | None] = (0.0,),
        half: float | None = None,
    ) -> Scale:
        """Choose the decimals: more than usual only if otherwise two scores, or a difference and a mark, would look equal.

        Args:
            unit: what the scores are.
            scores: those that are shown.
            differences: the differences and the ends of their intervals.
            marks: what differences are held against: 0, and the margin if there is one.
            half: half the width of the interval, which says how many decimals mean something if scores are no shares.

        >>> Scale.fitting("share", [0.811, 0.769], [0.042, 0.0001]), Scale.fitting("number", [0.81, 0.83], half=0.017)
        (Scale(unit='share', places=2), Scale(unit='number', places=3))
        """
        size = 100 if unit == "share" else 1
        finite = [value for value in scores if known(value)]
        small = all(abs(value) <= 1 for value in finite)
        least = 1 if unit == "share" else max(decimals(half, [*scores, *differences]), 2 if small else 0)
        pairs = [*combinations(finite, 2), *((d, m) for d in differences for m in marks if known(d) and known(m))]
        apart = [pair for pair in pairs if abs(pair[0] - pair[1]) * size >= 10.0 ** -(least + 4)]
        for places in range(least, least + 5):
            if all(f"{size * one:.{places}f}" != f"{size * other:.{places}f}" for one, other in apart):
                break
        return cls(unit, min(places, 12))

    @property
    def points(self) -> str:
        """What stands behind a difference: points, or nothing."""
        return f"{NBSP}points" if self.unit == "share" else ""

    def plain(self, value: float | None, sign: bool = False) -> str:
        """Write a score or a difference without its unit, as in a column whose head names it.

        >>> Scale("share").plain(-0.0421, sign=True)
        '−4.2'
        """
        usual = 1 if self.unit == "share" else 3
        size = 100 * value if known(value) and self.unit == "share" else value
        return number(size, usual if self.places is None else self.places, sign)

    def score(self, value: float | None) -> str:
        """Write a score.

        >>> Scale("share").score(0.8112), Scale().score(0.8112), Scale("share").score(None)
        ('81.1%', '0.811', 'unknown')
        """
        return f"{self.plain(value)}{'%' if self.unit == 'share' and known(value) else ''}"

    def difference(self, value: float | None, sign: bool = True) -> str:
        r"""Write a difference with its sign; or, without one, how large it is.

        >>> Scale("share").difference(0.0421), Scale().difference(-0.0421), Scale("share").difference(-0.0421, sign=False)
        ('+4.2\xa0points', '−0.042', '4.2\xa0points')
        """
        size = abs(value) if known(value) and not sign else value
        return f"{self.plain(size, sign)}{self.points if known(value) else ''}"

    def bracket(self, low: float, high: float, sign: bool = True) -> str:
        """Write an interval as a table has it, that of a difference with signs.

        >>> Scale("share").bracket(0.014, 0.0712), Scale().bracket(0.726, 0.806, sign=False)
        ('[+1.4, +7.1]', '[0.726, 0.806]')
        """
        return f"[{self.plain(low, sign)}, {self.plain(high, sign)}]"

    def span(self, low: float, high: float, sign: bool = True) -> str:
        r"""Write an interval as a sentence has it, that of a difference with signs.

        >>> Scale("share").span(-0.008, 0.092), Scale("share").span(0.726, 0.806, sign=False)
        ('−0.8 to +9.2\xa0points', '72.6% to 80.6%')
        """
        if sign:
            return f"{self.plain(low, sign)} to {self.difference(high)}"
        return f"{self.score(low)} to {self.score(high)}"


def p_value(p: float | None, alpha: float = 0.05) -> str:
    r"""Write a p-value with two significant digits, never across alpha, never as 0.

    >>> p_value(0.0314), p_value(0.0002), p_value(1.52e-26), p_value(0.0496), p_value(0.9999)
    ('0.031', '0.00020', '<\xa00.0001', '0.0496', '>\xa00.99')
    >>> p_value(1.52e-6, alpha=1e-6), p_value(0.0, alpha=1e-6)
    ('0.0000015', '<\xa00.000001')
    """
    if not known(p):
        return UNKNOWN
    least = min(SMALL, alpha)
    if p < least:
        return f"<{NBSP}{least:.12f}".rstrip("0")
    if 0.99 < p < 1:
        return f">{NBSP}0.99"
    if p == 1:
        return "1"
    for digits in range(2, 17):
        text = f"{p:.{digits - 1 - math.floor(math.log10(p))}f}"
        if (float(text) <= alpha) == (p <= alpha) and (float(text) == alpha) == (p == alpha):
            break
    return text


def p_equation(p: float | None, alpha: float = 0.05) -> str:
    r"""Write "p = 0.031", "p < 0.0001" or "p unknown", with blanks at which no line is broken.

    >>> p_equation(0.0314), p_equation(None)
    ('p\xa0=\xa00.031', 'p\xa0unknown')
    """
    text = p_value(p, alpha)
    return f"p{NBSP}{text}" if text == UNKNOWN or text[0] in "<>" else f"p{NBSP}={NBSP}{text}"


def times_in_100(p: float) -> int:
    """Say how many times in 100 a chance comes to, halves rounded up as its digits are read.

    >>> times_in_100(0.096), times_in_100(0.145), times_in_100(0.0049)
    (10, 15, 0)
    """
    return int(Decimal(repr(float(p))).scaleb(2).quantize(Decimal(1), ROUND_HALF_UP))


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
    r"""Write about how long something takes.

    >>> duration(0.23), duration(41.0), duration(300.0), duration(9000.0)
    ('0.2\xa0s', '40\xa0s', '5\xa0minutes', '2.5\xa0hours')
    """
    if seconds < 90:
        return f"{float(f'{seconds:.1g}'):g}{NBSP}s"
    return f"{seconds / 60:.2g}{NBSP}minutes" if seconds < 5400 else f"{seconds / 3600:.2g}{NBSP}hours"


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
