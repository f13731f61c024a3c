"""Requests to the server and its answers: types that are checked and documented."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

__all__ = [
    "Changed",
    "ClassReport",
    "Classes",
    "Embedding",
    "Embeddings",
    "EmbeddingsRequest",
    "Evaluation",
    "ExampleList",
    "Examples",
    "ExplainRequest",
    "Explanation",
    "ForgetRequest",
    "InferRequest",
    "InferResponse",
    "KnownExample",
    "Learnt",
    "Live",
    "MapPoint",
    "ModelInfo",
    "ModelList",
    "ModelMetadata",
    "NewModel",
    "PredictRequest",
    "Prediction",
    "Predictions",
    "Problem",
    "Ready",
    "Relabel",
    "RequestedOutput",
    "ServerMetadata",
    "Similar",
    "SimilarExample",
    "SimilarRequest",
    "Tensor",
    "TextMap",
    "TokenShare",
    "Undo",
    "Usage",
    "Vectors",
    "VectorsRequest",
]

MOST = 2**63 - 1
Text = Annotated[str, Meta(description="A text; the server limits its length.")]
LabelText = Annotated[str, Meta(max_length=200)]
LabelNumber = Annotated[int, Meta(ge=-MOST, le=MOST)]
Label = LabelText | LabelNumber
Id = Annotated[int, Meta(ge=1, le=MOST)]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


class Message(Struct, forbid_unknown_fields=True):
    """A request, without unknown members."""


class Problem(Struct):
    """Every error (RFC 9457). Exceeded limits are in `limit`, values received in `value`."""

    type: str
    title: str
    status: int
    detail: str


# Asking.


class PredictRequest(Message):
    """Texts to label."""

    texts: list[Text]
    top: Annotated[int, Meta(ge=0, le=100)] = 0


class Classes(Struct):
    """A class and its share of 1."""

    label: Any
    share: float


class Prediction(Struct, omit_defaults=True):
    """The label of a text; `margin` is the lead over the runner-up."""

    label: Any
    score: float | None
    margin: float | None
    runner_up: Any
    classes: list[Classes] | UnsetType = UNSET


class Predictions(Struct):
    """One answer per text, by the model after the change `change`."""

    predictions: list[Prediction]
    change: int


class ExplainRequest(Message):
    """A text to explain."""

    text: Text
    tokens: Annotated[int, Meta(ge=0, le=1000)] = 20


class TokenShare(Struct):
    """A token and its share of the score and the margin."""

    token: str
    occurrences: int
    score: float
    margin: float | None


class Explanation(Struct):
    """What makes up the score: `characters` has one share per character of the text."""

    label: Any
    score: float | None
    runner_up: Any
    margin: float | None
    is_rejected: bool
    characters: list[float]
    unplaced: float
    tokens: list[TokenShare]
    change: int


class SimilarRequest(Message):
    """Texts to find similar examples for."""

    texts: list[Text]
    k: Annotated[int, Meta(ge=1, le=100)] = 3


class SimilarExample(Struct):
    """An example that was taught, and its cosine with the text."""

    id: int
    label: Any
    text: str
    score: float


class Similar(Struct):
    """The most similar examples of each text, the best first."""

    similar: list[list[SimilarExample]]


class VectorsRequest(Message):
    """Texts to turn into vectors."""

    texts: list[Text]
    dimensions: Annotated[int, Meta(ge=8, le=8192, multiple_of=8)] = 2048


class Vectors(Struct):
    """One vector of length 1 per text."""

    vectors: list[list[float]]


class EmbeddingsRequest(Struct):
    """OpenAI's format: texts to turn into vectors."""

    input: Text | list[Text]
    model: str
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: Annotated[int, Meta(ge=8, le=8192, multiple_of=8)] = 2048
    user: str | None = None


class Embedding(Struct):
    """A vector: numbers, or base64 of little-endian 32-bit floats."""

    object: str
    index: int
    embedding: list[float] | str


class Usage(Struct):
    """Characters, for which nothing is charged."""

    prompt_tokens: int
    total_tokens: int


