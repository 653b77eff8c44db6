"""Table 3 judged, beside the truth and other test sets, and the adapted tests of detection costs (equations 8 and 9)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from referee.results.replication import Table
from referee.studies.auditing.grid import binomial_error
from referee_papers.bizarre.whole_documents import SIZE
from referee_papers.claims import Row, Verdict, claim, everywhere, percent, round_floats
from referee_papers.keller2005 import rules
from referee_papers.keller2005.panels import as_point, write_rates

PUBLISHED = tomllib.loads((files(__package__) / "paper.toml").read_text(encoding="utf-8"))
TRUTH = 790_900
"""Documents of the paper's truth."""
AHEAD = 0.8
"""A model is ahead where it is above the other in so many subsets of the truth."""
CLEAR = 0.995
"""Where it is so in nearly all of them, no confidence can be too high."""
ALPHA = 0.05
LUCK = (
    "the share among subsets is one draw of a random quantity too, and the bootstrap's confidence depends on the test set "
    "at hand"
)
COSTS = {"dcf-proportion": "eq. 8: as if the models erred independently", "dcf-paired": "eq. 9: disagreements only"}
"""The tests of detection costs."""
TITLE = "Detection cost (cost_fn 10, cost_fp 1, p_target .01), linear SVM vs MLP, unions of categories near balance, null tilt: false alarms ± spread / power at alpha .05, %"
UNUSED = {"groups", "category", "power_error", "coverage", "coverage_error", "coverage_spread"}
"""What a row of the grid has besides."""


class CategorySet:
    """What was measured on a set of categories, for the model that its bootstrap favours.

    Args:
        name: the set.
        cell: what `whole_documents.measure_cell` measured.
        tied: how many test sets were drawn where the models tie.
        models: the names of the two.
    """

    def __init__(self, name: str, cell: Mapping[str, Any], tied: int, models: tuple[str, str] = ("a", "b")) -> None:
        self.name, self.cell = name, cell
        ahead = bool(cell["confidence"] >= cell["against"])
        self.side, self.model = "ab"[ahead], models[ahead]
        # The bootstrap's confidence in the model, and the share among subsets of the truth.
        self.confidence = float(cell["confidence" if ahead else "against"])
        self.truth = float(cell["share" if ahead else "share_against"])
        # The confidences of other test sets in the same model: how many, their mean, and nine in ten of them.
        others = [share if ahead else 1 - share for share in cell["others"]]
        self.others, self.mean = len(others), float(np.mean(others))
        self.low, self.high = map(float, np.quantile(others, [0.05, 0.95]))
        self.range = f"{percent(self.low)} to {percent(self.high)}"
        # How often a bootstrap test rejects where the models tie, and whether that is at most alpha, up to chance.
        self.alarms: float | None = None
        self.calibrated: Verdict = None
        self.alarms_written = "unknown"
        if cell["alarms"] is not None:
            self.alarms = float(cell["alarms"][0])
            error = binomial_error(self.alarms, tied)
            self.calibrated = self.alarms <= ALPHA + rules.ERRORS * error
            self.alarms_written = f"{percent(self.alarms)} ± {percent(error)} %"


def judge_set(one: CategorySet) -> Row:
    """Return the row of one set of categories."""
    paper = PUBLISHED["table"].get(one.name)
    theirs = "" if paper is None else f"{100 * paper[0]:.1f} % sure of {paper[2]}, {100 * paper[1]:.1f} % of subsets"
    ours = f"{percent(one.confidence)} % sure of {one.side} ({one.model}), {percent(one.truth)} % of subsets"
    note = (
        f"other categories and {one.cell['documents']['truth']:,} documents of truth, where the paper has {TRUTH:,}, so the numbers are "
        f"not held against each other; {one.others} other test sets of the same size would have been {percent(one.mean)} % "
        f"sure on average, nine in ten of them {one.range} %; {LUCK}"
    )
    what = f"table 3, {one.name}: confidence of one bootstrap, share among subsets of the truth"
    return claim(what, theirs, ours, None, note)


def judge_table(sets: Sequence[CategorySet]) -> list[Row]:
    """Judge what the paper says of its table."""
    ahead = {one.name: one.confidence > one.truth for one in sets if AHEAD <= one.truth < CLEAR}
    behind = {one.name: one.confidence < one.truth for one in sets if one.truth < AHEAD}
    asked, rest = (", ".join(names) or "none, so it cannot be judged" for names in (ahead, behind))
    over = "; ".join(f"{one.name} {percent(one.confidence)} against {percent(one.truth)} %" for one in sets)
    bias = "; ".join(
        f"{one.name} {percent(one.mean)} % on average against {percent(one.truth)} % of subsets, false alarms where the "
        f"models tie {one.alarms_written} at alpha 5 %"
        for one in sets
    )
    room = f"and not in so many ({CLEAR:.1%}) that there is no room above: {asked}"
    rule = f"rule: in every set in which a model is above the other in at least {AHEAD:.0%} of subsets, {room}; {LUCK}"
    return [
        claim(**PUBLISHED["ahead"], ours=over, agrees=everywhere(ahead.values()), note=rule),
        claim(
            **PUBLISHED["behind"],
            ours=over,
            agrees=everywhere(behind.values()),
            note=f"rule: in every other set: {rest}; {LUCK}",
        ),
        claim(**PUBLISHED["bias"], ours=bias, agrees=None, note="the paper leaves it open; " + _say_bias(sets)),
    ]


