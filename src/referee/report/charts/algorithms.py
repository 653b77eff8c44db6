"""Standings: the scores of algorithms on every split, and every pair of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from referee.report.charts.canvas import SMALL, WIDTH, Row, Sheet, around
from referee.report.charts.figure import Figure
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
    sheet = Sheet(theme, *around([*values, *(one.score for one in shown)], 0.05), NAMES + 10, WIDTH - LAST - 6)
    lower = "" if r.higher_is_better else ", lower is better"
    sheet.ruler(f"{metric(r)} on a split{lower}", grid=True)
    middles = {one.name: 22 + step * i + step / 2 for i, one in enumerate(shown)}
    sheet.words([{"x": sheet.at(WIDTH), "y": 8, "text": "mean", "fill": theme.grey}], align="right", fontSize=SMALL)
    if len(shown) <= JOINED and r.splits <= SPLITS:
        sheet.rules(_joined(shown, middles, theme), strokeWidth=1)
    crowded = len(values) > DOTS
    if crowded:
        _ranges(r, shown, middles, sheet)
    else:
        _dots(r, shown, middles, sheet)
    _margins(r, shown, middles, sheet)
    told = _folds_told(r, len(shown), crowded)
    return [Figure("folds", "Scores on every split", told, sheet.chart(22 + step * len(shown)))]


def _joined(shown: Sequence[Algorithm], middles: dict[str, float], theme: Theme) -> list[Row]:
    found = []
    for one, other in pairwise(shown):
        for first, second in zip(one.scores, other.scores, strict=False):
            if known(first) and known(second):
                found.append(
                    {"x": first, "x2": second, "y": middles[one.name], "y2": middles[other.name], "fill": theme.both}
                )
    return found


def _dots(r: Standings, shown: Sequence[Algorithm], middles: dict[str, float], sheet: Sheet) -> None:
    spots = [
        {"x": score, "y": middles[one.name], "fill": _tone(r, one, sheet.theme), "shape": "circle"}
        for one in shown
        for score in one.scores
        if known(score)
    ]
    sheet.points(spots, size=30)


def _ranges(r: Standings, shown: Sequence[Algorithm], middles: dict[str, float], sheet: Sheet) -> None:
    """Draw where the scores lie, and the middle half of them, in place of dots that would hide each other."""
    every: list[Row] = []
    half: list[Row] = []
    for one in shown:
        own = sorted(score for score in one.scores if score is not None and known(score))
        if not own:
            continue
        line = {"y": middles[one.name], "y2": middles[one.name], "fill": _tone(r, one, sheet.theme)}
        every.append(line | {"x": own[0], "x2": own[-1]})
        half.append(line | {"x": own[len(own) // 4], "x2": own[-1 - len(own) // 4]})
    sheet.rules(every, strokeWidth=1.2)
    sheet.rules(half, strokeWidth=6)


def _tone(r: Standings, one: Algorithm, theme: Theme) -> str:
    return theme.a if one.name in r.best else theme.grey


def _margins(r: Standings, shown: Sequence[Algorithm], middles: dict[str, float], sheet: Sheet) -> None:
    """Draw the means, with their numbers on the right and the names on the left."""
    ink, starred = sheet.theme.ink, len(r.best) < len(r.algorithms)
    means: list[Row] = []
    names: list[Row] = []
    scores: list[Row] = []
    for one in shown:
        y, star = middles[one.name], "* " if starred and one.name in r.best else ""
        if one.score is not None and known(one.score):
            means.append({"x": one.score, "x2": one.score, "y": y - 9, "y2": y + 9, "fill": ink})
        names.append({"x": sheet.at(NAMES), "y": y, "text": f"{star}{label(one.name)}", "fill": ink})
        scores.append({"x": sheet.at(WIDTH), "y": y, "text": number(one.score, places(r)), "fill": ink})
    sheet.rules(means, strokeWidth=2.6)
    sheet.words(names, align="right", limit=NAMES)
    sheet.words(scores, align="right", limit=LAST, fontSize=SMALL)


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
    cells: list[Row] = []
    said: list[list[Row]] = [[], []]
    for i, row in enumerate(names):
        for j, column in enumerate(names):
            pair = found.get((row, column)) or found.get((column, row))
            if pair is None or row == column:
                continue
            x, y = left + side * j, top + tall * i
            fill, on, told = _cell(r, pair, pair.a == row, theme, len(names) <= ROOMY)
            cells.append({"x": x, "x2": x + side, "y": y, "y2": y + tall, "fill": fill})
            for k, line in enumerate(told):
                middle = y + tall / 2 + (0.0 if len(told) == 1 else -7.0 if k == 0 else 7.0)
                said[k].append({"x": x + side / 2, "y": middle, "text": line, "fill": on})
    sheet = Sheet(theme)
    sheet.rects(cells, stroke=theme.paper, strokeWidth=1.5)
    for own, weight in zip(said, ("bold", "normal"), strict=True):
        sheet.words(own, align="center", fontSize=SMALL, limit=side, fontWeight=weight)
    rows = [
        {"x": 0.0, "y": top + tall * (i + 0.5), "text": f"{i + 1}  {label(name)}", "fill": theme.ink}
        for i, name in enumerate(names)
    ]
    columns = [
        {"x": left + side * (i + 0.5), "y": 10.0, "text": str(i + 1), "fill": theme.ink} for i in range(len(names))
    ]
    sheet.words(rows, limit=NAMES + 14)
    sheet.words(columns, align="center")
    return [Figure("pairs", "Every pair", _pairs_told(r, len(names)), sheet.chart(top + tall * len(names)))]


def _cell(r: Standings, pair: Pair, turned: bool, theme: Theme, roomy: bool) -> tuple[str, str, list[str]]:
    """Return the colour of a cell, that of its words, and these; `turned` where the row is the pair's a."""
    ahead = pair.difference if pair.difference is None or not turned else -pair.difference
    better = pair.verdict == ("a better" if turned else "b better")
    worse = pair.verdict == ("b better" if turned else "a better")
    fill, on = (theme.a, theme.on_a) if better else (theme.b, theme.on_b) if worse else (theme.grid, theme.ink)
    sign = "better" if better else "worse" if worse else "equal" if pair.verdict == "practically equal" else "?"
    if not roomy:
        return fill, on, [{"better": "+", "worse": "−", "equal": "="}.get(sign, "·")]
    shown = (
        "?"
        if ahead is None or not known(ahead)
        else f"{'+' if ahead > 0 else ''}{number(ahead, places(r))}".replace("-", "−")
    )
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
