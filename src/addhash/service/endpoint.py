"""One path of the server: who may use it, what it takes, and what it returns."""

import asyncio
import hmac
import logging
import sqlite3
import traceback
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import monotonic, perf_counter
from typing import Any, Literal, TypeVar
from urllib.parse import parse_qsl

import msgspec
from starlette.types import Receive, Scope, Send

from addhash.errors import (
    AddhashError,
    ExampleError,
    MergeError,
    NotFittedError,
)
from addhash.service.kept import Kept
from addhash.service.metrics import Metrics
from addhash.service.problems import RequestError
from addhash.service.settings import Settings
from addhash.service.shelf import Shelf

__all__ = ["Answer", "Call", "ClientGoneError", "Endpoint", "Operation", "Services"]

T = TypeVar("T")
Headers = list[tuple[bytes, bytes]]

log = logging.getLogger("addhash.service")

JSON, PROBLEM = b"application/json", b"application/problem+json"
POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    b" connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# Data that no browser mistakes for a page. Answers to POST are never cached, so need not forbid it.
POST_HEADERS: Headers = [(b"x-content-type-options", b"nosniff")]
HEADERS: Headers = [*POST_HEADERS, (b"cache-control", b"no-store")]
PAGE_HEADERS: Headers = [
    (b"content-security-policy", POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),
]
# Work that is shorter than a round trip to another thread is done at once.
INLINE_SECONDS = 0.001
INLINE_CHARACTERS = 2000
INLINE_TEXTS = 4
WATCH_SECONDS = 0.5
LATE = -1.0
RETRY = {"Retry-After": "1"}


class ClientGoneError(Exception):
    """The client has hung up."""


@dataclass
class Services:
    """What all operations share."""

    settings: Settings
    shelf: Shelf
    metrics: Metrics
    threads: ThreadPoolExecutor
    requests: int = 0  # now
    is_stopping: bool = False
    deadlines: dict["asyncio.Task[Any]", float] = field(default_factory=dict)
    kept: Kept = field(default_factory=Kept)
    paces: dict[str, float] = field(default_factory=dict)  # seconds of a small piece of work

    async def watch(self) -> None:
        """End the wait for requests that take too long to arrive.

        Checking all of them now and then costs less than a timer for each.
        """
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            now = monotonic()
            for task, deadline in list(self.deadlines.items()):
                if deadline < now:
                    self.deadlines[task] = LATE
                    task.cancel()

    def in_time(self) -> "_InTime":
        """Refuse a request that does not arrive in time: ``with services.in_time(): ...``."""
        return _InTime(self)

    async def work(self, call: Callable[[], T]) -> T:
        """Run native work in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, call)

    async def work_on(self, name: str, texts: Sequence[str], call: Callable[[], T]) -> T:
        """Run work on texts: here if it is small and the model known to be fast, else in a thread.

        `name` identifies the kind of work, to remember how long it takes.
        """
        if len(texts) > INLINE_TEXTS or sum(map(len, texts)) > INLINE_CHARACTERS:
            return await self.work(call)

        def timed() -> T:
            start = perf_counter()
            result = call()
            # Close to the recent minimum: other load on the machine does not make this work seem
            # long.
            self.paces[name] = min(perf_counter() - start, 1.25 * pace + 1e-5)
            return result

        pace = self.paces.get(name, 0.0)
        return timed() if pace < INLINE_SECONDS else await self.work(timed)

    def check_texts(self, texts: Sequence[str], most_length: int | None = None) -> None:
        """Refuse more or longer texts than allowed."""
        limits = self.settings
        if len(texts) > limits.max_texts:
            raise RequestError(
                422,
                f"Expected at most {limits.max_texts} texts per request, got {len(texts)}.",
                limit=limits.max_texts,
                value=len(texts),
            )
        most = limits.max_length if most_length is None else most_length
        for i, text in enumerate(texts):
            if len(text) > most:
                raise RequestError(
                    422,
                    f"Expected texts of at most {most} characters; text {i} has {len(text)}.",
                    limit=most,
                    value=len(text),
                    position=i,
                )


class _InTime:
    """A wait that `Services.watch` may end."""

    __slots__ = ("_services", "_task")

    def __init__(self, services: Services) -> None:
        self._services = services
        self._task = asyncio.current_task()

    def __enter__(self) -> None:
        assert self._task is not None
        seconds = self._services.settings.body_seconds
        self._services.deadlines[self._task] = monotonic() + seconds

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        assert self._task is not None
        deadline = self._services.deadlines.pop(self._task)
        if kind is asyncio.CancelledError and deadline == LATE:
            self._task.uncancel()
            seconds = self._services.settings.body_seconds
            raise RequestError(
                408,
                f"The request took more than {seconds:g} seconds to arrive.",
                {"Connection": "close"},
                limit=seconds,
            ) from None


@dataclass(slots=True)
class Answer:
    """Bytes that are not JSON, or JSON that is already encoded."""

    body: bytes = b""
    media_type: bytes = JSON
    headers: Headers = field(default_factory=list)
    status: int = 200
    chunks: Iterable[bytes] | None = None  # instead of a body, one piece after another
    is_page: bool = False  # which a browser shows


@dataclass(slots=True)
class Call:
    """A request that has passed all checks."""

    services: Services
    scope: Scope
    receive: Receive
    body: Any  # of the operation's type
    raw: bytes

    @property
    def name(self) -> str:
        """The name of the model in the path."""
        return str(self.scope["path_params"]["model"])

    def header(self, name: bytes) -> str | None:
        """Return a header, by its name in lower case."""
        return _header(self.scope, name)

    def query(self) -> dict[str, str]:
        """Return the query string's parameters."""
        try:
            pairs = parse_qsl(
                self.scope["query_string"].decode("ascii"),
                keep_blank_values=True,
                max_num_fields=20,
                errors="strict",
            )
        except ValueError as error:
            raise RequestError(400, f"The query of the address is malformed: {error}") from error
        return dict(pairs)


