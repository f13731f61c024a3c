"""Servers to be asked: in a process of its own, to be killed and started again, or in this one."""

import atexit
import contextlib
import http.client
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time

import uvicorn

from addhash.service import Settings, create_app
from addhash.service.http_protocol import http_protocol

ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("ADDHASH_SERVE")}
# Only what hangs takes as long, on however busy a machine.
WAIT = 180
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["__main__", "addhash.cli", "addhash.service.server", __name__])


class Server:
    """What a server on this machine is asked by."""

    port = None

    def connect(self, timeout=WAIT):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, connection=None, headers=None, kind="application/json"):
        """Return the status and the JSON of an answer."""
        own = connection is None
        connection = connection or self.connect()
        try:
            content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            sent = {"Content-Type": kind} | (headers or {})
            connection.request(method, path, content, sent)
            answer = connection.getresponse()
            data = answer.read()
            is_json = "json" in answer.headers.get("content-type", "")
            return answer.status, json.loads(data) if is_json else data
        finally:
            if own:
                connection.close()


class InThread(Server):
    """The application on a free port, in a thread: starting it costs next to nothing."""

    def __init__(self, data, *, languages=False, **settings):
        app = create_app(data=data, settings=Settings(languages=languages, **settings))
        config = uvicorn.Config(
            app, http=http_protocol(), port=0, log_level="critical", lifespan="on", ws="none"
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run)

    def __enter__(self):
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
            time.sleep(0.01)
        self.port = self._server.servers[0].sockets[0].getsockname()[1]
        return self

    def __exit__(self, *error):
        self._server.should_exit = True
        self._thread.join(WAIT)


class Running(Server):
    """`addhash serve` on a free port, in a process of its own.

    It is forked from one that has imported all that the program needs; with `is_executed` it is
    started anew, as a person does.
    """

    def __init__(self, data, *arguments, limit=None, is_executed=False, **variables):
        command = ["serve", "--data", str(data)]
        for option in (["--port", "0"], ["--no-languages"]):
            if option[0] not in arguments and option[0].replace("no-", "") not in arguments:
                command += option
        command += map(str, arguments)
        environment = ENVIRONMENT | {k: str(v) for k, v in variables.items()}
        self.errors = []
        if is_executed:
            program = [sys.executable, "-m", "tests.service.running", *command]
            self.process = subprocess.Popen(
                program, stderr=subprocess.PIPE, text=True, env=environment, preexec_fn=limit
            )
        else:
            self.process = Forked(command, environment, limit)
        for line in self.process.stderr:
            found = re.search(r"http://\S+:(\d+)/", line)
            if found:
                self.port = int(found[1])
                break
            self.errors.append(line)
        # Goes on reading, or the server could not write any more.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        with self.process.stderr:
            self.errors.extend(self.process.stderr)

    def log(self):
        return "".join(self.errors)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self._end()

    def stop(self, number=signal.SIGTERM):
        """End it kindly, and return its exit code.

        One that never said where it listens is ending by itself, which a signal would disturb.
        """
        if self.port is not None:
            self.process.send_signal(number)
        self._end()
        return self.process.returncode

    def _end(self):
        self.process.wait(WAIT)
        self._reader.join(WAIT)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.kill()


class Forked:
    """What `Running` needs of `subprocess.Popen`, for a process of the fork server."""

    def __init__(self, command, environment, limit):
        reading, writing = FORKS.Pipe(duplex=False)
        self._process = FORKS.Process(target=_run, args=(command, environment, limit, writing))
        self._process.start()
        writing.close()
        self.stderr = os.fdopen(os.dup(reading.fileno()), encoding="utf-8")
        reading.close()
        self.pid = self._process.pid

    def poll(self):
        return self._process.exitcode

    returncode = property(poll)

    def send_signal(self, number):
        # The fork server may have reaped it a moment before its exit code is known here.
        with contextlib.suppress(ProcessLookupError):
            if self.poll() is None:
                os.kill(self.pid, number)

    def wait(self, seconds):
        self._process.join(seconds)
        if self.poll() is None:
            raise subprocess.TimeoutExpired("addhash serve", seconds)
        return self.returncode


def _run(command, environment, limit, errors):
    """Be the program, in a process that was forked."""
    os.dup2(errors.fileno(), 2)
    errors.close()
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    os.environ.clear()
    os.environ.update(environment)
    if limit is not None:
        limit()
    try:
        _main(command)
    finally:
        atexit._run_exitfuncs()  # which a program runs, and a forked process does not


def _main(command):
    from addhash.cli import main
    from addhash.service import change_queue, server, services, settings

    if "HASTE" in os.environ:
        # A request that does not arrive is given up after seconds, not half a minute.
        services.WATCH_SECONDS = 0.1
        server.LOOK_TICKS, server.IDLE_LOOKS = 2, 5
        settings.Settings.__dataclass_fields__["body_seconds"].default = 2.0
        settings.Settings.__init__.__kwdefaults__["body_seconds"] = 2.0
    if "EAGER" in os.environ:
        # Snapshots all the time, so that kills meet them.
        change_queue.IDLE_SECONDS, change_queue.UNSAVED = 0.01, 3
    sys.argv = ["addhash", *command]
    main()


if __name__ == "__main__":
    _main(sys.argv[1:])
