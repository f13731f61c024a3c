"""When an answer is too uncertain to give: the one rule for every classifier."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from addhash.arrays import Floats

# Scores are rounded: a cosine that is 1 up to rounding is not below 1.
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Rejection:
    """Thresholds for the score of an answer, and for its lead over the runner-up.

    Examples
    --------
    >>> import numpy as np
    >>> from addhash.learning.rejection import Rejection
    >>> Rejection(below=0.9).rejects(np.array([0.95, 0.8, 0.9 - 1e-15])).tolist()
    [False, True, False]
    """

    below: float | None = None
    margin: float | None = None

    @property
    def is_possible(self) -> bool:
        """Whether any answer can be rejected."""
        return self.below is not None or self.margin is not None

    def rejects(
        self, scores: Floats, runner_up_scores: Floats | None = None
    ) -> npt.NDArray[np.bool_]:
        """Return for each answer whether it is rejected.

        Parameters
        ----------
        scores : ndarray of float
        runner_up_scores : ndarray of float, optional
            NaN where there is no other class, which no margin rejects.
        """
        rejected = np.zeros(len(scores), bool)
        if self.below is not None:
            rejected |= scores < float(self.below) - TOLERANCE
        if self.margin is not None and runner_up_scores is not None:
            rejected |= scores - runner_up_scores < float(self.margin) - TOLERANCE
        return rejected
