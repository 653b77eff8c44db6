"""Cells come out the same wherever they run, and none that is finished is lost, whoever is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from functools import partial

import numpy as np
import pytest

from referee.errors import InputError, OptionError
from referee.runtime import parallel
from referee.runtime.parallel import run
from referee.runtime.progress import watching
from referee.runtime.store import Store
from tests.runtime.cells import GRID, LONG, calls, grid, made, own_process, suicidal


@pytest.mark.parametrize("jobs", [2, 8, None])
def test_the_same_to_the_last_bit(jobs):
    expected = run(made(), grid(12), jobs=1)
    assert list(expected) == list(grid(12))
    assert repr(run(made(), grid(12), jobs=jobs)) == repr(expected)


@pytest.mark.parametrize("jobs", [1, 2])
def test_fresh_values_equal_stored_ones(path, jobs):
    with Store(path, GRID) as store:
        fresh = run(made(), grid(3), jobs=jobs, store=store)
        assert fresh == run(made(), grid(3), jobs=jobs)
        assert repr(fresh) == repr(run(None, grid(3), store=store))
    assert fresh["cell 0"]["1"] is None
    assert isinstance(fresh["cell 0"]["spread"], list)


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_stored_is_not_run_again(path, folder, jobs):
    with Store(path, GRID) as store:
        run(made(), grid(4), jobs=1, store=store)
        seen = []
        with watching(lambda *told: seen.append(told)):
            values = run(made(str(folder)), grid(10), jobs=jobs, store=store, what="things")
        assert sorted(calls(folder)) == [4, 5, 6, 7, 8, 9]
        assert seen == [("things", done, 10) for done in range(4, 11)]
        assert len(store) == 10
    assert values == run(made(), grid(10), jobs=1)


@pytest.mark.parametrize("jobs", [1, 2, None])
def test_what_cells_share_comes_first(jobs):
    def add(table, size, seed):
        return [float(table[seed]), size, seed]

    tasks = {str(seed): (seed,) for seed in range(9)}
    expected = {str(seed): [seed / 2, 9, seed] for seed in range(9)}
    assert run(add, tasks, jobs=jobs, common=(np.arange(9) / 2, 9)) == expected
    # Another thing shared by the same processes is another thing.
    other = run(add, tasks, jobs=jobs, common=(np.arange(9) / 4, 9))
    assert other["8"] == [2.0, 9, 8]


def test_what_cells_share_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(parallel.tempfile, "tempdir", str(tmp_path))
    run(max, {str(i): (i,) for i in range(4)}, jobs=2, common=(2,))
    assert not list(tmp_path.glob("referee-*"))


def test_fingerprints_tell_things_apart():
    same = parallel.fingerprint(np.arange(5), {"a": 1})
    assert parallel.fingerprint(np.arange(5), {"a": 1}) == same
    assert len({same, parallel.fingerprint(np.arange(6), {"a": 1}), parallel.fingerprint(np.arange(5), {"a": 2})}) == 3


def test_a_value_of_none_is_a_value(path):
    with Store(path, GRID) as store:
        assert run({}.get, {"x": ("y",)}, store=store) == {"x": None}
        assert run(None, {"x": ("y",)}, store=store) == {"x": None}


def test_few_cells_need_no_processes(monkeypatch):
    monkeypatch.setattr(parallel, "_processes", None)
    assert run(os.getpid, dict.fromkeys("abcdefg", ())) == dict.fromkeys("abcdefg", os.getpid())
    assert run(os.getpid, {}) == {}
    monkeypatch.setattr(parallel, "cores", lambda: 1)
    assert len(run(os.getpid, {str(i): () for i in range(20)})) == 20


@pytest.mark.parametrize("jobs", [0, -1, True, 1.5, "2"])
def test_bad_jobs(jobs):
    with pytest.raises(OptionError, match="jobs must be a whole number, 1 or more"):
        run(made(), grid(2), jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("error", [InputError("the data are odd"), ZeroDivisionError("odd")])
def test_errors_come_through(path, jobs, error):
    with Store(path, GRID) as store, pytest.raises(type(error), match=f"^{error}$"):
        run(made(fail=(5, error)), grid(8), jobs=jobs, store=store)
    with Store(path, GRID) as store:
        assert set(store.keys()) <= set(grid(8)) - {"cell 5"}


@pytest.mark.parametrize("jobs", [1, 2])
def test_numbers_that_are_not_finite(jobs):
    with pytest.raises(InputError, match="'x' has a number that is not finite"):
        run(float, {"y": ("1",), "x": ("nan",)}, jobs=jobs)
    with pytest.raises(TypeError, match="'x' must return what JSON can hold"):
        run(set, {"x": ()}, jobs=jobs)


def test_a_worker_that_is_killed_loses_nothing(path, folder):
    with Store(path, GRID) as store:
        values = run(suicidal(str(folder), 1), grid(10), jobs=2, store=store)
        assert len(store) == 10
    assert values == {key: seed * 0.1 for key, (seed, _) in grid(10).items()}
    assert len(list(folder.iterdir())) == 1


def test_workers_that_are_killed_for_ever(path, folder):
    with Store(path, GRID) as store:
        with pytest.raises(InputError, match=r"what is finished is kept in"):  # though nothing is
            run(suicidal(str(folder), 99), {"cell 3": (3, 1)}, jobs=2, store=store)
        with pytest.raises(
            InputError, match=r"killed 3 times.*give fewer than 2 as jobs=; what is finished is kept in .*sqlite"
        ):
            run(suicidal(str(folder), 99), grid(4), jobs=2, store=store)
        assert store.get("cell 3") is None
        # The last one left is not run in this process, which it would kill.
        with pytest.raises(InputError, match=r"with 1 cell left .*give store= to keep"):
            run(suicidal(str(folder), 99), {"cell 3": (3, 1)}, jobs=2)
        assert len(run(suicidal(str(folder), 0), grid(4), store=store)) == 4


SCRIPT = """
import sys, time
from referee.runtime.parallel import run
from referee.runtime.progress import watching
from referee.runtime.store import Store

