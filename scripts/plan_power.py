"""The power of planned sizes: `python -m scripts.plan_power` plans for several metrics, and audits the sizes with other draws."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import referee
from referee.data.counts import Counts, from_events

SETS = 20_000


def pilots() -> Iterator[tuple[str, Counts, dict[str, Any]]]:
    """Yield pilots of several kinds."""
    draw = np.random.default_rng(4)
    labels = from_events([61, 24, 9, 21, 6, 4, 11, 264])
    yield "accuracy", labels, {"metric": "accuracy"}
    yield "F1", labels, {"metric": "f1"}
    yield "MCC", labels, {"metric": "mcc"}
    yield "mean of 0/1", Counts.of({"a": [1, 1, 0, 0], "b": [1, 0, 1, 0]}, [300, 25, 45, 130]), {}
    a = draw.normal(size=200)
    yield "mean, normal", Counts.of({"a": a, "b": a + draw.normal(0.2, 1.0, 200)}), {}
    yield "mean, lognormal", Counts.of({"a": np.zeros(200), "b": draw.lognormal(0, 1, 200) - 1.4}), {}
    group = np.repeat(np.arange(40), 8)
    truth = (draw.random(320) < 0.4).astype(int)
    first = np.where(draw.random(320) < 0.75, truth, 1 - truth)
    own = np.where(draw.random(320) < 0.85 + draw.normal(0, 0.1, 40)[group], truth, 1 - truth)
    second = np.where(draw.random(320) < 0.5, first, own)
    yield "F1 in groups", Counts.of({"truth": truth, "a": first, "b": second, "group": group}), {"metric": "f1"}


def main() -> None:
    """Print a row per pilot: what was planned, how long it took, and the power there."""
    print("| pilot | test | planned examples | units | power | seconds |\n|---|---|--:|--:|--:|--:|")  # noqa: T201
    for name, data, options in pilots():
        began = time.process_time()
        made = referee.plan(data, **options)
        took = time.process_time() - began
        row = referee.audit(
            data, test=made.test, sizes=[made.n], sets=SETS, coverage=False, rng=99, jobs=1, **options
        ).row()
        power = f"{100 * row['power']:.1f}% ± {100 * row['power_error']:.1f}"
        print(f"| {name} | `{made.test}` | {made.n:,} | {made.units:,} | {power} | {took:.1f} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
