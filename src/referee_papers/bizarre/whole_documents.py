"""Table 3 of the bizarre measures: documents of many categories, drawn whole, and F1 over all their decisions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.data.columns import Floats, Ints
from referee.data.counts import from_events
from referee.errors import InputError
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.significance.laws.resample import bootstrap
from referee.significance.tally import Tally
from referee.studies.auditing.population import content, difference, tilted_shares

SCHEMA = "referee.documents/1"
SIZE = 7909
"""Documents of a test set in the paper."""
STATISTICS = ([0, 2], [4, 6], [1, 3], [0, 1], [4, 5], [2, 3])
"""For A, then for B: the events that are true positives, false positives and false negatives."""
TEST, SUBSETS, OTHERS, TIED = range(4)
"""The children of a set's streams."""


@dataclass(frozen=True)
class Plan:
    """How much is drawn for each set of categories."""

    size: int = SIZE
    replicates: int = 10_000
    subsets: int = 1000
    others: int = 200
    """Other test sets, and the bootstrap replicates on each."""
    other_replicates: int = 1000
    tied: int = 4000
    """Test sets from a world in which the models tie."""
    rng: int = 0


FULL = Plan()
FAST = Plan(others=50, other_replicates=500, tied=200)


def read(corpus: str) -> dict[str, Any]:
    """Return the shipped documents of a corpus."""
    documents: dict[str, Any] = json.loads(content(f"{corpus}-documents"))
    if documents.get("schema") != SCHEMA:
        raise InputError(f"the documents of {corpus} have the schema {documents.get('schema')!r}; {SCHEMA!r} is needed")
    return documents


def tally_of(part: Mapping[str, Any]) -> Tally:
    """See documents through F1, micro-averaged over their categories; the unit is a document.

    >>> tally = tally_of({"events": [[1, 0, 0, 0, 0, 0, 0, 2], [0, 1, 0, 0, 0, 0, 0, 2]], "times": [3, 1]})
    >>> tally.scores(tally.multiplicities).round(4).tolist()
    [0.8571, 1.0]
    """
    events: Ints = np.asarray(part["events"], dtype=np.int64)
    kinds = len(events)
    return Tally(
        resolve("f1").bind(from_events([1] * 8)),
        np.stack([events[:, pair].sum(axis=1) for pair in STATISTICS], axis=1).astype(np.float64),
        np.asarray(part["times"], dtype=np.int64),
        np.zeros(kinds, np.int64),
        joint=np.zeros(kinds),
        place=np.arange(kinds),
    )


def measure_cell(part: Mapping[str, Any], name: str, plan: Plan) -> dict[str, Any]:
    """Measure one set of categories.

    Returns:
        The share of bootstrap replicates of the test set in which B is above A, that among subsets of the truth, those
        of bootstraps on other test sets, and how often a bootstrap would be sure of a difference where there is none.
    """
    streams = Streams.of(plan.rng).child(ord(name[0]))
    test, truth = tally_of(part["test"]), tally_of(part["truth"])
    shares = truth.multiplicities / truth.units
    ahead = bootstrap(test, plan.replicates, streams.child(TEST)).differences
    subsets = _differences(truth, shares, plan.size, plan.subsets, streams.child(SUBSETS).at(0))
    return {
        "categories": len(part["categories"]),
        "documents": {"test": test.units, "truth": truth.units},
        "difference": {"test": difference(test, test.multiplicities / test.units), "truth": difference(truth, shares)},
        "confidence": float((ahead > 0).mean()),
        "against": float((ahead < 0).mean()),
        "share": float((subsets > 0).mean()),
        "share_against": float((subsets < 0).mean()),
        "others": _others(truth, shares, plan, streams.child(OTHERS)),
        "alarms": _alarms(truth, shares, plan, streams.child(TIED)),
    }


def _differences(tally: Tally, shares: Floats, size: int, sets: int, draw: np.random.Generator) -> Floats:
    """Return the difference b - a on sets of so many documents, drawn in these shares."""
    scores = tally.scores(draw.multinomial(size, shares, size=sets))
    return np.asarray(scores[..., 1] - scores[..., 0])


def _others(truth: Tally, shares: Floats, plan: Plan, streams: Streams) -> list[float]:
    """Return the confidence that other test sets would have given that B is above A."""
    sets = streams.at(0).multinomial(plan.size, shares, size=plan.others) / plan.size
    drawn = (_differences(truth, own, plan.size, plan.other_replicates, streams.at(i)) for i, own in enumerate(sets, 1))
    return [float((differences > 0).mean()) for differences in drawn]


def _alarms(truth: Tally, shares: Floats, plan: Plan, streams: Streams) -> list[float] | None:
    """Return how often a two-sided bootstrap test rejects at alpha .05 and .1 in the nearest world without a difference."""
    tied = tilted_shares(truth, shares)
    if tied is None:
        return None
    batch = streams.child(0).at(0).multinomial(plan.size, tied, size=plan.tied)
    test = resolve_test(f"bootstrap:replicates={max(999, plan.other_replicates)}")
    decided = test.decide(truth, batch, (0.05, 0.1), "two-sided", streams.child(1))
    return [float(rate) for rate in decided.mean(axis=0)]
