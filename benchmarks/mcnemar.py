"""McNemar's test from raw labels: accuracy of two systems on N=10^6 examples, int64 arrays.

The time of referee is that of the whole compare(), with mid-p, Tango's interval of the difference and the intervals of both
scores.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from mlxtend.evaluate import mcnemar as mlxtend_mcnemar
from mlxtend.evaluate import mcnemar_table
from statsmodels.stats.contingency_tables import SquareTable
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

import referee
from benchmarks import data
from benchmarks.measure import race
from benchmarks.rows import Row


def referee_arrays(y: Any, a: Any, b: Any) -> Any:
    return referee.compare(truth=y, a=a, b=b).p_value


def mlxtend(y: Any, a: Any, b: Any) -> Any:
    return mlxtend_mcnemar(mcnemar_table(y, a, b))[1]


def statsmodels_crosstab(y: Any, a: Any, b: Any) -> Any:
    return statsmodels_mcnemar(pd.crosstab(a == y, b == y), exact=False).pvalue


def statsmodels_from_data(y: Any, a: Any, b: Any) -> Any:
    right = np.column_stack([a == y, b == y])
    return statsmodels_mcnemar(SquareTable.from_data(right).table_orig, exact=False).pvalue


TIMED = (referee_arrays, mlxtend, statsmodels_crosstab, statsmodels_from_data)


def run(quick: bool) -> Iterator[Row]:
    y, a, b = data.labels(10**6)
    found = race({f.__name__: lambda f=f: f(y, a, b) for f in TIMED}, 3 if quick else 11)
    ours = found.pop("referee_arrays")
    for name, theirs in found.items():
        yield Row(
            what="McNemar's test from arrays of N=10^6",
            ours=ours.seconds,
            peer=name.replace("_", " ", 1),
            theirs=theirs.seconds,
            factor=1.0,
            note=f"p = {ours.answer:.5f} (mid-p), {theirs.answer:.5f} (chi2, corrected)",
        )
