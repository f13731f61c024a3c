"""Asking: labels, reasons, similar examples and vectors."""

import asyncio

import numpy as np
import numpy.typing as npt

from addhash import TextClassifier, languages
from addhash.service import messages as m
from addhash.service.operation import Call, operation
from addhash.service.problems import RequestError
from addhash.service.vectors import vectorizer_of

MODEL = "/v1/models/{model}"

EXPLAINED_CHARACTERS = 5000


@operation("POST", f"{MODEL}/predict", "read", takes=m.PredictRequest, gives=m.Predictions)
async def predict(call: Call) -> m.Predictions:
    """Label texts."""
    body: m.PredictRequest = call.body
    services, texts = call.services, body.texts
    services.check_texts(texts)
    view = call.model.view
    found = await services.asking.predict(call.name, view, texts)
    answers = [m.Prediction(p.label, p.score, p.margin, p.runner_up) for p in found]
    if body.top and texts:
        shares = await services.work(lambda: _top(view.classifier, texts, body.top))
        for answer, classes in zip(answers, shares, strict=True):
            answer.classes = classes
    services.metrics.texts += len(texts)
    return m.Predictions(answers, view.number)


def _top(classifier: TextClassifier, texts: list[str], count: int) -> list[list[m.Classes]]:
    """Return the likeliest classes of each text and their shares, the likeliest first."""
    shares, labels = classifier.predict_proba(texts), classifier.classes_.tolist()
    order = np.argsort(-shares, axis=1, kind="stable")[:, :count]
    return [
        [m.Classes(labels[j], float(row[j])) for j in places]
        for row, places in zip(shares, order.tolist(), strict=True)
    ]


@operation("POST", "/v1/detect", "read", takes=m.DetectRequest, gives=m.Languages)
async def detect(call: Call) -> m.Languages:
    """Detect the languages of texts."""
    body: m.DetectRequest = call.body
    services = call.services
    if not services.settings.languages:
        raise RequestError(404, "This server does not detect languages: it has no --languages.")
    services.check_texts(body.texts)
    found = await services.work(lambda: languages.detect(body.texts, top=body.top + 1))
    services.metrics.texts += len(body.texts)
    return m.Languages(
        [
            [m.Language(d.code, d.name, d.own_name, float(d.probability)) for d in row or ()][
                : body.top
            ]
            for row in found
        ]
    )


@operation("POST", f"{MODEL}/explain", "read", takes=m.ExplainRequest, gives=m.Explanation)
async def explain(call: Call) -> m.Explanation:
    """Explain why a text gets its label."""
    body: m.ExplainRequest = call.body
    call.services.check_texts([body.text], EXPLAINED_CHARACTERS)
    view = call.model.view
    why = await call.services.work(
        lambda: view.classifier.explain(body.text, n_nearest=1, parts=body.parts)
    )
    shares = why.characters if why.character_margins is None else why.character_margins
    return m.Explanation(
        label=why.label,
        score=why.score,
        runner_up=why.runner_up,
        margin=why.margin,
        is_rejected=why.is_rejected,
        evidence=why.evidence,
        evidence_margin=why.evidence_margin,
        characters=np.round(shares, 6).tolist(),
        unplaced=why.unplaced if why.evidence_margin is None else why.unplaced_margin,
        rows=[m.Share(*share) for share in why.rows(body.count)],
        change=view.number,
    )


@operation("POST", f"{MODEL}/similar", "read", takes=m.SimilarRequest, gives=m.Similar)
async def similar(call: Call) -> m.Similar:
    """Find the examples most similar to each text."""
    body: m.SimilarRequest = call.body
    services = call.services
    services.check_texts(body.texts)
    queue = call.queue
    model = queue.model
    if not model.similar.is_built:  # no one has asked before
        await asyncio.wrap_future(queue.between(model.build_similar))

    def work() -> list[list[m.SimilarExample]]:
        matches = model.similar.search(body.texts, body.k)
        examples = [model.get_all(i for i, _ in row) for row in matches]
        return [
            [
                m.SimilarExample(e.id, e.label, e.text, round(score, 6))
                for e, (_, score) in zip(found, row, strict=True)
                if e is not None
            ]
            for found, row in zip(examples, matches, strict=True)
        ]

    return m.Similar(await services.work(work))


async def _vectors(call: Call, texts: list[str], dimensions: int) -> npt.NDArray[np.float32]:
    call.services.check_texts(texts)
    most = call.services.settings.max_body // 8
    if len(texts) * dimensions > most:
        raise RequestError(
            422,
            f"Expected at most {most} numbers in an answer, got {len(texts)} x {dimensions}.",
            limit=most,
            value=len(texts) * dimensions,
        )
    result: npt.NDArray[np.float32] = await call.services.work(
        lambda: vectorizer_of(dimensions).transform(texts)
    )
    return result


@operation("POST", f"{MODEL}/vectors", "read", takes=m.VectorsRequest, gives=m.Vectors)
async def vectors(call: Call) -> m.Vectors:
    """Turn texts into vectors."""
    body: m.VectorsRequest = call.body
    _ = call.queue
    found = await _vectors(call, body.texts, body.dimensions)
    return m.Vectors(found.tolist())
