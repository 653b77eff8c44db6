"""A release meeting: two runs of an LLM evaluation become a verdict, a page to look at, and a gate.

What it shows: logs of lm-evaluation-harness read as they are, two tasks with adjusted p-values, questions
that share a passage kept together, a margin ("no worse" can be shown where "better" cannot), the HTML report, and the
exit code of a gate. The runs are made up here, so that it needs no model and no network.

    python examples/llm_release.py [FOLDER]

It takes about 3 seconds and writes `runs/` and `release.html` into FOLDER (here, if none is given). It ends with the exit code of
the gate: 0 if the candidate may be released, 1 if it is worse, 3 if the data can't tell.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import referee

MARGIN = 0.03
"""The loss that nobody would mind. It was written down before anybody looked."""


def main(folder: Path) -> int:
    """Make the runs, compare them, write the report, and return the gate's exit code."""
    make_runs(folder / "runs")
    outcomes = referee.read(folder / "runs" / "old", folder / "runs" / "new", group="passage")
    results = referee.compare(outcomes, margin=MARGIN)
    print(results)

    for result in results:
        said = f"\n{result.task}: {result.n} questions in {result.units} groups, with a design effect of {result.design_effect:.1f}."
        if result.detectable is not None:  # with few disagreements nobody knows
            said += f" A true difference of {100 * result.detectable:.1f} points would be detected 4 times in 5."
        print(said)

    print("\nThe first questions of sums on which the two differ:")
    for example in results["sums"].examples()[:3]:
        print(f"  {example.text} old {example.a}, new {example.b}")

    results.to_html(folder / "release.html")
    print("\nThe report is in release.html.")
    words = {0: "release it", 1: "do not release it", 3: "the data cannot tell; ask more questions"}
    print(f"The gate says {results.gate}: {words[results.gate]}.")
    return results.gate


def make_runs(folder: Path) -> None:
    """Write what lm-evaluation-harness would: a file for each model and task, a line for each question."""
    draw = random.Random(5)
    for task, passages, questions, gain, luck in (("reading", 120, 10, 0.0, 0.05), ("sums", 800, 1, 0.04, 0.0)):
        lines: dict[str, list[str]] = {"old": [], "new": []}
        for passage in range(passages):
            ease, suits = draw.uniform(0.5, 0.9), draw.gauss(gain, luck)  # some passages suit one model more
            for question in range(questions):
                shared = draw.random()  # what makes a question hard makes it hard for both
                for model, chance in (("old", ease - suits), ("new", ease + suits)):
                    right = (shared if draw.random() < 0.8 else draw.random()) < chance
                    row = {
                        "doc_id": passage * questions + question,
                        "doc": {"passage": f"{task}-{passage}", "question": f"Passage {passage}, question {question}?"},
                        "target": "yes",
                        "filtered_resps": ["yes" if right else "no"],
                        "acc": float(right),
                    }
                    lines[model].append(json.dumps(row))
        for model, rows in lines.items():
            (folder / model).mkdir(parents=True, exist_ok=True)
            (folder / model / f"samples_{task}_2026-11-02T09-00-00.jsonl").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
