"""Who is let in, and what is not believed."""

import gzip
import io
import subprocess
import sys
import zipfile

import pytest

from referee.web.app import LARGEST_QUESTION, PAGE, page
from referee.web.security import Guard, at, is_loopback
from referee.web.uploads import MEGABYTE, MOST
from tests.web.conftest import HOST, ORIGIN, PORT, TOKEN, awaited

PATHS = ("", "choices", "page.js", "page.css")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("token", ["wrong", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "", "%00", "tést", "x" * 5000])
def test_without_the_token_there_is_nothing(site, token, path):
    answer = site.get(path, token=token)
    assert answer.status_code == 404
    assert TOKEN not in answer.text + str(answer.headers)


def test_all_that_is_missing_looks_the_same(site):
    known = {
        site.client.get(path).text for path in ("/", "/favicon.ico", "/files", "/wrong/", "/wrong/choices", "/open/x")
    }
    assert len(known) == 1


@pytest.mark.parametrize(
    "path",
    ["../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "%2e%2e%2fguard.py", "..\\guard.py", "/etc/passwd",
     "page.js%00.html", "page.js/..", "./../app.py", "files/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "reports/../../x/report.html",
     "reports/x/report.html", "reports/x/..%2f..%2fapp.py", "worker.py", "index.html", "page/index.html", "__init__.py"],
)  # fmt: skip
def test_paths_lead_nowhere(site, path):
    # As raw bytes, for a client mends such paths before it sends them.
    answer = raw(site, "GET", f"/{TOKEN}/{path}")
    assert answer["status"] in (404, 405)
    assert b"root:" not in answer["body"]


def raw(site, method, target, headers=()):
    """Ask the app itself, with a path that nobody mended."""
    from urllib.parse import unquote

    sent = {"body": b""}

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        if message["type"] == "http.response.start":
            sent["status"] = message["status"]
        else:
            sent["body"] += message.get("body", b"")

    path, _, query = target.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http", "root_path": "",
        "path": unquote(path), "raw_path": path.encode(), "query_string": query.encode(),
        "headers": [(b"host", f"{HOST}:{PORT}".encode()), *headers], "client": ("127.0.0.1", 1), "server": (HOST, PORT),
    }  # fmt: skip

    async def ask():
        await site.guard(scope, receive, send)

    awaited(ask)
    return sent


@pytest.mark.parametrize(
    "host",
    ["evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", f"127.0.0.1.evil.example:{PORT}", f"127.0.0.2:{PORT}",
     f"localhost.evil.example:{PORT}", "", f"127.0.0.1:{PORT}@evil.example", f"0:{PORT}", f"2130706433:{PORT}"],
)  # fmt: skip
@pytest.mark.parametrize("method, path", [("GET", ""), ("POST", "demonstration")])
def test_a_foreign_host_is_refused(site, host, method, path):
    answer = site.ask(method, path, headers={"host": host, "origin": f"http://{host}"})
    assert answer.status_code == 421
    assert "<html" not in answer.text


def test_a_host_that_is_there_twice_is_refused(site):
    answer = raw(site, "GET", f"/{TOKEN}/", headers=[(b"host", b"evil.example")])
    assert answer["status"] == 400


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_this_machine_has_two_names(site, name):
    host = f"{name}:{PORT}"
    assert site.get("", headers={"host": host}).status_code == 200
    assert site.post("fields", {"files": []}, headers={"host": host, "origin": f"http://{host}"}).status_code == 200
    # One page of the other's name is another page.
    other = {"localhost": "127.0.0.1", "127.0.0.1": "localhost"}[name]
    assert (
        site.post("fields", {"files": []}, headers={"host": host, "origin": f"http://{other}:{PORT}"}).status_code
        == 403
    )


