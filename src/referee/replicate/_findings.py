"""What Keller, Bengio and Wong found, sentence by sentence, each with the rule that it is judged by.

A finding on false alarms is judged under the exact nulls (tilt and swap: H0 true by construction, in every category
that has such a world): it agrees where it holds under both, and cannot be judged where they contradict each other. What
it gives under the others (observed: H0 as the paper words it; noise: H0 as its figures suggest) stands beside it.

The paper words H0 as |dF1| = 0, whatever the test. Here every test is held against the tie that it asks about: those on
errors against equal errors, for where F1 ties errors need not, and to find that they differ is no false alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from referee.replicate import _judging as rule
from referee.replicate._panels import DCERR, DF1, LIKE, LINES, MCNEMAR, MCNEMAR_MIDP, NOISE, PROPORTIONS, UNLIKE
from referee.replicate._tables import Points, Row, share
from referee.results.replication import Table

ALL = (*UNLIKE, *LIKE)
THEIRS = tuple(line for line in LINES if line != MCNEMAR_MIDP)
"""The lines of the paper's figures."""
SMALL = 500
"""A set of so many examples is small."""
NULLS = ("tilt", "swap", "observed", NOISE)
WORDS = {True: "yes", False: "no", None: "cannot be judged"}
TIED = (
    "The paper's H0 is |dF1| = 0 for every test; here the tests on errors are judged where the errors tie, and only those "
    "on F1 where F1 does."
)


@dataclass(frozen=True)
class Finding:
    """A sentence of the paper: how it is judged under a null, and the numbers that are shown for it."""

    what: str
    paper: str
    rule: str
    judge: Callable[[Points, str], bool | None]
    show: Callable[[Points, str], str]
    sizes: bool = True
    """Whether it is about false alarms, which depend on the null; power does not, but under noise."""

    def row(self, points: Points) -> dict[str, Any]:
        """Return the finding as a row of a replication."""
        told = {null: self.judge(points, null) for null in NULLS}
        agrees = rule.agreed(lambda null: told[null]) if self.sizes else told["tilt"]
        shown = NULLS[:2] if self.sizes else NULLS[:1]
        ours = "; ".join(
            f"{null}: {self.show(points, null)}" if self.sizes else self.show(points, null) for null in shown
        )
        others = [null for null in (NULLS if self.sizes else ("tilt", NOISE)) if null not in shown]
        more = [f"{null} {WORDS[told[null]]}" for null in others]
        apart = (
            "the exact nulls contradict each other; "
            if self.sizes and agrees is None and told["tilt"] is not None
            else ""
        )
        note = f"{apart}rule: {self.rule}; {', '.join(more)}"
        return {"what": self.what, "paper": self.paper, "ours": ours, "agrees": agrees, "note": note}


def findings(points: Points) -> list[dict[str, Any]]:
    """Judge every finding."""
    return [finding.row(points) for finding in (*SIZE, *POWER)]


def verdicts(points: Points) -> list[dict[str, Any]]:
    """Judge every finding under each null by itself."""
    return [
        {"finding": finding.what, **{null: finding.judge(points, null) for null in NULLS}}
        for finding in (*SIZE, *POWER)
    ]


def by_null(told: Sequence[Row]) -> Table:
    """Return which findings hold under each null, and how many."""
    body = [(row["finding"], *(WORDS[row[null]] for null in NULLS)) for row in told]
    body.append((f"hold, of {len(told)}", *(str(_count(told, null, True)) for null in NULLS)))
    return Table("Which of the paper's findings hold, by what is called H0", list(told), ("finding", *NULLS), body)


def counted(told: Sequence[Row]) -> str:
    """Say how many findings hold under each null."""
    said = []
    for null in NULLS:
        unknown = _count(told, null, None)
        said.append(f"{null} {_count(told, null, True)}{f' ({unknown} cannot be judged)' if unknown else ''}")
    return ", ".join(said)


def _count(told: Sequence[Row], null: str, verdict: bool | None) -> int:
    return sum(row[null] is verdict for row in told)


