"""Counts under the name that they have always been imported by; their home is `referee.data.counts`."""

from referee.data.counts import Counts, from_events

__all__ = ["Counts", "from_events"]
