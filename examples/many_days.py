"""A week of predictions: each day is counted once, the counts travel as JSON, and the week is their sum.

What it shows: 1.4 million examples that become some dozen numbers, counts saved, loaded and added, one comparison for
each region with p-values adjusted, the detection cost under two ideas of what an error costs, and a difference that
is beyond doubt and too small to matter. The predictions are made up here.

    python examples/many_days.py [FOLDER]

It takes about 3 seconds and writes seven counts files, `week.json` and `week.html` into FOLDER (here, if none is given).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import referee

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
REGIONS = ("africa", "americas", "asia", "europe")
A_DAY = 200_000


def main(folder: Path) -> None:
    """Count seven days, add them, and ask the sum several questions."""
    for number, day in enumerate(DAYS):
        counts = count_day(number)
        counts.save(folder / f"{day}.json")
    size = sum((folder / f"{day}.json").stat().st_size for day in DAYS)
    print(f"{len(DAYS) * A_DAY:,} examples were counted; the seven files have {size:,} bytes together.")

    # Somebody else, who has never seen a prediction, goes on from here.
    week, *others = [referee.Counts.load(folder / f"{day}.json") for day in DAYS]
    for day in others:
        week += day
    week.save(folder / "week.json")
    print(f"The week has {week.n:,} examples, which are {len(week)} distinct outcomes.\n")

    print("By region, the misses costing ten times as much as the false alarms:\n")
    regions = referee.compare(week, metric="dcf:cost_fn=10,p_target=0.05")
    print(regions)
    print("\nThe four are made alike: that one of them is too close to call is luck, and no finding about that region.")

    whole = week.without("slice")
    for title, metric in (
        ("a miss costs ten false alarms", "dcf:cost_fn=10,p_target=0.05"),
        ("both errors cost the same", "dcf:cost_fn=1,p_target=0.05"),
    ):
        r = referee.compare(whole, metric=metric)
        better = {"a better": "old is better", "b better": "new is better"}.get(r.verdict, r.verdict)
        print(f"\nThe whole week, where {title}: {r.a.score:.4f} and {r.b.score:.4f}, p = {r.p_value:.2g}; {better}.")

    accuracy = referee.compare(whole, metric="accuracy", margin=0.002)
    print(f"\nAnd by accuracy, where 0.002 would not matter:\n\n{accuracy}")
    regions.to_html(folder / "week.html")
    print("\nThe report is in week.html.")


def count_day(number: int) -> referee.Counts:
    """Make up a day of predictions and keep nothing of it but the counts."""
    rng = np.random.default_rng([2026, number])
    truth = rng.random(A_DAY) < 0.05
    hard = rng.random(A_DAY) < 0.03  # what both get wrong
    region = rng.integers(len(REGIONS), size=A_DAY)
    # The new model misses less and raises more false alarms.
    old = truth ^ (hard | (rng.random(A_DAY) < np.where(truth, 0.120, 0.0100)))
    new = truth ^ (hard | (rng.random(A_DAY) < np.where(truth, 0.110, 0.0110)))
    return referee.count(
        {"region": np.array(REGIONS)[region], "fraud": truth, "old": old, "new": new},
        truth="fraud", a="old", b="new", by="region",
    )  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
