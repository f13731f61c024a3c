"""A text classifier's answer: a label, its score, and the most similar examples."""

from typing import Any, NamedTuple

from addhash.arrays import Floats
from addhash.frames import Rows
from addhash.learning.memory import Memory, Ranking


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
    result = []
    for winner, score, other, other_score, places, closeness in zip(
        ranking.winners.tolist(),
        ranking.scores.tolist(),
        ranking.runners_up.tolist(),
        ranking.runner_up_scores.tolist(),
        ranking.nearest.tolist(),
        ranking.nearest_scores.tolist(),
        strict=True,
    ):
        nearest = []
        for place, near in zip(places, closeness, strict=True):
            code, text = memory.example(place)
            nearest.append(Neighbor(labels[code], near, text))
        margin = None if other < 0 else score - other_score
        rival = None if other < 0 else labels[other]
        result.append(Prediction(labels[winner], score, margin, rival, tuple(nearest)))
    return result


def decision_values(decisions: Floats) -> Floats:
    """Return a number for each class; for two classes, the second's minus the first's."""
    if decisions.shape[1] == 2:
        difference: Floats = decisions[:, 1] - decisions[:, 0]
        return difference
    return decisions if decisions.shape[1] > 1 else decisions[:, 0]
