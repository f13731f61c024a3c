"""The OpenAPI description of all paths, made from the types that check requests."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

import addhash
from addhash.service.endpoint import Operation
from addhash.service.messages import Problem

__all__ = ["describe"]

PARAMETERS = {"model": "string", "file": "string", "id": "integer"}
ERRORS = {
    "default": "An error: status, title, detail; exceeded limits come with the values received."
}


def describe(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the description of operations."""
    types = {o.takes for o in operations if isinstance(o.takes, type)}
    types |= {o.gives for o in operations if isinstance(o.gives, type)}
    ordered = sorted({*types, Problem}, key=lambda kind: kind.__name__)
    schemas, components = msgspec.json.schema_components(
        ordered, ref_template="#/components/schemas/{name}"
    )
    references = dict(zip(ordered, schemas, strict=True))
    paths: dict[str, Any] = {}
    for operation in operations:
        path = re.sub(r"{(\w+):\w+}", r"{\1}", operation.path)
        paths.setdefault(path, {})[operation.method.lower()] = _operation(operation, references)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "addhash",
            "version": addhash.__version__,
            "description": "Ask, teach and forget: models that learn one example at a time.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation, references: dict[Any, Any]) -> dict[str, Any]:
    names = re.findall(r"{(\w+)", operation.path)
    result: dict[str, Any] = {
        "summary": operation.summary,
        "operationId": f"{operation.handle.__name__}_{operation.method.lower()}"
        + ("" if "file" not in names else "_file"),
        "parameters": [
            {"name": n, "in": "path", "required": True, "schema": {"type": PARAMETERS[n]}}
            for n in names
        ]
        + [{"name": n, "in": "query", "schema": {"type": "string"}} for n in operation.query],
        "responses": {
            "200": _content("The answer.", operation.gives, references),
            "default": {
                "description": ERRORS["default"],
                "content": {"application/problem+json": {"schema": references[Problem]}},
            },
        },
    }
    if operation.access != "open":
        result["security"] = [{"token": []}, {}]
    if operation.access == "write" and operation.takes != "file":
        result["parameters"].append(
            {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}
        )
    if operation.takes is not None:
        body = _content("", operation.takes, references)
        result["requestBody"] = {"required": True, "content": body["content"]}
    return result


def _content(description: str, kind: Any, references: dict[Any, Any]) -> dict[str, Any]:
    if kind in references:
        return {
            "description": description,
            "content": {"application/json": {"schema": references[kind]}},
        }
    media = "application/octet-stream" if kind == "file" else kind or "application/json"
    return {"description": description, "content": {media: {}}}
