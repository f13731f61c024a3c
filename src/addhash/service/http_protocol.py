"""The HTTP parser that uvicorn is to use."""

from typing import Any


def http_protocol() -> Any:
    """Return a protocol for uvicorn: that of httptools where it is installed, else its own choice.

    A target such as ``http://host/path`` names a host, which counts instead of the header
    (RFC 9112, 3.2.2). Uvicorn drops it with httptools, so the check of host names would not see it.
    """
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:
        return "auto"

    class Protocol(HttpToolsProtocol):
        def on_headers_complete(self) -> None:
            if not self.url.startswith(b"/"):
                scheme, separator, rest = self.url.partition(b"://")
                if separator and b"/" not in scheme:
                    named = rest.partition(b"/")[0].partition(b"?")[0]
                    self.headers[:] = [pair for pair in self.headers if pair[0] != b"host"]
                    self.headers.append((b"host", named))
            super().on_headers_complete()
            cycle: Any = self.cycle
            if self.scope["method"] != "HEAD":  # whose answer is a head alone
                cycle.transport = _Joined(cycle)

    return Protocol


class _Joined:
    """A transport that sends the head of an answer with the beginning of its body.

    Uvicorn writes the two one after the other, and uvloop sends whatever it gets at once: that
    would be two calls of the system, and two packets for the client to wait for.
    """

    __slots__ = ("_cycle", "_head", "_transport")

    def __init__(self, cycle: Any) -> None:
        self._cycle: Any = cycle  # until it writes the head: nothing is left for the collector
        self._transport, self._head = cycle.transport, b""

    def write(self, data: bytes) -> None:
        """Send data; keep the head of the answer until there is more."""
        if self._head:
            self._transport.write(self._head + data)
            self._head = b""
        elif self._cycle is not None and self._cycle.response_started:
            self._head, self._cycle = data, None
        else:
            self._transport.write(data)

    def close(self) -> None:
        """Send what is kept, and close the connection."""
        if self._head:
            self._transport.write(self._head)
        self._transport.close()

    def is_closing(self) -> bool:
        """Whether the connection is closing."""
        return bool(self._transport.is_closing())
