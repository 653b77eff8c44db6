"""Desk: where work is handed in. One process does it, one job at a time, and is stopped when nobody waits any more."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread

LIMIT = 600.0
"""Seconds that a job may take."""
LATE = f"this took longer than {LIMIT / 60:.0f} minutes and was stopped; the command line has no such limit"
ENDED = "the work ended without an answer; if the file is large, memory may have run out"
STOPPED = "the work was stopped before there was an answer"


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
                [sys.executable, "-P", "-m", "referee.web.worker"],
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
                        with contextlib.suppress(OSError):
                            pipe.close()
            shutil.rmtree(self._scratch, ignore_errors=True)  # it had no time to tidy up

    async def do(self, gone: Callable[[], Awaitable[None]], **job: Any) -> dict[str, Any]:
        """Do one job, when it is its turn.

        Args:
            gone: returns when nobody waits for the answer any more.
            job: the arguments of `worker.do`.

        Returns:
            What `worker.do` returns; "wrong" where it took too long or ended without an answer.
        """
        late, given_up = False, threading.Event()

        async def watch() -> None:
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
            async with anyio.create_task_group() as both:
                both.start_soon(watch)
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
            except (OSError, ValueError):
                self.stop()
                return None
            if found.pop("last", False):
                self.stop()
                self.open()  # now, so that it is ready when the next job comes
            return found
