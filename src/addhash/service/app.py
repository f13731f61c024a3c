"""The server as an ASGI application."""

import os
import re
from collections.abc import AsyncIterator, Awaitable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import lru_cache
from itertools import chain, groupby
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from addhash.service.endpoint import Endpoint
from addhash.service.metrics import Metrics
from addhash.service.openapi import describe
from addhash.service.operation import HEADERS, Answer, Call, Operation, operation
from addhash.service.operations import (
    about,
    answers,
    evaluation,
    files,
    models,
    teaching,
    versions,
)
from addhash.service.problems import RequestError
from addhash.service.registry import ModelRegistry
from addhash.service.routes import Routes
from addhash.service.services import Services
from addhash.service.settings import Settings

MOST_HEADERS = 1 << 15
GZIP_BYTES, GZIP_LEVEL = 1000, 5
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:@/]+)(?::\d{1,5})?")
VERSIONS = frozenset(["1.0", "1.1", "2"])
# Why a request may lead nowhere: the status and what to say.
REFUSALS = {
    "host": (
        421,
        "This server does not answer to that host name; allow it as a trusted host.",
    ),
    "headers": (431, f"Expected headers of at most {MOST_HEADERS} bytes."),
    "version": (505, "Expected HTTP/1.1."),
    "framing": (
        400,
        "Expected one Content-Length or a Transfer-Encoding, got more than one of them.",
    ),
    "path": (404, "There is nothing at this path; /openapi.json lists all paths."),
}


def create_app(
    given: Iterable[str] = (), *, data: Any, settings: Settings | None = None
) -> Starlette:
    """Return the server as an ASGI application, for any ASGI server.

    Its models are opened when it starts and closed when it stops (the ASGI lifespan). Mounted in
    another application, which does not pass that on, it opens them at the first request. One
    process serves a folder.

    Parameters
    ----------
    given : iterable of str
        Model files, or NAME=FILE.
    data : path-like
        The folder that keeps what is learnt.
    settings : Settings, optional

    Returns
    -------
    app : Starlette
        Its ``state.services`` has the models.

    Examples
    --------
    >>> import tempfile
    >>> from starlette.testclient import TestClient
    >>> from addhash.service import create_app
    >>> folder = tempfile.TemporaryDirectory()
    >>> with TestClient(create_app(data=folder.name), base_url="http://localhost") as client:
    ...     made = client.post("/v1/models", json={"name": "mail"})
    ...     lesson = {"texts": ["win a prize", "see you at lunch"], "labels": ["spam", "ham"]}
    ...     learnt = client.post("/v1/models/mail/examples", json=lesson)
    ...     answer = client.post("/v1/models/mail/predict", json={"texts": ["a big prize"]})
    >>> learnt.json()["ids"], answer.json()["predictions"][0]["label"]
    ([1, 2], 'spam')
    >>> folder.cleanup()
    """
    settings = Settings() if settings is None else settings
    registry = ModelRegistry(data, given, with_languages=settings.languages)
    threads = ThreadPoolExecutor(2 + (os.cpu_count() or 1), thread_name_prefix="addhash")
    services = Services(settings, registry, Metrics(registry), threads)
    services.metrics.in_flight = lambda: services.requests

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await services.open()
        yield
        services.is_stopping = True
        await services.close()

    refusals = {why: _Nowhere(services, why) for why in REFUSALS}
    operations = sorted(all_operations(), key=lambda o: o.path)
    grouped = groupby(operations, key=lambda o: o.path)
    endpoints = (Endpoint(path, list(group), services) for path, group in grouped)
    inner: ASGIApp = Routes(endpoints, refusals["path"])
    if settings.allowed_origins:
        inner = CORSMiddleware(
            inner,
            allow_origins=settings.allowed_origins,
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "X-Request-ID"],
            expose_headers=["Idempotent-Replayed", "Location", "Retry-After", "X-Request-ID"],
        )
    app = _Application(lifespan=lifespan)
    app.gate = _Gate(inner, app.router, services, refusals)
    app.state.services = services
    return app


def all_operations() -> list[Operation]:
    """Return all operations of the server."""
    parts = (answers, teaching, models, versions, evaluation, files, about)
    found = [one for part in parts for one in vars(part).values() if isinstance(one, Operation)]

    @operation("GET", "/openapi.json", "open", gives="application/json")
    async def description(call: Call) -> Answer:
        """Return the description of all paths."""
        return Answer(text)

    operations = [*found, description]
    text = msgspec.json.encode(describe(operations))
    return operations


class _Application(Starlette):
    """Starlette without its layers: endpoints answer whatever happens."""

    gate: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through the gate."""
        await self.gate(scope, receive, send)


class _Nowhere(Endpoint):
    """Requests that lead to no endpoint, for one of the REFUSALS."""

    def __init__(self, services: Services, why: str) -> None:
        super().__init__(f"({why})", [], services)
        self._why = why

    async def _answer(self, scope: Scope, receive: Receive) -> Answer:
        headers = {} if self._why == "path" else {"Connection": "close"}
        limits: dict[str, Any] = {"limit": MOST_HEADERS} if self._why == "headers" else {}
        raise RequestError(*REFUSALS[self._why], headers, **limits)


class _Gate:
    """Refuse requests for other host names, and endless headers.

    Another site's page can make its own name resolve to this server (DNS rebinding); the browser
    then sends that name.
    """

    def __init__(
        self,
        app: ASGIApp,
        lifespan: ASGIApp,
        services: Services,
        refusals: Mapping[str, ASGIApp],
    ) -> None:
        self._app = app
        self._gzip = GZipMiddleware(app, GZIP_BYTES, GZIP_LEVEL)
        self._lifespan = lifespan
        self._services = services
        self._hosts = services.settings.hosts
        self._is_ours = lru_cache(64)(self._is_host)
        self._refusals = refusals

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] == "http":
            why = self._reason(scope)
            if why:
                return self._refusals[why](scope, receive, send)
            if not self._services.is_open:
                return self._open(scope, receive, send)
            # Clients that take no gzip pay nothing for it.
            takes = b"gzip" in scope[HEADERS].get(b"accept-encoding", b"")
            return (self._gzip if takes else self._app)(scope, receive, send)
        if scope["type"] == "websocket":
            return send({"type": "websocket.close", "code": 1008})
        return self._lifespan(scope, receive, send)

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the first request to an application that was never told to start."""
        await self._services.open()
        await self._app(scope, receive, send)

    def _reason(self, scope: Scope) -> str | None:
        """Return why a request is refused."""
        sent = scope["headers"]
        headers = scope[HEADERS] = dict(reversed(sent))  # the first of each name
        if sum(map(len, chain.from_iterable(sent))) > MOST_HEADERS:
            return "headers"
        if scope["http_version"] not in VERSIONS:
            return "version"
        if len(headers) < len(sent) or b"transfer-encoding" in headers:
            names = [name for name, _ in sent]
            if names.count(b"content-length") + names.count(b"transfer-encoding") > 1:
                # Where a request ends would depend on who reads it (RFC 9112, 6.1).
                return "framing"
            if names.count(b"host") > 1:
                return "host"
        if b"host" not in headers or not self._is_ours(headers[b"host"]):
            return "host"
        # An encoded slash could slip past a proxy that allows only some paths.
        path = scope.get("raw_path", b"")
        return "path" if b"%" in path and b"%2f" in path.lower() else None

    def _is_host(self, host: bytes) -> bool:
        """Whether the server answers to a name, which may have a port."""
        found = HOST.fullmatch(host.decode("latin-1").lower())
        return "*" in self._hosts or (found is not None and found[1] in self._hosts)
