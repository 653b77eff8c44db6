"""Counts under their old import path; they live in `referee.data.counts`."""

from referee.data.counts import Counts, from_events

__all__ = ["Counts", "from_events"]
