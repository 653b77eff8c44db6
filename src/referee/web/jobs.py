"""Jobs: a separate process runs them one at a time; it can be stopped at any moment without harming the server.

Jobs come a line each on its standard input, as JSON, and answers go a line each to its standard output, after lines that say how
far the work is. A message in them is a list of its parts: texts, and objects for the arguments that it names.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import chdir, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread

from referee.data.engines.duckdb_sql import MEMORY
from referee.errors import RefereeError
from referee.runtime.progress import Watcher, watching

LIMIT = 600.0
"""Seconds that a job may take."""
LATE = f"this took longer than {LIMIT / 60:.0f} minutes and was stopped; the command line has no such limit"
ENDED = "the work ended without an answer; if the file is large, memory may have run out"
STOPPED = "the work was stopped before there was an answer"
JOBS = {"look": "referee.web.preview", "answer": "referee.web.answers"}
"""Where the function of each job is; they take their time to import."""
SHARE, LEAST = 0.5, 4 << 30
"""How much of the machine's memory the work may take; never less than so many bytes, which drawing needs."""
DATABASE = 0.5
"""How much of that the database may take, which writes to a file what is more."""
OFTEN = 0.25
"""Seconds between two lines that say how far the work is."""
HEAVY = 0.25
"""A process that keeps so much of what it may take is not given another job: memory that was freed is not always given back."""
TOO_SMALL = (
    "this takes more memory than the page may use; does the file hold very large values? The command line has no such "
    "limit"
)


class Desk:
    """A process of its own for the work: a thread could not be stopped, and a crash would take the page with it.

    Args:
        folder: where the work may leave what does not fit into memory; it is removed with the process.
        limit: seconds that a job may take.
    """

    def __init__(self, folder: Path, limit: float = LIMIT) -> None:
        self._scratch = folder / "scratch"
        self._limit = limit
        self._process: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()
        self._reading = threading.RLock()
        self._closed = False
        self._turn = anyio.Lock()
        self._watch, self._progress = "", dict[str, Any]()

    def progress(self, watch: str) -> dict[str, Any]:
        """Say how far the job is that somebody watches under a name: nothing where it does not say, or "waiting" for its turn."""
        return self._progress if watch and watch == self._watch else {"waiting": True}

    def open(self, given_up: threading.Event | None = None) -> subprocess.Popen[bytes] | None:
        """Start the process, so that it is ready when the first file comes.

        Args:
            given_up: set when nobody waits any more for the job for which it is started.

        Returns:
            The process; None where there is to be none: the desk is closed, or nobody waits for the job any more.
        """
        with self._starting:
            if self._closed or (given_up is not None and given_up.is_set()):
                return None
            if self._process is not None:
                return self._process
            self._scratch.mkdir(mode=0o700, exist_ok=True)
            self._process = subprocess.Popen(
                # -P: the folder in which the user happens to be is no place to import from.
                [sys.executable, "-P", "-m", "referee.web.jobs"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "TMPDIR": str(self._scratch)},
                start_new_session=True,  # Ctrl-C is for the server, which then stops this
            )
            return self._process

    def close(self) -> None:
        """Stop the process for good."""
        self._closed = True
        self.stop()

    def stop(self, given_up: threading.Event | None = None) -> None:
        """Stop the process, whatever it does; the next job gets a new one.

        Args:
            given_up: of the job that nobody waits for any more; set under the same lock, so that the job is either not begun,
                or seen and stopped.
        """
        with self._starting:
            if given_up is not None:
                given_up.set()
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            with self._reading:  # whoever waits for an answer sees the end of it now, and lets go
                for pipe in (process.stdin, process.stdout):
                    if pipe is not None:
                        with suppress(OSError):
                            pipe.close()
            shutil.rmtree(self._scratch, ignore_errors=True)  # it had no time to tidy up

    async def do(self, gone: Callable[[], Awaitable[None]], watch: str = "", **job: Any) -> dict[str, Any]:
        """Do one job, when it is its turn.

        Args:
            gone: returns when nobody waits for the answer any more.
            watch: the name under which somebody watches how far it is.
            job: the arguments of `do`.

        Returns:
            What `do` returns; "wrong" where it took too long or ended without an answer.
        """
        late, given_up = False, threading.Event()

        async def until_gone() -> None:
            nonlocal late
            with anyio.move_on_after(self._limit) as waited:
                await gone()
            late = waited.cancelled_caught
            await to_thread.run_sync(self.stop, given_up)

        line = json.dumps(job).encode()
        async with self._turn:
            with anyio.move_on_after(0) as waited:
                await gone()  # while others had their turn
            if not waited.cancelled_caught:
                return {"wrong": [STOPPED]}
            self._watch, self._progress = watch, {}
            async with anyio.create_task_group() as both:
                both.start_soon(until_gone)
                found = await to_thread.run_sync(self._exchange, line, given_up)
                both.cancel_scope.cancel()
        if found is not None:
            return found
        return {"wrong": [LATE if late else STOPPED if self._closed or given_up.is_set() else ENDED]}

    def _exchange(self, line: bytes, given_up: threading.Event) -> dict[str, Any] | None:
        """Hand a job in and wait for the answer; None where there is none."""
        with self._reading:
            before = self._process
            if before is not None and before.poll() is not None:
                self.stop()  # it ended by itself
            process = self.open(given_up)
            if process is None or process.stdin is None or process.stdout is None:
                return None
            try:
                process.stdin.write(line + b"\n")
                process.stdin.flush()
                found: dict[str, Any] = json.loads(process.stdout.readline())
                while "progress" in found:
                    self._progress = found["progress"]
                    found = json.loads(process.stdout.readline())
            except (OSError, ValueError):
                self.stop()
                return None
            if found.pop("last", False):
                self.stop()
                self.open()  # now, so that it is ready when the next job comes
            return found


