"""Rankings: the range of ranks of each system, who is told apart from whom, and how far each is from a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from referee.report import phrases
from referee.report.charts.battles import win_rates
from referee.report.charts.canvas import SMALL, WIDTH, Canvas, Figure, fitted, short_p, span, spot
from referee.report.charts.differences import SHAPES, Line, forest
from referee.report.charts.theme import Theme
from referee.report.numbers import known, percent, whole
from referee.report.phrases import ranking as words
from referee.report.phrases.terms import terms
from referee.results.ranking import Ranked, Ranking, Rankings
from referee.results.settings import Verdict

NAMES, LAST, HEAD = 118, 40, 22
SHOWN = 160
"""So many systems have a row."""
ROWS = ((12, 22.0, 12.0), (40, 16.0, 11.0), (SHOWN, 9.0, 8.0))
"""Up to so many systems: how tall a row is, and the size of its words."""
SIGNS, NAMED_ROWS = 12, 45
"""Up to so many systems the cells of the matrix have signs, and its rows names."""
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
    for place, (name, r) in enumerate(zip(words.slices(rs), rs, strict=True)):
        first = next(iter(figures(r, theme)), None) if place < SIGNS else None
        if first is not None:
            drawn.append(Figure(f"{first.key}-{place + 1}", f"{first.title}: {name}", first.caption, first.chart))
    return drawn


def _ranges(r: Ranking, theme: Theme) -> list[Figure]:
    """Draw a bar from the best to the worst rank that the data support, with the rank by score as a dot."""
    shown = [one for one in r.systems if one.rank_low is not None][:SHOWN]
    if not shown:
        return []
    _, step, size = next(row for row in ROWS if len(shown) <= row[0])
    canvas = Canvas(theme, 0.5, len(r.systems) + 0.5, NAMES + 10, WIDTH - LAST - 6)
    canvas.ruler("rank", ticks=min(len(r.systems), 6), grid=True)
    ys = [HEAD + step * (i + 0.5) for i in range(len(shown))]
    rows = list(zip(shown, ys, strict=True))
    tones = [theme.a if one.name in r.best else theme.grey for one in shown]
    bars = [span(*_ends(one), y, y, tone) for (one, y), tone in zip(rows, tones, strict=True)]
    canvas.rules(bars, strokeWidth=min(step / 3, 4.0))
    canvas.points([spot(one.rank, y, theme.ink) for one, y in rows if one.rank is not None], size=min(step * 2.5, 36))
    starred = r.best if len(r.best) < len(r.systems) else ()
    names = [f"{'* ' if one.name in starred else ''}{words.label(r, one.name)}" for one in shown]
    canvas.words(NAMES, ys, names, align="right", limit=NAMES, fontSize=size)
    canvas.word(
        WIDTH, 8, phrases.clean(words.metric(r), 12), theme.grey, align="right", fontSize=SMALL, limit=LAST + 60
    )
    scores = [words.scale(r).score(one.score) for one in shown]
    canvas.words(WIDTH, ys, scores, align="right", limit=LAST, fontSize=min(size, SMALL))
    return [
        Figure(
            "ranks",
            "The ranks that the data support",
            _ranges_told(r, len(shown)),
            canvas.chart(HEAD + step * len(shown)),
        )
    ]


def _ends(one: Ranked) -> tuple[float, float]:
    """Return the ends of a bar, which is seen even if there is one rank only."""
    return (one.rank_low or 0) - 0.3, (one.rank_high or 0) + 0.3


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
    roomy = len(names) <= NAMED_ROWS
    left, top, canvas = NAMES + 22 if roomy else 34, 20.0, Canvas(theme)
    side = (WIDTH - left) / len(names)
    tall = min(side, 40.0)
    fills = {"+": theme.a, "−": theme.b, "·": theme.grid}
    boxes = [
        span(left + side * start, left + side * end, top + tall * i, top + tall * (i + 1), fills[sign])
        for i, row in enumerate(signs)
        for sign, start, end in _runs(row, single=roomy)
        if sign
    ]
    canvas.rects(boxes, **({"stroke": theme.paper, "strokeWidth": 1.0 if len(names) > SIGNS else 1.5} if roomy else {}))
    if len(names) <= SIGNS:
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
    every = 1 if len(names) <= SIGNS else 5 if len(names) <= NAMED_ROWS else 10 if len(names) <= 80 else 20
    ticks = [i for i in range(len(names)) if i == 0 or (i + 1) % every == 0]
    xs = [left + side * (i + 0.5) for i in ticks]
    canvas.words(xs, [10.0] * len(ticks), [str(i + 1) for i in ticks], align="center", fontSize=SMALL)
    if len(names) <= NAMED_ROWS:
        texts = [f"{i}  {words.label(r, name)}" for i, name in enumerate(names, 1)]
        ys = [top + tall * (i + 0.5) for i in range(len(names))]
        canvas.words(0, ys, texts, limit=NAMES + 14, fontSize=max(min(tall - 1, 12.0), 5.0))
    else:
        ys = [top + tall * (i + 0.5) for i in ticks]
        canvas.words(left - 6, ys, [str(i + 1) for i in ticks], align="right", fontSize=SMALL)


def _matrix_told(r: Ranking, shown: int) -> str:
    told = f"Systems in the order of the leaderboard. Blue: the row is {terms(r).surely}better than the column; orange: worse; "
    told += f"grey: the two can't be told apart ({terms(r).number}s adjusted: {phrases.adjustment(r.adjust)})."
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
            words.label(r, pair.b), pair.difference, pair.interval, short_p(pair), fills.get(pair.verdict, theme.grey),
            SHAPES[turned.get(pair.verdict, pair.verdict)],
        )
        for pair in there[:LINES]
    ]  # fmt: skip
    sides = (base, "system") if r.higher_is_better else ("system", base)
    title = f"difference in {fitted(words.metric(r), 110)} from {fitted(base, 84)}"
    chart = forest(lines, None, sides, title, terms(r).p if r.adjust == "none" else f"adj. {terms(r).p}", theme)
    told = [f"How far each system is from {base}{', with its simultaneous interval' if there[0].interval else ''}."]
    told.append(
        f"A triangle marks a {terms(r).surely.replace('ly ', '')} difference ({terms(r).number}s adjusted: {phrases.adjustment(r.adjust)})."
    )
    if len(there) > LINES:
        told.append(f"The last {whole(len(there) - LINES)} are not shown.")
    return [Figure("forest", f"Against {base}", " ".join(told), chart)]
