"""The process that reads what was uploaded and compares: it can be stopped at any moment, and takes nothing with it.

Jobs come a line each on standard input, as JSON, and answers go a line each to standard output. A message in them is a list of
its parts: texts, and objects for the arguments that it names.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from referee.data.engines.duckdb_sql import MEMORY
from referee.errors import RefereeError
from referee.web.wording import to_parts

JOBS = {"look": "referee.web.preview", "answer": "referee.web.form"}
"""Where the function of each job is; they take their time to import."""
SHARE, LEAST = 0.5, 4 << 30
"""How much of the machine's memory the work may take; never less than so many bytes, which drawing needs."""
DATABASE = 0.5
"""How much of that the database may take, which writes to a file what is more."""
HEAVY = 0.25
"""A process that keeps so much of what it may take is not given another job: memory that was freed is not always given back."""
TOO_SMALL = (
    "this takes more memory than the page may use; does the file hold very large values? The command line has no such "
    "limit"
)


def main() -> None:
    """Do jobs until there are no more."""
    # What a library prints must not come between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    bound_memory()
    warm_up()
    for line in sys.stdin.buffer:
        found = do(**json.loads(line))
        last = found.get("wrong") == [TOO_SMALL] or "fault" in found or is_heavy()
        answers.write(json.dumps({**found, "last": last}, default=str).encode() + b"\n")
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
        names = [Path(side, name) for side, name in zip("AB", names, strict=True)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, names[0].name.split(".")[0] or "file")
        for (path, _), name in zip(files, names, strict=True):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            os.link(path, folder / name)
        with chdir(folder):
            yield names


if __name__ == "__main__":
    main()
