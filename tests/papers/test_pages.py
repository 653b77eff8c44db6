"""The page on Keller's paper says what the rules give on the kept points."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "replication.md").read_text(encoding="utf-8")


def _script():
    spec = importlib.util.spec_from_file_location("judge_keller", ROOT / "scripts" / "judge_keller.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = _script()


@pytest.mark.parametrize("corpus", SCRIPT.SETS)
def test_kept_verdicts(corpus):
    kept = json.loads(SCRIPT.file(corpus).read_text(encoding="utf-8"))
    assert kept == SCRIPT.judged(corpus), "run python scripts/judge_keller.py"


def test_counts_on_the_page():
    kept = [json.loads(SCRIPT.file(corpus).read_text(encoding="utf-8")) for corpus in SCRIPT.SETS]
    rows = [content["tables"][0]["rows"] for content in kept]
    for null in ("tilt", "swap", "observed", "noise"):
        (line,) = re.findall(rf"^\| {null}: .*$", PAGE, re.MULTILINE)
        held = [int(cell.split(",")[0]) for cell in line.strip("| ").split("|")[2:]]
        assert held == [sum(row[null] is True for row in told) for told in rows]
    agree = [[row["what"] for row in content["rows"][:16] if row["agrees"]] for content in kept]
    assert agree[0] == agree[1] and len(agree[0]) == 11
    assert "Of the paper's 16 findings 11 agree, on RCV1 and on WordNet, and they are the same 11" in PAGE


def test_points_above_alpha_on_the_page():
    first, second = (
        json.loads(SCRIPT.file(corpus).read_text(encoding="utf-8"))["conclusion"] for corpus in SCRIPT.SETS
    )
    assert "above alpha at 7 of 40 points, of like models at 10 of 40" in first
    assert "above alpha at 4 of 40 points, of like models at 11 of 40" in second
    said = " ".join(PAGE.split())
    assert "7 of 40 points lie more than" in said and "10 of 40 points lie above" in said
    assert "it is 4 points against 11" in said
