"""Cells run by the workers of a Dask cluster; the only file that uses Dask.

joblib has a backend for it, but one that scatters large arguments to a single worker, whose death loses them, and that
waits for ever where all workers are gone. The cluster itself runs the cells of a dead worker again: all there is to do is to
submit and to collect.
"""

from __future__ import annotations

import logging
import pickle
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any
from uuid import uuid4

from referee.errors import Argument, InputError, not_installed
from referee.runtime.parallel import Finished, Function, Tasks, WorkersLost
from referee.version import __version__

REACH, ARRIVE, POLL, FETCH = 10.0, 5.0, 1.0, 10.0
"""Seconds: to reach a scheduler, for a first worker to be there, between looks at the cluster, to fetch a value."""
ABSENT = 30.0
"""Seconds without any worker in the middle of a run before it is given up."""

# What workers are to do goes as text: a function of ours could not be read where referee is missing. The scheduler,
# which reads all that it passes on, would need it too, and a worker that cannot read a message dies of it.
QUESTION = "__import__('referee.version').version.__version__"
CALL = "__import__('referee.runtime.dask').runtime.dask.run_call(version, call)"


class _Late(Exception):
    """A value that was there is not yet there again."""


def run_on_cluster(function: Function, left: Tasks, address: str) -> Finished:
    """Yield each cell as it is finished, in any order.

    Raises:
        InputError: if there is no such scheduler, or its workers cannot do the work.
    """
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
                raise WorkersLost(f"the Dask scheduler at {address} has had no workers for {ABSENT:.0f} s; start some")
            with suppress(Empty):
                future = done.get(timeout=POLL)
                try:
                    value = _value(client, future, running[future], address)
                except _Late:
                    done.put(future)
                else:
                    count += 1
                    yield running.pop(future), value


def run_call(version: str, call: bytes) -> Any:
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
        raise WorkersLost(f"the cell {key!r} was on worker after worker that died, as happens when memory runs out")
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
        raise WorkersLost(f"the Dask cluster at {address} went away") from error


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Connect to a cluster whose workers can do the work; on leaving, withdraw what is not done."""
    try:
        import distributed
    except ImportError as error:
        needs = Argument("dask", bare=True), " needs the package distributed"
        raise not_installed(*needs, install="'referee[dask]'", value=address) from error
    connect: Any = distributed.Client  # whose types are half said
    with _hushed("distributed.client"):
        try:
            client = connect(address, timeout=REACH, set_as_default=False)
        except (OSError, ValueError, AssertionError) as error:  # the last where its thread does not start in time
            remedy = "start one with `dask scheduler`, and give the address that it shows"
            raise InputError(f"there is no Dask scheduler at {address}", remedy=remedy) from error
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
            remedy = f"it needs the version of this machine: pip install referee=={__version__}"
            raise InputError(f"the Dask worker {worker} {given}", remedy=remedy)
