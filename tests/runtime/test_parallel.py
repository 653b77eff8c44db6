"""Cells come out the same wherever they run, and none that is finished is lost, whoever is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from functools import partial

import numpy as np
import pytest

from referee.errors import InputError, OptionError
from referee.runtime import parallel
from referee.runtime.parallel import run
from referee.runtime.progress import watching
from referee.runtime.store import Store
from referee.version import __version__

GRID = {"seed": 0}
LONG = 60
"""Seconds after which whatever is waited for is taken to be lost."""


def made(folder=None, wait=0.0, fail=None):
    """Make a cell function; one made inside another travels to workers by value, as no module of tests does."""

    def cell(seed, size):
        import pathlib
        import time

        import numpy as np

        if folder is not None:
            (pathlib.Path(folder) / f"{seed}-{time.time_ns()}").touch()
        time.sleep(wait)
        if fail is not None and seed == fail[0]:
            raise fail[1]
        draws = np.random.default_rng(seed).normal(size=size)
        return {"mean": float(draws.mean()), "spread": (float(draws.std()), size), 1: None}

    return cell


def grid(number, size=1000):
    return {f"cell {seed}": (seed, size) for seed in range(number)}


def calls(folder):
    return [int(path.name.split("-")[0]) for path in folder.iterdir()]


def wait_until(true):
    end = time.monotonic() + LONG
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "calls").mkdir()
    return tmp_path / "calls"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cells.sqlite"


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


def test_bad_dask(monkeypatch):
    with pytest.raises(OptionError, match="give one of them"):
        run(made(), grid(2), jobs=2, dask="tcp://127.0.0.1:1")
    for address in (" ", "nonsense", "tcp://host"):
        with pytest.raises(OptionError, match="tcp://host:8786"):
            run(made(), grid(2), dask=address)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(OptionError, match=r"pip install 'referee\[dask\]'"):
        run(made(), grid(2), dask="tcp://127.0.0.1:1")


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


def suicidal(marker, times):
    def cell(seed, size):
        import os
        import pathlib

        marks = len(list(pathlib.Path(marker).iterdir()))
        if seed == 3 and marks < times:
            (pathlib.Path(marker) / str(marks)).touch()
            os.kill(os.getpid(), 9)
        return seed * 0.1

    return cell


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
            InputError, match=r"killed 3 times.*fewer jobs than 2; what is finished is kept in .*sqlite"
        ):
            run(suicidal(str(folder), 99), grid(4), jobs=2, store=store)
        assert store.get("cell 3") is None
        # The last one left is not run in this process, which it would kill.
        with pytest.raises(InputError, match=r"with 1 cell left .*give a store"):
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


# Dask, for real: a scheduler and its workers are processes of this machine, stopped by their ids.

HIDDEN = """
import sys
class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "referee":
            raise ModuleNotFoundError("No module named 'referee'", name="referee")
