"""The Open Inference Protocol, version 2, with its extension for binary tensors."""

import math
import struct
from typing import Any

import msgspec
import numpy as np

import addhash
from addhash.service import messages as m
from addhash.service.operation import Answer, Call, Operation
from addhash.service.problems import RequestError

__all__ = ["OPERATIONS"]

MOST_DIMENSIONS = 8
LENGTH = b"inference-header-content-length"
TEXT = m.Tensor("text", [-1], "BYTES")


async def server(call: Call) -> m.ServerMetadata:
    """Describe the server."""
    return m.ServerMetadata("addhash", addhash.__version__, ["binary_tensor_data"])


async def metadata(call: Call) -> m.ModelMetadata:
    """Describe a model."""
    view = call.services.registry[call.name].model.view
    kind = "INT64" if view.classifier.classes_.dtype.kind == "i" else "BYTES"
    outputs = [m.Tensor("label", [-1], kind), m.Tensor("score", [-1], "FP64")]
    return m.ModelMetadata(call.name, [str(view.number)], "addhash", [TEXT], outputs)


async def is_ready(call: Call) -> m.Live:
    """Return whether a model is ready."""
    _ = call.services.registry[call.name].model.view
    return m.Live(True)


async def infer(call: Call) -> Answer:
    """Label texts."""
    body: m.InferRequest = call.body
    texts = _texts(call, body)
    services = call.services
    services.check_texts(texts)
    view = services.registry[call.name].model.view
    found = await services.asking.predict(call.name, view, texts)
    services.metrics.texts += len(texts)
    labels: list[Any] = ["" if p.label is None else p.label for p in found]
    is_integer = bool(labels) and all(isinstance(label, int) for label in labels)
    kind = "INT64" if is_integer else "BYTES"
    if not is_integer:
        labels = list(map(str, labels))
    tensors = {
        "label": m.Tensor("label", [len(texts)], kind, labels),
        "score": m.Tensor("score", [len(texts)], "FP64", [p.score for p in found]),
    }
    return _response(call, body, tensors, str(view.number))


def _texts(call: Call, body: m.InferRequest) -> list[str]:
    if len(body.inputs) != 1 or body.inputs[0].datatype != "BYTES":
        raise RequestError(
            422,
            "Expected one input of the datatype BYTES, got"
            f" {', '.join(i.datatype[:20] for i in body.inputs[:9]) or 'none'}.",
        )
    tensor = body.inputs[0]
    if len(tensor.shape) > MOST_DIMENSIONS:
        raise RequestError(
            422,
            f"Expected at most {MOST_DIMENSIONS} dimensions, got {len(tensor.shape)}.",
            limit=MOST_DIMENSIONS,
            value=len(tensor.shape),
        )
    parameters = {} if isinstance(tensor.parameters, msgspec.UnsetType) else tensor.parameters
    size = parameters.get("binary_data_size")
    if size is not None:
        start = int(call.header(LENGTH) or len(call.raw))
        data = _unpacked(call.raw[start:], size)
    elif isinstance(tensor.data, msgspec.UnsetType):
        raise RequestError(422, "Expected data, or a binary_data_size with what follows the JSON.")
    else:
        data = _flat(tensor.data)
    if any(length < 0 for length in tensor.shape) or math.prod(tensor.shape) != len(data):
        raise RequestError(
            422,
            f"Expected as many texts as the shape {tensor.shape} says, got {len(data)}.",
            value=len(data),
        )
    return data


def _flat(data: list[Any]) -> list[str]:
    """Return the texts of a tensor, whose rows may be nested lists."""
    result: list[str] = []
    for item in data:
        rows = item if isinstance(item, list) else [item]
        for text in rows:
            if not isinstance(text, str):
                raise RequestError(422, f"Expected texts as data, got a {type(text).__name__}.")
            result.append(text)
    return result


def _unpacked(raw: bytes, size: Any) -> list[str]:
    if size != len(raw):
        raise RequestError(
            422,
            "Expected as many bytes after the JSON as binary_data_size says.",
            limit=size if isinstance(size, int) else None,
            value=len(raw),
        )
    texts, place = [], 0
    while place < len(raw):
        if place + 4 > len(raw):
            raise RequestError(422, f"The binary data ends within a length, at byte {place}.")
        (length,) = struct.unpack_from("<I", raw, place)
        place += 4
        if place + length > len(raw):
            raise RequestError(422, f"The binary data ends within a text, at byte {place}.")
        try:
            texts.append(raw[place : place + length].decode())
        except UnicodeDecodeError as error:
            raise RequestError(422, f"Text {len(texts)} is not UTF-8: {error.reason}.") from error
        place += length
    return texts


def _response(
    call: Call, body: m.InferRequest, tensors: dict[str, m.Tensor], version: str
) -> Answer:
    wanted = body.outputs or [m.RequestedOutput(name) for name in tensors]
    all_binary = bool(body.parameters.get("binary_data_output", False))
    outputs, pieces = [], []
    for output in wanted:
        tensor = tensors.get(output.name)
        if tensor is None:
            known = ", ".join(tensors)
            raise RequestError(422, f"Expected outputs among {known}.", value=output.name[:100])
        if output.parameters.get("binary_data", all_binary):
            piece = _packed(tensor)
            parameters = {"binary_data_size": len(piece)}
            tensor = m.Tensor(tensor.name, tensor.shape, tensor.datatype, parameters=parameters)
            pieces.append(piece)
        outputs.append(tensor)
    answer = m.InferResponse(call.name, version, outputs)
    if body.id is not None:
        answer.id = body.id
    text = msgspec.json.encode(answer)
    if not pieces:
        return Answer(text)
    headers = [(LENGTH, str(len(text)).encode())]
    return Answer(text + b"".join(pieces), b"application/octet-stream", headers)


def _packed(tensor: m.Tensor) -> bytes:
    data = [] if isinstance(tensor.data, msgspec.UnsetType) else tensor.data
    if tensor.datatype == "BYTES":
        encoded = [text.encode() for text in data]
        return b"".join(struct.pack("<I", len(text)) + text for text in encoded)
    return np.array(data, "<i8" if tensor.datatype == "INT64" else "<f8").tobytes()


MODEL = "/v2/models/{model}"
OPERATIONS = [
    Operation(
        "POST", f"{MODEL}/infer", "Label texts", infer, "read", m.InferRequest, m.InferResponse
    ),
    Operation("GET", "/v2", "Describe the server", server, "open", None, m.ServerMetadata),
    Operation("GET", MODEL, "Describe a model", metadata, "read", None, m.ModelMetadata),
    Operation(
        "GET", f"{MODEL}/ready", "Check whether a model is ready", is_ready, "read", None, m.Live
    ),
]
