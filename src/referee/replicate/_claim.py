"""The claim to be settled: is the bootstrap on dF1 optimistic for unlike models, or is it what was called H0?

With exact nulls H0 is true by construction. The paper counts a category under H0 by what is found on its population, of
800,000 documents, where an exact tie is rare; yet some of its points have no category with H1, at some sizes and not at
others. No rule on the population alone gives that. A rule that does is "0 lies in the middle 95 % of the differences on
sets of n examples", which calls H0 what is merely hard to see. It is our guess; the paper does not say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.replicate import _judging as rule
from referee.replicate._panels import DF1, LIKE, MCNEMAR, NOISE, UNLIKE
from referee.replicate._tables import TIES, Points, Row, share
from referee.results.replication import Table

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
    """Judge the finding again under other meanings of H0, each by the rule of the finding itself."""
    what, paper = "the bootstrap on dF1 is optimistic for unlike models", "on average always optimistic"
    note = (
        "rule: above alpha by two Monte-Carlo errors in the mean over sizes and at more than half of them, in (a) and in "
        "(b) as far as a category qualifies"
    )
    meanings = {f"a true difference of at most {tie:g}": _lines(loose, tie) for tie in TIES[1:]}
    meanings["a difference that drowns in the noise of n examples"] = _noise(points)
    return [
        {
            "what": f"{what}, if H0 is {meaning}",
            "paper": paper,
            "ours": _both(lines),
            "agrees": rule.everywhere(map(rule.on_average_optimistic, lines)),
            "note": note,
        }
        for meaning, lines in meanings.items()
    ]


def conclusion(points: Points, loose: Sequence[Row]) -> str:
    """Say what the numbers settle, and what they leave open."""
    said = [_exactly(points), _loosely(loose), *_noisily(points)]
    exact = _optimistic({null: [points.of(panel, null, DF1) for panel in UNLIKE] for null in EXACT})
    other = _optimistic({f"up to {tie:g}": _lines(loose, tie) for tie in TIES[1:]} | {NOISE: _noise(points)})
    if exact:
        said.append(f"So the bootstrap on dF1 is optimistic here even where H0 is exactly true: {', '.join(exact)}.")
    elif other:
        said.append(
            f"So here it is mostly a matter of what is called H0, and little of the test: where H0 is exactly true it rejects "
            f"{_most(points)}; more appears ({', '.join(other)}) where categories with a real difference count as H0, whose "
            f"rightful rejections are then false alarms. That the paper did so is our guess; it does not say."
        )
    else:
        said.append("So the optimism does not appear here, whatever is called H0.")
    return " ".join(said)


def _exactly(points: Points) -> str:
    parts = [f"{null}: {_both([points.of(panel, null, DF1) for panel in UNLIKE])}" for null in EXACT]
    return (
        f"Where H0 is exactly true, the bootstrap on dF1 of unlike models rejects at alpha 5 % ({'. '.join(parts)}): "
        f"more than two Monte-Carlo errors above alpha at {_above(points, UNLIKE)} points, of like models at "
        f"{_above(points, LIKE)}."
    )


def _above(points: Points, panels: Sequence[str]) -> str:
    """Count the points under the exact nulls at which it is optimistic."""
    known = [row for null in EXACT for panel in panels for row in rule.known(points.of(panel, null, DF1))]
    return f"{sum(map(rule.is_optimistic, known))} of {len(known)}"


def _loosely(loose: Sequence[Row]) -> str:
    parts = []
    for tie in TIES:
        lines = _lines(loose, tie)
        held = sum(line[0]["categories"] for line in lines if line)
        made = rule.somewhere(map(rule.on_average_optimistic, lines))
        seen = "; ".join(f"({p}) {_line(line)}" for p, line in zip(UNLIKE, lines, strict=True) if rule.known(line))
        word = "optimistic, " if made else ""
        parts.append(f"up to {tie:g} ({held} categor{'y' if held == 1 else 'ies'}): {word}{seen}" if seen else "")
    grown = _grows(_lines(loose, TIES[-1]))
    growth = {True: "it grows with n, as power does", False: "it does not grow with n", None: "growth cannot be judged"}
    shown = " | ".join(filter(None, parts)) or "no category qualifies"
    return f"If a true difference of up to so much is called H0, it rejects {shown}; {growth[grown]}."


def _noisily(points: Points) -> list[str]:
    like = "; ".join(f"({panel}) {_line(points.of(panel, NOISE, DF1))}" for panel in LIKE)
    never = {panel: _empty(points, panel, "different") for panel in (*UNLIKE, *LIKE)}
    nowhere = {panel: _empty(points, panel, "categories") for panel in (*UNLIKE, *LIKE)}
    sizes = len(points.of("a", NOISE, DF1))
    said = [
        f"If a difference that drowns in the noise of n examples is called H0, it rejects {_both(_noise(points))}; for like "
        f"models {like}. H1 then never holds at {_told(never)}, and H0 never at {_told(nowhere)} of {sizes} sizes."
    ]
    exact = sum(_empty(points, panel, "different", "observed") for panel in LIKE)
    if all(never[panel] for panel in LIKE):
        said.append(
            f"The paper has such points without H1 in 2(c) and 2(d); a true difference of 0 leaves {exact or 'none'}."
        )
    mcnemar = [points.of(panel, NOISE, MCNEMAR) for panel in UNLIKE]
    if rule.everywhere(map(rule.always_pessimistic, mcnemar)) is False:
        said.append(
            f"But then McNemar is not always pessimistic for unlike models either, which in the paper it is: {_both(mcnemar)}."
        )
    return said


def _most(points: Points) -> str:
    """Say how far above alpha it gets under the exact nulls."""
    lines = [rule.known(points.of(panel, null, DF1)) for null in EXACT for panel in UNLIKE]
    means = [average for line in lines if (average := rule.average(line)) is not None]
    top = max((row for line in lines for row in line), key=lambda row: float(row["alpha_true"]))
    where = f"{top['null']} ({top['panel']}) at n = {top['n']:,}"
    return f"at most {share(top['alpha_true'])} ± {share(top['error'])} % ({where}), {share(max(means))} % in the mean over sizes"


def _noise(points: Points) -> list[list[Row]]:
    return [points.of(panel, NOISE, DF1) for panel in UNLIKE]


def _empty(points: Points, panel: str, key: str, null: str = NOISE) -> int:
    return sum(row[key] == 0 for row in points.of(panel, null, DF1))


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} ({panel})" for panel, count in counts.items())


def _optimistic(meanings: Mapping[str, Sequence[Sequence[Row]]]) -> list[str]:
    return [
        f"{meaning} ({panel})"
        for meaning, lines in meanings.items()
        for panel, line in zip(UNLIKE, lines, strict=True)
        if rule.on_average_optimistic(line)
    ]


def _lines(loose: Sequence[Row], tie: float) -> list[list[Row]]:
    return [[row for row in loose if (row["panel"], row["tie"]) == (panel, tie)] for panel in UNLIKE]


def _line(line: Sequence[Row]) -> str:
    """Write the mean, and the ends, of a line."""
    known = rule.known(line)
    if not known:
        return "no category"
    ends = f"{share(known[0]['alpha_true'])} to {share(known[-1]['alpha_true'])} %"
    return f"{ends} from n = {known[0]['n']:,} to {known[-1]['n']:,}, mean {share(rule.average(known))} %"


def _both(lines: Sequence[Sequence[Row]]) -> str:
    return "; ".join(f"({panel}) {_line(line)}" for panel, line in zip(UNLIKE, lines, strict=True))


def _grows(lines: Sequence[Sequence[Row]]) -> bool | None:
    ends = [(known[0]["alpha_true"], known[-1]["alpha_true"]) for line in lines if len(known := rule.known(line)) > 1]
    return all(last > first for first, last in ends) if ends else None