sys.meta_path.insert(0, Hide())
"""
OLD = """
import referee.version
referee.version.__version__ = "0.0.9"
"""
SCHEDULER = "import sys; from distributed.cli.dask_scheduler import main; main(sys.argv[1:])"
WORKER = "import sys; from distributed.cli.dask_worker import main; main(sys.argv[1:])"


class Cluster:
    def __init__(self, folder, stack):
        self.folder, self.stack = folder, stack
        file = folder / "scheduler.json"
        arguments = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
        # The scheduler needs no referee; its workers do.
        self.scheduler = self.start("-c", HIDDEN + SCHEDULER, *arguments)
        wait_until(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]

    def start(self, *arguments):
        environment = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen([sys.executable, *arguments], env=environment, **quiet)
        self.stack.callback(process.wait, LONG)
        self.stack.callback(process.kill)
        return process

    def worker(self, first=""):
        arguments = ["--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "20"]
        return self.start("-c", first + WORKER, self.address, *arguments, "--local-directory", str(self.folder))


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    monkeypatch.setattr(parallel, "ARRIVE", 30.0)
    monkeypatch.setattr(parallel, "FETCH", 2.0)
    with ExitStack() as stack:
        yield Cluster(tmp_path, stack)


@contextmanager
def meanwhile(function):
    thread = threading.Thread(target=function)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def test_dask_with_a_worker_killed(cluster, path, folder):
    workers = [cluster.worker(), cluster.worker()]
    tasks = grid(40)
    expected = run(made(), tasks, jobs=1)
    assert repr(run(made(), grid(5), dask=cluster.address)) == repr(dict(list(expected.items())[:5]))
    assert run(max, {"x": (1,), "y": (5,)}, dask=cluster.address, common=(3,)) == {"x": 3, "y": 5}

    def kill():
        wait_until(lambda: len(calls(folder)) >= 10)
        workers[0].kill()

    seen = []
    with Store(path, GRID) as store, watching(lambda *told: seen.append(told)), meanwhile(kill):
        values = run(made(str(folder), wait=0.05), tasks, dask=cluster.address, store=store)
        assert len(store) == 40
    assert workers[0].wait(LONG) == -signal.SIGKILL
    assert repr(values) == repr(expected)
    assert seen == [("cells", done, 40) for done in range(41)]
    # Errors come through, and what is finished before them is kept.
    with pytest.raises(InputError, match=r"^the data are odd$"):
        run(made(fail=(2, InputError("the data are odd"))), grid(3), dask=cluster.address)
    with pytest.raises(ZeroDivisionError):
        run(divmod, {"x": (1, 0)}, dask=cluster.address)


def test_dask_with_all_workers_killed(cluster, path, folder, monkeypatch):
    monkeypatch.setattr(parallel, "ABSENT", 0.5)
    workers = [cluster.worker()]

    def kill():
        wait_until(lambda: len(calls(folder)) >= 5)
        workers[0].kill()

    with Store(path, GRID) as store:
        with meanwhile(kill), pytest.raises(InputError, match=r"has had no workers .* what is finished is kept in"):
            run(made(str(folder), wait=0.05), grid(40), dask=cluster.address, store=store)
        kept = len(store)
        assert 0 < kept < 40
        cluster.worker()
        assert run(made(), grid(40), dask=cluster.address, store=store) == run(made(), grid(40), jobs=1)
        # A cell that kills its worker is not given to worker after worker for ever.
        (folder / "marks").mkdir()
        cluster.worker()
        monkeypatch.setattr(parallel, "ABSENT", 30)
        with pytest.raises(InputError, match="'poison' was on worker after worker that died"):
            run(suicidal(str(folder / "marks"), 99), {"poison": (3, 1)}, dask=cluster.address)


def test_dask_with_the_scheduler_killed(cluster, path, folder):
    cluster.worker()

    def kill():
        wait_until(lambda: len(calls(folder)) >= 5)
        cluster.scheduler.kill()

    with Store(path, GRID) as store:
        with meanwhile(kill), pytest.raises(InputError, match=r"went away; what is finished is kept in"):
            run(made(str(folder), wait=0.05), grid(40), dask=cluster.address, store=store)
        assert 0 < len(store) < 40


@pytest.mark.parametrize(
    ("first", "words"),
    [(HIDDEN, r"cannot import referee \(No module named 'referee'\)"), (OLD, r"has referee 0\.0\.9")],
)
def test_dask_workers_without_the_package(cluster, path, first, words):
    cluster.worker(first)
    with Store(path, GRID) as store:
        run(made(), grid(2), store=store)
        told = rf"the Dask worker tcp://127\.0\.0\.1:\d+ {words}; .*pip install referee=={__version__}"
        with pytest.raises(InputError, match=told):
            run(made(), grid(4), dask=cluster.address, store=store)
        assert len(store) == 2


def test_dask_worker_that_comes_late_without_the_package(cluster, monkeypatch):
    cluster.worker(HIDDEN)
    check, asked = parallel._check_workers, []
    monkeypatch.setattr(parallel, "_check_workers", lambda *a: check(*a) if asked else asked.append(1))
    with pytest.raises(InputError, match="cannot import referee"):
        run(made(), grid(2), dask=cluster.address)


def test_dask_without_workers(cluster, monkeypatch):
    monkeypatch.setattr(parallel, "ARRIVE", 0.2)
    with pytest.raises(InputError, match="has no workers; start some: dask worker tcp"):
        run(made(), grid(2), dask=cluster.address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "foo://127.0.0.1:1"])
def test_dask_without_a_scheduler(address, monkeypatch):
    monkeypatch.setattr(parallel, "REACH", 0.5)
    with pytest.raises(InputError, match=f"there is no Dask scheduler at {address}; start one"):
        run(made(), grid(2), dask=address)


def test_algorithms_on_a_cluster(cluster):
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    from referee.studies.algorithms.compare import compare_algorithms

    cluster.worker()
    draws = np.random.default_rng(0)
    kind = np.repeat([0, 1], 40)
    features = draws.normal(kind[:, None], 1.0, (80, 3))
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_features=1)}
    far = compare_algorithms(models, features, kind, dask=cluster.address)
    here = compare_algorithms(models, features, kind, jobs=1)
    assert [pair.to_dict() for pair in far.pairs] == [pair.to_dict() for pair in here.pairs]
    assert [one.scores for one in far.algorithms] == [one.scores for one in here.algorithms]
