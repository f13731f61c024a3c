"""Writes docs/api.md from the server's OpenAPI description: ``python -m docs.make_api``."""

import json
from pathlib import Path
from typing import Any

from addhash.service.app import all_operations
from addhash.service.openapi import describe

PAGE = Path(__file__).with_name("api.md")

INTRODUCTION = """\
# The HTTP API

This page is generated from the description that every server has at `/openapi.json`: run
`python -m docs.make_api`. A server shows the same at `/docs`. [The server](service.md) explains
what the requests are for.

Bodies are JSON unless noted. With a token, send `Authorization: Bearer TOKEN`. Every error is an
`application/problem+json` with `status`, `title` and `detail`; exceeded limits come in `limit`, and
what was received in `value`. The answer to a request that is logged has an `X-Request-ID`, which
the log has too.
"""


def page() -> str:
    """Return the whole page."""
    found = describe(all_operations())
    lines = [INTRODUCTION]
    for tag in found["tags"]:
        lines.append(f"## {tag['description']}\n")
        for path, methods in found["paths"].items():
            for method, operation in methods.items():
                if operation["tags"] == [tag["name"]]:
                    lines += _operation(method.upper(), path, operation)
    lines.append("## Types\n")
    for name, schema in sorted(found["components"]["schemas"].items()):
        lines += _type(name, schema)
    return "\n".join(lines).rstrip() + "\n"


def _operation(method: str, path: str, operation: dict[str, Any]) -> list[str]:
    lines = [f"### `{method} {path}`\n", f"{operation['summary']}.\n"]
    body = operation.get("requestBody", {}).get("content", {})
    for media, content in body.items():
        if "example" in content:
            lines.append(f"```json\n{json.dumps(content['example'], ensure_ascii=False)}\n```\n")
        else:
            lines.append(f"The body is the file, as `{media}`.\n")
    for parameter in operation["parameters"]:
        if parameter["in"] == "query":
            kind = "required" if parameter["required"] else "optional"
            lines.append(f"- `{parameter['name']}`: {parameter['schema']['type']}, {kind}")
    if lines[-1].startswith("- "):
        lines.append("")
    takes = [_name(content["schema"]) for content in body.values()]
    status, answer = next(iter(operation["responses"].items()))
    gives = [_name(content["schema"]) for content in answer["content"].values()]
    others = ", ".join(s for s in operation["responses"] if s not in (status, "default"))
    said = f"Takes {_or(takes)}; returns" if takes else "Returns"
    errors = f" Errors: {others}." if others else ""
    lines.append(f"{said} {status} with {_or(gives)}.{errors}\n")
    return lines


def _type(name: str, schema: dict[str, Any]) -> list[str]:
    lines = [f"### {name}\n"]
    if "description" in schema:
        lines.append(" ".join(schema["description"].split()) + "\n")
    required = schema.get("required", [])
    for member, kind in schema.get("properties", {}).items():
        optional = "" if member in required else ", optional"
        lines.append(f"- `{member}`: {_name(kind)}{optional}")
    if "prefixItems" in schema:
        lines.append("- an array of " + ", ".join(_name(one) for one in schema["prefixItems"]))
    lines.append("")
    return lines


def _or(names: list[str]) -> str:
    return " or ".join(names) or "nothing"


def _name(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return _or([_name(one) for one in schema["anyOf"]])
    if "enum" in schema:
        return _or([f"`{json.dumps(one)}`" for one in schema["enum"]])
    if schema.get("type") == "array":
        return f"array of {_name(schema.get('items') or {})}"
    if schema.get("format") == "binary":
        return "a file"
    if schema.get("type") == "object" and "additionalProperties" in schema:
        return f"object of {_name(schema['additionalProperties'])}"
    return schema.get("type", "anything")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
