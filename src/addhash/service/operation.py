"""An operation of the server: who may use it, what it takes, and what it returns."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qsl

import msgspec
from starlette.types import Receive, Scope

from addhash.service.change_queue import ChangeQueue
from addhash.service.problems import RequestError
from addhash.service.services import Services
from addhash.service.taught_model import TaughtModel

Headers = list[tuple[bytes, bytes]]
JSON = b"application/json"
# Where the headers of a request are in its scope by name, which the gate puts there.
HEADERS = "addhash.headers"
Sent = dict[bytes, bytes]


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
    operation: "Operation"
    scope: Scope
    receive: Receive
    body: Any  # of the operation's type
    raw: bytes
    is_stranger: bool = False  # without a token where asking needs one

    @property
    def name(self) -> str:
        """The name of the model in the path."""
        return str(self.scope["path_params"]["model"])

    @property
    def queue(self) -> ChangeQueue:
        """The model in the path, and the queue of its changes."""
        return self.services.registry[self.name]

    @property
    def model(self) -> TaughtModel:
        """The model in the path."""
        return self.queue.model

    def header(self, name: bytes) -> str | None:
        """Return a header, by its name in lower case."""
        value = self.scope[HEADERS].get(name)
        return None if value is None else str(value, "latin-1")

    def query(self) -> dict[str, str]:
        """Return the query string's parameters, which are those of the operation."""
        try:
            pairs = parse_qsl(
                self.scope["query_string"].decode("ascii"),
                keep_blank_values=True,
                max_num_fields=20,
                errors="strict",
            )
        except ValueError as error:
            raise RequestError(400, f"The query string is malformed: {error}") from error
        query, allowed = dict(pairs), self.operation.query
        if not query.keys() <= set(allowed):
            raise RequestError(422, f"Expected no other parameters than {', '.join(allowed)}.")
        return query

    def flag(self, name: str) -> bool:
        """Return whether a parameter of the query string is 1; it may be left out."""
        value = self.query().get(name)
        if value not in (None, "1"):
            raise RequestError(422, f"Expected {name}=1, or no {name}.", value=value[:40])
        return value is not None


Handler = Callable[[Call], Awaitable[Any]]
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Access = Literal["open", "read", "write"]


@dataclass(frozen=True)
class Operation:
    """A method of a path. Both the routes and their description are made from these."""

    method: Method
    path: str
    handle: Handler
    access: Access
    takes: Any = None  # a type, or "file"
    gives: Any = None  # a type, or a media type
    query: tuple[str, ...] = ()
    status: int = 200

    @property
    def summary(self) -> str:
        """What it does, in a line."""
        return (self.handle.__doc__ or "").partition("\n")[0].rstrip(".")

    @property
    def tag(self) -> str:
        """The subject that it belongs to."""
        return self.handle.__module__.rpartition(".")[2]

    @property
    def decoder(self) -> "msgspec.json.Decoder[Any] | None":
        """What reads the body, if it is JSON."""
        return None if self.takes in (None, "file") else msgspec.json.Decoder(self.takes)


def operation(
    method: Method, path: str, access: Access, **more: Any
) -> Callable[[Handler], Operation]:
    """Make an operation of the function that handles it: ``@operation("GET", "/", "open")``."""
    return lambda handle: Operation(method, path, handle, access, **more)
