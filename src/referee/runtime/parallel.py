"""Cells run in this process, in processes of this machine, or on a Dask cluster; the only file that knows how.

A cell is a function of its arguments and of nothing else, so where it runs changes no number.
"""

from __future__ import annotations

import json
import logging
import pickle
import re
import tempfile
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Protocol, TypeAlias
from uuid import uuid4

from referee.errors import InputError, OptionError
from referee.runtime.progress import tell
from referee.version import __version__

Function: TypeAlias = Callable[..., Any]
Tasks: TypeAlias = Mapping[str, tuple[Any, ...]]
Finished: TypeAlias = Generator[tuple[str, Any], None, None]

FEW = 8
"""Fewer cells than this are done before the processes for them have started."""
TRIES = 3
"""How often worker processes may be killed before it is no accident."""
IDLE = 10
"""Seconds after which a process that gets no work ends, as those of a run that was killed must; loky adds 30."""
REACH, ARRIVE, POLL, FETCH = 10.0, 5.0, 1.0, 10.0
"""Seconds: to reach a scheduler, for a first worker to be there, between looks at the cluster, to fetch a value."""
ABSENT = 30.0
"""Seconds without any worker in the middle of a run before it is given up."""


class Keeper(Protocol):
    """What keeps finished cells: a `referee.runtime.store.Store`."""

    path: Path

    def keys(self) -> list[str]:
        """Return the finished cells."""

    def get(self, key: str) -> Any | None:
        """Return the value of a cell."""

    def put(self, key: str, value: Any) -> None:
        """Keep the value of a cell."""


class _Broken(Exception):
    """Those who do the work are gone for good; the message says how."""


class _Late(Exception):
    """A value that was there is not yet there again."""


