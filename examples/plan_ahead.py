"""Planning ahead: a pilot of 240 messages says how many to label before the real comparison.

What it shows: a pilot compared (too close to call, and what next), a plan by messages and by senders, what a fixed budget would
detect, what it takes to show that nothing broke, and the power curve on a page. The data are made up here.

    python examples/plan_ahead.py [FOLDER]

It takes about 8 seconds and writes `plan.html` into FOLDER (here, if none is given).
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import referee

SENDERS, EACH = 40, 6
MATTERS = 0.06
"""The smallest difference that anybody would switch filters for."""


def main(folder: Path) -> int:
    """Make a pilot, look at it, and plan the real thing."""
    pilot = make_pilot()
    roles = {"truth": "label", "a": "old", "b": "new", "positive": "spam", "metric": "f1"}
    first = referee.compare(pilot, **roles)
    print(f"The pilot: {first.n} messages, {first.difference:+.3f}, p = {first.p_value:.2f}: {first.verdict}.")
    if first.needed is not None:
        print(f"To confirm that difference: {first.needed['n']:,} messages.")

    alone = referee.plan(pilot, **roles, difference=MATTERS)
    whole = referee.plan(pilot, **roles, difference=MATTERS, group="sender")
    print(f"\nTo detect {MATTERS:.0%} 4 times in 5, as if every message stood alone: {alone.n:,} messages.")
    print(f"Senders kept whole: {whole.units:,} senders, {whole.n:,} messages.")

    budget = referee.plan(pilot, **roles, n=2000)
    print(f"A budget of 2,000 messages would detect a difference of {budget.difference:.1%}.")
    same = referee.plan(pilot, **roles, question="no-worse", margin=MATTERS)
    print(f"To show that the new filter is no worse by {MATTERS:.0%}, if it is equally good: {same.n:,} messages.")

    alone.to_html(folder / "plan.html")
    print("\nThe power curve is in plan.html.")
    return 0


def make_pilot() -> dict[str, list[Any]]:
    """Return messages of several senders, and what two filters say of them."""
    draw = random.Random(5)
    columns: dict[str, list[Any]] = {name: [] for name in ("sender", "label", "old", "new")}
    for sender in range(SENDERS):
        suits = draw.gauss(0.0, 0.08)  # some senders suit one filter more
        for _ in range(EACH):
            label = draw.choice(["spam", "ham"])
            other = "ham" if label == "spam" else "spam"
            shared = draw.random()  # what is hard is hard for both
            row = {"sender": f"s{sender}", "label": label}
            for name, chance in (("old", 0.77 - suits), ("new", 0.83 + suits)):
                row[name] = label if (shared if draw.random() < 0.7 else draw.random()) < chance else other
            for name, value in row.items():
                columns[name].append(value)
    return columns


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    target.mkdir(parents=True, exist_ok=True)
    sys.exit(main(target))
