"""The command `referee`, without the time that a new process takes to import: each call is forked off one that has.

A folder on the PATH has a `referee` in it that hands its words, its folder, its environment and its streams to a process
that has imported everything, and ends with the code of the child that this one forks. Shells, pipes and redirections are
those of the caller. What is about a process that starts, or about streams that are closed, is to be tested with a real one.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

CLIENT = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [b"?"], [0, 1, 2])
    server.sendall(json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode() + b"\\n")
    for number in (0, 1, 2):
        os.close(number)
    said = server.recv(8)
os._exit(int(said) if said else 255)
"""
ALSO = ("altair", "vl_convert", "jinja2", "scipy.stats", "scipy.sparse", "sklearn.pipeline", "pyarrow.parquet")


@contextlib.contextmanager
def command(folder: Path):
    """Give a folder for the PATH, in which `referee` is quick."""
    address = str(folder / "socket")
    path = folder / "referee"
    path.write_text(CLIENT.format(python=sys.executable, address=address), encoding="utf-8")
    path.chmod(0o755)
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve()), address], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout.readline() == b"ready\n"
            yield folder
        finally:
            process.send_signal(signal.SIGTERM)


def load():
    """Import what the command may need."""
    import referee

    for module in pkgutil.walk_packages(referee.__path__, "referee."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(module.name)
    for name in ALSO:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def serve(address: str) -> None:
    """Fork a child for each caller; return in a child that has become the command."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen()
        os.write(1, b"ready\n")
        while True:
            caller, _ = door.accept()
            if os.fork() == 0:
                break
            caller.close()
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
    _, streams, _, _ = socket.recv_fds(caller, 1, 3)
    said = b""
    while not said.endswith(b"\n"):
        said += caller.recv(1 << 16)
    child = os.fork()
    if child:
        for number in (0, 1, 2, *streams):
            os.close(number)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with contextlib.suppress(BrokenPipeError):
            caller.sendall(str(code if code >= 0 else 128 - code).encode())
        os._exit(0)
    caller.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.argv, folder, environment = json.loads(said)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__ = (
        open(0, encoding="utf-8"),  # noqa: SIM115
        open(1, "w", encoding="utf-8"),  # noqa: SIM115
        open(2, "w", encoding="utf-8", errors="backslashreplace"),  # noqa: SIM115
    )


if __name__ == "__main__":
    load()
    from referee.cli import main

    gc.freeze()
    serve(sys.argv[1])
    code = main()
    # To take all that was imported apart again takes longer than the command.
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