class Embeddings(Struct):
    """Vectors in OpenAI's format."""

    object: str
    data: list[Embedding]
    model: str
    usage: Usage


# Teaching.


class Examples(Message):
    """Examples to learn: one label per text, all texts or all whole numbers."""

    texts: list[Text]
    labels: list[Label]


class ForgetRequest(Message):
    """Examples to forget: by id, or by text and label."""

    ids: list[Id] | None = None
    texts: list[Text] | None = None
    labels: list[Label] | None = None


class Relabel(Message):
    """A new label for an example."""

    label: Label


class Undo(Message):
    """Empty: the latest lesson that is still known is undone."""


class Learnt(Struct):
    """The ids of the examples learnt by the change `change`."""

    ids: list[int]
    change: int


class Changed(Struct):
    """What the change `change` did."""

    ids: list[int]
    change: int


class KnownExample(Struct):
    """An example that was taught."""

    id: int
    change: int
    label: Any
    text: str


class ExampleList(Struct):
    """Examples, the latest first; `next` is the `before` of the next page."""

    examples: list[KnownExample]
    next: int | None
    total: int


class ClassReport(Struct):
    """How well one class is recognised."""

    label: Any
    precision: float | None
    recall: float
    support: int


class Evaluation(Struct):
    """How accurate the model is on its own examples, each left out in turn."""

    accuracy: float | None
    balanced_accuracy: float | None
    examples: int
    total: int
    classes: list[ClassReport]
    confusion: list[list[int]]
    mistakes: list[int]
    change: int


class MapPoint(Struct, array_like=True):
    """An example on the map: id, label, x and y from 0 to 1, and its text."""

    id: int
    label: Any
    x: float
    y: float
    text: str


class TextMap(Struct):
    """Examples in two dimensions: similar texts are close together."""

    points: list[MapPoint]
    total: int
    change: int


# Models.


class NewModel(Message):
    """A model to create."""

    name: Name
    method: Literal["bayes", "nearest", "centroid"] = "bayes"


class ModelInfo(Struct):
    """A model; `problems` says what is wrong, by subject."""

    id: str
    object: str
    created: int
    owned_by: str
    condition: Literal["ready", "read-only", "failed"]
    problems: dict[str, str]
    method: str | None
    classes: list[Any]
    counts: list[int]
    taught: int
    change: int
    digest: str | None = None


class ModelList(Struct):
    """All models, as OpenAI lists them."""

    object: str
    data: list[ModelInfo]
    is_writable: bool
    limits: dict[str, int]
    version: str


# The Open Inference Protocol, version 2.


class Tensor(Struct, omit_defaults=True):
    """A tensor; its data may follow the JSON part, as `parameters` then says."""

    name: str
    shape: list[Annotated[int, Meta(ge=-1)]]
    datatype: str
    data: list[Any] | UnsetType = UNSET
    parameters: dict[str, Any] | UnsetType = UNSET


class RequestedOutput(Struct):
    """A requested output."""

    name: str
    parameters: dict[str, Any] = {}


class InferRequest(Struct):
    """Texts as a tensor of BYTES."""

    inputs: list[Tensor]
    id: str | None = None
    parameters: dict[str, Any] = {}
    outputs: list[RequestedOutput] | None = None


class InferResponse(Struct, omit_defaults=True):
    """Labels and scores as tensors."""

    model_name: str
    model_version: str
    outputs: list[Tensor]
    id: str | UnsetType = UNSET


class ServerMetadata(Struct):
    """The server."""

    name: str
    version: str
    extensions: list[str]


class ModelMetadata(Struct):
    """A model's inputs and outputs."""

    name: str
    versions: list[str]
    platform: str
    inputs: list[Tensor]
    outputs: list[Tensor]


class Live(Struct):
    """Whether the server is alive."""

    live: bool


class Ready(Struct):
    """Whether the server is ready, and what is wrong with which model."""

    ready: bool
    models: dict[str, str]
    problems: dict[str, dict[str, str]]
