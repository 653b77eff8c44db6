"""Standings: the ranks that the verdicts allow, the scores of algorithms on every split, and every pair of them."""

from __future__ import annotations

from itertools import chain, pairwise, repeat

from referee.report.charts.canvas import SMALL, WIDTH, Canvas, Figure, around, short_p, span, spot
from referee.report.charts.rank_ranges import Place, ranges
from referee.report.charts.theme import Theme
from referee.report.numbers import known, percent, whole
from referee.report.phrases import method_names
from referee.report.phrases.algorithms import is_bayesian, label, metric, scale
from referee.results.algorithms import Pair, Standings

NAMES, LAST = 104, 48
SHOWN = 25
"""So many algorithms have a row."""
JOINED, SPLITS = 6, 30
"""Up to so many algorithms and splits, lines join the scores on a split."""
DOTS = 160
"""More scores than so many are drawn as ranges."""
CELLS, ROOMY = 12, 5
"""So many algorithms are paired in the matrix; up to so many, cells have room for numbers."""
FEW = 3
"""Up to so many, a p-value has its name before it."""


def ranked(r: Standings, theme: Theme) -> list[Figure]:
    """Draw a bar from the best to the worst rank that the verdicts on an algorithm's pairs allow."""
    there = [one for one in r.algorithms if one.rank_low is not None and one.rank_high is not None]
    sign = 1 if r.higher_is_better else -1
    means = [sign * one.score for one in r.algorithms if known(one.score)]
    places = [
        Place(
            label(one.name), 1 + sum(other > sign * one.score for other in means) if known(one.score) else None,
            one.rank_low or 0, one.rank_high or 0, scale(r).score(one.score), one.name in r.best,
        )
        for one in there[:SHOWN]
    ]  # fmt: skip
    if len(places) < 2:
        return []
    told = ["The dot is the rank by mean, the bar the range of ranks that the verdicts on all pairs allow."]
    if 0 < len(r.best) < len(r.algorithms):
        told.append("A star and a blue bar mark the algorithms that no other is significantly better than.")
    if len(there) > SHOWN:
        told.append(f"The {whole(len(there) - SHOWN)} with the worst mean are not shown.")
    chart = ranges(places, len(r.algorithms), "mean", theme)
    return [Figure("ranks", "The ranks that the data support", " ".join(told), chart)]


def folds(r: Standings, theme: Theme) -> list[Figure]:
    """Draw each algorithm's scores, one point per split, with their mean."""
    shown = r.algorithms[:SHOWN]
    own = [[score for score in one.scores if known(score)] for one in shown]
    values = sum(map(len, own))
    if not values:
        return []
    step, crowded = 34 if len(shown) <= 8 else 22, values > DOTS
    every = [*chain.from_iterable(own), *(one.score for one in shown)]
    canvas = Canvas(theme, *around(every, 0.05), NAMES + 10, WIDTH - LAST - 6)
    canvas.ruler(f"{metric(r)} per split{'' if r.higher_is_better else ', lower is better'}", grid=True)
    ys = [22 + step * i + step / 2 for i in range(len(shown))]
    canvas.word(WIDTH, 8, "mean", theme.grey, align="right", fontSize=SMALL)
    if len(shown) <= JOINED and r.splits <= SPLITS:
        joined = [
            span(first, second, y, y2, theme.both)
            for (one, y), (other, y2) in pairwise(zip(shown, ys, strict=True))
            for first, second in zip(one.scores, other.scores, strict=False)
            if known(first) and known(second)
        ]
        canvas.rules(joined, strokeWidth=1)
    tones = [theme.a if one.name in r.best else theme.grey for one in shown]
    _split_scores(list(zip(own, ys, tones, strict=True)), canvas, crowded)
    means = [
        span(one.score, one.score, y - 9, y + 9, theme.ink)
        for one, y in zip(shown, ys, strict=True)
        if known(one.score)
    ]
    canvas.rules(means, strokeWidth=2.6)
    starred = r.best if len(r.best) < len(r.algorithms) else ()
    names = [f"{'* ' if one.name in starred else ''}{label(one.name)}" for one in shown]
    canvas.words(NAMES, ys, names, align="right", limit=NAMES)
    scores = [scale(r).score(one.score) for one in shown]
    canvas.words(WIDTH, ys, scores, align="right", limit=LAST, fontSize=SMALL)
    told = _folds_told(r, len(shown), crowded)
    return [Figure("folds", "Scores on every split", told, canvas.chart(22 + step * len(shown)))]


