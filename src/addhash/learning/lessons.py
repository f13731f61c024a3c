"""What bias a class has that comes after a classifier was fitted: lessons to learn it from."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# In a lesson, a class is left out and taught anew by so many of its examples.
TAUGHT, MOST_LESSONS, MOST_ASKED = 10, 3, 200
# Where one class is left, a new one has to beat that alone, which is not what it is like to be new.
LEAST_CLASSES = 3
# Of the texts of the other classes, so many may be lost to the new one.
MOST_LOST = 0.005
# In nats. A class without a bias would be 0.
MOST_LATER = 5.0


class Lesson(NamedTuple):
    """Which examples of a sample are taught, and which of other classes are asked."""

    code: int  # of the class
    taught: Integers  # positions
    asked: Integers


def lessons_of(codes: Integers) -> Iterator[Lesson]:
    """Yield lessons of the largest classes of a sample, if they have examples to spare.

    Examples
    --------
    >>> import numpy as np
    >>> from addhash.learning.lessons import lessons_of
    >>> [(lesson.code, len(lesson.taught), len(lesson.asked))
    ...  for lesson in lessons_of(np.array([0, 1] * 25 + [2]))]
    [(0, 10, 26), (1, 10, 26)]
    """
    counts = np.bincount(codes)
    if (counts > 0).sum() < LEAST_CLASSES:
        return
    for code in np.argsort(-counts, kind="stable")[:MOST_LESSONS].tolist():
        if counts[code] >= 2 * TAUGHT:
            taught = np.flatnonzero(codes == code)[:TAUGHT]
            yield Lesson(code, taught, np.flatnonzero(codes != code)[:MOST_ASKED])


def bias_of_leads(leads: Floats) -> float:
    """Return the bias of a new class that takes few enough texts of others.

    Parameters
    ----------
    leads : ndarray
        How far ahead the new class is with a bias of 0, of each text of another class; -inf for
        those that were wrong before.

    Examples
    --------
    >>> import numpy as np
    >>> from addhash.learning.lessons import bias_of_leads
    >>> bias_of_leads(np.array([-2.0] * 99 + [-0.5]))
    0.5
    """
    if len(leads) == 0:
        return 0.0  # there was no lesson
    lead = np.sort(leads)[-1 - int(MOST_LOST * len(leads))]
    return float(np.clip(-lead, -MOST_LATER, MOST_LATER))
