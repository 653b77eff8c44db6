"""Tables 4, 5 and 6 of the wine study: each as the paper's claims, judged, and as a table of ours beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from referee.report.numbers import p_value
from referee.results.replication import Table
from referee_papers.claims import Row, claim
from referee_papers.wine.runs import BOOSTS, DESIGNS, NAMES, PAIRS, Run, chi_square

ALPHA = 0.05
ERRORS = {"XGB": (0.028, 0.051), "LR": (0.028, 0.059), "RF": (0.0, 0.035), "SVM": (0.0, 0.073)}
"""Table 4: on 36 wines, and over the ten folds of 5x2cv."""
PRINTED = {
    "XGB vs. LR": (False, False, 0.067, 0.339),
    "XGB vs. RF": (True, False, 0.500, 3.608),
    "XGB vs. SVM": (True, False, 0.570, 1.621),
    "LR vs. RF": (False, False, 0.454, 3.290),
    "LR vs. SVM": (False, False, 0.569, 1.298),
    "RF vs. SVM": (True, True, 0.884, 4.894),
}
"""Table 5: whether McNemar's test rejects, and the 5x2cv t test. Table 6: the seconds of each."""
MARKS = {pair: (mcnemar, t) for pair, (mcnemar, t, *_) in PRINTED.items()}
CRITICAL = 3.841
"""χ² on one degree of freedom at 5 %."""
OWN = (
    "ours is on the authors' own splits, by the seeds in their public code and the defaults of their packages in 2019; "
    "it agrees when it rounds to the paper's"
)
CHANCE = (
    "the paper does not seed its forest: it agrees when the paper's number lies in our range over {forests} forests"
)
ABSENT = "xgboost is not installed, and {boosts} stands in for it: pip install 'referee[boost]'"
CODE = (
    "the authors' code hands McNemar's test the table of the two classifiers' answers, 3 x 3, in place of right and "
    "wrong; of that the test reads the cells of classes 1 and 2, and where they are empty 1/0 = ∞ is beyond 3.841"
)
WHY = {
    0: "no wine is decided differently: the printed formula is 1/0, and ∞ became a rejection. Nothing differs, so p = 1",
    1: "one error against none of 36 cannot be significant: it is one toss of a coin, exact p 1, mid-p .5, and the printed "
    "formula gives (|1 - 0| - 1)²/1 = 0. To reject takes five such errors and none of the other's (six by the exact p)",
}
"""Why a mark of McNemar's test cannot be, by the errors that only one of two makes."""
TWO_SIDED = "the paper's t > t.05 would be one-sided; two-sided, only |t| >= 2.571 counts, which is what its code asks"
FOREST = (
    "whether t rejects hangs on the forest, which the paper does not seed: it agrees when any of ours gives its mark. "
    "The combined F test, which uses all ten folds, is in the table below"
)
MACHINES = "seconds are of two machines; it agrees when 5x2cv is the dearer in both"
Compared = tuple[list[Row], Table]
"""The claims of a table of the paper, and the table."""
Cells = tuple[str, ...]


def list_errors(runs: Sequence[Run], name: str, design: str) -> list[float]:
    """Return the error of a classifier in each run."""
    return [run["error"][name][design] for run in runs]


def count_rejections(runs: Sequence[Run], pair: str, p: str) -> int:
    """Count the runs in which a p-value of a pair is at most alpha."""
    return sum(value is not None and value <= ALPHA for value in (run["pairs"][pair][p] for run in runs))


def choose_typical(own: Sequence[Run]) -> Run:
    """Return the first run on the authors' split in which the forest errs as often as theirs, else the first."""
    alike = (run for run in own if round(run["error"]["RF"]["holdout"], 3) == ERRORS["RF"][0])
    return next(alike, own[0])


def marks(corner: Sequence[int]) -> bool:
    """Say what the authors' code marks: χ² of the first two classes of the table of answers, 0/0 and all."""
    return chi_square(*corner) > CRITICAL


def write_range(values: Sequence[float], digits: int = 3) -> str:
    """Write the mean and the range, or the one value that all have.

    >>> write_range([0.5, 0.5]), write_range([0.1, 0.3], 2)
    ('0.500', '0.20 (0.10 to 0.30)')
    """
    low, high = min(values), max(values)
    mean = f"{float(np.mean(values)):.{digits}f}"
    return mean if low == high else f"{mean} ({low:.{digits}f} to {high:.{digits}f})"


def compare_errors(own: list[Run], others: list[Run], boosts: str) -> Compared:
    """Compare table 4."""
    claims, rows, body = list[Row](), list[Row](), list[Cells]()
    for name in NAMES:
        note = CHANCE.format(forests=len(own)) if name == "RF" else OWN
        if name == "XGB" and boosts != "xgboost":
            note = ABSENT.format(boosts=BOOSTS[boosts])
        for design, paper in zip(DESIGNS, ERRORS[name], strict=True):
            ours, other = (list_errors(runs, name, design) for runs in (own, others))
            agrees = round(min(ours), 3) <= paper <= round(max(ours), 3)
            shown = write_range(ours) if name == "RF" else round(ours[0], 4)
            claims.append(claim(f"table 4: error of {name}, {design}", paper, shown, agrees, note))
            spread = {
                f"{which}_{what}": round(float(measure(values)), 5)
                for which, values in (("own", ours), ("other", other))
                for what, measure in (("mean", np.mean), ("low", np.min), ("high", np.max))
            }
            rows.append({"classifier": name, "design": design, "paper": paper, **spread})
            body.append((f"{name}, {design}", f"{paper:.3f}", write_range(ours), write_range(other)))
    title = (
        f"Table 4: error rates. Ours on the authors' own splits, with the range over {len(own)} forests, "
        f"and on {len(others)} others"
    )
    return claims, Table(title, rows, ("", "paper", "its splits", "other splits"), body)


