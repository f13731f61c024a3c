"""The server as a program: it listens, reloads on SIGHUP, and finishes its work on SIGTERM."""

import asyncio
import errno
import gc
import signal
import socket
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from typing import Any, Literal

import uvicorn

from addhash.errors import AddhashError
from addhash.service.app import create_app
from addhash.service.errors import ServiceError
from addhash.service.http_protocol import http_protocol
from addhash.service.logs import log, set_up
from addhash.service.services import Services
from addhash.service.settings import Settings

BACKLOG = 1024
CONNECTIONS = 1000  # including those that send nothing
GARBAGE = 10_000  # new objects between looks for cycles; a request leaves none
LOOK_TICKS = 20  # of 0.1 seconds
IDLE_LOOKS = 15


class _Server(uvicorn.Server):
    """Uvicorn with our own signal handling."""

    def __init__(
        self,
        config: uvicorn.Config,
        services: Services,
        started: Callable[[], None],
        drain_seconds: float,
    ) -> None:
        super().__init__(config)
        self._services = services
        self._drain_seconds = drain_seconds
        self._announce = started
        self._idle: dict[Any, tuple[Any, int]] = {}  # by connection: its last request, and looks

    async def startup(self, sockets: Any = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        if self.started:
            # What is there now stays: looking at it again and again would only slow requests.
            gc.collect()
            gc.freeze()
            gc.set_threshold(GARBAGE)
            self._announce()

    async def on_tick(self, counter: int) -> bool:
        """Check idle connections now and then, on top of what uvicorn does ten times a second."""
        if counter % LOOK_TICKS == 0:
            self._close_idle()
        return await super().on_tick(counter)

    def _close_idle(self) -> None:
        """Close connections that have not sent a complete request for a long time.

        Uvicorn does so only between requests, not while the head of one trickles in.
        """
        idle = {}
        for connection in list(self.server_state.connections):
            cycle = getattr(connection, "cycle", None)
            if cycle is None or cycle.response_complete:
                last, looks = self._idle.get(connection, (cycle, 0))
                idle[connection] = (cycle, looks + 1 if last is cycle else 1)
                if idle[connection][1] > IDLE_LOOKS:
                    connection.transport.close()
        self._idle = idle

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGTERM and Ctrl-C, reload on SIGHUP; the process ends by itself."""
        loop = asyncio.get_running_loop()
        handlers: dict[signal.Signals, Callable[[], Any]] = {
            signal.SIGTERM: self._stop,
            signal.SIGINT: self._stop,
            signal.SIGHUP: self._reload,
        }
        for number, handler in handlers.items():
            loop.add_signal_handler(number, handler)
        try:
            yield
        finally:
            for number in handlers:
                loop.remove_signal_handler(number)

    def _stop(self) -> None:
        # At once not ready, so that a load balancer sends others elsewhere; then no new
        # connections. On a second signal, connections are cut. What is in the ledger stays.
        if self._services.is_stopping:
            self.force_exit = self.should_exit
            self._leave()
            return
        self._services.is_stopping = True
        log.info("stopping")
        asyncio.get_running_loop().call_later(self._drain_seconds, self._leave)

    def _leave(self) -> None:
        self.should_exit = True

    def _reload(self) -> None:
        self._services.threads.submit(reload, self._services)


def reload(services: Services) -> None:
    """Reload the given model files; if one cannot be read, the old model stays in use."""
    jobs = {name: queue.between(queue.model.reload) for name, queue in services.registry}
    wait(jobs.values())
    for name, job in jobs.items():
        error = job.exception()
        if error is None:
            result = "changed" if job.result() else "unchanged"
        else:
            result = "failed"
            reason = str(error) if isinstance(error, AddhashError) else type(error).__name__
            log.error("model %s: not reloaded: %s", name, reason)
        services.metrics.reloads[result] += 1


def serve(
    given: Iterable[str] = (),
    *,
    data: Any,
    settings: Settings | None = None,
    started: Callable[[str], None] = lambda address: None,
    stop_seconds: float = 20.0,
    drain_seconds: float = 0.0,
    logs_requests: bool = False,
    log_format: Literal["text", "json"] = "text",
) -> None:
    """Serve models until SIGTERM or Ctrl-C.

    Parameters
    ----------
    given : iterable of str
        Model files, or NAME=FILE.
    data : path-like
        The folder that keeps what is learnt.
    settings : Settings, optional
    started : callable
        Called with the address once it listens.
    stop_seconds : float
        How long pending requests may take to finish when the server is stopped.
    drain_seconds : float
        How long it still takes requests after SIGTERM, while it says that it is not ready.
    logs_requests : bool
        Whether each request is logged, without its content.
    log_format : {"text", "json"}
        The format of the log, on standard error.

    Raises
    ------
    ServiceError
        If the data folder or the address cannot be used.
    TimeoutError
        If another server uses the data folder.
    """
    settings = Settings() if settings is None else settings
    set_up(as_json=log_format == "json", logs_requests=logs_requests)
    app = create_app(given, data=data, settings=settings)
    services: Services = app.state.services
    host = settings.host.strip("[]")
    listening = _listen(host, settings.port)
    # Send answers at once: without this, a client with delayed acknowledgements waits 40 ms for
    # them.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    port = listening.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    config = uvicorn.Config(
        app,
        http=http_protocol(),
        log_level="critical",  # its error messages may contain texts
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        backlog=BACKLOG,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=max(1, int(stop_seconds)),
    )
    address = f"http://{shown}:{port}/"
    server = _Server(config, services, lambda: started(address), drain_seconds)
    with listening:
        # Opened here, so that problems with a model or the folder are raised.
        services.registry.open()
        _summarise(services)
        try:
            server.run(sockets=[listening])
        finally:
            services.registry.close()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        if error.errno is not None and error.errno < 0:  # of the resolution of names
            raise ServiceError(f"There is no host {host}. Check --host.") from error
        if error.errno == errno.EADDRINUSE:
            raise ServiceError(
                f"Port {port} is in use; choose another with --port, or 0 for any free one."
            ) from error
        raise ServiceError(f"Cannot listen on {host}, port {port}: {error.strerror}.") from error


def _summarise(services: Services) -> None:
    """Log what is served, and all that is wrong with it."""
    for name, queue in services.registry:
        model = queue.model
        log.info("model %s: %s, change %d", name, model.condition, model.number)
        for about, problem in model.problems.items():
            log.warning("model %s: %s: %s", name, about, problem)
    count = len(services.registry)
    plural = "" if count == 1 else "s"
    log.info("%d model%s from %s", count, plural, services.registry.folder.path)
