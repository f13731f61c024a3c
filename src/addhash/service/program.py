"""The server as a program: it listens, reloads on SIGHUP, and finishes its work on SIGTERM."""

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from typing import Any

import uvicorn

from addhash.errors import AddhashError
from addhash.service.app import create_app
from addhash.service.endpoint import Services
from addhash.service.settings import Settings

__all__ = ["serve"]

log = logging.getLogger("addhash.service")

BACKLOG = 1024
CONNECTIONS = 1000  # including those that send nothing
LOOK_TICKS = 20  # of 0.1 seconds
IDLE_LOOKS = 15


class _Server(uvicorn.Server):
    """Uvicorn with our own signal handling."""

    def __init__(
        self, config: uvicorn.Config, services: Services, started: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._services = services
        self._announce = started
        self._idle: dict[Any, tuple[Any, int]] = {}  # by connection: its last request, and looks

    async def startup(self, sockets: Any = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        if self.started:
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
        # On a second signal, connections are cut. What is in the ledger stays.
        self.force_exit = self.should_exit
        self.should_exit = True
        self._services.is_stopping = True

    def _reload(self) -> None:
        self._services.threads.submit(reload, self._services)


def reload(services: Services) -> None:
    """Reload the given model files; if one cannot be read, the old model stays in use."""
    jobs = {name: writer.aside(writer.model.reload) for name, writer in services.shelf}
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
    log_level: str = "warning",
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
    log_level : str
        "info" logs each request, without its content.
    """
    settings = Settings() if settings is None else settings
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    log.setLevel(log_level.upper())
    app = create_app(given, data=data, settings=settings)
    services: Services = app.state.services
    host = settings.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, settings.port), family=family, backlog=BACKLOG)
    # Send answers at once: without this, a client with delayed acknowledgements waits 40 ms for
    # them.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    port = listening.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    config = uvicorn.Config(
        app,
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
    server = _Server(config, services, lambda: started(f"http://{shown}:{port}/"))
    with listening:
        # Opened here, so that problems with a model or the folder are raised.
        services.shelf.open()
        try:
            server.run(sockets=[listening])
        finally:
            services.shelf.close()
