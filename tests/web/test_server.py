"""The server as a process: what it prints, how it stops, and what it leaves behind."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest

from referee.cli import main
from referee.errors import InputError, OptionError
from referee.web.server import announced, serving

COMMAND = [sys.executable, "-m", "referee", "serve", "--no-browser"]


def ask(address, method, path, **options):
    origin = "/".join(address.split("/")[:3])
    with httpx.Client(headers={"origin": origin}, timeout=60, trust_env=False) as client:
        return client.request(method, address + path, **options)


@pytest.fixture
def process(tmp_path):
    found = subprocess.Popen(
        COMMAND,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        start_new_session=True,
    )
    yield found
    if found.poll() is None:
        found.kill()
        found.wait()
    for pipe in (found.stdout, found.stderr):
        pipe.close()


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_it_prints_the_address_and_leaves_nothing(process, tmp_path, demo, name):
    address = process.stdout.readline().strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", address)
    assert "Ctrl-C stops it" in process.stderr.readline()
    assert ask(address, "POST", "files?name=demo.csv", content=demo).json()["kind"] == "table"
    (folder,) = tmp_path.iterdir()
    assert len([path for path in folder.iterdir() if path.is_file()]) == 1
    began = time.monotonic()
    process.send_signal(getattr(signal, name))
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - began < 10
    assert process.returncode == 0
    assert out == ""
    assert err == "referee: stopped; the uploads are removed\n"
    assert list(tmp_path.iterdir()) == []


def test_it_stops_in_the_middle_of_work(process, tmp_path, ranked):
    address = process.stdout.readline().strip()
    key = ask(address, "POST", "files?name=scores.csv", content=ranked).json()["id"]
    fields = {"truth": "label", "a": "old", "b": "new", "metrics": [{"name": "average-precision"}], "audit": True}
    answers = []

    def compare():
        try:
            answers.append(ask(address, "POST", "reports", json={"files": [key], "fields": fields}).text)
        except httpx.HTTPError as error:
            answers.append(error)

    thread = threading.Thread(target=compare)
    thread.start()
    time.sleep(1)
    assert answers == []
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    thread.join()
    assert process.returncode == 0
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []
    assert len(answers) == 1


def test_who_hangs_up_stops_the_work(server, demo, ranked):
    key = ask(server.address, "POST", "files?name=demo.csv", content=demo).json()["id"]
    large = ask(server.address, "POST", "files?name=scores.csv", content=ranked).json()["id"]
    fields = {"truth": "label", "a": "old", "b": "new"}
    slow = {**fields, "metrics": [{"name": "average-precision"}], "audit": True}
    origin = "/".join(server.address.split("/")[:3])
    with (
        httpx.Client(headers={"origin": origin}, timeout=0.5, trust_env=False) as client,
        pytest.raises(httpx.ReadTimeout),
    ):
        client.post(server.address + "reports", json={"files": [large], "fields": slow})
    # The page answers at once while others work, and the next job does not wait for the one that was given up.
    assert ask(server.address, "GET", "choices").status_code == 200
    assert "id" in ask(server.address, "POST", "reports", json={"files": [key], "fields": fields}).json()


def test_bytes_that_no_client_sends(server):
    """Requests as they are on the wire: two hosts, no host, a path that climbs, nonsense."""
    host, port = re.fullmatch(r"http://(.*):(\d+)/.*", server.address).groups()
    path = "/" + server.address.split("/", 3)[3]
    for request, wanted in (
        (f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nHost: evil.example\r\n\r\n", {400}),
        (f"GET {path} HTTP/1.1\r\n\r\n", {400, 421}),
        (f"GET {path} HTTP/1.0\r\n\r\n", {421}),
        (f"GET {path}../../../etc/passwd HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n", {404}),
        (f"GET http://evil.example{path} HTTP/1.1\r\nHost: evil.example\r\n\r\n", {421}),
        (f"POST {path}files HTTP/1.1\r\nHost: {host}:{port}\r\nOrigin: null\r\nContent-Length: 4\r\n\r\na,b\n", {403}),
        (f"GET {path}\x00 HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n", {400, 404}),
        ("nonsense\r\n\r\n", {400}),
    ):
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(request.encode("latin-1"))
            answer = connection.recv(65536).decode("latin-1")
        assert int(answer.split()[1]) in wanted, (request, answer[:200])
        assert "root:" not in answer


def test_an_upload_without_length_is_counted(server):
    def pieces():
        for _ in range(400):
            yield b"x" * 10_000

    before = {path.name for path in server.uploads.folder.iterdir() if path.is_file()}
    try:
        answer = ask(server.address, "POST", "files?name=big.csv", content=pieces())
        assert answer.status_code == 413
    except httpx.HTTPError:
        pass  # the server hung up while the rest was still coming, which is as good
    assert {path.name for path in server.uploads.folder.iterdir() if path.is_file()} == before


def test_two_servers_have_two_tokens():
    with serving() as one, serving() as other:
        assert one.address.split("/")[3] != other.address.split("/")[3]
        stolen = "/".join([*other.address.split("/")[:3], one.address.split("/")[3], ""])
        assert httpx.get(stolen, trust_env=False).status_code == 404
        assert httpx.get(one.opening, trust_env=False, follow_redirects=True).status_code == 200
    assert not one.uploads.folder.exists()


def test_a_port_that_is_taken():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"cannot listen at 127.0.0.1:{port}: .*port=0"), serving(port=port):
            pass


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.invalid", ""])
def test_other_machines_are_kept_out(host):
    with pytest.raises(OptionError, match="allow_others=True"), serving(host):
        pass


def test_other_machines_by_name_only(monkeypatch):
    with serving("0.0.0.0", allow_others=True) as found:
        port = found.address.split(":")[2].split("/")[0]
        path = found.address.split("/", 3)[3]
        base = f"http://127.0.0.1:{port}/{path}"
        assert httpx.get(base, trust_env=False).status_code == 200
        assert httpx.get(base, headers={"host": f"evil.example:{port}"}, trust_env=False).status_code == 421
    assert announced("0.0.0.0") == socket.gethostname()


def run(capsys, *words):
    code = main(["serve", *words])
    return code, capsys.readouterr().err


@pytest.mark.parametrize(
    "words, wanted",
    [
        (["--host", "0.0.0.0"], "or --allow-others: whoever knows"),
        (["--host", "no such host", "--allow-others"], "cannot listen at"),
        (["--host", "192.0.2.1", "--allow-others"], "cannot listen at 192.0.2.1"),
        (["--port", "70000"], "--port"),
        (["--limit", "0"], "--limit"),
        (["--prot", "1"], "--prot"),
    ],
)
def test_usage(capsys, words, wanted):
    code, err = run(capsys, *words)
    assert code == 2
    assert wanted in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("package", ["uvicorn", "starlette"])
def test_without_the_extra(capsys, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    code, err = run(capsys)
    assert code == 2
    assert err == f"referee: the page needs {package}; install it: pip install 'referee[serve]'\n"


def test_a_browser_is_opened_with_a_pass(capsys, monkeypatch):
    import webbrowser

    opened = []

    def open_it(address):
        opened.append(httpx.get(address, trust_env=False, follow_redirects=True).status_code)
        opened.append(address)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(webbrowser, "open", open_it)
    assert main(["serve", "--browser"]) == 0
    token = capsys.readouterr().out.strip().split("/")[3]
    assert opened[0] == 200
    assert token not in opened[1]


def test_old_files_are_removed_while_it_runs(monkeypatch, demo):
    from referee.web import server as servers

    monkeypatch.setattr(servers, "SWEEP", 0.05)
    with serving(keep=0.0) as server:
        ask(server.address, "POST", "files?name=demo.csv", content=demo)
        stopped = threading.Event()
        waiting = threading.Thread(target=server.wait, args=[stopped])
        waiting.start()
        ended = time.monotonic() + 10
        while server.uploads._files and time.monotonic() < ended:
            time.sleep(0.05)
        stopped.set()
        waiting.join()
        assert [path for path in server.uploads.folder.iterdir() if path.is_file()] == []


def test_signals_are_as_before():
    from referee.web.server import until_told

    before = signal.getsignal(signal.SIGTERM)
    with until_told() as stopped:
        os.kill(os.getpid(), signal.SIGTERM)
        assert stopped.wait(5)
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_page_is_in_the_package():
    import referee.web

    folder = Path(referee.web.__file__).parent / "page"
    assert {path.name for path in folder.iterdir()} == {
        "index.html", "page.css", "page.js", "report-light.webp", "report-dark.webp",
    }  # fmt: skip