def _say_bias(sets: Sequence[CategorySet]) -> str:
    """Say whether the bootstrap is over-confident when one looks at many test sets."""
    lower = [one.name for one in sets if one.mean < one.truth]
    judged = [one.calibrated for one in sets if one.calibrated is not None]
    alarms = f"false alarms are kept in {sum(judged)} of {len(judged)} sets" if judged else "no tie could be made"
    where = f"below the share among subsets in {', '.join(lower)}" if lower else "nowhere below the share among subsets"
    return f"over many test sets its mean confidence is {where}, and {alarms}"


def conclude(sets: Sequence[CategorySet]) -> str:
    """Say how the confidence of one test set is to be read."""
    wide = "; ".join(f"{one.name}: {one.range} %" for one in sets)
    outside = [one.name for one in sets if not one.low <= one.confidence <= one.high]
    within = f"lies outside it in {', '.join(outside)}" if outside else "lies within that range in every set"
    higher = sum(one.mean > one.truth for one in sets)
    calm, loud = (
        "; ".join(f"{one.name} {one.alarms_written}" for one in sets if one.calibrated is verdict)
        for verdict in (True, False)
    )
    if loud:
        verdict = f"So some of it is intrinsic: where the models tie it raises too many false alarms ({loud})."
    elif higher > len(sets) / 2:
        verdict = "So the mean confidence over test sets is above the share among subsets in most sets."
    else:
        end = "the models differ so clearly that every test set is sure"
        if any(one.truth < CLEAR for one in sets):
            end = "what one test set says of it is luck"
        shown = calm or "none could be made"
        verdict = (
            f"No intrinsic over-confidence is seen (false alarms where the models tie, at alpha 5 %: {shown}); {end}."
        )
    return (
        f"The confidence of a bootstrap varies from test set to test set: nine in ten sets of {SIZE:,} documents would have "
        f"given {wide}; that of the test set at hand {within}. Averaged over test sets it is above the share among "
        f"subsets in {higher} of {len(sets)} sets. {verdict}"
    )


def tabulate(sets: Sequence[CategorySet]) -> Table:
    """Return table 3 again, ours beside theirs."""
    rows: list[Row] = []
    body: list[tuple[str, ...]] = []
    for one in sets:
        paper = PUBLISHED["table"].get(one.name, (None, None, None))
        own = {"set": one.name, "ahead": one.model, "confidence": one.confidence, "share": one.truth}
        others = round_floats({"others_mean": one.mean, "others_low": one.low, "others_high": one.high})
        gaps = {f"difference_{where}": round(one.cell["difference"][where], 6) for where in ("test", "truth")}
        sizes = {"truth_documents": one.cell["documents"]["truth"]}
        theirs = {"paper_confidence": paper[0], "paper_share": paper[1], "paper_truth_documents": TRUTH}
        rows.append({**own, **others, "tie_false_alarm": one.alarms, **gaps, **sizes, **theirs})
        pairs = (f"{percent(both[0])} / {percent(both[1])}" for both in (paper, (one.confidence, one.truth)))
        body.append((one.name, *pairs, f"{percent(one.mean)} ({one.range})", percent(one.alarms)))
    head = ("set", "paper: bootstrap / subsets", "ours", "other test sets", "false alarms at a tie")
    return Table("Table 3: the confidence that one model's F1 is above the other's, %", rows, head, body)


def judge_costs(costs: list[Row]) -> list[Row]:
    """Judge the two tests of detection costs."""
    independent, paired = ([as_point(row) for row in costs if row["test"] == test] for test in COSTS)
    shown = []
    for line in (independent, paired):
        alarms = ", ".join(f"{percent(point['alpha_true'])} % at {point['n']:,}" for point in line)
        shown.append(f"false alarms {alarms}; power {', '.join(percent(point['power']) for point in line)} %")
    lower = rules.lower(independent, paired, "alpha_true")
    return [
        claim(**PUBLISHED["independent"], ours=shown[0], agrees=lower),
        claim(**PUBLISHED["paired"], ours=shown[1], agrees=rules.reaches(paired)),
    ]


def tabulate_costs(costs: list[Row]) -> Table:
    """Return false alarms and power by size."""
    rows = [round_floats({key: value for key, value in row.items() if key not in UNUSED}) for row in costs]
    sizes = sorted({row["n"] for row in costs})
    points = {(row["test"], row["n"]): as_point(row) for row in costs}
    body = [(words, *(write_rates(points[test, n]) for n in sizes)) for test, words in COSTS.items()]
    return Table(TITLE, rows, ("test", *(f"{n:,}" for n in sizes)), body)
