"""Tables 4, 5 and 6 of the wine study, ours beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from referee.replicate._wine_runs import DESIGNS, NAMES, PAIRS, Run, printed
from referee.report.numbers import p_value
from referee.results.replication import Table

ALPHA = 0.05
ERRORS = {"XGB": (0.028, 0.051), "LR": (0.028, 0.059), "RF": (0.0, 0.035), "SVM": (0.0, 0.073)}
"""Table 4: on 36 wines, and over the ten folds of 5x2cv."""
MARKS = {
    "XGB vs. LR": (False, False),
    "XGB vs. RF": (True, False),
    "XGB vs. SVM": (True, False),
    "LR vs. RF": (False, False),
    "LR vs. SVM": (False, False),
    "RF vs. SVM": (True, True),
}
"""Table 5: whether McNemar's test rejects, and the 5x2cv t test."""
SECONDS = {
    "XGB vs. LR": (0.067, 0.339),
    "XGB vs. RF": (0.500, 3.608),
    "XGB vs. SVM": (0.570, 1.621),
    "LR vs. RF": (0.454, 3.290),
    "LR vs. SVM": (0.569, 1.298),
    "RF vs. SVM": (0.884, 4.894),
}
"""Table 6: under McNemar's test and under 5x2cv."""
CRITICAL = 3.841
"""χ² on one degree of freedom at 5 %."""


def errors(runs: Sequence[Run], name: str, design: str) -> list[float]:
    """Return the error of a classifier in each run."""
    return [run["error"][name][design] for run in runs]


def rejections(runs: Sequence[Run], pair: str, p: str) -> int:
    """Count the runs in which a p-value of a pair is at most alpha."""
    return sum(value is not None and value <= ALPHA for value in (run["pairs"][pair][p] for run in runs))


def typical(own: Sequence[Run]) -> Run:
    """Return the first run on the authors' split in which the forest errs as often as theirs, else the first."""
    alike = [run for run in own if round(run["error"]["RF"]["holdout"], 3) == ERRORS["RF"][0]]
    return (alike or list(own))[0]


def marked(corner: Sequence[int]) -> bool:
    """Say what the authors' code marks: χ² of the first two classes of the table of answers, 0/0 and all."""
    return printed(corner[0], corner[1]) > CRITICAL


def seconds(runs: Sequence[Run], pair: tuple[str, str], design: str) -> float:
    """Return the mean seconds of a pair: of the fits and predictions of its two, each fitted once."""
    return float(np.mean([sum(run["seconds"][name][design] for name in pair) for run in runs]))


def tables(own: list[Run], others: list[Run]) -> tuple[Table, ...]:
    """Return the four tables: 5 is one for each test."""
    return (_errors(own, others), _mcnemar(own, others), _halves(own, others), _costs(others))


def within(values: Sequence[float], digits: int = 3) -> str:
    """Write the mean and the range, or the one value that all have.

    >>> within([0.5, 0.5]), within([0.1, 0.3], 2)
    ('0.500', '0.20 (0.10 to 0.30)')
    """
    low, high = min(values), max(values)
    mean = f"{float(np.mean(values)):.{digits}f}"
    return mean if low == high else f"{mean} ({low:.{digits}f} to {high:.{digits}f})"


def _errors(own: list[Run], others: list[Run]) -> Table:
    rows: list[dict[str, Any]] = []
    body: list[tuple[str, ...]] = []
    for name in NAMES:
        for design, paper in zip(DESIGNS, ERRORS[name], strict=True):
            ours, other = errors(own, name, design), errors(others, name, design)
            rows.append({"classifier": name, "design": design, "paper": paper} | _spread(ours, other))
            body.append((f"{name}, {design}", f"{paper:.3f}", within(ours), within(other)))
    title = (
        f"Table 4: error rates. Ours on the authors' own splits, with the range over {len(own)} forests, "
        f"and on {len(others)} others"
    )
    return Table(title, rows, ("", "paper", "its splits", "other splits"), body)


def _spread(own: Sequence[float], others: Sequence[float]) -> dict[str, Any]:
    named = {"own": own, "other": others}
    return {
        f"{which}_{what}": round(float(of(values)), 5)
        for which, values in named.items()
        for what, of in (("mean", np.mean), ("low", np.min), ("high", np.max))
    }


