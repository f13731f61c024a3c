"""What can be wrong with a request, in the one format of every error (RFC 9457)."""

import sqlite3
import traceback
from http import HTTPStatus
from typing import Any

from addhash.errors import AddhashError, ExampleError, MergeError, NotFittedError
from addhash.service.errors import (
    BusyError,
    ConflictError,
    InvalidError,
    KeyReusedError,
    ServiceError,
    StorageError,
    UnavailableError,
    UnknownError,
)
from addhash.service.logs import log

RETRY = {"Retry-After": "1"}
STATUSES: dict[type[ServiceError], int] = {
    UnknownError: 404,
    ConflictError: 409,
    InvalidError: 422,
    KeyReusedError: 422,
    BusyError: 503,
    UnavailableError: 503,
    StorageError: 507,
}


class ClientGoneError(Exception):
    """The client has hung up."""


class RequestError(Exception):
    """A refused request: its status, why, and what was expected.

    Parameters
    ----------
    status : int
        The status of the answer.
    detail : str
        What was expected, what was received, and what to do next.
    headers : dict, optional
        More headers of the answer.
    **members
        Details for programs, such as `limit` and `value`.
    """

    def __init__(
        self, status: int, detail: str, headers: dict[str, str] | None = None, **members: Any
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers or {}
        self.members = members

    def body(self) -> dict[str, Any]:
        """Return the members of the answer."""
        return {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
        } | self.members


def as_request_error(error: Exception) -> RequestError:
    """Return the refusal of a request during which something went wrong."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, ServiceError):
        headers = {"Retry-After": str(error.seconds)} if isinstance(error, BusyError) else {}
        status = STATUSES.get(type(error), 500)
        return RequestError(status, error.detail, headers, **error.members)
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
