"""Models: create, show, upload, download and merge."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

import addhash
from addhash import TextClassifier
from addhash.errors import AddhashError
from addhash.service import messages as m
from addhash.service.change_queue import Change, ChangeQueue
from addhash.service.errors import ServiceError
from addhash.service.model_folder import reason_of
from addhash.service.operation import Answer, Call, operation
from addhash.service.operations.files import received
from addhash.service.operations.teaching import changed, key_of
from addhash.service.problems import RequestError
from addhash.service.taught_model import TaughtModel
from addhash.service.view import Draft

MODELS, MODEL = "/v1/models", "/v1/models/{model}"
FILE = "application/octet-stream"

CHUNK = 1 << 16


def _info(name: str, queue: ChangeQueue, digest: str | None = None) -> m.ModelInfo:
    model = queue.model
    classes: list[Any] = []
    counts: list[int] = []
    method = None
    taught = 0
    with suppress(ServiceError):
        classifier = model.view.classifier
        method = classifier.method
        classes, counts = classifier.classes_.tolist(), classifier.class_counts_.tolist()
        taught = model.count()
    return m.ModelInfo(
        id=name,
        created=model.created,
        condition=model.condition,
        problems=dict(model.problems),
        method=method,
        classes=classes,
        counts=counts,
        taught=taught,
        change=model.number,
        digest=digest,
    )


@operation("GET", MODELS, "read", gives=m.ModelList)
async def list_models(call: Call) -> m.ModelList:
    """List all models."""
    services = call.services
    models = await services.work(lambda: [_info(name, queue) for name, queue in services.registry])
    limits = services.settings
    return m.ModelList(
        models,
        limits.write_token is not None or limits.read_token is None,
        limits.languages,
        {
            "max_body": limits.max_body,
            "max_file": limits.max_file,
            "max_texts": limits.max_texts,
            "max_length": limits.max_length,
        },
        addhash.__version__,
    )


@operation("POST", MODELS, "write", takes=m.NewModel, gives=m.ModelInfo, status=201)
async def create(call: Call) -> Answer:
    """Start a model."""
    body: m.NewModel = call.body
    services = call.services
    request, registry = key_of(call), services.registry

    def work() -> tuple[ChangeQueue, bool]:
        if body.copy_of is not None:
            return registry.copy(body.name, body.copy_of, request)
        start = TextClassifier(body.method).partial_fit([], [])
        return registry.create(body.name, start, request)

    return await _created(call, body.name, *await services.work(work))


async def _created(call: Call, name: str, queue: ChangeQueue, is_repeated: bool) -> Answer:
    headers = [(b"idempotent-replayed", b"true")] * is_repeated
    headers += [(b"location", f"{call.scope.get('root_path', '')}/v1/models/{name}".encode())]
    info = await call.services.work(lambda: _info(name, queue))
    return Answer(msgspec.json.encode(info), status=201, headers=headers)


@operation("GET", MODEL, "read", gives=m.ModelInfo)
async def show(call: Call) -> m.ModelInfo:
    """Show a model and its digest."""
    services, name = call.services, call.name
    queue = services.registry[name]
    view = queue.model.view
    digest = await services.cache.get(
        services.work, name, "digest", view.number, view.classifier.digest
    )
    return await services.work(lambda: _info(name, queue, digest))


@operation("PATCH", MODEL, "write", takes=m.Rename, gives=m.ModelInfo)
async def rename(call: Call) -> Answer:
    """Rename a model."""
    body: m.Rename = call.body
    services = call.services
    request = key_of(call)
    queue, is_repeated = await services.work(
        lambda: services.registry.rename(call.name, body.name, request)
    )
    services.cache.drop(call.name)
    info = await services.work(lambda: _info(body.name, queue))
    headers = [(b"idempotent-replayed", b"true")] * is_repeated
    return Answer(msgspec.json.encode(info), headers=headers)


@operation("DELETE", MODEL, "write", takes=m.RemoveModel, gives=m.Removed)
async def remove(call: Call) -> m.Removed:
    """Delete a model for good."""
    body: m.RemoveModel = call.body
    if body.name != call.name:
        raise RequestError(
            422, "Expected the name of the model in the body, too: deleting cannot be undone."
        )
    await call.services.work(lambda: call.services.registry.remove(call.name))
    call.services.cache.drop(call.name)
    return m.Removed(body.name)


@operation("GET", f"{MODEL}/file", "read", gives=FILE)
async def download(call: Call) -> Answer:
    """Fetch a model as a file."""
    return await _written(call, ".model", call.model.download)


@operation("GET", f"{MODEL}/backup", "read", gives=FILE)
async def back_up(call: Call) -> Answer:
    """Fetch a model with all its examples, as of one moment."""
    return await _written(call, ".backup", call.model.back_up)


async def _written(call: Call, suffix: str, save: Callable[[Path], None]) -> Answer:
    """Return a file that `save` writes."""
    services = call.services

    def write() -> BinaryIO:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "copy")
            save(path)
            return path.open("rb")  # it needs no name: it is gone once it is closed

    file = await services.work(write)
    size = os.fstat(file.fileno()).st_size
    return downloaded(size, f"{call.name}{suffix}", Pieces(file))


def downloaded(size: int, name: str, pieces: Iterator[bytes]) -> Answer:
    """Return a file for the browser to save."""
    headers = [
        (b"content-disposition", f'attachment; filename="{name}"'.encode()),
        (b"content-length", str(size).encode()),
        (b"content-encoding", b"identity"),  # models do not get smaller
    ]
    return Answer(media_type=b"application/octet-stream", headers=headers, chunks=pieces)


class Pieces:
    """The rest of a file, piece by piece; `close` is called even if no one asks for the first."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.close = file.close

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if piece := self._file.read(CHUNK):
            return piece
        raise StopIteration


@operation("PUT", f"{MODEL}/file", "write", takes="file", gives=m.ModelInfo, status=201)
async def upload(call: Call) -> Answer:
    """Add a model from a file."""
    services, name = call.services, call.name
    async with received(call, services.settings.max_file) as (path, digest):

        def work() -> tuple[ChangeQueue, bool]:
            try:
                start = TextClassifier.load(path)
            except AddhashError as error:
                raise RequestError(422, f"The file is not a model: {reason_of(error)}") from error
            return services.registry.create(name, start, key_of(call, digest))

        made = await services.work(work)
    return await _created(call, name, *made)


@operation("PUT", f"{MODEL}/backup", "write", takes="file", gives=m.ModelInfo, status=201)
async def restore(call: Call) -> Answer:
    """Add a model from its backup."""
    services, name = call.services, call.name
    async with received(call, services.settings.max_file) as (path, digest):
        made = await services.work(
            lambda: services.registry.restore(name, path, key_of(call, digest))
        )
    return await _created(call, name, *made)


@operation("POST", f"{MODEL}/merge", "write", takes="file", gives=m.Changed)
async def merge(call: Call) -> Answer:
    """Add what the model in a file has learnt."""
    queue = call.queue
    async with received(call, call.services.settings.max_file) as (path, digest):

        def make(draft: Draft) -> Change:
            model: TaughtModel = queue.model
            model.merge(draft, path)
            return Change(m.Changed([], model.ledger.number))

        return await changed(call, queue, make, digest)
