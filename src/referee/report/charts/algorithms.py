"""Standings: the scores of algorithms on every split, and every pair of them."""

from __future__ import annotations

from itertools import pairwise

from referee.report.charts.canvas import SMALL, WIDTH, Canvas, Figure, around, level, minus, span, spot, upright
from referee.report.charts.theme import Theme
from referee.report.numbers import known, number, percent, whole
from referee.report.phrases.algorithms import adjustment, is_bayesian, label, metric, places
from referee.results.algorithms import Algorithm, Pair, Standings

NAMES, LAST = 104, 48
SHOWN = 25
"""So many algorithms have a row."""
JOINED, SPLITS = 6, 30
"""Up to so many algorithms and splits, lines join the scores on a split."""
DOTS = 160
"""More scores than so many are drawn as ranges."""
CELLS, ROOMY = 12, 6
"""So many algorithms are paired in the matrix; up to so many, cells have room for numbers."""


def folds(r: Standings, theme: Theme) -> list[Figure]:
    """Draw each algorithm's scores, a point a split, with their mean."""
    shown = r.algorithms[:SHOWN]
    values = [score for one in shown for score in one.scores if known(score)]
    if not values:
        return []
    step = 34 if len(shown) <= 8 else 22
    canvas = Canvas(theme, *around([*values, *(one.score for one in shown)], 0.05), NAMES + 10, WIDTH - LAST - 6)
    lower = "" if r.higher_is_better else ", lower is better"
    canvas.ruler(f"{metric(r)} on a split{lower}", grid=True)
    rows = [(one, 22 + step * i + step / 2) for i, one in enumerate(shown)]
    canvas.word(WIDTH, 8, "mean", theme.grey, align="right", fontSize=SMALL)
    crowded = len(values) > DOTS
    if len(shown) <= JOINED and r.splits <= SPLITS:
        joined = [
            span(first, second, y, y2, theme.both)
            for (one, y), (other, y2) in pairwise(rows)
            for first, second in zip(one.scores, other.scores, strict=False)
            if first is not None and second is not None and known(first) and known(second)
        ]
        canvas.rules(joined, strokeWidth=1)
    _split_scores(r, rows, canvas, crowded)
    means = [
        upright(one.score, y - 9, y + 9, theme.ink) for one, y in rows if one.score is not None and known(one.score)
    ]
    canvas.rules(means, strokeWidth=2.6)
    starred = r.best if len(r.best) < len(r.algorithms) else ()
    names, ys = [f"{'* ' if one.name in starred else ''}{label(one.name)}" for one in shown], [y for _, y in rows]
    canvas.column(NAMES, ys, names, align="right", limit=NAMES)
    scores = [number(one.score, places(r)) for one in shown]
    canvas.column(WIDTH, ys, scores, align="right", limit=LAST, fontSize=SMALL)
    told = _folds_told(r, len(shown), crowded)
    return [Figure("folds", "Scores on every split", told, canvas.chart(22 + step * len(shown)))]


