"""Teaching: learn, forget, relabel, list and export examples."""

import asyncio
import csv
import io
from collections.abc import Iterator
from typing import Any

import msgspec

from addhash import TextClassifier
from addhash.service import messages as m
from addhash.service.endpoint import Answer, Call, Operation
from addhash.service.ledger import Example
from addhash.service.problems import RequestError
from addhash.service.taught_model import TaughtModel
from addhash.service.writer import Change, Done, Writer

__all__ = ["OPERATIONS", "changed"]

PAGE = 1000
KEY_LENGTH = 200


async def changed(call: Call, writer: Writer, make: Any) -> Answer:
    """Make a change, and return the answer once it is on disk."""
    key = call.header(b"idempotency-key")
    if key is not None and not 0 < len(key) <= KEY_LENGTH:
        raise RequestError(
            422,
            f"Expected an Idempotency-Key of 1 to {KEY_LENGTH} characters, got {len(key)}.",
            limit=KEY_LENGTH,
            value=len(key),
        )
    request = f"{call.scope['method']} {call.scope['path']}\n".encode() + call.raw
    done: Done = await asyncio.wrap_future(writer.submit(make, key, request))
    return Answer(done.answer, headers=[(b"idempotent-replayed", b"true")] * done.is_repeated)


def _check_pairs(call: Call, texts: list[str], labels: list[Any]) -> None:
    if len(texts) != len(labels) or not texts:
        raise RequestError(
            422,
            f"Expected one label per text, got {len(texts)} texts and {len(labels)} labels.",
            limit=len(texts),
            value=len(labels),
        )
    call.services.check_texts(texts)
    kinds = {type(label) for label in labels}
    if len(kinds) > 1:
        raise RequestError(422, "Expected labels to be all texts or all numbers, got both.")


async def learn(call: Call) -> Answer:
    """Learn examples."""
    body: m.Examples = call.body
    _check_pairs(call, body.texts, body.labels)
    writer = call.services.shelf[call.name]

    def make(draft: TextClassifier) -> Change:
        ids = writer.model.learn(draft, body.texts, body.labels)
        answer = m.Learnt(ids, writer.model.ledger.number)
        return Change(answer, added=list(zip(ids, body.texts, strict=True)))

    return await changed(call, writer, make)


async def forget(call: Call) -> Answer:
    """Forget examples, on disk too."""
    body: m.ForgetRequest = call.body
    writer = call.services.shelf[call.name]
    if (body.ids is None) == (body.texts is None and body.labels is None):
        raise RequestError(422, "Expected either ids, or texts and labels.")
    if body.ids is None:
        _check_pairs(call, body.texts or [], body.labels or [])
    elif not 0 < len(body.ids) <= call.services.settings.max_texts:
        most = call.services.settings.max_texts
        raise RequestError(
            422,
            f"Expected 1 to {most} ids, got {len(body.ids)}.",
            limit=most,
            value=len(body.ids),
        )

    def make(draft: TextClassifier) -> Change:
        model = writer.model
        if body.ids is not None:
            ids = model.forget_ids(draft, body.ids)
        else:
            ids = model.forget(draft, body.texts or [], body.labels or [])
        return Change(m.Changed(ids, model.ledger.number), removed=ids)

    return await changed(call, writer, make)


async def relabel(call: Call) -> Answer:
    """Change the label of an example."""
    body: m.Relabel = call.body
    writer = call.services.shelf[call.name]
    wanted = call.scope["path_params"]["id"]

    def make(draft: TextClassifier) -> Change:
        model = writer.model
        before = model.relabel(draft, wanted, body.label)
        (new,) = model.ledger.find(before.text, body.label)[:1]
        answer = m.Changed([new], model.ledger.number)
        return Change(answer, added=[(new, before.text)], removed=[wanted])

    return await changed(call, writer, make)


async def undo(call: Call) -> Answer:
    """Undo the latest lesson that is still known."""
    writer = call.services.shelf[call.name]

    def make(draft: TextClassifier) -> Change:
        ids = [example.id for example in writer.model.undo(draft)]
        return Change(m.Changed(ids, writer.model.ledger.number), removed=ids)

    return await changed(call, writer, make)


