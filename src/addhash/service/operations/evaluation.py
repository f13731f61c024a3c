"""How good a model is: its accuracy, its mistakes, and a map of its examples."""

from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from addhash import Evaluation
from addhash.service import messages as m
from addhash.service.ledger import Example
from addhash.service.operation import Call, operation
from addhash.service.projection import beside, plane, refined
from addhash.service.taught_model import TaughtModel
from addhash.service.vectors import vectorizer_of

MODEL = "/v1/models/{model}"

JUDGED = 5000  # examples; the latest
MISTAKES = 200
DRAWN = 5000
REFINED = 800  # the others stand beside what is similar to them
MAP_FEATURES = 1024
SHOWN_TEXT = 300
REFINED_MAP = "refined map"


@dataclass(frozen=True)
class _Judged:
    """The latest examples, and how each would be labelled by the model without it."""

    examples: list[Example]
    evaluation: Evaluation | None  # None without examples
    total: int
    change: int


async def _judged(call: Call) -> _Judged:
    services, name = call.services, call.name
    model = call.model

    def work() -> _Judged:
        examples, view = model.examples_and_view(JUDGED)
        found = None
        if examples:
            texts, labels = [e.text for e in examples], [e.label for e in examples]
            found = view.classifier.leave_one_out(texts, labels)
        return _Judged(examples, found, model.count(), view.number)

    judged: _Judged = await services.cache.get(
        services.work, name, "judged", model.view.number, work
    )
    return judged


@operation("GET", f"{MODEL}/evaluation", "read", gives=m.Evaluation)
async def evaluate(call: Call) -> m.Evaluation:
    """Evaluate a model on its examples, each left out in turn."""
    judged = await _judged(call)
    result, examples = judged.evaluation, judged.examples
    if result is None:
        return m.Evaluation(None, None, 0, judged.total, [], [], [], judged.change)
    return m.Evaluation(
        accuracy=result.accuracy,
        balanced_accuracy=result.balanced_accuracy,
        examples=len(examples),
        total=judged.total,
        classes=[
            m.ClassReport(r.label, _number(r.precision), _number(r.recall) or 0.0, r.support)
            for r in result.per_class()
        ],
        confusion=result.confusion().tolist(),
        mistakes=[examples[s.position].id for s in result.suspects()[:MISTAKES]],
        change=judged.change,
    )


def _number(value: float | None) -> float | None:
    return None if value is None or isnan(value) else float(value)


@operation("GET", f"{MODEL}/mistakes", "read", gives=m.Mistakes, query=("label", "predicted", "id"))
async def mistakes(call: Call) -> m.Mistakes:
    """List the examples whose labels the model contradicts, the surest first."""
    query = call.query()
    judged = await _judged(call)
    result, examples = judged.evaluation, judged.examples
    found = [] if result is None else result.suspects()
    chosen = [
        s
        for s in found
        if query.get("label") in (None, str(s.truth))
        and query.get("predicted") in (None, str(s.answer))
        and query.get("id") in (None, str(examples[s.position].id))
    ]
    shown = [
        m.Mistake(
            examples[s.position].id,
            s.truth,
            s.answer,
            _number(s.score),
            _number(s.margin),
            examples[s.position].text,
        )
        for s in chosen[:MISTAKES]
    ]
    return m.Mistakes(shown, len(chosen), len(found), len(examples), judged.change)


@operation("GET", f"{MODEL}/map", "read", gives=m.TextMap, query=("refined",))
async def draw(call: Call) -> m.TextMap:
    """Map the examples in two dimensions.

    What was refined once is kept: after a change, what is new stands beside what is similar to it.
    """
    services, name = call.services, call.name
    model = call.model
    is_refined = call.flag("refined")
    before: m.TextMap | None = services.cache.latest(name, REFINED_MAP)
    if before is not None and before.change >= model.view.number:
        return before

    def work() -> m.TextMap:
        return _map(model, before, is_refined)

    kind = REFINED_MAP if is_refined else "map"
    found: m.TextMap = await services.cache.get(services.work, name, kind, model.view.number, work)
    return found


def _map(model: TaughtModel, before: m.TextMap | None, is_refined: bool) -> m.TextMap:
    examples, view = model.examples_and_view(DRAWN)
    vectors: Any = vectorizer_of(MAP_FEATURES).transform([e.text for e in examples])
    old = {} if before is None else {p.id: (p.x, p.y) for p in before.points}
    kept = [i for i, e in enumerate(examples[:REFINED]) if e.id in old]
    # Of a map that knows few of the examples, nothing would be left.
    if 2 * len(kept) <= min(REFINED, len(examples)):
        start, kept = None, []
    else:
        start = beside(vectors, vectors[kept], np.array([old[examples[i].id] for i in kept]))
        for i, example in enumerate(examples):
            start[i] = old.get(example.id, start[i])
    if is_refined:
        first = vectors[:REFINED]
        places = refined(first, None if start is None else start[:REFINED])
        if len(examples) > REFINED:
            places = np.concatenate([places, beside(vectors[REFINED:], first, places)])
    else:
        places = plane(vectors) if start is None else start
    points = [
        m.MapPoint(e.id, e.label, x, y, e.text[:SHOWN_TEXT])
        for e, (x, y) in zip(examples, places.tolist(), strict=True)
    ]
    return m.TextMap(points, model.count(), view.number, is_refined)
