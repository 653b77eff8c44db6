"""What Keller, Bengio and Wong state, sentence by sentence, each with the rule that judges it.

A statement on false alarms is judged under the exact nulls (tilt and swap: H0 true by construction, in every category
that has such a world): it agrees where it holds under both, and cannot be judged where they contradict each other. What
it gives under the others (observed: H0 as the paper words it; noise: H0 as its figures suggest) stands beside it.

The paper words H0 as |dF1| = 0, whatever the test. Here every test is held against the tie that it asks about: those on
errors against equal errors, for where F1 ties errors need not, and to find that they differ is no false alarm.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from referee.results.replication import Table
from referee_papers import claims
from referee_papers.claims import Row, Verdict, claim, percent
from referee_papers.keller2005 import rules
from referee_papers.keller2005.panels import DF1, LIKE, NOISE, UNLIKE, Points

ALL = (*UNLIKE, *LIKE)
NULLS = (*rules.EXACT, "observed", NOISE)
DROWNS = "a difference that drowns in the noise of n examples"
WORDS = {True: "yes", False: "no", None: "cannot be judged"}
TIED = (
    "The paper's H0 is |dF1| = 0 for every test; here the tests on errors are judged where the errors tie, and only those "
    "on F1 where F1 does."
)


@dataclass(frozen=True)
class Statement:
    """A sentence of the paper, with the rule that it is judged by: an entry of statements.toml."""

    what: str
    paper: str
    rule: str
    """The rule in words."""
    judge: str
    """The rule: a function of `rules`, of one line or of two."""
    lines: Sequence[str]
    panels: Sequence[str] = ALL
    over: str = "everywhere"
    """How the verdicts on lines and panels add up: a function of `claims`."""
    keys: Sequence[str] = ("alpha_true",)
    """What is shown: false alarms, which depend on the null; power does not, but under noise."""
    pairs: Sequence[tuple[str, str]] = ()
    """The lines that a rule of two holds against each other."""
    between: Sequence[tuple[str, str]] = tuple((panel, panel) for panel in ALL)
    """The panels in which it does: of the one line, and of the other."""

    def holds(self, points: Points, null: str) -> Verdict:
        """Say whether it holds under a null."""
        judge, add_up = getattr(rules, self.judge), getattr(claims, self.over)
        verdicts = [
            judge(points.of(one, null, line), points.of(other, null, its), self.keys[0])
            for one, other in self.between
            for line, its in self.pairs
        ] or [judge(points.of(panel, null, line)) for panel in self.panels for line in self.lines]
        verdict: Verdict = add_up(verdicts)
        return verdict

    def row(self, points: Points) -> Row:
        """Return the statement as a row of a replication."""
        verdicts = {null: self.holds(points, null) for null in NULLS}
        if "power" in self.keys:
            agrees, ours, others = verdicts["tilt"], self._show(points, "tilt"), [NOISE]
        else:
            ours = "; ".join(f"{null}: {self._show(points, null)}" for null in rules.EXACT)
            agrees, others = rules.agree(verdicts.__getitem__), ["observed", NOISE]
        torn = "the exact nulls contradict each other; " if agrees is None and verdicts["tilt"] is not None else ""
        more = ", ".join(f"{null} {WORDS[verdicts[null]]}" for null in others)
        return claim(self.what, self.paper, ours, agrees, f"{torn}rule: {self.rule}; {more}")

    def _show(self, points: Points, null: str) -> str:
        """Write the lines in short, in percent."""
        return ", spread ".join(
            "; ".join(
                f"{line} " + ", ".join(f"({panel}) {_ends(points.of(panel, null, line), key)}" for panel in self.panels)
                for line in self.lines
            )
            + " %"
            for key in self.keys
        )


def _ends(rows: Sequence[Row], key: str) -> str:
    """Write a line in short: its values at the smallest, a middle and the largest size."""
    points = rules.known(rows, key)
    if not points:
        return "none"
    ends = {row["n"]: row for row in (points[0], points[len(points) // 2], points[-1])}
    return "/".join(percent(row[key]) for row in ends.values())


PUBLISHED = tomllib.loads((files(__package__) / "statements.toml").read_text(encoding="utf-8"))
STATEMENTS = tuple(Statement(**entry) for entry in PUBLISHED["statement"])


def judge_by_null(points: Points) -> list[Row]:
    """Judge every statement under each null by itself."""
    return [{"finding": one.what, **{null: one.holds(points, null) for null in NULLS}} for one in STATEMENTS]


def tabulate(verdicts: Sequence[Row]) -> Table:
    """Return which statements hold under each null, and how many."""
    body = [(row["finding"], *(WORDS[row[null]] for null in NULLS)) for row in verdicts]
    body.append((f"hold, of {len(verdicts)}", *(str(_count(verdicts, null, True)) for null in NULLS)))
    title = "Which of the paper's findings hold, by what is called H0"
    return Table(title, list(verdicts), ("finding", *NULLS), body)


def say_how_many(verdicts: Sequence[Row]) -> str:
    """Say how many statements hold under each null."""
    unknown = {null: _count(verdicts, null, None) for null in NULLS}
    more = {null: f" ({count} cannot be judged)" if count else "" for null, count in unknown.items()}
    return ", ".join(f"{null} {_count(verdicts, null, True)}{more[null]}" for null in NULLS)


def _count(verdicts: Sequence[Row], null: str, verdict: Verdict) -> int:
    return sum(row[null] is verdict for row in verdicts)


def judge_absences(points: Points) -> list[Row]:
    """Judge the points without a number, which tell what the paper called H0."""
    rows = []
    for one in PUBLISHED["absence"]:
        for null, words in (("observed", "a true difference of 0"), (NOISE, DROWNS)):
            counts = {panel: [row[one["key"]] for row in points.of(panel, null, DF1)] for panel in one["panels"]}
            shown = ", ".join(f"({panel}) " + "/".join(map(str, numbers)) for panel, numbers in counts.items())
            ours = f"{one['meaning']}: {shown} categories by size"
            agrees = all(0 in numbers for numbers in counts.values())
            note = "rule: no category at some size, in each of these panels"
            rows.append(claim(f"{one['what']}, if H0 is {words}", one["paper"], ours, agrees, note))
    return rows