def run(
    function: Function,
    tasks: Tasks,
    *,
    jobs: int | None = None,
    dask: str | None = None,
    store: Keeper | None = None,
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
        what: the name of the work for whoever watches.
        common: what all cells have as their first arguments; it may be large, as data are.

    Returns:
        The value of each cell by its key, in the order of the tasks, as it comes out of JSON.

    Raises:
        OptionError: where jobs is less than 1, or Dask is not installed.
        InputError: where the cluster cannot do the work, or workers are killed again and again.

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
    except _Broken as error:
        then = "give a store to keep what is finished"
        if store is not None:
            then = f"what is finished is kept in {store.path}: run again to go on"
        raise InputError(f"{error}; {then}") from error
    return {key: values[key] for key in tasks}


def each(
    function: Function, calls: Iterable[tuple[Any, ...]], *, jobs: int = 1, threads: bool = False
) -> Iterator[Any]:
    """Yield function(*arguments) of each call, in order, several at a time.

    Args:
        function: what to call.
        calls: the arguments of each call.
        jobs: how many at a time.
        threads: whether threads are enough: for functions that leave Python for long.

    >>> list(each(divmod, [(7, 2), (9, 5)]))
    [(3, 1), (1, 4)]
    """
    import joblib

    parallel = joblib.Parallel(jobs, return_as="generator", prefer="threads" if threads else "processes")
    results: Iterator[Any] = parallel(joblib.delayed(function)(*arguments) for arguments in calls)
    return results


def encode(key: str, value: Any) -> str:
    """Return the value of a cell as JSON, which gives back floats to the last bit.

    >>> json.loads(encode("x", (0.1, None)))
    [0.1, None]
    """
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError as error:
        raise InputError(f"the cell {key!r} has a number that is not finite; what is unknown must be None") from error
    except TypeError as error:
        raise TypeError(f"the cell {key!r} must return what JSON can hold: {error}") from error


def _check_options(jobs: int | None, dask: str | None) -> None:
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
        raise OptionError(f"jobs must be a whole number, 1 or more; it is {jobs!r}")
    if dask is not None and jobs is not None:
        raise OptionError(
            "jobs is for this machine, and dask for a cluster, which has its own workers; give one of them"
        )
    if dask is not None and not re.search(r"[^:/]:\d+$", dask.strip()):
        raise OptionError(f"dask must be the address of a scheduler, as tcp://host:8786; it is {dask!r}")


def _finished(function: Function, left: Tasks, jobs: int | None, dask: str | None, common: tuple[Any, ...]) -> Finished:
    """Yield each cell as it is finished, in any order."""
    if dask is not None:
        return _cluster(function, {key: (*common, *arguments) for key, arguments in left.items()}, dask)
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
    raise _Broken(
        f"worker processes were killed {TRIES} times, as happens when memory runs out, with {count} left ({shown}); "
        f"give fewer jobs than {jobs}"
    )


@contextmanager
def _pool(function: Function, left: Tasks, jobs: int) -> Iterator[Iterator[tuple[str, Any]]]:
    import joblib

    # Never less than 2: joblib would run the last cell in this process, which must outlive a cell that kills its own.
    jobs = max(2, min(jobs, len(left)))
    with joblib.parallel_config(backend="loky", inner_max_num_threads=1, idle_worker_timeout=IDLE):
        # Arrays are sent as they are (max_nbytes): a map of a file could not be written to.
        parallel = joblib.Parallel(jobs, return_as="generator_unordered", batch_size=1, max_nbytes=None)
    results = parallel(joblib.delayed(_keyed)(function, key, arguments) for key, arguments in list(left.items()))
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            # Who stops early knows that cells were left, and need not be told by joblib.
            warnings.simplefilter("ignore", UserWarning)
            results.close()


def _keyed(function: Function, key: str, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    return key, function(*arguments)


# Dask. joblib has a backend for it, but one that scatters large arguments to a single worker, whose death loses them,
# and that waits for ever where all workers are gone. The cluster itself runs the cells of a dead worker again: all there
# is to do is to submit and to collect.
#
# What workers are to do goes as text: a function of ours could not be read where referee is missing. The scheduler,
# which reads all that it passes on, would need it too, and a worker that cannot read a message dies of it.
QUESTION = "__import__('referee.version').version.__version__"
CALL = "__import__('referee.runtime.parallel').parallel._unpack(version, call)"


def _cluster(function: Function, left: Tasks, address: str) -> Finished:
    with _connected(address) as client:
        import distributed.protocol

        pack: Any = distributed.protocol.pickle.dumps
        waiting, running = iter(left.items()), dict[Any, str]()
        done: SimpleQueue[Any] = SimpleQueue()
        seen, count = time.monotonic(), 0
        while count < len(left):
            with _reached(address):
                threads = sum(client.nthreads().values())
            # A few ahead of the workers, so that none waits, and no more, so that others' runs have their turn.
            for key, arguments in islice(waiting, max(0, 2 * threads - len(running))):
                # Pickled here, so that Dask does not look for tasks of its own among the arguments. A name of its own
                # for every call, so that no run can meet the results of another.
                names = {"version": __version__, "call": pack((function, arguments))}
                future = client.submit(eval, CALL, names, key=f"referee-{uuid4()}", pure=False)
                running[future] = key
                future.add_done_callback(done.put)
            if threads:
                seen = time.monotonic()
            elif time.monotonic() - seen > ABSENT:
                raise _Broken(f"the Dask scheduler at {address} has had no workers for {ABSENT:.0f} s; start some")
            with suppress(Empty):
                future = done.get(timeout=POLL)
                try:
                    value = _value(client, future, running[future], address)
                except _Late:
                    done.put(future)
                else:
                    count += 1
                    yield running.pop(future), value


def _unpack(version: str, call: bytes) -> Any:
    """Run a cell on a worker, which may have come after the others were asked for their version."""
    if version != __version__:
        raise InputError(f"a Dask worker has referee {__version__}, and this is referee {version}; install the same")
    function, arguments = pickle.loads(call)
    return function(*arguments)


def _value(client: Any, future: Any, key: str, address: str) -> Any:
    """Return the value of a cell that is done, or raise what is wrong with it."""
    from distributed import KilledWorker

    if future.status != "error":
        with _reached(address):
            try:
                return future.result(timeout=FETCH)
            except TimeoutError as error:
                # Its worker died before the value was fetched; another runs it again, if there is another.
                raise _Late from error
    wrong = future.exception()
    if isinstance(wrong, KilledWorker):
        raise _Broken(f"the cell {key!r} was on worker after worker that died, as happens when memory runs out")
    if isinstance(wrong, ImportError):
        _check_workers(client, address)
    raise wrong


@contextmanager
def _reached(address: str) -> Iterator[None]:
    """Say that the cluster is gone where it does not answer."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    try:
        yield
    except (OSError, CancelledError, KilledWorker) as error:
        raise _Broken(f"the Dask cluster at {address} went away") from error


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Connect to a cluster whose workers can do the work; on leaving, withdraw what is not done."""
    try:
        import distributed
    except ImportError as error:
        raise OptionError("dask needs the package distributed; install it: pip install 'referee[dask]'") from error
    connect: Any = distributed.Client  # whose types are half said
    with _hushed("distributed.client"):
        try:
            client = connect(address, timeout=REACH, set_as_default=False)
        except (OSError, ValueError, AssertionError) as error:  # the last where its thread does not start in time
            raise InputError(
                f"there is no Dask scheduler at {address}; start one with `dask scheduler`, "
                "and give the address that it shows"
            ) from error
        try:
            _check_workers(client, address)
            yield client
        finally:
            # Closing forgets this client's futures, and the scheduler then drops their tasks.
            client.close()


@contextmanager
def _hushed(logger: str) -> Iterator[None]:
    """Keep a logger from printing tracebacks of what is told in words here."""
    log = logging.getLogger(logger)
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


def _check_workers(client: Any, address: str) -> None:
    """Raise unless there are workers, and each has this version of referee."""
    with _reached(address):
        try:
            client.wait_for_workers(1, timeout=ARRIVE)
        except TimeoutError as error:
            none = f"the Dask scheduler at {address} has no workers; start some: dask worker {address}"
            raise InputError(none) from error
        answers = client.run(eval, QUESTION, on_error="return")
    for worker, answer in answers.items():
        # A worker that died meanwhile gives an OSError: others do its work.
        if answer != __version__ and not isinstance(answer, OSError):
            given = f"has referee {answer}" if isinstance(answer, str) else f"cannot import referee ({answer})"
            raise InputError(
                f"the Dask worker {worker} {given}; it needs the version of this machine: "
                f"pip install referee=={__version__}"
            )
