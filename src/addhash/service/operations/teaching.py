"""Teaching: learn, forget, relabel, list and export examples."""

import asyncio
import csv
import io
import re
from collections.abc import Callable, Iterator
from itertools import compress
from typing import Any

import msgspec

from addhash.service import messages as m
from addhash.service.change_queue import Change, ChangeQueue, Done
from addhash.service.ledger import Example
from addhash.service.operation import Answer, Call, operation
from addhash.service.problems import RequestError
from addhash.service.taught_model import TaughtModel
from addhash.service.view import Draft

EXAMPLES = "/v1/models/{model}/examples"

PAGE = 1000
KEY_LENGTH = 200
ID = re.compile("[0-9]{1,19}")
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet computes


def key_of(call: Call, content: bytes = b"") -> tuple[str, bytes] | None:
    """Return a request's Idempotency-Key, and all of the request: the key belongs to it alone.

    `content` stands for a body that was not read into memory.
    """
    key = call.header(b"idempotency-key")
    if key is None:
        return None
    if not 0 < len(key) <= KEY_LENGTH:
        raise RequestError(
            422,
            f"Expected an Idempotency-Key of 1 to {KEY_LENGTH} characters, got {len(key)}.",
            limit=KEY_LENGTH,
            value=len(key),
        )
    scope = call.scope
    return key, f"{scope['method']} {scope['path']}\n".encode() + call.raw + content


async def changed(
    call: Call,
    queue: ChangeQueue,
    make: Callable[[Draft], Change],
    content: bytes = b"",
    *,
    before: Callable[[], Any] | None = None,
) -> Answer:
    """Make a change, and return the answer once it is on disk."""
    key, request = key_of(call, content) or (None, b"")
    job = queue.submit(make, key, request, before=before)
    done: Done = await asyncio.wrap_future(job)
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


@operation("POST", EXAMPLES, "write", takes=m.Examples, gives=m.Learnt)
async def learn(call: Call) -> Answer:
    """Learn examples."""
    body: m.Examples = call.body
    _check_pairs(call, body.texts, body.labels)
    queue = call.queue

    def make(draft: Draft) -> Change:
        model = queue.model
        known = model.are_known(body.texts, body.labels)
        chosen = [not (body.skip_known and is_known) for is_known in known]
        texts = list(compress(body.texts, chosen))
        ids = model.learn(draft, texts, list(compress(body.labels, chosen))) if texts else []
        answer = m.Learnt(ids, model.ledger.number, sum(known))
        return Change(answer, added=list(zip(ids, texts, strict=True)))

    return await changed(call, queue, make)


@operation("DELETE", EXAMPLES, "write", takes=m.ForgetRequest, gives=m.Forgotten)
async def forget(call: Call) -> Answer:
    """Forget examples."""
    body: m.ForgetRequest = call.body
    queue = call.queue
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

    def make(draft: Draft) -> Change:
        model = queue.model
        if body.ids is not None:
            texts = [e.text for e in map(model.ledger.get, body.ids) if e is not None]
            ids = model.forget_ids(draft, body.ids)
        else:
            texts = body.texts or []
            ids = model.forget(draft, texts, body.labels or [])
        answer = m.Forgotten(ids, model.ledger.number, model.snapshots.holding(texts))
        return Change(answer, removed=ids)

    return await changed(call, queue, make)


@operation("PATCH", EXAMPLES + "/{id}", "write", takes=m.Relabel, gives=m.Changed)
async def relabel(call: Call) -> Answer:
    """Change the label of an example, which gives it a new id."""
    body: m.Relabel = call.body
    queue = call.queue
    given = call.scope["path_params"]["id"]
    if not ID.fullmatch(given):
        raise RequestError(404, "Expected the id of an example, a whole number.", value=given[:20])
    wanted = int(given)

    def make(draft: Draft) -> Change:
        model = queue.model
        new, before = model.relabel(draft, wanted, body.label)
        answer = m.Changed([new], model.ledger.number)
        return Change(answer, added=[(new, before.text)], removed=[wanted])

    return await changed(call, queue, make)


@operation("POST", "/v1/models/{model}/undo", "write", takes=m.Undo, gives=m.Undone)
async def undo(call: Call) -> Answer:
    """Undo changes by their numbers; the number of the undo redoes them."""
    body: m.Undo = call.body
    queue = call.queue
    changes = [body.change] if isinstance(body.change, int) else body.change

    def make(draft: Draft) -> Change:
        added, removed = queue.model.undo(draft, changes)
        ids = [i for i, _ in added]
        answer = m.Undone(removed, ids, queue.model.ledger.number)
        return Change(answer, added=added, removed=removed)

    return await changed(call, queue, make)


def _number(query: dict[str, str], name: str, usual: int | None, most: int) -> int | None:
    text = query.get(name)
    if text is None:
        return usual
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:20]) <= most):
        raise RequestError(
            422, f"Expected a number from 1 to {most} as {name}.", limit=most, value=text[:40]
        )
    return int(text)


@operation("GET", EXAMPLES, "read", gives=m.ExampleList, query=("q", "label", "before", "limit"))
async def list_examples(call: Call) -> m.ExampleList:
    """List examples, the latest first."""
    query = call.query()
    before = _number(query, "before", None, m.MOST)
    limit = _number(query, "limit", 50, PAGE)
    model = call.model

    def work() -> m.ExampleList:
        assert limit is not None
        wanted = {"containing": query.get("q", ""), "label": _label(model, query.get("label"))}
        found = model.page(before=before, limit=limit, **wanted)
        after = found[-1].id if len(found) == limit else None
        total = model.count()
        is_filtered = any(value not in ("", None) for value in wanted.values()) or "label" in query
        matching = model.count(**wanted) if is_filtered else total
        return m.ExampleList([m.KnownExample(*e) for e in found], after, total, matching)

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


def _table(model: TaughtModel, is_safe: bool) -> Iterator[bytes]:
    file = io.StringIO("\ufeff" if is_safe else "")  # a mark, by which Excel knows UTF-8
    file.seek(0, io.SEEK_END)
    writer = csv.writer(file)
    writer.writerow(["label", "text"])
    shown = _as_text if is_safe else str
    for page in _all(model):
        writer.writerows((shown(str(e.label)), shown(e.text)) for e in page)
        yield file.getvalue().encode()
        file.seek(0)
        file.truncate()
    yield file.getvalue().encode()


def _as_text(value: str) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    return "'" + value if value.startswith(FORMULA) else value


def _attachment(name: str) -> list[tuple[bytes, bytes]]:
    return [(b"content-disposition", f'attachment; filename="{name}"'.encode())]


@operation("GET", EXAMPLES + ".jsonl", "read", gives="application/jsonl")
async def export_json_lines(call: Call) -> Answer:
    """Export all examples as JSON lines."""
    model = call.model
    headers = _attachment(f"{call.name}.jsonl")
    return Answer(media_type=b"application/jsonl", headers=headers, chunks=_json_lines(model))


@operation("GET", EXAMPLES + ".csv", "read", gives="text/csv", query=("spreadsheet",))
async def export_table(call: Call) -> Answer:
    """Export all examples as a table; with spreadsheet=1, without formulas."""
    is_safe = call.flag("spreadsheet")
    model = call.model
    headers = _attachment(f"{call.name}.csv")
    chunks = _table(model, is_safe)
    return Answer(media_type=b"text/csv; charset=utf-8", headers=headers, chunks=chunks)