def cell(seed):
    time.sleep(0.05)
    return seed * 0.1

with Store(sys.argv[1], {"seed": 0}) as store, watching(lambda what, done, total: print(done, flush=True)):
    run(cell, {f"cell {seed}": (seed,) for seed in range(100)}, jobs=int(sys.argv[2]), store=store)
"""


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_stopped_goes_on(path, jobs, kind):
    command = [sys.executable, "-c", SCRIPT, str(path), str(jobs)]
    # A session of its own, so that what it leaves behind when killed can be stopped.
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    # Who runs the tests in the background ignores Ctrl-C, and so would this process.
    heeding = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, start_new_session=True, preexec_fn=heeding, **pipes) as process:
        try:
            assert next(line for line in process.stdout if line == "10\n")
            process.send_signal(kind)
            assert process.wait(LONG) == -kind
            if kind == signal.SIGINT:  # nothing is left behind, or this would wait for it to close its end
                assert process.stderr.read().endswith("\nKeyboardInterrupt\n")
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    seen = []
    with Store(path, GRID) as store, watching(lambda what, done, total: seen.append(done)):
        kept = len(store)
        values = run(lambda seed: seed * 0.1, {f"cell {seed}": (seed,) for seed in range(100)}, jobs=1, store=store)
    assert 10 <= kept < 100
    assert seen == list(range(kept, 101))
    assert values == {f"cell {seed}": seed * 0.1 for seed in range(100)}


def test_processes_that_have_been_idle_are_not_given_work(monkeypatch):
    # They may be ending at that moment, and nobody would do it.
    monkeypatch.setattr(parallel, "IDLE", 0)
    first, second = (set(run(own_process(), {str(i): () for i in range(4)}, jobs=2).values()) for _ in range(2))
    assert not first & second
