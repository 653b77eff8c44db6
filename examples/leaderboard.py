"""A leaderboard: twelve systems on one benchmark, which of the ranks are luck, and who beats the one in use.

What it shows: `referee.rank` with questions that share a document kept together, the systems that can't be ruled out as best, the
range of ranks of each, a baseline, and the HTML report with its charts. The answers are made up here: the first four systems are
equally good.

    python examples/leaderboard.py [FOLDER]

It takes about 3 seconds and writes `leaderboard.html` into FOLDER (here, if none is given).
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import referee

SKILL = {f"model-{i:02}": max(0.5, 0.78 - 0.025 * max(i - 4, 0)) for i in range(1, 13)}
"""The chance of a right answer: the same for the first four, then less and less."""
IN_USE = "model-09"


def main(folder: Path) -> None:
    """Rank the systems, compare them with the one in use, and write the report."""
    table = answers()
    ranking = referee.rank(table, systems="model-*", group="document")
    print(ranking)

    tied = [name for name in SKILL if SKILL[name] == max(SKILL.values())]
    found = "all of them" if set(tied) <= set(ranking.best) else "not all of them"
    print(f"\nTruly best are {', '.join(tied)}: {found} in the set of {len(ranking.best)} that can't be ruled out.")

    held = sum(one.rank_low <= true <= one.rank_high for one, true in places(ranking))
    print(f"The true rank is within the range for {held} of {len(SKILL)} systems.")

    against = referee.rank(table, systems="model-*", group="document", baseline=IN_USE)
    better = [one.name for one in against.systems if one.standing == "better"]
    print(f"\nSignificantly better than {IN_USE}, which is in use: {', '.join(better)}.")

    ranking.to_html(folder / "leaderboard.html")
    print("\nThe report is in leaderboard.html.")


def places(ranking: referee.Ranking) -> list[tuple[object, int]]:
    """Return each system with its true rank; equally good ones share the first."""
    return [(one, 1 + sum(other > SKILL[one.name] for other in SKILL.values())) for one in ranking.systems]


def answers() -> dict[str, list[object]]:
    """Make up who answered which question correctly: 80 documents with 10 questions each."""
    draw = random.Random(6)
    table: dict[str, list[object]] = {"document": [], **{name: [] for name in SKILL}}
    for document in range(80):
        suits = {name: draw.gauss(0, 0.05) for name in SKILL}  # some documents suit one system more
        for _ in range(10):
            hard = draw.random()  # what makes a question hard makes it hard for all
            table["document"].append(f"doc-{document}")
            for name, skill in SKILL.items():
                table[name].append(int((hard if draw.random() < 0.75 else draw.random()) < skill + suits[name]))
    return table


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
