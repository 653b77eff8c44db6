"""The claim to be settled: is the bootstrap on dF1 optimistic for unlike models, or is it what was called H0?

With exact nulls H0 is true by construction. The paper counts a category under H0 by what is found on its population, of
800,000 documents, where an exact tie is rare; yet it has points at which H0 (or H1) holds nowhere at some sizes and
somewhere at others. No rule on the population alone can give that: what counted as H0 must have depended on n. The rule
"0 lies in the middle 95 % of the differences on sets of n examples" does, and it calls H0 what is merely hard to see.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.replicate import _judging as rule
from referee.replicate._panels import DF1, LIKE, MCNEMAR, NOISE, UNLIKE
from referee.replicate._tables import TIES, Points, Row, share
from referee.results import Table

EXACT = ("tilt", "swap")


def sweep(rows: Sequence[Row]) -> Table:
    """Return the table of what the bootstrap on dF1 does where small differences are called none."""
    sizes = sorted({row["n"] for row in rows})
    body = []
    for panel in (*UNLIKE, *LIKE):
        for tie in TIES:
            mine = {row["n"]: row for row in rows if (row["panel"], row["tie"]) == (panel, tie)}
            held = mine[sizes[0]]["categories"]
            total = held + mine[sizes[0]]["different"]
            body.append((f"({panel}) {tie:g}", f"{held} of {total}", *(share(mine[n]["alpha_true"]) for n in sizes)))
    title = "bootstrap on dF1 where a true difference of up to so much is called H0: sets rejected at alpha .05, %"
    return Table(title, list(rows), ("panel, tolerance", "categories", *(f"{n:,}" for n in sizes)), body)


def rows(points: Points, loose: Sequence[Row]) -> list[dict[str, Any]]:
    """Judge whether what is called H0 makes the optimism."""
    what = "the bootstrap on dF1 is optimistic for unlike models"
    paper = "on average always optimistic"
    found = []
    for tie in TIES[1:]:
        lines = [[row for row in loose if (row["panel"], row["tie"]) == (panel, tie)] for panel in UNLIKE]
        shown = "; ".join(f"({p}) {_line(line)}" for p, line in zip(UNLIKE, lines, strict=True))
        note = f"rule: optimistic in the mean over sizes and at more than half of them, wherever a category qualifies; grows with n: {_yes(_grows(lines))}"
        told = rule.everywhere(map(rule.on_average_optimistic, lines))
        found.append(_row(f"{what}, if H0 is a true difference of at most {tie:g}", paper, shown, told, note))
    lines = [points.of(panel, NOISE, DF1) for panel in UNLIKE]
    shown = "; ".join(f"({p}) {_line(line)}" for p, line in zip(UNLIKE, lines, strict=True))
    told = rule.everywhere(map(rule.on_average_optimistic, lines))
    note = "rule: optimistic in the mean over sizes and at more than half of them, wherever a category qualifies"
    found.append(
        _row(f"{what}, if H0 is a difference that drowns in the noise of n examples", paper, shown, told, note)
    )
    return found


def conclusion(points: Points, loose: Sequence[Row]) -> str:
    """Say what the numbers settle."""
    said = [_exactly(points), _loosely(loose), _noisily(points)]
    exact = _optimistic(points, EXACT)
    made = [tie for tie in TIES[1:] if rule.somewhere(map(rule.on_average_optimistic, _lines(loose, tie)))]
    noise = rule.somewhere([rule.on_average_optimistic(points.of(panel, NOISE, DF1)) for panel in UNLIKE])
    if not exact and (made or noise):
        said.append(
            "So the optimism is not in the test: it appears when categories with a real difference are counted under H0, "
            "whose rightful rejections are then called false alarms."
        )
    elif exact:
        where = ", ".join(f"{null} ({panel})" for null, panel in exact)
        said.append(f"So the bootstrap on dF1 is optimistic here even where H0 is exactly true: {where}.")
    else:
        said.append("So the optimism does not appear here, whatever is called H0.")
    return " ".join(said)


def _exactly(points: Points) -> str:
    parts = []
    for null in EXACT:
        shown = [f"({panel}) {_line(points.of(panel, null, DF1))}" for panel in UNLIKE]
        parts.append(f"{null}: {', '.join(shown)}")
    found = _optimistic(points, EXACT)
    verdict = (
        "optimistic in " + ", ".join(f"({panel}) under {null}" for null, panel in found) if found else "not optimistic"
    )
    return f"Where H0 is exactly true, the bootstrap on dF1 of unlike models is {verdict} at alpha 5 % ({'; '.join(parts)})."


def _loosely(loose: Sequence[Row]) -> str:
    parts = []
    for tie in TIES:
        lines = _lines(loose, tie)
        held = sum(line[0]["categories"] for line in lines if line)
        made = rule.somewhere(map(rule.on_average_optimistic, lines))
        seen = "; ".join(f"({p}) {_line(line)}" for p, line in zip(UNLIKE, lines, strict=True) if rule.known(line))
        word = {True: ", optimistic", False: "", None: ""}[made]
        parts.append(f"{tie:g}: {held} categories{f', {seen}' if seen else ''}{word}")
    grown = _grows(_lines(loose, TIES[-1]))
    growth = {
        True: "it grows with n, as power does",
        False: "it does not grow with n",
        None: "growth cannot be judged",
    }[grown]
    return f"Calling a true difference of up to so much H0 ({' | '.join(parts)}); {growth}."


def _noisily(points: Points) -> str:
    unlike = ", ".join(f"({panel}) {_line(points.of(panel, NOISE, DF1))}" for panel in UNLIKE)
    like = ", ".join(f"({panel}) {_line(points.of(panel, NOISE, DF1))}" for panel in LIKE)
    other = ", ".join(f"({panel}) {_line(points.of(panel, NOISE, MCNEMAR))}" for panel in UNLIKE)
    never = {panel: sum(row["different"] == 0 for row in points.of(panel, NOISE, DF1)) for panel in (*UNLIKE, *LIKE)}
    always = {panel: sum(row["categories"] == 0 for row in points.of(panel, NOISE, DF1)) for panel in never}
    sizes = len(points.of("a", NOISE, DF1))
    return (
        f"Calling H0 a difference that drowns in the noise of n examples gives {unlike} for unlike models and {like} for "
        f"like ones; H1 then never holds at {_told(never)} and H0 never at {_told(always)} of {sizes} sizes, as in the "
        f"paper's figures, where such points depend on n; by this rule McNemar rejects {other} of unlike models."
    )


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} ({panel})" for panel, count in counts.items())


def _optimistic(points: Points, nulls: Sequence[str]) -> list[tuple[str, str]]:
    return [
        (null, panel) for null in nulls for panel in UNLIKE if rule.on_average_optimistic(points.of(panel, null, DF1))
    ]


def _lines(loose: Sequence[Row], tie: float) -> list[list[Row]]:
    return [[row for row in loose if (row["panel"], row["tie"]) == (panel, tie)] for panel in UNLIKE]


def _line(line: Sequence[Row]) -> str:
    """Write the mean, and the ends, of a line."""
    known = rule.known(line)
    if not known:
        return "no category"
    ends = f"{share(known[0]['alpha_true'])} % at {known[0]['n']:,} to {share(known[-1]['alpha_true'])} % at {known[-1]['n']:,}"
    return f"{ends}, mean {share(rule.average(known))} %"


def _grows(lines: Sequence[Sequence[Row]]) -> bool | None:
    ends = [(known[0]["alpha_true"], known[-1]["alpha_true"]) for line in lines if len(known := rule.known(line)) > 1]
    return all(last > first for first, last in ends) if ends else None


def _yes(told: bool | None) -> str:
    return {True: "yes", False: "no", None: "cannot be judged"}[told]


def _row(what: str, paper: str, ours: str, agrees: bool | None, note: str) -> dict[str, Any]:
    return {"what": what, "paper": paper, "ours": ours, "agrees": agrees, "note": note}