def _split_scores(r: Standings, rows: list[tuple[Algorithm, float]], canvas: Canvas, crowded: bool) -> None:
    """Draw a dot a split; where they would hide each other, where all lie, and the middle half of them."""
    tones = {one.name: canvas.theme.a if one.name in r.best else canvas.theme.grey for one, _ in rows}
    own = {one.name: [score for score in one.scores if score is not None and known(score)] for one, _ in rows}
    if not crowded:
        canvas.points([spot(x, y, tones[one.name]) for one, y in rows for x in own[one.name]], size=30)
        return
    ordered = [(sorted(own[one.name]), y, tones[one.name]) for one, y in rows if own[one.name]]
    canvas.rules([level(xs[0], xs[-1], y, tone) for xs, y, tone in ordered], strokeWidth=1.2)
    halves = [level(xs[len(xs) // 4], xs[-1 - len(xs) // 4], y, tone) for xs, y, tone in ordered]
    canvas.rules(halves, strokeWidth=6)


def _folds_told(r: Standings, shown: int, crowded: bool) -> str:
    joined = ", and thin lines join the same split" if shown <= JOINED and r.splits <= SPLITS else ""
    said = f"Each dot is the {metric(r)} on one of {whole(r.splits)} splits; the upright bar is the mean{joined}."
    if crowded:
        said = f"The thin line spans the {metric(r)} on {whole(r.splits)} splits, the thick one the middle half of them; the upright bar is the mean."
    if r.best and len(r.best) < len(r.algorithms):
        said += " A star marks those that no other is surely better than."
    left = len(r.algorithms) - shown
    return f"{said} The {whole(left)} with the worst mean are left out." if left > 0 else said


def pairs(r: Standings, theme: Theme) -> list[Figure]:
    """Draw the matrix of all pairs: the row's score less the column's, and how sure that is."""
    names = [one.name for one in r.algorithms[:CELLS]]
    found = {(pair.a, pair.b): pair for pair in r.pairs if pair.a in names and pair.b in names}
    if len(names) < 2 or not found:
        return []
    left, top = NAMES + 22, 20.0
    side = (WIDTH - left) / len(names)
    tall = min(side, 40.0)
    canvas = Canvas(theme)
    cells = [
        (left + side * j, top + tall * i, *_cell(r, pair, pair.a == row, theme, len(names) <= ROOMY))
        for i, row in enumerate(names)
        for j, column in enumerate(names)
        if row != column and (pair := found.get((row, column)) or found.get((column, row)))
    ]
    canvas.rects(
        [span(x, x + side, y, y + tall, fill) for x, y, fill, *_ in cells], stroke=theme.paper, strokeWidth=1.5
    )
    middles, inks = [x + side / 2 for x, *_ in cells], [ink for *_, ink, _ in cells]
    for line, weight in enumerate(("bold", "normal")[: len(cells[0][-1])]):
        shift = (-7.0, 7.0)[line] if len(cells[0][-1]) == 2 else 0.0
        ys, texts = [y + tall / 2 + shift for _, y, *_ in cells], [words[line] for *_, words in cells]
        canvas.words(middles, ys, texts, inks, align="center", fontSize=SMALL, limit=side, fontWeight=weight)
    places_of = [i + 0.5 for i in range(len(names))]
    numbered = [f"{i}  {label(name)}" for i, name in enumerate(names, 1)]
    canvas.column(0, [top + tall * i for i in places_of], numbered, limit=NAMES + 14)
    numbers = [str(i) for i in range(1, len(names) + 1)]
    canvas.words([left + side * i for i in places_of], [10.0] * len(names), numbers, align="center")
    return [Figure("pairs", "Every pair", _pairs_told(r, len(names)), canvas.chart(top + tall * len(names)))]


def _cell(r: Standings, pair: Pair, turned: bool, theme: Theme, roomy: bool) -> tuple[str, str, list[str]]:
    """Return the colour of a cell, that of its words, and these; `turned` where the row is the pair's a."""
    ahead = pair.difference if pair.difference is None or not turned else -pair.difference
    better = pair.verdict == ("a better" if turned else "b better")
    worse = pair.verdict == ("b better" if turned else "a better")
    fill, on = (theme.a, theme.on_a) if better else (theme.b, theme.on_b) if worse else (theme.grid, theme.ink)
    sign = "better" if better else "worse" if worse else "equal" if pair.verdict == "practically equal" else "?"
    if not roomy:
        return fill, on, [{"better": "+", "worse": "−", "equal": "="}.get(sign, "·")]
    shown = "?" if ahead is None or not known(ahead) else minus(f"{'+' if ahead > 0 else ''}{number(ahead, places(r))}")
    return fill, on, [shown, _sure(pair)]


def _sure(pair: Pair) -> str:
    if pair.probabilities:
        return percent(max(pair.probabilities.get("a", 0.0), pair.probabilities.get("b", 0.0)))
    p = pair.p_adjusted if pair.p_adjusted is not None else pair.p_value
    if p is None or not known(p):
        return "p ?"
    return f"p {p:.3f}" if p >= 0.0005 else f"p {p:.0e}"


def _pairs_told(r: Standings, shown: int) -> str:
    said = f"Each cell is the row's {metric(r)} less the column's"
    if shown <= ROOMY:
        sure = (
            "how probable it is that the one ahead is better"
            if is_bayesian(r)
            else f"the p-value adjusted by {adjustment(r)}"
        )
        said += f", with {sure}"
    else:
        said = "Each cell says whether the row is better (+) or worse (−) than the column, or practically equal (=)"
    said += ". Blue cells: the row is better; orange: it is worse; grey: too close to call."
    left = len(r.algorithms) - shown
    return f"{said} The first {whole(shown)} are shown." if left > 0 else said
