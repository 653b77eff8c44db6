"""One model and a target: is its F1 at least 0.85, in every language, and did it improve on last month's?

What it shows: `referee.score` with a target, groups and slices, the three verdicts, and two months that share no message,
compared as two samples. The messages are made up here, so that it needs no model and no network.

    python examples/one_model.py [FOLDER]

It takes about 2 seconds and writes `target.html` into FOLDER (here, if none is given).
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import referee

TARGET = 0.85
"""What was promised. It was written down before anybody looked."""
Table = dict[str, list[str]]


def main(folder: Path) -> None:
    """Score this month's model, and compare it with last month's."""
    last, this = month(1, 900, 0.90), month(2, 1200, 0.94)
    columns = {"truth": "label", "metric": "f1", "positive": "spam"}

    every = referee.score(this, prediction="answer", group="sender", at_least=TARGET, **columns)
    print(every)
    every.to_html(folder / "target.html")
    print("\nThe report is in target.html.\n")

    for result in referee.score(this, prediction="answer", by="language", at_least=TARGET, **columns):
        low, high = (100 * end for end in (result.interval.low, result.interval.high))
        print(f"{result.task}: F1 {100 * result.score:.1f}%, 90% interval {low:.1f}% to {high:.1f}%: {result.verdict}")

    two = referee.compare((last, this), a="answer", b="answer", group="sender", paired=False, **columns)
    print(
        f"\nLast month {100 * two.a.score:.1f}%, this month {100 * two.b.score:.1f}%: {two.verdict} (p = {two.p_value:.2g})"
    )
    print(two.warnings[0])


def month(seed: int, messages: int, right: float) -> Table:
    """Make up the messages of a month, several from each sender, and what the model said of them."""
    draw = random.Random(seed)
    table: Table = {"sender": [], "language": [], "label": [], "answer": []}
    for number in range(messages):
        label = "spam" if draw.random() < 0.4 else "ham"
        wrong = "ham" if label == "spam" else "spam"
        table["sender"].append(f"{seed}-{number // 6}")
        table["language"].append(draw.choices(["en", "de", "fi"], [70, 25, 5])[0])
        table["label"].append(label)
        table["answer"].append(label if draw.random() < right else wrong)
    return table


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
