"""States of models: named snapshots, going back to them, comparing, and previewing a merge."""

from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Any, BinaryIO

from addhash import TextClassifier
from addhash.errors import AddhashError
from addhash.service import version_messages as v
from addhash.service.change_queue import Change
from addhash.service.comparison import accuracy, answers_of, compared_classes, differences
from addhash.service.model_folder import reason_of
from addhash.service.operation import Answer, Call, operation
from addhash.service.operations.files import received
from addhash.service.operations.models import Pieces, downloaded
from addhash.service.operations.teaching import changed
from addhash.service.problems import RequestError
from addhash.service.snapshots import MOST_SNAPSHOTS, NamedSnapshot
from addhash.service.taught_model import TaughtModel
from addhash.service.view import Draft

MODEL = "/v1/models/{model}"
SNAPSHOTS = f"{MODEL}/snapshots"
SNAPSHOT = SNAPSHOTS + "/{snapshot}"

COMPARED = 5000  # examples; the latest


def _shown(one: NamedSnapshot) -> v.Snapshot:
    return v.Snapshot(one.name, one.change, one.examples, one.created, one.size)


@operation("GET", SNAPSHOTS, "read", gives=v.SnapshotList)
async def list_snapshots(call: Call) -> v.SnapshotList:
    """List the named snapshots, the latest state first."""
    model = call.model
    found = await call.services.work(lambda: list(map(_shown, model.snapshots)))
    return v.SnapshotList(found, MOST_SNAPSHOTS)


@operation("POST", SNAPSHOTS, "write", takes=v.NewSnapshot, gives=v.Snapshot, status=201)
async def take_snapshot(call: Call) -> Answer:
    """Keep the present state under a name."""
    body: v.NewSnapshot = call.body
    queue = call.queue
    taken: list[NamedSnapshot] = []

    def take() -> None:
        taken.append(queue.model.take_snapshot(body.name))

    def make(draft: Draft) -> Change:
        return Change(_shown(taken[0]))

    answer = await changed(call, queue, make, before=take)
    answer.status = 201
    return answer


@operation("GET", SNAPSHOT, "read", gives="application/octet-stream")
async def fetch_snapshot(call: Call) -> Answer:
    """Fetch a snapshot, which is a backup."""
    model, name = call.model, call.scope["path_params"]["snapshot"]

    def open_file() -> tuple[int, BinaryIO]:
        found = model.snapshots[name]
        return found.size, found.path.open("rb")

    size, file = await call.services.work(open_file)
    return downloaded(size, f"{call.name}-{name}.backup", Pieces(file))


@operation("DELETE", SNAPSHOT, "write", gives=v.Snapshot)
async def remove_snapshot(call: Call) -> Answer:
    """Delete a snapshot for good; the model stays as it is."""
    queue, name = call.queue, call.scope["path_params"]["snapshot"]

    def make(draft: Draft) -> Change:
        return Change(_shown(queue.model.snapshots.remove(name)))

    return await changed(call, queue, make)


@operation("POST", f"{MODEL}/rollback", "write", takes=v.RollBack, gives=v.RolledBack)
async def roll_back(call: Call) -> Answer:
    """Return to a snapshot; the state before is kept as another one."""
    body: v.RollBack = call.body
    queue = call.queue
    kept: list[NamedSnapshot] = []

    def keep() -> None:
        kept.append(queue.model.keep_before(body.snapshot))

    def make(draft: Draft) -> Change:
        model = queue.model
        added, removed = model.roll_back(draft, body.snapshot)
        ids = [i for i, _ in added]
        answer = v.RolledBack(model.ledger.number, kept[0].name, ids, removed)
        return Change(answer, added=added, removed=removed)

    return await changed(call, queue, make, before=keep)


