"""The tests, each one a decorated dataclass whose fields are its options, in a file that is found by itself."""

from referee.registry import discover
from referee.significance.base import TESTS, Evidence, Finding, Test, fitting_tests, resolve, run

__all__ = ["TESTS", "Evidence", "Finding", "Test", "fitting_tests", "resolve", "run"]

discover(__name__)
