"""The case that the plain exchange fails: equal precision, and one system answers nine times as often."""

from typing import Any

from benchmarks.calibration.trying import Scene, seen_by
from referee.data.counts import from_events
from referee.metrics import resolve
from referee.significance.rank_tally import tally_of
from referee.studies.auditing.population import Population

EVENTS = [36, 1764, 164, 8036, 36, 1764, 164, 8036]
SIZES = (100, 300, 1000, 3000, 10_000)
METRICS = ("precision", "f1")
KIND = "nine times as often"


def planned() -> list[tuple[str, str, int]]:
    """Return the kind, metric and size of each scene."""
    return [(KIND, metric, n) for metric in METRICS for n in SIZES]


def tests(kind: str, metric: str) -> tuple[str, ...]:
    return ("score", "randomization", "randomization:studentized=true", "bootstrap:replicates=999")


def scene(kind: str, metric: str, n: int) -> Scene:
    world = Population.of(from_events(EVENTS)).tilt(resolve(metric))
    assert world is not None
    tally = tally_of(world.counts, resolve(metric))

    def source(sets: int, streams: Any) -> Any:
        return [(tally, seen_by(tally, world.multiplicities(n, sets, streams)))]

    return Scene({"tilt": source})