def _mcnemar(own: list[Run], others: list[Run]) -> Table:
    rows: list[dict[str, Any]] = []
    body: list[tuple[str, ...]] = []
    for pair, (paper, _) in MARKS.items():
        one = typical(own)["pairs"][pair]
        chi, theirs = printed(one["n01"], one["n10"]), printed(*one["corner"])
        rejected = rejections(others, pair, "mid_p")
        rows.append(
            {
                "pair": pair, "paper": paper, "n01": one["n01"], "n10": one["n10"],
                "printed": chi if np.isfinite(chi) else None, "corner": one["corner"], "code": marked(one["corner"]),
                "exact_p": one["exact_p"], "mid_p": one["mid_p"], "others": len(others), "rejected": rejected,
            }
        )  # fmt: skip
        counted = f"{one['corner'][0]}, {one['corner'][1]}"
        body.append(
            (
                pair, str(paper), f"{one['n01']}, {one['n10']}", _chi(chi), counted, _chi(theirs),
                p_value(one["exact_p"]), p_value(one["mid_p"]), f"{rejected} of {len(others)}",
            )
        )  # fmt: skip
    head = ("", "paper", "n01, n10", "χ² printed", "code counts", "its χ²", "exact p", "mid-p", "rejected elsewhere")
    title = (
        "Table 5, McNemar, on the authors' own 36 wines: the errors that only one makes, and what the authors' code "
        "counts in their place (answers 1 against 2, and 2 against 1)"
    )
    return Table(title, rows, head, body)


def _chi(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else "1/0"


def _halves(own: list[Run], others: list[Run]) -> Table:
    rows: list[dict[str, Any]] = []
    body: list[tuple[str, ...]] = []
    for pair, (_, paper) in MARKS.items():
        t = [abs(run["pairs"][pair]["t"] or 0.0) for run in own]
        t_p, f_p = ([run["pairs"][pair][key] for run in own] for key in ("t_p", "f_p"))
        found = {
            f"{which}_{key[0]}": rejections(runs, pair, key)
            for which, runs in (("own", own), ("other", others))
            for key in ("t_p", "f_p")
        }
        known = {"own_runs": len(own), "other_runs": len(others), **found}
        rows.append({"pair": pair, "paper": paper, "t": t, "t_p": t_p, "f_p": f_p} | known)
        body.append(
            (
                pair, str(paper), within(t, 2), _ps(t_p), _ps(f_p),
                f"{found['own_t']}, {found['own_f']} of {len(own)}",
                f"{found['other_t']}, {found['other_f']} of {len(others)}",
            )
        )  # fmt: skip
    head = ("", "paper", "|t|", "p of t", "p of F", "t, F reject", "on other splits")
    return Table(f"Table 5, 5x2cv, on the authors' own folds, with the range over {len(own)} forests", rows, head, body)


def _ps(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "unknown"
    low, high = p_value(min(known)), p_value(max(known))
    return low if low == high else f"{low} to {high}"


def _costs(others: list[Run]) -> Table:
    rows: list[dict[str, Any]] = []
    body: list[tuple[str, ...]] = []
    for pair in PAIRS:
        name = " vs. ".join(pair)
        ours = [seconds(others, pair, design) for design in DESIGNS]
        rows.append({"pair": name, "paper": list(SECONDS[name]), "ours": [round(value, 4) for value in ours]})
        body.append((name, *(f"{value:.3f}" for value in (*SECONDS[name], *ours))))
    paper = np.sum(list(SECONDS.values()), axis=0)
    each = [float(np.mean([sum(run["seconds"][n][d] for n in NAMES) for run in others])) for d in DESIGNS]
    rows.append({"pair": "all six", "paper": paper.round(3).tolist(), "ours": [round(value, 4) for value in each]})
    body.append(("all six", *(f"{value:.3f}" for value in (*paper, *each))))
    title = (
        "Table 6: seconds. Ours are of fits and predictions, a mean over the other splits; all six pairs together cost "
        "four classifiers, since each is fitted once a split and serves all its pairs"
    )
    return Table(title, rows, ("", "paper, McNemar", "paper, 5x2cv", "ours, holdout", "ours, 5x2cv"), body)