@pytest.mark.parametrize(
    "headers",
    [{"origin": None}, {"origin": "null"}, {"origin": "http://evil.example"}, {"origin": f"https://{HOST}:{PORT}"},
     {"origin": f"http://{HOST}:{PORT + 1}"}, {"origin": f"{ORIGIN}.evil.example"}, {"origin": f"{ORIGIN}/"}, {"origin": ""},
     {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"sec-fetch-site": "none"}],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize(
    "method, path",
    [
        ("POST", "files?name=x.csv"),
        ("POST", "demonstration"),
        ("POST", "fields"),
        ("POST", "reports"),
        ("DELETE", "files/x"),
    ],
)
def test_other_pages_change_nothing(site, headers, method, path):
    answer = site.ask(method, path, content=b"a,b\n1,2\n", headers=headers)
    assert answer.status_code == 403
    assert site.kept == []


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "PATCH", "TRACE"])
def test_nothing_is_shared_with_other_origins(site, method):
    asked = {"origin": "http://evil.example", "access-control-request-method": "POST"}
    answer = site.ask(method, "files", headers=asked)
    assert answer.status_code in (403, 405)
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert not [name for name in site.get("choices", headers=asked).headers if name.startswith("access-control")]


def test_every_answer_has_the_headers(site, demo):
    key = site.added(demo)
    done = site.compare(key, truth="label", a="old", b="new")
    answers = [
        site.get(""), site.get("page.js"), site.get("choices"), site.get("nothing"), site.get("", token="wrong"),
        site.upload(b"a,b\n1,2\n"), site.upload(b"x" * (3 * MEGABYTE)), site.get("", headers={"host": "evil.example"}),
        site.get(f"reports/{done['id']}/report.html"),
    ]  # fmt: skip
    for answer in answers:
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "unsafe-eval" not in policy
        assert "frame-ancestors" in policy
        assert policy.count("content-security-policy") == 0
        assert len(answer.headers.get_list("content-security-policy")) == 1
    report = answers[-1].headers["content-security-policy"]
    assert "script-src" not in report  # which falls back to 'none'
    assert "sandbox allow-same-origin" in report
    assert "allow-scripts" not in report


def test_the_page_has_no_script_of_its_own():
    # The policy would refuse them, and nobody would see why the page is dead.
    text = page()
    assert "<style" not in text
    assert " style=" not in text
    assert text.count("<script") == 1
    assert " on" + "click" not in text
    script = (PAGE / "page.js").read_text(encoding="utf-8")
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert way not in script


def test_too_large_by_its_own_word(site):
    answer = site.upload(b"x" * (2 * MEGABYTE + 1), "big.csv")
    assert answer.status_code == 413
    assert answer.json()["wrong"].startswith("big.csv is larger than 2 MB")
    assert site.kept == []


def test_too_large_without_a_word(site):
    def pieces():
        for _ in range(30):
            yield b"x" * 100_000

    answer = site.upload(pieces(), "big.csv")
    assert "content-length" not in answer.request.headers
    assert answer.status_code == 413
    assert site.kept == []


@pytest.mark.parametrize("length", ["-1", "1e3", "many", "9" * 400])
def test_a_length_that_is_none(site, length):
    answer = site.upload(b"a,b\n1,2\n", headers={"content-length": length})
    assert answer.status_code in (400, 413)
    assert site.kept == []


def test_too_many_files(site):
    keys = [site.added(f"a,b\n1,{i}\n2,3\n", f"{i}.csv") for i in range(MOST + 2)]
    assert len(site.kept) == MOST
    assert "no longer here" in site.post("fields", {"files": keys[:1]}).json()["wrong"]
    for many in (keys * 2, []):
        assert f"1 to {MOST} files are read" in site.post("fields", {"files": many}).json()["wrong"]
        assert f"1 to {MOST} files are read" in site.compare(*many)["wrong"]
    assert "two systems are compared, from one file or two; 3 were given" in site.compare(*keys[-3:])["wrong"]


@pytest.mark.parametrize("path", ["fields", "reports"])
@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'"x"', b"[" * 30_000, b'{"files": "x"}', b'{"files": [1]}', b'{"files": {"a": 1}}', b"\xff\xfe", b"{}"]
)  # fmt: skip
def test_what_is_no_question(site, path, body):
    answer = site.ask("POST", path, content=body)
    assert answer.status_code == 400
    assert answer.json()["wrong"]


def test_a_question_that_is_too_long(site):
    assert site.ask("POST", "fields", content=b" " * (LARGEST_QUESTION + 1)).status_code == 413