def compare_marks(own: list[Run], others: list[Run]) -> Compared:
    """Compare table 5, McNemar's test."""
    claims, rows, body = list[Row](), list[Row](), list[Cells]()
    for pair, (paper, _) in MARKS.items():
        one = choose_typical(own)["pairs"][pair]
        n01, n10, corner, exact, mid = (one[key] for key in ("n01", "n10", "corner", "exact_p", "mid_p"))
        mark, chi, rejected = mid <= ALPHA, chi_square(n01, n10), count_rejections(others, pair, "mid_p")
        ours = f"{mark}: mid-p {p_value(mid)}, exact {p_value(exact)} ({n01} : {n10})"
        why = "" if mark == paper else WHY.get(n01 + n10, CODE)
        claims.append(claim(f"table 5: {pair}, McNemar", str(paper), ours, mark == paper, why))
        printed = {"printed": chi if np.isfinite(chi) else None, "corner": corner, "code": marks(corner)}
        counts = {"exact_p": exact, "mid_p": mid, "others": len(others), "rejected": rejected}
        rows.append({"pair": pair, "paper": paper, "n01": n01, "n10": n10, **printed, **counts})
        chis = (f"{n01}, {n10}", _write_chi(chi), f"{corner[0]}, {corner[1]}", _write_chi(chi_square(*corner)))
        body.append((pair, str(paper), *chis, p_value(exact), p_value(mid), f"{rejected} of {len(others)}"))
    head = ("", "paper", "n01, n10", "χ² printed", "code counts", "its χ²", "exact p", "mid-p", "rejected elsewhere")
    title = (
        "Table 5, McNemar, on the authors' own 36 wines: the errors that only one makes, and what the authors' code "
        "counts in their place (answers 1 against 2, and 2 against 1)"
    )
    return claims, Table(title, rows, head, body)


def _write_chi(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else "1/0"


def judge_code(own: list[Run]) -> Row:
    """Compare the six marks of McNemar's test with what the authors' code gives."""
    pairs = choose_typical(own)["pairs"]
    paper, ours = (str([mark for mark, _ in MARKS.values()]), str([marks(pairs[pair]["corner"]) for pair in MARKS]))
    what = "table 5: all six marks of McNemar, by the authors' code"
    return claim(what, paper.strip("[]"), ours.strip("[]"), ours == paper, CODE)


def compare_halves(own: list[Run], others: list[Run]) -> Compared:
    """Compare table 5, the 5x2cv t test."""
    claims, rows, body = list[Row](), list[Row](), list[Cells]()
    for pair, (_, paper) in MARKS.items():
        t = [abs(run["pairs"][pair]["t"] or 0.0) for run in own]
        t_p, f_p = ([run["pairs"][pair][key] for run in own] for key in ("t_p", "f_p"))
        own_t, own_f, other_t, other_f = (
            count_rejections(runs, pair, key) for runs in (own, others) for key in ("t_p", "f_p")
        )
        sizes = write_range(t, 2)
        agrees = own_t > 0 if paper else own_t < len(own)
        ours, note = f"{own_t > 0}: |t| {sizes}", TWO_SIDED
        if "RF" in pair:
            ours, note = f"True with {own_t} of {len(own)} forests: |t| {sizes}", FOREST
        claims.append(claim(f"table 5: {pair}, 5x2cv t", str(paper), ours, agrees, note))
        rejected = {"own_t": own_t, "own_f": own_f, "other_t": other_t, "other_f": other_f}
        runs = {"own_runs": len(own), "other_runs": len(others)}
        rows.append({"pair": pair, "paper": paper, "t": t, "t_p": t_p, "f_p": f_p, **runs, **rejected})
        reject = (f"{own_t}, {own_f} of {len(own)}", f"{other_t}, {other_f} of {len(others)}")
        body.append((pair, str(paper), sizes, _write_p(t_p), _write_p(f_p), *reject))
    head = ("", "paper", "|t|", "p of t", "p of F", "t, F reject", "on other splits")
    title = f"Table 5, 5x2cv, on the authors' own folds, with the range over {len(own)} forests"
    return claims, Table(title, rows, head, body)


def _write_p(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "unknown"
    low, high = p_value(min(known)), p_value(max(known))
    return low if low == high else f"{low} to {high}"


def compare_costs(others: list[Run]) -> Compared:
    """Compare table 6: the seconds of fits and predictions of a pair, each of its two fitted once."""
    claims, rows, body = list[Row](), list[Row](), list[Cells]()
    for name, pair in (*((" vs. ".join(pair), pair) for pair in PAIRS), ("all six", NAMES)):
        ours = [float(np.mean([sum(run["seconds"][n][d] for n in pair) for run in others])) for d in DESIGNS]
        if name in PRINTED:
            paper = list(PRINTED[name][2:])
            theirs, shown = ("{:.2f} and {:.2f} s".format(*seconds) for seconds in (paper, ours))
            claims.append(claim(f"table 6: {name}", theirs, shown, ours[1] > ours[0], MACHINES))
        else:
            paper = np.sum([row[2:] for row in PRINTED.values()], axis=0).round(3).tolist()
        rows.append({"pair": name, "paper": paper, "ours": [round(value, 4) for value in ours]})
        body.append((name, *(f"{value:.3f}" for value in (*paper, *ours))))
    title = (
        "Table 6: seconds. Ours are of fits and predictions, a mean over the other splits; all six pairs together cost "
        "four classifiers, since each is fitted once a split and serves all its pairs"
    )
    return claims, Table(title, rows, ("", "paper, McNemar", "paper, 5x2cv", "ours, holdout", "ours, 5x2cv"), body)
