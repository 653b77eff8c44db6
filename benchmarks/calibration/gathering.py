"""From counts of sets to the numbers of the page: shares with their Monte Carlo errors, pooled over categories."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from benchmarks.calibration import categories
from benchmarks.calibration.trying import ALPHAS
from referee.studies.auditing.grid import binomial_error, mean, mean_error
from referee.studies.verdict import DECISIVE
from referee.version import __version__

BANDS = ((0, 1), (1, 2), (2, 5), (5, 10), (10, 20), (20, None))
"""How many positives one model alone is expected to find in a test set."""
POOLS: dict[str, Callable[[str], bool]] = {
    "all": lambda label: True,
    "rare": categories.is_rare,
    "balanced": lambda label: not categories.is_rare(label),
}
WHATS = ("tilt", "swap", "tie", "unlike", "power", "coverage")
Row = dict[str, Any]
Shares = dict[str, list[float | None]]
"""By what they are of: a share for each alpha."""


def gathered(found: dict[str, Any], again: dict[str, Any], effort: float) -> Row:
    """Return all numbers of the page."""
    looks = [value for key, value in found.items() if key.startswith("look/")]
    scenes = [value for key, value in found.items() if key.startswith("scene/")]
    tried = [value for key, value in found.items() if key.startswith("category/")]
    rows = [*pooled_looks(looks), *pooled_tests(tried), *(row for scene in scenes for row in rows_of(scene))]
    return {
        "referee": __version__,
        "effort": effort,
        "alphas": list(ALPHAS),
        "populations": {name: _count(name) for name in categories.POPULATIONS},
        "defaults": {metric: str(categories.default(metric)) for metric in categories.METRICS},
        "sets": {look["metric"]: look["sets"] for look in looks},
        "ties": {
            metric: sum(one["alone"] is not None for one in _merged(looks, metric).values())
            for metric in dict.fromkeys(look["metric"] for look in looks)
        },
        "unknown": {metric: _unknown(looks, metric) for metric in dict.fromkeys(look["metric"] for look in looks)},
        "extremes": [row for look in again.values() for row in extremes(look)],
        "rows": rows,
    }


def _count(name: str) -> int:
    return sum(label.startswith(f"{name}/") for label in categories.categories())


def _merged(looks: Iterable[Row], metric: str) -> dict[str, Row]:
    return {label: one for look in looks if look["metric"] == metric for label, one in look["categories"].items()}


def _unknown(looks: Iterable[Row], metric: str) -> float:
    """Return the share of sets without a p-value."""
    mine = [look for look in looks if look["metric"] == metric]
    cells = [one[str(n)] for one in _merged(mine, metric).values() for n in categories.SIZES]
    drawn = mine[0]["sets"] * sum(kind in cell for cell in cells for kind in (*categories.NULLS, "true"))
    return sum(cell["unknown"] for cell in cells) / drawn


def shares_of(cell: Row, sets: int) -> Shares:
    """Return the shares of one cell."""
    found: Shares = {null: [c / sets for c in cell[null]] for null in WHATS if null in cell}
    if "true" in cell:
        found["power"] = [c / sets for c in cell["true"]]
    if "held" in cell:
        known = cell["known"] if isinstance(cell["known"], list) else [cell["known"]] * len(ALPHAS)
        found["coverage"] = [h / k if k else None for h, k in zip(cell["held"], known, strict=True)]
    return found


def pooled(cells: list[Shares], sets: int) -> Row:
    """Return the mean over cells of each share, with its error: [share, error] for each alpha."""
    out: Row = {}
    for what in WHATS:
        mine = [cell[what] for cell in cells if what in cell]
        if mine:
            columns = [[x for x in column if x is not None] for column in zip(*mine, strict=True)]
            out[what] = [[mean(column), mean_error(column, sets)] for column in columns]
    return out


def pooled_looks(looks: list[Row]) -> Iterator[Row]:
    """Yield the rows of the default tests: over all categories, rare ones, balanced ones, those with decisive positives."""
    for metric in dict.fromkeys(look["metric"] for look in looks):
        sets, test = next((look["sets"], look["test"]) for look in looks if look["metric"] == metric)
        every = _merged(looks, metric)
        told = {"part": "categories", "metric": metric, "test": test, "sets": sets}
        for n in categories.SIZES:
            for pool, belongs in {**POOLS, "enough": None}.items():
                some = [
                    shares_of(one[str(n)], sets)
                    for label, one in every.items()
                    if (belongs(label) if belongs else _expected(one, n) >= DECISIVE)
                ]
                if some:
                    yield {**told, "kind": pool, "n": n, "categories": len(some), **pooled(some, sets)}
        for low, high in BANDS:
            inside = [
                shares_of(one[str(n)], sets)
                for one in every.values()
                for n in categories.SIZES
                if one["alone"] is not None and low <= _expected(one, n) < (high or float("inf"))
            ]
            if inside:
                yield {**told, "kind": f"alone {low}", "n": None, "categories": len(inside), **pooled(inside, sets)}


def _expected(one: Row, n: int) -> float:
    return -1.0 if one["alone"] is None else n * one["alone"]


def pooled_tests(cells: list[Row]) -> Iterator[Row]:
    """Yield the rows of every test over the categories on which all were tried."""
    groups: dict[tuple[Any, ...], list[tuple[Row, Shares]]] = {}
    for cell in cells:
        for test, told in cell["tests"].items():
            key = cell["metric"], test, cell["n"], cell["sets"]
            groups.setdefault(key, []).append((cell, shares_of(told, cell["sets"])))
    for (metric, test, n, sets), mine in groups.items():
        for pool, belongs in {**POOLS, "enough": None}.items():
            some = [shares for cell, shares in mine if _inside(cell, belongs)]
            if some:
                told = {"part": "tests", "kind": pool, "metric": metric, "test": test, "n": n, "sets": sets}
                yield {**told, "categories": len(some), **pooled(some, sets)}


def _inside(cell: Row, belongs: Callable[[str], bool] | None) -> bool:
    if belongs is None:
        return cell["about"]["alone"] is not None and cell["about"]["alone"] >= DECISIVE
    return belongs(cell["kind"])


def rows_of(scene: Row) -> Iterator[Row]:
    """Yield the rows of a scene, one for each test."""
    for test, told in scene["tests"].items():
        row = {key: scene[key] for key in ("part", "kind", "metric", "n", "sets")}
        yield {**row, "test": test, **pooled([shares_of(told, scene["sets"])], scene["sets"])}


def extremes(look: Row) -> Iterator[Row]:
    """Yield what a second look found: the lowest coverage at 5%, and the most false alarms under each null."""
    sets, at = look["sets"], ALPHAS.index(0.05)
    (n,) = {int(key) for one in look["categories"].values() for key in one if key.isdigit()}
    seen = {label: shares_of(one[str(n)], sets) for label, one in look["categories"].items()}
    for what, worst in (("coverage", min), ("tilt", max), ("swap", max)):
        known = {label: own[what][at] for label, own in seen.items() if what in own and own[what][at] is not None}
        if known:
            label = worst(known, key=lambda one: (known[one], one))
            one = look["categories"][label]
            told = {"metric": look["metric"], "n": n, "what": what, "category": label, "share": known[label]}
            expected = None if one["alone"] is None else n * one["alone"]
            yield {**told, "error": binomial_error(known[label], sets), "sets": sets, "alone": expected}


def encode(numbers: Row) -> str:
    """Write the numbers, one row per line."""
    head = {key: value for key, value in numbers.items() if key not in ("rows", "extremes")}
    text = json.dumps(_rounded(head), indent=1)[:-2]
    for key in ("extremes", "rows"):
        lines = ",\n".join(json.dumps(_rounded(row), separators=(",", ":"), ensure_ascii=False) for row in numbers[key])
        text += f',\n "{key}": [\n{lines}\n]'
    return text + "\n}\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return float(f"{value:.3g}" if abs(value) < 0.1 else f"{value:.4f}") if isinstance(value, float) else value
