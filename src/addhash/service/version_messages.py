"""Requests and answers about states of models: snapshots, comparisons, previews of merges."""

from msgspec import Struct

from addhash.service.messages import KnownLabel, Label, Message, Name, Text


class NewSnapshot(Message):
    """A name for the present state of a model."""

    name: Name


class Snapshot(Struct):
    """A state that is kept: after the change `change`, with so many examples taught here."""

    name: str
    change: int
    examples: int
    created: int
    bytes: int


class SnapshotList(Struct):
    """Snapshots, the latest state first; `limit` is how many a model can have."""

    snapshots: list[Snapshot]
    limit: int


class RollBack(Message):
    """The name of the snapshot to return to."""

    snapshot: Name


class RolledBack(Struct):
    """What the change `change` did; the state before is kept as the snapshot `kept`.

    Examples that came back have new ids.
    """

    change: int
    kept: str
    ids: list[int]
    removed: list[int]


class CompareRequest(Message):
    """What to compare a model with: another model, or a snapshot of its own.

    With `texts`, both label these; `labels` say what is right. Otherwise both label the latest
    examples of the model, each as if they had never seen it.
    """

    model: Name | None = None
    snapshot: Name | None = None
    texts: list[Text] | None = None
    labels: list[Label] | None = None


class ComparedClass(Struct):
    """A class: how many texts it has, and how many of them each of the two labels correctly."""

    label: KnownLabel | None
    texts: int
    right: int
    other_right: int


class Difference(Struct):
    """A text that gets two answers, with its label and id if it is known."""

    id: int | None
    text: str
    label: KnownLabel | None
    answer: KnownLabel | None
    other_answer: KnownLabel | None


class Comparison(Struct):
    """How a model and another one, or a snapshot, label the same texts.

    `different` of them get two answers; the first ones are `differences`. Accuracies and classes
    are there if the right labels are known.
    """

    texts: int
    different: int
    accuracy: float | None
    other_accuracy: float | None
    classes: list[ComparedClass]
    differences: list[Difference]
    change: int
    other_change: int


class MergeClass(Struct):
    """A class and its examples: in the model, and in the file."""

    label: KnownLabel
    here: int
    added: int


class MergePreview(Struct):
    """What a merge would do. Nothing has been changed.

    `problem` says why the two cannot be merged. Accuracies are of the latest examples, each left
    out in turn; `different` of them would get another answer.
    """

    problem: str | None
    method: str
    classes: list[MergeClass]
    texts: int
    different: int
    accuracy: float | None
    accuracy_after: float | None
    change: int
