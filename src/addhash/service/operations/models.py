"""Models: create, show, evaluate, map, upload, download and merge."""

import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import addhash
from addhash import TextClassifier
from addhash.errors import AddhashError
from addhash.service import messages as m
from addhash.service.endpoint import Answer, Call, ClientGoneError, Operation
from addhash.service.operations.teaching import changed
from addhash.service.problems import RequestError
from addhash.service.projection import plane
from addhash.service.taught_model import TaughtModel
from addhash.service.vectors import vectorizer_of
from addhash.service.writer import Change, Writer

__all__ = ["OPERATIONS"]

JUDGED = 5000  # examples; the latest
DRAWN = 800
SHOWN_TEXT = 300
MISTAKES = 200
CHUNK = 1 << 16


def _info(name: str, writer: Writer, digest: str | None = None) -> m.ModelInfo:
    model = writer.model
    classes: list[Any] = []
    counts: list[int] = []
    method = None
    taught = 0
    with suppress(RequestError):
        classifier = model.view.classifier
        method = classifier.method
        classes, counts = classifier.classes_.tolist(), classifier.class_counts_.tolist()
        taught = model.count()
    return m.ModelInfo(
        id=name,
        object="model",
        created=model.created,
        owned_by="addhash",
        condition=model.condition,
        problems=dict(model.problems),
        method=method,
        classes=classes,
        counts=counts,
        taught=taught,
        change=model.number,
        digest=digest,
    )


async def list_models(call: Call) -> m.ModelList:
    """List all models."""
    services = call.services
    data = await services.work(lambda: [_info(name, writer) for name, writer in services.shelf])
    limits = services.settings
    return m.ModelList(
        "list",
        data,
        limits.write_token is not None or limits.read_token is None,
        {
            "max_body": limits.max_body,
            "max_file": limits.max_file,
            "max_texts": limits.max_texts,
            "max_length": limits.max_length,
        },
        addhash.__version__,
    )


async def create(call: Call) -> Answer:
    """Create a model without examples."""
    body: m.NewModel = call.body
    services = call.services
    start = TextClassifier(body.method).partial_fit([], [])
    writer = await services.work(lambda: services.shelf.create(body.name, start))
    return _created(body.name, writer)


def _created(name: str, writer: Writer) -> Answer:
    from msgspec.json import encode

    headers = [(b"location", f"/v1/models/{name}".encode())]
    return Answer(encode(_info(name, writer)), status=201, headers=headers)


async def show(call: Call) -> m.ModelInfo:
    """Show a model, with the digest of everything it has learnt."""
    services, name = call.services, call.name
    writer = services.shelf[name]
    view = writer.model.view
    digest = await services.kept.get(
        services.work, name, "digest", view.number, view.classifier.digest
    )
    return await services.work(lambda: _info(name, writer, digest))


async def evaluate(call: Call) -> m.Evaluation:
    """Evaluate a model on its examples, each left out in turn."""
    services, name = call.services, call.name
    model = services.shelf[name].model

    def work() -> m.Evaluation:
        examples, view = model.examples_and_view(JUDGED)
        total = model.count()
        if not examples:
            return m.Evaluation(None, None, 0, total, [], [], [], view.number)
        texts, labels = [e.text for e in examples], [e.label for e in examples]
        result = view.classifier.leave_one_out(texts, labels)
        wrong = [
            e.id
            for e, found in zip(examples, result.predicted.tolist(), strict=True)
            if found != e.label
        ]
        return m.Evaluation(
            accuracy=result.accuracy,
            balanced_accuracy=result.balanced_accuracy,
            examples=len(examples),
            total=total,
            classes=[
                m.ClassReport(
                    r.label,
                    None if r.precision != r.precision else float(r.precision),
                    float(r.recall),
                    r.support,
                )
                for r in result.per_class()
            ],
            confusion=result.confusion().tolist(),
            mistakes=wrong[:MISTAKES],
            change=view.number,
        )

    found: m.Evaluation = await services.kept.get(
        services.work, name, "evaluation", model.view.number, work
    )
    return found


