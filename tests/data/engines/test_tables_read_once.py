"""A table is read once for a comparison: its header, its end, and one scan of its rows."""

import random
from pathlib import Path

import pytest

import referee
from referee.cli.main import main
from referee.data.engines import tables, text_files

ROWS = 400_000
COUNTERS = Path("/proc/self/io")
COLUMNS = {"truth": "label", "a": "old", "b": "new"}


def write(path, rows):
    rng = random.Random(3)
    lines = (f"message-{i:09},{rng.choice('xy')},{rng.choice('xy')},{rng.choice('xy')}\n" for i in range(rows))
    path.write_text("name,label,old,new\n" + "".join(lines))
    return path


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return write(tmp_path_factory.mktemp("large") / "large.csv", ROWS)


def bytes_read():
    return int(COUNTERS.read_text().split("rchar: ")[1].split()[0])


@pytest.mark.skipif(not COUNTERS.exists(), reason="Linux counts the bytes that a process reads")
@pytest.mark.parametrize("how", ["function", "function with ids", "command line", "guessed"])
def test_the_rows_are_read_once(how, large, tmp_path, capsys):
    def run(path):
        arguments = {**COLUMNS, **({"id": "name"} if how == "function with ids" else {})}
        if how.startswith("function"):
            assert referee.compare(path, **arguments).n > 0
            return
        named = COLUMNS if how == "command line" else {"truth": "label"}
        options = [word for role, column in named.items() for word in (f"--{role}", column)]
        assert main(["compare", str(path), *options, "--no-audit"]) == 0

    run(write(tmp_path / "small.csv", 100))  # so that all modules are loaded
    before = bytes_read()
    run(large)
    read = bytes_read() - before
    size = large.stat().st_size
    # The end is read to see how long the last line is; and where columns are guessed, one buffer of DuckDB, which holds this file.
    looks = 2 if how == "guessed" else 1
    assert looks * size < read < looks * (1.1 * size + text_files.LONGEST), (read, size)


def test_the_header_is_read_once(tmp_path, monkeypatch):
    opened = []
    of = text_files.opened
    monkeypatch.setattr(text_files, "opened", lambda path: opened.append(path) or of(path))
    scans = []
    scan = tables.scan
    monkeypatch.setattr(tables, "scan", lambda *given: scans.append(given[1]) or scan(*given))
    path = write(tmp_path / "x.csv", 100)
    referee.compare(path, **COLUMNS, id="name")
    assert opened == [path]
    assert scans == [[path]]
