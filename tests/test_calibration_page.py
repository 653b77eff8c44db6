"""docs/calibration.md says what its numbers say, and the tests that compare takes by itself keep their promise in them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from referee.auditing.shipped import SHIPPED, shipped
from referee.choose import choose
from referee.metrics import resolve
from referee.units import tally_of
from referee.verdict import DECISIVE

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "calibration.json"
METRICS = ("error", "f1", "precision", "recall", "dcf", "mcc")
NUMBERS = json.loads(FILE.read_text(encoding="utf-8"))
ROWS = [dict(zip(NUMBERS["columns"], row, strict=True)) for row in NUMBERS["rows"]]


@pytest.fixture
def page(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    yield pytest.importorskip("benchmarks.calibration_page")
    for name in [name for name in sys.modules if name.split(".")[0] == "benchmarks"]:
        del sys.modules[name]


def test_the_page_is_what_its_numbers_say(page):
    assert page.render(NUMBERS) == (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8")
    assert FILE.stat().st_size < 300_000


@pytest.mark.parametrize("metric", METRICS)
def test_the_default_is_the_one_that_was_measured(metric):
    _, counts = next(iter(shipped(SHIPPED[0]).slices()))
    test, _ = choose(tally_of(counts, resolve(metric)))
    assert NUMBERS["defaults"][metric]["test"] == str(test), (
        "the default has changed: run `make calibration` and see whether it keeps its false alarms"
    )


@pytest.mark.parametrize("metric", METRICS)
def test_the_default_keeps_its_false_alarms(metric):
    """At 5 %: over all categories, or at least where a tie does not hang on fewer than 5 positives (`compare` warns)."""
    test, kept = NUMBERS["defaults"][metric]["test"], {}
    for pool in ("all", "enough"):
        mine = [row for row in ROWS if (row["part"], row["metric"], row["pool"]) == ("default", metric, pool)]
        assert {row["test"] for row in mine} == {test}
        assert {row["n"] for row in mine} == {100, 500, 2000, 6000}
        assert {row["alpha"] for row in mine} == {0.01, 0.05, 0.1}
        assert {row["null"] for row in mine} == {"tilt", "swap"}
        at = [row for row in mine if row["alpha"] == 0.05]
        kept[pool] = all(row["false_alarm"] <= 0.055 + 2 * row["false_alarm_error"] for row in at)
        if pool == "all":
            assert NUMBERS["defaults"][metric]["worst"] == max(row["false_alarm"] for row in at)
    assert NUMBERS["enough"] == DECISIVE
    assert any(kept.values()), kept
