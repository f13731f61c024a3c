"""What a text classifier answers: a label, how sure it is, and what it is like."""

from typing import Any, NamedTuple

__all__ = ["Neighbor", "Prediction"]


class Neighbor(NamedTuple):
    """A training example near to a text; its own text if texts are kept."""

    label: Any
    score: float
    text: str | None


class Prediction(NamedTuple):
    """The answer for one text.

    `label` is None if the score is below the threshold; `margin` is the score's lead over the
    best of another class, `runner_up`, and both are None if there is no other class.
    """

    label: Any
    score: float
    margin: float | None
    runner_up: Any
    nearest: tuple[Neighbor, ...]
