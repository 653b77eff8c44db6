"""Cells run in this process, in processes of this machine, or on a cluster (`referee.runtime.dask`).

A cell is a function of its arguments and of nothing else, so where it runs changes no number.
"""

from __future__ import annotations

import json
import pickle
import re
import tempfile
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from referee.errors import Argument, InputError, Message, OptionError, refusal
from referee.runtime.progress import tell
from referee.runtime.store import Store, encode

Function: TypeAlias = Callable[..., Any]
Tasks: TypeAlias = Mapping[str, tuple[Any, ...]]
Finished: TypeAlias = Generator[tuple[str, Any], None, None]

FEW = 8
"""Fewer cells than this are done before the processes for them have started."""
TRIES = 3
"""How often worker processes may be killed before it is no accident."""
IDLE = 10
"""Seconds after which a process that gets no work ends, as those of a run that was killed must; loky adds 30."""


class WorkersLost(Exception):
    """The workers are gone for good; the arguments are the parts of a message that says how."""


def run(
    function: Function,
    tasks: Tasks,
    *,
    jobs: int | None = None,
    dask: str | None = None,
    store: Store | None = None,
    what: str = "cells",
    common: tuple[Any, ...] = (),
) -> dict[str, Any]:
    """Run a function on the arguments of every cell.

    Args:
        function: a pure function, which returns what JSON can hold.
        tasks: the arguments of each cell by its key.
        jobs: how many processes; 1 is this one. Left out: the cores of this machine, if the cells are many.
        dask: the address of a Dask scheduler, whose workers then do the work.
        store: what keeps finished cells: those in it are not run, and each is put there as soon as it is finished.
        what: the name of the work, for a progress bar.
        common: what all cells have as their first arguments; it may be large, as data are.

    Returns:
        The value of each cell by its key, in the order of the tasks, as it comes out of JSON.

    Raises:
        OptionError: if jobs is less than 1, or Dask is not installed.
        InputError: if the cluster cannot do the work, or workers are killed again and again.

    >>> run(divmod, {"x": (7, 2), "y": (9, 5)}, jobs=1)
    {'x': [3, 1], 'y': [1, 4]}
    """
    _check_options(jobs, dask)
    kept = set(store.keys()) if store is not None else set()
    values = {key: store.get(key) for key in tasks if key in kept} if store is not None else {}
    left = {key: arguments for key, arguments in tasks.items() if key not in values}
    tell(what, len(values), len(tasks))
    if not left:
        return values
    try:
        with closing(_finished(function, left, jobs, dask, common)) as finished:
            for key, value in finished:
                # What a run that goes on reads from the store is what this one returns, tuples and keys included.
                values[key] = json.loads(encode(key, value))
                if store is not None:
                    store.put(key, value)
                tell(what, len(values), len(tasks))
    except WorkersLost as error:
        again = f"what is finished is kept in {store.path}: run again to resume" if store is not None else ""
        remedy = again or Message("give ", Argument("store"), " to keep what is finished")
        raise InputError(*error.args, remedy=remedy) from error
    return {key: values[key] for key in tasks}


def _check_options(jobs: int | None, dask: str | None) -> None:
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
        raise refusal("jobs", "must be a whole number, 1 or more", jobs)
    if dask is not None and jobs is not None:
        here = Argument("jobs", bare=True), " is for this machine"
        there = ", and ", Argument("dask", bare=True), " for a cluster, which has its own workers"
        raise OptionError(*here, *there, remedy="give one of them")
    if dask is not None and not re.search(r"[^:/]:\d+$", dask.strip()):
        raise refusal("dask", "must be the address of a scheduler, such as tcp://host:8786", dask)


def _finished(function: Function, left: Tasks, jobs: int | None, dask: str | None, common: tuple[Any, ...]) -> Finished:
    """Yield each cell as it is finished, in any order."""
    if dask is not None:
        from referee.runtime.dask import run_on_cluster

        return run_on_cluster(function, {key: (*common, *arguments) for key, arguments in left.items()}, dask)
    if jobs is None:
        jobs = 1 if len(left) < FEW else cores()
    if jobs == 1:
        return ((key, function(*common, *arguments)) for key, arguments in left.items())
    return _sharing(function, left, jobs, common) if common else _processes(function, left, jobs)


def cores() -> int:
    """Return how many processes this machine can run side by side."""
    import joblib

    return int(joblib.cpu_count())


def fingerprint(*things: Any) -> str:
    """Return a short text that tells things apart, arrays and models among them.

    >>> fingerprint([1, 2]) == fingerprint([1, 2]), fingerprint([1, 2]) == fingerprint([2, 1])
    (True, False)
    """
    import joblib

    return str(joblib.hash(things))[:16]


_read: dict[str, tuple[Any, ...]] = {}
"""What this process has read of what cells share; one thing at a time, since it may be large."""


def _sharing(function: Function, left: Tasks, jobs: int, common: tuple[Any, ...]) -> Finished:
    """Write what all cells share to a file, which each process reads once: it would be sent with every cell."""
    from joblib.externals.loky.cloudpickle_wrapper import dumps

    with tempfile.TemporaryDirectory(prefix="referee-") as folder:
        path = Path(folder) / "common"
        path.write_bytes(dumps(common))
        yield from _processes(partial(_shared, function, str(path)), left, jobs)


def _shared(function: Function, path: str, *arguments: Any) -> Any:
    if path not in _read:
        _read.clear()
        _read[path] = pickle.loads(Path(path).read_bytes())
    return function(*_read[path], *arguments)


def _processes(function: Function, left: Tasks, jobs: int) -> Finished:
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    left = dict(left)
    for _ in range(TRIES):
        try:
            with _pool(function, left, jobs) as results:
                for key, value in results:
                    del left[key]
                    yield key, value
            return
        except TerminatedWorkerError:
            continue
    count = "1 cell" if len(left) == 1 else f"{len(left)} cells"
    shown = ", ".join(list(left)[:3]) + (", ..." if len(left) > 3 else "")
    what = f"worker processes were killed {TRIES} times, as happens when memory runs out, with {count} left ({shown}); "
    raise WorkersLost(f"{what}give fewer than {jobs} as ", Argument("jobs"))


_last: list[float] = []
"""When processes last had work from here."""


def _start_anew() -> None:
    """End processes that are about to end by themselves: work given to them at that very moment would never be done."""
    from joblib.externals.loky import get_reusable_executor

    if _last and time.monotonic() - _last.pop() > IDLE:
        get_reusable_executor(reuse=True).shutdown(wait=True)


@contextmanager
def _pool(function: Function, left: Tasks, jobs: int) -> Iterator[Iterator[tuple[str, Any]]]:
    import joblib

    # Never less than 2: joblib would run the last cell in this process, which must outlive a cell that kills its own.
    jobs = max(2, min(jobs, len(left)))
    _start_anew()
    with joblib.parallel_config(backend="loky", inner_max_num_threads=1, idle_worker_timeout=IDLE):
        # Arrays are sent as they are (max_nbytes): a map of a file could not be written to.
        parallel = joblib.Parallel(jobs, return_as="generator_unordered", batch_size=1, max_nbytes=None)
    results = parallel(joblib.delayed(_keyed)(function, key, arguments) for key, arguments in list(left.items()))
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            # Whoever stops early knows that cells were left, and need not be told by joblib.
            warnings.simplefilter("ignore", UserWarning)
            results.close()
        _last[:] = [time.monotonic()]


def _keyed(function: Function, key: str, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    return key, function(*arguments)