def _split_scores(rows: list[tuple[list[float], float, str]], canvas: Canvas, crowded: bool) -> None:
    """Draw one dot per split; if they would hide each other, their range and their middle half."""
    if not crowded:
        canvas.points([spot(x, y, tone) for scores, y, tone in rows for x in scores], size=30)
        return
    ordered = [(sorted(scores), y, tone) for scores, y, tone in rows if scores]
    canvas.rules([span(xs[0], xs[-1], y, y, tone) for xs, y, tone in ordered], strokeWidth=1.2)
    halves = [span(xs[len(xs) // 4], xs[-1 - len(xs) // 4], y, y, tone) for xs, y, tone in ordered]
    canvas.rules(halves, strokeWidth=6)


def _folds_told(r: Standings, shown: int, crowded: bool) -> str:
    told = [f"Each dot is the {metric(r)} on one of {whole(r.splits)} splits; the vertical bar is the mean."]
    if crowded:
        spans = f"The thin line spans the {metric(r)} on all {whole(r.splits)} splits, the thick one the middle half"
        told = [f"{spans}; the vertical bar is the mean."]
    elif shown <= JOINED and r.splits <= SPLITS:
        told.append("Thin lines connect the same split.")
    if r.best and len(r.best) < len(r.algorithms):
        told.append("A star marks the algorithms that no other is significantly better than.")
    if len(r.algorithms) > shown:
        told.append(f"The {whole(len(r.algorithms) - shown)} with the worst mean are not shown.")
    return " ".join(told)


def pairs(r: Standings, theme: Theme) -> list[Figure]:
    """Draw the matrix of all pairs: the row's score less the column's, and how sure that is."""
    names = [one.name for one in r.algorithms[:CELLS]]
    found = {(pair.a, pair.b): pair for pair in r.pairs if pair.a in names and pair.b in names}
    if len(names) < 2 or not found:
        return []
    left, top, canvas = NAMES + 22, 20.0, Canvas(theme)
    side = (WIDTH - left) / len(names)
    tall = min(side, 40.0)
    cells = [
        (left + side * j, top + tall * i, *_cell(r, pair, pair.a == row, theme, len(names) <= ROOMY))
        for i, row in enumerate(names)
        for j, column in enumerate(names)
        if row != column and (pair := found.get((row, column)) or found.get((column, row)))
    ]
    boxes = [span(x, x + side, y, y + tall, fill) for x, y, fill, *_ in cells]
    canvas.rects(boxes, stroke=theme.paper, strokeWidth=1.5)
    middles, inks, lines = [x + side / 2 for x, *_ in cells], [ink for *_, ink, _ in cells], len(cells[0][-1])
    for line, weight in enumerate(("bold", "normal")[:lines]):
        ys = [y + tall / 2 + (14.0 * line - 7.0) * (lines - 1) for _, y, *_ in cells]
        texts = [words[line] for *_, words in cells]
        canvas.words(middles, ys, texts, inks, align="center", fontSize=SMALL, limit=side, fontWeight=weight)
    halves, numbered = [i + 0.5 for i in range(len(names))], list(enumerate(map(label, names), 1))
    canvas.words(0, [top + tall * i for i in halves], [f"{i}  {name}" for i, name in numbered], limit=NAMES + 14)
    canvas.words([left + side * i for i in halves], repeat(10.0), [str(i) for i, _ in numbered], align="center")
    return [Figure("pairs", "Every pair", _pairs_told(r, len(names)), canvas.chart(top + tall * len(names)))]


def _cell(r: Standings, pair: Pair, turned: bool, theme: Theme, roomy: bool) -> tuple[str, str, list[str]]:
    """Return the colour of a cell, that of its words, and these; `turned` where the row is the pair's a."""
    ahead = -pair.difference if known(pair.difference) and turned else pair.difference
    better, worse = ("a better", "b better") if turned else ("b better", "a better")
    looks = {better: (theme.a, theme.on_a, "+"), worse: (theme.b, theme.on_b, "−")}
    equal = (theme.grid, theme.ink, "=" if pair.verdict == "practically equal" else "·")
    fill, on, sign = looks.get(pair.verdict, equal)
    if not roomy:
        return fill, on, [sign]
    shown = scale(r).plain(ahead, sign=True) if known(ahead) else "?"
    chances = pair.probabilities
    few = len(r.algorithms) <= FEW
    sure = (
        percent(max(chances.get("a", 0.0), chances.get("b", 0.0)))
        if chances
        else f"p {short_p(pair, r.alpha)}"
        if few
        else short_p(pair, r.alpha)
    )
    return fill, on, [shown, sure]


def _pairs_told(r: Standings, shown: int) -> str:
    adjusted = f"the p-value (adjusted: {method_names.adjustment(r.adjust)})"
    sure = "the probability that the leader is better" if is_bayesian(r) else adjusted
    cells = f"Each cell is the row's {metric(r)} minus the column's, with {sure}"
    if shown > ROOMY:
        cells = "Each cell says whether the row is better (+) or worse (−) than the column, or practically equal (=)"
    told = f"{cells}. Blue: the row is better; orange: the row is worse; grey: too close to call."
    return f"{told} Only the first {whole(shown)} are shown." if len(r.algorithms) > shown else told
