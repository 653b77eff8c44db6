"""The claim in dispute: is the bootstrap of dF1 optimistic for unlike models, or is that due to what was called H0?

With exact nulls H0 is true by construction. The paper counts a category under H0 by what is found on its population, of
800,000 documents, where an exact tie is rare; yet some of its points have no category with H1, at some sizes and not at
others. No rule on the population alone gives that. A rule that does is "0 lies in the middle 95 % of the differences on
sets of n examples", which calls H0 what is merely hard to see. It is our guess; the paper does not say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from referee.results.replication import Table
from referee_papers.claims import Row, claim, everywhere, percent, somewhere
from referee_papers.keller2005 import rules
from referee_papers.keller2005.panels import DF1, LIKE, MCNEMAR, NOISE, TIES, UNLIKE, Points
from referee_papers.keller2005.statements import ALL, DROWNS

Lines = Mapping[str, rules.Line]
"""Panel -> the points of one test there, under one meaning of H0."""
CLAIM = "the bootstrap on dF1 is optimistic for unlike models"
RULE = (
    "rule: above alpha by two Monte Carlo errors in the mean over sizes and at more than half of them, in (a) and in "
    "(b) as far as a category qualifies"
)
GROWTH = {True: "it grows with n, as power does", False: "it does not grow with n", None: "growth cannot be judged"}


def add_tolerances(points: Points, loose: Sequence[Row]) -> Points:
    """Return the points with those of H0 as a true difference of up to so much, as more nulls."""
    return Points([*points.rows, *({**row, "null": _up_to(row["tie"])} for row in loose)])


def _up_to(tie: float) -> str:
    return f"up to {tie:g}"


def tabulate_tolerances(points: Points, loose: list[Row]) -> Table:
    """Return the table of what the bootstrap on dF1 does where small differences are called none."""
    body = []
    for panel in ALL:
        for tie in TIES:
            line = points.of(panel, _up_to(tie), DF1)
            held, different = line[0]["categories"], line[0]["different"]
            rates = [percent(point["alpha_true"]) for point in line]
            body.append((f"({panel}) {tie:g}", f"{held} of {held + different}", *rates))
    title = "bootstrap on dF1 where a true difference of up to so much is called H0: sets rejected at alpha .05, %"
    return Table(title, loose, ("panel, tolerance", "categories", *(f"{point['n']:,}" for point in line)), body)


def judge_meanings(points: Points) -> list[Row]:
    """Judge the claim again under other meanings of H0, each by the rule of the statement itself."""
    meanings = {_up_to(tie): f"a true difference of at most {tie:g}" for tie in TIES[1:]} | {NOISE: DROWNS}
    rows = []
    for null, meaning in meanings.items():
        lines = _under(points, null)
        agrees = everywhere(map(rules.on_average_optimistic, lines.values()))
        rows.append(claim(f"{CLAIM}, if H0 is {meaning}", "on average always optimistic", _write(lines), agrees, RULE))
    return rows


def conclude(points: Points) -> str:
    """Say what the numbers settle, and what they leave open."""
    if names := _name_optimistic(points, rules.EXACT):
        end = f"So the bootstrap on dF1 is optimistic here even where H0 is exactly true: {', '.join(names)}."
    elif names := _name_optimistic(points, [*map(_up_to, TIES[1:]), NOISE]):
        end = (
            f"So here it is mostly a matter of what is called H0, and little of the test: where H0 is exactly true it rejects "
            f"{_say_most(points)}; more appears ({', '.join(names)}) where categories with a real difference count as H0, whose "
            f"rightful rejections are then false alarms. That the paper did so is our guess; it does not say."
        )
    else:
        end = "So the optimism does not appear here, whatever is called H0."
    return " ".join([_say_exact(points), _say_loose(points), *_say_noise(points), end])


def _say_exact(points: Points) -> str:
    shown = ". ".join(f"{null}: {_write(_under(points, null))}" for null in rules.EXACT)
    counts = []
    for panels in (UNLIKE, LIKE):
        optimistic = [rules.is_optimistic(point) for line in _known(points, panels) for point in line]
        counts.append(f"{sum(optimistic)} of {len(optimistic)}")
    return (
        f"Where H0 is exactly true, the bootstrap on dF1 of unlike models rejects at alpha 5 % ({shown}): "
        f"more than two Monte Carlo errors above alpha at {counts[0]} points, of like models at {counts[1]}."
    )


def _say_loose(points: Points) -> str:
    parts = []
    for tie in TIES:
        lines = _under(points, _up_to(tie))
        count = sum(line[0]["categories"] for line in lines.values() if line)
        word = "optimistic, " if somewhere(map(rules.on_average_optimistic, lines.values())) else ""
        if shown := _write({panel: line for panel, line in lines.items() if rules.known(line)}):
            parts.append(f"up to {tie:g} ({count} categor{'y' if count == 1 else 'ies'}): {word}{shown}")
    loosest = map(rules.known, lines.values())
    grows = everywhere(line[-1]["alpha_true"] > line[0]["alpha_true"] for line in loosest if len(line) > 1)
    rejects = " | ".join(parts) or "no category qualifies"
    return f"If a true difference of up to so much is called H0, it rejects {rejects}; {GROWTH[grows]}."


def _say_noise(points: Points) -> list[str]:
    lines = _under(points, NOISE, ALL)
    no_h1, no_h0 = ({p: _count_empty(line, key) for p, line in lines.items()} for key in ("different", "categories"))
    never, nowhere = (", ".join(f"{n} ({p})" for p, n in empty.items()) for empty in (no_h1, no_h0))
    sentences = [
        f"If a difference that drowns in the noise of n examples is called H0, it rejects {_write(_under(points, NOISE))}; for like "
        f"models {_write(_under(points, NOISE, LIKE))}. H1 then never holds at {never}, and H0 never at {nowhere} of {len(lines['a'])} sizes."
    ]
    if all(no_h1[panel] for panel in LIKE):
        exact = sum(_count_empty(line, "different") for line in _under(points, "observed", LIKE).values())
        sentences.append(
            f"The paper has such points without H1 in 2(c) and 2(d); a true difference of 0 leaves {exact or 'none'}."
        )
    mcnemar = _under(points, NOISE, line=MCNEMAR)
    if everywhere(map(rules.always_pessimistic, mcnemar.values())) is False:
        sentences.append(
            f"But then McNemar is not always pessimistic for unlike models either, which in the paper it is: {_write(mcnemar)}."
        )
    return sentences


def _say_most(points: Points) -> str:
    """Say how far above alpha it gets under the exact nulls."""
    lines = _known(points, UNLIKE)
    top = max((point for line in lines for point in line), key=lambda point: float(point["alpha_true"]))
    where = f"{top['null']} ({top['panel']}) at n = {top['n']:,}"
    mean = percent(max(map(rules.average, lines)))
    return (
        f"at most {percent(top['alpha_true'])} ± {percent(top['error'])} % ({where}), {mean} % in the mean over sizes"
    )


def _under(points: Points, null: str, panels: Sequence[str] = UNLIKE, line: str = DF1) -> Lines:
    return {panel: points.of(panel, null, line) for panel in panels}


def _known(points: Points, panels: Sequence[str]) -> list[list[Row]]:
    """Return the lines under the exact nulls, as far as they have a number."""
    lines = [rules.known(points.of(panel, null, DF1)) for null in rules.EXACT for panel in panels]
    return [line for line in lines if line]


def _count_empty(line: rules.Line, key: str) -> int:
    return sum(row[key] == 0 for row in line)


def _name_optimistic(points: Points, nulls: Sequence[str]) -> list[str]:
    lines = [(f"{null} ({panel})", line) for null in nulls for panel, line in _under(points, null).items()]
    return [name for name, line in lines if rules.on_average_optimistic(line)]


def _write(lines: Lines) -> str:
    """Write the ends, and the mean, of each line."""
    return "; ".join(f"({panel}) {_write_line(rules.known(line))}" for panel, line in lines.items())


def _write_line(points: rules.Line) -> str:
    if not points:
        return "no category"
    first, last = points[0], points[-1]
    ends = f"{percent(first['alpha_true'])} to {percent(last['alpha_true'])} %"
    return f"{ends} from n = {first['n']:,} to {last['n']:,}, mean {percent(rules.average(points))} %"
