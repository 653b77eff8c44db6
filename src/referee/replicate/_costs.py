"""The adapted tests of detection costs, equations 8 and 9: how often they raise a false alarm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.replicate import _judging as rule
from referee.replicate._tables import share
from referee.results.replication import Table

COSTS = {"dcf-proportion": "eq. 8: as if the models erred independently", "dcf-paired": "eq. 9: disagreements only"}


def rows(costs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Judge the two tests of detection costs."""
    points = {test: [_as_point(row) for row in costs if row["test"] == test] for test in COSTS}
    shown = {
        test: ", ".join(f"{share(p['alpha_true'])} % at {p['n']:,}" for p in line) for test, line in points.items()
    }
    power = {test: ", ".join(f"{share(p['power'])}" for p in line) for test, line in points.items()}
    independent, paired = COSTS
    return [
        _row(
            "detection cost, eq. 8: the proportion test as if models were independent",
            "assuming (wrongly) independence between the two costs",
            f"false alarms {shown[independent]}; power {power[independent]} %",
            rule.higher(points[paired], points[independent], "alpha_true"),
            "rule: what is wrong shows as fewer false alarms than eq. 9 in the mean over sizes; under the null tilt, alpha 5 %",
        ),
        _row(
            "detection cost, eq. 9: only what the models decide differently",
            "for measures such as DCF it is possible to modify classical statistical tests: a correct test",
            f"false alarms {shown[paired]}; power {power[paired]} %",
            rule.everywhere([rule.reaches(points[paired])]),
            "rule: within 30 % of alpha at the largest size; under the null tilt, alpha 5 %",
        ),
    ]


def _as_point(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "n": row["n"],
        "alpha": row["alpha"],
        "alpha_true": row["false_alarm"],
        "error": row["false_alarm_error"],
        "spread": row["spread"],
        "power": row["power"],
    }


def table(costs: list[dict[str, Any]]) -> Table:
    """Return false alarms and power by size."""
    keys = (
        "test",
        "null",
        "n",
        "alpha",
        "false_alarm",
        "false_alarm_error",
        "spread",
        "power",
        "power_spread",
        "sets",
        "categories",
    )
    found = [{key: round(row[key], 5) if isinstance(row[key], float) else row[key] for key in keys} for row in costs]
    sizes = sorted({row["n"] for row in costs})
    body = [
        (
            words,
            *(
                f"{share(row['false_alarm'], row['spread'])} / {share(row['power'])}"
                for n in sizes
                for row in costs
                if (row["test"], row["n"]) == (test, n)
            ),
        )
        for test, words in COSTS.items()
    ]
    title = "Detection cost (cost_fn 10, cost_fp 1, p_target .01), linear SVM vs MLP, unions of categories near balance, null tilt: false alarms ± spread / power at alpha .05, %"
    return Table(title, found, ("test", *(f"{n:,}" for n in sizes)), body)


def _row(what: str, paper: str, ours: str, agrees: bool | None, note: str) -> dict[str, Any]:
    return {"what": what, "paper": paper, "ours": ours, "agrees": agrees, "note": note}
