"""Terms: what the number is called that a verdict follows, and what it claims: a p-value tests, and the tail of a posterior believes."""

from __future__ import annotations

from dataclasses import dataclass

from referee.report.numbers import NBSP, p_equation, p_value


@dataclass(frozen=True)
class Terms:
    """The words that go with a kind of evidence."""

    p: str
    """What stands over a column of it"""
    adjusted: str
    """What is adjusted, in a heading"""
    number: str
    """What one is called"""
    surely: str
    """How a system is better, with a space behind it"""

    def equation(self, p: float | None, alpha: float) -> str:
        """Write the number with its name."""
        return p_equation(p, alpha) if self is TESTED else f"{self.number}{NBSP}{p_value(p, alpha)}"


TESTED = Terms("p", "p", "p-value", "significantly ")
BELIEVED = Terms("tail", "tails", "tail area", "credibly ")


def believed(r: object) -> bool:
    """Say whether the verdict of a result follows a posterior: its tails are no p-values, and promise no error rate."""
    info = getattr(r, "test_info", None)
    return info.posterior is True if info is not None else getattr(r, "posterior", None) is not None


def terms(r: object) -> Terms:
    """Return the words that go with the evidence of a result."""
    return BELIEVED if believed(r) else TESTED
