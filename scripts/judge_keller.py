"""Judges the kept points of Keller's figures again: `python scripts/judge_keller.py` writes docs/replication/keller2005-*.json.

A change of a rule, or of a sentence, takes no hour of drawing test sets: docs/replication has every point as CSV, and what
was measured stays as it is. tests/papers/test_pages.py holds the files against this.
"""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee_papers import keller2005
from referee_papers.keller2005.panels import FULL, Points

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "replication"
SETS = {"rcv1": 500, "wordnet": 100}
"""Test sets of each category and size that the points were measured with."""
NAMES, WHOLE = ("panel", "null", "line"), ("n", "categories", "different")


def judged(corpus: str) -> dict[str, Any]:
    """Return the replication on a corpus: what was measured as it is kept, verdicts and sentences by the rules of today.

    The CSV files have six digits, which is enough for every verdict; a number that is printed from them could differ in its
    last digit, so what is kept stays.
    """
    plan = replace(FULL, sets=SETS[corpus])
    made = keller2005.judge(Points(_rows(f"points-{corpus}")), _rows(f"tolerance-{corpus}"), plan, corpus).to_dict()
    kept = json.loads(file(corpus).read_text(encoding="utf-8"))
    told = {row["what"]: {key: row[key] for key in ("agrees", "note")} for row in made["rows"]}
    verdicts = made["tables"][0]
    return {
        **kept,
        "rows": [row | told[row["what"]] for row in kept["rows"]],
        "conclusion": made["conclusion"],
        "tables": [verdicts, *(table for table in kept["tables"] if table["title"] != verdicts["title"])],
    }


def _rows(name: str) -> list[dict[str, Any]]:
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as source:
        return [{key: _value(key, text) for key, text in row.items()} for row in csv.DictReader(source)]


def _value(key: str, text: str) -> Any:
    if key in NAMES:
        return text
    if not text:
        return None
    return int(text) if key in WHOLE else float(text)


def file(corpus: str) -> Path:
    """Return where the replication on a corpus is kept."""
    return FOLDER / f"keller2005-{corpus}.json"


if __name__ == "__main__":
    for name in SETS:
        content = json.dumps(judged(name), ensure_ascii=False, indent=1, allow_nan=False)
        file(name).write_text(content + "\n", encoding="utf-8")
