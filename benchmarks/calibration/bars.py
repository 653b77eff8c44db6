"""The bars that the defaults are held to, each judged by the numbers alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.calibration.groups import KINDS
from benchmarks.calibration.means import CURVES
from benchmarks.calibration.words import name, percent

ERRORS = 3
"""How many Monte Carlo errors a number may be off."""
ALPHAS, AT = (0.01, 0.05, 0.1), 1
Row = dict[str, Any]


@dataclass(frozen=True)
class Seen:
    """A number that a bar is about: how far it is beyond its limit, its error, and where it was measured."""

    beyond: float
    share: float
    error: float
    where: str


@dataclass(frozen=True)
class Bar:
    """A promise and the number that comes nearest to breaking it, or breaks it most."""

    promise: str
    worst: Seen
    broken: int
    """How many of the numbers break it by more than their errors allow"""
    of: int

    @property
    def verdict(self) -> str:
        if self.broken:
            return "no"
        return "yes" if self.worst.beyond <= 0 else "within sampling error"


def bars(numbers: Row) -> list[Bar]:
    """Judge all bars."""
    rows, extremes = numbers["rows"], numbers["extremes"]
    own = [row for row in rows if row["part"] == "categories" and row["kind"] in ("all", "rare", "balanced")]
    every = [row for row in own if row["kind"] == "all"]

    def part(wanted: str, *tests: str) -> list[Row]:
        return [row for row in rows if row["part"] == wanted and (not tests or row["test"] in tests)]

    grouped = {kind: [row for row in part("groups", "cluster-t") if row["kind"] == kind] for kind in KINDS}
    skewed = {
        is_curve: [row for row in part("means", "skew-t") if (row["kind"] in CURVES) == is_curve]
        for is_curve in (True, False)
    }
    ranks = [row for row in part("ranks", *RANKED) if row["n"] >= 10]
    promised = {
        "Coverage, mean over all categories: at least 95% for every metric and size": _least(every, 0.95),
        "Coverage, every single category: at least 92% (the lowest, on new sets)": _lowest(extremes, 0.92),
        "False alarms over all, rare and balanced categories: at most α + 0.5 points": _panels(own),
        "False alarms with several classes (macro-averaged F1): at most α + 0.5 points": _panels(
            part("classes", "score")
        ),
        "False alarms within strata of 1 to 20 examples: at most α + 0.5 points": _panels(part("strata", "score")),
        "False alarms if one system answers nine times as often: at most 6%, from 100 examples on": _most(
            part("unequal", "score"), 0.06
        ),
        "False alarms of AUC and average precision with 10 positives or more: at most 7%": _most(ranks, 0.07),
        "False alarms of skewed means on a declared scale: at most 10%": _most(part("means", "score"), 0.10),
        "False alarms of means of log-normal differences: at most 10%": _most(skewed[True], 0.10),
        "False alarms of skewed means whose scale is not declared: at most 10%": _most(skewed[False], 0.10),
        "Coverage over 3 to 40 equal or unequal groups: at least 93%": _least(
            grouped["equal"] + grouped["unequal"], 0.93
        ),
        "Coverage over groups 2.5 times as large where B wins: at least 88%": _least(grouped["linked"], 0.88),
        "Coverage over groups 5 times as large where B wins: at least 88%": _least(grouped["strongly linked"], 0.88),
        "False alarms over groups 2.5 times as large where B wins: at most 10%": _most(grouped["linked"], 0.10),
        "False alarms over groups 5 times as large where B wins: at most 10%": _most(grouped["strongly linked"], 0.10),
        "Power: at most 2 points below the studentized randomization test, with 5 positives found by one system alone": _powers(
            rows
        ),
    }
    return [_judged(promise, list(found)) for promise, found in promised.items()]


RANKED = ("delong:law=t", "bootstrap:interval=t,replicates=499")
NULLS = ("tilt", "swap", "tie", "unlike")


def _judged(promise: str, found: list[Seen]) -> Bar:
    broken = [one for one in found if one.beyond > ERRORS * one.error]
    # Beyond a limit what counts is by how many errors.
    worst = max(broken or found, key=lambda one: one.beyond / one.error if one.beyond > 0 else one.beyond)
    return Bar(promise, worst, len(broken), len(found))


def _where(row: Row, *more: str) -> str:
    kind = [] if row["kind"] == "all" else [row["kind"]]
    size = SIZES.get(row["part"], "n = {:,}").format(row["n"])
    return ", ".join([row["metric"], *kind, size, *more])


SIZES = {"groups": "{} groups", "ranks": "{} positives", "strata": "strata of {}"}


def _least(rows: Iterable[Row], limit: float) -> Iterator[Seen]:
    for row in rows:
        share, error = row["coverage"][AT]
        yield Seen(limit - share, share, error, _where(row))


def _lowest(extremes: Iterable[Row], limit: float) -> Iterator[Seen]:
    for row in extremes:
        if row["what"] == "coverage":
            where = f"{row['metric']}, {row['category']}, n = {row['n']:,}"
            yield Seen(limit - row["share"], row["share"], row["error"], where)


def _panels(rows: Iterable[Row]) -> Iterator[Seen]:
    for row in rows:
        for null in NULLS:
            for alpha, (share, error) in zip(ALPHAS, row.get(null, ()), strict=False):
                yield Seen(share - alpha - 0.005, share, error, _where(row, f"α = {percent(alpha)}", null))


def _most(rows: Iterable[Row], limit: float) -> Iterator[Seen]:
    for row in rows:
        for null in NULLS:
            if null in row:
                share, error = row[null][AT]
                yield Seen(share - limit, share, error, _where(row, name(row["test"]), null))


def _powers(rows: Iterable[Row]) -> Iterator[Seen]:
    """Compare the power of the score test with that of the studentized randomization test on the same sets."""
    mine = [row for row in rows if row["part"] == "tests" and row["kind"] == "enough" and "power" in row]
    own = {(row["metric"], row["n"]): row["power"][AT] for row in mine if row["test"] == "score"}
    for row in mine:
        if row["test"] == "randomization:studentized=true" and (row["metric"], row["n"]) in own:
            (share, error), (other, _) = own[row["metric"], row["n"]], row["power"][AT]
            yield Seen(other - share - 0.02, share - other, error, _where({**row, "kind": "all"}))
