"""Freeze what other packages make of tables of scores, for tests/golden/test_datasets.py.

They are no dependencies of the tests. In an environment of their own:

    pip install scikit-posthocs==0.17.1 statsmodels==0.15.0 autorank==1.3.0 baycomp==1.0.3
    python scripts/freeze_dataset_oracles.py
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parents[1] / "tests" / "golden" / "data"
SHAPES = {"small": (10, 3, 6), "wide": (12, 7, 6), "long": (40, 5, 6), "ties": (15, 4, 1)}
"""Datasets, systems, and to how many decimals scores are rounded."""
ROPE = 0.01033
"""No sum of two differences is twice as large: baycomp counts what lies on the edge half."""


def main() -> None:
    """Write the tables and what is made of them."""
    import pandas as pd

    demsar = pd.read_csv(HERE / "demsar2006.csv", index_col=0)
    # The paper prints 0.975 twice for voting, and ranks 2 and 3: the file has a fourth digit there.
    tables = {"demsar": demsar, **{name: made(name) for name in SHAPES}}
    with (HERE / "dataset_scores.csv").open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["case", "dataset", "system", "score"])
        for name, table in tables.items():
            rows.writerows([name, d, s, float(table.loc[d, s])] for d in table.index for s in table.columns)
    with (HERE / "dataset_oracles.csv").open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["case", "source", "what", "a", "b", "value"])
        for name, table in tables.items():
            rows.writerows([name, *found] for found in judged(table, name))


def made(name: str) -> Any:
    """Make up a table: systems that differ a little, on datasets that differ much."""
    import pandas as pd

    n, k, places = SHAPES[name]
    draw = np.random.default_rng([2006, n, k])
    scores = draw.uniform(0.5, 0.9, (n, 1)) + draw.normal(0, 0.03, (n, k)) + np.linspace(0, 0.05, k)
    systems, datasets = [f"m{i}" for i in range(k)], [f"d{i}" for i in range(n)]
    return pd.DataFrame(np.clip(scores, 0, 1).round(places), datasets, systems)


def judged(table: Any, name: str) -> Iterator[tuple[Any, ...]]:
    """Yield what each package says: (source, what, a, b, value)."""
    import baycomp
    import scikit_posthocs
    from autorank import autorank
    from scipy import stats
    from statsmodels.stats.multitest import multipletests

    warnings.simplefilter("ignore")
    systems, pairs = list(table.columns), list(combinations(table.columns, 2))
    nemenyi = scikit_posthocs.posthoc_nemenyi_friedman(table.to_numpy())
    nemenyi.index, nemenyi.columns = systems, systems
    yield from (("scikit-posthocs", "nemenyi", a, b, float(nemenyi.loc[a, b])) for a, b in pairs)
    result = autorank(table, force_mode="nonparametric", verbose=False)
    yield from (("autorank", "rank", s, "", float(result.rankdf.loc[s, "meanrank"])) for s in systems)
    yield "autorank", "critical difference", "", "", float(result.cd)
    yield "autorank", "omnibus p", "", "", float(result.pvalue)
    if name in SHAPES and name != "ties":  # with ties, SciPy's p-value of Wilcoxon's test is not exact
        p = [float(stats.wilcoxon(table[a], table[b], method="exact").pvalue) for a, b in pairs]
        for (a, b), alone, both in zip(pairs, p, multipletests(p, method="holm")[1], strict=True):
            yield "scipy", "wilcoxon", a, b, alone
            yield "statsmodels", "holm", a, b, float(both)
    for a, b in pairs:
        test = baycomp.SignedRankTest(
            table[a].to_numpy(), table[b].to_numpy(), rope=ROPE, nsamples=50_000, random_state=1
        )
        for what, value in zip(("a", "equal", "b"), test.probs(), strict=True):
            yield "baycomp", what, a, b, float(value)


if __name__ == "__main__":
    main()