@dataclass(frozen=True)
class Operation:
    """A method of a path. Both the routes and their description are made from these."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    summary: str
    handle: Callable[[Call], Awaitable[Any]]
    access: Literal["open", "read", "write"]
    takes: Any = None  # a type, or "file"
    gives: Any = None  # a type, or a media type
    query: tuple[str, ...] = ()

    @property
    def decoder(self) -> "msgspec.json.Decoder[Any] | None":
        """What reads the body, if it is JSON."""
        return None if self.takes in (None, "file") else msgspec.json.Decoder(self.takes)


class Endpoint:
    """All operations of one path, as an ASGI application."""

    def __init__(self, path: str, operations: Iterable[Operation], services: Services) -> None:
        self.path = path
        self._services = services
        self._operations = {o.method: (o, o.decoder) for o in operations}
        if "GET" in self._operations:
            self._operations["HEAD"] = self._operations["GET"]  # type: ignore[index]
        self._encode = msgspec.json.Encoder().encode

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, whatever happens."""
        start = perf_counter()
        services = self._services
        services.requests += 1
        try:
            answer = await self._answer(scope, receive)
        except ClientGoneError:
            return
        except Exception as error:
            answer = self._refusal(error, scope)
        finally:
            services.requests -= 1
        services.metrics.answered(self.path, answer.status, perf_counter() - start)
        if log.isEnabledFor(logging.INFO):
            # The path as declared: clients' names and texts do not belong in logs.
            seconds = perf_counter() - start
            log.info("%s %s %d %.1f ms", scope["method"], self.path, answer.status, seconds * 1e3)
        await self._send(answer, scope, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Answer:
        services = self._services
        try:
            operation, decoder = self._operations[scope["method"]]
        except KeyError:
            allowed = ", ".join(sorted(self._operations))
            raise RequestError(
                405, f"This path takes {allowed}.", {"Allow": allowed}, value=scope["method"][:20]
            ) from None
        if operation.access != "open":
            self._check_room()
            self._check_token(scope, operation)
        raw, body = b"", None
        if operation.takes is not None:
            self._check_type(scope, operation)
            if decoder is not None:
                raw = await self._read(scope, receive)
                body = self._decoded(raw, decoder, scope)
        result = await operation.handle(Call(services, scope, receive, body, raw))
        return result if isinstance(result, Answer) else Answer(self._encode(result))

    def _check_room(self) -> None:
        services, most = self._services, self._services.settings.max_requests
        if services.requests > most:
            raise RequestError(
                503, f"More than {most} requests at a time; try again.", RETRY, limit=most
            )

    def _check_token(self, scope: Scope, operation: Operation) -> None:
        settings = self._services.settings
        if not settings.has_token:
            return
        if operation.access == "read" and settings.read_token is None:
            return
        sent = (_header(scope, b"authorization") or "").encode()
        kinds = [settings.write_token]
        if operation.access == "read":
            kinds.append(settings.read_token)
        # All are compared, so that the timing reveals nothing.
        matches = [hmac.compare_digest(sent, f"Bearer {t}".encode()) for t in kinds if t]
        if any(matches):
            return
        if operation.access == "write" and settings.write_token is None:
            raise RequestError(403, "This server accepts no changes: it has no write token.")
        raise RequestError(
            401,
            f"Expected the {operation.access} token as 'Authorization: Bearer TOKEN',"
            f" got {'another one' if sent else 'none'}.",
            {"WWW-Authenticate": "Bearer"},
        )

    def _check_type(self, scope: Scope, operation: Operation) -> None:
        """Refuse what another site's page can send: only these types make a browser ask first."""
        if _header(scope, b"content-encoding") not in (None, "identity"):
            raise RequestError(415, "Expected a body without a Content-Encoding.")
        if operation.access != "write":
            return
        wanted = "application/octet-stream" if operation.takes == "file" else "application/json"
        sent = (_header(scope, b"content-type") or "").partition(";")[0].strip().lower()
        if sent != wanted:
            raise RequestError(
                415, f"Expected the Content-Type {wanted}.", limit=wanted, value=sent[:100]
            )

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        limits = self._services.settings
        chunks, size = [], 0
        announced = _header(scope, b"content-length")
        if announced is not None and announced.isdecimal():
            _check_size(int(announced), limits.max_body)
        with self._services.in_time():
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGoneError
                chunk = message.get("body", b"")
                size += len(chunk)
                _check_size(size, limits.max_body)
                chunks.append(chunk)
                if not message.get("more_body", False):
                    return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def _decoded(self, raw: bytes, decoder: "msgspec.json.Decoder[Any]", scope: Scope) -> Any:
        start = _header(scope, b"inference-header-content-length")
        if start is not None:
            if not (start.isdecimal() and int(start) <= len(raw)):
                raise RequestError(
                    400,
                    "Expected the length of the JSON part as Inference-Header-Content-Length, at"
                    f" most {len(raw)}.",
                    limit=len(raw),
                    value=start[:20],
                )
            raw = raw[: int(start)]
        try:
            return decoder.decode(raw)
        except msgspec.ValidationError as error:
            raise RequestError(422, f"The request is not as expected: {error}") from error
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise RequestError(400, f"The body is not valid JSON: {error}") from error

    def _refusal(self, error: Exception, scope: Scope) -> Answer:
        refused = _as_request_error(error)
        body = refused.body()
        if self.path.startswith("/v2"):
            body["error"] = refused.detail  # where clients of the Open Inference Protocol look
        headers = [(k.lower().encode(), v.encode()) for k, v in refused.headers.items()]
        return Answer(self._encode(body), PROBLEM, headers, refused.status)

    async def _send(self, answer: Answer, scope: Scope, send: Send) -> None:
        usual = POST_HEADERS if scope["method"] == "POST" else HEADERS
        if answer.is_page:
            usual = PAGE_HEADERS
        headers = [(b"content-type", answer.media_type), *usual, *answer.headers]
        if answer.chunks is None:
            headers.append((b"content-length", str(len(answer.body)).encode()))
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        if scope["method"] == "HEAD":
            await send({"type": "http.response.body", "body": b""})
            return
        if answer.chunks is not None:
            chunks = iter(answer.chunks)
            try:
                while (chunk := await self._services.work(lambda: next(chunks, None))) is not None:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
            finally:
                close = getattr(chunks, "close", None)
                if close is not None:
                    close()
        await send({"type": "http.response.body", "body": answer.body})


def _header(scope: Scope, wanted: bytes) -> str | None:
    for name, value in scope["headers"]:
        if name == wanted:
            return bytes(value).decode("latin-1")
    return None


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise RequestError(
            413,
            f"Expected a body of at most {most} bytes, got {size} or more.",
            {"Connection": "close"},
            limit=most,
            value=size,
        )


def _as_request_error(error: Exception) -> RequestError:
    if isinstance(error, RequestError):
        return error
    if isinstance(error, ExampleError | MergeError | NotFittedError):
        return RequestError(409, " ".join(str(error).split()))
    if isinstance(error, AddhashError):
        return RequestError(422, " ".join(str(error).split()))
    # Where it happened, but not the message, which may contain a text.
    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = ", ".join(f"{frame.filename}:{frame.lineno}" for frame in where)
    log.error("%s at %s", type(error).__name__, place)
    if isinstance(error, sqlite3.Error | OSError):
        return RequestError(
            507, "The disk cannot be read or written at the moment; try again later."
        )
    if isinstance(error, MemoryError):
        return RequestError(503, "There is currently not enough memory for this.", RETRY)
    return RequestError(500, "Something unexpected happened; the log says where.")
