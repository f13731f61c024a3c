"""Which endpoint a path leads to."""

from collections.abc import Awaitable, Iterable
from functools import lru_cache
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from addhash.service.endpoint import Endpoint

# Keys that no piece of a path equals: for a parameter, and for the endpoint of what came before.
ANY, END = 0, 1


class Routes:
    """Endpoints by path: each piece of a path leads to the table of the next.

    A piece that is written out comes before a parameter, and a parameter is never empty. However
    many paths there are, finding one takes as many steps as it has pieces.
    """

    def __init__(self, endpoints: Iterable[Endpoint], nowhere: ASGIApp) -> None:
        self._nowhere = nowhere
        self._table: dict[str | int, Any] = {}
        self._known = lru_cache(64)(self._find)
        for endpoint in endpoints:
            table, names = self._table, []
            for piece in endpoint.path.split("/")[1:]:
                is_parameter = piece.startswith("{")
                if is_parameter:
                    names.append(piece.strip("{}"))
                table = table.setdefault(ANY if is_parameter else piece, {})
            table[END] = endpoint, names

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Let the endpoint of the path answer."""
        path, mounted = scope["path"], scope.get("root_path", "")
        if mounted and path.startswith(f"{mounted}/"):
            path = path[len(mounted) :]
        endpoint, scope["path_params"] = self._known(path)
        answered: Awaitable[None] = endpoint(scope, receive, send)
        return answered

    def _find(self, path: str) -> tuple[ASGIApp, dict[str, str]]:
        found, values = self._table, []
        for piece in path.split("/")[1:]:
            known = found.get(piece)
            if known is None and piece:
                known = found.get(ANY)
                values.append(piece)
            found = known or {}
        endpoint, names = found.get(END, (self._nowhere, ()))
        return endpoint, dict(zip(names, values, strict=False))