def main() -> None:
    """Do jobs until there are no more."""
    # What a library prints must not come between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    bound_memory()
    warm_up()

    def say(found: dict[str, Any]) -> None:
        answers.write(json.dumps(found, default=str).encode() + b"\n")
        answers.flush()

    for line in sys.stdin.buffer:
        with watching(watcher(lambda told: say({"progress": told}))):
            found = do(**json.loads(line))
        last = found.get("wrong") == [TOO_SMALL] or "fault" in found or is_heavy()
        say({**found, "last": last})
        if last:
            return


def watcher(say: Callable[[dict[str, Any]], None]) -> Watcher:
    """Return what tells, now and then, how far the outermost work is that has several steps; what is inside it begins anew often.

    >>> step = watcher(print)
    >>> step("auditing", 0, 1), step("testing", 0, 8), step("drawing", 1, 4)
    {'what': 'testing', 'done': 0, 'total': 8}
    (None, None, None)
    """
    tasks: dict[str, tuple[int, int]] = {}
    told = -OFTEN

    def step(what: str, done: int, total: int) -> None:
        nonlocal told
        tasks[what] = done, total
        outermost = next((name for name, (_, steps) in tasks.items() if steps > 1), None)
        if outermost == what and time.monotonic() - told >= OFTEN:
            told = time.monotonic()
            say({"what": what, "done": done, "total": total})

    return step


def bound_memory() -> None:
    """Let the work fail, where it would otherwise push all else out of the machine's memory; on Linux, which counts it."""
    if sys.platform != "linux":
        return
    import resource

    most = max(LEAST, int(SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")))
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    os.environ[MEMORY] = f"{int(DATABASE * most) // 10**6}MB"


def is_heavy() -> bool:
    """Say whether this process keeps much of the memory that it may take."""
    if sys.platform != "linux":
        return False
    import resource

    most, _ = resource.getrlimit(resource.RLIMIT_DATA)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    return most != resource.RLIM_INFINITY and pages * os.sysconf("SC_PAGE_SIZE") > HEAVY * most


def warm_up() -> None:
    """Import what jobs need, while the user looks for the files."""
    import duckdb  # noqa: F401

    from referee.report.render import html
    from referee.web import answers, preview  # noqa: F401

    html.check()


def do(job: str, files: Sequence[tuple[str, str]], **arguments: Any) -> dict[str, Any]:
    """Do one job: look at a file, or answer a question about one or two.

    Args:
        job: the name of the job.
        files: where each file is, and what the user calls it.
        arguments: what else the job needs.

    Returns:
        "done" with what came of it; or "wrong" with the parts of a message for the user; or "fault", where it is ours.
    """
    try:
        work = getattr(import_module(JOBS[job]), job)
        with named(files) as paths:
            return {"done": work(*paths, **arguments)}
    except RefereeError as error:
        from duckdb import OutOfMemoryException

        from referee.web.form import to_parts

        lacks_memory = isinstance(error.__cause__, MemoryError | OutOfMemoryException)
        return {"wrong": [TOO_SMALL] if lacks_memory else to_parts(error.message)}
    except MemoryError:
        return {"wrong": [TOO_SMALL]}
    except Exception as error:
        if os.environ.get("REFEREE_TRACEBACK"):
            import traceback

            traceback.print_exception(error)
        return {"fault": f"{type(error).__name__}: {error}"}


@contextmanager
def named(files: Sequence[tuple[str, str]]) -> Iterator[list[Path]]:
    """Work in a folder in which the files have the names that the user knows, so that messages and reports name them so.

    The folder is called as the first file is: some readers name a system after it.
    """
    names = [Path(name) for _, name in files]
    if len(set(names)) < len(names):
        names = [Path(chr(ord("A") + place), name) for place, name in enumerate(names)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, names[0].name.split(".")[0] or "file")
        for (path, _), name in zip(files, names, strict=True):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            os.link(path, folder / name)
        with chdir(folder):
            yield names


if __name__ == "__main__":
    main()
