"""What does not depend on the test that is asked for is computed once for the same units, and kept."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

import referee.studies.comparison as comparing
from referee.significance.tally import Tally

COMPUTED = comparing.score_intervals
KEPT = {}


def fingerprint(tally):
    """Return all that an interval of a system's own score can depend on."""
    if not isinstance(tally, Tally):
        fields = ("positive", "values", "inside", "unit", "multiplicities", "strata", "grouped", "place", "lonely")
        return str(tally.metric), pickle.dumps([getattr(tally, name) for name in fields])
    bound, fields = tally.bound, ("both", "multiplicities", "strata", "grouped", "joint", "place", "lonely")
    try:
        formula = pickle.dumps(bound.formula)
    except (AttributeError, pickle.PicklingError):  # it is made of the metric and of how many classes there are
        formula = None
    possible = None if bound.possible is None else bound.possible()
    about = bound.positive, bound.monotone, bound.strays, possible, *(getattr(tally, name) for name in fields)
    return str(bound.metric), formula, pickle.dumps(about)


def kept_intervals(tally, level, streams):
    """Return the intervals of the systems' own scores, and leave in the tally's memory what computing them does."""
    key = fingerprint(tally), level, streams.key
    if key not in KEPT:
        fresh = replace(tally, memory={})
        KEPT[key] = COMPUTED(fresh, level, streams), fresh.memory
    found, memory = KEPT[key]
    for name, value in memory.items():
        tally.memory.setdefault(name, value)
    return found


@pytest.fixture(scope="module", autouse=True)
def intervals_of_systems():
    """Hundreds of comparisons by every test would compute the same intervals of A's score and of B's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparing, "score_intervals", kept_intervals)
        yield