def test_fields_that_are_none(site, demo):
    key = site.added(demo)
    assert site.post("reports", {"files": [key]}).status_code == 400
    assert site.post("reports", {"files": [key], "fields": []}).status_code == 400
    assert "must be a text" in site.compare(key, truth={"x": 1}, a="old", b="new")["wrong"]
    assert "must be a text" in site.compare(key, truth="label", a=1, b=["new"])["wrong"]
    assert "longer than" in site.compare(key, truth="x" * 2000, a="old", b="new")["wrong"]
    assert "must be a number" in site.compare(key, truth="label", a="old", b="new", alpha="often")["wrong"]
    assert (
        "options of a metric" in site.compare(key, truth="label", a="old", b="new", metric="f1", options=[1])["wrong"]
    )


@pytest.mark.parametrize(
    "metric", ["os:system", "subprocess:run", "accuracy:x=1", "antigravity:fly", "../f1", ["f1"], {"a": 1}]
)
def test_metrics_of_elsewhere_are_not_imported(site, demo, metric):
    answer = site.compare(site.added(demo), truth="label", a="old", b="new", metric=metric)
    assert "there is no metric" in answer["wrong"] or "must be a text" in answer["wrong"]


def test_files_are_known_by_their_keys_alone(site, demo):
    key = site.added(demo)
    path = site.uploads.get(key).path
    for given in (str(path), f"{key}.csv", "demo.csv", f"../{path.name}", "/etc/passwd", ""):
        assert "no longer here" in site.compare(given, truth="label", a="old", b="new")["wrong"]
    assert site.ask("DELETE", "files/demo.csv").status_code == 200
    assert path.exists()


@pytest.mark.parametrize(
    "column", ['label"; DROP TABLE x; --', "label' OR 1=1", "*", "a, b", "read_csv('/etc/passwd')"]
)
def test_columns_are_names_and_not_sql(site, demo, column):
    answer = site.compare(site.added(demo), truth=column, a="old", b="new")
    assert "there is no column" in answer["wrong"]


def test_a_packed_bomb_is_refused(site):
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * (6 * MEGABYTE), 9)
    assert len(bomb) < MEGABYTE
    for name in ("bomb.csv.gz", "bomb", "bomb.dat", "bomb.txt", "bomb.csv", "bomb.parquet"):
        assert "would unpack to more than 20 MB" in site.upload(bomb, name).json()["wrong"], name
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for place in range(5):
            archive.writestr(f"samples/{place}.json", b" " * (5 * MEGABYTE))
    assert "would unpack to more than 20 MB" in site.upload(packed.getvalue(), "bomb.eval").json()["wrong"]
    assert site.kept == []


@pytest.mark.parametrize("name", ["bomb.parquet", "bomb", "bomb.feather"])
def test_a_packed_table_is_counted(site, name):
    import pyarrow
    from pyarrow import feather, parquet

    packed = io.BytesIO()
    table = pyarrow.table(
        {"label": ["x" * 100_000 + str(i) for i in range(300)], "old": ["x"] * 300, "new": ["y"] * 300}
    )
    if name.endswith(".feather"):
        feather.write_feather(table, packed, compression="zstd")
    else:
        parquet.write_table(table, packed, use_dictionary=False, compression="zstd")
    assert len(packed.getvalue()) < MEGABYTE
    assert "would unpack to more than 20 MB" in site.upload(packed.getvalue(), name).json()["wrong"]
    assert site.kept == []


