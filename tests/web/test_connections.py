"""Connections on which nothing is asked, or next to nothing: they are closed, and the page answers meanwhile."""

import http.client
import json
import socket
import threading
import time
from contextlib import ExitStack, closing
from urllib.parse import urlsplit

import pytest

from referee.web import app, connections, uploads
from referee.web.server import serving

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: "


@pytest.fixture
def start(monkeypatch):
    """Start servers with little patience; they are stopped at the end."""
    with ExitStack() as stack:

        def begin(**given):
            for name, value in given.items():
                monkeypatch.setattr(connections, name, value)
            return urlsplit(stack.enter_context(serving(limit=2)).address)

        yield begin


def connect(address):
    return socket.create_connection((address.hostname, address.port), timeout=30)


def is_closed(connection, seconds=30.0):
    """Wait until the other side hangs up; whatever it says before is thrown away."""
    connection.settimeout(seconds)
    try:
        while connection.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


def ask(address, method="GET", path="", body=None):
    with closing(http.client.HTTPConnection(address.hostname, address.port, timeout=60)) as client:
        client.request(method, address.path + path, body, {"Origin": f"http://{address.netloc}"})
        answer = client.getresponse()
        return answer.status, answer.read()


@pytest.mark.parametrize("sent", [b"", b"G", HALF, b"\r\n", b"POST / HTTP/1.1\r\n"])
def test_half_a_head_is_not_waited_for(start, sent):
    address = start(PATIENCE=0.3)
    with connect(address) as connection:
        connection.sendall(sent)
        assert is_closed(connection)
    assert ask(address)[0] == 200


def test_a_head_drop_by_drop_gets_no_more_time(start):
    address = start(PATIENCE=0.5)
    with connect(address) as connection:
        connection.sendall(HALF)
        with pytest.raises(OSError):
            for _ in range(300):
                time.sleep(0.1)
                connection.sendall(b"x")


def test_after_an_answer_half_a_head_is_not_waited_for_either(start):
    address = start(PATIENCE=0.5)
    with connect(address) as connection:
        whole = f"GET {address.path}page.css HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode()
        connection.sendall(whole)
        assert connection.recv(1 << 20).startswith(b"HTTP/1.1 200")
        connection.sendall(whole)  # a connection may be used again
        time.sleep(0.2)
        assert b"HTTP/1.1 200" in connection.recv(1 << 20)
        connection.sendall(HALF)
        assert is_closed(connection)


def test_the_rest_of_what_was_refused_is_not_waited_for(start):
    address = start(PATIENCE=0.5)
    head = f"POST {address.path}nowhere HTTP/1.1\r\nHost: {address.netloc}\r\nOrigin: http://{address.netloc}\r\n"
    with connect(address) as connection:
        connection.sendall(f"{head}Content-Length: 1000000\r\n\r\nx".encode())
        with pytest.raises(OSError):
            for _ in range(300):
                time.sleep(0.1)
                connection.sendall(b"x")


def test_many_that_ask_nothing_do_not_keep_others_out(start):
    address = start(PATIENCE=600.0, WAITING=5)
    with ExitStack() as stack:
        held = [stack.enter_context(connect(address)) for _ in range(40)]
        for connection in held[:35]:
            assert is_closed(connection)  # the oldest had to go
        assert ask(address)[0] == 200
        assert ask(address, "POST", "demonstration")[0] == 200
        assert not is_closed(held[-1], 0.2)


def test_more_than_can_be_answered_are_told_so(start):
    address = start(AT_ONCE=3)
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(connect(address)).sendall(HALF)
        time.sleep(0.3)
        assert ask(address) == (503, b"Service Unavailable")
    until = time.monotonic() + 30
    while ask(address)[0] != 200:
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.mark.parametrize("path", ["fields", "reports", "files?name=x.csv"])
def test_a_body_that_does_not_come_is_not_waited_for(start, monkeypatch, path):
    monkeypatch.setattr(app, "PATIENCE", 0.3)
    monkeypatch.setattr(uploads.Uploads.__init__, "__defaults__", (uploads.KEEP, 0.3))
    address = start()
    head = f"POST {address.path}{path} HTTP/1.1\r\nHost: {address.netloc}\r\nOrigin: http://{address.netloc}\r\n"
    with connect(address) as connection:
        connection.sendall(f"{head}Content-Length: 1000\r\n\r\n{{".encode())
        answer = b""
        while piece := connection.recv(1 << 16):  # until the other side hangs up
            answer += piece
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"next to nothing came for" in answer


def test_many_files_at_once_are_taken_or_refused_in_words(start, demo):
    address, found = start(), []

    def add(place):
        found.append(json.loads(ask(address, "POST", f"files?name=f{place}.csv", demo.encode())[1]))

    threads = [threading.Thread(target=add, args=(place,)) for place in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    taken = [one for one in found if "id" in one]
    refused = [one["wrong"] for one in found if "id" not in one]
    assert len(found) == 30
    assert taken
    assert all(
        "the oldest was removed; add it again" in said or "files are already being uploaded" in said for said in refused
    )
