"""The tests, each one a decorated dataclass whose fields are its options, in a file that is found by itself."""

from referee.registry import discover
from referee.significance.base import TESTS, Evidence, Finding, Test, fitting_tests, resolve, run

__all__ = ["TESTS", "Evidence", "Finding", "Test", "fitting_tests", "resolve", "run"]

discover(__name__)
TESTS.put_first(
    *("bootstrap", "cluster-t", "delong", "dcf-proportion", "dcf-paired", "mcnemar", "two-proportions", "proportion"),
    *("disagreement", "chi2-precision", "randomization", "score", "sign", "wilcoxon", "skew-t", "paired-t"),
)
