"""The tests, each one a decorated dataclass whose fields are its options."""

from referee.significance.base import TESTS, Evidence, Finding, Test, fitting_tests, resolve, run
from referee.significance.bootstrap import Bootstrap
from referee.significance.cluster_t import ClusterT
from referee.significance.delong import DeLong
from referee.significance.detection_cost import DcfPaired, DcfProportion
from referee.significance.mcnemar import McNemar
from referee.significance.proportion import Chi2Precision, Disagreement, Proportion, TwoProportions
from referee.significance.randomization import Randomization
from referee.significance.score_test import Score
from referee.significance.sign_tests import Sign, Wilcoxon
from referee.significance.skew_t import SkewT
from referee.significance.t_tests import PairedT, TwoSampleT

__all__ = [
    "TESTS",
    "Bootstrap",
    "Chi2Precision",
    "ClusterT",
    "DcfPaired",
    "DcfProportion",
    "DeLong",
    "Disagreement",
    "Evidence",
    "Finding",
    "McNemar",
    "PairedT",
    "Proportion",
    "Randomization",
    "Score",
    "Sign",
    "SkewT",
    "Test",
    "TwoProportions",
    "TwoSampleT",
    "Wilcoxon",
    "fitting_tests",
    "resolve",
    "run",
]
