"""Rankings: how long they take, and how often they are wrong about tied systems.

    python -m benchmarks.ranking            # speed and rates; about four minutes
    python -m benchmarks.ranking speed
    python -m benchmarks.ranking rates

Speed: all pairs of 150 systems on 500 right or wrong answers, and F1 of 20 systems on a million rows of a Parquet file, beside the
time of counting them. Rates: systems that are equally good by construction; how often some two are called different (the
family-wise error rate), how often a given one of the best is ruled out as best, and how often all ranges of ranks hold the true
ranks, if half of the systems are tied at the top and the others fall off.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import referee
from referee.data.counts import Counts
from referee.data.many_systems import count_systems
from referee.data.roles import MORE

LATENT, OWN = 1.0, 0.8
"""How hard examples are varies this much, and each system's own luck that much: so that systems are right together."""


def answers(
    rng: np.random.Generator, n: int, rights: np.ndarray, groups: int = 0
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return [example, system] right or wrong, each system right as often as said; in groups that favour systems, if asked."""
    from scipy.special import ndtri

    size = np.sqrt(LATENT**2 + OWN**2 + (0.25 if groups else 0.0))
    latent = LATENT * rng.normal(size=(n, 1)) + OWN * rng.normal(size=(n, len(rights)))
    group = None
    if groups:
        group = rng.integers(0, groups, n)
        latent += 0.5 * rng.normal(size=(groups, len(rights)))[group]
    return (latent > -size * ndtri(rights)).astype(np.int64), group


def speed() -> None:
    """Print how long rankings take."""
    rng = np.random.default_rng(0)
    right, _ = answers(rng, 500, np.linspace(0.2, 0.8, 150))
    board = {f"m{i}": right[:, i] for i in range(150)}
    start = time.perf_counter()
    made = referee.rank(board)
    took = time.perf_counter() - start
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"150 systems x 500: {len(made.pairs):,} pairs in {took:.1f} s, {most:.2f} GB at most")
    import duckdb

    n = 1_000_000
    truth = rng.random(n) < 0.2
    right, _ = answers(rng, n, np.linspace(0.7, 0.8, 20))
    columns = {
        "label": truth.astype(np.int64),
        **{f"m{i}": np.where(right[:, i], truth, ~truth).astype(np.int64) for i in range(20)},
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.parquet"
        connection = duckdb.connect()
        connection.register("columns", columns)
        connection.execute(f"COPY (SELECT * FROM columns) TO '{path}' (FORMAT parquet)")
        start = time.perf_counter()
        counts, _ = count_systems(path, "m*", truth="label")
        counted = time.perf_counter() - start
        start = time.perf_counter()
        referee.rank(path, truth="label", systems="m*", metric="f1")
        took = time.perf_counter() - start
    print(
        f"20 systems x {n:,} rows of Parquet ({len(counts):,} kinds): counted in {counted:.1f} s, ranked by F1 in {took:.1f} s"
    )


def rates() -> None:
    """Print how often rankings are wrong."""
    cells = [
        (5, 200, 0, 600),
        (20, 200, 0, 400),
        (100, 200, 0, 80),
        (20, 40, 0, 400),
        (5, 300, 30, 300),
        (20, 300, 30, 150),
    ]
    for many, n, groups, sets in cells:
        tied = np.full(many, 0.7)
        falling = np.concatenate([np.full(many // 2, 0.7), np.linspace(0.68, 0.4, many - many // 2)])
        for what, rights in (("all tied", tied), ("half tied", falling)):
            wrong = ruled_out = ranks = 0
            for number in range(sets):
                rng = np.random.default_rng([many, n, groups, number])
                right, group = answers(rng, n, rights, groups)
                columns = {f"{MORE}{i + 1}": right[:, i] for i in range(many)}
                names = {role: f"s{i}" for i, role in enumerate(columns)}
                side = {} if group is None else {"group": group}
                r = referee.rank(Counts.of(columns | side, names=names), rng=number)
                true = {
                    f"s{i}": (1 + int((rights > own).sum()), many - int((rights < own).sum()))
                    for i, own in enumerate(rights)
                }
                own = {f"s{i}": own for i, own in enumerate(rights)}
                for pair in r.pairs:
                    gain = own[pair.b] - own[pair.a]
                    if (pair.verdict == "a better" and gain >= 0) or (pair.verdict == "b better" and gain <= 0):
                        wrong += 1
                        break
                ruled_out += "s0" not in r.best
                ranks += all(s.rank_low <= true[s.name][0] and true[s.name][1] <= s.rank_high for s in r.systems)
            told = f"{many} systems, {n} examples" + (f" in {groups} groups" if groups else "")
            print(
                f"{told}, {what}: some false claim {wrong / sets:.1%}, a given best ruled out {ruled_out / sets:.1%}, all ranks held {ranks / sets:.1%} ({sets} sets)",
                flush=True,
            )


if __name__ == "__main__":
    asked = sys.argv[1:] or ["speed", "rates"]
    for name in asked:
        {"speed": speed, "rates": rates}[name]()
