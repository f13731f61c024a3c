"""The OpenAPI description of all paths, made from the types that check requests."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

import addhash
from addhash.service import messages as m
from addhash.service import version_messages as v
from addhash.service.ledger import KEY_DAYS, MOST_KEYS
from addhash.service.operation import Operation

NUMBER: dict[str, Any] = {"type": "integer", "minimum": 1}
PARAMETERS: dict[str, dict[str, Any]] = {"id": NUMBER, "limit": NUMBER, "before": NUMBER}
TAGS = {
    "answers": "Ask: labels, reasons, similar examples, vectors, languages",
    "teaching": "Teach: learn, forget, relabel, undo, list and export examples",
    "evaluation": "How good a model is: accuracy, mistakes, a map",
    "models": "Models: create, rename, delete, upload, download, back up",
    "versions": "States of models: snapshots, roll back, compare, what a merge would do",
    "files": "Files of texts",
    "about": "Health, metrics, and this description",
}
LESSON = {"texts": ["win a prize", "see you at lunch"], "labels": ["spam", "ham"]}
EXAMPLES: dict[Any, Any] = {
    m.PredictRequest: {"texts": ["a big prize"], "top": 2},
    m.DetectRequest: {"texts": ["Wer reitet so spät durch Nacht und Wind?"], "top": 3},
    m.ExplainRequest: {"text": "a big prize"},
    m.SimilarRequest: {"texts": ["a big prize"], "k": 1},
    m.VectorsRequest: {"texts": ["a big prize"], "dimensions": 8},
    m.Examples: LESSON,
    m.ForgetRequest: {"ids": [1]},
    m.Relabel: {"label": "ham"},
    m.Undo: {"change": 1},
    m.NewModel: {"name": "mail", "method": "bayes"},
    m.Rename: {"name": "post"},
    m.RemoveModel: {"name": "mail"},
    v.NewSnapshot: {"name": "before-summer"},
    v.RollBack: {"snapshot": "before-summer"},
    v.CompareRequest: {"snapshot": "before-summer"},
}
REASONS = {
    400: "The request is not valid JSON or HTTP.",
    401: "A token is needed, or another one.",
    403: "This token may not do that.",
    404: "There is no such model or example.",
    409: "Not possible in the present state; nothing was changed.",
    413: "The body is too large.",
    415: "The body has the wrong type.",
    422: "The request is not as expected, or its Idempotency-Key belongs to another one.",
    503: "Too busy, or the model cannot be used; Retry-After says when to try again.",
    507: "The disk is full; nothing was changed.",
}


def describe(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the description of operations."""
    types = {o.takes for o in operations if isinstance(o.takes, type)}
    types |= {o.gives for o in operations if isinstance(o.gives, type)}
    ordered = sorted({*types, m.Problem}, key=lambda kind: kind.__name__)
    schemas, components = msgspec.json.schema_components(
        ordered, ref_template="#/components/schemas/{name}"
    )
    for schema in components.values():
        _complete(schema)
    references = dict(zip(ordered, schemas, strict=True))
    paths: dict[str, Any] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(
            operation, references
        )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "addhash",
            "version": addhash.__version__,
            "description": "Ask, teach and forget: models that learn one example at a time.",
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _complete(schema: Any) -> None:
    """Say of what arrays are: generators of clients drop types with an array of nothing."""
    if isinstance(schema, dict):
        if schema.get("type") == "array" and "items" not in schema:
            schema["items"] = {}
        for part in schema.values():
            _complete(part)
    elif isinstance(schema, list):
        for part in schema:
            _complete(part)


def _operation(operation: Operation, references: dict[Any, Any]) -> dict[str, Any]:
    names = re.findall(r"{(\w+)", operation.path)
    result: dict[str, Any] = {
        "summary": operation.summary,
        "tags": [operation.tag if operation.tag in TAGS else "about"],
        "operationId": f"{operation.handle.__name__}_{operation.method.lower()}"
        + ("" if "file" not in names else "_file"),
        "parameters": [
            *(_parameter(name, "path") for name in names),
            *(_parameter(name, "query") for name in operation.query),
        ],
        "responses": {
            str(operation.status): _content("The answer.", operation.gives, references),
            **{str(status): _problem(REASONS[status], references) for status in _errors(operation)},
            "default": _problem("An error; exceeded limits come with the values.", references),
        },
    }
    if operation.access != "open":
        result["security"] = [{"token": []}, {}]
    if operation.access == "write":
        result["parameters"].append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "description": "The request counts once, however often it is sent with this key."
                f" Keys are remembered for {KEY_DAYS} days and {MOST_KEYS:,} changes.",
                "schema": {"type": "string", "minLength": 1, "maxLength": 200},
            }
        )
    if operation.takes is not None:
        body = _content("", operation.takes, references)["content"]
        if operation.takes in EXAMPLES:
            body["application/json"]["example"] = EXAMPLES[operation.takes]
        result["requestBody"] = {"required": True, "content": body}
    return result


def _parameter(name: str, place: str) -> dict[str, Any]:
    schema = PARAMETERS.get(name, {"type": "string"})
    is_required = place == "path" or name == "name"
    return {"name": name, "in": place, "required": is_required, "schema": schema}


def _errors(operation: Operation) -> list[int]:
    """Return the statuses that an operation can have besides its usual one."""
    found: set[int] = set()
    if operation.takes is not None:
        found |= {400, 413, 415, 422}
    if operation.query:
        found |= {400, 422}
    if operation.access != "open":
        found |= {401, 503}
    if operation.access == "write":
        found |= {403, 409, 507}
    if "{" in operation.path:
        found |= {404}
    if operation.tag == "answers":
        found |= {409}  # nothing was learnt yet
    return sorted(found)


def _problem(description: str, references: dict[Any, Any]) -> dict[str, Any]:
    return {
        "description": description,
        "content": {"application/problem+json": {"schema": references[m.Problem]}},
    }


def _content(description: str, kind: Any, references: dict[Any, Any]) -> dict[str, Any]:
    if kind in references:
        return {
            "description": description,
            "content": {"application/json": {"schema": references[kind]}},
        }
    if kind in (None, "application/json"):
        return {"description": description, "content": {"application/json": {"schema": {}}}}
    media = "application/octet-stream" if kind == "file" else kind
    is_text = media.startswith("text/")
    schema = {"type": "string"} if is_text else {"type": "string", "format": "binary"}
    return {"description": description, "content": {media: {"schema": schema}}}
