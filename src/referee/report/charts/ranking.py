"""Rankings: the range of ranks of each system, who is told apart from whom, and how far each is from a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from referee.report import phrases
from referee.report.charts.battles import win_rates
from referee.report.charts.canvas import SMALL, WIDTH, Canvas, Figure, fitted, short_p, span
from referee.report.charts.differences import SHAPES, Line, forest
from referee.report.charts.rank_ranges import SHOWN, Place, ranges
from referee.report.charts.theme import Theme
from referee.report.numbers import known, percent, whole
from referee.report.phrases import method_names
from referee.report.phrases import ranking as words
from referee.report.phrases.slices import slices
from referee.report.phrases.terms import terms
from referee.results.ranking import Ranking, Rankings
from referee.results.settings import Verdict

NAMES = 118
SIGNS, APART = 12, 45
"""Up to so many systems the cells of the matrix have signs and its rows names; up to so many, cells stand apart."""
LINES = 40
"""So many systems are drawn against a baseline."""


def figures(r: Ranking, theme: Theme) -> list[Figure]:
    """Draw a ranking: the ranges of ranks and the matrix of pairs; against a baseline, the differences from it."""
    if r.baseline is not None:
        return _from_baseline(r, theme)
    return [*_ranges(r, theme), *win_rates(r, theme), *_matrix(r, theme)]


def figures_of_several(rs: Rankings, theme: Theme) -> list[Figure]:
    """Draw the first picture of each slice."""
    drawn = []
    for place, (name, r) in enumerate(zip(slices(rs), rs, strict=True)):
        first = next(iter(figures(r, theme)), None) if place < SIGNS else None
        if first is not None:
            drawn.append(Figure(f"{first.key}-{place + 1}", f"{first.title}: {name}", first.caption, first.chart))
    return drawn


def _ranges(r: Ranking, theme: Theme) -> list[Figure]:
    """Draw a bar from the best to the worst rank that the data support, with the rank by score as a dot."""
    places = [
        Place(
            words.label(r, one.name), one.rank, one.rank_low, one.rank_high, words.scale(r).score(one.score),
            one.name in r.best,
        )
        for one in r.systems
        if one.rank_low is not None and one.rank_high is not None
    ][:SHOWN]  # fmt: skip
    if not places:
        return []
    chart = ranges(places, len(r.systems), phrases.clean(words.metric(r), 12), theme)
    return [Figure("ranks", "The ranks that the data support", _ranges_told(r, len(places)), chart)]


def _ranges_told(r: Ranking, shown: int) -> str:
    told = ["The dot is the rank by score, the bar the range of ranks that the data support."]
    if 0 < len(r.best) < len(r.systems):
        told.append("A star and a blue bar mark the systems that can't be ruled out as best.")
    if words.promises(r):
        told.append(f"With {percent(1 - r.alpha)} confidence all bars hold the true ranks at once.")
    if len(r.systems) > shown:
        told.append(f"The last {whole(len(r.systems) - shown)} are not shown.")
    return " ".join(told)


def _matrix(r: Ranking, theme: Theme) -> list[Figure]:
    """Draw who is told apart from whom, in the order of the leaderboard; equal neighbours in a row are one rectangle."""
    names = [one.name for one in r.systems if known(one.score)][:SHOWN]
    if len(names) < 3:
        return []
    place = {name: i for i, name in enumerate(names)}
    signs = [["" if i == j else "·" for j in range(len(names))] for i in range(len(names))]
    for pair in r.pairs:
        if pair.a in place and pair.b in place and pair.verdict in ("a better", "b better"):
            a, b = place[pair.a], place[pair.b]
            signs[a][b], signs[b][a] = ("+", "−") if pair.verdict == "a better" else ("−", "+")
    roomy, named = len(names) <= APART, len(names) <= SIGNS
    left, top, canvas = NAMES + 22 if named else 34, 20.0, Canvas(theme)
    side = (WIDTH - left) / len(names)
    tall = min(side, 40.0)
    fills = {"+": theme.a, "−": theme.b, "·": theme.grid}
    boxes = [
        span(left + side * start, left + side * end, top + tall * i, top + tall * (i + 1), fills[sign])
        for i, row in enumerate(signs)
        for sign, start, end in _runs(row, single=roomy)
        if sign
    ]
    canvas.rects(boxes, **({"stroke": theme.paper, "strokeWidth": 1.5 if named else 1.0} if roomy else {}))
    if named:
        inks = {"+": theme.on_a, "−": theme.on_b, "·": theme.ink}
        cells = [(i, j, sign) for i, row in enumerate(signs) for j, sign in enumerate(row) if sign]
        xs, ys = [left + side * (j + 0.5) for _, j, _ in cells], [top + tall * (i + 0.5) for i, *_ in cells]
        canvas.words(
            xs, ys, [sign for *_, sign in cells], [inks[sign] for *_, sign in cells], align="center", fontSize=SMALL
        )
    _margins(r, names, canvas, left, top, side, tall)
    told = _matrix_told(r, len(names))
    return [Figure("pairs", "Who can be told apart", told, canvas.chart(top + tall * len(names)))]


def _runs(row: Sequence[str], single: bool) -> Iterator[tuple[str, int, int]]:
    """Yield the signs of a row with where they begin and end: each for itself, or equal neighbours together."""
    if single:
        yield from ((sign, i, i + 1) for i, sign in enumerate(row))
        return
    start = 0
    for sign, run in groupby(row):
        end = start + len(list(run))
        yield sign, start, end
        start = end


def _margins(
    r: Ranking, names: Sequence[str], canvas: Canvas, left: float, top: float, side: float, tall: float
) -> None:
    """Write the names beside the rows and their numbers above the columns; of many, every tenth number."""
    every = 1 if len(names) <= SIGNS else 5 if len(names) <= APART else 10 if len(names) <= 80 else 20
    ticks = [i for i in range(len(names)) if i == 0 or (i + 1) % every == 0]
    xs = [left + side * (i + 0.5) for i in ticks]
    canvas.words(xs, [10.0] * len(ticks), [str(i + 1) for i in ticks], align="center", fontSize=SMALL)
    if len(names) <= SIGNS:
        texts = [f"{i}  {words.label(r, name)}" for i, name in enumerate(names, 1)]
        canvas.words(0, [top + tall * (i + 0.5) for i in range(len(names))], texts, limit=NAMES + 14)
    else:
        ys = [top + tall * (i + 0.5) for i in ticks]
        canvas.words(left - 6, ys, [str(i + 1) for i in ticks], align="right", fontSize=SMALL)


def _matrix_told(r: Ranking, shown: int) -> str:
    numbers = "" if shown <= SIGNS else " and with the numbers"
    told = f"Systems in the order{numbers} of the leaderboard. Blue: the row is {terms(r).surely}better than the column; orange: worse; "
    told += f"grey: the two can't be told apart ({terms(r).number}s adjusted: {method_names.adjustment(r.adjust)})."
    return f"{told} Only the first {whole(shown)} are shown." if len(r.systems) > shown else told


def _from_baseline(r: Ranking, theme: Theme) -> list[Figure]:
    """Draw how far each system is from the baseline."""
    there = [pair for pair in r.pairs if known(pair.difference)]
    if not there:
        return []
    base = words.label(r, r.baseline or "")
    turned: dict[Verdict, Verdict] = {} if r.higher_is_better else {"a better": "b better", "b better": "a better"}
    fills = {"a better": theme.a, "b better": theme.b}
    lines = [
        Line(
            words.label(r, pair.b), pair.difference, pair.interval, short_p(pair, r.alpha), fills.get(pair.verdict, theme.grey),
            SHAPES[turned.get(pair.verdict, pair.verdict)],
        )
        for pair in there[:LINES]
    ]  # fmt: skip
    sides = (base, "system") if r.higher_is_better else ("system", base)
    title = f"difference in {fitted(words.metric(r), 110)} from {fitted(base, 84)}"
    chart = forest(lines, None, sides, title, terms(r).p if r.adjust == "none" else f"adj. {terms(r).p}", theme)
    told = [f"How far each system is from {base}{', with its simultaneous interval' if there[0].interval else ''}."]
    told.append(
        f"A triangle marks a {terms(r).surely.replace('ly ', '')} difference ({terms(r).number}s adjusted: {method_names.adjustment(r.adjust)})."
    )
    if len(there) > LINES:
        told.append(f"The last {whole(len(there) - LINES)} are not shown.")
    return [Figure("forest", f"Against {base}", " ".join(told), chart)]
