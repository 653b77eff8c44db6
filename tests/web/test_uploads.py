"""Files that came over the page: where they are, under which names, and for how long."""

import os
import stat
import time
from functools import partial
from pathlib import Path

import pytest

from referee.errors import InputError
from referee.web.jobs import named
from referee.web.uploads import COMING, LEAST, LONGEST, MOST, TooLarge, Uploads, shown_name
from tests.web.conftest import awaited


@pytest.fixture
def uploads():
    found = Uploads(1000)
    yield found
    found.close()


async def pieces(*given):
    for piece in given:
        yield piece


def receive(uploads, name, *given):
    async def do():
        return await uploads.receive(name, pieces(*given))

    return awaited(do)


def test_the_folder_is_for_this_user_alone(uploads):
    assert stat.S_IMODE(uploads.folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/etc/passwd", "..\\..\\windows\\win.ini", "a\x00b.csv", "%2e%2e/%2e%2e/x.csv", "", ".", "..", "x" * 5000,
     "CON", "a/b/c.csv", "-rf.csv", "`id`.csv", "$(id).csv", "\u202egnp.csv", "\udcff.csv", "a\nb.csv", "<script>alert(1)</script>.csv"],
)  # fmt: skip
def test_names_are_never_paths(uploads, name):
    upload = receive(uploads, name, b"a,b\n")
    assert upload.path.parent == uploads.folder
    assert upload.path.name == upload.id
    assert set(upload.id) <= set("0123456789abcdef")
    assert [path.name for path in uploads.folder.iterdir()] == [upload.path.name]
    assert 0 < len(upload.name) <= LONGEST
    assert not set(upload.name) & set("/\\\x00\n\u202e\udcff")


def test_names_are_shown_with_their_endings():
    shown = shown_name("x" * 5000 + ".csv")
    assert len(shown) == LONGEST
    assert shown.endswith("…​.csv".replace("\u200b", ""))
    assert shown_name("données.csv") == "données.csv"


@pytest.mark.parametrize(
    "name", ["a.csv", ".csv", "~x.csv", "a*[1].csv", "-rf", "$(id).csv", "é" * 100 + ".csv", "😀" * 500]
)
def test_at_work_a_file_has_the_name_that_the_user_knows(uploads, name):
    upload = receive(uploads, name, b"a,b\n")
    before = Path.cwd()
    with named([upload.given]) as (path,):
        assert path == Path(upload.name)
        assert path.read_bytes() == b"a,b\n"
        assert Path.cwd() != before
    assert Path.cwd() == before
    assert upload.path.exists()


def test_at_work_two_files_of_one_name_are_told_apart(uploads):
    pair = [receive(uploads, "x.csv", text).given for text in (b"a", b"b")]
    with named(pair) as paths:
        assert paths == [Path("A/x.csv"), Path("B/x.csv")]
        assert [path.read_bytes() for path in paths] == [b"a", b"b"]


def test_what_is_too_large_stops_while_it_comes(uploads):
    taken = []

    async def endless():
        while True:
            taken.append(100)
            yield b"x" * 100

    async def do():
        await uploads.receive("endless.csv", endless())

    with pytest.raises(TooLarge, match=r"endless\.csv is larger than"):
        awaited(do)
    assert sum(taken) <= 1100
    assert list(uploads.folder.iterdir()) == []


def test_nothing_is_left_of_what_broke_off(uploads):
    async def broken():
        yield b"some"
        raise RuntimeError("the browser went away")

    async def do():
        await uploads.receive("x.csv", broken())

    with pytest.raises(RuntimeError):
        awaited(do)
    assert list(uploads.folder.iterdir()) == []


def test_a_full_disk_is_told(uploads, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(InputError, match=r"cannot keep x\.csv: No space left"):
        receive(uploads, "x.csv", b"a")


def test_only_a_few_are_kept(uploads):
    found = [receive(uploads, f"{i}.csv", b"a") for i in range(MOST + 3)]
    assert {path.name for path in uploads.folder.iterdir()} == {one.path.name for one in found[-MOST:]}
    with pytest.raises(InputError, match="no longer here"):
        uploads.get(found[0].id)
    assert uploads.get(found[-1].id) is found[-1]


def test_why_a_file_had_to_go_is_said(uploads):
    first, *_ = [receive(uploads, f"{i}.csv", b"a") for i in range(MOST + 1)]
    with pytest.raises(InputError, match=f"more than {MOST} were added, in all tabs together"):
        uploads.get(first.id)
    last = receive(uploads, "last.csv", b"a")
    uploads.remove(last.id)
    with pytest.raises(InputError, match=r"^the file is no longer here; add it again$"):
        uploads.get(last.id)


def test_those_on_their_way_are_counted(uploads):
    """Half uploads must not fill the disk, nor push out what is there."""
    import anyio

    kept = [receive(uploads, f"{i}.csv", b"a") for i in range(MOST)]
    refused = []

    async def half():
        yield b"half"
        await anyio.sleep(60)

    async def come():
        try:
            await uploads.receive("half.csv", half())
        except InputError as error:
            refused.append(str(error))

    async def do():
        async with anyio.create_task_group() as group:
            for _ in range(40):
                group.start_soon(come)
            await anyio.sleep(0.3)
            assert len(list(uploads.folder.iterdir())) == MOST + COMING
            assert len(refused) == 40 - COMING
            group.cancel_scope.cancel()

    awaited(do)
    assert "4 files are already being uploaded, too many to add half.csv" in refused[0]
    assert {path.name for path in uploads.folder.iterdir()} == {one.path.name for one in kept}
    receive(uploads, "after.csv", b"a")


def test_one_that_brings_nothing_is_ended():
    import anyio

    found = Uploads(10 * LEAST, patience=0.5)

    async def stuck():
        yield b"half"
        await anyio.sleep(60)

    async def slow():
        for _ in range(4):
            yield b"a" * LEAST
            await anyio.sleep(0.25)

    async def drops():
        for _ in range(600):
            yield b"a"
            await anyio.sleep(0.1)

    async def do(name, pieces):
        return await found.receive(name, pieces())

    assert awaited(partial(do, "slow.csv", slow)).size == 4 * LEAST
    for pieces in (stuck, drops):
        began = time.monotonic()
        with pytest.raises(InputError, match=rf"next to nothing came for .* of {pieces.__name__}\.csv; add it again"):
            awaited(partial(do, f"{pieces.__name__}.csv", pieces))
        assert time.monotonic() - began < 10
    assert len(list(found.folder.iterdir())) == 1
    found.close()


def test_the_one_that_is_used_stays(uploads):
    first, *_ = [receive(uploads, f"{i}.csv", b"a") for i in range(MOST)]
    uploads.get(first.id)
    receive(uploads, "more.csv", b"a")
    assert first.path.exists()


def test_old_ones_go(uploads):
    old, new = receive(uploads, "old.csv", b"a"), receive(uploads, "new.csv", b"a")
    old.used -= uploads.keep + 1
    uploads.sweep()
    assert not old.path.exists()
    assert new.path.exists()


def test_remove_and_close(uploads):
    upload = receive(uploads, "a.csv", b"a")
    uploads.remove(upload.id)
    uploads.remove(upload.id)
    uploads.remove("../" + upload.id)
    assert not upload.path.exists()
    receive(uploads, "b.csv", b"a")
    uploads.close()
    uploads.close()
    assert not os.path.lexists(uploads.folder)
