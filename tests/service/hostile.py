"""Generated requests that are wrong in every way, and a server that stays well.

    python -m tests.service.hostile --requests 100000

Every one of them must get a 4xx answer; where the bytes are no HTTP at all, or the client hangs up
in the middle, a closed connection will do. No answer and no log has a traceback, and health stays
green throughout.
"""

import argparse
import json
import random
import socket
import string
import tempfile
import threading
from collections import Counter

from tests.service.running import Running

MAIL = "/v1/models/mail"
JSON, FILE = "application/json", "application/octet-stream"
LIMITS = ["--max-body", 200_000, "--max-texts", 50, "--max-length", 2000, "--max-file", 300_000]
WAIT = 30


def message(method, path, body=b"", headers=(), version="HTTP/1.1", host="localhost"):
    lines = [f"{method} {path} {version}", f"Host: {host}"]
    names = {name.lower() for name, _ in headers}
    if "content-length" not in names and "transfer-encoding" not in names and body:
        lines.append(f"Content-Length: {len(body)}")
    lines += [f"{name}: {value}" for name, value in headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace") + body


def write(path, body, kind=JSON, token="writing", method="POST", more=()):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = [("Content-Type", kind), ("Authorization", f"Bearer {token}"), *more]
    return message(method, path, content, headers)


def junk(chance, size):
    return "".join(chance.choice(string.printable) for _ in range(size))


def value(chance, depth=0):
    """Return any JSON value but a text or a list of texts."""
    kinds = [None, True, -1, 1e308, 10**30, {}, [[]], [None], [1, "a"], {"a": "b"}, [{"x": []}]]
    return chance.choice(kinds) if depth or chance.random() < 0.7 else [value(chance, 1)] * 3


# Each returns the bytes to send; all of them are wrong.


def wrong_types(chance):
    path, body = chance.choice(
        [
            (f"{MAIL}/predict", {"texts": value(chance)}),
            (f"{MAIL}/predict", {"texts": ["a"], "top": chance.choice([-1, 101, "x", None, 1.5])}),
            (f"{MAIL}/explain", {"text": value(chance)}),
            (f"{MAIL}/similar", {"texts": ["a"], "k": chance.choice([0, 101, -5, "k", None])}),
            (f"{MAIL}/vectors", {"texts": ["a"], "dimensions": chance.choice([0, 7, 9000, 12])}),
            (f"{MAIL}/examples", {"texts": ["a"], "labels": value(chance)}),
            (f"{MAIL}/examples", {"texts": value(chance), "labels": ["x"]}),
            (f"{MAIL}/examples", {"texts": ["a", "b"], "labels": ["x"]}),
            (f"{MAIL}/examples", {"texts": ["a"], "labels": ["x\0"]}),
            (f"{MAIL}/examples", {"texts": ["a"], "labels": [5]}),
            (f"{MAIL}/undo", value(chance) or [1]),
            (
                "/v1/models",
                {"name": chance.choice(["", "..", "a/b", "a" * 65, 7, None, "é", "a\n"])},
            ),
            ("/v1/models", {"name": "good", "method": value(chance)}),
        ]
    )
    if body == {}:
        body = {"what": 1}
    return write(path, body)


def broken_json(chance):
    whole = json.dumps({"texts": ["a text"], "labels": ["x"]})
    cut = whole[: chance.randrange(len(whole))].encode()
    body = chance.choice(
        [
            cut,
            b"[" * chance.randrange(1, 60_000),
            b'{"texts":' * chance.randrange(1, 10_000),
            bytes(chance.randrange(256) for _ in range(chance.randrange(200))),
            b'{"texts": ["\xff\xfe"]}',
            b'{"texts": ["\\ud800"]}',
            b"NaN",
            whole.encode() + b"x",
        ]
    )
    path = chance.choice([f"{MAIL}/examples", f"{MAIL}/predict"])
    return write(path, body)


def huge(chance):
    return chance.choice(
        [
            lambda: write(f"{MAIL}/predict", {"texts": ["x" * chance.randrange(2001, 9000)]}),
            lambda: write(f"{MAIL}/predict", {"texts": ["x"] * chance.randrange(51, 3000)}),
            lambda: write(f"{MAIL}/predict", b"x" * chance.randrange(200_001, 400_000)),
            lambda: message("POST", f"{MAIL}/predict", b"x", [("Content-Length", "9" * 15)]),
            lambda: write(
                f"{MAIL}/merge",
                b"x" * chance.randrange(300_001, 400_000),
                "application/octet-stream",
            ),
            lambda: message("GET", "/" + "x" * chance.randrange(70_000, 90_000)),
            lambda: message("GET", "/v1/models", b"", [("X-Long", "y" * 80_000)]),
            lambda: message("GET", "/v1/models", b"", [(f"X-{i}", "y" * 99) for i in range(900)]),
            lambda: write(
                f"{MAIL}/undo", {}, more=[("Idempotency-Key", "k" * chance.randrange(201, 999))]
            ),
            lambda: write(
                "/v1/models/new/file", b"x" * 9000, "application/octet-stream", method="PUT"
            ),
        ]
    )()


def broken_chunks(chance):
    head = [("Transfer-Encoding", "chunked"), ("Content-Type", JSON)]
    body = chance.choice(
        [
            b"zz\r\nabc\r\n0\r\n\r\n",
            b"-5\r\nabcde\r\n0\r\n\r\n",
            b"5\r\nabcdefgh\r\n0\r\n\r\n",
            b"fffffffffffffffffff\r\nabc\r\n0\r\n\r\n",
            b"3\r\nabc\r\n0\r\n\r\n",
            b"5;" + b"x" * 70_000 + b"\r\nabcde\r\n0\r\n\r\n",
            b"0\r\n\r\n",
        ]
    )
    if chance.random() < 0.3:
        head.append(("Content-Length", "3"))
        body = b"3\r\nabc\r\n0\r\n\r\n"
    return message("POST", f"{MAIL}/predict", body, head)


def wrong_tokens(chance):
    token = chance.choice(["", "wrong", "writin", "writingg", "reading", "WRITING", "write ing"])
    kind = chance.choice(["Bearer", "bearer", "Basic", "Token", ""])
    more = [("Authorization", f"{kind} {token}"), ("Content-Type", JSON)]
    body = json.dumps({"texts": ["a"], "labels": ["x"]}).encode()
    method, path = chance.choice([("POST", f"{MAIL}/examples"), ("DELETE", f"{MAIL}/examples")])
    return message(method, path, body, more)


def path_tricks(chance):
    path = chance.choice(
        [
            "/../../../../etc/passwd",
            "/page/../ledger.py",
            "/page/..%2f..%2fetc%2fpasswd",
            "/page/%2e%2e/app.py",
            "/page/index.html%00.js",
            "/page//index.html",
            "//v1/models",
            "/v1/models/",
            "/v1/models/..%2f..%2fx",
            "/v1/models/%00",
            "/v1/models/mail%2fexamples",
            "/v1/models/mail/examples/99999999999999999999999",
            "/v1/models/mail/examples/-1",
            "/v1/models/mail/examples?limit=" + "9" * 30,
            "/v1/models/mail/examples?before=%ff",
            "/v1/models/mail/examples?" + "&".join(f"a{i}=1" for i in range(40)),
            "/v1/models/mail/examples?nothing=1",
            "/V1/MODELS",
            "/" + "".join(chance.choice(string.ascii_letters + "%./\\~") for _ in range(30)),
            "http://evil.example/",
            "*",
        ]
    )
    return message("GET", path.replace(" ", ""))


def header_tricks(chance):
    good = json.dumps({"texts": ["a"], "labels": ["x"]}).encode()
    return chance.choice(
        [
            lambda: message("GET", "/", host=chance.choice(["evil.example", "", "localhost.evil"])),
            lambda: message("GET", "/", b"", [("Host", "localhost")]),
            lambda: message("GET", "/", b"", [("Bad Name", "x")]),
            lambda: message("GET", "/", b"", [("X", "a\0b")]),
            lambda: message("POST", f"{MAIL}/predict", good, [("Content-Length", "-1")]),
            lambda: message("POST", f"{MAIL}/predict", good, [("Content-Length", "1x")]),
            lambda: message(
                "POST", f"{MAIL}/predict", good, [("Content-Length", "3"), ("Content-Length", "9")]
            ),
            lambda: write(f"{MAIL}/examples", good, chance.choice(["text/plain", "", "a" * 500])),
            lambda: write(f"{MAIL}/examples", good, more=[("Content-Encoding", "gzip")]),
            lambda: message(junk_word(chance), "/v1/models"),
            lambda: message("DELETE", "/v1/models"),
            lambda: message("GET", "/", version="HTTP/9.9"),
            lambda: message("TRACE", "/"),
        ]
    )()


def junk_word(chance):
    return "".join(chance.choice(string.ascii_uppercase) for _ in range(chance.randrange(8, 40)))


def no_http(chance):
    return chance.choice(
        [
            bytes(chance.randrange(256) for _ in range(chance.randrange(1, 300))) + b"\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n\r\n",
            b"GET /\r\n\r\n",
            b"\r\n\r\n\r\n\r\n",
            junk(chance, 100).encode() + b"\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ]
    )


def hung_up(chance):
    whole = write(f"{MAIL}/examples", {"texts": ["never whole"], "labels": ["x"]})
    return whole[: chance.randrange(1, len(whole))]


KINDS = {
    "wrong types": wrong_types,
    "broken JSON": broken_json,
    "huge": huge,
    "broken chunks": broken_chunks,
    "wrong tokens": wrong_tokens,
    "path tricks": path_tricks,
    "header tricks": header_tricks,
    "no HTTP": no_http,
    "hung up": hung_up,
}
MAY_CLOSE = {"no HTTP", "hung up", "broken chunks", "huge", "header tricks"}


def send(port, content, is_cut):
    """Send bytes, and return the status and all of the answer; (0, b"") if there is none."""
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT) as connection:
        try:
            connection.sendall(content)
            if is_cut:
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            while b"\r\n\r\n" not in answer or not is_whole(answer):
                piece = connection.recv(1 << 16)
                if not piece:
                    break
                answer += piece
        except (ConnectionError, BrokenPipeError):
            return 0, b""
    parts = answer.split(b" ", 2)
    return (int(parts[1]) if len(parts) > 2 and parts[1].isdigit() else 0), answer


def is_whole(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    found = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(found) and len(body) >= int(found[0].partition(b":")[2])


def slow(server):
    """A request that never ends gets a 408."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as connection:
        whole = message("POST", f"{MAIL}/predict", b"{", [("Content-Length", "99")])
        connection.sendall(whole)
        return connection.recv(100)


def run(requests, seed=0, threads=6, say=lambda line: None):
    """Send so many requests; return how often each kind got each status."""
    found, wrong, lock = Counter(), [], threading.Lock()

    def client(number, server):
        chance = random.Random(f"{seed} {number}")
        for i in range(requests // threads):
            kind = chance.choice(list(KINDS))
            content = KINDS[kind](chance)
            try:
                status, answer = send(server.port, content, kind == "hung up")
            except TimeoutError:
                status, answer = -1, b""
            is_fine = 400 <= status < 500 or status == 505 or (status == 0 and kind in MAY_CLOSE)
            if b"Traceback" in answer or b'.py"' in answer:
                is_fine = False
            with lock:
                found[kind, status] += 1
                if not is_fine:
                    wrong.append((kind, status, content[:300], answer[:300]))
            if number == 0 and i % 500 == 0:
                health, _ = server.ask("GET", "/health/ready")
                assert health == 200
                say(f"{sum(found.values())} requests")

    with tempfile.TemporaryDirectory() as folder:
        tokens = {"ADDHASH_SERVE_WRITE_TOKEN": "writing", "HASTE": "1"}
        with Running(f"{folder}/data", *LIMITS, **tokens) as server:
            bearer = {"Authorization": "Bearer writing"}
            server.ask("POST", "/v1/models", {"name": "mail"}, headers=bearer)
            lesson = {"texts": ["win a prize", "see you at lunch"], "labels": ["spam", "ham"]}
            server.ask("POST", f"{MAIL}/examples", lesson, headers=bearer)
            before = server.ask("GET", MAIL)[1]
            clients = [threading.Thread(target=client, args=(i, server)) for i in range(threads)]
            for each in clients:
                each.start()
            late = slow(server)
            for each in clients:
                each.join()
            assert b"408" in late, late
            assert wrong == [], wrong[:5]
            assert server.process.poll() is None
            ready = server.ask("GET", "/health/ready")
            assert ready == (200, {"ready": True, "models": {"mail": "ready"}, "problems": {}})
            assert server.ask("GET", MAIL)[1] == before
            assert server.stop() == 0
            assert "Traceback" not in server.log()
            assert " 500 " not in server.log()
    return {f"{kind}: {status or 'closed'}": n for (kind, status), n in sorted(found.items())}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = run(options.requests, options.seed, say=lambda line: print(line, flush=True))
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