async def draw(call: Call) -> m.TextMap:
    """Map examples in two dimensions."""
    services, name = call.services, call.name
    model = services.shelf[name].model

    def work() -> m.TextMap:
        examples, view = model.examples_and_view(DRAWN)
        vectors = vectorizer_of(2048).transform([e.text for e in examples])
        points = [
            m.MapPoint(e.id, e.label, x, y, e.text[:SHOWN_TEXT])
            for e, (x, y) in zip(examples, plane(vectors).tolist(), strict=True)
        ]
        return m.TextMap(points, model.count(), view.number)

    found: m.TextMap = await services.kept.get(services.work, name, "map", model.view.number, work)
    return found


async def download(call: Call) -> Answer:
    """Download a model as a file."""
    services, model = call.services, call.services.shelf[call.name].model

    def write() -> str:
        with tempfile.NamedTemporaryFile(suffix=".model", delete=False) as file:
            path = file.name
        try:
            model.download(path)
        except BaseException:
            Path(path).unlink()
            raise
        return path

    path = await services.work(write)
    headers = [
        (b"content-disposition", f'attachment; filename="{call.name}.model"'.encode()),
        (b"content-length", str(Path(path).stat().st_size).encode()),
    ]
    return Answer(media_type=b"application/octet-stream", headers=headers, chunks=_pieces(path))


def _pieces(path: str) -> Iterator[bytes]:
    try:
        with open(path, "rb") as file:
            Path(path).unlink()  # no one else needs its name
            while piece := file.read(CHUNK):
                yield piece
    finally:
        Path(path).unlink(missing_ok=True)


async def _received(call: Call) -> Path:
    """Receive an uploaded file."""
    services = call.services
    most, size = services.settings.max_file, 0
    with tempfile.NamedTemporaryFile(
        dir=services.shelf.folder, suffix=".part", delete=False
    ) as file:
        try:
            more = True
            while more:
                with services.in_time():
                    message = await call.receive()
                if message["type"] == "http.disconnect":
                    raise ClientGoneError
                piece = message.get("body", b"")
                size += len(piece)
                if size > most:
                    raise RequestError(
                        413,
                        f"Expected a file of at most {most} bytes, got more.",
                        {"Connection": "close"},
                        limit=most,
                        value=size,
                    )
                file.write(piece)
                more = message.get("more_body", False)
        except BaseException:
            Path(file.name).unlink()
            raise
    return Path(file.name)


async def upload(call: Call) -> Answer:
    """Add an uploaded model."""
    services, name = call.services, call.name
    path = await _received(call)

    def work() -> Writer:
        try:
            start = TextClassifier.load(path)
        except AddhashError as error:
            reason = str(error).partition(": ")[2] or str(error)
            raise RequestError(422, f"The file is not a model: {reason}") from error
        return services.shelf.create(name, start)

    try:
        writer = await services.work(work)
    finally:
        path.unlink()
    return _created(name, writer)


async def merge(call: Call) -> Answer:
    """Add what an uploaded model has learnt."""
    writer = call.services.shelf[call.name]
    path = await _received(call)

    def make(draft: TextClassifier) -> Change:
        model: TaughtModel = writer.model
        model.merge(draft, path)
        return Change(m.Changed([], model.ledger.number))

    try:
        return await changed(call, writer, make)
    finally:
        path.unlink()


MODELS, MODEL = "/v1/models", "/v1/models/{model}"
FILE = "application/octet-stream"
OPERATIONS = [
    Operation("GET", MODELS, "List all models", list_models, "read", None, m.ModelList),
    Operation("POST", MODELS, "Start a model", create, "write", m.NewModel, m.ModelInfo),
    Operation("GET", MODEL, "Show a model and its digest", show, "read", None, m.ModelInfo),
    Operation(
        "GET",
        f"{MODEL}/evaluation",
        "Evaluate a model on its examples, each left out in turn",
        evaluate,
        "read",
        None,
        m.Evaluation,
    ),
    Operation(
        "GET", f"{MODEL}/map", "Map the examples in two dimensions", draw, "read", None, m.TextMap
    ),
    Operation("GET", f"{MODEL}/file", "Fetch a model as a file", download, "read", None, FILE),
    Operation(
        "PUT", f"{MODEL}/file", "Add a model from a file", upload, "write", "file", m.ModelInfo
    ),
    Operation(
        "POST",
        f"{MODEL}/merge",
        "Add what the model in a file has learnt",
        merge,
        "write",
        "file",
        m.Changed,
    ),
]
