"""The programs in examples/ run as they are, say what they promise, and leave what they name."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import referee

EXAMPLES = Path(__file__).parents[1] / "examples"
PROGRAMS = {
    "llm_release.py": {
        "says": [
            "; better on 1 of 2 tasks.",
            "reading: 1200 questions in 120 groups",
            "would be detected 4 times in 5.",
            "The gate says 0: release it.",
        ],
        "reports": ["release.html"],
    },
    "leaderboard.py": {
        "says": [
            '"model-02" scores highest (mean score 80.4%); 3 of the other 11',
            "Truly best are model-01, model-02, model-03, model-04: all of them in the set of 4",
            "The true rank is within the range for 12 of 12 systems.",
            "Significantly better than model-09, which is in use: model-02, model-03, model-01, model-04, model-05, model-06.",
        ],
        "reports": ["leaderboard.html"],
    },
    "one_model.py": {
        "says": [
            '"answer" meets the target of at least 85%: F1 90.9% (90% interval 89.3% to',
            "fi: F1 86.4%, 90% interval 74.9% to 93.1%: can't tell",
            "Last month 89.1%, this month 90.9%: too close to call (p = 0.27)",
        ],
        "reports": ["target.html"],
    },
    "spam_filter.py": {
        "says": [
            "As if every message stood alone: 0.774 and 0.750, p = 0.019: words is better",
            "Senders kept whole:              0.774 and 0.750, p = 0.128: too close to call",
            "m004-04 is ham: words says spam, pairs says ham: limited report hello review today time hello",
        ],
        "reports": ["spam.html", "audit.html"],
    },
    "many_datasets.py": {
        "says": [
            '"boosting" ranks best over 20 datasets',
            "neighbours: better on 6 of 20 datasets, p = 0.01: a better",
            "forest and boosting: practically equal, with a probability of 0.98",
        ],
        "reports": ["datasets.html"],
    },
    "plan_ahead.py": {
        "says": [
            "The pilot: 240 messages, +0.026, p = 0.37: too close to call.",
            "To detect 6% 4 times in 5, as if every message stood alone:",
            "Senders kept whole:",
        ],
        "reports": ["plan.html"],
    },
    "many_days.py": {
        "says": [
            "1,400,000 examples were counted",
            "which are 32 distinct outcomes",
            "where a miss costs ten false alarms: 0.1109 and 0.1071, p = 6.7e-06; new is better.",
            "where both errors cost the same: 0.0451 and 0.0456, p = 0.00015; old is better.",
            "it is too small to matter.",
        ],
        "reports": ["week.html"],
    },
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[subprocess.CompletedProcess[str], Path]]:
    """Run an example as a user does, but for warnings, which are errors; once, whoever asks."""

    @cache
    def run(name: str) -> tuple[subprocess.CompletedProcess[str], Path]:
        folder = tmp_path_factory.mktemp(name.removesuffix(".py"))
        done = subprocess.run(
            [sys.executable, "-W", "error", str(EXAMPLES / name), str(folder)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            env={**os.environ, "NO_COLOR": "1"},
            cwd=folder,
            timeout=300,
        )
        return done, folder

    return run


def test_every_example_is_tested_and_in_the_readme():
    names = {path.name for path in EXAMPLES.glob("*.py")}
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert names == set(PROGRAMS)
    assert [name for name in names if f"]({name})" not in readme] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_example_says_and_writes_what_it_promises(name, ran):
    done, folder = ran(name)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in PROGRAMS[name]["says"] if line not in done.stdout] == []
    for report in PROGRAMS[name]["reports"]:
        page = (folder / report).read_text(encoding="utf-8")
        assert page.lower().startswith("<!doctype html>")
        assert len(page.encode()) < 500_000
        assert report in done.stdout
        # A page that is sent around must not ask anybody for anything.
        assert re.findall(r"""(?:src|href)=["'](?:https?:)?//""", page) == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_first_lines_name_what_is_written_and_how_long_it_takes(name):
    head = (EXAMPLES / name).read_text(encoding="utf-8").split('"""')[1]
    assert f"python examples/{name}" in head
    assert re.search(r"It takes about \d seconds", head)
    assert [report for report in PROGRAMS[name]["reports"] if report not in head] == []


def test_the_gate_follows_the_runs(ran):
    # The example's exit code is the verdict on what it wrote, not a number that it happens to end with.
    done, folder = ran("llm_release.py")
    outcomes = referee.read(folder / "runs" / "old", folder / "runs" / "new", group="passage")
    assert done.returncode == referee.compare(outcomes, margin=0.03).gate == 0
    swapped = referee.read(folder / "runs" / "new", folder / "runs" / "old", group="passage")
    assert referee.compare(swapped, margin=0.03).gate == 1


def test_the_week_is_the_sum_of_its_days(ran):
    folder = ran("many_days.py")[1]
    days = [referee.Counts.load(folder / f"{day}.json") for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")]
    total = days[0]
    for day in days[1:]:
        total += day
    assert total == referee.Counts.load(folder / "week.json")
    assert json.loads((folder / "week.json").read_text(encoding="utf-8"))["schema"] == "referee.counts/1"
    assert total.n == 7 * 200_000
