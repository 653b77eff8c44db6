"""A replication in words: how much of a paper came out again."""

from __future__ import annotations

from referee.report.numbers import whole
from referee.report.phrases import clean
from referee.results.replication import Replication


def sentence(r: Replication) -> str:
    """Say how much of the paper came out again."""
    claim = f"{clean(r.paper, 300)}: {badge(r)}"
    undecided = sum(row["agrees"] is None for row in r.rows)
    return f"{claim}; {whole(undecided)} cannot be judged." if undecided and r.things != "numbers" else f"{claim}."


def badge(r: Replication) -> str:
    """Say how many rows agree."""
    return f"{whole(sum(row['agrees'] is True for row in r.rows))} of {whole(len(r.rows))} {r.things} agree"
