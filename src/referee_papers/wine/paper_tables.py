"""What the wine study prints and concludes, judged by runs on its own splits and on others."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib.resources import files

import numpy as np

from referee.report.numbers import p_value
from referee.results.replication import Table
from referee.significance.distributions import adjust
from referee_papers.claims import Row, Verdict, claim
from referee_papers.wine.runs import BOOSTS, DESIGNS, NAMES, PAIRS, Run, chi_square

PAPER = tomllib.loads((files(__package__) / "paper.toml").read_text(encoding="utf-8"))
ERRORS, PRINTED, NOTES = PAPER["errors"], PAPER["pairs"], PAPER["notes"]
MARKS = {pair: (mcnemar, t) for pair, (mcnemar, t, *_) in PRINTED.items()}
"""Table 5: whether McNemar's test rejects, and the 5x2cv t test."""
ALPHA = 0.05
CRITICAL = 3.841
"""χ² on one degree of freedom at 5 %."""
ENOUGH = 10
"""Fewer splits do not tell how stable an error is."""
HOLDS = {True: "holds", False: "does not hold here", None: "cannot be told from so few splits"}
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


def _absent(boosts: str) -> str:
    return str(NOTES["absent"]).format(boosts=BOOSTS[boosts])


def compare_errors(own: list[Run], others: list[Run], boosts: str) -> Compared:
    """Compare table 4."""
    claims, rows, body = list[Row](), list[Row](), list[Cells]()
    for name in NAMES:
        note = NOTES["chance"].format(forests=len(own)) if name == "RF" else NOTES["own"]
        if name == "XGB" and boosts != "xgboost":
            note = _absent(boosts)
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
        why = "" if mark == paper else PAPER["why"].get(str(n01 + n10), NOTES["code"])
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
    return claim(what, paper.strip("[]"), ours.strip("[]"), ours == paper, NOTES["code"])


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
        ours, note = f"{own_t > 0}: |t| {sizes}", NOTES["two_sided"]
        if "RF" in pair:
            ours, note = f"True with {own_t} of {len(own)} forests: |t| {sizes}", NOTES["forest"]
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
            claims.append(claim(f"table 6: {name}", theirs, shown, ours[1] > ours[0], NOTES["machines"]))
        else:
            paper = np.sum([row[2:] for row in PRINTED.values()], axis=0).round(3).tolist()
        rows.append({"pair": name, "paper": paper, "ours": [round(value, 4) for value in ours]})
        body.append((name, *(f"{value:.3f}" for value in (*paper, *ours))))
    title = (
        "Table 6: seconds. Ours are of fits and predictions, a mean over the other splits; all six pairs together cost "
        "four classifiers, since each is fitted once per split and serves all its pairs"
    )
    return claims, Table(title, rows, ("", "paper, McNemar", "paper, 5x2cv", "ours, holdout", "ours, 5x2cv"), body)


def judge_findings(own: list[Run], others: list[Run]) -> list[Row]:
    """Judge the order of the classifiers, the best of them, and how stable their errors are."""
    order, paper = _order(own), sorted(NAMES, key=lambda name: ERRORS[name][1])
    same = sum(_order([run]) == paper for run in others)
    elsewhere = (
        f"on {len(others)} other splits RF is first {_first(others)} times, and the whole order is this {same} times"
    )
    alone = sum(find_unbeaten(run) == {"RF"} for run in own)
    best = f"RF alone with {alone} of {len(own)} forests, all four with {_nobody_beaten(own)}"
    spread = [[float(np.std(list_errors(others, name, design))) for name in NAMES] for design in DESIGNS]
    stable = " against ".join(f"{min(values):.3f} to {max(values):.3f}" for values in reversed(spread))
    steadier = all(ten < one for one, ten in zip(*spread, strict=True)) if len(others) >= ENOUGH else None
    note = f"standard deviations of the four errors over {len(others)} other splits: 5x2cv against a holdout"
    return [
        claim("order of the errors by 5x2cv, best first", " ".join(paper), " ".join(order), order == paper, elsewhere),
        claim("the best by 5x2cv, adjusted for six pairs", "RF", best, alone > 0, NOTES["best"]),
        claim("errors are more stable under 5x2cv", "yes", stable, steadier, note),
    ]


def _order(runs: list[Run]) -> list[str]:
    return sorted(NAMES, key=lambda name: float(np.mean(list_errors(runs, name, "5x2cv"))))


def _first(others: list[Run]) -> int:
    """Count the runs in which RF has the lowest error."""
    return sum(_order([run])[0] == "RF" for run in others)


def find_unbeaten(run: Run) -> set[str]:
    """Return those that no other is significantly better than, by the 5x2cv t test with Holm's adjustment."""
    values = [run["pairs"][" vs. ".join(pair)]["t_p"] for pair in PAIRS]
    adjusted = adjust([np.nan if p is None else p for p in values], "holm").tolist()
    beats = [pair for pair, p in zip(PAIRS, adjusted, strict=True) if p <= ALPHA]
    return set(NAMES) - {max(pair, key=lambda name: run["error"][name]["5x2cv"]) for pair in beats}


def _nobody_beaten(own: list[Run]) -> int:
    return sum(find_unbeaten(run) == set(NAMES) for run in own)


def conclude(rows: list[Row], own: list[Run], others: list[Run], boosts: str) -> str:
    """Say what of the study holds."""

    def holds(part: str) -> Verdict:
        verdicts = [row["agrees"] for row in rows if part in row["what"]]
        return None if None in verdicts else all(verdicts)

    apart = [name for name in NAMES if not holds(f"error of {name},")]
    rejected = sum(choose_typical(own)["pairs"][pair]["mid_p"] <= ALPHA for pair in MARKS)
    t, f = (count_rejections(own, "RF vs. SVM", key) for key in ("t_p", "f_p"))
    sentences = [
        f"The table of errors {'holds but for ' + ', '.join(apart) if apart else 'holds'}: the authors' own splits "
        f"give the paper's numbers, and only its forest was left to chance.",
        f"McNemar's three rejections do not hold: errors counted, {rejected or 'none'} of the six pairs "
        f"{'is' if rejected < 2 else 'are'} significant. RF and SVM, with no error on either side, have p = 1, and one "
        f"error against none has mid-p .5. The authors' code counts answers in place of errors and takes 1/0 for ∞, "
        f"which {'gives all six' if holds('all six marks') else 'does not give all'} of the paper's marks.",
        f"That 5x2cv tells RF from SVM is luck of the forest: {t} of {len(own)} forests reject by t, {f} by the combined "
        f"F test, and adjusted for six pairs nobody is beaten with {_nobody_beaten(own)} of {len(own)}.",
        f"That RF has the lowest error holds on {_first(others)} of {len(others)} other splits; that it alone is the best "
        f"does not follow from the paper's own marks.",
        f"That a holdout is cheaper than 5x2cv {HOLDS[holds('table 6')]}, and that it is less stable "
        f"{HOLDS[holds('more stable')]}.",
    ]
    if boosts != "xgboost":
        sentences.append(f"Mind that {_absent(boosts)}.")
    return " ".join(sentences)
