"""Requests to the server and its answers: types that are checked and documented."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

MOST = 2**63 - 1
Text = Annotated[str, Meta(description="A text; the server limits its length.")]
LabelText = Annotated[str, Meta(max_length=200)]
LabelNumber = Annotated[int, Meta(ge=-MOST, le=MOST)]
Label = LabelText | LabelNumber
KnownLabel = str | int
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

    label: KnownLabel | None
    share: float


class Prediction(Struct, omit_defaults=True):
    """The label of a text; `margin` is the lead over the runner-up."""

    label: KnownLabel | None
    score: float | None
    margin: float | None
    runner_up: KnownLabel | None
    classes: list[Classes] | UnsetType = UNSET


class Predictions(Struct):
    """One answer per text, by the model after the change `change`."""

    predictions: list[Prediction]
    change: int


class DetectRequest(Message):
    """Texts whose languages to detect."""

    texts: list[Text]
    top: Annotated[int, Meta(ge=1, le=20)] = 5


class Language(Struct):
    """A language by its ISO 639-3 code and names; "und" if none is likely."""

    code: str
    name: str
    own_name: str | None
    probability: float


class Languages(Struct):
    """The likeliest languages of each text; none for a text without letters."""

    languages: list[list[Language]]


class ExplainRequest(Message):
    """A text to explain."""

    text: Text
    count: Annotated[int, Meta(ge=0, le=1000)] = 20
    parts: Literal["words", "tokens"] = "words"


class Share(Struct):
    """A part of the text, all others or the prior, and its share of the evidence."""

    what: Literal["word", "token", "others", "prior"]
    text: str
    occurrences: int
    evidence: float
    evidence_margin: float | None


class Explanation(Struct):
    """What makes up the evidence for the label, and its lead over the runner-up.

    `rows` add up to both. `characters` has each character's share of the lead, or of the evidence
    without a runner-up, and `unplaced` what belongs to none.
    """

    label: KnownLabel | None
    score: float | None
    runner_up: KnownLabel | None
    margin: float | None
    is_rejected: bool
    evidence: float
    evidence_margin: float | None
    characters: list[float]
    unplaced: float
    rows: list[Share]
    change: int


class SimilarRequest(Message):
    """Texts to find similar examples for."""

    texts: list[Text]
    k: Annotated[int, Meta(ge=1, le=100)] = 3


class SimilarExample(Struct):
    """An example that was taught, and its cosine with the text."""

    id: int
    label: KnownLabel | None
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


# Teaching.


class Examples(Message):
    """Examples to learn: one label per text, all texts or all whole numbers."""

    texts: list[Text]
    labels: list[Label]
    skip_known: bool = False


class ForgetRequest(Message):
    """Examples to forget: by id, or by text and label."""

    ids: list[Id] | None = None
    texts: list[Text] | None = None
    labels: list[Label] | None = None


class Relabel(Message):
    """A new label for an example."""

    label: Label


class Undo(Message):
    """The number of the change to undo, or of several, such as the batches of one file.

    A lesson is forgotten, a relabelled example gets its old label, an undo is redone.
    """

    change: Id | Annotated[list[Id], Meta(min_length=1, max_length=10_000)]


class Learnt(Struct):
    """The ids of the examples learnt by the change `change`; `known` of the request were known.

    Known are examples with the same text and label, also earlier in the same request. With
    `skip_known` they are not learnt again, and have no id here.
    """

    ids: list[int]
    change: int
    known: int


class Undone(Struct):
    """The ids that are gone and those that were added; undoing `change` redoes what was undone.

    What an undo forgot can be redone until the server stops: it is no longer on disk.
    """

    removed: list[int]
    ids: list[int]
    change: int


class Changed(Struct):
    """What the change `change` did."""

    ids: list[int]
    change: int


class Forgotten(Struct):
    """The ids that the change `change` removed for good.

    `snapshots` are those that someone named and that still hold one of the texts: delete them, too,
    if it must be gone from there.
    """

    ids: list[int]
    change: int
    snapshots: list[str]


class KnownExample(Struct):
    """An example that was taught."""

    id: int
    change: int
    label: KnownLabel | None
    text: str


class ExampleList(Struct):
    """Examples, the latest first; `next` is the `before` of the next page.

    `matching` of all `total` examples match the search.
    """

    examples: list[KnownExample]
    next: int | None
    total: int
    matching: int


class ClassReport(Struct):
    """How well one class is recognised."""

    label: KnownLabel | None
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


class Mistake(Struct):
    """An example that the model would label otherwise, had it never seen it."""

    id: int
    label: KnownLabel | None
    predicted: KnownLabel | None
    score: float | None
    margin: float | None
    text: str


class Mistakes(Struct):
    """Examples whose labels the model contradicts, the surest first."""

    mistakes: list[Mistake]
    matching: int
    total: int
    examples: int
    change: int


class TableRow(Struct, array_like=True):
    """A text of a table and its label, if it has one."""

    text: str
    label: str | None


class Table(Struct):
    """The texts and labels of a file; without a text column, only the columns to choose from."""

    columns: list[str]
    text_column: str | None
    label_column: str | None
    rows: list[TableRow]
    problem: str | None


class MapPoint(Struct, array_like=True):
    """An example on the map: id, label, x and y from 0 to 1, and its text."""

    id: int
    label: KnownLabel | None
    x: float
    y: float
    text: str


class TextMap(Struct):
    """Examples in two dimensions: similar texts are close together."""

    points: list[MapPoint]
    total: int
    change: int
    is_refined: bool


# Models.


class NewModel(Message):
    """A model to create: without examples, or as a copy of another model with all of them."""

    name: Name
    method: Literal["bayes", "nearest", "centroid"] = "bayes"
    copy_of: Name | None = None


class Rename(Message):
    """The new name of a model."""

    name: Name


class RemoveModel(Message):
    """The name of the model once more: deleting it cannot be undone."""

    name: Name


class Removed(Struct):
    """The model that is gone."""

    name: str


class ModelInfo(Struct):
    """A model; `problems` says what is wrong, by subject."""

    id: str
    created: int
    condition: Literal["ready", "read-only", "failed"]
    problems: dict[str, str]
    method: str | None
    classes: list[KnownLabel]
    counts: list[int]
    taught: int
    change: int
    digest: str | None = None


class ModelList(Struct):
    """All models, and what the server allows."""

    models: list[ModelInfo]
    is_writable: bool
    has_languages: bool
    limits: dict[str, int]
    version: str


class Live(Struct):
    """Whether the server is alive."""

    live: bool


class Ready(Struct, omit_defaults=True):
    """Whether the server is ready; and what is wrong with which model, unless a stranger asks."""

    ready: bool
    models: dict[str, str] | UnsetType = UNSET
    problems: dict[str, dict[str, str]] | UnsetType = UNSET