LOOK = """
import re, sys
from pathlib import Path
from referee.web import jobs
found = jobs.do("look", [(sys.argv[1], "bomb.parquet")], largest=2 << 30)
print(*found.get("wrong"))
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it is measured as Linux does")
def test_few_bytes_that_stand_for_many_fill_no_memory(tmp_path):
    # 1 kB that a dictionary unpacks to 10 MB, and its 400 rows to 4 GB.
    import pyarrow
    from pyarrow import parquet

    path = tmp_path / "bomb.parquet"
    wide = pyarrow.DictionaryArray.from_arrays([0] * 400, ["x" * 5_000_000])
    parquet.write_table(pyarrow.table({"label": wide, "old": wide, "new": ["y"] * 400}), path, compression="zstd")
    assert path.stat().st_size < 10_000
    done = subprocess.run([sys.executable, "-c", LOOK, str(path)], capture_output=True, text=True, check=True)
    said, kilobytes = done.stdout.splitlines()
    assert said.endswith("bomb.parquet has values that are too large to preview; leave such columns out")
    assert int(kilobytes) < 2_000_000


def test_long_values_are_looked_at_in_part(tmp_path):
    from referee.data.engines.tables import CUT, SAMPLE
    from referee.web.preview import look

    long = "é" * 5_000
    for name, text in (
        ("x.csv", "old,new\n" + f"{long},y\n" * 3_000),
        ("x.jsonl", f'{{"old": "{long}", "new": ["{long}"]}}\n' * 3_000),
    ):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        found = look(path, 1 << 30)["columns"]
        assert {len(values) for values in found.values()} == {SAMPLE}
        assert max(len(value) for values in found.values() for value in values) == CUT
    wide = tmp_path / "wide.csv"
    wide.write_text(",".join(f"c{i}" for i in range(1_000)) + "\n" + ("1," * 999 + "1\n") * 1_000, encoding="utf-8")
    assert {len(values) for values in look(wide, 1 << 30)["columns"].values()} == {200}


PUFF = """
from contextlib import nullcontext
from referee.web import preview, jobs
jobs.SHARE, jobs.LEAST = 0.0, 1 << 30
jobs.bound_memory()
preview.look = lambda: bytearray(2 << 30)
jobs.named = lambda files: nullcontext([])
print(jobs.do("look", []) == {"wrong": [jobs.TOO_SMALL]})
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts it")
def test_the_work_has_a_part_of_the_memory():
    done = subprocess.run([sys.executable, "-c", PUFF], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


@pytest.mark.parametrize("options", [{"self": 1}, {"": 2}, {"avarage": "macro"}])
def test_options_that_there_are_not(site, demo, options):
    answer = site.compare(site.added(demo), truth="label", a="old", b="new", metric="f1", options=options)
    assert "f1 has no option" in answer["wrong"]


@pytest.mark.parametrize("field", ["threshold", "margin", "alpha"])
@pytest.mark.parametrize(
    "value", [10**400, "9" * 400, "nan", "inf", True, [1], {"x": 1}], ids=lambda value: str(value)[:9]
)
def test_numbers_that_are_none(site, demo, field, value):
    answer = site.compare(site.added(demo), truth="label", a="old", b="new", **{field: value})
    assert "must be a number" in answer["wrong"]


@pytest.mark.parametrize(
    "host, wanted",
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False),
     ("192.168.1.5", False), ("8.8.8.8", False), ("no such host", False)],
)  # fmt: skip
def test_what_is_this_machine(host, wanted):
    assert is_loopback(host) is wanted


async def nothing(scope, receive, send):
    raise AssertionError


@pytest.mark.parametrize(
    "bound, asked, wanted",
    [("0.0.0.0", "192.168.1.5:9", True), ("0.0.0.0", "[fe80::1]:9", True), ("0.0.0.0", "evil.example:9", False),
     ("0.0.0.0", "localhost:9", True), ("192.168.1.5", "192.168.1.5:9", True), ("192.168.1.5", "127.0.0.1:9", False),
     ("::1", "[::1]:9", True), ("::1", "evil.example:9", False), ("My.Host", "my.host:9", True)],
)  # fmt: skip
def test_names_of_other_addresses(bound, asked, wanted):
    assert Guard(nothing, "t", bound, 9).knows(asked) is wanted


def test_the_usual_port_is_left_out():
    assert at("127.0.0.1", 80) == "127.0.0.1"
    assert Guard(nothing, "t", "127.0.0.1", 80).knows("127.0.0.1")


def test_a_pass_is_good_once(site):
    path = site.guard.new_pass()
    assert TOKEN not in path
    assert site.client.get(path, headers={"host": "evil.example"}).status_code == 421
    answer = site.client.get(path)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/{TOKEN}/")
    again = site.client.get(path)
    assert again.status_code == 404
    assert "was already used; open the one printed in the terminal" in again.text
    assert TOKEN not in again.text
    assert "already used" not in site.client.get(path + "x").text


def test_the_address_without_its_last_sign(site):
    answer = site.client.get(f"/{TOKEN}")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/{TOKEN}/")
    assert site.client.get(answer.headers["location"]).status_code == 200


def test_there_are_no_websockets(site):
    from starlette.websockets import WebSocketDisconnect

    with pytest.raises(WebSocketDisconnect), site.client.websocket_connect(f"/{TOKEN}/"):
        pass
