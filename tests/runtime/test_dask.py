"""Dask, for real: a scheduler and its workers are processes of this machine, stopped by their ids."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest

from referee.errors import InputError, OptionError
from referee.runtime import dask
from referee.runtime.parallel import run
from referee.runtime.progress import watching
from referee.runtime.store import Store
from referee.version import __version__
from tests.runtime.cells import GRID, LONG, calls, grid, made, suicidal, wait_until


def test_bad_dask(monkeypatch):
    with pytest.raises(OptionError, match="give one of them"):
        run(made(), grid(2), jobs=2, dask="tcp://127.0.0.1:1")
    for address in (" ", "nonsense", "tcp://host"):
        with pytest.raises(OptionError, match="tcp://host:8786"):
            run(made(), grid(2), dask=address)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(OptionError, match=r"pip install 'referee\[dask\]'"):
        run(made(), grid(2), dask="tcp://127.0.0.1:1")


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
    monkeypatch.setattr(dask, "ARRIVE", 30.0)
    monkeypatch.setattr(dask, "FETCH", 2.0)
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
    monkeypatch.setattr(dask, "ABSENT", 0.5)
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
        monkeypatch.setattr(dask, "ABSENT", 30)
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
    check, asked = dask._check_workers, []
    monkeypatch.setattr(dask, "_check_workers", lambda *a: check(*a) if asked else asked.append(1))
    with pytest.raises(InputError, match="cannot import referee"):
        run(made(), grid(2), dask=cluster.address)


def test_dask_without_workers(cluster, monkeypatch):
    monkeypatch.setattr(dask, "ARRIVE", 0.2)
    with pytest.raises(InputError, match="has no workers; start some: dask worker tcp"):
        run(made(), grid(2), dask=cluster.address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "foo://127.0.0.1:1"])
def test_dask_without_a_scheduler(address, monkeypatch):
    monkeypatch.setattr(dask, "REACH", 0.5)
    with pytest.raises(InputError, match=f"there is no Dask scheduler at {address}; start one"):
        run(made(), grid(2), dask=address)


def test_algorithms_on_a_cluster(cluster):
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    from referee.studies.algorithms.algorithms import compare_algorithms

    cluster.worker()
    draws = np.random.default_rng(0)
    kind = np.repeat([0, 1], 40)
    features = draws.normal(kind[:, None], 1.0, (80, 3))
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_features=1)}
    far = compare_algorithms(models, features, kind, dask=cluster.address)
    here = compare_algorithms(models, features, kind, jobs=1)
    assert [pair.to_dict() for pair in far.pairs] == [pair.to_dict() for pair in here.pairs]
    assert [one.scores for one in far.algorithms] == [one.scores for one in here.algorithms]
