"""How answers go out over HTTP: a recording transport in place of a socket."""

import asyncio
import gc

import pytest
import uvicorn
from uvicorn.server import ServerState

from addhash.service.http_protocol import http_protocol

TYPE = (b"content-type", b"text/plain")
BODY = "http.response.body"


class Recorder(asyncio.Transport):
    """Keeps what is written, piece by piece."""

    def __init__(self):
        super().__init__()
        self.pieces, self.is_closed = [], False

    def write(self, data):
        assert not self.is_closed
        self.pieces.append(bytes(data))

    def close(self):
        self.is_closed = True

    def is_closing(self):
        return self.is_closed

    def pause_reading(self):
        pass

    def resume_reading(self):
        pass


def start(status=200, *headers):
    return {"type": "http.response.start", "status": status, "headers": [TYPE, *headers]}


async def app(scope, receive, send):
    path = scope["path"]
    if path == "/echo":
        body = (await receive())["body"]
        await send(start(200, (b"content-length", b"%d" % len(body))))
        await send({"type": BODY, "body": b"" if scope["method"] == "HEAD" else body})
    elif path == "/chunks":
        await send(start())
        for chunk in (b"HTTP/1.1 200", b"\r\n\r\n"):
            await send({"type": BODY, "body": chunk, "more_body": True})
        await send({"type": BODY, "body": b""})
    elif path == "/unchanged":
        await send(start(304))
        await send({"type": BODY, "body": b""})
    elif path == "/breaks":
        await send(start(200, (b"content-length", b"9")))
        raise ValueError("in the middle")


async def _pieces(*requests, turns=20):
    config = uvicorn.Config(app, http=http_protocol(), log_level="critical", lifespan="off")
    config.load()
    protocol = config.http_protocol_class(config, ServerState(), {})
    transport = Recorder()
    protocol.connection_made(transport)
    for request in requests:
        protocol.data_received(request)
        for _ in range(turns):
            await asyncio.sleep(0)
    return transport


def answers(*requests):
    pytest.importorskip("httptools")
    return asyncio.run(_pieces(*requests))


def post(path, body, *headers, method="POST"):
    lines = [f"{method} {path} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def test_head_and_body_leave_together():
    sent = answers(post("/echo", b"one"), post("/echo", b""), post("/echo", b"three"))
    assert len(sent.pieces) == 3
    for piece, body in zip(sent.pieces, (b"one", b"", b"three"), strict=True):
        head, _, rest = piece.partition(b"\r\n\r\n")
        assert (head[:15], rest) == (b"HTTP/1.1 200 OK", body)


def test_pipelined_requests_are_answered_in_order():
    sent = answers(b"".join(post("/echo", b"%d" % i) for i in range(5)))
    assert [piece[-1:] for piece in sent.pieces] == [b"0", b"1", b"2", b"3", b"4"]


def test_an_answer_without_a_body_is_not_kept_back():
    sent = answers(post("/echo", b"", method="HEAD"), post("/unchanged", b"", method="GET"))
    assert [piece[9:12] for piece in sent.pieces] == [b"200", b"304"]
    assert all(piece.endswith(b"\r\n\r\n") for piece in sent.pieces)


def test_the_first_chunk_takes_the_head_along():
    sent = answers(post("/chunks", b"", method="GET"))
    assert sent.pieces[0].endswith(b"\r\n\r\nc\r\nHTTP/1.1 200\r\n")
    assert sent.pieces[1:] == [b"4\r\n\r\n\r\n\r\n", b"0\r\n\r\n"]


def test_a_client_that_waits_for_100_gets_it_at_once():
    head, body = post("/echo", b"late", "Expect: 100-continue").split(b"\r\n\r\n")
    sent = answers(head + b"\r\n\r\n", body)
    assert sent.pieces[0] == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert sent.pieces[1].endswith(b"late")
    assert len(sent.pieces) == 2


def test_the_head_of_a_broken_answer_is_sent_and_the_connection_closed():
    sent = answers(post("/breaks", b""))
    assert sent.is_closed
    assert sent.pieces[0].startswith(b"HTTP/1.1 200 OK")


def test_a_closing_connection_gets_the_whole_answer():
    sent = answers(post("/echo", b"last", "Connection: close"))
    assert sent.is_closed
    assert len(sent.pieces) == 1
    assert sent.pieces[0].endswith(b"last")


def test_requests_leave_nothing_for_the_garbage_collector():
    pytest.importorskip("httptools")

    async def left_by(count):
        gc.collect()
        await _pieces(*[post("/echo", b"one")] * count)
        return gc.collect()

    gc.disable()
    try:
        asyncio.run(left_by(5))
        assert asyncio.run(left_by(55)) - asyncio.run(left_by(5)) < 50
    finally:
        gc.enable()
