"""The process that reads what was uploaded and compares: it can be stopped at any moment, and takes nothing with it.

Jobs come a line each on standard input, as JSON, and answers go a line each to standard output.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from referee.data.engines.duckdb_sql import MEMORY
from referee.errors import RefereeError

SHARE, LEAST = 0.5, 4 << 30
"""How much of the machine's memory the work may take; never less than so many bytes, which drawing needs."""
DATABASE = 0.5
"""How much of that the database may take, which writes to a file what is more."""
HEAVY = 0.25
"""A process that keeps so much of what it may take is not given another job: memory that was freed is not always given back."""
TOO_SMALL = (
    "this takes more of the machine's memory than the page may; are there values in the file that are very large? The command "
    "line has no such limit"
)


def main() -> None:
    """Do jobs until there are no more."""
    # What a library prints must not come between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    bound_memory()
    warm_up()
    for line in sys.stdin.buffer:
        job = json.loads(line)
        found = do(job["job"], job["arguments"])
        last = found.get("wrong") == TOO_SMALL or "fault" in found or is_heavy()
        answers.write(json.dumps({**found, "last": last}).encode() + b"\n")
        answers.flush()
        if last:
            return


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
    from referee.web import form, preview  # noqa: F401

    html.check()


def do(job: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Do one job.

    Returns:
        "done" with what came of it; or "wrong" with a message for the user; or "fault", where it is ours.
    """
    jobs: dict[str, Callable[[dict[str, Any]], Any]] = {"look": _look, "answer": _answer}
    try:
        return {"done": jobs[job](arguments)}
    except RefereeError as error:
        return {"wrong": TOO_SMALL if _lacks_memory(error) else str(error)}
    except MemoryError:
        return {"wrong": TOO_SMALL}
    except Exception as error:
        if os.environ.get("REFEREE_TRACEBACK"):
            import traceback

            traceback.print_exception(error)
        return {"fault": f"{type(error).__name__}: {error}"}


def _lacks_memory(error: Exception) -> bool:
    import duckdb

    return isinstance(error.__cause__, MemoryError | duckdb.OutOfMemoryException)


def _look(arguments: dict[str, Any]) -> Any:
    from referee.web.preview import look

    return look(Path(arguments["path"]), arguments["name"], arguments["largest"])


def _answer(arguments: dict[str, Any]) -> Any:
    from referee.web.form import answer

    return answer([Path(path) for path in arguments["paths"]], arguments["fields"])


if __name__ == "__main__":
    main()
