"""What the wine study concludes, judged by runs on its own splits and on others: who is best, and what is steady."""

from __future__ import annotations

import numpy as np

from referee.significance.multiplicity import adjust
from referee_papers.claims import Row, Verdict, claim
from referee_papers.wine.paper_tables import ABSENT, ALPHA, ERRORS, MARKS, choose_typical, count_rejections, list_errors
from referee_papers.wine.runs import BOOSTS, DESIGNS, NAMES, PAIRS, Run

ENOUGH = 10
"""Fewer splits do not tell how stable an error is."""
BEST = "best is whom no other beats. By the paper's own marks that holds of XGB and LR as well as of RF: only SVM is beaten"
HOLDS = {True: "holds", False: "does not hold here", None: "cannot be told from so few splits"}


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
        claim("the best by 5x2cv, adjusted for six pairs", "RF", best, alone > 0, BEST),
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
        sentences.append(f"Mind that {ABSENT.format(boosts=BOOSTS[boosts])}.")
    return " ".join(sentences)
