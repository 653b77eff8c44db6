"""What the bootstrap said on one test set, beside what the truth and other test sets say: table 3 judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.replicate import _judging as rule
from referee.replicate._documents import SIZE
from referee.replicate._tables import share
from referee.results.replication import Table
from referee.studies.auditing.grid import binomial_error

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
class Seen:
    """What was found on a set of categories, for the model that its bootstrap favours."""

    name: str
    ahead: str
    confidence: float
    truth: float
    """The share among subsets of the truth."""
    others: tuple[float, ...]
    """The confidences of other test sets in the same model."""
    alarms: float | None
    alarms_error: float | None
    documents: int
    differences: tuple[float, float]
    """On the test set and on the truth, b - a."""

    @classmethod
    def of(cls, name: str, value: Mapping[str, Any], tied: int) -> Seen:
        """Read a cell."""
        b = value["confidence"] >= value["against"]
        alarms = None if value["alarms"] is None else value["alarms"][0]
        return cls(
            name=name,
            ahead="b" if b else "a",
            confidence=value["confidence" if b else "against"],
            truth=value["share" if b else "share_against"],
            others=tuple(one if b else 1 - one for one in value["others"]),
            alarms=alarms,
            alarms_error=None if alarms is None else binomial_error(alarms, tied),
            documents=value["documents"]["truth"],
            differences=(value["difference"]["test"], value["difference"]["truth"]),
        )

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
    def calibrated(self) -> bool | None:
        """Whether the bootstrap raises no more false alarms than it may, up to chance, where the models tie."""
        if self.alarms is None or self.alarms_error is None:
            return None
        return self.alarms <= ALPHA + rule.ERRORS * self.alarms_error


def of_set(one: Seen, names: tuple[str, str]) -> dict[str, Any]:
    """Return the row of one set of categories."""
    paper = TABLE.get(one.name)
    told = "" if paper is None else f"{100 * paper[0]:.1f} % sure of {paper[2]}, {100 * paper[1]:.1f} % of subsets"
    low, high = one.range
    model = names[1] if one.ahead == "b" else names[0]
    ours = f"{share(one.confidence)} % sure of {one.ahead} ({model}), {share(one.truth)} % of subsets"
    note = (
        f"other categories and {one.documents:,} documents of truth, where the paper has {TRUTH:,}, so the numbers are "
        f"not held against each other; {len(one.others)} other test sets of the same size would have been {share(one.mean)} % "
        f"sure on average, nine in ten of them {share(low)} to {share(high)} %; {LUCK}"
    )
    return _row(
        f"table 3, {one.name}: confidence of one bootstrap, share among subsets of the truth", told, ours, None, note
    )


def of_table(seen: Sequence[Seen]) -> list[dict[str, Any]]:
    """Judge what the paper says of its table."""
    ahead = [one for one in seen if AHEAD <= one.truth < CLEAR]
    behind = [one for one in seen if one.truth < AHEAD]
    over = "; ".join(f"{one.name} {share(one.confidence)} against {share(one.truth)} %" for one in seen)
    bias = "; ".join(
        f"{one.name} {share(one.mean)} % on average against {share(one.truth)} % of subsets, false alarms where the "
        f"models tie {_alarms(one)} at alpha 5 %"
        for one in seen
    )
    return [
        _row(
            "where one model is ahead, the bootstrap on one test set is over-confident",
            "X and Z: it seems to over-estimate this confidence; over-optimistic as compared to the truth",
            over,
            rule.everywhere([one.confidence > one.truth for one in ahead]),
            f"rule: in every set in which a model is above the other in at least {AHEAD:.0%} of subsets, and not in so many "
            f"({CLEAR:.1%}) that there is no room above: "
            f"{', '.join(one.name for one in ahead) or 'none, so it cannot be judged'}; {LUCK}",
        ),
        _row(
            "where neither is ahead, it is less confident than the truth",
            "Y: it gives a smaller level of confidence than the estimate over the truth",
            over,
            rule.everywhere([one.confidence < one.truth for one in behind]),
            f"rule: in every other set: {', '.join(one.name for one in behind) or 'none, so it cannot be judged'}; {LUCK}",
        ),
        _row(
            "whether the estimate includes an intrinsic bias",
            "it is important to verify; this will be verified in future experiments",
            bias,
            None,
            "the paper leaves it open; " + _bias(seen),
        ),
    ]


def _alarms(one: Seen) -> str:
    return "unknown" if one.alarms is None else f"{share(one.alarms)} ± {share(one.alarms_error)} %"


def _bias(seen: Sequence[Seen]) -> str:
    """Say whether the bootstrap is over-confident when one looks at many test sets."""
    lower = [one.name for one in seen if one.mean < one.truth]
    told = [one.calibrated for one in seen if one.calibrated is not None]
    kept = f"false alarms are kept in {sum(told)} of {len(told)} sets" if told else "no tie could be made"
    where = f"below the share among subsets in {', '.join(lower)}" if lower else "nowhere below the share among subsets"
    return f"over many test sets its mean confidence is {where}, and {kept}"


def conclusion(seen: Sequence[Seen]) -> str:
    """Say what the numbers settle."""
    wide = "; ".join(f"{one.name}: {share(one.range[0])} to {share(one.range[1])} %" for one in seen)
    outside = [one.name for one in seen if not one.range[0] <= one.confidence <= one.range[1]]
    within = "lies within that range in every set" if not outside else f"lies outside it in {', '.join(outside)}"
    higher = sum(one.mean > one.truth for one in seen)
    loud = [f"{one.name} {_alarms(one)}" for one in seen if one.calibrated is False]
    if loud:
        verdict = (
            f"So some of it is intrinsic: where the models tie it raises too many false alarms ({'; '.join(loud)})."
        )
    elif higher > len(seen) / 2:
        verdict = "So the mean confidence over test sets is above the share among subsets in most sets."
    else:
        shown = (
            "; ".join(f"{one.name} {_alarms(one)}" for one in seen if one.alarms is not None) or "none could be made"
        )
        luck = any(one.truth < CLEAR for one in seen)
        end = (
            "what one test set says of it is luck"
            if luck
            else "the models differ so clearly that every test set is sure"
        )
        verdict = (
            f"No intrinsic over-confidence is seen (false alarms where the models tie, at alpha 5 %: {shown}); {end}."
        )
    return (
        f"The confidence of a bootstrap varies from test set to test set: nine in ten sets of {SIZE:,} documents would have "
        f"given {wide}; that of the test set at hand {within}. Averaged over test sets it is above the share among "
        f"subsets in {higher} of {len(seen)} sets. {verdict}"
    )


def table(seen: Sequence[Seen], names: tuple[str, str]) -> Table:
    """Return table 3 again, ours beside theirs."""
    rows: list[dict[str, Any]] = []
    body: list[tuple[str, ...]] = []
    for one in seen:
        low, high = one.range
        paper = TABLE.get(one.name, (None, None, None))
        rows.append(
            {
                "set": one.name,
                "ahead": names[1] if one.ahead == "b" else names[0],
                "confidence": one.confidence,
                "share": one.truth,
                "others_mean": round(one.mean, 5),
                "others_low": round(low, 5),
                "others_high": round(high, 5),
                "tie_false_alarm": one.alarms,
                "difference_test": round(one.differences[0], 6),
                "difference_truth": round(one.differences[1], 6),
                "truth_documents": one.documents,
                "paper_confidence": paper[0],
                "paper_share": paper[1],
                "paper_truth_documents": TRUTH,
            }
        )
        body.append(
            (
                one.name, f"{share(paper[0])} / {share(paper[1])}", f"{share(one.confidence)} / {share(one.truth)}",
                f"{share(one.mean)} ({share(low)} to {share(high)})", share(one.alarms),
            )
        )  # fmt: skip
    head = ("set", "paper: bootstrap / subsets", "ours", "other test sets", "false alarms at a tie")
    return Table("Table 3: the confidence that one model's F1 is above the other's, %", rows, head, body)


def _row(what: str, paper: str, ours: str, agrees: bool | None, note: str) -> dict[str, Any]:
    return {"what": what, "paper": paper, "ours": ours, "agrees": agrees, "note": note}
