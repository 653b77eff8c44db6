"""Makes data/worlds.csv: nearest worlds by the second implementation, which takes minutes (python -m tests.golden.worlds).

Of each table three values of b - a are asked about: 0 or one drawn at random, and both ends of our interval (or, where that
reaches the end of the range, a value just before it). Stored are X² and twice the log-likelihood lost, of the likeliest world
that the second implementation finds in two ways and from many starts.
"""

from __future__ import annotations

import csv
import sys

import numpy as np

from referee.data.counts import from_events
from referee.metrics import resolve
from referee.significance.laws.score import ScoreLaw
from referee.significance.laws.score_ends import ends_of
from referee.significance.rank_tally import tally_of
from tests import second_score as second
from tests.golden.figures import DATA
from tests.significance.laws.tables import classes_of, defined, drawn

METRICS = ("f1", "precision", "mcc", "kappa", "dcf", "balanced-accuracy")
FLAT = ("f1", "precision", "dcf", "balanced-accuracy")
"""Metrics that the second implementation can also solve by flat pieces."""
TABLES, MACRO = 500, 40
NAMES = ("value", "low", "high")
JUST = 0.999
"""How much of the way to the end of the range is asked about where an interval has no other end."""


def three_classes(count, seed):
    """Return tables [truth, a, b] in which the systems are more often right than not, every class in each role."""
    rng = np.random.default_rng(seed)
    right = np.array([[(t == a) + (t == b) for a in range(3) for b in range(3)] for t in range(3)]).ravel()
    made = []
    while len(made) < count:
        share = rng.dirichlet(0.3 + 0.7 * right ** rng.choice([0, 1, 2]))
        table = rng.multinomial(int(np.exp(rng.uniform(np.log(20), np.log(1000)))), share)
        cube = table.reshape(3, 3, 3)
        if all(cube.sum(axis=axes).min() for axes in ((0, 1), (0, 2), (1, 2))):
            made.append(table)
    return made


def law_of(metric, events):
    counts = from_events(events) if len(events) == 8 else classes_of(events)
    return ScoreLaw(tally_of(counts, resolve(metric)))


def difference_of(metric):
    return second.macro_f1_difference(3) if metric == "f1:average=macro" else second.difference_of(metric)


def asked(law, rng):
    """Return the three values that are asked about."""
    row = law.tally.multiplicities
    centre = float(law.centres(row[None, :])[0])
    ends = ends_of([law], row, second.Z, 0.0)[0][:2]
    inside = [centre + JUST * (end - centre) if end in law.range else end for end in ends]
    part, end = rng.uniform(0.05, 0.95), law.range[rng.integers(2)]
    value = centre + part * (end - centre) if rng.random() < 0.5 else 0.0
    return [float(f"{v:.12g}") for v in (value, *inside)]


def brute(metric, events, value, unseen, starts=12):
    """Return X² and the likelihood lost of the likeliest world found, NaN where none was."""
    w = second.weights(events, unseen)
    if abs(difference_of(metric)(np.asarray(events, dtype=float)) - value) < 1e-11:
        return 0.0, 0.0
    found = [second.nearest(events, difference_of(metric), value, starts=starts, unseen=unseen)]
    if metric in FLAT:
        found.append(second.nearest_by_profile(events, metric, value, unseen=unseen))
    found = [p for p in found if p is not None]
    if not found:
        return np.nan, np.nan
    best = max(found, key=lambda p: second.log_likelihood(w, p))
    return second.distance(events, best), lost(events, best, unseen)


def lost(events, p, unseen):
    """Return twice the log-likelihood lost against the data, of shares or of expected counts."""
    w, p = second.weights(events, unseen), np.asarray(p) / np.sum(p)
    return 2 * (second.log_likelihood(w, w / w.sum()) - second.log_likelihood(w, p))


def main():
    rng = np.random.default_rng(3)
    tables = [(METRICS[i % len(METRICS)], e) for i, e in enumerate(defined(drawn(2 * TABLES, 5, 8, 3000))[:TABLES])]
    tables += [("f1:average=macro", e) for e in three_classes(MACRO, 6)]
    with (DATA / "worlds.csv").open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["metric", "events", *NAMES, *(f"x2_{n}" for n in NAMES), *(f"lost_{n}" for n in NAMES)])
        for metric, events in tables:
            law = law_of(metric, events)
            values = asked(law, rng)
            x2, missing = zip(*(brute(metric, events, v, law.space.unseen) for v in values), strict=True)
            figures = [f"{v:.9g}" for v in (*x2, *missing)]
            out.writerow([metric, " ".join(map(str, events)), *(f"{v:.12g}" for v in values), *figures])
            file.flush()
            sys.stdout.write(".")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
