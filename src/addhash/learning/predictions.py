"""A text classifier's answer: a label, its score, and the most similar examples."""

from typing import Any, NamedTuple

from addhash.learning.memory import Comparison, Memory

__all__ = ["Neighbor", "Prediction", "predictions_of"]


class Neighbor(NamedTuple):
    """A training example near a text; with its own text if texts are kept."""

    label: Any
    score: float
    text: str | None


class Prediction(NamedTuple):
    """The answer for one text.

    `label` is None if the answer is rejected; `margin` is the score's lead over the best other
    class, `runner_up`, and both are None if there is no other class.
    """

    label: Any
    score: float
    margin: float | None
    runner_up: Any
    nearest: tuple[Neighbor, ...]


def predictions_of(memory: Memory, comparison: Comparison) -> list[Prediction]:
    """Return the answers of a comparison, none of them rejected."""
    labels = memory.classes.tolist()
    scores = comparison.scores.tolist()
    result = []
    for i, winner in enumerate(comparison.winners.tolist()):
        other = int(comparison.runners_up[i])
        nearest = []
        for position, score in zip(
            comparison.nearest[i].tolist(), comparison.nearest_scores[i].tolist(), strict=True
        ):
            code, text = memory.example(position)
            nearest.append(Neighbor(labels[code], score, text))
        margin = None if other < 0 else scores[i] - float(comparison.runner_up_scores[i])
        rival = None if other < 0 else labels[other]
        result.append(Prediction(labels[winner], scores[i], margin, rival, tuple(nearest)))
    return result
