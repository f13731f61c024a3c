"""A text classifier's answer: a label, its score, and the most similar examples."""

from typing import Any, NamedTuple

from addhash.frames import Rows
from addhash.learning.memory import Memory, Ranking

__all__ = ["Neighbor", "Prediction", "Predictions", "predictions_of"]


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


class Predictions(Rows[Prediction]):
    """The answers for several texts: a list that can become a data frame.

    Examples
    --------
    >>> from addhash import TextClassifier
    >>> classifier = TextClassifier().fit(["good morning", "bonjour"], ["en", "fr"])
    >>> classifier.predict_scores(["good day"]).to_frame()["label"].tolist()
    ['en']
    """

    columns = ("label", "score", "margin", "runner_up")


def predictions_of(memory: Memory, ranking: Ranking) -> list[Prediction]:
    """Return the answers of a ranking, none of them rejected."""
    labels = memory.classes.labels.tolist()
    scores = ranking.scores.tolist()
    result = []
    for i, winner in enumerate(ranking.winners.tolist()):
        other = int(ranking.runners_up[i])
        nearest = []
        for position, score in zip(
            ranking.nearest[i].tolist(), ranking.nearest_scores[i].tolist(), strict=True
        ):
            code, text = memory.example(position)
            nearest.append(Neighbor(labels[code], score, text))
        margin = None if other < 0 else scores[i] - float(ranking.runner_up_scores[i])
        rival = None if other < 0 else labels[other]
        result.append(Prediction(labels[winner], scores[i], margin, rival, tuple(nearest)))
    return result
