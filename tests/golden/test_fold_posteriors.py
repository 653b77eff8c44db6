"""The Bayesian correlated t test of fold scores against baycomp."""

from __future__ import annotations

import numpy as np
import pytest

from referee.significance.fold_tests import CorrelatedBayes, Layout
from tests.golden.figures import cases, numbers


@pytest.mark.parametrize("row", cases("fold_posteriors.csv"))
def test_probabilities_are_those_of_baycomp(row):
    folds, runs = int(row["folds"]), int(row["runs"])
    layout = Layout("kfold" if runs == 1 else "repeated-kfold", runs, folds, 1 / (folds - 1))
    test = CorrelatedBayes(region=float(row["rope"]))
    found = test.evaluate(numbers(row["b"]) - numbers(row["a"]), layout).probabilities
    # Theirs are differences of a distribution function, so a small one has no digits.
    theirs = [float(row[column]) for column in ("p_a", "p_equal", "p_b")]
    assert found == pytest.approx(theirs, rel=1e-9, abs=1e-12)
    assert np.sum(found) == pytest.approx(1)
