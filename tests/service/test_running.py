"""The server as a process: signals, a full disk, kills, logs, and clients that others wrote."""

import ctypes
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time

import pytest

from addhash import TextClassifier
from addhash.sample import load_messages
from tests.service import hostile, kills
from tests.service.running import WAIT, InThread, Running

TEXTS, LABELS = load_messages()
MAIL = "/v1/models/mail"


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "mail.model"
    TextClassifier().fit(TEXTS, LABELS).save(path)
    return path


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """A server for all tests that leave it as it was."""
    data = tmp_path_factory.mktemp("taught") / "data"
    with Running(data, "--log-requests", "--max-body", 1_000_000) as server:
        server.ask("POST", "/v1/models", {"name": "mail"})
        server.ask("POST", f"{MAIL}/examples", lesson(TEXTS, LABELS))
        yield server


# Tells the environment that NumPy finds when `addhash serve` loads it, and ends there.
TELLS_THREADS = """
import os, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            print({name: os.environ.get(name) for name in sorted(os.environ) if "THREADS" in name})
            sys.stdout.flush()
            os._exit(0)

sys.meta_path.insert(0, Finder())
from addhash.cli import main
sys.argv = ["addhash", "serve", "--data", sys.argv[1], "--port", "0"]
main()
"""


@pytest.mark.parametrize("own", [{}, {"OPENBLAS_NUM_THREADS": "3"}, {"OMP_NUM_THREADS": "2"}])
def test_linear_algebra_has_one_thread_unless_told_otherwise(tmp_path, own):
    environment = {k: v for k, v in os.environ.items() if "THREADS" not in k} | own
    command = [sys.executable, "-c", TELLS_THREADS, str(tmp_path / "data")]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    usual = {"MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    assert told.stdout.strip() == str(own or usual)


def lesson(texts, labels):
    return {"texts": texts, "labels": labels}


def until(condition, seconds=WAIT):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_it_survives_kills_at_random_moments(tmp_path):
    done = kills.run(8, folder=tmp_path)
    assert done["kills"] == 8
    assert min(done[what] for what in ("learnt", "forgotten", "refused", "asked", "cut off")) > 5


def test_it_stays_well_under_hostile_requests():
    found = hostile.run(1500)
    assert sum(found.values()) == 1500
    assert len(found) > 15


def test_sigterm_finishes_what_is_under_way(tmp_path, model):
    with Running(tmp_path / "data", model) as server:
        server.ask("POST", f"{MAIL}/examples", lesson(["hello"], ["ham"]))
        body = json.dumps(lesson(["late"], ["ham"])).encode()
        slow = socket.create_connection(("127.0.0.1", server.port))
        head = (
            f"POST {MAIL}/examples HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
            f"\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        slow.sendall(head.encode() + body[:5])
        time.sleep(0.3)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        assert server.process.poll() is None
        slow.sendall(body[5:])
        assert b"200 OK" in slow.recv(100)
        slow.close()
        assert server.process.wait(WAIT) == 0
        server.stop()
    assert "Traceback" not in server.log()
    assert (tmp_path / "data" / "models" / "mail" / "snapshot.model").exists()
    with InThread(tmp_path / "data") as server:
        listed = server.ask("GET", f"{MAIL}/examples")[1]
        assert [e["text"] for e in listed["examples"]] == ["late", "hello"]


def test_it_ends_in_time_although_a_client_hangs(tmp_path):
    with Running(tmp_path / "data", "--stop-seconds", 1) as server:
        hanging = socket.create_connection(("127.0.0.1", server.port))
        hanging.sendall(b"POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n")
        hanging.sendall(b"Content-Type: application/json\r\n\r\n{")
        time.sleep(0.2)
        start = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - start < 10
        hanging.close()


def test_heads_that_never_end_are_given_up(tmp_path):
    with Running(tmp_path / "data", HASTE=1) as server:
        connection = server.connect()
        assert server.ask("GET", "/health/live", connection=connection)[0] == 200
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as slow:
            slow.sendall(b"GET / HTTP/1.1\r\nHost: local")
            assert slow.recv(10) == b""
        connection.close()
        # The same on a connection that has been used before.
        connection = server.connect()
        assert server.ask("GET", "/health/live", connection=connection)[0] == 200
        connection.sock.sendall(b"GET / HTTP/1.1\r\nHost: local")
        connection.sock.settimeout(20)
        assert connection.sock.recv(10) == b""
        connection.close()
        assert server.ask("GET", "/health/live")[0] == 200


def test_sighup_reads_models_again_and_keeps_the_old_one_if_it_cannot(tmp_path, model):
    with Running(tmp_path / "data", model) as server:
        server.ask("POST", f"{MAIL}/examples", lesson(["hello"], ["ham"]))
        before = server.ask("GET", MAIL)[1]["digest"]
        model.write_bytes(b"not a model")
        server.process.send_signal(signal.SIGHUP)
        until(lambda: server.ask("GET", "/health/ready")[1]["problems"])
        ready = server.ask("GET", "/health/ready")[1]
        assert ready["ready"]
        assert "mail.model cannot be used" in ready["problems"]["mail"]["source"]
        assert server.ask("GET", MAIL)[1]["digest"] == before
        metrics = server.ask("GET", "/metrics")[1].decode()
        assert 'addhash_reloads_total{result="failed"} 1.0' in metrics
        assert 'addhash_model_problems{about="source",model="mail"} 1.0' in metrics
        new = TextClassifier().fit(TEXTS[:99], LABELS[:99])
        new.save(model)
        server.process.send_signal(signal.SIGHUP)
        expected = new.partial_fit(["hello"], ["ham"]).digest()
        until(lambda: server.ask("GET", MAIL)[1]["digest"] == expected)
        assert server.ask("GET", "/health/ready")[1]["problems"] == {}
        assert server.stop() == 0


def small_files():
    """Let no file grow beyond this, as on a disk that is full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))


def test_a_full_disk_refuses_lessons_and_serves_the_rest(tmp_path):
    with Running(tmp_path / "data", limit=small_files) as server:
        server.ask("POST", "/v1/models", {"name": "mail"})
        refused, learnt = None, 0
        for i in range(60):
            status, answer = server.ask(
                "POST", f"{MAIL}/examples", lesson([f"{i} " + "text " * 4000], ["ham"])
            )
            if status != 200:
                refused = status, answer
                break
            learnt += 1
        assert refused is not None
        assert refused[0] == 507
        assert "nothing was changed" in refused[1]["detail"]
        status, listed = server.ask("GET", f"{MAIL}/examples")
        assert listed["total"] == learnt > 3
        assert server.ask("POST", f"{MAIL}/predict", {"texts": ["text"]})[0] == 200
        ready = server.ask("GET", "/health/ready")[1]
        assert ready["ready"]
        assert ready["problems"]["mail"]["disk"]
        digest = server.ask("GET", MAIL)[1]["digest"]
        assert server.stop() == 0
        assert "Traceback" not in server.log()
    with InThread(tmp_path / "data") as server:
        assert server.ask("GET", MAIL)[1]["digest"] == digest
        assert server.ask("POST", f"{MAIL}/examples", lesson(["room again"], ["ham"]))[0] == 200


def without_root_s_powers():
    """Have the system apply permissions to root, too: CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP, before the program is executed


def test_permissions_are_told_as_such_and_the_others_served(tmp_path):
    models = tmp_path / "data" / "models"
    closed = "cannot be opened for writing: Permission denied"
    # By model: what in it gets which mode, and what is told.
    cases = {
        "a": ("ledger.sqlite", 0o000, closed),
        "b": ("ledger.sqlite", 0o400, closed),
        "c": ("", 0o500, "cannot be"),
        "d": ("", 0o000, "cannot be"),
    }
    with InThread(tmp_path / "data") as server:
        for name in (*cases, "other"):
            server.ask("POST", "/v1/models", {"name": name})
            server.ask("POST", f"/v1/models/{name}/examples", lesson(TEXTS[:50], LABELS[:50]))
    paths = {name: models / name / place for name, (place, _, _) in cases.items()}
    before = {name: path.stat().st_mode & 0o777 for name, path in paths.items()}
    for name, path in paths.items():
        path.chmod(cases[name][1])
    try:
        with Running(tmp_path / "data", limit=without_root_s_powers, is_executed=True) as server:
            assert server.port, server.log()
            ready = server.ask("GET", "/health/ready")[1]
            assert ready["models"]["other"] == "ready"
            assert set(ready["problems"]) == set(cases)
            for name, (_, _, words) in cases.items():
                told = " ".join(ready["problems"][name].values())
                assert words in told
                assert "damaged" not in told
            assert server.stop() == 0
    finally:
        for name, path in paths.items():
            path.chmod(before[name])
    with InThread(tmp_path / "data") as server:
        for name in cases:
            assert server.ask("GET", f"/v1/models/{name}")[1]["taught"] == 50


def test_a_folder_of_others_is_refused_in_words(tmp_path):
    weights = tmp_path / "p" / "models" / "bert-base" / "weights.bin"
    weights.parent.mkdir(parents=True)
    weights.write_text("x")
    server = Running(tmp_path / "p")
    assert server.stop() == 1
    assert "not a data folder of addhash" in " ".join(server.log().split())
    assert "Traceback" not in server.log()
    assert weights.read_text() == "x"


def tiny_files():
    """Let no file grow beyond a few pages, as on a disk that is full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))


def test_a_model_that_a_full_disk_cannot_hold_leaves_nothing(tmp_path):
    with Running(tmp_path / "data", limit=tiny_files) as server:
        status, answer = server.ask("POST", "/v1/models", {"name": "mail"})
        assert status == 507
        assert "there is none" in answer["detail"]
        assert server.ask("GET", "/v1/models")[1]["models"] == []
        assert list((tmp_path / "data" / "models").iterdir()) == []
        assert server.stop() == 0
    with InThread(tmp_path / "data") as server:
        assert server.ask("POST", "/v1/models", {"name": "mail"})[0] == 201


def test_a_damaged_model_is_told_and_the_others_served(tmp_path):
    data = tmp_path / "data"
    with InThread(data) as server:
        for name in ("mail", "other"):
            server.ask("POST", "/v1/models", {"name": name})
            server.ask("POST", f"/v1/models/{name}/examples", lesson(TEXTS[:50], LABELS[:50]))
    ledger = data / "models" / "mail" / "ledger.sqlite"
    ledger.write_bytes(ledger.read_bytes()[:5000])
    with InThread(data) as server:
        ready = server.ask("GET", "/health/ready")[1]
        assert ready["models"] == {"mail": "read-only", "other": "ready"}
        assert "damaged" in ready["problems"]["mail"]["ledger"]
        assert server.ask("POST", f"{MAIL}/predict", {"texts": ["a prize"]})[0] == 200
        status, answer = server.ask("POST", f"{MAIL}/examples", lesson(["x"], ["ham"]))
        assert status == 503
        assert "damaged" in answer["detail"]
        assert server.ask("POST", "/v1/models/other/examples", lesson(["x"], ["ham"]))[0] == 200


def test_no_text_of_a_request_is_logged(taught):
    secret = "cormorant"
    taught.ask("POST", "/v1/models", {"name": "secrets"})
    path = "/v1/models/secrets"
    taught.ask("POST", f"{path}/examples", lesson([f"the {secret}"], [secret]))
    taught.ask("POST", f"{path}/predict", {"texts": [secret], secret: 1})
    taught.ask("GET", f"{path}/examples?q={secret}")
    taught.ask("GET", f"/{secret}?{secret}")
    taught.ask("POST", f"{path}/explain", {"text": secret}, headers={"X-Cormorant": secret})
    taught.ask("GET", f"/v1/models/{secret}")
    taught.ask("DELETE", path, {"name": "secrets"}, headers={"X-Request-ID": "the-end"})
    until(lambda: "the-end" in taught.log())
    assert "POST /v1/models/{model}/predict 422" in taught.log()
    assert "127.0.0.1 secrets " in taught.log()
    assert secret not in taught.log()


def test_the_log_tells_what_is_served_what_is_wrong_and_who_is_refused(tmp_path):
    with InThread(tmp_path / "data") as server:
        server.ask("POST", "/v1/models", {"name": "mail"})
    (tmp_path / "data/models/mail/ledger.sqlite").write_bytes(b"")
    variables = {"ADDHASH_SERVE_WRITE_TOKEN": "w", "ADDHASH_SERVE_LOG_FORMAT": "json"}
    with Running(tmp_path / "data", **variables) as server:
        refused = server.ask("POST", "/v1/models", {"name": "x"}, headers={"X-Request-ID": "r1"})
        assert refused[0] == 401
        assert server.stop() == 0
    lines = [json.loads(line) for line in server.errors if line.startswith("{")]
    told = [line["message"] for line in lines if line["level"] == "warning"]
    assert "ledger.sqlite is empty" in told[0]
    (wrong,) = [line for line in lines if line.get("status") == 401]
    assert (wrong["client"], wrong["request"]) == ("127.0.0.1", "r1")
    assert any("1 model from" in line["message"] for line in lines)


def test_a_host_in_the_target_counts_instead_of_the_header(taught):
    for host, status in [("evil.example", b"421"), ("localhost", b"200")]:
        with socket.create_connection(("127.0.0.1", taught.port), timeout=20) as connection:
            target = f"http://{host}/health/live"
            connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert connection.recv(100).split()[1] == status


def test_two_ends_of_a_body_are_refused_and_the_connection_closed(taught):
    head = "POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    both = "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    hidden = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", taught.port), timeout=20) as connection:
        connection.sendall((head + both + hidden).encode())
        answer = b""
        while piece := connection.recv(1000):
            answer += piece
    assert answer.split()[1] == b"400"
    assert answer.count(b"HTTP/1.1") == 1


def test_a_body_that_is_too_large_is_refused_in_words(taught):
    status, answer = taught.ask("POST", "/v1/models", b"x" * 5_000_000)
    assert status == 413
    assert answer["limit"] == 1_000_000


def test_a_port_in_use_is_told(tmp_path):
    with InThread(tmp_path / "a") as server:
        second = Running(tmp_path / "b", "--port", server.port)
        assert second.stop() == 1
        assert f"Port {server.port} is in use; choose another with --port" in " ".join(
            second.log().split()
        )
    unknown = Running(tmp_path / "b", "--host", "no.such.host.invalid", "--write-token", "x")
    assert unknown.stop() == 1
    assert "There is no host" in unknown.log()


def test_it_drains_before_it_stops(tmp_path):
    with Running(tmp_path / "data", "--drain-seconds", 3) as server:
        server.process.send_signal(signal.SIGTERM)
        until(lambda: server.ask("GET", "/health/ready")[0] == 503)
        assert server.ask("POST", "/v1/models", {"name": "mail"})[0] == 201
        assert server.process.wait(WAIT) == 0


def test_a_second_server_and_a_bad_model_are_told(tmp_path):
    with InThread(tmp_path / "data"):
        second = Running(tmp_path / "data")
        assert second.port is None
        assert second.stop() == 1
        assert "Another server uses" in second.log()
    bad = tmp_path / "bad.model"
    bad.write_bytes(b"x")
    for arguments, words in [
        ([bad], "not an addhash model file"),
        ([tmp_path / "none.model"], "no such file"),
        (["--host", "0.0.0.0"], "a token is needed"),
    ]:
        server = Running(tmp_path / "other", *arguments)
        assert server.stop() in (1, 2)
        assert words in " ".join(server.log().split())
    assert not (tmp_path / "other" / "models" / "bad").exists()


def test_a_missing_package_is_named_with_the_extra():
    code = (
        "import sys; sys.modules['starlette'] = None; sys.argv = ['addhash', 'serve'];"
        " from addhash.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    words = " ".join(done.stderr.split())
    assert "needs the package starlette" in words
    assert "pip install 'addhash[serve]'" in words


def test_options_are_variables_too(tmp_path):
    with Running(
        tmp_path / "data", ADDHASH_SERVE_WRITE_TOKEN="secret", ADDHASH_SERVE_MAX_TEXTS=2
    ) as server:
        assert server.ask("POST", "/v1/models", {"name": "mail"})[0] == 401
        bearer = {"Authorization": "Bearer secret"}
        assert server.ask("POST", "/v1/models", {"name": "mail"}, headers=bearer)[0] == 201
        answer = server.ask("POST", f"{MAIL}/predict", {"texts": ["a"] * 3})[1]
        assert answer["limit"] == 2
