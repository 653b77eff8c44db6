"""The paper's statements, on made-up points."""

from __future__ import annotations

from referee_papers.keller2005 import statements
from referee_papers.keller2005.panels import NOISE
from referee_papers.keller2005.statements import STATEMENTS
from tests.papers.keller2005.made_up import calm_world, papers_world, table


def agrees(points):
    return {row["what"]: row["agrees"] for row in [one.row(points) for one in STATEMENTS]}


def test_findings():
    optimistic = "the bootstrap on dF1 is on average always optimistic for unlike models"
    small = "but not for close models on small unbalanced sets (figure 1d)"
    told = agrees(table(papers_world))
    assert told[optimistic] is True and told[small] is True
    assert told["McNemar and the bootstrap on dCerr are always pessimistic"] is True
    assert told["the bootstrap on dF1 is pessimistic for like models"] is True
    told = agrees(table(calm_world))
    assert told[optimistic] is False and told[small] is False
    torn = table(lambda panel, null, name: papers_world(panel, null, name) if null == "tilt" else (0.01, 0.03, 0.045))
    row = next(row for one in STATEMENTS if (row := one.row(torn))["what"] == optimistic)
    assert row["agrees"] is None and "contradict" in row["note"]


def test_findings_by_null():
    """The bootstrap on dF1 as the paper has it under noise, calm under the others; observed tells nothing."""

    def rates(panel, null, name):
        return (None, None, None) if null == "observed" else calm_world(panel, null, name)

    told = statements.judge_by_null(table(rates))
    assert len(told) == 16
    optimistic = next(row for row in told if "on average always optimistic" in row["finding"])
    assert [optimistic[null] for null in ("tilt", "swap", "observed", NOISE)] == [False, False, None, True]
    made = statements.tabulate(told)
    held = [str(sum(row[null] is True for row in told)) for null in ("tilt", "swap", "observed", NOISE)]
    assert list(made.body[-1]) == ["hold, of 16", *held] and len(made.body) == 17
    counted = f"tilt {held[0]}, swap {held[1]}, observed {held[2]} (10 cannot be judged), noise {held[3]}"
    assert statements.say_how_many(told) == counted


def test_absences():
    found = table(calm_world, lambda p, null: 0 if null == NOISE else 3, lambda p, null: 0 if null == NOISE else 9)
    assert [row["agrees"] for row in statements.judge_absences(found)] == [False, True, False, True]
