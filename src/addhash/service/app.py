"""The server as an ASGI application."""

import os
import re
from collections.abc import AsyncIterator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from itertools import groupby
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from addhash.service.endpoint import Endpoint
from addhash.service.metrics import Metrics
from addhash.service.openapi import describe
from addhash.service.operation import Answer, Call, Operation
from addhash.service.operations import (
    about,
    answers,
    evaluation,
    files,
    models,
    protocol,
    teaching,
    versions,
)
from addhash.service.problems import RequestError
from addhash.service.registry import ModelRegistry
from addhash.service.services import Services
from addhash.service.settings import Settings

__all__ = ["all_operations", "create_app"]

MOST_HEADERS = 1 << 15
GZIP_BYTES, GZIP_LEVEL = 1000, 5
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:@/]+)(?::\d{1,5})?")
VERSIONS = ("1.0", "1.1", "2")
FRAMING = (b"content-length", b"transfer-encoding")


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

    operations = all_operations()
    ordered = sorted(enumerate(operations), key=lambda pair: (_rank(pair[1]), pair[0]))
    grouped = groupby((o for _, o in ordered), key=lambda o: o.path)
    routes = [Route(path, Endpoint(path, list(group), services)) for path, group in grouped]
    app = _Application(routes=routes, lifespan=lifespan)
    app.router.redirect_slashes = False
    app.router.default = _Nowhere(services)
    refusals: dict[str, ASGIApp] = {
        why: _Nowhere(services, why) for why in ("host", "headers", "version", "framing", "path")
    }
    inner: ASGIApp = _Compressed(app.router)
    if settings.allowed_origins:
        inner = CORSMiddleware(
            inner,
            allow_origins=settings.allowed_origins,
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "X-Request-ID"],
            expose_headers=["Idempotent-Replayed", "Location", "Retry-After", "X-Request-ID"],
        )
    app.gate = _Gate(inner, services, refusals)
    app.state.services = services
    return app


def _rank(operation: Operation) -> tuple[int, str]:
    """Put the most frequent requests first: routes are tried one after another."""
    frequent = ("/predict", "/infer", "/examples")
    place = next((i for i, end in enumerate(frequent) if operation.path.endswith(end)), 9)
    return place, operation.path


def all_operations() -> list[Operation]:
    """Return all operations of the server."""
    parts = (answers, teaching, models, versions, evaluation, files, protocol, about)
    operations = [operation for part in parts for operation in part.OPERATIONS]

    async def description(call: Call) -> Answer:
        return Answer(text)

    operations.append(
        Operation(
            "GET",
            "/openapi.json",
            "This description",
            description,
            "open",
            None,
            "application/json",
        )
    )
    text = msgspec.json.encode(describe(operations))
    return operations


class _Application(Starlette):
    """Starlette without its exception layers: endpoints answer whatever happens."""

    gate: ASGIApp

    def build_middleware_stack(self) -> ASGIApp:
        """Return what requests pass through."""
        return self.gate


class _Compressed:
    """Compress long answers for clients that take gzip; others pay nothing for it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._gzip = GZipMiddleware(app, GZIP_BYTES, GZIP_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        takes = scope["type"] == "http" and any(
            name == b"accept-encoding" and b"gzip" in value for name, value in scope["headers"]
        )
        await (self._gzip if takes else self._app)(scope, receive, send)


class _Nowhere(Endpoint):
    """Unknown paths and unknown host names."""

    def __init__(self, services: Services, why: str = "path") -> None:
        super().__init__(f"({why})", [], services)
        self._why = why

    async def _answer(self, scope: Scope, receive: Receive) -> Answer:
        if self._why == "host":
            raise RequestError(
                421,
                "This server does not answer to that host name; allow it as a trusted host.",
                {"Connection": "close"},
            )
        if self._why == "headers":
            raise RequestError(
                431,
                f"Expected headers of at most {MOST_HEADERS} bytes.",
                {"Connection": "close"},
                limit=MOST_HEADERS,
            )
        if self._why == "version":
            raise RequestError(505, "Expected HTTP/1.1.", {"Connection": "close"})
        if self._why == "framing":
            raise RequestError(
                400,
                "Expected one Content-Length or a Transfer-Encoding, got more than one of them.",
                {"Connection": "close"},
            )
        raise RequestError(404, "There is nothing at this path; /openapi.json lists all paths.")


class _Gate:
    """Refuse requests for other host names, and endless headers.

    Another site's page can make its own name resolve to this server (DNS rebinding); the browser
    then sends that name.
    """

    def __init__(self, app: ASGIApp, services: Services, refusals: dict[str, ASGIApp]) -> None:
        self._app = app
        self._services = services
        self._hosts = services.settings.hosts
        self._refusals = refusals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            sent, size, framing = [], 0, 0
            for name, value in scope["headers"]:
                size += len(name) + len(value)
                if name == b"host":
                    sent.append(value)
                elif name in FRAMING:
                    framing += 1
            why = ""
            if size > MOST_HEADERS:
                why = "headers"
            elif scope["http_version"] not in VERSIONS:
                why = "version"
            elif framing > 1:
                # Where a request ends would depend on who reads it (RFC 9112, 6.1).
                why = "framing"
            if why:
                await self._refusals[why](scope, receive, send)
                return
            is_known = len(sent) == 1 and _without_port(sent[0]) in self._hosts
            if not is_known and (len(sent) != 1 or "*" not in self._hosts):
                await self._refusals["host"](scope, receive, send)
                return
            if not self._services.is_open:
                await self._services.open()
            # An encoded slash could slip past a proxy that allows only some paths.
            if b"%2f" in scope.get("raw_path", b"").lower():
                await self._refusals["path"](scope, receive, send)
                return
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        await self._app(scope, receive, send)


def _without_port(host: bytes) -> str:
    found = HOST.fullmatch(host.decode("latin-1").lower())
    return "" if found is None else found[1]
