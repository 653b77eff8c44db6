"""Work that is followed tells how far it is, to whoever watches, and to nobody else."""

from __future__ import annotations

import time

from referee.runtime import progress
from referee.runtime.progress import following, watching


def test_work_that_knows_its_share_is_followed(monkeypatch):
    monkeypatch.setattr(progress, "PAUSE", 0.01)
    shares = iter([-1.0, 10.0, 10.0, 55.5, 30.0, 250.0])
    seen = []
    with watching(lambda *told: seen.append(told)), following("reading", lambda: next(shares, 100.0)):
        end = time.monotonic() + 10
        while len(seen) < 3 and time.monotonic() < end:
            time.sleep(0.01)
    assert seen == [("reading", 10, 100), ("reading", 55, 100), ("reading", 100, 100)]


def test_nobody_watches():
    with following("reading", lambda: 1 / 0):
        pass
