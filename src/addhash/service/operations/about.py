"""Health, metrics, the web page, and the description of all paths."""

import hashlib
import mimetypes
from functools import cache
from importlib.resources import files

import msgspec

from addhash.service import messages as m
from addhash.service.endpoint import Answer, Call, Operation
from addhash.service.problems import RequestError

__all__ = ["OPERATIONS"]

TYPES = {".js": "text/javascript", ".svg": "image/svg+xml"}


async def live(call: Call) -> m.Live:
    """Return whether the server is alive."""
    return m.Live(True)


async def ready(call: Call) -> Answer:
    """Return whether the server is ready, and what is wrong."""
    services = call.services
    models = {name: writer.model for name, writer in services.shelf}
    is_ready = not services.is_stopping
    answer = m.Ready(
        is_ready,
        {name: model.condition for name, model in models.items()},
        {name: dict(model.problems) for name, model in models.items() if model.problems},
    )
    return Answer(msgspec.json.encode(answer), status=200 if is_ready else 503)


async def metrics(call: Call) -> Answer:
    """Return metrics in Prometheus format."""
    text = call.services.metrics.text()
    return Answer(text, b"text/plain; version=0.0.4; charset=utf-8")


@cache
def _pages() -> dict[str, tuple[bytes, bytes, bytes]]:
    """Return the content, media type and tag of each file of the page."""
    found = {}
    for file in files("addhash.service").joinpath("page").iterdir():
        if file.is_file():
            content = file.read_bytes()
            suffix = "." + file.name.rpartition(".")[2]
            kind = TYPES.get(suffix) or mimetypes.guess_type(file.name)[0] or "text/plain"
            if kind.startswith("text/"):
                kind += "; charset=utf-8"
            tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
            found[file.name] = content, kind.encode(), tag.encode()
    return found


async def page(call: Call) -> Answer:
    """Return a file of the page."""
    name = call.scope["path_params"].get("file", "index.html")
    try:
        content, kind, tag = _pages()[name]
    except KeyError:
        raise RequestError(404, "There is nothing here.") from None
    headers = [(b"etag", tag)]
    if (call.header(b"if-none-match") or "").encode() == tag:
        return Answer(b"", kind, headers, 304, is_page=True)
    return Answer(content, kind, headers, is_page=True)


OPERATIONS = [
    Operation("GET", "/", "The page", page, "open", None, "text/html"),
    Operation("GET", "/page/{file}", "A file of the page", page, "open", None, "*/*"),
    Operation(
        "GET", "/v2/health/live", "Check whether the server is alive", live, "open", None, m.Live
    ),
    Operation(
        "GET", "/v2/health/ready", "Check whether the server is ready", ready, "open", None, m.Ready
    ),
    Operation("GET", "/metrics", "Counts and conditions", metrics, "read", None, "text/plain"),
]
