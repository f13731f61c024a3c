"""Health, metrics, the web page, and the description of all paths."""

import csv
import hashlib
import io
import mimetypes
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from addhash.sample import load_messages
from addhash.service import messages as m
from addhash.service.operation import Answer, Call, operation
from addhash.service.problems import RequestError

TYPES = {".js": "text/javascript", ".svg": "image/svg+xml"}


@operation("GET", "/health/live", "open", gives=m.Live)
async def live(call: Call) -> m.Live:
    """Check whether the server is alive."""
    return m.Live(True)


@operation("GET", "/health/ready", "open", gives=m.Ready)
async def ready(call: Call) -> Answer:
    """Check whether the server is ready."""
    services = call.services
    is_ready = not services.is_stopping
    answer = m.Ready(is_ready)
    if not call.is_stranger:
        models = {name: queue.model for name, queue in services.registry}
        answer.models = {name: model.condition for name, model in models.items()}
        answer.problems = {name: dict(one.problems) for name, one in models.items() if one.problems}
    return Answer(msgspec.json.encode(answer), status=200 if is_ready else 503)


@operation("GET", "/metrics", "read", gives="text/plain")
async def metrics(call: Call) -> Answer:
    """Return counts and conditions."""
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
            found[file.name] = content, kind.encode(), _tag(content)
    sample = _sample()
    found["messages.csv"] = sample, b"text/csv; charset=utf-8", _tag(sample)
    return found


def _tag(content: bytes) -> bytes:
    return f'"{hashlib.sha256(content).hexdigest()[:20]}"'.encode()


def _sample() -> bytes:
    """Return the sample messages as a table, to start with."""
    texts, labels = load_messages()
    file = io.StringIO()
    csv.writer(file).writerows([("label", "text"), *zip(labels, texts, strict=True)])
    return file.getvalue().encode()


@operation("GET", "/page/{file}", "open", gives="*/*")
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


@operation("GET", "/", "open", gives="text/html")
async def front(call: Call) -> Any:
    """Return the page."""
    return await page.handle(call)


@operation("GET", "/docs", "open", gives="text/html")
async def guide(call: Call) -> Answer:
    """Show the API, for people."""
    content, kind, tag = _pages()["docs.html"]
    return Answer(content, kind, [(b"etag", tag)], is_page=True)
