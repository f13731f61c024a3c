"""What can be wrong with a request, in the one format of every error (RFC 9457)."""

from http import HTTPStatus
from typing import Any

__all__ = ["RequestError"]


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
