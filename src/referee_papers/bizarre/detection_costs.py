"""The adapted tests of detection costs, equations 8 and 9: how often they raise a false alarm."""

from __future__ import annotations

from referee.results.replication import Table
from referee_papers.claims import Row, claim, percent, round_floats
from referee_papers.keller2005 import rules
from referee_papers.keller2005.points import as_point, write_rates

TESTS = {"dcf-proportion": "eq. 8: as if the models erred independently", "dcf-paired": "eq. 9: disagreements only"}
TITLE = "Detection cost (cost_fn 10, cost_fp 1, p_target .01), linear SVM vs MLP, unions of categories near balance, null tilt: false alarms ± spread / power at alpha .05, %"
UNUSED = {"groups", "category", "power_error", "coverage", "coverage_error", "coverage_spread"}
"""What a row of the grid has besides."""


def judge(costs: list[Row]) -> list[Row]:
    """Judge the two tests of detection costs."""
    lines = [[as_point(row) for row in costs if row["test"] == test] for test in TESTS]
    shown = []
    for line in lines:
        alarms = ", ".join(f"{percent(point['alpha_true'])} % at {point['n']:,}" for point in line)
        shown.append(f"false alarms {alarms}; power {', '.join(percent(point['power']) for point in line)} %")
    independent, paired = lines
    return [
        claim(
            "detection cost, eq. 8: the proportion test as if models were independent",
            "assuming (wrongly) independence between the two costs",
            shown[0],
            rules.lower(independent, paired, "alpha_true"),
            "rule: what is wrong shows as fewer false alarms than eq. 9 in the mean over sizes; under the null tilt, alpha 5 %",
        ),
        claim(
            "detection cost, eq. 9: only what the models decide differently",
            "for measures such as DCF it is possible to modify classical statistical tests: a correct test",
            shown[1],
            rules.reaches(paired),
            "rule: within 30 % of alpha at the largest size; under the null tilt, alpha 5 %",
        ),
    ]


def tabulate(costs: list[Row]) -> Table:
    """Return false alarms and power by size."""
    rows = [round_floats({key: value for key, value in row.items() if key not in UNUSED}) for row in costs]
    sizes = sorted({row["n"] for row in costs})
    points = {(row["test"], row["n"]): as_point(row) for row in costs}
    body = [(words, *(write_rates(points[test, n]) for n in sizes)) for test, words in TESTS.items()]
    return Table(TITLE, rows, ("test", *(f"{n:,}" for n in sizes)), body)
