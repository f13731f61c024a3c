"""The HTTP parser that uvicorn is to use."""

from typing import Any

__all__ = ["http_protocol"]


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
            scheme, separator, rest = self.url.partition(b"://")
            if separator and b"/" not in scheme:
                named = rest.partition(b"/")[0].partition(b"?")[0]
                self.headers[:] = [pair for pair in self.headers if pair[0] != b"host"]
                self.headers.append((b"host", named))
            super().on_headers_complete()

    return Protocol
