"""How careful a fitted classifier has to be with classes that come later: lessons to learn from."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["LEAST_CAUTION", "MOST_CAUTION", "Lessons", "needed_caution"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# In a lesson, a class is taught again by so many of its examples, as if it were new.
TAUGHT, MOST_LESSONS, MOST_ASKED = 10, 8, 500
# Of the texts of the other classes, so many may be lost to the new one.
MOST_LOST = 0.005
# Without fitted numbers it is the least; more than the most would make lessons pointless.
LEAST_CAUTION, MOST_CAUTION = 1.0, 3.0


class Lessons(NamedTuple):
    """Which examples of a sample are taught, and which are asked."""

    classes: Integers  # that are taught, the largest first
    taught: Integers  # positions, those of a class together
    asked: Integers

    @classmethod
    def of(cls, codes: Integers) -> "Lessons":
        """Return lessons of the largest classes of a sample, if there are any.

        Examples
        --------
        >>> import numpy as np
        >>> from addhash.learning.lessons import Lessons
        >>> lessons = Lessons.of(np.array([0, 1] * 25 + [2]))
        >>> lessons.classes.tolist(), len(lessons.taught), len(lessons.asked)
        ([0, 1], 20, 31)
        """
        counts = np.bincount(codes)
        largest = np.argsort(-counts, kind="stable")[:MOST_LESSONS]
        largest = largest[counts[largest] >= 2 * TAUGHT]
        taught = [np.flatnonzero(codes == code)[:TAUGHT] for code in largest]
        positions = np.concatenate([np.empty(0, np.int64), *taught])
        asked = np.setdiff1d(np.arange(len(codes)), positions)[:MOST_ASKED]
        return cls(largest, positions, asked)


def needed_caution(scores: Floats, codes: Integers, lessons: Lessons, against: float) -> float:
    """Return the caution with which the new classes of all lessons take few enough texts.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes + n_lessons)
        With a caution of 1.
    codes : ndarray of shape (n_samples,)
        The true class of each row.
    lessons : Lessons
    against : float
        What a caution of 1 takes from the score of a new class.

    Returns
    -------
    caution : float
    """
    n_classes = scores.shape[1] - len(lessons.classes)
    leads, n_asked = [], 0
    for new, old in enumerate(lessons.classes.tolist()):
        others = codes != old
        rest = np.delete(scores[others, :n_classes], old, axis=1)
        own = codes[others] - (codes[others] > old)
        is_right = rest.argmax(axis=1) == own
        leads.append((scores[others, n_classes + new] - rest.max(axis=1))[is_right])
        n_asked += len(own)
    descending = -np.sort(-np.concatenate(leads))
    allowed = int(MOST_LOST * n_asked)
    lead = descending[allowed] if allowed < len(descending) else 0.0
    return float(np.clip(1 + lead / against, LEAST_CAUTION, MOST_CAUTION))