@operation("POST", f"{MODEL}/compare", "read", takes=v.CompareRequest, gives=v.Comparison)
async def compare(call: Call) -> v.Comparison:
    """Compare a model with another one, or with a snapshot of its own."""
    body: v.CompareRequest = call.body
    services = call.services
    if (body.model is None) == (body.snapshot is None):
        raise RequestError(422, "Expected either model or snapshot: what to compare with.")
    if body.labels is not None and len(body.labels) != len(body.texts or ()):
        raise RequestError(
            422,
            f"Expected one label per text, got {len(body.texts or ())} texts and"
            f" {len(body.labels)} labels.",
        )
    services.check_texts(body.texts or [])
    model = call.model
    other = None if body.model is None else services.registry[body.model].model
    return await services.work(lambda: _compared(model, other, body))


def _compared(
    model: TaughtModel, other: TaughtModel | None, body: v.CompareRequest
) -> v.Comparison:
    ids: Sequence[int | None]
    labels: Sequence[Any] | None
    if body.texts is None:
        examples, view = model.examples_and_view(COMPARED)
        ids, texts = [e.id for e in examples], [e.text for e in examples]
        labels = [e.label for e in examples]
    else:
        view, ids, texts, labels = model.view, [None] * len(body.texts), body.texts, body.labels
    # Given texts are labelled as any text is; examples as if they had never been learnt.
    pairs = [] if body.texts is not None else list(zip(texts, labels or (), strict=True))
    nothing = [False] * len(texts)
    if other is not None:
        is_known, other_view = other.knows(pairs)
        judge, number = other_view.classifier, other_view.number
    else:
        assert body.snapshot is not None
        with model.snapshots.opened(body.snapshot) as found:
            is_known = [bool(found.ledger.find(*pair)) for pair in pairs]
            judge, number = found.folder.rebuilt(found.ledger), found.ledger.number
    others = answers_of(judge, texts, labels, is_known or nothing)
    own = nothing if body.texts is not None else [True] * len(texts)
    answers = answers_of(view.classifier, texts, labels, own)
    count, shown = differences(ids, texts, labels, answers, others)
    return v.Comparison(
        texts=len(texts),
        different=count,
        accuracy=accuracy(labels, answers),
        other_accuracy=accuracy(labels, others),
        classes=compared_classes(labels, answers, others),
        differences=shown,
        change=view.number,
        other_change=number,
    )


@operation("POST", f"{MODEL}/merge/preview", "write", takes="file", gives=v.MergePreview)
async def preview_merge(call: Call) -> v.MergePreview:
    """Say what merging the model in a file would do; nothing is changed."""
    model = call.model
    async with received(call, call.services.settings.max_file) as (path, _):
        return await call.services.work(lambda: _previewed(model, path))


def _previewed(model: TaughtModel, path: Path) -> v.MergePreview:
    try:
        other = TextClassifier.load(path)
    except AddhashError as error:
        raise RequestError(422, f"The file is not a model to merge: {reason_of(error)}") from error
    examples, view = model.examples_and_view(COMPARED)
    here, there = _counts(view.classifier), _counts(other)
    merged, problem = copy(view.classifier), None
    try:
        merged.merge(other)
    except AddhashError as error:
        problem = " ".join(str(error).split())
    texts, labels = [e.text for e in examples], [e.label for e in examples]
    known = [True] * len(texts)
    before = answers_of(view.classifier, texts, labels, known)
    after = before if problem else answers_of(merged, texts, labels, known)
    return v.MergePreview(
        problem=problem,
        method=other.method,
        classes=[
            v.MergeClass(label, here.get(label, 0), there.get(label, 0))
            for label in sorted(here | there, key=lambda one: (str(type(one)), one))
        ],
        texts=len(texts),
        different=sum(a != b for a, b in zip(before, after, strict=True)),
        accuracy=accuracy(labels, before),
        accuracy_after=None if problem else accuracy(labels, after),
        change=view.number,
    )


def _counts(classifier: TextClassifier) -> dict[Any, int]:
    labels, counts = classifier.classes_.tolist(), classifier.class_counts_.tolist()
    return dict(zip(labels, counts, strict=True))
