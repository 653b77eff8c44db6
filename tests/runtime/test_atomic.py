"""Files are written whole or not at all, and one that is replaced stays what it was in all else."""

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from referee.errors import InputError
from referee.runtime import atomic
from referee.runtime.atomic import write_whole


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("content", ["text", b"\x89PNG"])
@pytest.mark.parametrize("given", [0o600, 0o640, 0o755, 0o666])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, content, given):
    path = tmp_path / "out"
    path.write_text("before", encoding="utf-8")
    path.chmod(given)
    write_whole(path, content)
    assert (path.read_bytes(), mode(path)) == (content if isinstance(content, bytes) else content.encode(), given)


def test_a_new_file_has_the_mode_that_the_user_wants(tmp_path):
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "out", "text")
    finally:
        os.umask(before)
    assert mode(tmp_path / "out") == 0o640


def test_a_link_is_followed_and_stays(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("before", encoding="utf-8")
    real.chmod(0o600)
    link.symlink_to("real")
    write_whole(link, "after")
    assert link.is_symlink()
    assert (real.read_text(encoding="utf-8"), mode(real)) == ("after", 0o600)
    (tmp_path / "to come").symlink_to("new")
    write_whole(tmp_path / "to come", "made")
    assert (tmp_path / "new").read_text(encoding="utf-8") == "made"


def test_a_pipe_is_written_to_and_stays(tmp_path):
    pipe, link, found = tmp_path / "pipe", tmp_path / "link", []
    os.mkfifo(pipe)
    link.symlink_to("pipe")
    for path in (pipe, link):
        reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
        reader.start()
        write_whole(path, b"whole")
        reader.join(10)
    assert found == [b"whole", b"whole"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_standard_output_by_its_name_may_be_a_pipe():
    read, write = os.pipe()
    write_whole(f"/dev/fd/{write}", "text")
    os.close(write)
    with os.fdopen(read) as file:
        assert file.read() == "text"


def test_a_pipe_that_nobody_reads_is_told_apart(tmp_path):
    read, write = os.pipe()
    os.close(read)
    with pytest.raises(BrokenPipeError):
        write_whole(f"/dev/fd/{write}", "text")
    os.close(write)


def test_halves_of_characters_are_spelt(tmp_path):
    write_whole(tmp_path / "out", "old\ud800")
    assert (tmp_path / "out").read_text(encoding="utf-8") == "old\\ud800"


def test_a_name_of_any_length_that_the_system_takes(tmp_path):
    write_whole(tmp_path / ("x" * 255), "text")
    assert (tmp_path / ("x" * 255)).read_text(encoding="utf-8") == "text"


@pytest.mark.parametrize("failing", ["fdopen", "chmod", "replace"])
@pytest.mark.parametrize("raised", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_what_breaks_off_leaves_all_as_before(tmp_path, monkeypatch, failing, raised):
    path = tmp_path / "out"
    path.write_text("before", encoding="utf-8")

    def fail(*_, **__):
        raise raised

    with monkeypatch.context() as patch:
        patch.setattr(atomic.os if failing == "fdopen" else Path, failing, fail)
        expected = InputError if isinstance(raised, OSError) else KeyboardInterrupt
        with pytest.raises(expected, match="No space left" if isinstance(raised, OSError) else None):
            write_whole(path, "after")
    assert [(one.name, one.read_text(encoding="utf-8")) for one in tmp_path.iterdir()] == [("out", "before")]


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "out"
    path.write_text("before", encoding="utf-8")
    path.chmod(0o444)
    # Whoever runs the tests may be allowed everything.
    monkeypatch.setattr(atomic.os, "access", lambda file, _: Path(file) != path)
    with pytest.raises(InputError, match=r"cannot write .*out: Permission denied"):
        write_whole(path, "after")
    assert path.read_text(encoding="utf-8") == "before"


def test_a_folder_and_a_folder_that_is_missing(tmp_path):
    with pytest.raises(InputError, match="Is a directory"):
        write_whole(tmp_path, "text")
    with pytest.raises(InputError, match="No such file or directory"):
        write_whole(tmp_path / "nowhere" / "out", "text")
    assert list(tmp_path.iterdir()) == []
