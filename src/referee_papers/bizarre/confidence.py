"""What the bootstrap said on one test set, beside what the truth and other test sets say: table 3 judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.results.replication import Table
from referee.studies.auditing.grid import binomial_error
from referee_papers.bizarre.whole_documents import SIZE
from referee_papers.claims import Row, Verdict, claim, everywhere, percent
from referee_papers.keller2005.rules import ERRORS

TABLE = {"X": (0.956, 0.924, "b"), "Y": (0.542, 0.691, "b"), "Z": (0.965, 0.825, "a")}
"""The bootstrap's confidence on the test set, the share among subsets of the truth, and who is ahead."""
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


@dataclass(frozen=True)
class CategorySet:
    """What was measured on a set of categories, for the model that its bootstrap favours."""

    name: str
    cell: Mapping[str, Any]
    tied: int
    """Test sets that were drawn where the models tie."""
    models: tuple[str, str] = ("a", "b")

    @property
    def ahead(self) -> int:
        """Which model is favoured: 0 or 1."""
        return int(self.cell["confidence"] >= self.cell["against"])

    @property
    def confidence(self) -> float:
        """The bootstrap's confidence in it."""
        return float(self.cell["confidence" if self.ahead else "against"])

    @property
    def truth(self) -> float:
        """The share among subsets of the truth."""
        return float(self.cell["share" if self.ahead else "share_against"])

    @property
    def others(self) -> list[float]:
        """The confidences of other test sets in the same model."""
        return [one if self.ahead else 1 - one for one in self.cell["others"]]

    @property
    def alarms(self) -> float | None:
        """How often a bootstrap test rejects where the models tie."""
        return None if self.cell["alarms"] is None else float(self.cell["alarms"][0])

    @property
    def mean(self) -> float:
        """The mean confidence of other test sets."""
        return float(np.mean(self.others))

    @property
    def range(self) -> tuple[float, float]:
        """What confidences nine in ten of other test sets give."""
        low, high = np.quantile(self.others, [0.05, 0.95])
        return float(low), float(high)

    @property
    def calibrated(self) -> Verdict:
        """Whether the bootstrap raises no more false alarms than it may, up to chance, where the models tie."""
        return None if self.alarms is None else self.alarms <= ALPHA + ERRORS * binomial_error(self.alarms, self.tied)

    def write_range(self) -> str:
        """Write the confidences of nine in ten other test sets."""
        return "{} to {}".format(*map(percent, self.range))

    def write_alarms(self) -> str:
        """Write the false alarms with their error."""
        if self.alarms is None:
            return "unknown"
        return f"{percent(self.alarms)} ± {percent(binomial_error(self.alarms, self.tied))} %"


def judge_set(one: CategorySet) -> Row:
    """Return the row of one set of categories."""
    paper = TABLE.get(one.name)
    theirs = "" if paper is None else f"{100 * paper[0]:.1f} % sure of {paper[2]}, {100 * paper[1]:.1f} % of subsets"
    ours = f"{percent(one.confidence)} % sure of {'ab'[one.ahead]} ({one.models[one.ahead]}), {percent(one.truth)} % of subsets"
    note = (
        f"other categories and {one.cell['documents']['truth']:,} documents of truth, where the paper has {TRUTH:,}, so the numbers are "
        f"not held against each other; {len(one.others)} other test sets of the same size would have been {percent(one.mean)} % "
        f"sure on average, nine in ten of them {one.write_range()} %; {LUCK}"
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
        f"models tie {one.write_alarms()} at alpha 5 %"
        for one in sets
    )
    return [
        claim(
            "where one model is ahead, the bootstrap on one test set is over-confident",
            "X and Z: it seems to over-estimate this confidence; over-optimistic as compared to the truth",
            over,
            everywhere(ahead.values()),
            f"rule: in every set in which a model is above the other in at least {AHEAD:.0%} of subsets, and not in so many "
            f"({CLEAR:.1%}) that there is no room above: {asked}; {LUCK}",
        ),
        claim(
            "where neither is ahead, it is less confident than the truth",
            "Y: it gives a smaller level of confidence than the estimate over the truth",
            over,
            everywhere(behind.values()),
            f"rule: in every other set: {rest}; {LUCK}",
        ),
        claim(
            "whether the estimate includes an intrinsic bias",
            "it is important to verify; this will be verified in future experiments",
            bias,
            None,
            "the paper leaves it open; " + _say_bias(sets),
        ),
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
    wide = "; ".join(f"{one.name}: {one.write_range()} %" for one in sets)
    outside = [one.name for one in sets if not one.range[0] <= one.confidence <= one.range[1]]
    within = f"lies outside it in {', '.join(outside)}" if outside else "lies within that range in every set"
    higher = sum(one.mean > one.truth for one in sets)
    calm, loud = (
        "; ".join(f"{one.name} {one.write_alarms()}" for one in sets if one.calibrated is verdict)
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
        paper = TABLE.get(one.name, (None, None, None))
        rows.append(
            {
                "set": one.name,
                "ahead": one.models[one.ahead],
                "confidence": one.confidence,
                "share": one.truth,
                "others_mean": round(one.mean, 5),
                "others_low": round(one.range[0], 5),
                "others_high": round(one.range[1], 5),
                "tie_false_alarm": one.alarms,
                "difference_test": round(one.cell["difference"]["test"], 6),
                "difference_truth": round(one.cell["difference"]["truth"], 6),
                "truth_documents": one.cell["documents"]["truth"],
                "paper_confidence": paper[0],
                "paper_share": paper[1],
                "paper_truth_documents": TRUTH,
            }
        )
        theirs, ours = f"{percent(paper[0])} / {percent(paper[1])}", f"{percent(one.confidence)} / {percent(one.truth)}"
        body.append((one.name, theirs, ours, f"{percent(one.mean)} ({one.write_range()})", percent(one.alarms)))
    head = ("set", "paper: bootstrap / subsets", "ours", "other test sets", "false alarms at a tie")
    return Table("Table 3: the confidence that one model's F1 is above the other's, %", rows, head, body)
