"""The server under load, beside a bare Starlette route that returns a constant, in the same run.

Both are processes of their own under the same uvicorn settings; many short rounds alternate between
them, and what is compared are the medians of their ratios: other work on the machine hardly changes
those. The clients are one more process: sockets that are kept open, each with one request at a
time.

    python -m benchmarks service            a few minutes
"""

import json
import os
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from addhash import TextClassifier
from benchmarks.harness import lines

CLIENTS = 16
SECONDS = float(os.environ.get("ADDHASH_SECONDS", "60"))  # of load for each of the two, in all
ROUNDS = 40
BATCH = 256
LESSONS = 100  # a second
MEASURED = ("per_second", "p50_ms", "p99_ms", "cpu_us")
PREDICT = "/v1/models/sms/predict"

BARE = """
import sys
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
import uvicorn

async def constant(request):
    return JSONResponse({"label": "ham"})

app = Starlette(routes=[Route("/constant", constant, methods=["POST"])])
uvicorn.run(app, port=int(sys.argv[1]), log_level="error", access_log=False, server_header=False,
            date_header=False, ws="none")
"""

# Runs in a process of its own, so that clients and servers do not share an interpreter.
CLIENT = """
import json, sys
from benchmarks.service import load
arguments = json.load(sys.stdin)
print(json.dumps(load(**arguments)))
"""


def request(path: str, body: Any) -> bytes:
    content = json.dumps(body, ensure_ascii=False).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


def complete(data: bytes) -> bool:
    head, end, body = data.partition(b"\r\n\r\n")
    if not end:
        return False
    start = head.lower().index(b"content-length:") + len("content-length:")
    return len(body) >= int(head[start:].partition(b"\r\n")[0])


def load(
    port: int,
    path: str,
    texts: list[str],
    seconds: float,
    batch: int = 1,
    clients: int = CLIENTS,
    most: int = 0,
) -> dict[str, Any]:
    """Send requests over open sockets, each client one at a time; return rate and latencies."""
    requests = [
        request(path, {"texts": texts[i : i + batch]})
        for i in range(0, len(texts) - batch + 1, batch)
    ]
    selector = selectors.DefaultSelector()
    states = []
    for i in range(clients):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        state = {"socket": connection, "data": b"", "next": i, "start": 0.0}
        states.append(state)
        selector.register(connection, selectors.EVENT_READ, state)
    latencies: list[float] = []
    clock = time.perf_counter

    def send(state: dict[str, Any]) -> None:
        state["start"], state["data"] = clock(), b""
        state["socket"].sendall(requests[state["next"] % len(requests)])
        state["next"] += clients

    start = clock()
    for state in states:
        send(state)
    end = start + seconds
    wrong = 0
    while clock() < end and not (most and len(latencies) >= most):
        for key, _ in selector.select(1.0):
            state = key.data
            piece = state["socket"].recv(1 << 20)
            if not piece:
                raise ConnectionError("the server hung up")
            state["data"] += piece
            if complete(state["data"]):
                latencies.append(clock() - state["start"])
                wrong += not state["data"].startswith(b"HTTP/1.1 200")
                send(state)
    elapsed = clock() - start
    for state in states:
        state["socket"].close()
    if wrong:
        raise RuntimeError(f"{wrong} answers were not 200")
    latencies.sort()
    return {
        "requests": len(latencies),
        "per_second": len(latencies) / elapsed,
        "p50_ms": 1e3 * latencies[len(latencies) // 2],
        "p99_ms": 1e3 * latencies[int(len(latencies) * 0.99)],
    }


def run_load(**arguments: Any) -> dict[str, Any]:
    process = arguments.pop("process")
    before = processor_seconds(process)
    command = [sys.executable, "-c", CLIENT]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, input=json.dumps(arguments)
    )
    found = dict(json.loads(done.stdout))
    # What the server itself took, which other work on the machine does not change.
    spent = processor_seconds(process) - before
    return found | {"cpu_us": 1e6 * spent / found["requests"]}


def processor_seconds(process: int) -> float:
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    return 1e-9 * sum(int(thread.read_text().split()[0]) for thread in threads)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError("the server does not listen")


class Lessons(threading.Thread):
    """Teaches new examples at a steady rate, over four connections in turn."""

    def __init__(self, port: int, texts: list[str]) -> None:
        super().__init__(daemon=True)
        self.port, self.texts, self.is_over, self.latencies = port, texts, False, []
        self.lateness = 0.0

    def run(self) -> None:
        import http.client

        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        path, kind = "/v1/models/sms/examples", {"Content-Type": "application/json"}
        start = time.perf_counter()
        # Five examples at a time, twenty times a second.
        size, count = 5, 0
        while not self.is_over:
            body = {
                "texts": [f"{self.texts[(count + i) % len(self.texts)]}" for i in range(size)],
                "labels": ["ham"] * size,
            }
            before = time.perf_counter()
            connection.request("POST", path, json.dumps(body), kind)
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise RuntimeError(f"got {answer.status}")
            self.latencies.append(time.perf_counter() - before)
            count += size
            wait = start + count / LESSONS - time.perf_counter()
            if wait > 0:
                time.sleep(wait)
        self.rate = count / (time.perf_counter() - start)
        connection.close()


