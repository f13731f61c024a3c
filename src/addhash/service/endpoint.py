"""All operations of one path, as an ASGI application."""

import hmac
import re
from collections.abc import Iterable
from logging import INFO, WARNING
from random import getrandbits
from time import perf_counter
from typing import Any

import msgspec
from starlette.types import Receive, Scope, Send

from addhash.service.logs import log, requests
from addhash.service.operation import HEADERS, Answer, Call, Headers, Operation, Sent
from addhash.service.problems import RETRY, ClientGoneError, RequestError, as_request_error
from addhash.service.services import Services

PROBLEM = b"application/problem+json"
REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
MOST_DRAINED = 64 << 20
POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    b" connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# Data that no browser mistakes for a page. Answers to POST are never cached, so need not forbid it.
POST_HEADERS: Headers = [(b"x-content-type-options", b"nosniff")]
GET_HEADERS: Headers = [*POST_HEADERS, (b"cache-control", b"no-store")]
PAGE_HEADERS: Headers = [
    (b"content-security-policy", POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),
]


class Endpoint:
    """All operations of one path, as an ASGI application."""

    def __init__(self, path: str, operations: Iterable[Operation], services: Services) -> None:
        self.path = path
        self._services = services
        self._has_tokens = services.settings.has_token
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
        seconds = perf_counter() - start
        services.metrics.answered(scope["method"], self.path, answer.status, seconds)
        is_logged = answer.status == 401 or requests.isEnabledFor(INFO)
        request = _request_id(scope[HEADERS], is_logged)
        if request:
            answer.headers.append((b"x-request-id", request))
        if is_logged:
            self._log(scope, answer, request, seconds)
        await self._send(answer, scope, send)

    def _log(self, scope: Scope, answer: Answer, request: bytes, seconds: float) -> None:
        """Log a request by its path as declared: clients' texts do not belong in logs."""
        client = (scope.get("client") or ("-",))[0]
        # The name only of a model that there is: any other one is a client's text.
        model = scope.get("path_params", {}).get("model", "")
        known = model if model in self._services.registry else "-"
        name = request.decode()
        details = {
            "request": name,
            "client": client,
            "method": scope["method"],
            "route": self.path,
            "model": known,
            "status": answer.status,
            "milliseconds": round(seconds * 1e3, 1),
            "bytes": len(answer.body),
        }
        message = "%s %s %d %.1f ms %s %s %s"
        values = (scope["method"], self.path, answer.status, seconds * 1e3, client, known, name)
        logger = log if answer.status == 401 else requests
        level = WARNING if answer.status == 401 else INFO
        logger.log(level, message, *values, extra={"details": details})

    async def _answer(self, scope: Scope, receive: Receive) -> Answer:
        services, headers = self._services, scope[HEADERS]
        known = self._operations.get(scope["method"])
        if known is None:
            allowed = ", ".join(sorted(self._operations))
            raise RequestError(
                405, f"This path takes {allowed}.", {"Allow": allowed}, value=scope["method"][:20]
            )
        operation, decoder = known
        is_stranger = False
        if operation.access == "open":
            is_stranger = self._is_stranger(headers)
        else:
            self._check_room()
            if self._has_tokens:
                self._check_token(headers, operation)
        raw, body = b"", None
        if operation.takes is not None:
            self._check_type(headers, operation)
            if decoder is not None:
                raw = await self._read(headers, receive)
                body = self._decoded(raw, decoder)
        call = Call(services, operation, scope, receive, body, raw, is_stranger)
        result = await operation.handle(call)
        return result if isinstance(result, Answer) else Answer(self._encode(result))

    def _check_room(self) -> None:
        services, most = self._services, self._services.settings.max_requests
        if services.requests > most:
            raise RequestError(
                503, f"More than {most} requests at a time; try again.", RETRY, limit=most
            )

    def _check_token(self, headers: Sent, operation: Operation) -> None:
        settings = self._services.settings
        if operation.access == "read" and settings.read_token is None:
            return
        held = self._held_by(headers)
        if held == "write" or held == operation.access:
            return
        if operation.access == "write" and settings.write_token is None:
            raise RequestError(403, "This server accepts no changes: it has no write token.")
        if held == "read":
            raise RequestError(403, "Expected the write token for a change, got the read token.")
        sent = headers.get(b"authorization")
        raise RequestError(
            401,
            f"Expected the {operation.access} token as 'Authorization: Bearer TOKEN',"
            f" got {'another one' if sent else 'none'}.",
            {"WWW-Authenticate": "Bearer"},
        )

    def _held_by(self, headers: Sent) -> str | None:
        """Return which token a request has: "read", "write" or None."""
        settings = self._services.settings
        scheme, _, sent = headers.get(b"authorization", b"").partition(b" ")
        given = sent.strip() if scheme.lower() == b"bearer" else b""
        tokens = {"write": settings.write_token, "read": settings.read_token}
        # All are compared, so that the timing reveals nothing.
        matches = {
            kind: hmac.compare_digest(given, token.encode())
            for kind, token in tokens.items()
            if token
        }
        return next((kind for kind, is_equal in matches.items() if is_equal), None)

    def _is_stranger(self, headers: Sent) -> bool:
        """Whether a request may not even ask."""
        return self._services.settings.read_token is not None and self._held_by(headers) is None

    def _check_type(self, headers: Sent, operation: Operation) -> None:
        """Refuse what another site's page can send: only these types make a browser ask first."""
        if b"content-encoding" in headers and headers[b"content-encoding"] != b"identity":
            raise RequestError(415, "Expected a body without a Content-Encoding.")
        if operation.access != "write":
            return
        wanted = "application/octet-stream" if operation.takes == "file" else "application/json"
        given = headers.get(b"content-type", b"").partition(b";")[0].decode("latin-1")
        sent = given.strip().lower()
        if sent != wanted:
            raise RequestError(
                415, f"Expected the Content-Type {wanted}.", limit=wanted, value=sent[:100]
            )

    async def _read(self, headers: Sent, receive: Receive) -> bytes:
        most = self._services.settings.max_body
        announced = headers.get(b"content-length", b"")
        if announced.isdigit() and int(announced) > most:
            if int(announced) <= MOST_DRAINED:
                await self._drain(receive)
            raise _too_large(int(announced), most)
        chunks, size, has_more = [], 0, True
        with self._services.in_time():
            while has_more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGoneError
                chunk, has_more = message.get("body", b""), message.get("more_body", False)
                size += len(chunk)
                if size > most:
                    raise _too_large(size, most)
                chunks.append(chunk)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    async def _drain(self, receive: Receive) -> None:
        """Take a body that is too large: some clients read no answer before they have sent it."""
        with self._services.in_time():
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGoneError
                if not message.get("more_body", False):
                    return

    def _decoded(self, raw: bytes, decoder: "msgspec.json.Decoder[Any]") -> Any:
        try:
            return decoder.decode(raw)
        except msgspec.ValidationError as error:
            raise RequestError(422, f"The request is not as expected: {error}") from error
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise RequestError(400, f"The body is not valid JSON: {error}") from error

    def _refusal(self, error: Exception, scope: Scope) -> Answer:
        refused = as_request_error(error)
        body = refused.body()
        headers = [(k.lower().encode(), v.encode()) for k, v in refused.headers.items()]
        return Answer(self._encode(body), PROBLEM, headers, refused.status)

    async def _send(self, answer: Answer, scope: Scope, send: Send) -> None:
        usual = POST_HEADERS if scope["method"] == "POST" else GET_HEADERS
        if answer.is_page:
            usual = PAGE_HEADERS
        headers = [(b"content-type", answer.media_type), *usual, *answer.headers]
        if answer.chunks is not None:
            await self._send_chunks(answer, headers, scope, send)
            return
        headers.append((b"content-length", b"%d" % len(answer.body)))
        body = b"" if scope["method"] == "HEAD" else answer.body
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _send_chunks(
        self, answer: Answer, headers: Headers, scope: Scope, send: Send
    ) -> None:
        chunks = iter(answer.chunks or ())
        try:
            await send({"type": "http.response.start", "status": answer.status, "headers": headers})
            if scope["method"] != "HEAD":
                while (chunk := await self._services.work(lambda: next(chunks, None))) is not None:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            close = getattr(answer.chunks, "close", None)
            if close is not None:
                close()


def _request_id(headers: Sent, is_logged: bool) -> bytes:
    """Return the id that a proxy gave a request; of a logged one that has none, a new one."""
    given = headers.get(b"x-request-id")
    if given is not None and REQUEST_ID.fullmatch(given):
        return given
    return b"%016x" % getrandbits(64) if is_logged else b""


def _too_large(size: int, most: int) -> RequestError:
    return RequestError(
        413,
        f"Expected a body of at most {most} bytes, got {size} or more.",
        {"Connection": "close"},
        limit=most,
        value=size,
    )
