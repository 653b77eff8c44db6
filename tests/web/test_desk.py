"""The process behind the page: one that has used up its memory, or failed, is followed by another."""

import sys

import pytest

from referee.web import jobs
from tests.web.conftest import awaited

WORKER = """
import os
from referee.data.engines.duckdb_sql import connected
from referee.errors import InputError
from contextlib import nullcontext
from referee.web import preview, jobs

jobs.SHARE, jobs.LEAST = 0.0, 1 << 30
jobs.warm_up = lambda: None
kept = []

def look(kind):
    if kind == "bomb":
        for _ in range(20):
            kept.append(bytearray(100 << 20))
    if kind == "large":
        kept.append(bytearray(400 << 20))
    if kind == "refused":
        raise InputError("not this")
    if kind == "broken":
        raise KeyError("ours")
    if kind == "database":
        with connected() as connection:
            return connection.sql("SELECT current_setting('memory_limit')").fetchall()[0][0]
    return len(bytearray(300 << 20))

preview.look = look
jobs.named = lambda files: nullcontext([])
jobs.main()
"""
HONEST = {"done": 300 << 20}


@pytest.fixture
def do(tmp_path, monkeypatch):
    """Do jobs in a process of a few lines that may take 1 GB; return what came of it, and who did it."""
    script = tmp_path / "worker.py"
    script.write_text(WORKER, encoding="utf-8")
    popen = jobs.subprocess.Popen
    monkeypatch.setattr(jobs.subprocess, "Popen", lambda words, **more: popen([sys.executable, str(script)], **more))
    desk = jobs.Desk(tmp_path, limit=60)

    async def never():
        import anyio

        await anyio.sleep(600)

    def call(kind):
        before = desk.open()
        found = awaited(lambda: desk.do(never, job="look", files=[], kind=kind))
        return found, desk._process is before

    yield call
    desk.close()


linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the memory")


@linux
def test_a_refused_bomb_takes_its_process_with_it(do):
    assert do("honest") == (HONEST, True)
    assert do("bomb") == ({"wrong": [jobs.TOO_SMALL]}, False)
    assert do("honest") == (HONEST, True)


@linux
def test_a_process_that_keeps_much_is_followed_by_another(do):
    found, same = do("large")
    assert (found, same) == (HONEST, False)
    assert do("honest") == (HONEST, True)


def test_a_fault_takes_its_process_with_it_and_a_refusal_does_not(do):
    assert do("refused") == ({"wrong": ["not this"]}, True)
    assert do("broken") == ({"fault": "KeyError: 'ours'"}, False)
    assert do("honest") == (HONEST, True)


@linux
def test_the_database_may_take_less_than_the_process(do):
    found, _ = do("database")
    number, unit = found["done"].split()
    assert (float(number), unit) == (pytest.approx(0.5 * 1024, abs=1), "MiB")


def test_the_memory_of_the_database_can_be_set(monkeypatch):
    from referee.data.engines.duckdb_sql import MEMORY, connected

    monkeypatch.setenv(MEMORY, "64MiB")
    with connected() as connection:
        assert connection.sql("SELECT current_setting('memory_limit')").fetchall() == [("64.0 MiB",)]
