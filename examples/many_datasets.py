"""A benchmark paper's table: four systems on twenty datasets become ranks, verdicts and a critical-difference diagram.

What it shows: a table with one row per dataset and one column per system, Wilcoxon's test of every pair with Holm's adjustment, the same
question with one system as the baseline, the Bayesian test with a region of practical equivalence, the diagram and the report. The
scores are made up here.

    python examples/many_datasets.py [FOLDER]

It takes about 3 seconds and writes `scores.csv`, `diagram.svg` and `datasets.html` into FOLDER (here, if none is given).
"""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

import referee
from referee.report.charts import save

SKILL = {"forest": 0.06, "boosting": 0.062, "linear": 0.02, "neighbours": 0.0}
"""How much better than the last each system is on a typical dataset; forest and boosting hardly differ."""


def main(folder: Path) -> None:
    """Make the table, rank the systems, and write the diagram and the report."""
    make_scores(folder / "scores.csv")
    r = referee.rank_datasets(folder / "scores.csv", metric="accuracy")
    print(r)

    print("\nAgainst linear only, which takes three comparisons instead of six:")
    for pair in referee.rank_datasets(folder / "scores.csv", metric="accuracy", baseline="linear").pairs:
        print(f"  {pair.b}: better on {pair.wins[1]} of {r.n} datasets, p = {pair.p_adjusted:.1g}: {pair.verdict}")

    print("\nIf two points do not matter:")
    bayes = referee.rank_datasets(folder / "scores.csv", metric="accuracy", test="bayes", rope=0.02)
    pair = bayes.pair("forest", "boosting")
    print(f"  forest and boosting: {pair.verdict}, with a probability of {pair.probabilities['equal']:.2f}")

    save(referee.rank_datasets(folder / "scores.csv", test="nemenyi").plot(), str(folder / "diagram.svg"))
    r.to_html(folder / "datasets.html")
    print("\nThe diagram is in diagram.svg, the report in datasets.html.")


def make_scores(path: Path) -> None:
    """Write made-up accuracies: datasets differ much, systems a little."""
    draw = random.Random(6)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["dataset", *SKILL])
        for number in range(1, 21):
            level = draw.uniform(0.6, 0.85)
            table.writerow(
                [f"data{number:02}", *(f"{level + skill + draw.gauss(0, 0.02):.3f}" for skill in SKILL.values())]
            )


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
