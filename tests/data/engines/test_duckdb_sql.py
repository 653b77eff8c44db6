import duckdb
import pytest

from referee.data.engines.duckdb_sql import MEMORY, connected, listed
from referee.data.engines.tables import read
from referee.errors import InputError, OptionError

NAMES = ("x.csv", "a[bc].csv", "all*.csv", "what?.csv", "~.csv", "~x.csv", "k=1.csv", "it's.csv")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("relative", [True, False])
def test_only_the_given_files_are_read(here, name, relative):
    path = here / name
    path.write_text("a,b\n1,0\n")
    for other in ("ab.csv", "allies.csv", "whatx.csv", "other.csv"):
        (here / other).write_text("a,b\n1,1\n1,1\n")
    own = path.relative_to(here) if relative else path
    with connected([own]) as connection:
        assert connection.execute(f"SELECT * FROM read_csv({listed([own])})").fetchall() == [(1, 0)]
        for other in (here / "other.csv", "other.csv", "/etc/hostname"):
            with pytest.raises(duckdb.PermissionException):
                connection.execute(f"SELECT * FROM read_text('{other}')").fetchall()
        with pytest.raises(duckdb.PermissionException):
            connection.execute("COPY (SELECT 1) TO 'out.csv'")
        with pytest.raises(duckdb.Error, match=r"(?i)lock"):
            connection.execute("SET enable_external_access = true")
    assert not (here / "out.csv").exists()
    assert read(own, {"a": "a", "b": "b"}, keep_ids=False).counts.sum() == 1


def test_no_code_is_loaded(tmp_path):
    with connected() as connection:
        names = "('autoinstall_known_extensions', 'autoload_known_extensions', 'enable_external_access', 'lock_configuration')"
        found = dict(connection.execute(f"SELECT name, value FROM duckdb_settings() WHERE name IN {names}").fetchall())
    assert {name: value in ("true", "1") for name, value in found.items()} == {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "enable_external_access": False,
        "lock_configuration": True,
    }


def limit(connection):
    return connection.execute("SELECT current_setting('memory_limit')").fetchall()[0][0]


def test_memory_is_bounded_in_one_place(monkeypatch):
    monkeypatch.setenv(MEMORY, "512MiB")
    with connected() as connection:
        assert limit(connection) == "512.0 MiB"
    with connected(memory="256MiB") as connection:
        assert limit(connection) == "256.0 MiB"


def test_what_memory_does_not_hold_is_written_to_a_folder():
    with connected(memory="100MB") as connection:
        connection.execute("CREATE TABLE t AS SELECT CAST(hash(i) AS VARCHAR) AS v FROM range(6000000) t(i)")
        assert connection.execute("SELECT count(*), min(length(v)) > 0 FROM t").fetchall() == [(6000000, True)]
        written = connection.execute("SELECT sum(size) FROM duckdb_temporary_files()").fetchall()[0][0]
    assert written > 0


@pytest.mark.parametrize("wrong", ["much", "12 apples", "GB"])
def test_an_amount_of_memory_that_is_none(tmp_path, monkeypatch, wrong):
    monkeypatch.setenv(MEMORY, wrong)
    (tmp_path / "x.csv").write_text("a,b\n1,0\n")
    with pytest.raises(
        OptionError, match=f"REFEREE_DUCKDB_MEMORY must be an amount of memory, such as 2GB; it is '{wrong}'"
    ):
        read(tmp_path / "x.csv", {"a": "a", "b": "b"}, keep_ids=False)


def test_too_little_memory_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv(MEMORY, "1MB")
    rows = "".join(f"{i},{i * 7}\n" for i in range(200_000))
    (tmp_path / "x.csv").write_text(f"a,b\n{rows}")
    with pytest.raises(InputError, match=r"(?i)memory") as caught:
        read(tmp_path / "x.csv", {"a": "a", "b": "b"}, keep_ids=False)
    assert isinstance(caught.value.__cause__, duckdb.OutOfMemoryException)