def run() -> list[dict[str, Any]]:
    pairs = [line.split("\t", 1) for line in lines("sms-spam/SMSSpamCollection")]
    labels, texts = [label for label, _ in pairs], [text for _, text in pairs]
    classifier = TextClassifier().fit(texts[:3000], labels[:3000])
    asked = texts[3000:]
    with serving(classifier) as (port, process):
        other = free_port()
        bare = subprocess.Popen([sys.executable, "-c", BARE, str(other)])
        try:
            wait_for(other)
            return [
                *single((other, port), (bare.pid, process), asked),
                *learning(port, process, asked),
                batches(port, process, asked, classifier),
            ]
        finally:
            bare.terminate()
            bare.wait()


@contextmanager
def serving(classifier: TextClassifier) -> Iterator[tuple[int, int]]:
    """Serve a classifier as the model "sms": yield the port and the process."""
    with tempfile.TemporaryDirectory() as folder:
        classifier.save(f"{folder}/sms.model")
        port = free_port()
        program = [sys.executable, "-c", "from addhash.cli import main; main()", "serve"]
        arguments = [f"{folder}/sms.model", "--data", f"{folder}/data", "--port", str(port)]
        ours = subprocess.Popen([*program, *arguments], stderr=subprocess.DEVNULL)
        try:
            wait_for(port)
            yield port, ours.pid
        finally:
            ours.terminate()
            ours.wait()


def medians(rounds: list[dict[str, Any]]) -> dict[str, float]:
    return {name: round(statistics.median(one[name] for one in rounds), 3) for name in MEASURED}


def ratios(ours: list[dict[str, Any]], others: list[dict[str, Any]]) -> dict[str, float]:
    """Return the medians of the ratios of rounds that followed each other."""
    pairs = list(zip(ours, others, strict=True))
    return medians([{name: one[name] / other[name] for name in MEASURED} for one, other in pairs])


def single(ports: tuple[int, int], processes: tuple[int, int], texts: list[str]) -> dict[str, Any]:
    common = {"texts": texts, "seconds": SECONDS / ROUNDS}
    loads = [
        common | {"port": port, "process": process, "path": path}
        for port, process, path in zip(ports, processes, ("/constant", PREDICT), strict=True)
    ]
    for load_of in loads:
        run_load(**load_of | {"seconds": 1.0})
    rounds = [[run_load(**load_of) for load_of in loads] for _ in range(ROUNDS)]
    bare, ours = ([one[i] for one in rounds] for i in range(2))
    print(f"single texts: {medians(ours)} beside {medians(bare)}: {ratios(ours, bare)}", flush=True)
    names = ("requests/s", "p50, ms", "p99, ms", "µs of processor")
    return rows("single texts", names, ours, "bare Starlette route", bare)


def rows(
    case: str,
    names: Iterable[str],
    ours: list[dict[str, Any]],
    peer: str,
    others: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return a row for each of what was measured."""
    of_ours, of_others, of_both = medians(ours), medians(others), ratios(ours, others)
    return [
        row(f"{case}, {name}", of_ours[key], peer, of_others[key]) | {"ratio": of_both[key]}
        for name, key in zip(names, MEASURED, strict=False)
    ]


def row(case: str, value: float, peer: str, other: float) -> dict[str, Any]:
    ratio = round(value / other, 3) if other else ""
    return {"case": case, "value": value, "peer": peer, "peer_value": other, "ratio": ratio}


def learning(port: int, process: int, texts: list[str]) -> list[dict[str, Any]]:
    common = {"texts": texts, "seconds": SECONDS / 2 / ROUNDS, "port": port, "path": PREDICT}
    common["process"] = process
    quiet, busy, taught, waits = [], [], [], []
    for _ in range(ROUNDS):
        quiet.append(run_load(**common))
        lessons = Lessons(port, texts)
        lessons.start()
        busy.append(run_load(**common))
        lessons.is_over = True
        lessons.join()
        taught.append(lessons.rate)
        waits += lessons.latencies
    waits.sort()
    rate = round(statistics.median(taught), 1)
    print(
        f"while learning {rate} examples a second: {medians(busy)} beside {medians(quiet)}:"
        f" {ratios(busy, quiet)}",
        flush=True,
    )
    names = ("requests/s", "p50, ms", "p99, ms")
    return [
        *rows("while learning", names, busy, "the same without lessons", quiet),
        row("examples learnt per second", rate, "wanted", float(LESSONS)),
        row("a lesson of five examples, p50, ms", _at(waits, 0.5), "", 0.0),
        row("a lesson of five examples, p99, ms", _at(waits, 0.99), "", 0.0),
    ]


def _at(sorted_seconds: list[float], share: float) -> float:
    return round(1e3 * sorted_seconds[int(len(sorted_seconds) * share)], 3)


def batches(
    port: int, process: int, texts: list[str], classifier: TextClassifier
) -> dict[str, Any]:
    """Compare texts a second in batches with those of the library in this process."""
    whole = [texts[i : i + BATCH] for i in range(0, len(texts) - BATCH + 1, BATCH)]
    served, library = [], []
    load_of = {"port": port, "path": PREDICT, "texts": texts, "batch": BATCH, "clients": 2}
    load_of["process"] = process
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for batch in whole:
            classifier.predict_scores(batch, n_nearest=1)
        library.append(BATCH * len(whole) / (time.perf_counter() - start))
        served.append(BATCH * run_load(**load_of, seconds=0.5)["per_second"])
    ours, theirs = statistics.median(served), statistics.median(library)
    print(f"batches of {BATCH}: {ours:.0f} texts/s beside {theirs:.0f}", flush=True)
    case = f"batches of {BATCH}, texts/s"
    return row(case, float(round(ours)), "the library itself", float(round(theirs)))