def _number(query: dict[str, str], name: str, usual: int | None, most: int) -> int | None:
    text = query.get(name)
    if text is None:
        return usual
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:20]) <= most):
        raise RequestError(
            422, f"Expected a number from 1 to {most} as {name}.", limit=most, value=text[:40]
        )
    return int(text)


async def list_examples(call: Call) -> m.ExampleList:
    """List examples, the latest first."""
    query = call.query()
    unknown = set(query) - {"q", "label", "before", "limit"}
    if unknown:
        raise RequestError(422, "Expected the parameters q, label, before and limit only.")
    before = _number(query, "before", None, m.MOST)
    limit = _number(query, "limit", 50, PAGE)
    model = call.services.shelf[call.name].model

    def work() -> m.ExampleList:
        assert limit is not None
        found = model.page(
            before=before,
            limit=limit,
            containing=query.get("q", ""),
            label=_label(model, query.get("label")),
        )
        after = found[-1].id if len(found) == limit else None
        return m.ExampleList([m.KnownExample(*e) for e in found], after, model.count())

    return await call.services.work(work)


def _label(model: TaughtModel, text: str | None) -> str | int | None:
    """Return a label of the model's kind."""
    classes = model.view.classifier.classes_.tolist()
    is_number = bool(classes) and isinstance(classes[0], int)
    if text is None or not is_number:
        return text
    try:
        return int(text)
    except ValueError:
        return text


def _all(model: TaughtModel) -> Iterator[list[Example]]:
    before = None
    while page := model.page(before=before, limit=PAGE):
        yield page
        before = page[-1].id


def _json_lines(model: TaughtModel) -> Iterator[bytes]:
    for page in _all(model):
        yield b"".join(
            msgspec.json.encode({"label": e.label, "text": e.text}) + b"\n" for e in page
        )


def _table(model: TaughtModel) -> Iterator[bytes]:
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["label", "text"])
    for page in _all(model):
        writer.writerows((e.label, e.text) for e in page)
        yield file.getvalue().encode()
        file.seek(0)
        file.truncate()
    yield file.getvalue().encode()


def _attachment(name: str) -> list[tuple[bytes, bytes]]:
    return [(b"content-disposition", f'attachment; filename="{name}"'.encode())]


async def export_json_lines(call: Call) -> Answer:
    """Export all examples, one JSON object per line."""
    model = call.services.shelf[call.name].model
    headers = _attachment(f"{call.name}.jsonl")
    return Answer(media_type=b"application/jsonl", headers=headers, chunks=_json_lines(model))


async def export_table(call: Call) -> Answer:
    """Export all examples as a table."""
    model = call.services.shelf[call.name].model
    headers = _attachment(f"{call.name}.csv")
    return Answer(media_type=b"text/csv; charset=utf-8", headers=headers, chunks=_table(model))


EXAMPLES = "/v1/models/{model}/examples"
OPERATIONS = [
    Operation("POST", EXAMPLES, "Learn examples", learn, "write", m.Examples, m.Learnt),
    Operation("DELETE", EXAMPLES, "Forget examples", forget, "write", m.ForgetRequest, m.Changed),
    Operation(
        "GET",
        EXAMPLES,
        "List examples, the latest first",
        list_examples,
        "read",
        None,
        m.ExampleList,
        ("q", "label", "before", "limit"),
    ),
    Operation(
        "PATCH",
        EXAMPLES + "/{id:int}",
        "Change the label of an example, which gives it a new id",
        relabel,
        "write",
        m.Relabel,
        m.Changed,
    ),
    Operation(
        "GET",
        EXAMPLES + ".jsonl",
        "Export all examples as JSON lines",
        export_json_lines,
        "read",
        None,
        "application/jsonl",
    ),
    Operation(
        "GET",
        EXAMPLES + ".csv",
        "Export all examples as a table",
        export_table,
        "read",
        None,
        "text/csv",
    ),
    Operation(
        "POST",
        "/v1/models/{model}/undo",
        "Undo the latest lesson that is still known",
        undo,
        "write",
        m.Undo,
        m.Changed,
    ),
]