def _ends(rows: Sequence[Row], key: str) -> str:
    """Write a line in short: its values at the smallest, a middle and the largest size."""
    points = rule.known(rows, key)
    if not points:
        return "none"
    kept = list({row["n"]: row for row in (points[0], points[len(points) // 2], points[-1])}.values())
    return "/".join(share(row[key]) for row in kept)


def _show(lines: Iterable[str], panels: Iterable[str], key: str = "alpha_true") -> Callable[[Points, str], str]:
    """Return what writes lines of panels in short, in percent."""
    wanted, where = tuple(lines), tuple(panels)

    def show(points: Points, null: str) -> str:
        parts = [
            f"{line} " + ", ".join(f"({panel}) {_ends(points.of(panel, null, line), key)}" for panel in where)
            for line in wanted
        ]
        return "; ".join(parts) + " %"

    return show


def _each(
    one: Callable[[list[Row]], bool | None],
    over: Callable[[Iterable[bool | None]], bool | None],
    panels: Iterable[str],
    lines: Iterable[str],
) -> Callable[[Points, str], bool | None]:
    """Return the judge that asks a rule of each line of each panel, and sums up."""
    where, wanted = tuple(panels), tuple(lines)
    return lambda points, null: over([one(points.of(panel, null, line)) for panel in where for line in wanted])


def _pairs(
    one: Callable[[list[Row], list[Row]], bool | None],
    over: Callable[[Iterable[bool | None]], bool | None],
    pairs: Iterable[tuple[tuple[str, str], tuple[str, str]]],
) -> Callable[[Points, str], bool | None]:
    """Return the judge that holds lines of panels against each other; a line of a panel is (panel, line)."""
    held = tuple(pairs)
    return lambda points, null: over([one(points.of(x[0], null, x[1]), points.of(y[0], null, y[1])) for x, y in held])


def _empty(panels: Iterable[str], key: str) -> Callable[[Points, str], bool | None]:
    """Return the judge of whether there are points without any category to count."""
    where = tuple(panels)
    return lambda points, null: all(any(row[key] == 0 for row in points.of(panel, null, DF1)) for panel in where)


def _counts(panels: Iterable[str], key: str) -> Callable[[Points, str], str]:
    where = tuple(panels)

    def show(points: Points, null: str) -> str:
        return (
            ", ".join(f"({panel}) " + "/".join(str(row[key]) for row in points.of(panel, null, DF1)) for panel in where)
            + " categories by size"
        )

    return show


SIZE = (
    Finding(
        "most tests approach alpha as N grows",
        "most of the statistical tests' alpha_true converges to alpha for large sample sizes",
        "nearer to alpha at the largest size than at the smallest, in more than half of the lines and panels",
        _each(rule.approaches, rule.mostly, ALL, THEIRS),
        _show(THEIRS, ALL),
    ),
    Finding(
        "the spread over categories goes to 0",
        "the same is true for the variance of alpha_true (-> 0), and this for any of the alpha values tested",
        "spread smaller at the largest size than at the smallest, in more than half of the lines and panels; it has a floor, the Monte-Carlo error of a category",
        _each(rule.narrows, rule.mostly, ALL, THEIRS),
        _show(THEIRS, ALL, "spread"),
    ),
    Finding(
        "McNemar and the bootstrap on dCerr are alike in size",
        "the McNemar test and the bootstrap test over dCerr have a similar performance",
        "mean gap over sizes at most .02, in every panel",
        _pairs(rule.alike, rule.everywhere, [((p, MCNEMAR), (p, DCERR)) for p in ALL]),
        _show((MCNEMAR, DCERR), ALL),
    ),
    Finding(
        "McNemar and the bootstrap on dCerr are always pessimistic",
        "they are always pessimistic even for small evaluation set sizes",
        "below alpha by two Monte-Carlo errors in the mean over sizes, and at no size above it by two, in every panel",
        _each(rule.always_pessimistic, rule.everywhere, ALL, (MCNEMAR, DCERR)),
        _show((MCNEMAR, DCERR), ALL),
    ),
    Finding(
        "they reach alpha for unlike models on balanced tasks",
        "they tend to the expected alpha values when the models compared on balanced tasks are dissimilar",
        "within 30 % of alpha at the largest size, in panel (a)",
        _each(rule.reaches, rule.everywhere, ("a",), (MCNEMAR, DCERR)),
        _show((MCNEMAR, DCERR), ("a",)),
    ),
    Finding(
        "the bootstrap on dF1 is pessimistic for like models",
        "when the compared models are similar, the bootstrap test over dF1 has a pessimistic behavior even on quite small evaluation sets",
        "below alpha by two Monte-Carlo errors in the mean over sizes, and at no size above it by two, in (c) and (d)",
        _each(rule.always_pessimistic, rule.everywhere, LIKE, (DF1,)),
        _show((DF1,), LIKE),
    ),
    Finding(
        "the bootstrap on dF1 is on average always optimistic for unlike models",
        "when the models are really different the bootstrap test over dF1 is on average always optimistic",
        "above alpha by two Monte-Carlo errors in the mean over sizes and at more than half of the sizes, in (a) and (b)",
        _each(rule.on_average_optimistic, rule.everywhere, UNLIKE, (DF1,)),
        _show((DF1,), UNLIKE),
    ),
    Finding(
        "the bootstrap on dF1 is over-optimistic on small sets",
        "it is slightly over-optimistic in particular for small evaluation sets",
        "above alpha by two Monte-Carlo errors at some size up to 500, in (a) or (b)",
        _each(lambda rows: rule.ever_optimistic(rows, SMALL), rule.somewhere, UNLIKE, (DF1,)),
        _show((DF1,), UNLIKE),
    ),
    Finding(
        "alpha_true less its spread is below alpha at most points of (a) and (b)",
        "most of the points in figures 1(a) and 1(b) have a standard deviation over the categories such that alpha_true - std < alpha",
        "at more than half of the points of the bootstrap on dF1",
        _each(rule.mostly_within_spread, rule.everywhere, UNLIKE, (DF1,)),
        lambda points, null: (
            _show((DF1,), UNLIKE)(points, null) + ", spread " + _show((DF1,), UNLIKE, "spread")(points, null)
        ),
    ),
    Finding(
        "the proportion test is more conservative",
        "the proportion test has a more conservative behavior than McNemar and the dCerr bootstrap: more pessimistic results",
        "alpha_true below both in the mean over sizes, in every panel",
        _pairs(
            lambda x, y: rule.higher(y, x, "alpha_true"),
            rule.everywhere,
            [((p, PROPORTIONS), (p, other)) for p in ALL for other in (MCNEMAR, DCERR)],
        ),
        _show((PROPORTIONS,), ALL),
    ),
    Finding(
        "but not for close models on small unbalanced sets (figure 1d)",
        "when comparing close models in a small unbalanced evaluation set this conservative behavior is not present: an optimistic behavior",
        "above alpha by two Monte-Carlo errors at some size up to 500, in (d)",
        _each(lambda rows: rule.ever_optimistic(rows, SMALL), rule.everywhere, ("d",), (PROPORTIONS,)),
        _show((PROPORTIONS,), ("d",)),
    ),
)
POWER = (
    Finding(
        "McNemar and the bootstrap on dCerr are alike in power",
        "they have a similar performance in power over all the different conditions",
        "mean gap over sizes at most .05, in every panel",
        _pairs(lambda x, y: rule.alike(x, y, "power"), rule.everywhere, [((p, MCNEMAR), (p, DCERR)) for p in ALL]),
        _show((MCNEMAR, DCERR), ALL, "power"),
        sizes=False,
    ),
    Finding(
        "their power is higher for unlike models",
        "their power is higher in general when comparing very different models",
        "higher in (a) than in (c) and in (b) than in (d) in the mean over sizes",
        _pairs(lambda x, y: rule.higher(x, y, "power"), rule.everywhere, [((u, line), (v, line)) for u, v in zip(UNLIKE, LIKE, strict=True) for line in (MCNEMAR, DCERR)]),
        _show((MCNEMAR, DCERR), ALL, "power"),
        sizes=False,
    ),
    Finding(
        "the bootstrap on dF1 has more power than the others",
        "the dF1 bootstrap test has higher power than the other compared tests",
        "higher in the mean over sizes than each other test, in every panel (it answers another question: a difference in F1 and not in errors)",
        _pairs(lambda x, y: rule.higher(x, y, "power"), rule.everywhere, [((p, DF1), (p, other)) for p in ALL for other in THEIRS[1:]]),
        _show(THEIRS, ALL, "power"),
        sizes=False,
    ),
    Finding(
        "the proportion test has less power",
        "the proportion test has less power than McNemar and the dCerr bootstrap",
        "lower than both in the mean over sizes, in every panel",
        _pairs(lambda x, y: rule.higher(y, x, "power"), rule.everywhere, [((p, PROPORTIONS), (p, other)) for p in ALL for other in (MCNEMAR, DCERR)]),
        _show((PROPORTIONS, MCNEMAR), ALL, "power"),
        sizes=False,
    ),
    Finding(
        "the power of McNemar and dCerr is low for close models even on the largest sets",
        "both significance test performances in power are low even for big evaluation sets in particular when the compared models are close",
        "below 50 % at the largest size, in (c) and (d)",
        _each(rule.low_at_largest, rule.everywhere, LIKE, (MCNEMAR, DCERR)),
        _show((MCNEMAR, DCERR), LIKE, "power"),
        sizes=False,
    ),
)  # fmt: skip


def absences(points: Points) -> list[dict[str, Any]]:
    """Judge the points without a number, which tell what the paper called H0."""
    told = (
        ("alpha_true is -1 where H0 never holds (figure 1b)", "-1 in figure 1(b), when H0 was always false", ("b",), "categories", "H0 holds"),
        ("power is -1 where H0 always holds (figures 2c, 2d)", "-1 in figures 2(c) and 2(d), when H1 was never true; their first points are of one category", LIKE, "different", "H0 does not hold"),
    )  # fmt: skip
    rows = []
    for what, paper, panels, key, means in told:
        for null, words in (
            ("observed", "a true difference of 0"),
            (NOISE, "a difference that drowns in the noise of n examples"),
        ):
            ours = f"{means}: {_counts(panels, key)(points, null)}"
            note = "rule: no category at some size, in each of these panels"
            rows.append(
                {
                    "what": f"{what}, if H0 is {words}",
                    "paper": paper,
                    "ours": ours,
                    "agrees": _empty(panels, key)(points, null),
                    "note": note,
                }
            )
    return rows
