"""The row of a table: one measurement, with a target where there is one."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Row:
    """One measurement of referee, with the peer's and the target where there are such."""

    what: str
    ours: float
    unit: str = "s"
    limit: float | None = None
    """The target: ours stays below this."""
    peer: str = ""
    theirs: float | None = None
    factor: float | None = None
    """The target: theirs / ours is at least this."""
    extrapolated: str = ""
    """What was run of the peer, where it was not all."""
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return None if self.theirs is None else self.theirs / self.ours

    @property
    def met(self) -> bool | None:
        found = [] if self.limit is None else [self.ours < self.limit]
        found += [] if self.factor is None or self.ratio is None else [self.ratio >= self.factor]
        return all(found) if found else None
